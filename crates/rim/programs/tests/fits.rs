//! Resources that tools add must fit the device, and registers that they name must exist. Otherwise the application runs without tools, and
//! the summary says why.

use crate::stock::Scene;

fn program(kernel: &str, main: &str) -> String {
    format!(
        "#include <hip/hip_runtime.h>\n#include <hip/hip_cooperative_groups.h>\n#include <cstdio>\n{kernel}\n\
         #define GOOD(call) if ((call) != hipSuccess) {{ printf(\"%s\\n\", hipGetErrorString(hipGetLastError())); return 1; }}\n\
         int main() {{ int *data = nullptr; const int n = 1 << 20; GOOD(hipMalloc(&data, 4 * n)); GOOD(hipMemset(data, 0, 4 * n));\n\
         {main}\nGOOD(hipDeviceSynchronize());\nstatic int host[n]; GOOD(hipMemcpy(host, data, 4 * n, hipMemcpyDeviceToHost));\n\
         for (int i = 0; i < 64; i++) if (host[i] != LAUNCHES) {{ printf(\"%d: %d\\n\", i, host[i]); return 2; }}\nputs(\"right\"); return 0; }}\n"
    )
}

/// A kernel that names so many VGPRs, most of which are dead when hooks run.
fn add_one(vgprs: u32) -> String {
    let moves: String = (8..vgprs)
        .map(|number| format!("v_mov_b32 v{number}, 0\\n"))
        .collect();
    let clobbered: Vec<String> = (8..vgprs).map(|number| format!("\"v{number}\"")).collect();
    format!(
        "__global__ void add_one(int *data) {{ asm volatile(\"{moves}\" ::: {}); data[blockIdx.x * blockDim.x + threadIdx.x] += 1; }}\n",
        clobbered.join(", ")
    )
}

/// 128 VGPRs are all that a wave can have where a workgroup has 16 of them; the last one is dead when hooks run.
#[test]
fn a_kernel_at_the_limit_of_its_workgroup_launches() {
    let kernel = add_one(128) + "#define LAUNCHES 1\n";
    let source = program(&kernel, "add_one<<<2, 1024>>>(data);");
    let Some(scene) = Scene::with_source(&source) else {
        return;
    };
    for tools in [
        "mem-coalesce",
        "instr-count,mem-trace,mem-coalesce,branch-divergence,hotspots",
    ] {
        let (stdout, stderr) = scene.run(&["-t", tools], &[]);
        assert!(stdout.contains("right"), "{stdout}{stderr}");
        assert!(
            stderr.contains("1 instrumented, 0 refused; 1 of "),
            "{stderr}"
        );
    }
}

/// A hook that wants so many registers that eight waves do not fit a SIMD any more, and one word of LDS for each wave.
const LARGE_TOOL: &str = r##"
#include <luthier_device.h>
LUTHIER_GLOBAL luthier_u64 total;
LUTHIER_GLOBAL unsigned table[4096];
__shared__ luthier::per_wave<luthier_u32> kept;
LUTHIER_HOOK void large() {
  unsigned values[24], sum = 0;
  _Pragma("unroll") for (int i = 0; i < 24; i++) values[i] = ((volatile unsigned *)table)[i * 7 + luthier::lane()];
  _Pragma("unroll") for (int i = 0; i < 24; i++) sum = sum * 31 + values[23 - i];
  kept.own() = sum;
  luthier::add(&total, sum + 1);
}
LUTHIER_TOOL(R"(insert = [{ hook = "large", where = "kind=store" }]
print = [{ text = "total {total}." }])")
"##;

#[test]
fn launches_that_leave_tools_no_room_run_as_they_are() {
    let kernel = add_one(64) + "#define LAUNCHES 4\n";
    let source = program(
        &kernel,
        "add_one<<<1, 64, 65536>>>(data); add_one<<<1, 64, 1024>>>(data);\n\
         int per_unit = 0; hipDeviceProp_t properties; GOOD(hipGetDeviceProperties(&properties, 0));\n\
         GOOD(hipOccupancyMaxActiveBlocksPerMultiprocessor(&per_unit, add_one, 256, 0));\n\
         void *arguments[] = {&data};\n\
         GOOD(hipLaunchCooperativeKernel((void *)add_one, dim3(per_unit * properties.multiProcessorCount), dim3(256), arguments, 0, 0));\n\
         GOOD(hipLaunchCooperativeKernel((void *)add_one, dim3(2), dim3(256), arguments, 0, 0));",
    );
    let Some(scene) = Scene::with_source(&source) else {
        return;
    };
    let tool = scene.built("large", LARGE_TOOL);
    let (stdout, stderr) = scene.with(&tool);
    assert!(stdout.contains("right"), "{stdout}{stderr}");
    for told in [
        "not instrumented: 1 launch of add_one(int*): tools need ",
        "bytes of LDS beside what the launch asks for, and a workgroup has at most 65536",
        "not instrumented: 1 launch of add_one(int*): it is a cooperative launch",
        // The small cooperative launch fits, with fewer workgroups per unit.
        "total 576.",
    ] {
        assert!(
            stderr.contains(told) || stdout.contains(told),
            "{told}: {stdout}{stderr}"
        );
    }
    // The same where the variant comes from the cache.
    let (stdout, again) = scene.with(&tool);
    assert!(
        stdout.contains("right") && again.contains("1 from cache"),
        "{again}"
    );
    assert!(again.contains("it is a cooperative launch"), "{again}");
}

/// A kernel that has so many values in VGPRs at the first of its stores, which the second one needs.
fn full_of_values(values: u32, work_items: u32) -> String {
    format!(
        "#define LAUNCHES 1\n__global__ void __launch_bounds__({work_items}) add_one(int *data) {{\n\
         unsigned values[{values}], sum = 0, bad = 0, item = threadIdx.x;\n\
         _Pragma(\"unroll\") for (int i = 0; i < {values}; i++) values[i] = ((volatile int *)data)[item + 1024 * (i % 16 + 1)];\n\
         _Pragma(\"unroll\") for (int i = 0; i < {values}; i++) sum = sum * 31 + values[i];\n\
         ((volatile int *)data)[item + 1024 * 20] = sum;\n\
         _Pragma(\"unroll\") for (int i = 0; i < {values}; i++) asm volatile(\"\" : \"+v\"(values[i]));\n\
         _Pragma(\"unroll\") for (int i = 0; i < {values}; i++) bad |= values[i] ^ 0x11111111;\n\
         data[item] = bad ? 7 : 1;\n}}\n"
    )
}

/// A hook that has so many values in VGPRs.
fn many_loads(values: u32) -> String {
    r##"
#include <luthier_device.h>
LUTHIER_GLOBAL luthier_u64 total, sums;
LUTHIER_GLOBAL unsigned table[4096];
LUTHIER_HOOK void many(luthier_u32 lane) {
  unsigned values[VALUES], sum = 0;
  _Pragma("unroll") for (int i = 0; i < VALUES; i++)
    values[i] = ((volatile unsigned *)table)[i * 7 + luthier::lane()] + i * luthier::lane();
  _Pragma("unroll") for (int i = 0; i < VALUES; i++) sum = sum * 31 + values[VALUES - 1 - i];
  luthier::add(&total, 1);
  luthier::add(&sums, sum);
}
LUTHIER_TOOL(R"(insert = [{ hook = "many", where = "kind=store", arguments = [1] }]
print = [{ text = "total {total}, sums {sums}." }])")
"##
    .replace("VALUES", &values.to_string())
}

/// The sum that the hook makes in each of the wave's 64 lanes.
fn sum_of_a_wave(values: u32) -> u64 {
    let of_lane = |lane: u32| {
        let each = (0..values).rev().map(|i| i.wrapping_mul(lane));
        each.fold(0u32, |sum, value| sum.wrapping_mul(31).wrapping_add(value))
    };
    (0..64).map(|lane| u64::from(of_lane(lane))).sum()
}

/// Hooks that want more VGPRs than a place has put the application's aside, and those that want more than a wave of the kernel can
/// have keep values in memory.
#[test]
fn hooks_with_more_registers_than_a_place_has_spill() {
    for (values, work_items, loads) in [
        (110, 1024, 40),
        (110, 1024, 160),
        (200, 512, 60),
        (230, 256, 60),
    ] {
        let kernel = full_of_values(values, work_items);
        let main = format!(
            "GOOD(hipMemset(data + 1024, 0x11, 17 * 4096)); add_one<<<1, {work_items}>>>(data);"
        );
        let Some(scene) = Scene::with_source(&program(&kernel, &main)) else {
            return;
        };
        let tool = scene.built("many", &many_loads(loads));
        let (stdout, stderr) = scene.with(&tool);
        let case = format!("{values} in {work_items}, {loads}: {stdout}{stderr}");
        assert!(stdout.contains("right"), "{case}");
        assert!(stderr.contains("1 instrumented, 0 refused"), "{case}");
        let said = stdout + &stderr;
        let number = |word: &str| -> u64 {
            let rest = said.split(word).nth(1).expect(&case);
            let digits = rest.split(|letter: char| !letter.is_ascii_digit()).next();
            digits.and_then(|digits| digits.parse().ok()).expect(&case)
        };
        // (The compiler's own spills are stores, too.)
        let (total, sums) = (number("total "), number("sums "));
        assert!(total > 0 && total % 64 == 0, "{case}");
        assert_eq!(sums, total / 64 * sum_of_a_wave(loads), "{case}");
    }
}

const REGISTERS: &str = r##"
#include <luthier.h>
MARK_LUTHIER_DEVICE_MODULE
LUTHIER_TOOL(R"(parameter = [{ name = "reg", type = "u32", default = 0 }, { name = "what", type = "u32", default = 0 }]
hooks = { lanes = ["vector"], wave = ["scalar"], writer = [] })")
__managed__ luthier_u64 calls, sum;
extern "C" __device__ void lanes(unsigned x) { luthier::add(&sum, x); luthier::add(&calls, 1); }
extern "C" __device__ void wave(unsigned x) { luthier::add(&sum, x); luthier::add(&calls, 1); }
extern "C" __device__ void writer() { luthier::write_vgpr(200, 5); luthier::add(&calls, 1); }
LUTHIER_EXPORT_FUNC(lanes)
LUTHIER_EXPORT_FUNC(wave)
LUTHIER_EXPORT_FUNC(writer)
void luthier_at_kernel(luthier_u64 kernel) {
  auto code = luthier_disassemble_kernel_object(kernel);
  auto reg = luthier_option_number("reg");
  for (const auto &i : code) {
    bool store = i.is(LUTHIER_CLASS_STORE);
    switch (luthier_option_number("what")) {
    case 1: if (store) luthier_insert_call(i, LUTHIER_GET_HOOK_HANDLE(lanes), LUTHIER_IPOINT_BEFORE, {{LUTHIER_ARG_VGPR, 0, reg}}); break;
    case 2: if (store) luthier_insert_call(i, LUTHIER_GET_HOOK_HANDLE(wave), LUTHIER_IPOINT_BEFORE, {{LUTHIER_ARG_SGPR, 0, reg}}); break;
    case 3: if (store) luthier_insert_call(i, LUTHIER_GET_HOOK_HANDLE(lanes), LUTHIER_IPOINT_BEFORE, {{LUTHIER_ARG_AGPR, 0, reg}}); break;
    case 4: if (store) luthier_insert_call(i, LUTHIER_GET_HOOK_HANDLE(writer), LUTHIER_IPOINT_BEFORE, {}); break;
    case 5: if (store) luthier_insert_assembly(i, LUTHIER_IPOINT_BEFORE, ("v_mov_b32 v" + std::to_string(reg) + ", v0").c_str()); break;
    case 6: if (i.is(LUTHIER_CLASS_END)) luthier_remove(i); break;
    // One hook that there can be beside one that there cannot.
    case 7:
      if (store) luthier_insert_call(i, LUTHIER_GET_HOOK_HANDLE(lanes), LUTHIER_IPOINT_BEFORE, {{LUTHIER_ARG_VGPR, 0, reg}});
      if (i.is(LUTHIER_CLASS_END)) luthier_insert_call(i, LUTHIER_GET_HOOK_HANDLE(lanes), LUTHIER_IPOINT_BEFORE, {{LUTHIER_ARG_VGPR, 0, 0}});
    }
  }
}
void luthier_at_term() { luthier_report("calls " + std::to_string(calls)); }
"##;

#[test]
fn registers_that_are_not_there_cost_the_hook_and_not_the_application() {
    let Some(scene) = Scene::new() else { return };
    let tool = scene.built("registers", REGISTERS);
    let run = |what: u32, reg: u32| {
        let tool = format!("{}:what={what},reg={reg}", tool.to_str().unwrap());
        let (stdout, stderr) = scene.run(&["-t", &tool], &[]);
        stdout + &stderr
    };
    for (what, letter, numbers) in [
        (1, 'v', &[20, 90, 255, 256, 400, 600][..]),
        (2, 's', &[101, 104, 106, 108, 124, 128, 256, 600]),
        (3, 'a', &[20, 255, 256, 600]),
        (4, 'v', &[200]),
    ] {
        for &reg in numbers {
            let said = run(what, reg);
            let told = format!("the kernel has no {letter}{reg}");
            assert!(said.contains(&told), "{told}: {said}");
            assert!(said.contains("calls 0"), "{told}: {said}");
        }
    }
    let there = run(1, 0);
    assert!(
        there.contains("calls 1280") && !there.contains("the kernel has no"),
        "{there}"
    );
    // The kernel gets what code of the tool names, as far as there can be as much.
    for reg in [20, 90, 123] {
        let said = run(5, reg);
        assert!(
            said.contains("0 refused") && !said.contains("not instrumented"),
            "{reg}: {said}"
        );
    }
    assert!(run(5, 128).contains("it has at most 128"));
    assert!(run(5, 300).contains("cannot assemble"));
    assert!(run(6, 0).contains("has to end with s_endpgm"));
    let both = run(7, 20);
    assert!(
        both.contains("calls 1280") && both.contains("the kernel has no v20"),
        "{both}"
    );
}

/// The same as a description says it.
#[test]
fn descriptions_that_name_registers_which_are_not_there() {
    let Some(scene) = Scene::new() else { return };
    let text = |register: &str| {
        format!(
            "#include <luthier_device.h>\nLUTHIER_GLOBAL luthier_u64 n;\nLUTHIER_HOOK void a(luthier_u32 x) {{ luthier::add(&n, x); }}\n\
             LUTHIER_TOOL(R\"(insert = [{{ hook = \"a\", where = \"kind=store\", arguments = [\"{register}\"] }}]\nprint = [{{ text = \"{{n}}\" }}])\")\n"
        )
    };
    let tool = scene.built("v20", &text("v20"));
    let (_, said) = scene.with(&tool);
    assert!(said.contains("the kernel has no v20"), "{said}");
    // No kernel of any target has it.
    let source = scene.path("v256.hip");
    std::fs::write(&source, text("v256")).unwrap();
    let out = scene.path("v256.tool");
    let (built, said) = scene.luthier(&[
        "tool",
        "build",
        "-o",
        out.to_str().unwrap(),
        source.to_str().unwrap(),
    ]);
    assert!(!built && said.contains("v0 to v255"), "{said}");
}
