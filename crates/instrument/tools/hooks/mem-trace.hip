// The address of every access of every lane, streamed to a file.
#include <luthier_device.h>

LUTHIER_GLOBAL luthier::ring trace;

struct access_record {
  luthier_u64 address;
  luthier_u64 pc;
  luthier_u32 dispatch;
  luthier_u32 workgroup;
  luthier_u16 lane;
  luthier_u16 size;
  luthier_u32 kind;
};

LUTHIER_INLINE void write(luthier_u64 address, luthier_u32 size) {
  luthier::emit(&trace, access_record{address, luthier::pc(), (luthier_u32)luthier::dispatch_id(), luthier::workgroup_id_x(),
                                      (luthier_u16)luthier::lane(), (luthier_u16)size, luthier::access_kind()});
}

LUTHIER_HOOK void record() { write(luthier::effective_address(), luthier::access_size()); }

// Through a descriptor of four words.
LUTHIER_HOOK void record_buffer(luthier_u32 word0, luthier_u32 word1, luthier_u32 word2, luthier_u32 word3, luthier_u32 scalar_offset,
                                luthier_u32 index, luthier_u32 offset, luthier_u32 constant, luthier_u32 flags) {
  luthier_u64 address;
  luthier_u32 size;
  if (luthier::buffer_address(&address, &size, word0, word1, word2, word3, scalar_offset, index, offset, constant, flags))
    write(address, size);
}

// Through a descriptor of eight words.
LUTHIER_HOOK void record_image(luthier_u32 word0, luthier_u32 word1, luthier_u32 word2, luthier_u32 word3, luthier_u32 word4,
                               luthier_u32 word5, luthier_u32 word6, luthier_u32 at0, luthier_u32 at1, luthier_u32 at2, luthier_u32 at3,
                               luthier_u32 flags) {
  luthier_u64 address;
  luthier_u32 size;
  if (luthier::image_address(&address, &size, word0, word1, word2, word3, word4, word5, word6, at0, at1, at2, at3, flags))
    write(address, size);
}

LUTHIER_TOOL(R"(
about = "addresses of every vector memory access, to mem-trace.parquet"
[hooks]
record = []
record_buffer = ["scalar", "scalar", "scalar", "scalar", "scalar", "vector", "vector", "scalar", "scalar"]
record_image = ["scalar", "scalar", "scalar", "scalar", "scalar", "scalar", "scalar",
                "vector", "vector", "vector", "vector", "scalar"]
[[stream]]
ring = "trace"
capacity = 1048576
file = "mem-trace.parquet"
fields = ["address:u64", "pc:u64", "dispatch:u32", "workgroup:u32", "lane:u16", "size:u16", "kind:u32"]
)")
