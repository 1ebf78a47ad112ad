# Rungs with a bug put in on purpose, each a mistake found in a published kernel or, of Hopper's, one that its rungs must
# not make. A mutant is the rung's own text with
# one piece of it replaced, so it stays a mutant of the rung as the rung changes; where the piece is gone, or is there
# twice, the build stops and says so (mutate.cmake). rung_mutants_test must see each of them fail.
#
# cairn_mutant(name builds rung old new)
#
# builds   plain, traced or both: the emulators it is compiled for
# old new  as many lines each: reports name the lines of the rung

# The loop ends in a barrier of the warp. A warp that is early copies the next tiles over what a late one still reads.
cairn_mutant(syncwarp both simt/17_warp_tile_vec4
[[    __syncthreads();  // of the block]]
[[    __syncwarp();  // of the block]])

# The last step reads the buffer that was filled second, as if it were written out after a loop over pairs: right for an
# even number of tiles. (The rung fills sA[1] first.)
cairn_mutant(tail_buffer plain simt/19_double_buffer
[[    const bool more = left > t.bk;]]
[[    const bool more = left > t.bk; if (!more) readA = sA[0], readB = sB[0];]])

# Only steps that copy close a group. In the last ones "all groups but the newest" leaves out the one that is needed.
cairn_mutant(short_wait both simt/21_cp_async
[[    if (left > ahead * t.bk) copy(now == 0 ? ahead : now - 1, left - ahead * t.bk);
    async_commit();]]
[[    if (left > ahead * t.bk) copy(now == 0 ? ahead : now - 1, left - ahead * t.bk),
    async_commit();]])

# The copy comes before the barrier that says that all are done with the stage it fills.
cairn_mutant(early_refill both simt/21_cp_async
[[    __syncthreads();
    if (left > ahead * t.bk) copy(now == 0 ? ahead : now - 1, left - ahead * t.bk);
    async_commit();]]
[[    // nothing
    if (left > ahead * t.bk) copy(now == 0 ? ahead : now - 1, left - ahead * t.bk);
    async_commit(), __syncthreads();]])

# The sums of tile 1, whatever the template argument: 8x8 of them, where tile 0 has 8x16.
cairn_mutant(register_tile traced simt/17_warp_tile_vec4
[[  float acc[t.tm][t.tn] = {};]]
[[  float acc[kTiles[1].tm][kTiles[1].tn] = {};]])

# Threads with nothing to store leave, and the others wait for them at the barrier.
cairn_mutant(early_return both simt/06_thread_tile_1d
[[  float acc[t.tm] = {};]]
[[  float acc[t.tm] = {}; if (row >= rows || col >= cols) return;]])

# Every warp of the last block computes a tile, also past the batch's last product.
cairn_mutant(products_beyond traced simt/25_small_products
[[  if (work >= args.work) return;  // uniform over the threads of a tile]]
[[  // nothing]])

# The sums of the last team are not added.
cairn_mutant(products_team_dropped plain simt/25_small_products
[[  for (int team = 0; team < G::teams; ++team,]]
[[  for (int team = 0; team < G::teams - 1; ++team,]])

# A team goes on through the chunks of k that others take too.
cairn_mutant(products_team_twice plain simt/25_small_products
[[k += G::teams * chunk) {]]
[[k += chunk) {]])

# Rows of C are counted by fours where 16 bytes are stored at once.
cairn_mutant(products_edge_row plain simt/25_small_products
[[    store<T, tile, chunk>(g, C, shared, a.inside, b.inside, thread);]]
[[    store<T, tile, chunk>(g, C, shared, a.inside / chunk * chunk, b.inside, thread);]])

# The copies of a k-step come before the barrier that says that all are done with the stage they fill.
cairn_mutant(products_early_refill traced simt/25_small_products
[[    sync();  // the copies of all threads have arrived, and all are done with the stage that is filled next
    fetch(free, step + G::stages - 1);]]
[[    fetch(free, step + G::stages - 1);
    sync();]])

# The sums are written over operands of the last step, which other warps may still read.
cairn_mutant(products_early_sums traced simt/25_small_products
[[  sync();  // all have read the last step]]
[[  // nothing]])

# The last k-step multiplies stage 1, as if it were written out after a loop over pairs: right for an even number of
# k-steps.
cairn_mutant(wmma_tail_stage plain tensor/32_wmma_tf32_stage2
[[    if (left > t.bk) copy(1 - now, left - t.bk);]]
[[    if (left > t.bk) copy(1 - now, left - t.bk); else now = 1;]])

# Only k-steps that copy commit a group, so that the wait of the last ones leaves out the tile that is needed.
cairn_mutant(wmma_short_wait both tensor/33_wmma_tf32_stage3
[[    if (left > ahead * t.bk) copy(now == 0 ? ahead : now - 1, left - ahead * t.bk);
    async_commit();]]
[[    if (left > ahead * t.bk) copy(now == 0 ? ahead : now - 1, left - ahead * t.bk),
    async_commit();]])

# The copy comes before the barrier that says that all are done with the stage it fills.
cairn_mutant(wmma_early_refill both tensor/34_wmma_multistage
[[    __syncthreads();
    if (left > ahead * t.bk) copy(now == 0 ? ahead : now - 1, left - ahead * t.bk);
    async_commit();]]
[[    // nothing
    if (left > ahead * t.bk) copy(now == 0 ? ahead : now - 1, left - ahead * t.bk);
    async_commit(), __syncthreads();]])

# Shared memory is asked for in words where bytes are meant: 14208, few enough to pass any check of bytes.
cairn_mutant(wmma_shared_words traced tensor/33_wmma_tf32_stage3
[[t.shared(), stream, kernel, g);]]
[[t.shared() / 4, stream, kernel, g);]])

# The caller's A is rounded to TF32 where it lies, before it is copied. C is right.
cairn_mutant(wmma_rounds_in_place plain tensor/32_wmma_tf32_stage2
[[  const float* A = g.A + (row0 + ra) * g.lda + ca;]]
[[  const float* A = g.A + (row0 + ra) * g.lda + ca; for (std::int64_t i = tid; i < g.m * g.k; i += threads) const_cast<float*>(g.A)[i / g.k * g.lda + i % g.k] = wmma::__float_to_tf32(g.A[i / g.k * g.lda + i % g.k]);]])

# Two products of three: the factors of A are TF32, those of B are split.
cairn_mutant(split_two_products plain tensor/40_mma_tf32x3
[[    for (int product = 0; product < 3; ++product) {]]
[[    for (int product = 1; product < 3; ++product) {]])

# The three products are summed in one chain of tensor cores, from the first k-step to the last.
cairn_mutant(split_one_chain plain tensor/40_mma_tf32x3
[[      multiply(chain);]]
[[      multiply(acc);]])

# What splitting makes of an infinity goes into C.
cairn_mutant(split_infinities plain tensor/40_mma_tf32x3
[[      if (!finite(out)) {]]
[[      if (false) {]])

# Every step is written where the one before is still being multiplied.
cairn_mutant(small_one_half traced tensor/41_mma_small
[[k += kDepth, now ^= 1) {]]
[[k += kDepth) {]])

# The sums are written over operands of the last step, which other warps may still read.
cairn_mutant(small_early_sums traced tensor/41_mma_small
[[  sync();  // all warps have read the last step]]
[[  // nothing]])

# The products of a batch are counted by blocks, not by teams.
cairn_mutant(small_teams plain tensor/41_mma_small
[[  const unsigned work = blockIdx.x * static_cast<unsigned>(teams) + static_cast<unsigned>(team);]]
[[  const unsigned work = blockIdx.x + static_cast<unsigned>(team);]])

# Four bytes are loaded at once wherever the matrix begins at a multiple of them and its lines have so many.
cairn_mutant(small_odd_lines traced tensor/41_mma_small
[[ && whole(ld) && ]]
[[ && ]])

# The fix-up leaves out the last range of k-steps of a tile.
cairn_mutant(f64_lost_range plain tensor/42_mma_f64
[[  const double* const sums = add_partials(shared, t.bn, g.stream_k, g.partials, t.bm * t.bn, split, at.rows);]]
[[  StreamK some = g.stream_k; some.steps -= some.each; const double* const sums = add_partials(shared, t.bn, some, g.partials, t.bm * t.bn, split, at.rows);]])

# It has one layer, which adds the ranges one after the other. Where sums are exact nothing shows.
cairn_mutant(f64_other_order plain tensor/42_mma_f64
[[      const dim3 block = fixup_block(chosen, t.bm, t.bn * sizeof(double), args.sms);]]
[[      dim3 block = fixup_block(chosen, t.bm, t.bn * sizeof(double), args.sms); block.y = 1;]])

# Of the k of a multiplication A has the last four first, and B the first.
cairn_mutant(f64_k_order plain tensor/42_mma_f64
[[nowA[LoaderA::element(offset_a, i * kM + e % 2 * 8, k + e / 2 * 4)];]]
[[nowA[LoaderA::element(offset_a, i * kM + e % 2 * 8, k + deep - 4 - e / 2 * 4)];]])

# The fragments of B are those of the next k-step.
cairn_mutant(f64_early_b plain tensor/42_mma_f64
[[*const nowB = sB + now * LoaderB::kStage;]]
[[*const nowB = sB + (left == 1 ? now : now == ahead ? 0 : now + 1) * LoaderB::kStage;]])

# Only the warp waits until the tiles are there and the stage that is filled next is read.
cairn_mutant(f64_syncwarp traced tensor/42_mma_f64
[[    __syncthreads();  // the copies of all threads have arrived]]
[[    __syncwarp();  // the copies of all threads have arrived]])

# Rows of A are copied by 16 bytes where they begin in the middle of them.
cairn_mutant(f64_odd_rows plain tensor/42_mma_f64
[[    const bool vector_a = rows_of_16_bytes(g.A, g.lda) && ]]
[[    const bool vector_a = ]])
# A block ends with its first tile: of a range that reaches into a second one the rest is never computed.
cairn_mutant(f32_one_tile plain simt/23_stream_k
[[    block = second_job(args.stream_k, block);]]
[[    block = -1;]])

# How many layers of threads add the partial sums depends on how often the rung ran before, and so does their order.
cairn_mutant(f32_order plain simt/23_stream_k
[[    const dim3 block = fixup_block(stream_k, t.bm, t.bn * sizeof(float), args.sms);]]
[[    static unsigned runs = 0; dim3 block = fixup_block(stream_k, t.bm, t.bn * sizeof(float), args.sms); block.y = 1 + runs++ % 2;]])

# Partial sums are multiplied by alpha, and so is what the fix-up makes of them.
cairn_mutant(f32_alpha_twice plain simt/23_stream_k
[[const float alpha = split ? 1 : g.alpha, beta]]
[[const float alpha = g.alpha, beta]])
# The few rows are copied to shared memory as if the lines of the large matrix began at a multiple of 16 bytes.
cairn_mutant(few_head plain simt/24_few_rows
[[std::int64_t{chunk} * depth - head]]
[[std::int64_t{chunk} * depth]])

# Blocks are counted by the columns, and not from the multiple of 16 bytes on where the first of them begins.
cairn_mutant(few_edge plain simt/24_few_rows
[[ceil_div(view.many + (view.k_major ? 0 : all.head), t.across]]
[[ceil_div(view.many, t.across]])

# A slice of k goes on into the first step of the next one, which is counted twice.
cairn_mutant(few_border plain simt/24_few_rows
[[(steps * (slice + 1) / g.slices);]]
[[(min(steps, steps * (slice + 1) / g.slices + 1));]])

# The partial sums of the last slice are left out.
cairn_mutant(few_last_slice plain simt/24_few_rows
[[slice < g.slices; slice +=]]
[[slice + 1 < g.slices; slice +=]])

# The next part of the few rows is copied while warps still read the one before.
cairn_mutant(few_early_part traced simt/24_few_rows
[[    if (chunk > begin) __syncthreads();  // all are done with the part before]]
[[    // nothing]])

# The Hopper rungs: mistakes that are easily made with mbarriers, TMA and clusters.

# The proxy fence between the copies of threads and the wgmma that read them is missing.
cairn_mutant(hopper_no_fence traced hopper/51_wgmma
[[    fence_proxy_async();]]
[[    // nothing]])

# Half of the bytes are expected, as if elements were counted.
cairn_mutant(hopper_few_bytes plain hopper/52_tma
[[      mbarrier_arrive_expect_tx(full, bytes);]]
[[      mbarrier_arrive_expect_tx(full, bytes / 2);]])

# The producer does not wait until a stage is empty.
cairn_mutant(hopper_early_refill plain hopper/53_warp_specialized
[[      mbarrier_wait(empty + stage, phase ^ 1);  // the first pass over the ring does not wait]]
[[      // nothing]])

# The consumer waits for the producer's parity: in the first pass over the ring its wait returns at once.
cairn_mutant(hopper_parity both hopper/53_warp_specialized
[[    mbarrier_wait(full + stage, phase);]]
[[    mbarrier_wait(full + stage, phase ^ 1);]])

# Neither role waits for the other block before it exits: from the second on, cluster_sync() does nothing.
cairn_mutant(hopper_early_exit plain hopper/56_multicast
[[  cluster_sync();
  const int rank]]
[[  cluster_sync(); const auto cluster_sync = [] {};
  const int rank]])

# The proxy fence between stmatrix and the TMA store of a staging box is missing.
cairn_mutant(hopper_store_no_fence traced hopper/57_tma_store
[[    fence_proxy_async();]]
[[    // nothing]])

# A staging box is written again while a TMA store may still read it.
cairn_mutant(hopper_slab_in_use both hopper/57_tma_store
[[    if (issuer) tma_wait_read<boxes - 1>();]]
[[    // nothing]])

# TMA stores all columns, also where a row of C ends within the last 16-byte chunk that it writes.
cairn_mutant(hopper_last_piece plain hopper/57_tma_store
[[tma_store, g.n % 8 == 0, static_cast]]
[[tma_store, true, static_cast]])

# A warpgroup arrives at its order barrier and does not wait there.
cairn_mutant(hopper_no_turn plain hopper/58_pingpong
[[    if (next != first) bar_sync(kOrderBarrier + barrier, 256);]]
[[    if (next != first) bar_arrive(kOrderBarrier + barrier, 256);]])

# The partial sums of a block's second split tile overwrite those of its first.
cairn_mutant(hopper_same_slot plain hopper/59_summit
[[std::int64_t{work.slot} * g.down]]
[[std::int64_t{work.slot / 2 * 2} * g.down]])

# Every tile of C passes through the stages, also those that are filled for the next one.
cairn_mutant(hopper_stage_in_use both hopper/59_summit
[[if (G::t.team == Team::rows && !more) here]]
[[if (G::t.team == Team::rows) here]])

# A stage is released to the blocks that load B into it, and not to the one that loads a half of A.
cairn_mutant(hopper_no_row traced hopper/59_summit
[[  const int fillers = g.down + g.across - 1;]]
[[  const int fillers = g.down;]])

# The blocks of a cluster add the partial sums of a tile before all of them are stored.
cairn_mutant(hopper_early_sum both hopper/59_summit
[[  if (together > 1) cluster_sync();
  if (!grouped && g.k_blocks > 1)
    add_in_cluster<In, G::bm, G::bn, finishing>(g, block, rank, static_cast<int>(threadIdx.x) - 128, 256);]]
[[  if (!grouped && g.k_blocks > 1)
    add_in_cluster<In, G::bm, G::bn, finishing>(g, block, rank, static_cast<int>(threadIdx.x) - 128, 256);
  if (together > 1) cluster_sync();]])

# Threads fetch a k-step, and the products read it through the async proxy.
cairn_mutant(hopper_fetched_no_fence traced hopper/59_summit
[[          fence_proxy_async();
          __syncwarp();]]
[[          // nothing
          __syncwarp();]])

# A warp says that its k-step is there when its first lane has stored its part.
cairn_mutant(hopper_fetched_early traced hopper/59_summit
[[          fence_proxy_async();
          __syncwarp();
          if (threadIdx.x % 32 == 0) mbarrier_arrive(full + stage);]]
[[          fence_proxy_async();
          if (threadIdx.x % 32 == 0) mbarrier_arrive(full + stage);
          __syncwarp();]])

# FP32 from planes of F16 and BF16: what is wrong is in kernels/hopper/parts/split_*.hpp.

# The second plane is zeros, of A and of B.
cairn_mutant(planes_no_lo plain hopper/61_f16x3
[[      planes[1][e] = pack<__half>(lo[0], lo[1]);]]
[[      planes[1][e] = 0;]])

# hi lo is counted twice, and lo hi left out.
cairn_mutant(planes_one_product plain hopper/61_f16x3
[[a = p % 2 * lo, b = lo - a;]]
[[a = 0, b = lo;]])

# Of bf16 the third product, p1 p1, is p0 p0 once more, which it is smaller than by 2^16.
cairn_mutant(planes_no_middle plain hopper/60_bf16x6
[[planes_b[] = {0, 2, 1, 0, 1, 0};]]
[[planes_b[] = {0, 2, 1, 0, 2, 0};]])

# hi hi is summed in one chain of tensor cores, from the first k-step to the last.
cairn_mutant(planes_one_chain plain hopper/61_f16x3
[[        wgmma<__half, n>(chain, pair.a[s].at(p * 32), pair.b[s].at(p * 32), add);]]
[[        wgmma<__half, n>(acc, pair.a[s].at(p * 32), pair.b[s].at(p * 32), true); if (!add) for (float& x : chain) x = 0;]])

# Rows are scaled by twice what C is divided by.
cairn_mutant(planes_scale plain hopper/61_f16x3
[[kBf16Planes.exponent) - range.exponent()),]]
[[kBf16Planes.exponent) + 1 - range.exponent()),]])

# Rows are scaled to where the largest f16 are, and what is rounded up there is an infinity.
cairn_mutant(planes_top plain hopper/61_f16x3
[[kF16Planes{2, 32, 64, 14, 28},]]
[[kF16Planes{2, 32, 64, 15, 28},]])

# A row with an infinity is like any other, and what splitting makes of it goes into C: lo of it is a NaN.
cairn_mutant(planes_infinities plain hopper/61_f16x3
[[    const bool finite = largest < 0x7f800000u;]]
[[    const bool finite = true;]])

# No row is too wide for planes of f16.
cairn_mutant(planes_never_wild plain hopper/61_f16x3
[[apart > kF16Planes.binades ?]]
[[apart > 1000 ?]])

# C is written for wild rows too, by the products and by the repair, so that what it held is multiplied by beta twice.
cairn_mutant(planes_not_skipped plain hopper/61_f16x3
[[    return wild && (a[row].wild(f16) || b[col].wild(f16));]]
[[    return false;]])

# Where rows are to be invariant, the data of all of them still decide what planes one has.
cairn_mutant(planes_of_all_rows plain hopper/61_f16x3
[[return f16 && p.invariant == Invariant::none; }]]
[[return f16 && p.m > 0; }]])

# Planes of f16 whatever the data. C is right, but most of it may be computed by the repair.
cairn_mutant(planes_always_f16 traced hopper/61_f16x3
[[  const bool f16 = may_f16 && shared[0] <= kMostWild;]]
[[  const bool f16 = may_f16;]])
