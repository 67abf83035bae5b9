# tg_room(<room> SOURCES <files> [USES <rooms>] [PRIVATE_LIBS <targets>])
#
# Makes the object library tg_<room>. Its include path holds its own headers and those of the rooms
# in USES, nothing else: a room cannot include what the architecture table does not allow.
#   include/   public headers, installed
#   internal/  headers for other rooms, never installed
#   src/       private
function(tg_room room)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;PRIVATE_LIBS" ${ARGN})
  add_library(tg_${room} OBJECT ${ARG_SOURCES})
  target_include_directories(tg_${room} PRIVATE src)
  foreach(folder include internal)
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
      target_include_directories(tg_${room} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
    endif()
  endforeach()
  target_link_libraries(tg_${room} PRIVATE tg_flags ${ARG_PRIVATE_LIBS})
  target_compile_options(tg_${room} PRIVATE ${TG_DEBUG_SPEED})
  foreach(used ${ARG_USES})
    # Include paths only: objects are linked once, by the library or program at the end.
    target_include_directories(tg_${room} PUBLIC
      $<TARGET_PROPERTY:tg_${used},INTERFACE_INCLUDE_DIRECTORIES>)
  endforeach()
endfunction()

# tg_missing_rooms(<out> <rooms>): those that a TG_CORE_ONLY build leaves out. Elsewhere a room that
# does not exist is a mistake, and linking says so.
function(tg_missing_rooms out)
  set(missing "")
  if(TG_CORE_ONLY)
    foreach(room ${ARGN})
      if(NOT TARGET tg_${room})
        list(APPEND missing ${room})
      endif()
    endforeach()
  endif()
  set(${out} "${missing}" PARENT_SCOPE)
endfunction()

# tg_compiled_once(<file> [ROOMS <rooms>] [LIBS <targets>] [DEFINITIONS <name=value>])
# What many tests are linked from is compiled once for all of them that take it through tg_sources,
# not for each anew. Sees the headers of tests/ and of ROOMS, and the src/ folder of the first.
function(tg_compiled_once file)
  cmake_parse_arguments(ARG "" "" "ROOMS;LIBS;DEFINITIONS" ${ARGN})
  tg_missing_rooms(missing ${ARG_ROOMS})
  if(missing)
    return()
  endif()
  cmake_path(ABSOLUTE_PATH file NORMALIZE)
  cmake_path(GET file STEM name)
  add_library(once_${name} OBJECT EXCLUDE_FROM_ALL ${file})
  target_include_directories(once_${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  foreach(room ${ARG_ROOMS})
    target_include_directories(once_${name} PRIVATE $<TARGET_PROPERTY:tg_${room},INTERFACE_INCLUDE_DIRECTORIES>)
  endforeach()
  if(ARG_ROOMS)
    list(GET ARG_ROOMS 0 room)
    target_include_directories(once_${name} PRIVATE ${CMAKE_SOURCE_DIR}/${room}/src)
  endif()
  target_compile_definitions(once_${name} PRIVATE ${ARG_DEFINITIONS})
  target_link_libraries(once_${name} PRIVATE tg_flags ${ARG_LIBS})
  target_compile_options(once_${name} PRIVATE ${TG_DEBUG_SPEED})
  set_property(GLOBAL PROPERTY "TG_ONCE_${file}" $<TARGET_OBJECTS:once_${name}>)
endfunction()

# tg_sources(<out> <files>): the same files, with objects instead of those that are compiled once
function(tg_sources out)
  set(sources "")
  foreach(file ${ARGN})
    cmake_path(ABSOLUTE_PATH file NORMALIZE OUTPUT_VARIABLE path)
    get_property(objects GLOBAL PROPERTY "TG_ONCE_${path}")
    if(objects)
      set(file ${objects})
    endif()
    list(APPEND sources ${file})
  endforeach()
  set(${out} "${sources}" PARENT_SCOPE)
endfunction()

# tg_program(<name> SOURCES <files> ROOMS <rooms> [LIBS <targets>])
# An executable linked from the objects of ROOMS.
function(tg_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;ROOMS;LIBS" ${ARGN})
  tg_missing_rooms(missing ${ARG_ROOMS})
  if(missing)
    return()
  endif()
  tg_sources(sources ${ARG_SOURCES})
  add_executable(${name} ${sources})
  foreach(room ${ARG_ROOMS})
    target_link_libraries(${name} PRIVATE tg_${room})
  endforeach()
  target_link_libraries(${name} PRIVATE tg_flags ${ARG_LIBS})
endfunction()

# tg_test(<room> <name> ROOMS <rooms> [LIBS <targets>] [LABELS <labels>] [TIMEOUT <s>] [SOURCES <more files>])
# tests/<room>/<name>_test.c becomes the ctest "<room>.<name>". Sees the src/ folder of <room>.
function(tg_test room name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;ROOMS;LIBS;LABELS" ${ARGN})
  tg_missing_rooms(missing ${room} ${ARG_ROOMS})
  if(missing)
    return()
  endif()
  set(target test_${room}_${name})
  tg_program(${target} SOURCES ${name}_test.c ${ARG_SOURCES} ROOMS ${ARG_ROOMS}
    LIBS ${ARG_LIBS} tg_dep_cmocka)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/tests ${CMAKE_SOURCE_DIR}/${room}/src)
  add_test(NAME ${room}.${name} COMMAND ${target})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  set_tests_properties(${room}.${name} PROPERTIES
    TIMEOUT ${ARG_TIMEOUT} LABELS "${room};${ARG_LABELS}" SKIP_RETURN_CODE 77)
endfunction()

# tg_long_tests(<seconds> <tests>)
# Begins those of this folder that are present before shorter ones: ctest knows how long a test takes only from an
# earlier run, and for one that begins late the other processors wait.
function(tg_long_tests seconds)
  get_property(present DIRECTORY PROPERTY TESTS)
  foreach(test ${ARGN})
    if(test IN_LIST present)
      set_property(TEST ${test} PROPERTY COST ${seconds})
    endif()
  endforeach()
endfunction()

# tg_bench(<name> ROOMS <rooms> [LIBS <targets>] [SOURCES <more files>])
# bench/<name>.c becomes bench_<name>, which ./dev bench <name> builds with the release preset and runs.
function(tg_bench name)
  cmake_parse_arguments(ARG "" "" "SOURCES;ROOMS;LIBS" ${ARGN})
  tg_program(bench_${name} SOURCES ${name}.c ${ARG_SOURCES} ROOMS ${ARG_ROOMS} LIBS ${ARG_LIBS})
endfunction()

# tg_fuzz(<name> ROOMS <rooms> [LIBS <targets>] [SOURCES <more files>] [MUTATOR <more files>])
# fuzz/fuzz_<name>.c defines LLVMFuzzerTestOneInput and sees the src/ folder of the first room. In the
# fuzz preset it becomes a libFuzzer program, with a mutator of its own if there is one; with TG_AFL
# one that afl-fuzz drives; in every other preset the same file is linked with replay.c. Either way
# the test fuzz.<name> runs it over fuzz/corpus/<name>.
function(tg_fuzz name)
  cmake_parse_arguments(ARG "" "" "SOURCES;ROOMS;LIBS;MUTATOR" ${ARGN})
  list(GET ARG_ROOMS 0 room)
  if(TG_AFL)
    set(target fuzz_${name})
    tg_program(${target} SOURCES fuzz_${name}.c ${ARG_SOURCES} ROOMS ${ARG_ROOMS} LIBS ${ARG_LIBS})
    if(TARGET ${target})
      target_link_options(${target} PRIVATE -fsanitize=fuzzer)
      target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/${room}/src)
    endif()
    return()
  elseif(TG_FUZZ)
    set(target fuzz_${name})
    set(command ${target} -runs=0)
    tg_program(${target} SOURCES fuzz_${name}.c ${ARG_SOURCES} ${ARG_MUTATOR} ROOMS ${ARG_ROOMS}
      LIBS ${ARG_LIBS})
  else()
    set(target replay_${name})
    set(command ${target})
    tg_program(${target} SOURCES fuzz_${name}.c replay.c ${ARG_SOURCES} ROOMS ${ARG_ROOMS}
      LIBS ${ARG_LIBS})
  endif()
  if(NOT TARGET ${target})
    return()
  endif()
  if(TG_FUZZ)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  endif()
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/${room}/src)
  add_test(NAME fuzz.${name} COMMAND ${command} ${CMAKE_CURRENT_SOURCE_DIR}/corpus/${name})
  set_tests_properties(fuzz.${name} PROPERTIES TIMEOUT 120 LABELS fuzz)
endfunction()

# What a program that holds the whole gateway is linked from; mbedTLS comes with libwebsockets.
set(TG_GATEWAY_ROOMS gateway gateway_admission codec recorder base)
set(TG_GATEWAY_LIBS tg_dep_lzma tg_dep_zlib tg_dep_zstd tg_dep_websockets)
