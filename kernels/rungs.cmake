# The files of the rungs, which nvcc compiles for GPUs and the host's compiler for the emulator. Their order in tables
# is that of ladder.cpp.
set(CAIRN_RUNGS
  kernels/probe/copy.cu
  kernels/probe/fma_peak.cu
  kernels/probe/mma_peak.cu
  kernels/probe/wgmma_peak.cu

  kernels/transpose/1_write_coalesced.cu
  kernels/transpose/2_read_coalesced.cu
  kernels/transpose/3_shared_tile.cu
  kernels/transpose/4_padded_tile.cu

  kernels/simt/01_naive.cu
  kernels/simt/02_coalesced.cu
  kernels/simt/03_coalesced_1d.cu
  kernels/simt/04_block_tile.cu
  kernels/simt/05_block_tile_vec4.cu
  kernels/simt/06_thread_tile_1d.cu
  kernels/simt/07_thread_tile_1d_vec4.cu
  kernels/simt/08_thread_tile_2d.cu
  kernels/simt/09_register_tile.cu
  kernels/simt/10_vector_copy.cu
  kernels/simt/11_a_transposed.cu
  kernels/simt/12_a_transposed_vec4.cu
  kernels/simt/13_bank_linear.cu
  kernels/simt/14_bank_pad.cu
  kernels/simt/15_bank_split.cu
  kernels/simt/16_warp_tile.cu
  kernels/simt/17_warp_tile_vec4.cu
  kernels/simt/18_autotuned.cu
  kernels/simt/19_double_buffer.cu
  kernels/simt/20_double_buffer_k16.cu
  kernels/simt/21_cp_async.cu
  kernels/simt/22_pipelined.cu
  kernels/simt/23_stream_k.cu
  kernels/simt/24_few_rows.cu
  kernels/simt/25_small_products.cu

  kernels/tensor/31_wmma_split_k.cu
  kernels/tensor/32_wmma_tf32_stage2.cu
  kernels/tensor/33_wmma_tf32_stage3.cu
  kernels/tensor/34_wmma_multistage.cu
  kernels/tensor/35_mma_ldmatrix.cu
  kernels/tensor/36_mma_swizzle.cu
  kernels/tensor/37_mma_register_pipeline.cu
  kernels/tensor/38_mma_block_order.cu
  kernels/tensor/39_mma_stream_k.cu
  kernels/tensor/40_mma_tf32x3.cu
  kernels/tensor/41_mma_small.cu
  kernels/tensor/42_mma_f64.cu

  kernels/hopper/51_wgmma.cu
  kernels/hopper/52_tma.cu
  kernels/hopper/53_warp_specialized.cu
  kernels/hopper/54_wide_tile.cu
  kernels/hopper/55_persistent.cu
  kernels/hopper/56_multicast.cu
  kernels/hopper/57_tma_store.cu
  kernels/hopper/58_pingpong.cu
  kernels/hopper/59_summit.cu
  kernels/hopper/59_summit/bf16.cu
  kernels/hopper/59_summit/f16.cu
  kernels/hopper/59_summit/tf32.cu
  kernels/hopper/59_summit/e4m3.cu
  kernels/hopper/59_summit/e4m3_promoted.cu
  kernels/hopper/59_summit/bf16_finishing.cu
  kernels/hopper/59_summit/f16_finishing.cu
  kernels/hopper/59_summit/tf32_finishing.cu
  kernels/hopper/59_summit/e4m3_finishing.cu
  kernels/hopper/59_summit/e4m3_promoted_finishing.cu
  kernels/hopper/59_summit/f16_grouped.cu
  kernels/hopper/59_summit/bf16_grouped.cu
  kernels/hopper/59_summit/tf32_grouped.cu
  kernels/hopper/59_summit/e4m3_grouped.cu
  kernels/hopper/59_summit/e4m3_promoted_grouped.cu
)
list(TRANSFORM CAIRN_RUNGS PREPEND ${PROJECT_SOURCE_DIR}/)
