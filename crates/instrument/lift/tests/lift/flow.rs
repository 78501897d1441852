//! `tests/flow/*.s`: assembly with notes, checked word by word.
//!
//! `;! target NAME...`, `;! wave 32|64`, `;! full_waves`, `;! function LABEL kernel|device`, `;! pointer ADDRESS LABEL`. A note `;= KEY VALUES | KEY VALUES` stands
//! behind an instruction. About its block: `succ` and `idom` (block numbers; `none`), `leaves`, `calls`, `entered` (by jumps that
//! no edge shows). About its function: `callers` (known or unknown). Before it: `live` (scalars but EXEC and MODE,
//! and vectors in active lanes), `inactive` (vectors in inactive lanes), `pending` (registers on their way; `everything`).
//! About the program: `taken` (functions whose address is taken).
//! Lists are exact. Values are thought out by hand, never copied from a run.

use gfx::Target;
use isa::{Assembler, Decoder, Reg, RegKind};
use lift::{Callee, FunctionKind, FunctionSeed, Leave, Module, Options, Program, RegisterSet};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const BASE: u64 = 0x4000;

#[derive(Default)]
struct Script {
    targets: Vec<&'static Target>,
    wave_size: Option<u8>,
    full_waves: bool,
    functions: Vec<(String, FunctionKind)>,
    pointers: Vec<(u64, String)>,
    /// Labels by number of the instruction behind them.
    labels: BTreeMap<String, usize>,
    /// Line number, instruction number, key, values.
    notes: Vec<(usize, usize, String, String)>,
}

fn parse(text: &str) -> Script {
    let mut script = Script::default();
    let mut count = 0;
    for (number, line) in text.lines().enumerate() {
        if let Some(directive) = line.trim().strip_prefix(";!") {
            let words: Vec<&str> = directive.split_whitespace().collect();
            match words[..] {
                ["target", ref names @ ..] => {
                    script.targets = names
                        .iter()
                        .map(|name| Target::find(name).unwrap())
                        .collect();
                }
                ["wave", size] => script.wave_size = Some(size.parse().unwrap()),
                ["full_waves"] => script.full_waves = true,
                ["function", label, kind] => {
                    let kind = match kind {
                        "kernel" => FunctionKind::Kernel,
                        "device" => FunctionKind::Device,
                        _ => panic!("line {}: {kind}", number + 1),
                    };
                    script.functions.push((label.to_owned(), kind));
                }
                ["pointer", place, label] => {
                    let place = u64::from_str_radix(place.trim_start_matches("0x"), 16).unwrap();
                    script.pointers.push((place, label.to_owned()));
                }
                _ => panic!("line {}: unknown directive", number + 1),
            }
            continue;
        }
        let (code, note) = line.split_once(";=").unwrap_or((line, ""));
        let code = code.split(';').next().unwrap().trim();
        if let Some(label) = code.strip_suffix(':') {
            script.labels.insert(label.to_owned(), count);
            continue;
        }
        if code.is_empty() || code.contains(" = ") {
            assert!(
                note.is_empty(),
                "line {}: a note without instruction",
                number + 1
            );
            continue;
        }
        for part in note
            .split('|')
            .map(str::trim)
            .filter(|part| !part.is_empty())
        {
            let (key, values) = part.split_once(' ').unwrap_or((part, ""));
            script
                .notes
                .push((number + 1, count, key.to_owned(), values.trim().to_owned()));
        }
        count += 1;
    }
    script
}

/// `v[0:1],s4` to one name per dword.
fn expand(list: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for item in list
        .split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty())
    {
        match item.split_once('[') {
            Some((file, range)) => {
                let (first, last) = range.trim_end_matches(']').split_once(':').unwrap();
                let (first, last): (u32, u32) = (first.parse().unwrap(), last.parse().unwrap());
                names.extend((first..=last).map(|index| format!("{file}{index}")));
            }
            None if item == "vcc" => names.extend(["vcc_lo", "vcc_hi"].map(str::to_owned)),
            None => {
                names.insert(item.to_owned());
            }
        }
    }
    names
}

fn name(reg: Reg) -> Option<String> {
    Some(match reg.kind {
        RegKind::Sgpr => format!("s{}", reg.index),
        RegKind::Vgpr => format!("v{}", reg.index),
        RegKind::Agpr => format!("a{}", reg.index),
        RegKind::Vcc => ["vcc_lo", "vcc_hi"][usize::from(reg.index)].to_owned(),
        RegKind::Exec | RegKind::Mode => return None,
        kind => format!("{kind:?}").to_lowercase(),
    })
}

fn names(set: &RegisterSet) -> BTreeSet<String> {
    if *set == RegisterSet::EVERYTHING {
        return BTreeSet::from(["everything".to_owned()]);
    }
    set.iter().filter_map(name).collect()
}

fn check(path: &Path) {
    let text = std::fs::read_to_string(path).unwrap();
    let script = parse(&text);
    assert!(
        !script.targets.is_empty() && !script.notes.is_empty(),
        "{path:?} checks nothing"
    );
    for target in &script.targets {
        let wave_size = script.wave_size.unwrap_or(target.wave_size);
        let assembler = Assembler::with_features(target, wave_size, "").unwrap();
        let code = assembler
            .assemble(&text)
            .unwrap_or_else(|error| panic!("{path:?} {}: {error}", target.name));
        let decoder = Decoder::with_features(target, wave_size, "").unwrap();
        let pcs: Vec<u64> = decoder
            .decode_all(&code, BASE)
            .map(|inst| inst.unwrap().pc)
            .collect();
        let address = |label: &str| pcs[script.labels[label]];
        let functions = script.functions.iter().map(|(label, kind)| FunctionSeed {
            name: label.clone(),
            kind: *kind,
            entry: address(label),
            size: 0,
            wave_size: Some(wave_size),
        });
        let program = Program {
            target,
            code: vec![(BASE, &code)],
            functions: functions.collect(),
            pointers: script
                .pointers
                .iter()
                .map(|(place, label)| (*place, address(label)))
                .collect(),
        };
        let options = Options {
            full_waves: script.full_waves,
            ..Options::default()
        };
        let module = Module::of_program(&program, options).unwrap();
        crate::scc::check(&module);
        for (line, number, key, values) in &script.notes {
            let place = format!("{}:{line} {} {key}", path.display(), target.name);
            check_note(&module, pcs[*number], key, values, &place);
        }
    }
}

fn check_note(module: &Module, pc: u64, key: &str, values: &str, place: &str) {
    let (index, function) = module
        .functions
        .iter()
        .enumerate()
        .find(|(_, function)| function.inst_at(pc).is_some())
        .unwrap_or_else(|| panic!("{place}: in no function"));
    let inst = function.inst_at(pc).unwrap();
    let number = function.block_of(inst);
    let block = &function.blocks[number];
    let blocks = || -> BTreeSet<usize> {
        values
            .split_whitespace()
            .filter(|word| *word != "none")
            .map(|word| word.parse().unwrap())
            .collect()
    };
    match key {
        "succ" => {
            let found: BTreeSet<usize> = block.successors.iter().map(|edge| edge.to).collect();
            let shape = || {
                let blocks = function.blocks.iter().enumerate();
                let block = |(number, block): (usize, &lift::Block)| {
                    format!(
                        "{number} at {:#x}: {block:?}\n",
                        function.insts.pc(block.first)
                    )
                };
                blocks.map(block).collect::<String>()
            };
            assert_eq!(found, blocks(), "{place}\n{}", shape());
        }
        "idom" => {
            let found: BTreeSet<usize> = function
                .dominators()
                .immediate(number)
                .into_iter()
                .collect();
            assert_eq!(found, blocks(), "{place}");
        }
        "ipdom" => {
            let found: BTreeSet<usize> = function
                .post_dominators()
                .immediate(number)
                .into_iter()
                .collect();
            assert_eq!(found, blocks(), "{place}");
        }
        "loop" => {
            let around = function
                .loops()
                .iter()
                .find(|around| around.header == number);
            let found: BTreeSet<usize> = around
                .map(|around| around.blocks.iter().copied().collect())
                .unwrap_or_default();
            assert_eq!(found, blocks(), "{place}");
        }
        "leaves" => {
            let found: Vec<String> = block
                .leaves
                .iter()
                .map(|leave| match leave {
                    Leave::TailCall(callee) => format!("tail:{}", module.functions[*callee].name),
                    other => format!("{other:?}").to_lowercase(),
                })
                .collect();
            assert_eq!(found.join(" "), values, "{place}");
        }
        "calls" => {
            let found = match block.call {
                Some(Callee::Known(callee)) => module.functions[callee].name.clone(),
                Some(Callee::Unknown) => "unknown".to_owned(),
                None => "none".to_owned(),
            };
            assert_eq!(found, values, "{place}");
        }
        "entered" => {
            let found = if block.entered { "yes" } else { "no" };
            assert_eq!(found, values, "{place}");
        }
        "callers" => {
            let found = match function.callers_are_known() {
                true => "known",
                false => "unknown",
            };
            assert_eq!(found, values, "{place}");
        }
        "live" => {
            let live = module.liveness(index).live_before(function, inst);
            let set = RegisterSet {
                scalars: live.scalars,
                vectors: live.active,
            };
            assert_eq!(names(&set), expand(values), "{place}");
        }
        "inactive" => {
            let live = module.liveness(index).live_before(function, inst);
            let set = RegisterSet {
                vectors: live.inactive,
                ..RegisterSet::default()
            };
            assert_eq!(names(&set), expand(values), "{place}");
        }
        "pending" => {
            let pending = module.pending(index).pending_before(function, inst);
            assert_eq!(names(&pending.written()), expand(values), "{place}");
        }
        "unnamed" => {
            let named = module.named(index);
            let mut found: BTreeSet<String> = named
                .unnamed_vectors(false, 8)
                .map(|index| format!("v{index}"))
                .collect();
            found.extend(named.unnamed_scalars(8).map(|index| format!("s{index}")));
            assert_eq!(found, expand(values), "{place}");
        }
        "taken" => {
            let found: Vec<&str> = module
                .address_taken()
                .map(|index| module.functions[index].name.as_str())
                .collect();
            assert_eq!(found.join(" "), values, "{place}");
        }
        _ => panic!("{place}: unknown key"),
    }
}

#[test]
fn notes_of_all_files_hold() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/flow");
    let mut files = 0;
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "s") {
            check(&path);
            files += 1;
        }
    }
    assert!(files >= 10, "only {files} files");
}
