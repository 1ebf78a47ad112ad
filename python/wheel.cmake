# What goes into the wheel, the component cairn_python, with the package's folder as prefix:
#
#   _native…so, _torch_ops.so      they find lib/ by $ORIGIN
#   lib/                           libcairn and what it and the command load, which find each other by $ORIGIN
#   bin/cairn, share/cairn         the command, and the sources, pages and records that it shows
#
# A wheel has no symbolic links (they become copies), so each library is one file, under the name that is loaded.

set(component cairn_python)  # an ordinary installation is without it

# {fmt} and Boost.Context travel along, each under the name that is loaded; cmake/install.cmake has what is needed found
# beside what needs it. Called last: it looks at what was installed.
function(cairn_bundle)
  install(CODE [[
    set(programs "")
    if(EXISTS ${CMAKE_INSTALL_PREFIX}/bin/cairn)
      set(programs ${CMAKE_INSTALL_PREFIX}/bin/cairn)
    endif()
    file(GLOB libraries ${CMAKE_INSTALL_PREFIX}/lib/libcairn*)
    file(GET_RUNTIME_DEPENDENCIES LIBRARIES ${libraries} EXECUTABLES ${programs}
      RESOLVED_DEPENDENCIES_VAR needed UNRESOLVED_DEPENDENCIES_VAR missing
      PRE_INCLUDE_REGEXES "^lib(fmt|boost_context|cairn)" PRE_EXCLUDE_REGEXES ".*")
    foreach(file IN LISTS needed)
      cmake_path(GET file FILENAME name)
      if(NOT EXISTS ${CMAKE_INSTALL_PREFIX}/lib/${name})
        message(STATUS "Bundling: ${file}")
        file(COPY_FILE ${file} ${CMAKE_INSTALL_PREFIX}/lib/${name})
      endif()
    endforeach()
  ]] COMPONENT cairn_python EXCLUDE_FROM_ALL)
endfunction()

install(TARGETS cairn_native LIBRARY DESTINATION . COMPONENT ${component} EXCLUDE_FROM_ALL)
add_custom_target(cairn_wheel DEPENDS cairn_native)
if(TARGET _torch_ops)
  install(TARGETS _torch_ops LIBRARY DESTINATION . COMPONENT ${component} EXCLUDE_FROM_ALL)
  add_dependencies(cairn_wheel _torch_ops)
endif()

if(CAIRN_PREBUILT)
  # As they were installed. What is found under two names is installed once.
  file(GLOB libraries ${CAIRN_PREBUILT}/lib/libcairn*.so)
  foreach(library IN LISTS libraries)
    file(REAL_PATH ${library} file)
    execute_process(COMMAND ${CMAKE_READELF} -d ${file} OUTPUT_VARIABLE dynamic)
    cmake_path(GET library FILENAME name)
    if(dynamic MATCHES "SONAME[^[]*\\[([^]]*)\\]")
      set(name ${CMAKE_MATCH_1})
    endif()
    install(FILES ${file} DESTINATION lib RENAME ${name} COMPONENT ${component} EXCLUDE_FROM_ALL)
  endforeach()
  install(PROGRAMS ${CAIRN_PREBUILT}/bin/cairn DESTINATION bin COMPONENT ${component} EXCLUDE_FROM_ALL OPTIONAL)
  install(DIRECTORY ${CAIRN_PREBUILT}/share/cairn DESTINATION share COMPONENT ${component} EXCLUDE_FROM_ALL)
  cairn_bundle()
  return()
endif()

if(SKBUILD)
  # The file is named as the loader looks for it.
  get_target_property(name cairn SOVERSION)
  set_target_properties(cairn PROPERTIES VERSION ${name})
endif()
get_property(loaded GLOBAL PROPERTY CAIRN_LOADED_KERNELS)
foreach(target IN ITEMS cairn cairn_emu_plain cairn_emu_traced ${loaded})
  if(TARGET ${target})
    install(TARGETS ${target} LIBRARY DESTINATION lib NAMELINK_SKIP COMPONENT ${component} EXCLUDE_FROM_ALL)
    add_dependencies(cairn_wheel ${target})
  endif()
endforeach()
if(TARGET cairn_cli)
  install(TARGETS cairn_cli RUNTIME DESTINATION bin COMPONENT ${component} EXCLUDE_FROM_ALL)
  add_dependencies(cairn_wheel cairn_cli)
endif()
install(DIRECTORY ${root}/kernels ${root}/device ${root}/docs ${root}/results DESTINATION share/cairn
  COMPONENT ${component} EXCLUDE_FROM_ALL PATTERN CMakeLists.txt EXCLUDE)
install(FILES ${root}/README.md ${root}/CHANGELOG.md ${root}/CONTRIBUTING.md ${root}/LICENSE DESTINATION share/cairn
  COMPONENT ${component} EXCLUDE_FROM_ALL)
cairn_bundle()
