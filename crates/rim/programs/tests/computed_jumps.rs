//! Jumps to computed addresses, in programs as users run them.

mod stock;

use stock::{Scene, run};

/// A function that returns behind the instruction that it would return to.
const SKIPS: &str = r#"
#include <hip/hip_runtime.h>
#include <cstdio>
extern "C" __device__ __attribute__((noinline, used)) void skips() {
    asm volatile("s_add_u32 s30, s30, 4\n s_addc_u32 s31, s31, 0");
}
extern "C" __global__ void jumps(unsigned *out) {
    asm volatile("s_getpc_b64 s[4:5]\n s_add_u32 s4, s4, skips@rel32@lo+4\n s_addc_u32 s5, s5, skips@rel32@hi+12\n"
                 "s_swappc_b64 s[30:31], s[4:5]\n s_nop 0\n" ::: "s4", "s5", "s30", "s31", "scc", "memory");
    out[threadIdx.x] = threadIdx.x * 3;
}
int main() {
    unsigned *out;
    if (hipMallocManaged(&out, 256))
        return 2;
    for (int i = 0; i < 2; i++)
        jumps<<<1, 64>>>(out);
    if (hipDeviceSynchronize())
        return 3;
    unsigned sum = 0;
    for (int i = 0; i < 64; i++)
        sum += out[i];
    printf("sum %u\n", sum);
    return sum != 6048;
}
"#;

#[test]
fn a_launch_that_leaves_its_code_does_not_count_as_instrumented() {
    let Some(scene) = Scene::with_source(SKIPS) else {
        return;
    };
    let (out, said) = run(&scene, &["-t", "instr-count"]);
    assert!(out.contains("sum 6048"), "{out}{said}");
    assert!(
        said.contains("1 instrumented, 0 refused; 0 of 2 launches ran instrumented"),
        "{said}"
    );
    assert!(said.contains("no known place of its code object"), "{said}");
}
