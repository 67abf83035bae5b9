# Third-party code. Each dependency is one interface target, tg_dep_<name>.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

add_library(tg_dep_cmocka INTERFACE)
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
target_link_libraries(tg_dep_cmocka INTERFACE PkgConfig::CMOCKA)
