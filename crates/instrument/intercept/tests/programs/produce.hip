// A kernel that emits records as hooks do, with the header that hooks use.
#include <luthier_device.h>

struct record {
  luthier_u64 product;
  luthier_u32 group, lane, round;
};

// Every lane emits one record per round, in odd rounds only the lanes that are a multiple of three do.
extern "C" __attribute__((global)) void produce(luthier::ring *stream, luthier_u32 rounds) {
  for (luthier_u32 round = 0; round < rounds; round++) {
    luthier_u32 lane = __builtin_amdgcn_workitem_id_x();
    luthier_u32 group = __builtin_amdgcn_workgroup_id_x();
    if (round % 2 == 0 || lane % 3 == 0)
      luthier::emit(stream, record{(luthier_u64)group << 32 | lane * round, group, lane, round});
  }
}
