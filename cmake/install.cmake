# The shared library, and everything `cmake --install` puts in place. The install tree can be moved: no file
# in it holds an absolute path of its own.
include(CMakePackageConfigHelpers)

add_library(cairn SHARED ${PROJECT_SOURCE_DIR}/cmake/cairn.map)
add_library(cairn::cairn ALIAS cairn)  # as find_package(cairn) calls it
# cairn_core is all of the library, so every object goes in, called from elsewhere or not. PRIVATE: who links
# libcairn.so neither sees nor needs OpenBLAS or CUDA.
target_link_libraries(cairn PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,cairn_core>)
target_include_directories(cairn INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(cairn INTERFACE cxx_std_20)
target_link_options(cairn PRIVATE
  -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/cairn.map -Wl,--no-undefined -Wl,-Bsymbolic-functions)
cairn_self_contained(cairn)
# Before 1.0 a minor version may break programs that are already linked. With its number in the SONAME
# (libcairn.so.0.2) the loader refuses to start such a program instead of letting it run with the wrong library.
set(soversion ${PROJECT_VERSION_MAJOR})
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(soversion 0.${PROJECT_VERSION_MINOR})
endif()
set_target_properties(cairn PROPERTIES
  LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION}
  SOVERSION ${soversion}
  LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/cairn.map
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
if(CAIRN_SANITIZE)
  # A sanitized shared library leaves the sanitizer's own names to the program that loads it.
  set_target_properties(cairn PROPERTIES EXCLUDE_FROM_ALL ON)
  return()
endif()

# The emulated ladder stands beside the library, which finds it there wherever the two are put; so may what it needs.
set_target_properties(cairn cairn_emu_plain cairn_emu_traced PROPERTIES INSTALL_RPATH "$ORIGIN")
install(TARGETS cairn EXPORT cairn-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS cairn_emu_plain cairn_emu_traced LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/cairn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
# The emulator for kernels of others: its runtime, the headers that stand in for CUDA's, and how to compile for it.
install(TARGETS cairn_kernel_headers cairn_kernel_plain cairn_kernel_traced cairn_emu_runtime cairn_emu_trace
  EXPORT cairn-emulator-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS cairn_emu_own cairn_emu_program cairn_faces_cublas cairn_cpu ARCHIVE
  DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY emu device DESTINATION ${CAIRN_INSTALL_EMULATOR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" REGEX "/shadow/(refused/)?cuda/" PATTERN traced EXCLUDE)
# What the command shows: sources of the rungs, pages, records. Links between them are relative, so they stand here as
# they do in the tree. The folder for documentation has links to them.
set(data_dir ${CMAKE_INSTALL_DATADIR}/cairn)
install(DIRECTORY kernels device DESTINATION ${data_dir} PATTERN CMakeLists.txt EXCLUDE)
install(DIRECTORY docs results DESTINATION ${data_dir})
install(FILES README.md CHANGELOG.md CONTRIBUTING.md LICENSE DESTINATION ${data_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
file(RELATIVE_PATH doc_to_data ${CMAKE_INSTALL_FULL_DOCDIR} ${CMAKE_INSTALL_FULL_DATADIR}/cairn)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/doc_links)
foreach(name README.md CHANGELOG.md docs kernels device results)
  file(CREATE_LINK ${doc_to_data}/${name} ${PROJECT_BINARY_DIR}/doc_links/${name} SYMBOLIC)
  install(FILES ${PROJECT_BINARY_DIR}/doc_links/${name} DESTINATION ${CMAKE_INSTALL_DOCDIR})
endforeach()
if(TARGET cairn_cli)
  file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(cairn_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
  install(TARGETS cairn_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(TARGET cairn_nvcc)
    install(TARGETS cairn_nvcc RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(FILES cmake/cairn-nvcc.cmake DESTINATION ${data_dir})
  endif()
  # lab/share.cpp wrote them.
  install(DIRECTORY ${PROJECT_BINARY_DIR}/share/man/ DESTINATION ${CMAKE_INSTALL_MANDIR})
  foreach(shell bash-completion zsh fish)
    install(DIRECTORY ${PROJECT_BINARY_DIR}/share/${shell} DESTINATION ${CMAKE_INSTALL_DATAROOTDIR})
  endforeach()
endif()

# find_package(cairn), target cairn::cairn.
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cairn)
configure_package_config_file(cmake/cairnConfig.cmake.in ${PROJECT_BINARY_DIR}/cairnConfig.cmake
  INSTALL_DESTINATION ${config_dir} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# Before 1.0 a minor version may change the API.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cairnConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT cairn-targets NAMESPACE cairn:: DESTINATION ${config_dir})
install(EXPORT cairn-emulator-targets NAMESPACE cairn:: DESTINATION ${config_dir})
install(FILES ${PROJECT_BINARY_DIR}/cairnConfig.cmake ${PROJECT_BINARY_DIR}/cairnConfigVersion.cmake
              cmake/emulated.cmake cmake/dynamic_shared.cmake
        DESTINATION ${config_dir})

# pkg-config. The prefix is where the .pc file is found, so the tree may move.
file(RELATIVE_PATH pc_to_prefix
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_to_prefix "${pc_to_prefix}")
configure_file(cmake/cairn.pc.in ${PROJECT_BINARY_DIR}/cairn.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cairn.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
