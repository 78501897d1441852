//! The abilities of C++ tools that docs/tools describes: hooks in HIP, reading and changing code, parameters, samples.

use crate::stock;

use crate::stock::{DEVICE, Scene};

/// `hook` at the first instruction of every kernel; `body` is the rest of the tool.
fn at_entry(body: &str, hook: &str) -> String {
    format!(
        r#"
#include <luthier.h>
#include <assert.h>
MARK_LUTHIER_DEVICE_MODULE
{body}
LUTHIER_EXPORT_FUNC({hook})
void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t) {{
  auto *packet = args->hsa_evt_kernel_launch.dispatch_packet;
  if (luthier_is_instrumented(packet->kernel_object))
    return;
  luthier_insert_call(luthier_disassemble_kernel_object(packet->kernel_object)[0], LUTHIER_GET_HOOK_HANDLE({hook}),
                      LUTHIER_IPOINT_BEFORE);
  luthier_override_with_instrumented(packet);
}}
"#
    )
}

/// HIP's own names. The program has 1280 work-items in 20 waves: 4, 4, 4 and 8 workgroups of one.
const IS_HIP: &str = r#"
__managed__ unsigned long seen[12];
__device__ const unsigned table[8] = {1, 2, 4, 8, 16, 32, 64, 128};
__constant__ unsigned weights[4] = {3, 5, 7, 11};
extern "C" __device__ void look() {
  atomicAdd(&seen[0], 1ul);
  atomicAdd(&seen[1], (unsigned long)threadIdx.x);
  atomicAdd(&seen[2], (unsigned long)blockIdx.x);
  atomicMax(&seen[3], (unsigned long)blockDim.x);
  atomicMax(&seen[4], (unsigned long)gridDim.x);
  atomicMax(&seen[5], (unsigned long)warpSize);
  unsigned doubled[8];
  for (int index = 0; index < 8; ++index)
    doubled[index] = table[index] * 2;
  atomicAdd(&seen[6], (unsigned long)doubled[threadIdx.x & 7]);
  atomicAdd(&seen[7], (unsigned long)weights[threadIdx.x & 3]);
  atomicAdd(&seen[8], (unsigned long)__lane_id());
  atomicMax(&seen[9], (unsigned long)luthier::dispatch_id());
  atomicAdd(&seen[10], (unsigned long)luthier::site());
  atomicOr(&seen[11], (unsigned long)luthier::workgroup_size(0));
}
void luthier_at_term() { for (unsigned long value : seen) printf("%lu ", value); printf("end\n"); }
"#;

#[test]
fn hooks_use_what_hip_has() {
    let Some(scene) = Scene::new() else { return };
    let tool = scene.tool("hip", &at_entry(IS_HIP, "look"));
    let (stdout, stderr) = scene.with(&tool);
    // The same by clang alone, which gets HIP's names from our header.
    let alone = scene.built("alone", &at_entry(IS_HIP, "look"));
    let (of_clang, said_of_clang) = scene.with(&alone);
    // (Launch 0 is that of hipMemset.) Work-items: 0 to 63 in each of 20 workgroups; workgroups: three times 0 to 3 and once 0 to 7.
    let expected = format!(
        "1280 {} {} 64 8 64 {} {} {} 4 0 64 end\n",
        20 * 2016,
        64 * (3 * 6 + 28),
        1280 / 8 * 510,
        1280 / 4 * 26,
        20 * 2016
    );
    assert!(stdout.contains(&expected), "{stdout}{stderr}");
    assert!(of_clang.contains(&expected), "{of_clang}{said_of_clang}");
}

/// HIP's names where there is no HIP, as far as the first test does not have them.
const NAMES: &str = r#"
__managed__ unsigned long long seen[8];
__shared__ unsigned in_lds;
extern "C" __device__ void look() {
  long long begun = clock64();
  in_lds = 0;
  atomicAdd(&in_lds, 2);
  if (threadIdx.x == 0)
    atomicAdd(&seen[0], in_lds);
  atomicCAS(&seen[1], 0, 7);
  atomicExch(&seen[2], 9);
  atomicXor(&seen[3], 1ull << threadIdx.x);
  atomicMin(&seen[4], threadIdx.x);
  atomicAdd(&seen[5], clock64() > begun);
  atomicSub(&seen[6], 1);
  atomicAnd(&seen[7], 1 + threadIdx.x % 2 * 2);
  if (threadIdx.x == 3 && blockIdx.x == 7)
    printf("lane %u of %u, %d\n", threadIdx.x, blockDim.x, (int)warpSize);
}
void luthier_at_init() { seen[3] = 3; seen[4] = 99; seen[6] = 1281; seen[7] = 7; }
void luthier_at_term() { for (unsigned long long value : seen) printf("%llu ", value); printf("end\n"); }
"#;

#[test]
fn hips_names_are_there_without_hip() {
    let Some(scene) = Scene::new() else { return };
    let tool = scene.built("names", &at_entry(NAMES, "look"));
    let (stdout, stderr) = scene.with(&tool);
    // 20 waves of 64 lanes: every bit is flipped 20 times; LDS has the 64 lanes' twos.
    let expected = "2560 7 9 3 0 1280 1 1 end\n";
    assert!(stdout.contains(expected), "{stdout}{stderr}");
    assert!(stdout.contains("lane 3 of 64, 64\n"), "{stdout}{stderr}");
}

const PRINTS: &str = r#"
extern "C" __device__ void look() {
  if (threadIdx.x == 5)
    printf("workgroup %u of %d, %s: %.2f %c%% %g\n", (unsigned)blockIdx.x, (int)gridDim.x,
           "a text that is longer than the fifty-six bytes that one piece of a message has", 1.25, 'x',
           threadIdx.x * 20.0 - 100);
  assert(blockIdx.x != 6 || threadIdx.x != 9);
}
"#;

#[test]
fn hooks_print_and_assert() {
    let Some(scene) = Scene::new() else { return };
    let tool = scene.tool("prints", &at_entry(PRINTS, "look"));
    let (stdout, stderr) = scene.with(&tool);
    let line = |block, blocks| {
        format!(
            "workgroup {block} of {blocks}, a text that is longer than the fifty-six bytes that one piece of a message has: 1.25 x% 0\n"
        )
    };
    for (block, blocks, times) in [(3, 4, 3), (7, 8, 1)] {
        let count = stdout.matches(&line(block, blocks)).count();
        assert_eq!(count, times, "{stdout}{stderr}");
    }
    assert_eq!(stdout.matches("workgroup ").count(), 20, "{stdout}");
    let said = "Device-side assertion `blockIdx.x != 6 || threadIdx.x != 9' failed.\n";
    assert_eq!(stderr.matches(said).count(), 1, "{stderr}");
}

/// Holds what is said of the code against itself.
const LOOKS: &str = r#"
#include <luthier.h>
MARK_LUTHIER_DEVICE_MODULE
#define CLAIM(what) do { if (!(what)) printf("not so: %s\n", #what); } while (0)
void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t) {
  auto *packet = args->hsa_evt_kernel_launch.dispatch_packet;
  luthier_u64 object = packet->kernel_object;
  auto kernel = luthier_kernel(object);
  auto instructions = luthier_disassemble_kernel_object(object);
  auto blocks = luthier_blocks(object);
  auto functions = luthier_functions(object);
  CLAIM(std::string(kernel.target) == "gfx90a" && kernel.wave_size == 64);
  CLAIM(kernel.instructions == instructions.size() && kernel.blocks == blocks.size() && functions.size() == 1);
  CLAIM(functions[0].demangled == "add_one(int*)" && functions[0].blocks == blocks.size());
  size_t next = 0;
  for (const auto &block : blocks) {
    CLAIM(block.first == next && block.function == 0);
    for (; next < block.first + block.size; ++next)
      CLAIM(instructions[next].block == block.index);
  }
  CLAIM(next == instructions.size());
  const Instr &end = instructions.back();
  CLAIM(end.mnemonic == "s_endpgm" && end.is(LUTHIER_CLASS_END) && blocks.back().successors.empty());
  for (const auto &instruction : instructions)
    if (instruction.mnemonic == "global_store_dword") {
      auto operands = instruction.operands();
      CLAIM(instruction.is(LUTHIER_CLASS_STORE) && !instruction.is(LUTHIER_CLASS_LOAD));
      size_t vectors = 0;
      for (const auto &operand : operands)
        if (operand.kind == LUTHIER_OPERAND_USE && operand.file == LUTHIER_REGISTER_VGPR) {
          ++vectors;
          CLAIM(instruction.is_live(LUTHIER_REGISTER_VGPR, operand.first));
        }
      CLAIM(vectors == 2);
      CLAIM(!end.is_live(LUTHIER_REGISTER_VGPR, operands[0].first));
    }
  auto parameters = luthier_parameters(object);
  CLAIM(parameters.size() == 1 && parameters[0].type == "int*" && parameters[0].is_pointer && parameters[0].offset == 0);
  CLAIM(luthier_argument<void *>(packet, parameters[0]) != nullptr);
  printf("launch %lu looked at\n", (unsigned long)luthier_launch_of(packet).number);
}
"#;

#[test]
fn tools_see_functions_blocks_operands_and_parameters() {
    let Some(scene) = Scene::new() else { return };
    let tool = scene.tool("looks", LOOKS);
    let (stdout, stderr) = scene.with(&tool);
    assert!(!stdout.contains("not so"), "{stdout}");
    let looked = stdout.matches(" looked at\n").count();
    assert_eq!(looked, 4, "{stdout}{stderr}");
}

/// Puts another instruction in place of the one that adds.
const CHANGES: &str = r#"
#include <luthier.h>
MARK_LUTHIER_DEVICE_MODULE
void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t) {
  auto *packet = args->hsa_evt_kernel_launch.dispatch_packet;
  if (luthier_is_instrumented(packet->kernel_object))
    return;
  for (const auto &instruction : luthier_disassemble_kernel_object(packet->kernel_object)) {
    auto one = instruction.text.find(", 1, v");
    if (instruction.mnemonic.find("v_add_u32") == 0 && one != std::string::npos) {
      std::string other = instruction.text;
      luthier_replace(instruction, other.replace(one, 5, ", 3, ").c_str());
    }
  }
  luthier_override_with_instrumented(packet);
}
"#;

#[test]
fn instructions_are_replaced() {
    let Some(scene) = Scene::new() else { return };
    let tool = scene.tool("changes", CHANGES);
    let (fine, said) = scene.luthier(&[
        "run",
        "--device",
        DEVICE,
        "-k",
        "^add_one",
        "-t",
        tool.to_str().unwrap(),
        "--",
        scene.application.to_str().unwrap(),
    ]);
    // Three is added four times.
    assert!(!fine && said.contains("value 0 is 12, not 4"), "{said}");
}

/// A text that gives no code is refused, and the instruction stays.
#[test]
fn texts_without_instructions_replace_nothing() {
    let Some(scene) = Scene::new() else { return };
    for (name, text, reason) in [
        (
            "set",
            ".set foo, 3 // no code",
            "there is no instruction in the text",
        ),
        ("empty", "", "there is no instruction in the text"),
        (
            "data",
            "s_nop 0\\n.data\\n.long 5",
            "the text puts 4 bytes into section .data",
        ),
        (
            "unlisted",
            ".section .foo\\ns_nop 0",
            "the text puts 4 bytes into section .foo",
        ),
    ] {
        let body = format!(
            r#"
#include <luthier.h>
MARK_LUTHIER_DEVICE_MODULE
void luthier_at_kernel(luthier_u64 kernel) {{
  luthier_replace(luthier_disassemble_kernel_object(kernel)[0], "{text}");
}}
"#
        );
        let tool = scene.tool(name, &body);
        let (fine, said) = scene.luthier(&[
            "run",
            "--device",
            DEVICE,
            "-k",
            "^add_one",
            "-t",
            tool.to_str().unwrap(),
            "--",
            scene.application.to_str().unwrap(),
        ]);
        assert!(fine && said.contains("0 instrumented, 1 refused"), "{said}");
        assert!(said.contains(reason), "{said}");
    }
}

/// Samples besides those that `stock_tool` runs, one after the other.
#[test]
fn samples_do_what_their_first_lines_say() {
    let Some(scene) = Scene::new() else { return };
    let run = |name: &str, options: &str| {
        let library = scene.sample(name);
        let tool = format!("{}{options}", library.display());
        scene.run(&["-t", &tool], &[])
    };
    let (_, said) = run("kernel_arguments", "");
    assert_eq!(said.matches(" int* ").count(), 4, "{said}");
    assert_eq!(said.matches(" ran for ").count(), 4, "{said}");

    let (_, said) = run("cache_simulator", ":lines=64,bytes=128");
    let line = said
        .lines()
        .find(|line| line.contains(" misses"))
        .unwrap_or(&said);
    let numbers: Vec<u64> = line
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect();
    // A load and a store of each work-item; 512 dwords are 16 lines, which all fit.
    assert_eq!(numbers, [2 * 1280 - 16, 16], "{said}");

    let (_, said) = run("instruction_mix", "");
    assert!(
        said.contains(" memory 60\n") || said.contains(" memory "),
        "{said}"
    );

    let (_, said) = run("memcpy_skipper", ":size=1");
    assert!(said.contains("left out 0 of 1 copies"), "{said}");

    let (_, said) = run("edge_profile", "");
    assert!(said.contains("1 instrumented"), "{said}");

    let (_, said) = run("record_registers", ":opcode=v_add*");
    assert!(!said.contains(" 0 written"), "{said}");

    // Every value is another one after each launch.
    let (_, said) = run("redundant_loads", "");
    assert!(said.contains(" 0 of 1280 redundant: "), "{said}");

    let timeline = scene.path("blocks.json");
    run("block_latency", &format!(":file={}", timeline.display()));
    let text = std::fs::read(&timeline).unwrap();
    // One block, so no wave goes on to another.
    let events: Vec<serde_json::Value> = serde_json::from_slice(&text).unwrap();
    assert!(events.iter().all(|event| event["ph"] == "X"), "{events:?}");

    let (stdout, said) = run("value_checker", "");
    assert!(
        !stdout.contains(" stores ") && said.contains("1 instrumented"),
        "{stdout}{said}"
    );
}

#[test]
fn samples_change_what_the_program_does() {
    let Some(scene) = Scene::new() else { return };
    let run = |name: &str, options: &str| {
        let library = scene.sample(name);
        let tool = format!("{}{options}", library.display());
        let application = scene.application.to_str().unwrap();
        scene.luthier(&[
            "run",
            "--device",
            DEVICE,
            "-k",
            "^add_one",
            "-t",
            &tool,
            "--",
            application,
        ])
    };
    // The copy of the results never comes.
    let (fine, said) = run("memcpy_skipper", ":size=2048");
    assert!(!fine && said.contains("left out 1 of 1 copies"), "{said}");
    // Every wave gets the value that lane 3 loads. Four times has no effect, but the second half is computed once.
    let (fine, said) = run("fault_injector", ":opcode=global_load_dword,lane=3,bit=10");
    assert!(!fine && said.contains("value 259 is 1025, not 1"), "{said}");
    assert!(said.contains("20 results changed"), "{said}");
}

#[test]
fn parameters_are_declared_and_checked() {
    let Some(scene) = Scene::new() else { return };
    let library = scene.sample("cache_simulator");
    let library = library.to_str().unwrap();
    let (fine, said) = scene.luthier(&["tool", "info", library]);
    assert!(fine && said.contains("lines: u64 = 256"), "{said}");
    for (options, expected) in [(":line=1", "lines"), (":lines=many", "u64")] {
        let tool = format!("{library}{options}");
        let (fine, said) = scene.luthier(&["run", "-t", &tool, "--", "true"]);
        assert!(!fine && said.contains(expected), "{said}");
    }
}

/// Two sources, of which one has the callbacks, and each a hook and a variable.
const FIRST: &str = r#"
#include <luthier.h>
MARK_LUTHIER_DEVICE_MODULE
__managed__ unsigned long first_total;
extern "C" __device__ void first() { atomicAdd(&first_total, 1ul); }
LUTHIER_EXPORT_FUNC(first)
const void *second_hook();
unsigned long second_sum();
void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t) {
  auto *packet = args->hsa_evt_kernel_launch.dispatch_packet;
  if (luthier_is_instrumented(packet->kernel_object))
    return;
  auto entry = luthier_disassemble_kernel_object(packet->kernel_object)[0];
  luthier_insert_call(entry, LUTHIER_GET_HOOK_HANDLE(first), LUTHIER_IPOINT_BEFORE);
  luthier_insert_call(entry, second_hook(), LUTHIER_IPOINT_BEFORE);
  luthier_override_with_instrumented(packet);
}
void luthier_at_term() { printf("first %lu second %lu\n", first_total, second_sum()); }
"#;
const SECOND: &str = r#"
#include <luthier.h>
__managed__ unsigned long second_total;
extern "C" __device__ void second() { atomicAdd(&second_total, 2ul); }
LUTHIER_EXPORT_FUNC(second)
const void *second_hook() { return LUTHIER_GET_HOOK_HANDLE(second); }
unsigned long second_sum() { return second_total; }
"#;

#[test]
fn a_tool_has_several_sources() {
    let Some(scene) = Scene::new() else { return };
    let (first, second) = (scene.path("first.hip"), scene.path("second.hip"));
    std::fs::write(&first, FIRST).unwrap();
    std::fs::write(&second, SECOND).unwrap();
    // Each compiler in one of the two ways: linked with device code apart and together.
    let rdc = [None, Some("-fgpu-rdc")];
    for ((name, mut compiler), rdc) in stock::compilers().into_iter().zip(rdc) {
        compiler.args(rdc).arg(&second);
        let library = scene.compile(compiler, &first, name);
        let (stdout, stderr) = scene.with(&library);
        assert!(
            stdout.contains("first 1280 second 2560\n"),
            "{name} {rdc:?}: {stdout}{stderr}"
        );
    }
}

/// Two sources whose hooks use each other's device functions and variables: per wave 2 * 5 and 1000.
const CALLER: &str = r#"
#include <luthier.h>
MARK_LUTHIER_DEVICE_MODULE
__device__ luthier_u64 total = 0;
__device__ void add_twice(unsigned amount);
extern "C" __device__ void caller(unsigned amount) { if (luthier::elected()) add_twice(amount); }
LUTHIER_EXPORT_FUNC(caller)
void insert_other(const Instr &at);
void luthier_at_kernel(luthier_u64 kernel_object) {
  auto entry = luthier_disassemble_kernel_object(kernel_object)[0];
  luthier_insert_call(entry, LUTHIER_GET_HOOK_HANDLE(caller), LUTHIER_IPOINT_BEFORE, {{LUTHIER_ARG_CONSTANT, 0, 5}});
  insert_other(entry);
}
void luthier_at_term() { printf("total %lu\n", (unsigned long)luthier_copy_from_variable(total)); }
"#;
const CALLEE: &str = r#"
#include <luthier.h>
extern __device__ luthier_u64 total;
__device__ void add_twice(unsigned amount) { luthier::add(&total, 2 * amount); }
extern "C" __device__ void other() { luthier::count_wave(&total, 1000); }
LUTHIER_EXPORT_FUNC(other)
void insert_other(const Instr &at) { luthier_insert_call(at, LUTHIER_GET_HOOK_HANDLE(other), LUTHIER_IPOINT_BEFORE); }
"#;

#[test]
fn hooks_call_device_functions_of_other_sources() {
    let Some(scene) = Scene::new() else { return };
    let (caller, callee) = (scene.path("caller.hip"), scene.path("callee.hip"));
    std::fs::write(&caller, CALLER).unwrap();
    std::fs::write(&callee, CALLEE).unwrap();
    for (name, mut compiler) in stock::compilers() {
        compiler.arg("-fgpu-rdc").arg(&callee);
        let library = scene.compile(compiler, &caller, name);
        let (stdout, stderr) = scene.with(&library);
        let expected = format!("total {}\n", 20 * (2 * 5 + 1000));
        assert!(stdout.contains(&expected), "{name}: {stdout}{stderr}");
    }
}

#[test]
fn a_tool_is_preloaded() {
    let Some(scene) = Scene::new() else { return };
    let library = scene.sample("instruction_counter");
    let command = scene.emulator.command();
    let folder = std::path::Path::new(command.get_program())
        .parent()
        .unwrap();
    let folder = folder.display();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap());
    let (stdout, stderr) = scene.run(
        &[],
        &[("LD_PRELOAD", library.to_str().unwrap()), ("PATH", &path)],
    );
    let line = "Number of instructions executed: ";
    let count = stdout
        .split(line)
        .nth(1)
        .and_then(|rest| rest.lines().next());
    // All kernels are meant, hipMemset's among them only if it is named.
    let expected = scene.lane_instructions().to_string();
    assert_eq!(count, Some(&*expected), "{stdout}{stderr}");
}

/// A tool without host code, which compiles without HIP's headers.
const DECLARED: &str = r#"
#include <luthier_device.h>
LUTHIER_GLOBAL luthier_u64 total;
LUTHIER_HOOK void add(luthier_u32 amount) {
  luthier::add(&total, amount);
  if (amount == 7)
    printf("seven of %s\n", "these");
}
LUTHIER_TOOL(R"(
about = "adds at chosen places"
parameter = [{ name = "what", default = "s_endpgm" }, { name = "amount", type = "u32", default = 1, help = "what is added" }]
insert = [{ hook = "add", where = "opcode=$what", once = true, arguments = ["$amount"] }]
print = [{ text = "{total} in all" }]
)")
"#;

#[test]
fn declarative_tools_have_parameters_and_print() {
    let Some(scene) = Scene::new() else { return };
    let (source, tool) = (scene.path("declared.hip"), scene.path("declared.tool"));
    std::fs::write(&source, DECLARED).unwrap();
    let (source, tool) = (source.to_str().unwrap(), tool.to_str().unwrap());
    let (fine, said) = scene.luthier(&["tool", "build", source, "-o", tool, "--target", DEVICE]);
    assert!(fine, "{said}");
    let (fine, said) = scene.luthier(&["tool", "info", tool]);
    assert!(
        fine && said.contains("amount: u32 = 1  what is added"),
        "{said}"
    );
    // 20 waves, each of which loads once.
    for (options, expected, said_seven) in [
        ("", "20 in all", 0),
        (":amount=0x10", "320 in all", 0),
        (":what=global_load_dword,amount=7", "140 in all", 20),
    ] {
        let (stdout, stderr) = scene.run(&["-t", &format!("{tool}{options}")], &[]);
        assert!(stderr.contains(expected), "{options}: {stderr}");
        assert_eq!(
            stdout.matches("seven of these\n").count(),
            said_seven,
            "{stdout}"
        );
    }
    let (fine, said) = scene.luthier(&["run", "-t", &format!("{tool}:amount=-1"), "--", "true"]);
    assert!(!fine && said.contains("\"-1\" is no u32"), "{said}");
}
