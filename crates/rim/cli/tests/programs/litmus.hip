// Litmus tests of the memory model at three scopes: outcomes that it forbids are counted, and any is a failure.
#include <hip/hip_runtime.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

constexpr int ROLES = 4;
// Distance between locations of one test, so that they lie in different cache lines.
constexpr int APART = 32;

struct Room {
  int *x, *y;
  // The values that the roles have seen.
  int *seen;
  int *arrived;
  int rounds;
};

enum Test { MESSAGE, STORES, LOADS, COHERENCE, INDEPENDENT, TESTS };
const char *NAMES[] = {"message passing", "store buffering", "load buffering", "coherence of reads", "independent reads"};

template <int SCOPE> __device__ void store(int *at, int order) {
  if (order == __ATOMIC_RELAXED)
    __hip_atomic_store(at, 1, __ATOMIC_RELAXED, SCOPE);
  else if (order == __ATOMIC_RELEASE)
    __hip_atomic_store(at, 1, __ATOMIC_RELEASE, SCOPE);
  else
    __hip_atomic_store(at, 1, __ATOMIC_SEQ_CST, SCOPE);
}

template <int SCOPE> __device__ int load(int *at, int order) {
  if (order == __ATOMIC_RELAXED)
    return __hip_atomic_load(at, __ATOMIC_RELAXED, SCOPE);
  if (order == __ATOMIC_ACQUIRE)
    return __hip_atomic_load(at, __ATOMIC_ACQUIRE, SCOPE);
  return __hip_atomic_load(at, __ATOMIC_SEQ_CST, SCOPE);
}

struct Host {
  static void store(int *at, int order) { __atomic_store_n(at, 1, order); }
  static int load(int *at, int order) { return __atomic_load_n(at, order); }
};

template <int SCOPE> struct Device {
  __device__ static void store(int *at, int order) { ::store<SCOPE>(at, order); }
  __device__ static int load(int *at, int order) { return ::load<SCOPE>(at, order); }
};

// One role's part in one round.
template <class Memory> __host__ __device__ void act(int test, int role, int *x, int *y, int *a, int *b) {
  switch (test * ROLES + role) {
  case MESSAGE *ROLES + 0:
    Memory::store(x, __ATOMIC_RELAXED);
    Memory::store(y, __ATOMIC_RELEASE);
    break;
  case MESSAGE *ROLES + 1:
    *a = Memory::load(y, __ATOMIC_ACQUIRE);
    *b = Memory::load(x, __ATOMIC_RELAXED);
    break;
  case STORES *ROLES + 0:
    Memory::store(x, __ATOMIC_SEQ_CST);
    *a = Memory::load(y, __ATOMIC_SEQ_CST);
    break;
  case STORES *ROLES + 1:
    Memory::store(y, __ATOMIC_SEQ_CST);
    *a = Memory::load(x, __ATOMIC_SEQ_CST);
    break;
  case LOADS *ROLES + 0:
    *a = Memory::load(x, __ATOMIC_ACQUIRE);
    Memory::store(y, __ATOMIC_RELEASE);
    break;
  case LOADS *ROLES + 1:
    *a = Memory::load(y, __ATOMIC_ACQUIRE);
    Memory::store(x, __ATOMIC_RELEASE);
    break;
  case COHERENCE *ROLES + 0: Memory::store(x, __ATOMIC_RELAXED); break;
  case COHERENCE *ROLES + 1:
    *a = Memory::load(x, __ATOMIC_RELAXED);
    *b = Memory::load(x, __ATOMIC_RELAXED);
    break;
  case INDEPENDENT *ROLES + 0: Memory::store(x, __ATOMIC_SEQ_CST); break;
  case INDEPENDENT *ROLES + 1: Memory::store(y, __ATOMIC_SEQ_CST); break;
  case INDEPENDENT *ROLES + 2:
    *a = Memory::load(x, __ATOMIC_SEQ_CST);
    *b = Memory::load(y, __ATOMIC_SEQ_CST);
    break;
  case INDEPENDENT *ROLES + 3:
    *a = Memory::load(y, __ATOMIC_SEQ_CST);
    *b = Memory::load(x, __ATOMIC_SEQ_CST);
    break;
  }
}

// `first`: the role of the first wave or workgroup.
template <int SCOPE> __global__ void play(Room room, int test, int first, int roles) {
  int role = first + (SCOPE == __HIP_MEMORY_SCOPE_WORKGROUP ? threadIdx.x / 64 : blockIdx.x);
  if (threadIdx.x % 64 != 0 || role >= roles)
    return;
  __hip_atomic_fetch_add(room.arrived, 1, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_SYSTEM);
  while (__hip_atomic_load(room.arrived, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) < roles) {
  }
  for (int i = 0; i < room.rounds; i++) {
    int *seen = room.seen + (i * ROLES + role) * 2;
    act<Device<SCOPE>>(test, role, room.x + i * APART, room.y + i * APART, seen, seen + 1);
  }
}

int roles_of(int test) { return test == INDEPENDENT ? 4 : 2; }

bool forbidden(int test, const int *seen) {
  auto at = [&](int role, int index) { return seen[role * 2 + index]; };
  switch (test) {
  case MESSAGE: return at(1, 0) == 1 && at(1, 1) == 0;
  case STORES: return at(0, 0) == 0 && at(1, 0) == 0;
  case LOADS: return at(0, 0) == 1 && at(1, 0) == 1;
  case COHERENCE: return at(1, 0) == 1 && at(1, 1) == 0;
  default: return at(2, 0) == 1 && at(2, 1) == 0 && at(3, 0) == 1 && at(3, 1) == 0;
  }
}

int main(int count, char **arguments) {
  Room room{};
  room.rounds = count > 1 ? atoi(arguments[1]) : 2000;
  size_t apart = sizeof(int) * APART * room.rounds, seen = sizeof(int) * ROLES * 2 * room.rounds;
  // Host memory, so that the host's threads can take part.
  (void)hipHostMalloc(&room.x, apart);
  (void)hipHostMalloc(&room.y, apart);
  (void)hipHostMalloc(&room.seen, seen);
  (void)hipHostMalloc(&room.arrived, sizeof(int));
  long tried = 0, bad = 0;
  for (int scope = 0; scope < 3; scope++)
    for (int test = 0; test < TESTS; test++) {
      int roles = roles_of(test);
      memset(room.x, 0, apart);
      memset(room.y, 0, apart);
      memset(room.seen, 0, seen);
      *room.arrived = 0;
      if (scope == 0)
        play<__HIP_MEMORY_SCOPE_WORKGROUP><<<1, 64 * roles>>>(room, test, 0, roles);
      if (scope == 1)
        play<__HIP_MEMORY_SCOPE_AGENT><<<roles, 64>>>(room, test, 0, roles);
      if (scope == 2) {
        // The first role is the host's.
        play<__HIP_MEMORY_SCOPE_SYSTEM><<<roles - 1, 64>>>(room, test, 1, roles);
        std::thread host([&] {
          __atomic_fetch_add(room.arrived, 1, __ATOMIC_ACQ_REL);
          while (__atomic_load_n(room.arrived, __ATOMIC_ACQUIRE) < roles)
            std::this_thread::yield();
          for (int i = 0; i < room.rounds; i++) {
            int *own = room.seen + i * ROLES * 2;
            act<Host>(test, 0, room.x + i * APART, room.y + i * APART, own, own + 1);
          }
        });
        (void)hipStreamQuery(0);
        host.join();
      }
      hipError_t error = hipDeviceSynchronize();
      if (error != hipSuccess) {
        printf("%s: %s\n", NAMES[test], hipGetErrorString(error));
        return 2;
      }
      long here = 0;
      for (int i = 0; i < room.rounds; i++)
        here += forbidden(test, room.seen + i * ROLES * 2);
      tried += room.rounds;
      bad += here;
      if (here)
        printf("%s at scope %d: %ld of %d\n", NAMES[test], scope, here, room.rounds);
    }
  printf("%ld outcomes, %ld of them forbidden\n", tried, bad);
  return bad != 0;
}
