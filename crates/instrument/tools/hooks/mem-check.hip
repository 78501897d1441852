// Accesses of memory that the program has not allocated.
#include <luthier_device.h>

// Host code judges what is not in the list: it knows more, and a list may be older than the launch that reads it.
LUTHIER_GLOBAL luthier::ring missed;

// Address of the list of what the program has allocated: how many ranges; from the third word on, first byte and length of each, ascending.
LUTHIER_GLOBAL luthier_u64 allocated;

struct missed_record {
  luthier_u64 address;
  luthier_u64 pc;
  luthier_u64 dispatch;
  luthier_u32 workgroup[3];
  luthier_u32 wave;
  luthier_u32 lane;
  luthier_u32 size;
  luthier_u32 kind;
  luthier_u32 lds;
};

// Ranges that a list has room for.
constexpr luthier_u32 most = 16384;

// Waves of one instruction that are told of.
constexpr luthier_u32 told = 64;

// What belongs to an instruction.
struct place {
  luthier_u64 executions; // Of which something was missed.
  luthier_u64 range; // Where the last search has ended.
};

// Memory that is read by scalar loads. What is old there costs a search, or the host judges.
typedef const __attribute__((address_space(4))) luthier_u64 *constant;

LUTHIER_INLINE void tell(place *at, luthier_u64 address, luthier_u32 lds, bool is_missed) {
  if (luthier::lanes_where(is_missed) == 0 || !luthier::among_first(&at->executions, told))
    return;
  if (is_missed)
    luthier::emit(&missed, missed_record{address,
                                         luthier::pc(),
                                         luthier::dispatch_id(),
                                         {luthier::workgroup_id_x(), luthier::workgroup_id_y(), luthier::workgroup_id_z()},
                                         luthier::wave_in_workgroup(),
                                         luthier::lane(),
                                         luthier::access_size(),
                                         luthier::access_kind(),
                                         lds});
}

LUTHIER_INLINE luthier_u64 of_lane(luthier_u64 value, luthier_u32 lane) {
  luthier_u32 low = __builtin_amdgcn_readlane((luthier_u32)value, lane);
  luthier_u32 high = __builtin_amdgcn_readlane((luthier_u32)(value >> 32), lane);
  return (luthier_u64)high << 32 | low;
}

// Searches for the range of the first lane until no lane is left.
LUTHIER_INLINE void search(place *at, luthier_u64 address, luthier_u32 size, constant list) {
  // Apertures of LDS and of scratch lie above all memory.
  bool is_missed = false, is_memory = (address >> 48) == 0;
  luthier_u64 rest = luthier::lanes_where(is_memory);
  luthier_u32 count = list[0] < most ? list[0] : most;
  while (rest != 0) {
    luthier_u64 wanted = of_lane(address, __builtin_ctzll(rest));
    luthier_u32 low = 0, high = count;
    while (low < high) {
      luthier_u32 middle = (low + high) / 2;
      if (list[2 + 2 * middle] <= wanted)
        low = middle + 1;
      else
        high = middle;
    }
    luthier_u64 first = low == 0 ? 0 : list[2 * low], end = low == 0 ? 0 : first + list[2 * low + 1];
    luthier_u64 next = low < count ? list[2 + 2 * low] : ~0ull;
    bool is_inside = address >= first && address + size <= end;
    bool is_behind = address + size > end && address >= first && address < next;
    is_missed |= is_memory && !is_inside && is_behind;
    rest &= ~luthier::lanes_where(is_inside || is_behind);
    if (low != 0 && luthier::elected())
      at->range = low - 1;
  }
  tell(at, address, 0, is_missed);
}

// Most waves stay in the range of the wave before.
LUTHIER_HOOK void look(place *at) {
  luthier_u64 address = luthier::effective_address();
  constant list = (constant) * (constant)&allocated;
  if (list == nullptr)
    return;
  luthier_u64 range = *(constant)&at->range, first = list[2 + 2 * range], length = list[3 + 2 * range];
  luthier_u32 size = luthier::access_size();
  if (length >= size && luthier::lanes_where(address - first > length - size) == 0)
    return;
  search(at, address, size, list);
}

// An offset in LDS; the launch's packet says how much there is.
LUTHIER_HOOK void look_in_lds(place *at, luthier_u64 packet) {
  luthier_u32 address = luthier::effective_address(), lds = *(const luthier_u32 *)(packet + 28);
  tell(at, address, lds, (luthier_u64)address + luthier::access_size() > lds);
}

LUTHIER_TOOL(R"(
about = "accesses of memory that the program has not allocated, by instruction"
[hooks]
look = ["scalar"]
look_in_lds = ["scalar", "scalar"]
[[stream]]
ring = "missed"
capacity = 65536
bytes = 56
)")
