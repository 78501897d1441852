//! Facts about the program's memory that tools get, in C++ and in Rust.

use crate::{
    stock::{Scene, run},
    thin_rust_tool::{build, new_crate},
};

/// 1000 bytes of a device, 300 in the order of a stream, 3 rows of 100 bytes; the first are freed. The program says where they lie.
const PROGRAM: &str = r#"
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#define MUST(call) if ((call) != hipSuccess) exit(4)
__global__ void touch(char *to) { to[0] = 1; }
extern "C" __attribute__((noinline)) char *make_bytes(hipStream_t stream) {
  char *made;
  MUST(hipMallocAsync((void **)&made, 300, stream));
  asm volatile("" ::: "memory");
  return made;
}
int main() {
  char *first, *rows;
  size_t pitch;
  hipStream_t stream;
  MUST(hipStreamCreate(&stream));
  MUST(hipMalloc((void **)&first, 1000));
  MUST(hipMallocPitch((void **)&rows, &pitch, 100, 3));
  char *bytes = make_bytes(stream);
  MUST(hipFree(first));
  touch<<<1, 1, 0, stream>>>(bytes);
  MUST(hipStreamSynchronize(stream));
  printf("%p %zu %p\n", (void *)bytes, pitch, (void *)make_bytes);
  return 0;
}
"#;

/// Prints what happens, and what is around the kernel's argument.
const IN_C: &str = r#"
#include <luthier.h>
#include <dlfcn.h>
MARK_LUTHIER_DEVICE_MODULE
void luthier_at_memory(const luthier_allocation &one) {
  printf("event %s %llu %u %d %llu\n", one.with.c_str(), one.size, one.kind, one.freed, one.row_bytes);
}
void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t) {
  luthier_u64 address = *(luthier_u64 *)args->hsa_evt_kernel_launch.dispatch_packet->kernarg_address;
  for (int distance : {-4, 0, 8, 300, 310}) {
    luthier_allocation found;
    if (!luthier_find_allocation(address + distance, found))
      continue;
    bool is_made = false;
    for (size_t caller : found.allocated_by) {
      Dl_info info = {};
      is_made |= dladdr((void *)caller, &info) && info.dli_sname && !strcmp(info.dli_sname, "make_bytes");
    }
    printf("at %d: %u %llu of %llu at %llu, %d\n", distance, found.position, found.distance, found.size,
           found.address - address, is_made);
  }
  luthier_allocation none;
  printf("nowhere: %d\n", luthier_find_allocation(16, none));
}
"#;

const IN_RUST: &str = r#"
use luthier_tool::{Allocation, Launch, Position, Result, Tool, find_allocation};
#[derive(Default)]
struct Looker;
impl Tool for Looker {
    const MEMORY: bool = true;
    fn memory(&self, one: &Allocation) -> Result<()> {
        let row = one.rows.map_or(0, |rows| rows.0);
        println!("event {} {} {} {} {row}", one.with, one.size, one.kind, u8::from(one.freed));
        Ok(())
    }
    fn launch(&self, launch: &Launch<'_>) -> Result<()> {
        let address: u64 = launch.argument(&launch.parameters()?[0])?;
        for distance in [-4_i64, 0, 8, 300, 310] {
            if let Some((found, position)) = find_allocation(address.wrapping_add_signed(distance))? {
                let (side, bytes) = match position {
                    Position::Inside(bytes) => (0, bytes),
                    Position::Behind(bytes) => (1, bytes),
                    Position::Before(bytes) => (2, bytes),
                };
                let made = u8::from(!found.allocated_by.is_empty());
                println!("at {distance}: {side} {bytes} of {} at {}, {made}", found.size, found.address - address);
            }
        }
        println!("nowhere: {}", u8::from(find_allocation(16)?.is_some()));
        Ok(())
    }
}
luthier_tool::tool!(Looker, "own-counter.tool");
"#;

/// In the order of the program; the numbers are those of `luthier_memory_kind`.
const EVENTS: [&str; 4] = [
    "event hipMalloc 1000 1 0 0\n",
    "event hipMallocPitch 768 6 0 100\n",
    "event hipMallocAsync 300 5 0 0\n",
    "event hipMalloc 1000 1 1 0\n",
];
const AROUND: &str = "at -4: 2 4 of 300 at 0, 1\nat 0: 0 0 of 300 at 0, 1\nat 8: 0 8 of 300 at 0, 1\n\
    at 300: 1 0 of 300 at 0, 1\nat 310: 1 10 of 300 at 0, 1\nnowhere: 0\n";

fn sees(scene: &Scene, library: &str) {
    let (out, said) = run(scene, &["-t", library]);
    let mut from = 0;
    for event in EVENTS {
        let at = out[from..].find(event);
        from += at.unwrap_or_else(|| panic!("no {event:?} from {from} on in {out}{said}"));
    }
    assert!(out.contains(AROUND), "{out}{said}");
    assert!(out.contains(" 256 "), "{out}{said}");
}

#[test]
fn tools_hear_of_memory_and_look_up_addresses() {
    // (Names of the program's functions are found in its table of dynamic symbols.)
    let Some(scene) = Scene::compiled(PROGRAM, &["-rdynamic"]) else {
        return;
    };
    let tool = scene.tool("looker", IN_C);
    sees(&scene, tool.to_str().unwrap());
    let folder = new_crate(&scene);
    std::fs::write(folder.join("src/lib.rs"), IN_RUST).unwrap();
    let hooks = folder.join("hooks/own-counter.hip");
    std::fs::write(hooks, "#include <luthier.h>\n").unwrap();
    sees(&scene, build(&folder).to_str().unwrap());
    // A tool that does not say that it wants to hear of memory.
    let quiet = IN_C.replace("void luthier_at_memory", "void at_memory");
    let (out, said) = run(
        &scene,
        &["-t", scene.tool("quiet", &quiet).to_str().unwrap()],
    );
    assert!(!out.contains("event"), "{out}");
    assert!(said.contains("define luthier_at_memory"), "{out}{said}");
}
