// Accesses of memory that the program has not allocated.
#include <luthier_device.h>

// Host code judges what is not in the list: it knows more, and a list may be older than the launch that reads it.
LUTHIER_GLOBAL luthier::ring missed;

// Ranges that a list has room for.
constexpr luthier_u32 most = 16384;

// Bytes of the widest access of a lane.
constexpr luthier_u32 widest = 16;

// Memory that the program has allocated, as the quickest look wants it. Numbers are signed, so that nothing is in a range of zeros, in one
// of less than 16 bytes either until a look knows the size of the access.
struct range {
  long before; // The byte in front of it.
  long last;   // The last byte at which the widest access may begin.
};

// Nothing, and then two lists: host code fills one, ascending, says so in `current`, and then empties the other, which kernels may still
// read.
LUTHIER_GLOBAL range ranges[1 + 2 * most];

// The number of ranges in the current list; in the upper half, the place of the first one in `ranges`.
LUTHIER_GLOBAL luthier_u64 current;

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

// Waves of one instruction that are told of.
constexpr luthier_u32 told = 64;

// What belongs to an instruction.
struct place {
  luthier_u64 executions; // Of which something was missed.
  luthier_u64 range; // Bytes from `ranges` to where the last search has ended.
};

// Memory that is read by scalar loads. What is old there costs a search, or the host judges.
template <typename T> using constant = const __attribute__((address_space(4))) T *;

// In registers of its own, from here on. The compiler builds records in registers that follow each other. If the address of an access was
// one of them, each wave would have to move it first, also one that has no record.
LUTHIER_INLINE luthier_u32 moved(luthier_u32 value) {
  luthier_u32 own;
  __asm__("v_mov_b32 %0, %1" : "=&v"(own) : "v"(value));
  return own;
}

LUTHIER_INLINE luthier_u64 moved(luthier_u64 value) {
  luthier_u64 high = moved((luthier_u32)(value >> 32));
  return high << 32 | moved((luthier_u32)value);
}

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

// True in the lanes whose access is in no range of a list. Searches for the range of the first lane until no lane is left.
LUTHIER_INLINE bool is_missing(luthier_u64 told, place *at, luthier_u64 address, luthier_u32 size, bool is_memory) {
  luthier_u32 count = (luthier_u32)told, begin = (luthier_u32)(told >> 32);
  constant<range> list = (constant<range>)ranges + begin;
  bool is_missed = false;
  luthier_u64 rest = luthier::lanes_where(is_memory);
  while (rest != 0) {
    luthier_u64 wanted = of_lane(address, __builtin_ctzll(rest));
    luthier_u32 low = 0, high = count;
    while (low < high) {
      luthier_u32 middle = (low + high) / 2;
      if (list[middle].before < (long)wanted)
        low = middle + 1;
      else
        high = middle;
    }
    luthier_u64 first = low == 0 ? 0 : list[low - 1].before + 1, end = low == 0 ? 0 : list[low - 1].last + widest;
    luthier_u64 next = low < count ? list[low].before + 1 : ~0ull;
    bool is_inside = address >= first && address + size <= end;
    bool is_behind = address + size > end && address >= first && address < next;
    is_missed |= is_memory && !is_inside && is_behind;
    rest &= ~luthier::lanes_where(is_inside || is_behind);
    if (low != 0 && luthier::elected())
      at->range = (begin + low - 1) * (luthier_u32)sizeof(range);
  }
  return is_missed;
}

LUTHIER_INLINE void search(place *at, luthier_u64 address, luthier_u32 size, bool is_accessed) {
  address = moved(address);
  luthier_u64 told = *(constant<luthier_u64>)&current;
  // Host code could not tell what is allocated, and says so.
  if (told == 0)
    return;
  // Apertures of LDS and of scratch lie above all memory.
  bool is_memory = is_accessed && (address >> 48) == 0;
  tell(at, address, size, luthier::access_kind(), 0, is_missing(told, at, address, size, is_memory));
}

// True if all lanes access the range of the wave before, as in most waves.
LUTHIER_INLINE bool is_usual(place *at, luthier_u64 address, luthier_u32 size, bool is_accessed = true) {
  luthier_u32 offset = *(constant<luthier_u32>)&at->range;
  constant<range> known = (constant<range>)((constant<char>)ranges + offset);
  long before = known->before, last = known->last + (long)widest - (long)size;
  return luthier::lanes_where(is_accessed && (((long)address <= before) | ((long)address > last))) == 0;
}

LUTHIER_INLINE void look_at(place *at, luthier_u64 address, luthier_u32 size, bool is_accessed) {
  if (!is_usual(at, address, widest, is_accessed) && !is_usual(at, address, size, is_accessed))
    search(at, address, size, is_accessed);
}

LUTHIER_HOOK void look(place *at) { look_at(at, luthier::effective_address(), luthier::access_size(), true); }

// Atomics do not happen at an address that is no multiple of their size.
LUTHIER_HOOK void look_aligned(place *at) {
  luthier_u64 address = luthier::effective_address();
  luthier_u32 size = luthier::access_size();
  look_at(at, address, size, true);
  tell(at, address, size, luthier::access_kind() | misaligned, 0, (address & (size - 1)) != 0);
}

// The launch's packet says how much there is of LDS and scratch.
LUTHIER_INLINE luthier_u32 of_packet(luthier_u64 packet, luthier_u32 at) {
  return *(const __attribute__((address_space(4))) luthier_u32 *)(packet + at);
}
constexpr luthier_u32 scratch_size = 24, lds_size = 28;

// True where an access reaches beyond the room that there is.
LUTHIER_INLINE bool is_beyond(luthier_u32 address, luthier_u32 size, luthier_u32 room) {
  return __builtin_elementwise_add_sat(address, size) > room;
}

LUTHIER_INLINE void look_within(place *at, luthier_u32 address, luthier_u32 kind, luthier_u32 room, bool is_accessed) {
  luthier_u32 size = luthier::access_size();
  tell(at, address, size, kind, room, is_accessed && is_beyond(address, size, room));
}

// Tensile's kernels name address 0xF00000, which no LDS has, for lanes that shall do nothing. Offsets are below 128 KiB.
LUTHIER_INLINE bool is_nowhere(luthier_u32 address) { return address - 0xF00000u < 0x20000u; }

LUTHIER_INLINE void look_beyond(place *at, luthier_u32 address, luthier_u64 packet) {
  luthier_u32 size = luthier::access_size(), room = of_packet(packet, lds_size);
  if (luthier::lanes_where(is_beyond(address, size, room)) == 0)
    return;
  address = moved(address);
  look_within(at, address, luthier::access_kind(), room, !is_nowhere(address));
}

LUTHIER_HOOK void look_in_lds(place *at, luthier_u64 packet) { look_beyond(at, (luthier_u32)luthier::effective_address(), packet); }

// `last`: the last address at which the access ends in LDS that each launch of the kernel has.
LUTHIER_HOOK void look_in_own_lds(place *at, luthier_u64 last, luthier_u64 packet) {
  luthier_u32 address = (luthier_u32)luthier::effective_address();
  if (luthier::lanes_where(address > (luthier_u32)last) != 0)
    look_beyond(at, address, packet);
}

LUTHIER_HOOK void look_in_scratch(place *at, luthier_u64 packet) {
  look_within(at, (luthier_u32)luthier::effective_address(), luthier::access_kind(), of_packet(packet, scratch_size), true);
}

// Addresses of LDS and of scratch lie in apertures, of which the high halves of addresses tell.
LUTHIER_HOOK void look_flat(place *at, luthier_u64 packet) {
  luthier_u64 address = luthier::effective_address();
  luthier_u32 size = luthier::access_size();
  if (is_usual(at, address, widest) || is_usual(at, address, size))
    return;
  const void *generic = (const void *)address;
  bool in_lds = __builtin_amdgcn_is_shared(generic), in_scratch = __builtin_amdgcn_is_private(generic);
  luthier_u32 kind = luthier::access_kind();
  search(at, address, size, !in_lds && !in_scratch);
  if (luthier::lanes_where(in_lds) != 0)
    look_within(at, (luthier_u32)address, kind | luthier::lds, of_packet(packet, lds_size), in_lds);
  if (luthier::lanes_where(in_scratch) != 0)
    look_within(at, (luthier_u32)address, kind | luthier::scratch, of_packet(packet, scratch_size), in_scratch);
}

// One lane looks for the wave. The two lowest bits of a scalar address are left out, as the GPU does.
LUTHIER_HOOK void look_scalar(place *at, luthier_u64 packet) {
  luthier_u64 address = luthier::effective_address() & ~3ull;
  luthier_u32 size = luthier::access_size();
  // The packet lies in a queue, which is no allocation of the program.
  if (!is_usual(at, address, size) && address - packet >= 64)
    search(at, address, size, true);
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
look_in_lds = ["literal", "scalar"]
look_in_own_lds = ["literal", "literal", "scalar"]
look_in_scratch = ["literal", "scalar"]
look_flat = ["scalar", "scalar"]
look_scalar = ["scalar", "scalar"]
look_in_buffer = ["scalar", "scalar", "scalar", "scalar", "scalar", "scalar", "vector", "vector", "scalar", "scalar"]
[[stream]]
ring = "missed"
capacity = 65536
bytes = 56
)")
