# Writes one mutant: cmake -DROOT=<the tree> -DNAME=syncwarp -DOUT=file.cu -P mutate.cmake
cmake_minimum_required(VERSION 3.25)

function(cairn_mutant name builds rung old new)
  if(NOT name STREQUAL NAME)
    return()
  endif()
  set(file ${ROOT}/kernels/${rung}.cu)
  file(READ ${file} text)
  string(REGEX REPLACE "_.*" "" space ${rung})
  string(REPLACE "/" "_" space ${space})

  # The kernel of a rung that compiles it in several files, with instances of its own.
  set(kernel ${ROOT}/kernels/${rung}/kernel.hpp)
  if(EXISTS ${kernel})
    file(READ ${kernel} inlined)
    string(REPLACE "#pragma once\n" "" inlined "${inlined}")
    string(REPLACE "namespace cairn::${space} {" "namespace cairn::mutant_${name} { using namespace ${space};" inlined
                   "${inlined}")
    replace("#include \"kernels/${rung}/kernel.hpp\"" "@kernel@")
    string(REGEX REPLACE "extern template [^;]*;" "" text "${text}")
  endif()

  # Its namespace and its id, so that it can stand beside other mutants of the same rung.
  replace("namespace cairn::${space} {" "namespace cairn::mutant_${name} {")
  replace("}  // namespace cairn::${space}" "}  // namespace cairn::mutant_${name}")
  replace(".id = \"${rung}\"" ".id = \"mutant/${name}\"")
  if(EXISTS ${kernel})
    string(REPLACE "@kernel@" "${inlined}" text "${text}")
  endif()
  replace("${old}" "${new}")
  # What a rung keeps in a folder of its own stays in the rung's namespace.
  if(IS_DIRECTORY ${ROOT}/kernels/${rung})
    replace("namespace cairn::mutant_${name} {\n" "namespace cairn::mutant_${name} { using namespace ${space};\n")
  endif()
  set(before "")
  if(text MATCHES "with_majors\\(")
    set(before "#include \"tests/kernels/rung_mutants/narrow.hpp\"\n")
    string(REPLACE "with_majors(" "with_nn(" text "${text}")
    string(REPLACE "with_tile<kTiles>(" "with_first_tile(" text "${text}")
    string(REGEX REPLACE "launch_typed<(Tf32|__nv_bfloat16)>\\(args, tile, stream\\)" "not_compiled()" text "${text}")
  endif()
  # Of 25's kernels those of f32 and nn.
  if(rung STREQUAL "simt/25_small_products")
    string(REPLACE "launch_typed<double>" "launch_typed<float>" text "${text}")
    string(REGEX REPLACE "_products<T, i, (true|false), (true|false)>" "_products<T, i, true, false>" text "${text}")
  endif()
  # Of the kernels for few rows those of f32.
  string(REGEX REPLACE "return args.problem.in == Type::f64 [?] launch_typed<double>.args, tile, stream.[ \n]*: " "return "
                       text "${text}")
  # Of the summit's kernels those of the first tile and the first fetched one, in f16; or of 64 x 64, which the blocks of
  # a cluster share, or whose operands they do.
  set(tile 0)
  if(name MATCHES "hopper_(early_sum|no_row)")
    set(tile 6)
  endif()
  string(REGEX REPLACE "using LoadedTiles = [^;]*;" "using LoadedTiles = std::integer_sequence<int, ${tile}>;" text
                       "${text}")
  string(REGEX REPLACE "using EpilogueTiles = [^;]*;" "using EpilogueTiles = std::integer_sequence<int, ${tile}>;" text
                       "${text}")
  string(REGEX REPLACE "using TilesOfGroups = [^;]*;" "using TilesOfGroups = std::integer_sequence<int, ${tile}>;" text
                       "${text}")
  string(REGEX REPLACE "using Tiles = [^;]*;" "using Tiles = std::integer_sequence<int, 0, kLoadedTiles>;" text "${text}")
  string(REGEX REPLACE "kernel_of<(Tf32|__nv_bfloat16|E4m3)[^(]*[(][^)]*[)]" "Kernel{}" text "${text}")
  file(WRITE ${OUT} "${before}#line 1 \"${file}\"\n${text}")
endfunction()

# In `text`, where `from` must be there once and `to` must be as many lines.
function(replace from to)
  string(FIND "${text}" "${from}" first)
  string(FIND "${text}" "${from}" last REVERSE)
  if(first EQUAL -1)
    message(FATAL_ERROR "mutant ${name}: kernels/${rung}.cu does not have the text to replace any more:\n  ${from}")
  elseif(NOT first EQUAL last)
    message(FATAL_ERROR "mutant ${name}: kernels/${rung}.cu has the text to replace more than once:\n  ${from}")
  endif()
  string(REGEX MATCHALL "\n" lines_from "${from}")
  string(REGEX MATCHALL "\n" lines_to "${to}")
  if(NOT lines_from STREQUAL lines_to)
    message(FATAL_ERROR "mutant ${name}: the old text and the new one must be as many lines:\n  ${to}")
  endif()
  string(REPLACE "${from}" "${to}" text "${text}")
  set(text "${text}" PARENT_SCOPE)
endfunction()

file(REMOVE ${OUT})
include(${CMAKE_CURRENT_LIST_DIR}/mutants.cmake)
if(NOT EXISTS ${OUT})
  message(FATAL_ERROR "mutants.cmake has no ${NAME}")
endif()
