# Run by the build: cmake -DREADELF=… -DOUT=file.cpp -P dynamic_shared.cmake -- object...
#
# `extern __shared__ float tile[];` compiles to a thread_local variable that is declared and nowhere defined. This
# collects those names from the compiled kernels and writes a file that defines them all at one address: the dynamic
# shared memory of the block that runs on the OS thread.

set(objects "")
set(seen OFF)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if(seen)
    list(APPEND objects "${CMAKE_ARGV${i}}")
  elseif("${CMAKE_ARGV${i}}" STREQUAL "--")
    set(seen ON)
  endif()
endforeach()

execute_process(COMMAND ${READELF} -sW ${objects} OUTPUT_VARIABLE table COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "TLS +[A-Z]+ +[A-Z]+ +UND +[^ \n]+" undefined "${table}")
set(names "")
foreach(line IN LISTS undefined)
  string(REGEX REPLACE ".* " "" name "${line}")
  if(NOT name MATCHES "^_ZSt")  # the standard library has some of its own
    list(APPEND names ${name})
  endif()
endforeach()
list(REMOVE_DUPLICATES names)

set(text "// Written by cmake/dynamic_shared.cmake.\n")
if(names)
  # 227 KiB, the most a block can have, aligned as the strictest copy engine wants it.
  string(APPEND text "asm(R\"(\n  .pushsection .tbss,\"awT\",@nobits\n  .balign 1024\n")
  foreach(name IN LISTS names ITEMS cairn_emu_dynamic_block)
    string(APPEND text "  .globl ${name}\n  .hidden ${name}\n  .type ${name}, %tls_object\n"
                       "  .size ${name}, 232448\n${name}:\n")
  endforeach()
  string(APPEND text "  .zero 232448\n  .popsection\n)\");\n"
    "extern \"C\" __attribute__((visibility(\"hidden\"))) __thread unsigned char cairn_emu_dynamic_block[];\n"
    "extern \"C\" void* cairn_emu_dynamic_shared(void) { return cairn_emu_dynamic_block; }\n")
else()
  # Nobody knows it by a name, so it need not burden every OS thread of the process.
  string(APPEND text "#include <memory>\n#include <new>\n"
    "extern \"C\" void* cairn_emu_dynamic_shared(void) {\n"
    "  struct alignas(1024) Block { unsigned char bytes[232448]; };\n"
    "  thread_local const std::unique_ptr<Block> block(new Block);\n"
    "  return block->bytes;\n}\n")
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "${text}" @ONLY)
