# Rungs with a bug put in on purpose, each a mistake found in a published kernel. A mutant is the rung's own text with
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
[[    const bool more = left > t.bk; if (!more) nowA = sA[0], nowB = sB[0];]])

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
