//! Tools see instructions and launches as the manuals and the text describe them: operands, classes, packets.

use crate::stock::Scene;

/// One wave. A comparison of either encoding: 20 lanes of 64, and 30.
const COMPARES: &str = r#"
#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void add_one(unsigned long *out) {
  unsigned lane = threadIdx.x;
  unsigned long implied, named;
  asm volatile("v_cmp_gt_u32_e32 vcc, 20, %1\n s_mov_b64 %0, vcc" : "=s"(implied) : "v"(lane) : "vcc");
  asm volatile("v_cmp_gt_u32_e64 %0, 30, %1" : "=s"(named) : "v"(lane));
  out[lane] = implied ^ named;
}
int main() {
  unsigned long *out;
  if (hipMallocManaged(&out, 64 * sizeof *out) != hipSuccess) return 1;
  add_one<<<1, 64>>>(out);
  return hipDeviceSynchronize() != hipSuccess || out[0] != 0x3ff00000;
}
"#;

/// Adds up the lanes of the comparisons' results, which are operand 0, and what lanes compare, which is operand 2.
const LOOKS_AT_COMPARISONS: &str = r#"
#include <luthier_device.h>
LUTHIER_GLOBAL luthier_u64 lanes, values;
LUTHIER_HOOK void result(luthier_u64 mask) { luthier::count_wave(&lanes, __builtin_popcountll(mask)); }
LUTHIER_HOOK void source(luthier_u32 value) { luthier::add(&values, value); }
LUTHIER_TOOL(R"(
insert = [{ hook = "result", where = "opcode=v_cmp_gt_u32", after = true, arguments = ["operand.0"] },
          { hook = "source", where = "opcode=v_cmp_gt_u32", arguments = ["operand.2"] }]
print = [{ text = "lanes {lanes}, values {values}." }]
)")
"#;

#[test]
fn operands_have_their_places_in_every_encoding() {
    let Some(scene) = Scene::with_source(COMPARES) else {
        return;
    };
    let tool = scene.built("comparisons", LOOKS_AT_COMPARISONS);
    let (_, said) = scene.with(&tool);
    // Lanes are numbered from 0 to 63, in both comparisons.
    assert!(
        said.contains(&format!("lanes 50, values {}.", 2 * 2016)),
        "{said}"
    );
}

/// A function with a stack, called, and a store by a plain pointer.
const CALLS: &str = r#"
#include <hip/hip_runtime.h>
__device__ __attribute__((noinline)) unsigned sums(unsigned number) {
  unsigned kept[64];
  for (int index = 0; index < 64; ++index) kept[index] = number + 3 * index;
  return kept[number & 63];
}
__global__ void add_one(unsigned *out) {
  unsigned value = sums(threadIdx.x);
  asm volatile("flat_store_dword %0, %1" :: "v"(out + threadIdx.x), "v"(value) : "memory");
}
int main() {
  unsigned *out;
  if (hipMallocManaged(&out, 64 * sizeof *out) != hipSuccess) return 1;
  add_one<<<1, 64>>>(out);
  return hipDeviceSynchronize() != hipSuccess || out[9] != 36;
}
"#;

const LOOKS_AT_CLASSES: &str = r#"
#include <luthier.h>
MARK_LUTHIER_DEVICE_MODULE
#define CLAIM(what) do { if (!(what)) printf("not so: %s: %s\n", instruction.text.c_str(), #what); } while (0)
static bool names(const std::vector<luthier_operand> &operands, luthier_operand_kind kind, luthier_register_kind file) {
  for (const auto &operand : operands)
    if (operand.kind == kind && operand.file == file)
      return true;
  return false;
}
void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t) {
  unsigned buffers = 0, flats = 0, returns = 0, carries = 0;
  for (const auto &instruction : luthier_disassemble_kernel_object(args->hsa_evt_kernel_launch.dispatch_packet->kernel_object)) {
    auto operands = instruction.operands(), implied = instruction.implied();
    bool buffer = instruction.text.rfind("buffer_", 0) == 0 && instruction.text.find("s[0:3]") != std::string::npos;
    bool flat = instruction.text.rfind("flat_", 0) == 0;
    bool scratch = instruction.is(LUTHIER_CLASS_SCRATCH);
    CLAIM(scratch == buffer);
    CLAIM(instruction.is(LUTHIER_CLASS_FLAT) == flat);
    buffers += buffer, flats += flat;
    bool refused = false;
    try {
      instruction.is_live(LUTHIER_REGISTER_VGPR, 300);
    } catch (const luthier_error &) {
      refused = true;
    }
    CLAIM(refused);
    bool back = instruction.text == "s_setpc_b64 s[30:31]";
    CLAIM(instruction.is(LUTHIER_CLASS_RETURN) == back);
    returns += back;
    if (instruction.mnemonic == "s_cmp_lg_u32" || instruction.mnemonic == "s_cmp_eq_u32")
      CLAIM(names(implied, LUTHIER_OPERAND_DEF, LUTHIER_REGISTER_SCC));
    if (instruction.mnemonic == "s_addc_u32") {
      CLAIM(names(implied, LUTHIER_OPERAND_USE, LUTHIER_REGISTER_SCC) && names(implied, LUTHIER_OPERAND_DEF, LUTHIER_REGISTER_SCC));
      ++carries;
    }
    if (instruction.mnemonic == "v_addc_co_u32") {
      CLAIM(operands.size() >= 5 && operands[1].file == LUTHIER_REGISTER_VCC && operands[1].kind == LUTHIER_OPERAND_DEF);
      CLAIM(operands[4].file == LUTHIER_REGISTER_VCC && operands[4].kind == LUTHIER_OPERAND_USE);
    }
    if (instruction.is(LUTHIER_CLASS_VALU) && !instruction.is(LUTHIER_CLASS_IGNORES_EXEC))
      CLAIM(names(implied, LUTHIER_OPERAND_USE, LUTHIER_REGISTER_EXEC));
  }
  printf("%s %s %s %s\n", buffers ? "buffers" : "", flats ? "flats" : "", returns ? "returns" : "", carries ? "carries" : "");
}
"#;

#[test]
fn scratch_returns_and_implied_registers_are_seen() {
    let Some(scene) = Scene::with_source(CALLS) else {
        return;
    };
    let tool = scene.built("classes", LOOKS_AT_CLASSES);
    let (stdout, said) = scene.with(&tool);
    assert!(!stdout.contains("not so"), "{stdout}");
    assert!(
        stdout.contains("buffers flats returns carries\n"),
        "{stdout}{said}"
    );

    // The same by the words of descriptions and of `--site`: 64 lanes in one wave.
    let counts = |class: &str| {
        let text = format!(
            "#include <luthier_device.h>\nLUTHIER_GLOBAL luthier_u64 n;\n\
             LUTHIER_HOOK void h() {{ luthier::count_wave(&n, 1); }}\n\
             LUTHIER_TOOL(R\"(insert = [{{ hook = \"h\", where = \"kind={class}\" }}]\nprint = [{{ text = \"n {{n}}.\" }}])\")"
        );
        let (_, said) = scene.with(&scene.built("counts", &text));
        said
    };
    assert!(counts("return").contains("n 1."), "{}", counts("return"));
    assert!(counts("flat").contains("n 1."), "{}", counts("flat"));
    assert!(
        counts("flat&scratch").contains("nowhere"),
        "{}",
        counts("flat&scratch")
    );
}

/// How many of 256 work-items ran, and how much dynamic LDS they have.
const ITEMS: &str = r#"
#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void add_one(unsigned *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
int main() {
  unsigned *out, items = 0;
  if (hipMallocManaged(&out, 256 * sizeof *out) != hipSuccess) return 1;
  for (int item = 0; item < 256; ++item) out[item] = 0;
  add_one<<<4, 64>>>(out);
  if (hipDeviceSynchronize() != hipSuccess) return 1;
  for (int item = 0; item < 256; ++item) items += out[item];
  printf("%u items\n", items);
}
"#;

const HALVES: &str = r#"
#include <luthier.h>
MARK_LUTHIER_DEVICE_MODULE
__managed__ luthier_u64 waves;
extern "C" __device__ void count() { luthier::count_wave(&waves, 1); }
LUTHIER_EXPORT_FUNC(count)
void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t) {
  auto *packet = args->hsa_evt_kernel_launch.dispatch_packet;
  if (getenv("KIND")) packet->header = HSA_PACKET_TYPE_BARRIER_AND;
  if (packet->grid_size_x == 256) {
    if (packet->group_segment_size != 0 || packet->workgroup_size_x != 64 || packet->completion_signal.handle == 0 && packet->setup == 0)
      luthier_report("not the packet");
    packet->grid_size_x = 128;
    packet->group_segment_size += 256;
  }
  if (getenv("COUNTED") && !luthier_is_instrumented(packet->kernel_object)) {
    luthier_insert_call(luthier_disassemble_kernel_object(packet->kernel_object)[0], LUTHIER_GET_HOOK_HANDLE(count), LUTHIER_IPOINT_BEFORE);
    luthier_override_with_instrumented(packet);
  }
}
void luthier_at_term() { luthier_report("waves " + std::to_string(waves)); }
"#;

#[test]
fn a_packet_that_is_changed_in_the_event_acts() {
    let Some(scene) = Scene::with_source(ITEMS) else {
        return;
    };
    let tool = scene.built("halves", HALVES);
    let tool = tool.to_str().unwrap();
    for (variables, waves) in [(&[][..], "waves 0"), (&[("COUNTED", "1")], "waves 2")] {
        let (stdout, said) = scene.run(&["-t", tool], variables);
        assert!(stdout.contains("128 items\n"), "{stdout}{said}");
        assert!(
            said.contains(waves) && !said.contains("not the packet"),
            "{said}"
        );
    }
    let (stdout, said) = scene.run(&["-t", tool], &[("KIND", "1")]);
    assert!(stdout.contains("128 items\n"), "{stdout}{said}");
    assert!(
        said.contains("changed the kind of a launch's packet"),
        "{said}"
    );
}

#[test]
fn patterns_that_match_nothing_are_said() {
    let Some(scene) = Scene::new() else { return };
    let tool = |name: &str, pattern: &str| {
        let text = format!(
            "#include <luthier_device.h>\nLUTHIER_GLOBAL luthier_u64 n;\n\
             LUTHIER_HOOK void h() {{ luthier::add(&n, 1); }}\n\
             LUTHIER_TOOL(R\"(insert = [{{ hook = \"h\", where = \"{pattern}\" }}])\")"
        );
        scene.built(name, &text)
    };
    for (name, pattern, near) in [
        (
            "typo",
            "opcode=global_store_dwrd",
            "; did you mean global_store_dword?",
        ),
        (
            "newer",
            "opcode=global_store_b32",
            "; did you mean global_store_dword?",
        ),
        ("other", "opcode=v_frobnicate_f32", " in 1 kernel\n"),
        ("none", "kind=matrix", " in 1 kernel\n"),
        ("function", "function=^nothing$", " in 1 kernel\n"),
    ] {
        // The second time the kernel comes from the cache.
        for _ in 0..2 {
            let (_, said) = scene.with(&tool(name, pattern));
            let note = format!(
                "  note: tool {name} inserts its hook h nowhere: `where = \"{pattern}\"` matches no instruction"
            );
            assert!(said.contains(&note) && said.contains(near), "{said}");
        }
    }
    let (_, said) = scene.with(&tool("some", "opcode=global_store_dword|v_frobnicate_f32"));
    assert!(!said.contains("nowhere"), "{said}");
}
