# Third-party code. Each dependency is one interface target, tg_dep_<name>; its headers are system
# headers. libwebsockets and mbedTLS come from the cache that cmake/deps/tls-stack.sh fills,
# everything else from the system's packages.
option(TG_SYSTEM_DEPS "Use the system's libwebsockets (built with mbedTLS) and mbedTLS" OFF)
option(TG_CORE_ONLY "Build only the rooms that need no third-party code" OFF)
set(TG_DEPS_DIR "" CACHE PATH "Folder with libwebsockets and mbedTLS; empty: the cache of ./dev build")

# What the cache's key is made of: after an update the build must look for the new folder.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS deps.lock
  cmake/deps/tls-stack.sh cmake/deps/edit-sources.sh)

find_package(Threads REQUIRED)
find_package(PkgConfig QUIET)

# One line and the remedy: this is what a user sees who calls cmake before ./dev.
function(tg_deps_stop reason)
  message(FATAL_ERROR "${reason}")
endfunction()

# tg_dep_package(<name> <pkg-config module>): tg_dep_<name> from the system's package
function(tg_dep_package name module) # modules that it needs itself may follow
  add_library(tg_dep_${name} INTERFACE)
  if(PkgConfig_FOUND)
    pkg_check_modules(TG_${name} QUIET IMPORTED_TARGET ${module} ${ARGN})
  endif()
  if(NOT TG_${name}_FOUND)
    tg_deps_stop("${module} is missing: run ./dev build once, it installs what the build needs")
  endif()
  target_link_libraries(tg_dep_${name} INTERFACE PkgConfig::TG_${name})
endfunction()

# The folder with include/ and lib/ of libwebsockets and mbedTLS
function(tg_deps_find_stack out)
  if(TG_DEPS_DIR)
    set(stack ${TG_DEPS_DIR})
  else()
    execute_process(COMMAND sh ${CMAKE_SOURCE_DIR}/cmake/deps/tls-stack.sh where
      OUTPUT_VARIABLE stack OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
    if(failed)
      tg_deps_stop("no folder for the built dependencies: see the line above")
    endif()
  endif()
  if(NOT EXISTS ${stack}/lib/libwebsockets.a)
    tg_deps_stop("libwebsockets and mbedTLS are not built yet: run ./dev build")
  endif()
  set(${out} ${stack} PARENT_SCOPE)
endfunction()

function(tg_dep_stack)
  tg_deps_find_stack(stack)
  set(TG_STACK_DIR ${stack} PARENT_SCOPE)
  add_library(tg_dep_mbedtls INTERFACE)
  target_include_directories(tg_dep_mbedtls SYSTEM INTERFACE ${stack}/include)
  target_link_libraries(tg_dep_mbedtls INTERFACE ${stack}/lib/libmbedtls.a
    ${stack}/lib/libmbedx509.a ${stack}/lib/libmbedcrypto.a Threads::Threads)
  add_library(tg_dep_websockets INTERFACE)
  target_include_directories(tg_dep_websockets SYSTEM INTERFACE ${stack}/include)
  target_link_libraries(tg_dep_websockets INTERFACE
    ${stack}/lib/libwebsockets.a tg_dep_mbedtls m)
endfunction()

# The system's copies, if libwebsockets was built with mbedTLS and has what the SDK relies on
function(tg_dep_system_stack)
  pkg_check_modules(TG_websockets QUIET IMPORTED_TARGET libwebsockets>=4.3.5)
  find_path(TG_MBEDTLS_INCLUDE_DIR mbedtls/build_info.h) # since Mbed TLS 3
  find_library(TG_MBEDTLS_LIBRARY mbedtls)
  find_library(TG_MBEDX509_LIBRARY mbedx509)
  find_library(TG_MBEDCRYPTO_LIBRARY mbedcrypto)
  if(NOT TG_websockets_FOUND OR NOT TG_MBEDTLS_INCLUDE_DIR OR NOT TG_MBEDTLS_LIBRARY
      OR NOT TG_MBEDX509_LIBRARY OR NOT TG_MBEDCRYPTO_LIBRARY)
    tg_deps_stop("TG_SYSTEM_DEPS: the system lacks libwebsockets >= 4.3.5 or Mbed TLS 3: install them, or leave the option off")
  endif()
  find_file(config lws_config.h HINTS ${TG_websockets_INCLUDE_DIRS} NO_CACHE REQUIRED)
  file(READ ${config} text)
  foreach(symbol LWS_WITH_MBEDTLS LWS_HAVE_mbedtls_ssl_set_verify LWS_HAVE_mbedtls_ssl_conf_sni
      LWS_HAVE_mbedtls_ssl_conf_alpn_protocols LWS_WITH_TLS_SESSIONS LWS_WITH_EXTERNAL_POLL)
    if(NOT text MATCHES "#define ${symbol}[ \r\n]")
      tg_deps_stop("TG_SYSTEM_DEPS: the system's libwebsockets ${TG_websockets_VERSION} is built without ${symbol}: leave the option off")
    endif()
  endforeach()
  # The SDK gives it sockets that are connected already, which cmake/deps/edit-sources.sh makes it take.
  list(GET TG_websockets_LINK_LIBRARIES 0 library)
  file(STRINGS ${library} edited REGEX tickglass_tls_failure LIMIT_COUNT 1)
  if(NOT edited)
    tg_deps_stop("TG_SYSTEM_DEPS: the system's libwebsockets was built without cmake/deps/edit-sources.sh: leave the option off")
  endif()
  add_library(tg_dep_mbedtls INTERFACE)
  target_include_directories(tg_dep_mbedtls SYSTEM INTERFACE ${TG_MBEDTLS_INCLUDE_DIR})
  target_link_libraries(tg_dep_mbedtls INTERFACE
    ${TG_MBEDTLS_LIBRARY} ${TG_MBEDX509_LIBRARY} ${TG_MBEDCRYPTO_LIBRARY} Threads::Threads)
  add_library(tg_dep_websockets INTERFACE)
  target_link_libraries(tg_dep_websockets INTERFACE PkgConfig::TG_websockets tg_dep_mbedtls)
endfunction()

tg_dep_package(cmocka cmocka)
if(NOT TG_CORE_ONLY)
  tg_dep_package(lzma liblzma)
  tg_dep_package(zlib zlib)
  tg_dep_package(zstd libzstd)
  tg_dep_package(utf8proc libutf8proc)
  tg_dep_package(sdl sdl2)
  tg_dep_package(xcb_shm xcb-shm xcb)
  tg_dep_package(sdl_ttf SDL2_ttf)
  if(TG_SYSTEM_DEPS)
    tg_dep_system_stack()
  else()
    tg_dep_stack()
  endif()

  # jsmn: a header only; the file that reads JSON makes its functions static.
  find_path(TG_JSMN_INCLUDE_DIR jsmn.h)
  if(NOT TG_JSMN_INCLUDE_DIR)
    tg_deps_stop("jsmn is missing: run ./dev build once, it installs what the build needs")
  endif()
  add_library(tg_dep_jsmn INTERFACE)
  target_include_directories(tg_dep_jsmn SYSTEM INTERFACE ${TG_JSMN_INCLUDE_DIR})

  # stb: headers only; the file that draws on it defines STB_IMAGE_WRITE_IMPLEMENTATION itself.
  find_path(TG_STB_INCLUDE_DIR stb/stb_image_write.h)
  if(NOT TG_STB_INCLUDE_DIR)
    tg_deps_stop("stb is missing: run ./dev build once, it installs what the build needs")
  endif()
  add_library(tg_dep_stb INTERFACE)
  target_include_directories(tg_dep_stb SYSTEM INTERFACE ${TG_STB_INCLUDE_DIR})
endif()
