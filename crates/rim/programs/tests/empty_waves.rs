//! Hooks that count waves where a wave may have no lane on: the summary names those places, and no others.

use crate::stock::Scene;

const SOURCE: &str = r#"
#include <cstdio>
#include <hip/hip_runtime.h>
__global__ void add_one(unsigned *out) {
  unsigned x = threadIdx.x;
  // No lane is on at the first place, and all of them again at the second.
  asm volatile("s_mov_b64 s[20:21], exec\n s_mov_b64 exec, 0\n v_bfrev_b32 %0, %0\n s_mov_b64 exec, s[20:21]\n" : "+v"(x)::"s20", "s21");
  asm volatile("v_not_b32 %0, %0" : "+v"(x));
  // The compiler jumps over this one if no lane takes the branch.
  if (x & 1) {
    asm volatile("v_ffbh_u32 %0, %0" : "+v"(x));
    out[64 + threadIdx.x] = x;
  }
  // A loop, behind which EXEC is put together again.
  for (unsigned i = 0; i < threadIdx.x; i++)
    asm volatile("v_ffbl_b32 %0, %0" : "+v"(x));
  asm volatile("v_bcnt_u32_b32 %0, %0, 0" : "+v"(x));
  out[threadIdx.x] = x;
}
int main() {
  unsigned *out;
  if (hipMalloc(&out, 1024) != hipSuccess) return 1;
  add_one<<<1, 64>>>(out);
  if (hipDeviceSynchronize() != hipSuccess) return 1;
  puts("right");
}
"#;

#[test]
fn places_without_lanes_are_named() {
    let Some(scene) = Scene::with_source(SOURCE) else {
        return;
    };
    let hooks = [
        "bfrev_b32",
        "not_b32",
        "ffbh_u32",
        "ffbl_b32",
        "bcnt_u32_b32",
    ];
    let mut text = "#include <luthier_device.h>\n".to_owned();
    let mut inserted = Vec::new();
    for name in hooks {
        text += &format!(
            "LUTHIER_GLOBAL luthier_u64 n_{name}, l_{name};\n\
             LUTHIER_HOOK void waves_{name}() {{ luthier::count_wave(&n_{name}, 1); }}\n\
             LUTHIER_HOOK void lanes_{name}() {{ luthier::count_lanes(&l_{name}, 1); }}\n"
        );
        for hook in ["waves", "lanes"] {
            inserted.push(format!(
                "{{ hook = \"{hook}_{name}\", where = \"opcode=v_{name}\" }}"
            ));
        }
    }
    text += &format!(
        "LUTHIER_TOOL(R\"(insert = [{}]\nprint = [{{ text = \"none {{n_bfrev_b32}}, all {{n_not_b32}}, behind {{n_bcnt_u32_b32}}.\" }}])\")\n",
        inserted.join(", ")
    );
    let tool = scene.built("waves", &text);
    let (stdout, stderr) = scene.with(&tool);
    let said = stdout + &stderr;
    assert!(said.contains("none 0, all 1, behind 1."), "{said}");
    assert!(
        said.contains("waves_bfrev_b32 counts waves, and at 1 of its 1 places EXEC may be 0"),
        "{said}"
    );
    for name in &hooks[1..] {
        assert!(!said.contains(&format!("waves_{name} counts")), "{said}");
    }
    assert!(!said.contains("lanes_"), "{said}");
}
