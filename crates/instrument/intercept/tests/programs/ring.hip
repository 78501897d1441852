// The host's end of `luthier::ring`, by its documentation: every record that was not dropped arrives whole and once, while the
// kernel runs. Arguments: code object, capacity, and anything for a host that looks only when the kernel has ended.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                        \
  do {                                                                     \
    hipError_t error = call;                                               \
    if (error != hipSuccess) {                                             \
      printf("%s:%d: %s\n", __FILE__, __LINE__, hipGetErrorString(error)); \
      exit(99);                                                            \
    }                                                                      \
  } while (0)

struct ring {
  unsigned long long taken, reserved, dropped, capacity;
  char *slots;
  unsigned long long *consumed;
  unsigned long long in_vain;
};
// Not packed records: the device stores words.
struct __attribute__((packed, aligned(4))) slot {
  unsigned sequence;
  unsigned long long product;
  unsigned group, lane, round, padding;
};

enum { GROUPS = 40, LANES = 96, ROUNDS = 20 };

int main(int count, char **words) {
  unsigned long long capacity = strtoull(words[2], nullptr, 10);
  ring first = {0, 0, 0, capacity}, *control;
  CHECK(hipHostMalloc((void **)&first.slots, capacity * sizeof(slot), hipHostMallocCoherent));
  CHECK(hipHostMalloc((void **)&first.consumed, 8, hipHostMallocCoherent));
  memset(first.slots, 0, capacity * sizeof(slot));
  *first.consumed = 0;
  CHECK(hipMalloc(&control, sizeof(ring)));
  CHECK(hipMemcpy(control, &first, sizeof first, hipMemcpyHostToDevice));
  hipModule_t module;
  hipFunction_t function;
  CHECK(hipModuleLoad(&module, words[1]));
  CHECK(hipModuleGetFunction(&function, module, "produce"));
  struct {
    ring *control;
    unsigned rounds;
  } arguments = {control, ROUNDS};
  size_t size = sizeof arguments;
  void *config[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &arguments, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
  hipStream_t stream;
  hipEvent_t end;
  CHECK(hipStreamCreate(&stream));
  CHECK(hipEventCreate(&end));
  CHECK(hipModuleLaunchKernel(function, GROUPS, 1, 1, LANES, 1, 1, 0, stream, nullptr, config));
  CHECK(hipEventRecord(end, stream));

  if (count > 3)
    CHECK(hipEventSynchronize(end));
  std::vector<unsigned> seen(GROUPS * LANES * ROUNDS);
  unsigned long long consumed = 0, early = 0;
  bool ended = false;
  for (;;) {
    const volatile slot *next = (slot *)first.slots + consumed % capacity;
    if (__atomic_load_n(&next->sequence, __ATOMIC_ACQUIRE) == (unsigned)(consumed + 1)) {
      unsigned group = next->group, lane = next->lane, round = next->round;
      if (group >= GROUPS || lane >= LANES || round >= ROUNDS || next->product != ((unsigned long long)group << 32 | lane * round)) {
        printf("record %llu is not whole: %u %u %u\n", consumed, group, lane, round);
        return 1;
      }
      seen[(group * LANES + lane) * ROUNDS + round]++;
      early += !ended;
      __atomic_store_n(first.consumed, ++consumed, __ATOMIC_RELEASE);
    } else if (ended) {
      break;
    } else {
      // Once more around after the end: the last records may have come in between.
      ended = hipEventQuery(end) == hipSuccess;
    }
  }
  CHECK(hipDeviceSynchronize());
  ring last;
  CHECK(hipMemcpy(&last, control, sizeof last, hipMemcpyDeviceToHost));
  unsigned long long expected = 0, wrong = 0;
  for (unsigned index = 0; index < seen.size(); index++) {
    unsigned round = index % ROUNDS, lane = index / ROUNDS % LANES;
    bool emitted = round % 2 == 0 || lane % 3 == 0;
    expected += emitted;
    wrong += seen[index] > emitted;
  }
  if (wrong || last.reserved != consumed || last.taken != last.reserved || consumed + last.dropped != expected) {
    printf("wrong %llu, consumed %llu, reserved %llu, taken %llu, dropped %llu, expected %llu\n", wrong, consumed, last.reserved,
           last.taken, last.dropped, expected);
    return 1;
  }
  printf("%s, %s\n", last.dropped ? "some dropped" : "none dropped", early > capacity ? "more than a ring full" : "");
  return 0;
}
