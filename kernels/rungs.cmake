# The rungs, by file: what nvcc compiles for GPUs and the host's compiler for the emulator. Their order in tables is
# that of ladder.cpp.
set(CAIRN_RUNGS
  kernels/probe/copy.cu
  kernels/probe/fma_peak.cu

  kernels/transpose/1_write_coalesced.cu
  kernels/transpose/2_read_coalesced.cu
  kernels/transpose/3_shared_tile.cu
  kernels/transpose/4_padded_tile.cu

  kernels/simt/01_naive.cu
  kernels/simt/02_coalesced.cu
  kernels/simt/03_coalesced_1d.cu
  kernels/simt/04_block_tile.cu
)
list(TRANSFORM CAIRN_RUNGS PREPEND ${PROJECT_SOURCE_DIR}/)
