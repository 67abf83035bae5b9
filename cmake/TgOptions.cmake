# Compiler flags shared by every target of ours. Dependencies are built elsewhere and keep their own.
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

set(TG_SANITIZE "" CACHE STRING "Sanitizers for our own code, as -fsanitize= takes them")
option(TG_FUZZ "Build the fuzz targets with libFuzzer (clang)" OFF)
option(TG_AFL "Build the fuzz targets for afl-fuzz (afl-clang-fast)" OFF)
option(TG_COVERAGE "Instrument for gcov" OFF)
option(TG_DANGEROUS_TLS "Obey dangerous_disable_verification: for tests, never in what is shipped" OFF)
if(TG_DANGEROUS_TLS AND CMAKE_BUILD_TYPE MATCHES "^(Release|RelWithDebInfo|MinSizeRel)$")
  message(FATAL_ERROR "TG_DANGEROUS_TLS is not for release builds: leave it off, or take CMAKE_BUILD_TYPE=Debug")
endif()

# Hundreds of tests are linked: gold, of the same package as ld, takes half of ld's time. What is shipped keeps ld.
include(CheckLinkerFlag)
check_linker_flag(C -fuse-ld=gold TG_GOLD)
if(TG_GOLD AND CMAKE_BUILD_TYPE STREQUAL "Debug")
  string(APPEND CMAKE_EXE_LINKER_FLAGS " -fuse-ld=gold")
endif()

add_library(tg_flags INTERFACE)
target_compile_definitions(tg_flags INTERFACE _POSIX_C_SOURCE=200809L)
target_compile_options(tg_flags INTERFACE
  -Wall -Wextra -Wpedantic -Werror -Wshadow -Wconversion
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes> $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>
  -Wvla -Wundef -Wcast-align -Wformat=2 -Wswitch-enum -fno-common)
if(TG_SANITIZE)
  target_compile_options(tg_flags INTERFACE
    -fsanitize=${TG_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(tg_flags INTERFACE -fsanitize=${TG_SANITIZE})
endif()
# What tests run for long, at half the time; sanitizers have -O1 from their presets, and gcov wants each line.
set(TG_DEBUG_SPEED "")
if(CMAKE_BUILD_TYPE STREQUAL "Debug" AND CMAKE_C_COMPILER_ID STREQUAL "GNU" AND NOT TG_SANITIZE AND NOT TG_COVERAGE)
  set(TG_DEBUG_SPEED -Og)
endif()
if(TG_FUZZ)
  target_compile_options(tg_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(TG_COVERAGE)
  target_compile_options(tg_flags INTERFACE --coverage)
  target_link_options(tg_flags INTERFACE --coverage)
endif()
