//! Jumps to computed addresses and hooks behind branches, in programs as users run them.

use crate::stock::{Scene, run};

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

/// Loops, branches on both sides, a function that is called.
const BRANCHES: &str = r#"
#include <hip/hip_runtime.h>
#include <cstdio>
__device__ __attribute__((noinline)) unsigned turned(unsigned x) { return x & 1 ? x * 3 + 1 : x / 2; }
extern "C" __global__ void jumps(unsigned *out) {
    unsigned x = threadIdx.x + blockIdx.x + 1;
    for (unsigned i = 0; i < 20 + blockIdx.x; i++) {
        if (i % 3 == 1)
            x = turned(x);
        else if (x > 40)
            x -= i;
        out[threadIdx.x] += x;
    }
}
int main() {
    unsigned *out;
    if (hipMallocManaged(&out, 256))
        return 2;
    for (int i = 0; i < 64; i++)
        out[i] = 0;
    jumps<<<3, 64>>>(out);
    printf("%d\n", (int)hipDeviceSynchronize());
    return 0;
}
"#;

const BEHIND: &str = r#"
#include <luthier_device.h>
LUTHIER_GLOBAL luthier_u64 all, behind_all, ends, returns;
LUTHIER_HOOK void before() { luthier::add(&all, 1); }
LUTHIER_HOOK void behind() { luthier::add(&behind_all, 1); }
LUTHIER_HOOK void ending() { luthier::add(&ends, 1); }
LUTHIER_HOOK void returning() { luthier::add(&returns, 1); }
LUTHIER_TOOL(R"(
about = "counts what runs before, behind and at the ends"
insert = [{ hook = "before", once = true }, { hook = "behind", after = true, once = true },
          { hook = "ending", where = "opcode=s_endpgm", once = true }, { hook = "returning", where = "opcode=s_setpc_b64", once = true }]
print = [{ text = "{all} {behind_all} {ends} {returns}" }]
)")
"#;

/// The same kernel; in its end it names so many SGPRs that too few are left for translating jumps.
fn skips_in_full() -> String {
    let clobbers: Vec<String> = (0..102).map(|number| format!("\"s{number}\"")).collect();
    let store = "    out[threadIdx.x] = threadIdx.x * 3;\n";
    assert!(SKIPS.contains(store));
    let all = format!(
        "{store}    asm volatile(\".set number, 0\\n.rept 102\\n s_mov_b32 s[number], 0\\n .set number, number + 1\\n.endr\" ::: {});\n",
        clobbers.join(", ")
    );
    SKIPS.replace(store, &all)
}

#[test]
fn a_launch_that_leaves_its_code_does_not_count_as_instrumented() {
    for source in [SKIPS, &skips_in_full()] {
        let Some(scene) = Scene::with_source(source) else {
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
}

#[test]
fn hooks_behind_instructions_run_on_every_way() {
    let Some(scene) = Scene::with_source(BRANCHES) else {
        return;
    };
    let tool = scene.built("behind", BEHIND);
    let (out, said) = run(&scene, &["-t", tool.to_str().unwrap()]);
    let line = [&*out, &*said].concat();
    let numbers = line.lines().find_map(|line| {
        let numbers = line.split_whitespace().map(str::parse::<u64>);
        let numbers: Result<Vec<u64>, _> = numbers.collect();
        numbers.ok().filter(|numbers| numbers.len() == 4)
    });
    let numbers = numbers.unwrap_or_else(|| panic!("{out}{said}"));
    let [all, behind, ends, returns] = numbers[..] else {
        unreachable!()
    };
    // Three workgroups of one wave each.
    assert_eq!(ends, 3, "{said}");
    assert!(returns > 0, "{said}");
    assert_eq!(behind, all - ends - returns, "{said}");
    for places in [
        "nothing is inserted behind returns: ",
        "the end of the program (s_endpgm): 1;",
    ] {
        assert!(said.contains(places), "{said}");
    }
}
