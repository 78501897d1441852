//! Reports on real files, compared with llvm-objdump and with what was put in.

use crate::objects::{Work, compile, run, source};
use inspect::{Exit, Options, Report, inspect};

const KERNELS: &str = "../../../../ground/codeobj/tests/data/kernels.hip";

fn text(report: &Report) -> String {
    let mut out = Vec::new();
    report.write_text(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Instruction texts of one function as llvm-objdump prints them. It writes branch targets as displacements.
fn objdump(path: &str, name: &str) -> Vec<String> {
    let listing = run(
        "llvm-objdump-22",
        &["-d", &format!("--disassemble-symbols={name}"), path],
    );
    let lines = listing.lines().filter(|line| line.contains("//"));
    lines
        .map(|line| line.split("//").next().unwrap().trim().to_owned())
        .collect()
}

#[test]
fn bitcode_is_called_bitcode() {
    for start in codeobj::container::BITCODE {
        let bytes = [start, &[0; 60]].concat();
        let said = text(&inspect(&bytes, "a.bc", &Options::all()).unwrap());
        assert!(said.contains("LLVM bitcode"), "{said}");
    }
}

#[test]
fn disassembly_is_objdumps_and_carries_source_lines() {
    let work = Work::new();
    for target in ["gfx906", "gfx90a", "gfx1030", "gfx1100", "gfx1200"] {
        let bytes = compile(KERNELS, target, &["-g"]);
        let path = work.write("a.co", &bytes);
        let report = inspect(&bytes, "a.co", &Options::all()).unwrap();
        assert!(report.problems.is_empty(), "{:?}", report.problems);
        let object = &report.objects[0];
        assert_eq!((object.target.as_str(), object.kernels.len()), (target, 8));
        let functions = object
            .kernels
            .iter()
            .map(|kernel| kernel.code.as_ref().unwrap());
        let mut lines_with_source = 0;
        for function in functions.chain(&object.functions) {
            assert_eq!(function.undecodable, 0, "{target} {}", function.name);
            let theirs = objdump(path.to_str().unwrap(), &function.name);
            // It goes on into the padding behind the function.
            assert!(
                function.lines.len() <= theirs.len(),
                "{target} {}",
                function.name
            );
            for (line, theirs) in function.lines.iter().zip(&theirs) {
                // Ours names branch targets.
                let branch = theirs.starts_with("s_cbranch") || theirs.starts_with("s_branch");
                let ours = if branch {
                    line.text.split(' ').next().unwrap()
                } else {
                    &line.text
                };
                let theirs = if branch {
                    theirs.split(' ').next().unwrap()
                } else {
                    theirs
                };
                assert_eq!(ours, theirs, "{target} {} {:#x}", function.name, line.pc);
            }
            let counted: u64 = function.histogram.iter().map(|(_, count)| count).sum();
            assert_eq!(counted, function.instructions);
            let in_blocks: u64 = function.blocks.iter().map(|block| block.instructions).sum();
            assert_eq!(in_blocks, function.instructions);
            lines_with_source += function
                .lines
                .iter()
                .filter(|line| !line.source.is_empty())
                .count();
        }
        assert!(lines_with_source > 100, "{target}: {lines_with_source}");
        assert!(
            object
                .functions
                .iter()
                .any(|function| function.name.contains("helper"))
        );
        let printed = text(&report);
        assert!(
            printed.contains("kernels.hip:") && printed.contains("occupancy"),
            "{printed}"
        );
    }
}

/// Debian's rocRAND, which `./dev setup` installs: a library with code for seven targets, built by clang 15.
#[test]
fn a_librarys_kernels_decode_as_objdump_prints_them() {
    let library = "/usr/lib/x86_64-linux-gnu/librocrand.so.1";
    let bytes = std::fs::read(library).expect("package librocrand1");
    let all = inspect(&bytes, library, &Options::default()).unwrap();
    let targets: Vec<_> = all
        .objects
        .iter()
        .map(|object| object.target.as_str())
        .collect();
    for target in [
        "gfx900:xnack-",
        "gfx906:xnack-",
        "gfx908:xnack-",
        "gfx90a:xnack+",
        "gfx90a:xnack-",
        "gfx1030",
    ] {
        assert!(targets.contains(&target), "{targets:?}");
    }
    let options = Options {
        target_filter: Some("gfx90a:xnack-".to_owned()),
        ..Options::all()
    };
    let report = inspect(&bytes, library, &options).unwrap();
    let object = &report.objects[0];
    assert_eq!(object.kernels.len(), 80);
    let start = object.file_offset.unwrap() as usize;
    let work = Work::new();
    let path = work.write("rocrand.co", &bytes[start..start + object.size as usize]);
    let listing = run("llvm-objdump-22", &["-d", path.to_str().unwrap()]);
    let mut theirs = std::collections::HashMap::new();
    for line in listing.lines() {
        let Some((text, rest)) = line.split_once("//") else {
            continue;
        };
        let pc = rest.trim().split(':').next().unwrap();
        theirs.insert(u64::from_str_radix(pc, 16).unwrap(), text.trim());
    }
    let functions = object
        .kernels
        .iter()
        .filter_map(|kernel| kernel.code.as_ref());
    let mut compared = 0;
    for line in functions
        .chain(&object.functions)
        .flat_map(|function| &function.lines)
    {
        let expected = theirs[&line.pc];
        let branch = expected.starts_with("s_cbranch") || expected.starts_with("s_branch");
        let cut = |text: &str| {
            if branch {
                text.split(' ').next().unwrap().to_owned()
            } else {
                text.to_owned()
            }
        };
        assert_eq!(cut(&line.text), cut(expected), "{:#x}", line.pc);
        compared += 1;
    }
    assert!(compared > 50_000, "{compared}");
}

#[test]
fn blocks_and_edges_are_those_of_the_source() {
    let work = Work::new();
    let object = work.path("b.o");
    let linked = work.path("b.co");
    run(
        "clang-22",
        &[
            "--target=amdgcn-amd-amdhsa",
            "-mcpu=gfx90a",
            "-c",
            source("branches.s").to_str().unwrap(),
            "-o",
            object.to_str().unwrap(),
        ],
    );
    run(
        "ld.lld-22",
        &[
            "-shared",
            object.to_str().unwrap(),
            "-o",
            linked.to_str().unwrap(),
        ],
    );
    let bytes = std::fs::read(linked).unwrap();
    let report = inspect(
        &bytes,
        "b.co",
        &Options {
            blocks: true,
            ..Options::default()
        },
    )
    .unwrap();
    let code = report.objects[0].kernels[0].code.as_ref().unwrap();
    let shape: Vec<_> = code
        .blocks
        .iter()
        .map(|block| (block.instructions, block.exit, block.successors.as_slice()))
        .collect();
    assert_eq!(
        shape,
        [
            (1, Exit::Falls, &[1][..]),
            (3, Exit::Branches, &[1, 2]),
            (2, Exit::Branches, &[4, 3]),
            (2, Exit::Jumps, &[5]),
            (1, Exit::Falls, &[5]),
            (2, Exit::Branches, &[7, 6]),
            (1, Exit::Indirect, &[]),
            (1, Exit::Ends, &[]),
        ]
    );
    let mut dot = Vec::new();
    report.write_dot(&mut dot).unwrap();
    let dot = String::from_utf8(dot).unwrap();
    assert_eq!(dot.matches(" -> ").count(), 9, "{dot}");
    assert_eq!(dot.matches("[label=taken]").count(), 3);
    assert!(dot.starts_with("digraph") && dot.trim_end().ends_with('}'));
}

#[test]
fn json_holds_arguments_registers_and_everything_else() {
    let bytes = compile(KERNELS, "gfx90a", &[]);
    let report = inspect(&bytes, "k.co", &Options::all()).unwrap();
    let json = serde_json::to_value(&report).unwrap();
    let kernel = json["objects"][0]["kernels"]
        .as_array()
        .unwrap()
        .iter()
        .find(|kernel| kernel["name"] == "plain")
        .unwrap();
    let kinds: Vec<_> = kernel["arguments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|argument| argument["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["global_buffer", "global_buffer", "by_value"]);
    let offsets: Vec<_> = kernel["arguments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|argument| argument["offset"].as_u64().unwrap())
        .collect();
    assert_eq!(offsets, [0, 8, 16]);
    assert_eq!(kernel["descriptor"]["enable_sgpr_kernarg_segment_ptr"], 1);
    assert_eq!(
        kernel["initial_sgprs"],
        serde_json::json!([
            ["private_segment_buffer", 4],
            ["kernarg_segment_ptr", 2],
            ["workgroup_id_x", 1]
        ])
    );
    assert_eq!(kernel["occupancy"]["waves_per_simd"], 8);
    let scratch = json["objects"][0]["kernels"]
        .as_array()
        .unwrap()
        .iter()
        .find(|kernel| kernel["name"] == "scratch")
        .unwrap();
    assert!(scratch["scratch"].as_u64().unwrap() >= 200);
    let symbols = json["objects"][0]["symbols"].as_array().unwrap();
    assert!(
        symbols
            .iter()
            .any(|symbol| symbol["name"] == "counter" && symbol["place"] == ".data")
    );
}

#[test]
fn filters_select_and_say_what_there_is() {
    let objects = ["gfx90a", "gfx1030"].map(|target| compile(KERNELS, target, &[]));
    let bundle = codeobj::bundle::write(
        &[
            ("host-x86_64-unknown-linux-gnu", b""),
            ("hipv4-amdgcn-amd-amdhsa--gfx90a", &objects[0]),
            ("hipv4-amdgcn-amd-amdhsa--gfx1030", &objects[1]),
        ],
        4096,
    );
    let all = inspect(&bundle, "a.fb", &Options::default()).unwrap();
    assert_eq!(all.objects.len(), 2);
    assert!(text(&all).contains("2 code objects"));
    let wanted = |target: &str, name: &str| Options {
        target_filter: Some(target.to_owned()),
        name_filter: Some(regex::Regex::new(name).unwrap()),
        ..Options::default()
    };
    let one = inspect(&bundle, "a.fb", &wanted("gfx1030", "vgprs")).unwrap();
    assert_eq!((one.objects.len(), one.objects[0].kernels.len()), (1, 2));
    let error = inspect(&bundle, "a.fb", &wanted("gfx906", ""))
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "a.fb: no code object for gfx906; it has gfx90a, gfx1030"
    );
    let error = inspect(&bundle, "a.fb", &wanted("gfx90a", "nonesuch"))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("\"nonesuch\"") && error.contains("big_lds"),
        "{error}"
    );
    let error = inspect(b"text", "notes.txt", &Options::all())
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("notes.txt: not an AMD GPU code object"),
        "{error}"
    );
}

#[test]
fn mangled_names_are_shown_and_found_in_both_forms() {
    let work = Work::new();
    let input = work.write(
        "t.hip",
        b"template <class T> __attribute__((global)) void scale(T *p, int n) { *p *= n; }\n\
          template __attribute__((global)) void scale<float>(float *, int);\n",
    );
    let bytes = compile(input.to_str().unwrap(), "gfx90a", &[]);
    let options = Options {
        name_filter: Some(regex::Regex::new(r"scale<float>\(|no$").unwrap()),
        ..Options::default()
    };
    let report = inspect(&bytes, "t.co", &options).unwrap();
    let kernel = &report.objects[0].kernels[0];
    assert_eq!(kernel.name, "_Z5scaleIfEvPT_i");
    assert_eq!(
        kernel.demangled.as_deref(),
        Some("void scale<float>(float*, int)")
    );
}

#[test]
fn damaged_files_give_errors_or_partial_reports() {
    let bytes = compile(KERNELS, "gfx90a", &["-g"]);
    for length in (0..bytes.len()).step_by(997) {
        assert!(inspect(&bytes[..length], "cut.co", &Options::all()).is_err());
    }
    let mut shuffled = bytes.clone();
    for at in (0x1600..0x2000).step_by(3) {
        shuffled[at] ^= 0x5a;
    }
    let report = inspect(&shuffled, "x.co", &Options::all()).unwrap();
    text(&report);
}
