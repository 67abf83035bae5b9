# The shipped library, twice from the same objects: libtickglass.so and libtickglass.a.
#
# Both are guests in somebody's process, which may hold OpenSSL, another mbedTLS or another
# libwebsockets. So both define tg_* and nothing else:
#   shared  hidden visibility, an export map, and nothing exported from archives
#   static  one relocatable object with libwebsockets and mbedTLS inside, everything but tg_* local
set(TG_LIBRARY_ROOMS base codec recorder store sdk)

set(objects "")
foreach(room ${TG_LIBRARY_ROOMS})
  if(TARGET tg_${room})
    list(APPEND objects $<TARGET_OBJECTS:tg_${room}>)
  endif()
endforeach()

add_library(tickglass SHARED ${objects})
set_target_properties(tickglass PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} LINKER_LANGUAGE C
  LINK_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/tickglass.map)
# tg_dep_websockets brings mbedTLS behind itself; naming both lets cmake turn the order of archives.
target_link_libraries(tickglass PRIVATE tg_flags tg_dep_websockets m)
target_link_options(tickglass PRIVATE
  -Wl,--version-script=${CMAKE_CURRENT_LIST_DIR}/tickglass.map -Wl,--exclude-libs,ALL)
if(NOT TG_SANITIZE)
  # The runtime of a sanitizer is in the program, not in the library.
  target_link_options(tickglass PRIVATE -Wl,-z,defs)
endif()
foreach(room ${TG_LIBRARY_ROOMS})
  if(TARGET tg_${room})
    target_include_directories(tickglass INTERFACE ${CMAKE_SOURCE_DIR}/${room}/include)
  endif()
endforeach()

# With the system's libwebsockets there is nothing to put inside, and an instrumented archive is of
# no use to anybody.
set(TG_STATIC_LIBRARY "")
if(NOT TG_SYSTEM_DEPS AND NOT TG_SANITIZE)
  set(whole ${CMAKE_CURRENT_BINARY_DIR}/tickglass.o)
  set(TG_STATIC_LIBRARY ${CMAKE_CURRENT_BINARY_DIR}/libtickglass.a)
  add_custom_command(OUTPUT ${TG_STATIC_LIBRARY}
    COMMAND ${CMAKE_LINKER} -r -o ${whole} ${objects} ${TG_STACK_DIR}/lib/libwebsockets.a
      ${TG_STACK_DIR}/lib/libmbedtls.a ${TG_STACK_DIR}/lib/libmbedx509.a ${TG_STACK_DIR}/lib/libmbedcrypto.a
    COMMAND ${CMAKE_OBJCOPY} --wildcard "--keep-global-symbol=tg_[!_]*" ${whole}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${TG_STATIC_LIBRARY}
    COMMAND ${CMAKE_AR} rcs ${TG_STATIC_LIBRARY} ${whole}
    DEPENDS ${objects} ${TG_STACK_DIR}/lib/libwebsockets.a
    COMMENT "Linking libtickglass.a, everything but tg_* made local"
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(tickglass_static ALL DEPENDS ${TG_STATIC_LIBRARY})
endif()

# ---- what is installed ---------------------------------------------------------------------------

install(TARGETS tickglass)
if(TG_STATIC_LIBRARY)
  install(FILES ${TG_STATIC_LIBRARY} DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
foreach(room ${TG_LIBRARY_ROOMS})
  if(TARGET tg_${room})
    install(DIRECTORY ${CMAKE_SOURCE_DIR}/${room}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  endif()
endforeach()
foreach(program tickglass-gateway tickglass-terminal tickglass-cat tickglass-log)
  if(TARGET ${program})
    install(TARGETS ${program})
  endif()
endforeach()

file(RELATIVE_PATH TG_PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/tickglass.pc.in tickglass.pc @ONLY)
configure_file(${CMAKE_CURRENT_LIST_DIR}/tickglass-static.pc.in tickglass-static.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tickglass.pc ${CMAKE_CURRENT_BINARY_DIR}/tickglass-static.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

include(CMakePackageConfigHelpers)
set(TG_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/tickglass)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/tickglassConfig.cmake.in tickglassConfig.cmake
  INSTALL_DESTINATION ${TG_PACKAGE_DIR} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(tickglassConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tickglassConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/tickglassConfigVersion.cmake DESTINATION ${TG_PACKAGE_DIR})

install(FILES LICENSE THIRD_PARTY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(NOT TG_SYSTEM_DEPS)
  install(DIRECTORY ${TG_STACK_DIR}/licences/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/licences)
endif()
