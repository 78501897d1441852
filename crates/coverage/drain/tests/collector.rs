//! The collector against images that clang made, on a runtime made of bytes.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
    time::Instant,
};

use crate::mock::{Mock, SOURCE, compile, counts};
use drain::{
    Collector, Config, Runtime, image::ImageId, output::ManifestImage, runtime::Registered,
};

const BASE: u64 = 0x7f12_0000_0000;
const KERN: &str = "_Z4kernPiii";
const IDLE: &str = "_Z4idlePi";

struct Images {
    gfx90a: Vec<u8>,
    gfx1030: Vec<u8>,
    mcdc: Vec<u8>,
    other: Vec<u8>,
}

/// Compiled once for all tests of this file.
fn images() -> &'static Images {
    static IMAGES: OnceLock<Images> = OnceLock::new();
    IMAGES.get_or_init(|| {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        Images {
            gfx90a: compile(path, SOURCE, "gfx90a", &[]),
            gfx1030: compile(path, SOURCE, "gfx1030", &[]),
            mcdc: compile(path, SOURCE, "gfx90a", &["-fcoverage-mcdc"]),
            other: compile(path, &SOURCE.replace("kern", "other"), "gfx90a", &[]),
        }
    })
}

fn config(pattern: PathBuf) -> Config {
    let set =
        |name: &str| (name == drain::config::FILE).then(|| pattern.to_string_lossy().into_owned());
    Config::read(set).0
}

struct Bench {
    directory: tempfile::TempDir,
    collector: Collector,
}

impl Bench {
    fn new() -> Self {
        Self::with(|_| {})
    }

    fn with(adjust: impl FnOnce(&mut Config)) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut config = config(directory.path().join("x.profraw"));
        adjust(&mut config);
        Bench {
            collector: Collector::new(config),
            directory,
        }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn dump(&mut self, runtime: &Mock) -> drain::DumpReport {
        self.collector.dump(Some(runtime))
    }
}

/// LLVM reads the file; what it says about it.
fn read_by_llvm(file: &Path) -> String {
    let output = Command::new("llvm-profdata-22")
        .arg("merge")
        .arg("-o")
        .arg("/dev/null")
        .arg(file)
        .output()
        .unwrap();
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{messages}");
    messages
}

fn accepted_by_llvm(file: &Path) {
    assert_eq!(read_by_llvm(file), "");
}

#[test]
fn counts_come_back_with_names_and_a_report_without_naming_objects() {
    let mut bench = Bench::new();
    let gpu = Mock::new(&["gfx90a"]);
    let module = gpu.load(0, &images().gfx90a, BASE);
    gpu.count(module, KERN, &[64, 4, 30, 10, 20, 30, 5]);
    let report = bench.dump(&gpu);
    assert_eq!(
        (
            report.agents,
            report.pairs,
            report.found,
            report.drained,
            report.failures
        ),
        (1, 1, 1, 1, 0)
    );
    assert_eq!(bench.collector.take_messages(), Vec::<String>::new());
    let file = bench.file("gfx90a.x.profraw");
    assert_eq!(report.files, std::slice::from_ref(&file));
    accepted_by_llvm(&file);
    let counts = counts(&file);
    assert_eq!(counts[KERN], [64, 4, 30, 10, 20, 30, 5]);
    assert_eq!(counts[IDLE], [0]);

    let merged = bench.file("x.profdata");
    let merge = Command::new("llvm-profdata-22")
        .args(["merge", "-o"])
        .arg(&merged)
        .arg(&file)
        .status()
        .unwrap();
    assert!(merge.success());
    let cov = Command::new("llvm-cov-22")
        .arg("report")
        .arg(format!("-instr-profile={}", merged.display()))
        .arg(format!(
            "-debug-file-directory={}",
            bench.directory.path().display()
        ))
        .arg("--check-binary-ids")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&cov.stdout);
    assert!(
        cov.status.success() && text.contains("kernels.hip"),
        "{text} {}",
        String::from_utf8_lossy(&cov.stderr)
    );
}

#[test]
fn devices_add_up_or_stay_apart() {
    let gpu = Mock::new(&["gfx90a", "gfx90a", "gfx1030"]);
    let modules = [
        gpu.load(0, &images().gfx90a, BASE),
        gpu.load(1, &images().gfx90a, BASE + 0x10_0000),
        gpu.load(2, &images().gfx1030, BASE + 0x20_0000),
    ];
    for (module, count) in modules.iter().zip([1, 10, 100]) {
        gpu.count(*module, IDLE, &[count]);
    }
    let mut sum = Bench::new();
    sum.dump(&gpu);
    assert_eq!(counts(&sum.file("gfx90a.x.profraw"))[IDLE], [11]);
    assert_eq!(counts(&sum.file("gfx1030.x.profraw"))[IDLE], [100]);
    let mut apart = Bench::with(|config| config.per_device = true);
    assert_eq!(apart.dump(&gpu).files.len(), 3);
    assert_eq!(counts(&apart.file("gfx90a.node0.x.profraw"))[IDLE], [1]);
    assert_eq!(counts(&apart.file("gfx90a.node1.x.profraw"))[IDLE], [10]);
}

#[test]
fn unloaded_and_reloaded_modules_keep_their_counts() {
    let mut bench = Bench::new();
    let gpu = Mock::new(&["gfx90a"]);
    for round in 0..3 {
        // The same address each time: nothing may be keyed by it.
        let module = gpu.load(0, &images().gfx90a, BASE);
        bench.collector.loaded(&gpu, module);
        gpu.count(module, IDLE, &[5]);
        // Dumps in between are cumulative and never the last word.
        bench.dump(&gpu);
        assert_eq!(
            counts(&bench.file("gfx90a.x.profraw"))[IDLE],
            [round * 7 + 5]
        );
        gpu.count(module, IDLE, &[2]);
        bench.collector.retire(&gpu, module);
        gpu.unload(module);
    }
    let different = gpu.load(0, &images().other, BASE);
    gpu.count(different, IDLE, &[1]);
    bench.dump(&gpu);
    assert_eq!(counts(&bench.file("gfx90a.x.profraw"))[IDLE], [22]);
    bench.collector.retire_all(&gpu);
    gpu.stopped.set(true);
    bench.dump(&gpu);
    assert_eq!(
        counts(&bench.file("gfx90a.x.profraw"))[IDLE],
        [22],
        "a stopped runtime takes nothing away"
    );
    assert_eq!(bench.collector.take_messages(), Vec::<String>::new());
}

#[test]
fn modules_that_vanish_unseen_keep_what_was_seen() {
    let mut bench = Bench::new();
    let gpu = Mock::new(&["gfx90a"]);
    let module = gpu.load(0, &images().gfx90a, BASE);
    gpu.count(module, IDLE, &[5]);
    bench.dump(&gpu);
    gpu.unload(module);
    bench.dump(&gpu);
    assert_eq!(counts(&bench.file("gfx90a.x.profraw"))[IDLE], [5]);
    assert!(bench.collector.take_messages()[0].contains("without notice"));
}

#[test]
fn sections_are_found_without_the_image_and_disagreements_are_reported() {
    let gpu = Mock::new(&["gfx90a"]);
    let module = gpu.load(0, &images().gfx90a, BASE);
    gpu.count(module, KERN, &[9, 8, 7, 6, 5, 4, 3]);
    let by_image = {
        let mut bench = Bench::new();
        bench.dump(&gpu);
        std::fs::read(bench.file("gfx90a.x.profraw")).unwrap()
    };
    let expected = rawprof::parse(&by_image).unwrap().remove(0);
    // Way A: the table in device memory. Way B: the exported variables, when the table is unusable.
    gpu.images_gone.set(true);
    for (way, spoil) in [("table", None), ("symbols", Some(0x10u64))] {
        if let Some(address) = spoil {
            gpu.poke(module, "__llvm_profile_sections", 8, &address.to_le_bytes());
        }
        let mut bench = Bench::new();
        let report = bench.dump(&gpu);
        assert_eq!(
            report.drained,
            1,
            "{way}: {:?}",
            bench.collector.take_messages()
        );
        let file = bench.file("gfx90a.x.profraw");
        let found = rawprof::parse(&std::fs::read(&file).unwrap())
            .unwrap()
            .remove(0);
        assert_eq!(found.records, expected.records, "{way}");
        assert_eq!(
            rawprof::names::decode(&found.names),
            rawprof::names::decode(&expected.names),
            "{way}"
        );
        let manifest = std::fs::read_to_string(drain::output::manifest_path(&file)).unwrap();
        assert!(
            manifest.contains(&format!("\"method\": \"{way}\"")),
            "{manifest}"
        );
    }
    // All methods at once, with a wrong table: the section headers win, and a message reports it.
    gpu.images_gone.set(false);
    gpu.poke(
        module,
        "__llvm_profile_sections",
        8,
        &(BASE + 0x9_0000).to_le_bytes(),
    );
    let mut bench = Bench::new();
    assert_eq!(bench.dump(&gpu).drained, 1);
    let messages = bench.collector.take_messages().join("\n");
    assert!(
        messages.contains("bounds table puts names at"),
        "{messages}"
    );
    assert_eq!(
        counts(&bench.file("gfx90a.x.profraw"))[KERN],
        [9, 8, 7, 6, 5, 4, 3]
    );
}

/// A note as `coverage-pass` writes it, of two columns, a sum and two bits; counter 0 is every lane, counter 2 bit 1 and twice the sum.
const NOTE: &str = r#"
extern "C" {
__attribute__((device, used, visibility("protected"))) unsigned long long gathered[10];
}
__attribute__((global)) void note() {
    asm volatile(".pushsection luthier_prf_notes,\"a\",@progbits\n"
                 ".p2align 3\n"
                 "1: .long 1, 80\n"
                 ".quad gathered - 1b\n"
                 ".long 2, 2, 1, 2\n"
                 ".quad __profc__Z4kernPiii - 1b\n"
                 ".long 1, 0, 0, 0\n"
                 ".quad __profc__Z4kernPiii + 16 - 1b\n"
                 ".long 0, 0, 1, 2\n"
                 ".popsection");
}
"#;

#[test]
fn what_waves_gathered_is_found_in_every_way_and_reset() {
    let directory = tempfile::tempdir().unwrap();
    let source = format!("{SOURCE}{NOTE}");
    let image = compile(directory.path(), &source, "gfx90a", &[]);
    let gpu = Mock::new(&["gfx90a"]);
    let module = gpu.load(0, &image, BASE);
    gpu.count(module, KERN, &[1; 7]);
    // 5 + 6 in the sum; 2 lanes without bits, 3 with the first, 4 with the second, 5 with both.
    let table: Vec<u8> = [5u64, 6, 2, 0, 3, 0, 4, 0, 0, 5]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    gpu.poke(module, "gathered", 0, &table);
    let expected = [1 + 14, 1, 1 + 9 + 2 * 11, 1, 1, 1, 1];
    for way in ["sections", "table", "symbols"] {
        gpu.images_gone.set(way != "sections");
        if way == "symbols" {
            gpu.poke(module, "__llvm_profile_sections", 8, &0x10u64.to_le_bytes());
        }
        let mut bench = Bench::new();
        bench.dump(&gpu);
        let file = bench.file("gfx90a.x.profraw");
        assert_eq!(counts(&file)[KERN], expected, "{way}");
        let manifest = std::fs::read_to_string(drain::output::manifest_path(&file)).unwrap();
        assert!(
            manifest.contains(&format!("\"method\": \"{way}\"")),
            "{manifest}"
        );
    }
    let mut bench = Bench::new();
    assert!(bench.collector.reset(Some(&gpu)));
    bench.dump(&gpu);
    assert_eq!(counts(&bench.file("gfx90a.x.profraw"))[KERN], [0; 7]);
}

/// The header for LLVM 23: its functions compile, and its table of nine words is understood.
#[test]
fn the_later_bounds_table_is_read() {
    let directory = tempfile::tempdir().unwrap();
    for target in ["gfx90a", "gfx1030"] {
        let image = compile(
            directory.path(),
            SOURCE,
            target,
            &["-DLUTHIER_PROFILE_ABI=23"],
        );
        let gpu = Mock::new(&[target]);
        let module = gpu.load(0, &image, BASE);
        let symbols = gpu.symbols(module, 100).unwrap();
        let table = symbols
            .iter()
            .find(|symbol| symbol.name == "__llvm_profile_sections")
            .unwrap();
        assert_eq!(table.size, 72);
        gpu.count(module, IDLE, &[6]);
        gpu.images_gone.set(true);
        let mut bench = Bench::new();
        assert_eq!(bench.dump(&gpu).drained, 1);
        let file = bench.file(&format!("{target}.x.profraw"));
        assert_eq!(counts(&file)[IDLE], [6]);
        let manifest = std::fs::read_to_string(drain::output::manifest_path(&file)).unwrap();
        assert!(manifest.contains("\"method\": \"table\""), "{manifest}");
    }
}

#[test]
fn one_unreadable_module_does_not_cost_the_others() {
    let mut bench = Bench::new();
    let gpu = Mock::new(&["gfx90a"]);
    let broken = gpu.load(0, &images().other, BASE);
    let good = gpu.load(0, &images().gfx90a, BASE + 0x10_0000);
    gpu.count(good, IDLE, &[3]);
    gpu.broken.set(broken);
    let report = bench.dump(&gpu);
    assert_eq!((report.found, report.drained, report.failures), (2, 1, 1));
    assert!(
        bench
            .collector
            .take_messages()
            .iter()
            .any(|message| message.contains("hsa_memory_copy"))
    );
    assert_eq!(counts(&bench.file("gfx90a.x.profraw"))[IDLE], [3]);
}

/// Bounds that lead anywhere are refused by the check of the allocation, not by a crash.
#[test]
fn corrupt_tables_never_lead_outside_of_the_allocation() {
    let gpu = Mock::new(&["gfx90a"]);
    let module = gpu.load(0, &images().gfx90a, BASE);
    gpu.images_gone.set(true);
    let original: Vec<u64> = {
        let symbols = gpu.symbols(module, 100).unwrap();
        let table = symbols
            .iter()
            .find(|symbol| symbol.name == "__llvm_profile_sections")
            .unwrap();
        let mut bytes = [0; 56];
        gpu.read(100, table.address, &mut bytes).unwrap();
        bytes
            .chunks(8)
            .map(|word| u64::from_le_bytes(word.try_into().unwrap()))
            .collect()
    };
    for at in 0..6u64 {
        for value in [0, 1, 8, BASE, BASE + (200 << 20), u64::MAX, u64::MAX - 7] {
            gpu.poke(
                module,
                "__llvm_profile_sections",
                at * 8,
                &value.to_le_bytes(),
            );
            let mut bench = Bench::new();
            bench.dump(&gpu);
            let file = bench.file("gfx90a.x.profraw");
            if file.exists() {
                rawprof::parse(&std::fs::read(file).unwrap()).unwrap();
            }
            gpu.poke(
                module,
                "__llvm_profile_sections",
                at * 8,
                &original[at as usize].to_le_bytes(),
            );
        }
    }
}

/// Tables and records with anything in them: whatever is written, LLVM accepts, and no record that was left alone is lost.
#[test]
fn spoilt_records_cost_only_themselves() {
    const FUNCTIONS: usize = 24;
    let name = |at: usize| format!("k{at}");
    let source: String = (0..FUNCTIONS)
        .map(|at| {
            format!("extern \"C\" __attribute__((global)) void k{at}(int *a) {{ if (a[{at}]) a[0] = {at}; }}\n")
        })
        .collect();
    let directory = tempfile::tempdir().unwrap();
    let image = compile(directory.path(), &source, "gfx90a", &["-fcoverage-mcdc"]);
    let records = {
        let parsed = drain::Image::parse(image.clone()).unwrap();
        parsed
            .section(drain::image::Part::Data)
            .unwrap()
            .file
            .clone()
            .unwrap()
    };
    assert_eq!(records.len(), FUNCTIONS * 64);
    // A small generator with a fixed start: a failure comes back on every run.
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let mut dropped = 0;
    for round in 0..60 {
        let mut spoilt = image.clone();
        let mut touched = [false; FUNCTIONS];
        for _ in 0..=random(6) {
            let (record, word) = (random(FUNCTIONS), random(16));
            let value = [0, 1, 0x80, u32::MAX, 0x7fff_ffff, random(1 << 20) as u32][random(6)];
            let at = records.start + record * 64 + word * 4;
            spoilt[at..at + 4].copy_from_slice(&value.to_le_bytes());
            touched[record] = true;
        }
        let mut bench = Bench::new();
        let gpu = Mock::new(&["gfx90a"]);
        let module = gpu.load(0, &spoilt, BASE);
        for at in 0..FUNCTIONS {
            gpu.count(module, &name(at), &[at as u64 + 1, 7]);
        }
        // Half of the rounds without the image, where the bounds table is all there is; it may be spoilt as well.
        if round % 2 == 1 {
            gpu.images_gone.set(true);
            if round % 8 == 7 {
                let value = (BASE + random(1 << 16) as u64).to_le_bytes();
                gpu.poke(
                    module,
                    "__llvm_profile_sections",
                    8 * random(6) as u64,
                    &value,
                );
                touched = [true; FUNCTIONS];
            }
        }
        bench.dump(&gpu);
        let file = bench.file("gfx90a.x.profraw");
        if !file.exists() {
            assert!(touched.iter().all(|&touched| touched), "round {round}");
            continue;
        }
        read_by_llvm(&file);
        let counts = counts(&file);
        for at in (0..FUNCTIONS).filter(|&at| !touched[at]) {
            assert_eq!(counts[&name(at)], [at as u64 + 1, 7], "round {round}");
        }
        dropped += usize::from(counts.len() < FUNCTIONS);
    }
    assert!(dropped > 20, "only {dropped} rounds lost any record");
}

#[test]
fn decision_bitmaps_come_back() {
    let mut bench = Bench::new();
    let gpu = Mock::new(&["gfx90a"]);
    let module = gpu.load(0, &images().mcdc, BASE);
    gpu.poke(module, &format!("__profbm_{KERN}"), 0, &[0b101]);
    bench.dump(&gpu);
    let file = bench.file("gfx90a.x.profraw");
    accepted_by_llvm(&file);
    let profile = rawprof::parse(&std::fs::read(&file).unwrap())
        .unwrap()
        .remove(0);
    let bitmaps: Vec<_> = profile
        .records
        .iter()
        .filter(|record| !record.bitmap.is_empty())
        .collect();
    assert_eq!(bitmaps.len(), 1);
    assert_eq!(bitmaps[0].bitmap, [0b101]);
}

#[test]
fn reset_starts_anew_on_the_device_too() {
    let mut bench = Bench::new();
    let gpu = Mock::new(&["gfx90a"]);
    let gone = gpu.load(0, &images().gfx90a, BASE);
    gpu.count(gone, IDLE, &[50]);
    bench.collector.retire(&gpu, gone);
    gpu.unload(gone);
    let module = gpu.load(0, &images().gfx90a, BASE);
    gpu.count(module, IDLE, &[7]);
    bench.dump(&gpu);
    assert_eq!(counts(&bench.file("gfx90a.x.profraw"))[IDLE], [57]);
    assert!(bench.collector.reset(Some(&gpu)));
    gpu.count(module, IDLE, &[2]);
    bench.dump(&gpu);
    assert_eq!(counts(&bench.file("gfx90a.x.profraw"))[IDLE], [2]);
}

/// Many ranks, one file: each adds what is new since its last dump, under a lock.
#[test]
fn ranks_merge_into_one_file() {
    let directory = tempfile::tempdir().unwrap();
    let pattern = directory.path().join("all-%m.profraw");
    let ranks: Vec<_> = (0..8u64)
        .map(|rank| {
            let pattern = pattern.clone();
            std::thread::spawn(move || {
                let mut collector = Collector::new(config(pattern));
                let gpu = Mock::new(&["gfx90a"]);
                let image = if rank % 2 == 0 {
                    &images().gfx90a
                } else {
                    &images().other
                };
                let module = gpu.load(0, image, BASE);
                for _ in 0..5 {
                    gpu.count(module, IDLE, &[rank + 1]);
                    collector.dump(Some(&gpu));
                }
                assert_eq!(collector.take_messages(), Vec::<String>::new());
            })
        })
        .collect();
    ranks.into_iter().for_each(|rank| rank.join().unwrap());
    let files: Vec<_> = std::fs::read_dir(directory.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    let profiles: Vec<_> = files
        .iter()
        .filter(|path| path.extension().is_some_and(|e| e == "profraw"))
        .collect();
    assert_eq!(profiles.len(), 1, "{files:?}");
    accepted_by_llvm(profiles[0]);
    assert_eq!(
        rawprof::parse(&std::fs::read(profiles[0]).unwrap())
            .unwrap()
            .len(),
        2,
        "one profile per image"
    );
    assert_eq!(counts(profiles[0])[IDLE], [5 * (1..=8).sum::<u64>()]);
    let manifest = std::fs::read(drain::output::manifest_path(profiles[0])).unwrap();
    let manifest: drain::output::Manifest = serde_json::from_slice(&manifest).unwrap();
    assert_eq!(manifest.images.len(), 2, "{manifest:?}");
}

/// A fat binary with these images.
fn fat_binary(images: &[(&str, &[u8])]) -> Vec<u8> {
    let names: Vec<_> = images
        .iter()
        .map(|(target, _)| format!("hipv4-amdgcn-amd-amdhsa--{target}"))
        .collect();
    let table: usize = names.iter().map(|name| 24 + name.len()).sum();
    let mut bytes = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    bytes.extend((images.len() as u64).to_le_bytes());
    let mut at = bytes.len() + table;
    for ((_, image), name) in images.iter().zip(&names) {
        for word in [at, image.len(), name.len()] {
            bytes.extend((word as u64).to_le_bytes());
        }
        bytes.extend(name.as_bytes());
        at += image.len();
    }
    images.iter().for_each(|(_, image)| bytes.extend(*image));
    bytes
}

/// Kernels of an image that no launch loaded are uncovered, and not absent.
#[test]
fn images_that_were_never_loaded_have_profiles() {
    let images = images();
    let binary = fat_binary(&[
        ("gfx90a:xnack-", &images.gfx90a),
        ("gfx1030", &images.gfx1030),
    ]);
    let mut gpu = Mock::new(&["gfx90a"]);
    gpu.registered = vec![Registered {
        number: 1,
        address: 0,
    }];
    gpu.host = binary.clone();
    gpu.mappings = b"0-ffffff r--p 00001000 08:01 42 /app\n".to_vec();
    let mut bench = Bench::new();
    let file = bench.file("gfx90a.x.profraw");
    assert_eq!(bench.dump(&gpu).files, std::slice::from_ref(&file));
    accepted_by_llvm(&file);
    assert_eq!(counts(&file)[KERN], [0; 7]);
    assert_eq!(counts(&file)[IDLE], [0]);
    let said = manifest(&file).remove(0);
    assert_eq!((said.method.as_str(), said.loads), ("never loaded", 0));
    assert_eq!((said.records, said.has_mapping), (3, true));
    let at = 0x1000 + binary.len() - images.gfx1030.len() - images.gfx90a.len();
    let size = images.gfx90a.len();
    assert_eq!(said.uri, format!("file:///app#offset={at}&size={size}"));
    assert!(
        drain::output::image_path(bench.directory.path(), ImageId::of(&images.gfx90a)).exists()
    );
    // The same image, loaded after all.
    let module = gpu.load(0, &images.gfx90a, BASE);
    gpu.count(module, IDLE, &[5]);
    bench.dump(&gpu);
    assert_eq!(counts(&file)[IDLE], [5]);
    assert_eq!(
        rawprof::parse(&std::fs::read(&file).unwrap())
            .unwrap()
            .len(),
        1
    );
    // Damaged tables are no images.
    for size in [0, 23, 40, 90, binary.len() - images.gfx1030.len() - 1] {
        gpu = Mock::new(&["gfx90a"]);
        gpu.registered = vec![Registered {
            number: 1,
            address: 0,
        }];
        gpu.host = binary[..size].to_vec();
        assert_eq!(Bench::new().dump(&gpu).files.len(), 0, "{size}");
    }
}

/// A GPU of a program that has registered these images.
fn registering(agents: &[&str], images: &[(&str, &[u8])]) -> Mock {
    let mut gpu = Mock::new(agents);
    gpu.registered = vec![Registered {
        number: 1,
        address: 0,
    }];
    gpu.host = fat_binary(images);
    gpu
}

/// The images that the manifest of a profile lists.
fn manifest(profile: &Path) -> Vec<ManifestImage> {
    let bytes = std::fs::read(drain::output::manifest_path(profile)).unwrap();
    let manifest: drain::output::Manifest = serde_json::from_slice(&bytes).unwrap();
    manifest.images
}

/// Processes that share a file: one that launches nothing says nothing of the counts of another, in whatever order they end.
#[test]
fn a_manifest_tells_of_counts_whoever_writes_last() {
    let image = &images().gfx90a;
    let busy = Mock::new(&["gfx90a"]);
    let module = busy.load(0, image, BASE);
    busy.count(module, IDLE, &[3]);
    let idle = registering(&["gfx90a"], &[("gfx90a", image)]);
    for order in [[&idle, &busy], [&busy, &idle]] {
        let directory = tempfile::tempdir().unwrap();
        let mut file = PathBuf::new();
        for gpu in order {
            let mut collector = Collector::new(config(directory.path().join("all-%m.profraw")));
            file = collector.dump(Some(gpu)).files.remove(0);
        }
        let images = manifest(&file);
        assert_eq!(images.len(), 1, "{images:?}");
        assert_eq!(
            (images[0].method.as_str(), images[0].loads),
            ("sections", 1)
        );
        assert!(!images[0].uri.is_empty());
        assert_eq!(counts(&file)[IDLE], [3]);
    }
}

/// The devices of a kind are told apart in what they loaded.
#[test]
fn an_image_is_loaded_where_it_was_loaded() {
    let image = &images().gfx90a;
    let gpu = registering(&["gfx90a", "gfx90a"], &[("gfx90a", image)]);
    gpu.load(0, image, BASE);
    let mut bench = Bench::with(|config| config.per_device = true);
    bench.dump(&gpu);
    let said = |node: &str| {
        let image = &manifest(&bench.file(&format!("gfx90a.{node}.x.profraw")))[0];
        (image.method.clone(), image.loads)
    };
    assert_eq!(said("node0"), ("sections".to_owned(), 1));
    assert_eq!(said("node1"), ("never loaded".to_owned(), 0));
}

/// Counters of one byte are 0xff until they are passed; the profiles that serve optimisation have no images that were never loaded.
#[test]
fn counters_of_all_kinds_are_blank() {
    let directory = tempfile::tempdir().unwrap();
    let flags = [
        "-Xclang",
        "-mllvm",
        "-Xclang",
        "-enable-single-byte-coverage",
    ];
    for (bit, expected) in [(56, None), (60, Some(0xff))] {
        // Compilers emit it for the profiles of optimisers only.
        let version = format!(
            "extern \"C\" DEVICE __attribute__((used, visibility(\"protected\"))) const unsigned long __llvm_profile_raw_version = {};",
            10u64 | 1 << bit
        );
        let source = format!("{SOURCE}{version}");
        let image = compile(directory.path(), &source, "gfx90a", &flags);
        let gpu = registering(&["gfx90a"], &[("gfx90a", &image)]);
        let mut bench = Bench::new();
        let files = bench.dump(&gpu).files;
        assert_eq!(bench.collector.take_messages(), Vec::<String>::new());
        assert_eq!(files.len(), usize::from(expected.is_some()));
        for file in files {
            let found: Vec<_> = counts(&file).into_values().flatten().collect();
            assert!(!found.is_empty() && found.iter().all(|count| Some(*count) == expected));
            accepted_by_llvm(&file);
        }
    }
}

/// A manifest that could not be written is written later, and no count is added twice.
#[test]
fn manifests_are_tried_again() {
    let directory = tempfile::tempdir().unwrap();
    let mut collector = Collector::new(config(directory.path().join("all-%m.profraw")));
    let gpu = Mock::new(&["gfx90a"]);
    let module = gpu.load(0, &images().gfx90a, BASE);
    gpu.count(module, IDLE, &[3]);
    let pattern = collector.config().pattern.clone();
    let facts = drain::naming::Facts::current();
    let file = drain::naming::expand(&pattern, "gfx90a", &facts).path;
    let obstacle = drain::output::manifest_path(&file);
    std::fs::create_dir_all(obstacle.join("in the way")).unwrap();
    collector.dump(Some(&gpu));
    assert_eq!(collector.take_messages().len(), 1);
    std::fs::remove_dir_all(&obstacle).unwrap();
    collector.dump(Some(&gpu));
    assert_eq!(manifest(&file).len(), 1);
    assert_eq!(counts(&file)[IDLE], [3]);
}

/// A shared file that cannot be added to any more: what it holds of this process is not in the process's own file again.
#[test]
fn counts_are_in_one_file_only() {
    let directory = tempfile::tempdir().unwrap();
    let mut collector = Collector::new(config(directory.path().join("all-%m.profraw")));
    let gpu = Mock::new(&["gfx90a"]);
    let module = gpu.load(0, &images().gfx90a, BASE);
    gpu.count(module, IDLE, &[3]);
    let shared = collector.dump(Some(&gpu)).files.remove(0);
    let whole = std::fs::read(&shared).unwrap();
    std::fs::write(&shared, "damaged").unwrap();
    gpu.count(module, IDLE, &[10]);
    let own = collector.dump(Some(&gpu)).files.remove(0);
    assert_eq!(collector.take_messages().len(), 1);
    std::fs::write(&shared, whole).unwrap();
    gpu.count(module, IDLE, &[100]);
    assert_eq!(collector.dump(Some(&gpu)).files, std::slice::from_ref(&own));
    assert_eq!(counts(&shared)[IDLE], [3]);
    assert_eq!(counts(&own)[IDLE], [110]);
}

#[test]
fn a_foreign_file_in_the_way_costs_nothing() {
    let mut bench =
        Bench::with(|config| config.pattern = config.pattern.replace("x.profraw", "y%m.profraw"));
    let gpu = Mock::new(&["gfx90a"]);
    let module = gpu.load(0, &images().gfx90a, BASE);
    gpu.count(module, IDLE, &[3]);
    let name = drain::naming::expand(
        &bench.collector.config().pattern,
        "gfx90a",
        &drain::naming::Facts::current(),
    );
    std::fs::write(&name.path, "precious").unwrap();
    let report = bench.dump(&gpu);
    assert_eq!(std::fs::read(&name.path).unwrap(), b"precious");
    assert_eq!(counts(&report.files[0])[IDLE], [3]);
    assert!(bench.collector.take_messages()[0].contains("instead"));
}

#[test]
fn unwritable_places_are_one_message() {
    let directory = tempfile::tempdir().unwrap();
    let blocker = directory.path().join("file");
    std::fs::write(&blocker, "").unwrap();
    for place in [
        blocker.join("x.profraw"),
        PathBuf::from("/proc/luthier/x.profraw"),
    ] {
        let mut collector = Collector::new(config(place));
        let gpu = Mock::new(&["gfx90a"]);
        gpu.load(0, &images().gfx90a, BASE);
        let report = collector.dump(Some(&gpu));
        collector.dump(Some(&gpu));
        assert!(report.failures > 0 && report.files.is_empty());
        let messages = collector.take_messages();
        assert!(
            messages
                .iter()
                .all(|message| message.contains("LUTHIER_PROFILE_FILE")),
            "{messages:?}"
        );
        assert!(messages.len() <= 2, "said once, not per dump: {messages:?}");
    }
}

#[test]
fn nothing_loaded_writes_nothing() {
    let mut bench = Bench::new();
    let gpu = Mock::new(&["gfx90a"]);
    let report = bench.dump(&gpu);
    assert!(report.files.is_empty() && report.failures == 0);
    assert!(bench.collector.take_messages().is_empty());
    assert_eq!(
        std::fs::read_dir(bench.directory.path()).unwrap().count(),
        0
    );
}

/// Ten thousand modules, half of them unloaded before the dump: time grows with their number, not its square.
#[test]
fn ten_thousand_modules() {
    let mut bench = Bench::new();
    let gpu = Mock::new(&["gfx90a"]);
    let start = Instant::now();
    for _ in 0..5000 {
        let module = gpu.load(0, &images().gfx90a, BASE);
        bench.collector.loaded(&gpu, module);
        gpu.count(module, IDLE, &[1]);
        bench.collector.retire(&gpu, module);
        gpu.unload(module);
    }
    for at in 0..5000u64 {
        let module = gpu.load(0, &images().gfx90a, BASE + at * 0x10_0000);
        bench.collector.loaded(&gpu, module);
    }
    let module = gpu.load(0, &images().other, BASE + 6000 * 0x10_0000);
    gpu.count(module, IDLE, &[4]);
    let loaded = start.elapsed();
    bench.dump(&gpu);
    println!(
        "10,000 modules: {loaded:?} to load and unload, {:?} to drain",
        start.elapsed() - loaded
    );
    assert_eq!(counts(&bench.file("gfx90a.x.profraw"))[IDLE], [5004]);
}

/// One image with ten thousand instrumented functions, assembled because compiling so many kernels takes a minute.
#[test]
fn ten_thousand_functions_in_one_image() {
    use std::fmt::Write;
    const COUNT: usize = 10_000;
    let name = |at: usize| format!("_Z6kernel{at}v");
    let directory = tempfile::tempdir().unwrap();
    let mut text = String::from(".section __llvm_prf_cnts,\"aw\"\n");
    for at in 0..COUNT {
        writeln!(text, ".globl __profc_{0}\n.protected __profc_{0}\n.type __profc_{0},@object\n.size __profc_{0},8\n__profc_{0}: .quad 0", name(at)).unwrap();
    }
    text.push_str(".section __llvm_prf_data,\"aw\"\n");
    for at in 0..COUNT {
        let reference = rawprof::names::name_ref(name(at).as_bytes());
        writeln!(
            text,
            "r{at}: .quad {reference:#x}, 24, __profc_{} - r{at}, 0, 0, 0\n.long 1, 0, 0, 0",
            name(at)
        )
        .unwrap();
    }
    text.push_str(".section __llvm_prf_names,\"a\"\n");
    let names: Vec<String> = (0..COUNT).map(name).collect();
    for byte in rawprof::names::encode(names.iter().map(|name| name.as_bytes())) {
        writeln!(text, ".byte {byte}").unwrap();
    }
    let path = |name: &str| directory.path().join(name);
    std::fs::write(path("many.s"), text).unwrap();
    let run = |command: &mut Command| {
        let output = command.current_dir(directory.path()).output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    };
    run(Command::new("clang-22").args([
        "-target",
        "amdgcn-amd-amdhsa",
        "-mcpu=gfx90a",
        "-c",
        "many.s",
        "-o",
        "many.o",
    ]));
    run(Command::new("ld.lld-22").args(["-shared", "many.o", "-o", "many.elf"]));
    let mut bench = Bench::new();
    let gpu = Mock::new(&["gfx90a"]);
    let module = gpu.load(0, &std::fs::read(path("many.elf")).unwrap(), BASE);
    for at in [0, 4321, COUNT - 1] {
        gpu.count(module, &name(at), &[at as u64 + 1]);
    }
    let start = Instant::now();
    let report = bench.dump(&gpu);
    println!("10,000 functions: {:?} to drain", start.elapsed());
    assert_eq!(
        (report.drained, report.failures),
        (1, 0),
        "{:?}",
        bench.collector.take_messages()
    );
    let file = bench.file("gfx90a.x.profraw");
    accepted_by_llvm(&file);
    let counts = counts(&file);
    assert_eq!(counts.len(), COUNT);
    for (at, name) in names.iter().enumerate() {
        let expected = if [0, 4321, COUNT - 1].contains(&at) {
            at as u64 + 1
        } else {
            0
        };
        assert_eq!(counts[name], [expected], "{name}");
    }
}
