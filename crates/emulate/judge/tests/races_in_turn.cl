// Waves write words of their own and read those of others by several instructions in turn, at addresses that a plan says. Each word has the
// address of another one.
#define ITEMS 256
#define BYTES 16384
#define WAIT "s_waitcnt lgkmcnt(0)"

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void in_turn(global const uint4 *plan, uint steps, global uint *out) {
  local uint words[BYTES / 4];
  uint size = __builtin_amdgcn_wavefrontsize(), waves = ITEMS / size, part = BYTES / waves;
  uint t = __builtin_amdgcn_workitem_id_x(), wave = t / size, lane = t % size, sum = 0;
  uint start = (uint)words;
  for (uint at = t; at < BYTES / 4; at += ITEMS)
    words[at] = 0;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  for (uint step = 0; step < steps; step++) {
    uint4 now = plan[step];
    uint far = (wave + 1 + now.y % (waves - 1)) % waves * part;
    uint seeds[2] = {now.z, now.w}, at[2];
    for (uint i = 0; i < 2; i++) {
      uint seed = seeds[i] >> 4, any = (lane * 2654435761u ^ seed) * 2246822519u >> 24, place = 0;
      switch (seeds[i] & 15) {
      case 0: place = 0; break;
      case 1: place = 4 * lane; break;
      case 2: place = lane / 16 * 64; break;
      case 3: place = lane % 16 * 4; break;
      case 4: place = lane / 16 * 8; break;
      case 5: place = 8 * lane; break;
      case 6: place = 16 * lane; break;
      case 7: place = lane == 37 ? 64 : 0; break;
      case 8: place = lane / 32 * 64 + lane % 16 * 4; break;
      case 9: place = lane % 32 / 16 * 128; break;
      default: place = any * 2 & ~3u; break;
      }
      at[i] = start + far + i * part / 2 + place + seed % 16 * 16;
    }
    uint a = at[0], b = at[1];
    local uint *own = words + (wave * part + now.y % 128 * 4) / 4;
    uint2 two, more;
    uint4 four;
    uint one;
    switch (now.x) {
    case 0: own[lane] = start + now.y % 64 * 4; break;
    case 1: own[now.z % 64] = start; break;
    case 2:
      __asm volatile("ds_read2_b32 %0, %2 offset1:1\n ds_read2_b32 %1, %2 offset0:2 offset1:3\n" WAIT
                     : "=&v"(two), "=&v"(more) : "v"(a));
      sum += two.x + two.y + more.x + more.y;
      break;
    case 3:
      __asm volatile("ds_read2_b32 %0, %2 offset0:1 offset1:9\n ds_read2_b32 %1, %3 offset0:3 offset1:19\n ds_read_b32 %4, %2 offset:8\n" WAIT
                     : "=&v"(two), "=&v"(more), "+v"(a), "+v"(b), "=&v"(one));
      sum += two.x + two.y + more.x + more.y + one;
      break;
    case 4:
      __asm volatile("ds_read_b128 %0, %2\n ds_read_b64 %1, %2 offset:16\n ds_read_b32 %3, %2 offset:24\n" WAIT
                     : "=&v"(four), "=&v"(two), "+v"(a), "=&v"(one));
      sum += four.x + four.y + four.z + four.w + two.x + two.y + one;
      break;
    case 5: // The second read takes the address that the first one has loaded.
      __asm volatile("ds_read_b32 %0, %0 offset:4\n ds_read_b32 %1, %0 offset:8\n" WAIT : "+v"(a), "=&v"(one));
      sum += a + one;
      break;
    case 6:
      if ((lane ^ now.y) & 1)
        __asm volatile("ds_read_b32 %0, %2\n ds_read_b32 %1, %2 offset:4\n" WAIT : "=&v"(one), "=&v"(b) : "v"(a));
      sum += one + b;
      break;
    case 7: // Whole and other parts.
      __asm volatile("ds_read_b32 %0, %3\n ds_read_u16 %1, %3 offset:4\n ds_read_b32 %2, %3 offset:6\n" WAIT
                     : "=&v"(one), "=&v"(b), "=&v"(two.x) : "v"(a));
      sum += one + b + two.x;
      break;
    default:
      __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
      __builtin_amdgcn_s_barrier();
      __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    }
  }
  out[t] = sum;
}
