//! Code to decode, and LLVM's own tools to disagree with.

use compiled::Compiler;
use object::{Object, ObjectSection, ObjectSymbol};
use std::{
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
    process::Command,
    sync::{Mutex, OnceLock, PoisonError},
};

/// One line of `llvm-objdump -d`.
#[derive(Debug, PartialEq, Eq)]
pub struct Line {
    pub pc: u64,
    pub text: String,
    pub words: Vec<u32>,
}

/// Runs a tool of LLVM 22 and returns what it prints.
pub fn run(program: &str, arguments: &[&str]) -> String {
    let output = match program {
        "clang-22" => Compiler::new(program).args(arguments).output(),
        _ => Command::new(program).args(arguments).output(),
    };
    let output = output.unwrap_or_else(|error| {
        panic!("{program}: {error}; install llvm-22 and clang-22 or run ./dev setup")
    });
    assert!(
        output.status.success(),
        "{program} {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// Disassembles all code of an object with llvm-objdump. Undecodable words are lines whose text starts with `.long`.
pub fn objdump(path: &Path, features: &str) -> Vec<Line> {
    let attributes = format!("--mattr={features}");
    let path = path.to_str().unwrap();
    let mut arguments = vec!["-d", "-z"];
    if !features.is_empty() {
        arguments.push(&attributes);
    }
    arguments.push(path);
    run("llvm-objdump-22", &arguments)
        .lines()
        .filter_map(parse_line)
        .collect()
}

/// `\ts_endpgm      // 000000001220: BF810000 <label>`
fn parse_line(line: &str) -> Option<Line> {
    let (text, rest) = line.strip_prefix('\t')?.rsplit_once("// ")?;
    let (pc, words) = rest.split_once(':')?;
    let pc = u64::from_str_radix(pc, 16).ok()?;
    let words = words
        .split_whitespace()
        .map_while(|word| u32::from_str_radix(word, 16).ok())
        .collect();
    Some(Line {
        pc,
        text: text.trim().to_owned(),
        words,
    })
}

/// Executable sections: address and bytes.
pub fn code_sections(elf: &[u8]) -> Vec<(u64, Vec<u8>)> {
    let file = object::File::parse(elf).unwrap();
    file.sections()
        .filter(|section| section.kind() == object::SectionKind::Text)
        .map(|section| (section.address(), section.data().unwrap().to_vec()))
        .collect()
}

/// The code objects for `processor` in a `.hip_fatbin` section: uncompressed offload bundles, one after another.
pub fn bundled_code_objects(host_elf: &[u8], processor: &str) -> Vec<Vec<u8>> {
    const MAGIC: &[u8] = b"__CLANG_OFFLOAD_BUNDLE__";
    let file = object::File::parse(host_elf).unwrap();
    let Some(section) = file.section_by_name(".hip_fatbin") else {
        return Vec::new();
    };
    let data = section.data().unwrap();
    let number = |at: usize| u64::from_le_bytes(data[at..at + 8].try_into().unwrap()) as usize;
    let mut found = Vec::new();
    let mut start = 0;
    while let Some(offset) = data[start..]
        .windows(MAGIC.len())
        .position(|window| window == MAGIC)
    {
        let bundle = start + offset;
        let mut entry = bundle + MAGIC.len() + 8;
        let mut end = entry;
        for _ in 0..number(bundle + MAGIC.len()) {
            let (at, size, length) = (
                bundle + number(entry),
                number(entry + 8),
                number(entry + 16),
            );
            let id = std::str::from_utf8(&data[entry + 24..entry + 24 + length]).unwrap();
            if id
                .split("--")
                .nth(1)
                .and_then(|rest| rest.split(':').next())
                == Some(processor)
            {
                found.push(data[at..at + size].to_vec());
            }
            entry += 24 + length;
            end = end.max(at + size);
        }
        start = end.max(bundle + MAGIC.len());
    }
    found
}

/// The wave sizes of a target.
pub fn wave_sizes(target: &gfx::Target) -> impl Iterator<Item = u8> {
    [(64, target.vgpr_granule[0]), (32, target.vgpr_granule[1])]
        .into_iter()
        .filter(|&(_, granule)| granule != 0)
        .map(|(size, _)| size)
}

/// The feature that selects a wave size in LLVM's tools; empty where there is no choice.
pub fn wave_feature(target: &gfx::Target, wave_size: u8) -> String {
    match wave_sizes(target).count() {
        1 => String::new(),
        _ => format!("+wavefrontsize{wave_size}"),
    }
}

/// Compiles `tests/corpus/kernels.cl` to a code object.
pub fn compile(target: &gfx::Target, wave_size: u8, directory: &Path) -> PathBuf {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus/kernels.cl");
    let out = directory.join(format!("{}-{wave_size}.co", target.name));
    let cpu = format!("-mcpu={}", target.name);
    let mut arguments = vec![
        "-target",
        "amdgcn-amd-amdhsa",
        &cpu,
        "-nogpulib",
        "-nogpuinc",
        "-cl-std=CL2.0",
        "-O2",
        "-w",
        "-x",
        "cl",
        source,
        "-o",
    ];
    arguments.push(out.to_str().unwrap());
    if wave_sizes(target).count() == 2 && wave_size == 64 {
        arguments.push("-mwavefrontsize64");
    }
    run("clang-22", &arguments);
    out
}

/// Compares decoding and printing of every code byte of an object with llvm-objdump; returns how many instructions and
/// how many undecodable words there were.
pub fn agree_with_objdump(decoder: &isa::Decoder, path: &Path) -> (usize, usize) {
    // LLVM decodes halves of registers as such when told that there may be some.
    let mut features = wave_feature(decoder.target(), decoder.wave_size());
    if decoder.target().family >= gfx::Family::Gfx11 {
        features += ",+real-true16";
    }
    let lines = objdump(path, &features).into_iter();
    let lines: HashMap<u64, Line> = lines.map(|line| (line.pc, line)).collect();
    let assembler =
        isa::Assembler::with_features(decoder.target(), decoder.wave_size(), "").unwrap();
    let unknown = |line: &Line| line.text.starts_with(".long");
    let line_at = |pc: u64| lines.get(&pc);
    let elf = std::fs::read(path).unwrap();
    let symbols = symbols(&elf);
    let (mut good, mut bad) = (0, 0);
    // One of the two may be inside an instruction of the other.
    let mut astray = false;
    for (address, code) in code_sections(&elf) {
        for result in decoder.decode_all(&code, address) {
            let context = format!("{}: {result:?}", path.display());
            match result {
                Err(error) => {
                    bad += 1;
                    let Some(line) = line_at(error.pc()) else {
                        assert!(astray, "{context}: not in objdump");
                        continue;
                    };
                    // objdump has instructions with operands that the assembler refuses.
                    let refused = !unknown(line) && assembler.assemble(&line.text).is_err();
                    assert!(unknown(line) || refused, "{context}: objdump has {line:?}");
                    astray |= refused;
                }
                Ok(inst) => {
                    good += 1;
                    // Behind such an instruction one of the two goes on inside it.
                    let Some(line) = line_at(inst.pc) else {
                        assert!(astray, "{context}: not in objdump");
                        continue;
                    };
                    // Bits that it ignores are none of objdump's. The assembler leaves those of DS out, and all others are its own.
                    let may_ignore = inst.mnemonic().starts_with("v_permlane")
                        || matches!(inst.format, isa::Format::Ds | isa::Format::Vopd);
                    if may_ignore && unknown(line) {
                        astray = true;
                        if inst.format != isa::Format::Ds {
                            // The assembler has more to say of two halves: banks of registers, longer encodings.
                            continue;
                        }
                        let bare = assembler.assemble(&decoder.print(&inst));
                        let bare = bare.unwrap_or_else(|error| panic!("{context}: {error:?}"));
                        assert_eq!(bare.len(), usize::from(inst.size), "{context}");
                        // Patterns of swizzles have several spellings, in the first two bytes.
                        let first = 2 * usize::from(inst.mnemonic() == "ds_swizzle_b32");
                        let given = inst.words.map(u32::to_le_bytes).concat();
                        let mut bytes = bare.iter().zip(&given).skip(first);
                        let added = bytes.any(|(bare, given)| bare & !given != 0);
                        assert!(!added, "{context}: assembled as {bare:x?}");
                        continue;
                    }
                    astray = false;
                    assert_eq!(
                        line.words,
                        inst.words[..usize::from(inst.size) / 4],
                        "{context}"
                    );
                    let named = |target| symbols.get(&target).cloned();
                    let ours = match inst.target() {
                        Some(target) if named(target).is_some() => {
                            decoder.print_with_target(&inst, named)
                        }
                        _ => decoder.print(&inst),
                    };
                    let printed = inst
                        .mnemonic()
                        .split(" :: ")
                        .all(|part| ours.contains(part));
                    assert!(printed, "{context}: {} is not in {ours}", inst.mnemonic());
                    assert_eq!(line.text, ours, "{context}");
                    assert!(!ours.contains("/*Invalid "), "{context}");
                }
            }
        }
    }
    (good, bad)
}

/// Named addresses in code.
fn symbols(elf: &[u8]) -> HashMap<u64, String> {
    let file = object::File::parse(elf).unwrap();
    file.symbols()
        .filter(|symbol| {
            matches!(
                symbol.kind(),
                object::SymbolKind::Text | object::SymbolKind::Unknown
            )
        })
        .filter(|symbol| symbol.section_index().is_some())
        .map(|symbol| (symbol.address(), symbol.name().unwrap().to_owned()))
        .collect()
}

/// As the assembler spells it.
pub fn name(reg: &isa::Reg) -> String {
    let half = |word: u16| if word == 0 { "_lo" } else { "_hi" };
    let pair = |name: &str| match reg.width {
        2 => name.to_owned(),
        _ => format!("{name}{}", half(reg.index)),
    };
    let file = |letter: &str| match (reg.width, reg.half) {
        (_, Some(high)) => format!("{letter}{}.{}", reg.index, if high { 'h' } else { 'l' }),
        (1, None) => format!("{letter}{}", reg.index),
        (width, None) => format!(
            "{letter}[{}:{}]",
            reg.index,
            reg.index + u16::from(width) - 1
        ),
    };
    use isa::RegKind;
    match reg.kind {
        RegKind::Sgpr => file("s"),
        RegKind::Vgpr => file("v"),
        RegKind::Agpr => file("a"),
        RegKind::Ttmp => file("ttmp"),
        RegKind::Vcc => pair("vcc"),
        RegKind::Exec => pair("exec"),
        RegKind::FlatScratch => pair("flat_scratch"),
        RegKind::XnackMask => pair("xnack_mask"),
        RegKind::Scc => "scc".to_owned(),
        RegKind::M0 => "m0".to_owned(),
        RegKind::Mode => "mode".to_owned(),
        RegKind::Null => "null".to_owned(),
        RegKind::Source => format!("src{}", reg.index),
        RegKind::Other => "other".to_owned(),
    }
}

/// Instructions of a target, a few of every opcode, with different registers wherever they may have some. `see` gets them.
pub fn each_opcode(decoder: &isa::Decoder, mut see: impl FnMut(&isa::Inst)) {
    for &words in places_of_opcodes(decoder) {
        see(&decode(decoder, words).expect("it was decoded before"));
    }
}

fn decode(
    decoder: &isa::Decoder,
    [first, second]: [u32; 2],
) -> Result<isa::Inst, isa::DecodeError> {
    let words = [first, second, 0x0000_0006, 0, 0];
    let code: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    decoder.decode(&code, 0)
}

/// The first two dwords of these instructions. Several tests look at them, and the search for them takes most of their time: it is
/// made once for each target and wave size.
fn places_of_opcodes(decoder: &isa::Decoder) -> &'static [[u32; 2]] {
    type Key = (&'static str, u8);
    static FOUND: Mutex<BTreeMap<Key, &'static OnceLock<Vec<[u32; 2]>>>> =
        Mutex::new(BTreeMap::new());
    let key = (decoder.target().name, decoder.wave_size());
    let found: &'static OnceLock<_> = {
        let mut all = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
        all.entry(key)
            .or_insert_with(|| Box::leak(Box::new(OnceLock::new())))
    };
    found.get_or_init(|| search_opcodes(decoder))
}

fn search_opcodes(decoder: &isa::Decoder) -> Vec<[u32; 2]> {
    /// How many of an opcode.
    const ENOUGH: u8 = 3;
    let mut seen = HashMap::<u32, u8>::new();
    let mut found = Vec::new();
    let mut look = |words: [u32; 2]| {
        let Ok(inst) = decode(decoder, words) else {
            return;
        };
        let times = seen.entry(inst.opcode).or_default();
        if *times < ENOUGH {
            *times += 1;
            found.push(words);
        }
    };
    for upper in 0..=0xffff_u32 {
        for (lower, seconds) in dwords(upper) {
            seconds
                .iter()
                .for_each(|&second| look([upper << 16 | lower, second]));
        }
    }
    found
}

/// Lower halves of first dwords, and second dwords, with which the upper half of a first dword is worth looking at. Register
/// numbers in the upper half are taken few.
fn dwords(upper: u32) -> Vec<(u32, &'static [u32])> {
    /// A literal, or nothing.
    const LITERAL: &[u32] = &[0x0000_0501];
    /// DPP and SDWA controls.
    const CONTROLS: &[u32] = &[0xff00_e401, 0x0606_0601, 0xff00_0001, 0x0000_0601];
    /// Sources of VOP3 from vector registers, the third or second one from a scalar one; addresses and data of memory.
    const SOURCES: &[u32] = &[
        0x0412_0501,
        0x0412_0101,
        0x002a_0501,
        0x0000_0501,
        0x0706_0402,
        0x0c02_0402,
    ];
    const VOPC: std::ops::Range<u32> = 0x7c00..0x7e00;
    const VOP1: std::ops::Range<u32> = 0x7e00..0x8000;
    const SOP1: std::ops::Range<u32> = 0xbe80..0xbf00;
    let extended = [0x01f9, 0x01fa, 0x01e9];
    let by_opcode = |shift: u32, source: u32| (0..256).map(move |op| op << shift | source);
    let few = |number: u32| matches!(number, 4 | 8);
    match upper {
        _ if VOP1.contains(&upper) && few(upper >> 1 & 0xff) => {
            // The opcode's lowest seven bits are in the lower half.
            let plain = (0..128).flat_map(|op| [op << 9 | 0x0101, op << 9 | 6]);
            let controlled = (0..128).flat_map(|op| extended.map(|low| op << 9 | low));
            plain
                .map(|lower| (lower, LITERAL))
                .chain(controlled.map(|lower| (lower, CONTROLS)))
                .collect()
        }
        _ if SOP1.contains(&upper) && few(upper & 0x7f) => {
            let plain = by_opcode(8, 6).chain(by_opcode(8, 2));
            plain.map(|lower| (lower, LITERAL)).collect()
        }
        // Instructions without operands have zeros there.
        0x7e00 => (0..128).map(|op| (op << 9, LITERAL)).collect(),
        _ if VOP1.contains(&upper) || SOP1.contains(&upper) => Vec::new(),
        ..0x8000 if VOPC.contains(&upper) || few(upper >> 1 & 0xff) => {
            let plain = [0x0503, 0x0105].map(|lower| (lower, LITERAL));
            plain
                .into_iter()
                .chain(extended.map(|low| (0x0400 | low, CONTROLS)))
                .collect()
        }
        ..0x8000 => Vec::new(),
        // A scalar destination, or an opcode.
        0x8000..0xbf00 if !few(upper & 0x7f) => Vec::new(),
        // Instructions without operands have zeros there.
        0x8000..0xc000 => [0x0a06, 0x0002, 0].map(|lower| (lower, LITERAL)).to_vec(),
        _ => {
            let mut dwords = [0x0503, 0x8005, 0x7c05]
                .map(|lower| (lower, SOURCES))
                .to_vec();
            // LDS, buffers and caches.
            if matches!(upper >> 8, 0xc4..=0xc7 | 0xd8..=0xdb | 0xe0..=0xe3) {
                dwords.push((0, &[0]));
            }
            dwords
        }
    }
}
