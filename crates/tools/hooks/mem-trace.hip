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

LUTHIER_HOOK void record() {
  luthier::emit(&trace, access_record{luthier::effective_address(), luthier::pc(), (luthier_u32)luthier::dispatch_id(),
                                      luthier::workgroup_id_x(), (luthier_u16)luthier::lane(),
                                      (luthier_u16)luthier::access_size(), luthier::access_kind()});
}

LUTHIER_TOOL(R"(
about = "addresses of every vector memory access, to mem-trace.parquet"
[hooks]
record = []
[[stream]]
ring = "trace"
file = "mem-trace.parquet"
fields = ["address:u64", "pc:u64", "dispatch:u32", "workgroup:u32", "lane:u16", "size:u16", "kind:u32"]
)")
