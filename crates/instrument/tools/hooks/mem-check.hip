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
  luthier_u32 room;
};

// A bit of `kind` beside those of luthier::access: the address is no multiple of the size.
constexpr luthier_u32 misaligned = 1u << 31;

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

// `room`: bytes that there are of LDS or scratch. `kind` differs from that of the instruction where the address decides about the memory.
LUTHIER_INLINE void tell(place *at, luthier_u64 address, luthier_u32 size, luthier_u32 kind, luthier_u32 room, bool is_missed) {
  if (luthier::lanes_where(is_missed) == 0 || !luthier::among_first(&at->executions, told))
    return;
  if (is_missed)
    luthier::emit(&missed, missed_record{address,
                                         luthier::pc(),
                                         luthier::dispatch_id(),
                                         {luthier::workgroup_id_x(), luthier::workgroup_id_y(), luthier::workgroup_id_z()},
                                         luthier::wave_in_workgroup(),
                                         luthier::lane(),
                                         size,
                                         kind,
                                         room});
}

LUTHIER_INLINE luthier_u64 of_lane(luthier_u64 value, luthier_u32 lane) {
  luthier_u32 low = __builtin_amdgcn_readlane((luthier_u32)value, lane);
  luthier_u32 high = __builtin_amdgcn_readlane((luthier_u32)(value >> 32), lane);
  return (luthier_u64)high << 32 | low;
}

// Searches for the range of the first lane until no lane is left.
LUTHIER_INLINE void search(place *at, luthier_u64 address, luthier_u32 size, constant list, bool is_accessed) {
  // Apertures of LDS and of scratch lie above all memory.
  bool is_missed = false, is_memory = is_accessed && (address >> 48) == 0;
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
  tell(at, address, size, luthier::access_kind(), 0, is_missed);
}

// Most waves stay in the range of the wave before.
LUTHIER_INLINE void look_at(place *at, luthier_u64 address, luthier_u32 size, bool is_accessed) {
  constant list = (constant) * (constant)&allocated;
  if (list == nullptr)
    return;
  luthier_u64 range = *(constant)&at->range, first = list[2 + 2 * range], length = list[3 + 2 * range];
  if (length >= size && luthier::lanes_where(is_accessed && address - first > length - size) == 0)
    return;
  search(at, address, size, list, is_accessed);
}

LUTHIER_HOOK void look(place *at) { look_at(at, luthier::effective_address(), luthier::access_size(), true); }

// Atomics do not happen at an address that is no multiple of their size.
LUTHIER_HOOK void look_aligned(place *at) {
  luthier_u64 address = luthier::effective_address();
  luthier_u32 size = luthier::access_size();
  tell(at, address, size, luthier::access_kind() | misaligned, 0, (address & (size - 1)) != 0);
}

// The launch's packet says how much there is of LDS and scratch.
LUTHIER_INLINE luthier_u32 of_packet(luthier_u64 packet, luthier_u32 at) {
  return *(const __attribute__((address_space(4))) luthier_u32 *)(packet + at);
}
constexpr luthier_u32 scratch_size = 24, lds_size = 28;

LUTHIER_INLINE void look_within(place *at, luthier_u32 address, luthier_u32 kind, luthier_u32 room, bool is_accessed) {
  luthier_u32 size = luthier::access_size();
  tell(at, address, size, kind, room, is_accessed && (luthier_u64)address + size > room);
}

// Tensile's kernels name address 0xF00000, which no LDS has, for lanes that shall do nothing. Offsets are below 128 KiB.
LUTHIER_INLINE bool is_nowhere(luthier_u32 address) { return address - 0xF00000u < 0x20000u; }

LUTHIER_HOOK void look_in_lds(place *at, luthier_u64 packet) {
  luthier_u32 address = (luthier_u32)luthier::effective_address();
  look_within(at, address, luthier::access_kind(), of_packet(packet, lds_size), !is_nowhere(address));
}

LUTHIER_HOOK void look_in_scratch(place *at, luthier_u64 packet) {
  look_within(at, (luthier_u32)luthier::effective_address(), luthier::access_kind(), of_packet(packet, scratch_size), true);
}

// Addresses of LDS and of scratch lie in apertures, of which the high halves of addresses tell.
LUTHIER_HOOK void look_flat(place *at, luthier_u64 packet) {
  luthier_u64 address = luthier::effective_address();
  const void *generic = (const void *)address;
  bool in_lds = __builtin_amdgcn_is_shared(generic), in_scratch = __builtin_amdgcn_is_private(generic);
  look_at(at, address, luthier::access_size(), !in_lds && !in_scratch);
  luthier_u32 kind = luthier::access_kind();
  if (luthier::lanes_where(in_lds) != 0)
    look_within(at, (luthier_u32)address, kind | luthier::lds, of_packet(packet, lds_size), in_lds);
  if (luthier::lanes_where(in_scratch) != 0)
    look_within(at, (luthier_u32)address, kind | luthier::scratch, of_packet(packet, scratch_size), in_scratch);
}

// One lane looks for the wave. The two lowest bits of a scalar address are left out, as the GPU does.
LUTHIER_HOOK void look_scalar(place *at, luthier_u64 packet) {
  luthier_u64 address = luthier::effective_address() & ~3ull;
  // The packet lies in a queue, which is nobody's allocation.
  if (address - packet >= 64)
    look_at(at, address, luthier::access_size(), true);
}

// What the descriptor lets through. A size of 0 means that the address is not known.
LUTHIER_HOOK void look_in_buffer(place *at, luthier_u32 word0, luthier_u32 word1, luthier_u32 word2, luthier_u32 word3,
                                 luthier_u32 scalar_offset, luthier_u32 index, luthier_u32 offset, luthier_u32 constant_offset,
                                 luthier_u32 flags) {
  luthier_u64 address;
  luthier_u32 size;
  bool is_inside =
      luthier::buffer_address(&address, &size, word0, word1, word2, word3, scalar_offset, index, offset, constant_offset, flags);
  // Of several dwords those at the end may be out of bounds.
  luthier_u32 first = size < 4 ? size : 4;
  look_at(at, address, first, is_inside && size != 0);
}

LUTHIER_TOOL(R"(
about = "accesses of memory that the program has not allocated, by instruction"
[hooks]
look = ["scalar"]
look_aligned = ["scalar"]
look_in_lds = ["scalar", "scalar"]
look_in_scratch = ["scalar", "scalar"]
look_flat = ["scalar", "scalar"]
look_scalar = ["scalar", "scalar"]
look_in_buffer = ["scalar", "scalar", "scalar", "scalar", "scalar", "scalar", "vector", "vector", "scalar", "scalar"]
[[stream]]
ring = "missed"
capacity = 65536
bytes = 56
)")
