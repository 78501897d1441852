// Waves write memory of their own and read that of others, as a plan says: in rows, in rows of 16 bytes a lane, all lanes one place, at
// steps, and anywhere. They access whole dwords and parts of them.
#define ITEMS 256
#define WORDS 256

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void mixed(global const uint2 *plan, uint steps, uint groups, global int4 (*words)[WORDS / 4], global int *out) {
  uint size = __builtin_amdgcn_wavefrontsize(), waves = ITEMS / size * groups;
  uint t = __builtin_amdgcn_workgroup_id_x() * ITEMS + __builtin_amdgcn_workitem_id_x();
  uint wave = t / size, lane = t % size;
  int sum = 0;
  for (uint step = 0; step < steps; step++) {
    uint seed = plan[step].y, far = (wave + 1 + seed % (waves - 1)) % waves;
    global int4 *own4 = words[wave], *other4 = words[far];
    global int *own = (global int *)own4, *other = (global int *)other4;
    global char *own1 = (global char *)own4, *other1 = (global char *)other4;
    uint any = (lane * 2654435761u ^ seed) * 2246822519u >> 24;
    int4 four;
    int2 two;
    switch (plan[step].x) {
    case 0: own[lane + seed % 64] = step; break;
    case 1: own[(lane * 5 + seed) % WORDS] = step; break;
    case 2: own4[lane] = (int4)(step); break;
    case 3: sum += other[lane + seed % 64]; break;
    case 4: sum += other[any]; break;
    case 5: sum += other4[seed % (WORDS / 4)].y; break;
    case 6: four = other4[lane], sum += four.x + four.y + four.z + four.w; break;
    case 7: if ((lane ^ seed) & 1) sum += other[any]; break;
    case 8: if ((lane ^ seed) & 1) own[(lane * 5 + seed) % WORDS] = step; break;
    case 9: sum += other[seed % WORDS]; break;
    case 10: own1[lane + seed % (3 * WORDS)] = step; break;
    case 11: own1[lane * 7 + seed % WORDS] = step; break;
    case 12: sum += other1[lane + seed % (3 * WORDS)]; break;
    case 13: sum += other1[any * 4 + seed % 4]; break;
    case 14: sum += ((global short *)other1)[any * 2 + 1]; break;
    case 15: two = ((global int2 *)other4)[any / 2], sum += two.x + two.y; break;
    case 16: __atomic_fetch_add(&other[any], 1, __ATOMIC_RELAXED); break;
    case 17: sum += __atomic_load_n(&other[any], __ATOMIC_RELAXED); break;
    case 18: __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "workgroup"); break;
    case 19: own[lane * 2 + seed % 64] = step; break;
    case 20: sum += other[lane * 2 + seed % 64]; break;
    case 21: sum += ((volatile global int *)other)[lane + seed % 64]; break;
    case 22: ((volatile global int *)own)[lane * (1 + seed % 3)] = step; break;
    case 23: if (lane % 8 != seed % 8) sum += other[(lane ^ 3) + seed % 64]; break;
    case 24: own1[lane * 3 + seed % WORDS] = step; break;
    case 25: sum += other1[lane * 3 + seed % WORDS]; break;
    case 26: ((global short *)own1)[lane * (1 + seed % 3) + seed % WORDS] = step; break;
    case 27: sum += ((volatile global char *)other1)[lane * (1 + seed % 3)]; break;
    case 28: if (lane % 8 != seed % 8) own1[(lane ^ 3) + seed % WORDS] = step; break;
    case 29: sum += *(constant int *)(ulong)&words[seed % waves][seed % 40]; break;
    case 30: four = *(constant int4 *)(ulong)&words[seed % waves][seed % 8], sum += four.x + four.y + four.z + four.w; break;
    default:
      __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
      __builtin_amdgcn_s_barrier();
      __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    }
    __asm volatile("" ::: "memory");
  }
  out[t] = sum;
}
