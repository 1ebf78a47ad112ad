# The Python that the package is built for: the one that was named (-D Python_EXECUTABLE=…), else the first of python3
# on the PATH and build/venv (scripts/setup.sh python) that has nanobind. Sets CAIRN_HAVE_PYTHON, and CAIRN_TORCH_DIR if
# that Python has a PyTorch whose stable ABI is enough.

set(CAIRN_HAVE_PYTHON OFF)
set(CAIRN_TORCH_DIR "")
if(CAIRN_PYTHON STREQUAL "OFF")
  list(APPEND CAIRN_SUMMARY "Python no")
  return()
endif()

set(candidates ${Python_EXECUTABLE})
if(NOT candidates)
  find_program(CAIRN_PYTHON3 python3)
  file(REAL_PATH ${CMAKE_CURRENT_LIST_DIR}/../build/venv/bin venv)
  set(candidates ${CAIRN_PYTHON3} ${venv}/python)
endif()
foreach(candidate IN LISTS candidates)
  execute_process(COMMAND ${candidate} -c "import nanobind; print(nanobind.cmake_dir())"
    OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
  if(failed EQUAL 0)
    set(Python_EXECUTABLE ${candidate})
    find_package(Python 3.10 QUIET COMPONENTS Interpreter Development.Module)
    if(Python_FOUND AND Python_VERSION VERSION_GREATER_EQUAL 3.12 AND NOT TARGET Python::SABIModule)
      # CMake has this component since 3.26. The headers are the same, and on Linux a module links none of Python's
      # libraries.
      add_library(Python::SABIModule INTERFACE IMPORTED)
      target_link_libraries(Python::SABIModule INTERFACE Python::Module)
    endif()
    if(Python_FOUND)
      # No version here: nanobind 3 says that it is no 2.10, but works as it does.
      find_package(nanobind QUIET CONFIG PATHS ${folder} NO_DEFAULT_PATH)
    endif()
    break()
  endif()
endforeach()

if(NOT nanobind_FOUND OR nanobind_VERSION VERSION_LESS 2.10)
  set(needs "Python 3.10 or newer with its headers (python3-dev), and nanobind 2.10 or newer (scripts/setup.sh python)")
  if(CAIRN_PYTHON STREQUAL "ON")
    message(FATAL_ERROR "CAIRN_PYTHON=ON needs ${needs}")
  endif()
  message(STATUS "The Python package is left out: it needs ${needs}")
  list(APPEND CAIRN_SUMMARY "Python no")
  return()
endif()
set(CAIRN_HAVE_PYTHON ON)
list(APPEND CAIRN_SUMMARY "Python ${Python_VERSION_MAJOR}.${Python_VERSION_MINOR} yes")

# PyTorch's folder is asked for without importing it: that takes seconds, and what it loads need not be here.
execute_process(
  COMMAND ${Python_EXECUTABLE} -c "import importlib.util, os; s = importlib.util.find_spec('torch'); \
print(os.path.dirname(s.origin) if s else '')"
  OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
set(version "")
if(folder AND EXISTS ${folder}/include/torch/csrc/stable/library.h AND EXISTS ${folder}/version.py)
  file(STRINGS ${folder}/version.py version REGEX "^__version__ = '[0-9.]+")
  string(REGEX MATCH "[0-9]+\\.[0-9]+" version "${version}")
endif()
if(version VERSION_GREATER_EQUAL 2.10)
  set(CAIRN_TORCH_DIR ${folder})
  list(APPEND CAIRN_SUMMARY "PyTorch ${version} yes")
else()
  message(STATUS "PyTorch 2.10 or newer not found: its operators will be the slower ones, written in Python")
  list(APPEND CAIRN_SUMMARY "PyTorch no")
endif()
