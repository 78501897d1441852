// Waves write words of their own and read those of others, as a plan says: in rows, in rows of 16 bytes a lane, all lanes one place, and anywhere.
// No wave races with itself but by two writes.
#define ITEMS 256
#define WORDS 256
#define KEEP(place) (*(volatile __typeof__(place) *)&(place))

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void mixed(global const uint2 *plan, uint steps, global int *out) {
  local int4 words[8][WORDS / 4];
  uint size = __builtin_amdgcn_wavefrontsize(), waves = ITEMS / size;
  uint t = __builtin_amdgcn_workitem_id_x(), wave = t / size, lane = t % size;
  int sum = 0;
  for (uint step = 0; step < steps; step++) {
    uint seed = plan[step].y, far = (wave + 1 + seed % (waves - 1)) % waves;
    local int4 *own4 = words[wave], *other4 = words[far];
    local int *own = (local int *)own4, *other = (local int *)other4;
    uint any = (lane * 2654435761u ^ seed) * 2246822519u >> 24;
    switch (plan[step].x) {
    case 0: KEEP(own[lane + seed % 64]) = step; break;
    case 1: KEEP(own[(lane * 5 + seed) % WORDS]) = step; break;
    case 2: KEEP(own4[lane]) = (int4)(step); break;
    case 3: sum += KEEP(other[lane + seed % 64]); break;
    case 4: sum += KEEP(other[any]); break;
    case 5: sum += KEEP(other4[seed % (WORDS / 4)]).y; break;
    case 6: sum += KEEP(other4[lane]).z; break;
    case 7: if ((lane ^ seed) & 1) sum += KEEP(other[any]); break;
    case 8: if ((lane ^ seed) & 1) KEEP(own[(lane * 5 + seed) % WORDS]) = step; break;
    case 9: sum += KEEP(other[seed % WORDS]); break;
    default:
      __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
      __builtin_amdgcn_s_barrier();
      __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    }
  }
  out[t] = sum;
}
