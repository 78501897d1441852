//! Samples of C++ tools that count and trace: what they say, held against the program and the emulated GPU's own counts.

use std::{collections::BTreeMap, path::Path};

use crate::stock::{DEVICE, Scene};

/// Runs the scene's program with a tool, or with none, and returns what it said, and the files that were left by the beginnings of
/// their names.
fn run(
    scene: &Scene,
    tool: Option<&Path>,
    options: &[&str],
) -> (String, BTreeMap<String, serde_json::Value>) {
    let output = scene.path("output");
    let mut arguments = vec![
        "run",
        "--device",
        DEVICE,
        "--output",
        output.to_str().unwrap(),
    ];
    arguments.extend(tool.iter().flat_map(|tool| ["-t", tool.to_str().unwrap()]));
    arguments.extend(options);
    arguments.extend(["--", scene.application.to_str().unwrap()]);
    let (fine, said) = scene.luthier(&arguments);
    assert!(fine, "{said}");
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(&output).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if let Some(name) = name.strip_suffix(".json") {
            let value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            files.insert(name.split('.').next().unwrap().to_owned(), value);
        }
    }
    std::fs::remove_dir_all(&output).unwrap();
    (said, files)
}

#[test]
fn accesses_are_printed_by_wave() {
    let Some(scene) = Scene::new() else { return };
    let tool = scene.sample("mem_trace");
    let (said, _) = run(&scene, Some(&tool), &["-k", "^add_one"]);
    // Every lane loads and stores one integer: 20 waves, each a workgroup of its own.
    let (mut loads, mut stores) = (Vec::new(), Vec::new());
    for line in said.lines().filter(|line| line.starts_with("launch ")) {
        let parts: Vec<&str> = line.split(" - ").collect();
        let [launch, workgroup, "wave 0", opcode, addresses] = parts[..] else {
            panic!("{line}")
        };
        let addresses: Vec<u64> = addresses
            .split_whitespace()
            .map(|address| u64::from_str_radix(address.trim_start_matches("0x"), 16).unwrap())
            .collect();
        let expected: Vec<u64> = (0..64).map(|lane| addresses[0] + 4 * lane).collect();
        assert_eq!(addresses, expected, "{line}");
        let place = (launch.to_owned(), workgroup.to_owned(), addresses[0]);
        match opcode {
            "global_load_dword" => loads.push(place),
            "global_store_dword" => stores.push(place),
            _ => panic!("{line}"),
        }
    }
    loads.sort();
    stores.sort();
    assert_eq!((loads.len(), &loads), (20, &stores), "{said}");
    let base = loads[0].2;
    for (_, workgroup, address) in &loads {
        let number = workgroup.strip_prefix("workgroup ").unwrap();
        let number: u64 = number.split(',').next().unwrap().parse().unwrap();
        assert_eq!(*address, base + 256 * number);
    }
    // No instruction is chosen.
    let none = format!("{}:begin=0,end=0", tool.display());
    let (said, _) = run(&scene, Some(Path::new(&none)), &["-k", "^add_one"]);
    assert!(!said.contains("wave 0"), "{said}");
}

#[test]
fn graphs_are_counted() {
    let Some(scene) = Scene::with_program("graphs") else {
        return;
    };
    let (_, files) = run(&scene, None, &[]);
    let kernels = files["statistics"]["kernels"].as_array().unwrap();
    let expected: u64 = kernels
        .iter()
        .filter(|kernel| kernel["kernel"].as_str().unwrap().contains("axpy"))
        .map(|kernel| kernel["wave_instructions"].as_u64().unwrap())
        .sum();
    assert_ne!(expected, 0);
    let tool = scene.sample("graph_counter");
    // Four launches with two kernels, three with three.
    let (said, files) = run(&scene, Some(&tool), &["-k", "^axpy"]);
    for line in [
        format!(
            "17 launches, {expected} wave instructions of axpy(float, float const*, float*, int)\n"
        ),
        format!("17 launches, 7 of graphs; {expected} wave instructions\n"),
    ] {
        assert!(said.contains(&line), "{line}: {said}");
    }
    let json = &files["graph_counter"];
    assert_eq!(json["graphs"], 7);
    assert_eq!(json["kernels"][0]["wave_instructions"], expected);
    // The user chooses these.
    let all = run(
        &scene,
        Some(Path::new("opcode-histogram")),
        &["-k", "^axpy"],
    )
    .1;
    let expected = &all["opcode-histogram"][0]["opcodes"]["s_endpgm"];
    let options = ["-k", "^axpy", "--site", "opcode=s_endpgm"];
    let (_, files) = run(&scene, Some(&tool), &options);
    let ends = &files["graph_counter"]["kernels"][0]["wave_instructions"];
    assert_eq!(ends, expected);
}

/// Counts blocks and edges, and holds one against the other.
const FLOW: &str = r#"
#include <luthier.h>
#include <map>
MARK_LUTHIER_DEVICE_MODULE
static std::map<std::string, std::vector<luthier_block>> kernels;
void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t) {
  auto *packet = args->hsa_evt_kernel_launch.dispatch_packet;
  if (luthier_is_instrumented(packet->kernel_object))
    return;
  auto blocks = luthier_blocks(packet->kernel_object);
  size_t counter = 0;
  for (const auto &block : blocks) {
    luthier_count_block(block, counter++);
    for (size_t next : block.successors)
      luthier_count_edge(block, next, counter++);
  }
  kernels[luthier_functions(packet->kernel_object)[0].name] = blocks;
  luthier_override_with_instrumented(packet);
}
void luthier_at_term() {
  size_t held = 0, all = 0;
  for (const auto &kernel : luthier_all_counted()) {
    const auto &blocks = kernels[kernel.kernel];
    std::map<size_t, luthier_u64> counts, into;
    size_t counter = 0;
    for (const auto &block : blocks) {
      counts[block.index] = kernel.counters[counter++];
      for (size_t next : block.successors)
        into[next] += kernel.counters[counter++];
    }
    for (const auto &[block, sum] : into) {
      ++all;
      held += counts[block] == sum;
    }
  }
  luthier_report(std::to_string(all - held) + " of blocks differ; there are some: " + (all > 20 ? "yes" : "no"));
  try {
    luthier_report_json("{");
  } catch (const luthier_error &error) {
    luthier_report(error.reason);
  }
}
"#;

#[test]
fn blocks_and_edges_are_counted() {
    let Some(scene) = Scene::with_program("divergence") else {
        return;
    };
    let tool = scene.tool("flow", FLOW);
    let (said, files) = run(&scene, Some(&tool), &[]);
    let line = "0 of blocks differ; there are some: yes\n";
    assert!(
        said.contains(line) && said.contains("that is no JSON: "),
        "{said}"
    );
    assert!(!files.contains_key("flow"));
}

/// Adds the lengths of blocks.
const LENGTHS: &str = r#"
#include <luthier_device.h>
LUTHIER_GLOBAL luthier_u64 total;
LUTHIER_GLOBAL luthier_u64 kernels;
LUTHIER_HOOK void add(luthier_u32 amount) { luthier::add(&total, amount); }
LUTHIER_HOOK void begin() { luthier::add(&kernels, 1); }
LUTHIER_TOOL(R"(
about = "adds the lengths of blocks"
insert = [{ hook = "add", at = "block", once = true, arguments = ["block.length"] },
          { hook = "begin", at = "kernel-entry", once = true }]
print = [{ text = "{total} instructions in {kernels} waves" }]
)")
"#;

#[test]
fn blocks_are_chosen_by_their_instructions() {
    let Some(scene) = Scene::new() else { return };
    let (source, tool) = (scene.path("lengths.hip"), scene.path("lengths.tool"));
    std::fs::write(&source, LENGTHS).unwrap();
    let (source, out) = (source.to_str().unwrap(), tool.to_str().unwrap());
    let (fine, said) = scene.luthier(&["tool", "build", source, "-o", out, "--target", DEVICE]);
    assert!(fine, "{said}");
    let only = ["-k", "^add_one"];
    let (_, files) = run(&scene, Some(Path::new("opcode-histogram")), &only);
    let opcodes = files["opcode-histogram"][0]["opcodes"].as_object().unwrap();
    for (site, begins) in [
        ("v_*", "v_"),
        ("s_endpgm", "s_endpgm"),
        ("*", ""),
        ("v_sin_f32", "none"),
    ] {
        let chosen = opcodes.iter().filter(|(name, _)| name.starts_with(begins));
        let expected: u64 = chosen.map(|(_, count)| count.as_u64().unwrap()).sum();
        // The program launches 20 waves.
        let waves = if expected == 0 { 0 } else { 20 };
        let site = format!("opcode={site}");
        let options = [&only[..], &["--site", &site]].concat();
        let (said, _) = run(&scene, Some(&tool), &options);
        let line = format!("{expected} instructions in {waves} waves\n");
        assert!(said.contains(&line), "{site}: {line}: {said}");
    }
}

/// Wants an address at every instruction, which only some have.
const WHOLE: &str = r#"
#include <luthier.h>
MARK_LUTHIER_DEVICE_MODULE
extern "C" __device__ void look(unsigned long address) { (void)*(volatile char *)&address; }
LUTHIER_EXPORT_FUNC(look)
static size_t chosen;
void luthier_at_hsa_event(hsa_api_args_t *args, luthier_api_phase_t, hsa_api_id_t id) {
  auto *packet = args->hsa_evt_kernel_launch.dispatch_packet;
  if (id != HSA_EVT_ID_KERNEL_LAUNCH || luthier_is_instrumented(packet->kernel_object))
    return;
  chosen = 0;
  for (const auto &instruction : luthier_disassemble_kernel_object(packet->kernel_object)) {
    chosen += instruction.chosen;
    luthier_insert_call(instruction, LUTHIER_GET_HOOK_HANDLE(look), LUTHIER_IPOINT_BEFORE, {{LUTHIER_ARG_ADDRESS, 0, 0}});
  }
#ifdef ALL
  luthier_all_or_nothing(packet->kernel_object);
#endif
  luthier_override_with_instrumented(packet);
}
void luthier_at_term() { luthier_report(std::to_string(chosen) + " chosen"); }
"#;

#[test]
fn hooks_may_be_all_or_nothing_and_know_what_was_chosen() {
    let Some(scene) = Scene::new() else { return };
    let (part, all) = (WHOLE.to_owned(), format!("#define ALL\n{WHOLE}"));
    for (name, text, site, outcome, chosen) in [
        ("part", &part, "opcode=*", "1 instrumented, 0 refused", None),
        ("all", &all, "opcode=*", "0 instrumented, 1 refused", None),
        // The load and the store have addresses.
        (
            "some",
            &all,
            "opcode=global_*",
            "1 instrumented, 0 refused",
            Some("2 chosen\n"),
        ),
    ] {
        let tool = scene.tool(name, text);
        let (said, _) = run(&scene, Some(&tool), &["-k", "^add_one", "--site", site]);
        assert!(said.contains(outcome), "{name}: {said}");
        assert!(
            chosen.is_none_or(|chosen| said.contains(chosen)),
            "{name}: {said}"
        );
    }
}
