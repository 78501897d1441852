//! Bits that count as undefined, and bits that depend on undefined ones. Instructions run again and again with other values in the undefined
//! bytes of their sources. A bit of the result that changes is undefined.

use std::{collections::BTreeMap, fmt::Write, sync::Arc, time::Duration};

use codeobj::CodeObject;
use compiled::Compiler;
use definedness::{Definedness, Found, Sink};
use emulate::{Argument, Device, Shape};
use gpu::Dispatch;

use crate::common::random;

const LIMIT: Duration = Duration::from_secs(20);
const LANES: usize = 64;
/// Words of each lane: v10 to v17 are sources, v20 to v27 hold results.
const WORDS: usize = 16;
const BYTES: usize = 4 * LANES * WORDS;
/// The values that undefined bytes get.
const FILLS: usize = 24;

/// Other tests look at uses.
struct Silent;

impl Sink for Silent {
    fn used(&self, _: &Arc<Dispatch>, _: &Found, _: u64) {}
}

/// Words that are spelled otherwise by family.
struct Words {
    load: &'static str,
    store: &'static str,
    scalar: &'static str,
    lds: &'static str,
    wait: &'static str,
    options: &'static str,
}

fn words(target: &str) -> Words {
    let old = Words {
        load: "global_load_dwordx4",
        store: "global_store_dwordx4",
        scalar: "s_load_dwordx4",
        lds: "ds_write_b128",
        wait: "s_waitcnt vmcnt(0) lgkmcnt(0)",
        options: "",
    };
    let new = Words {
        load: "global_load_b128",
        store: "global_store_b128",
        scalar: "s_load_b128",
        lds: "ds_store_b128",
        options: ".amdhsa_wavefront_size32 1",
        ..old
    };
    match target {
        _ if target.starts_with("gfx12") => Words {
            wait: "s_wait_loadcnt_dscnt 0x0\ns_wait_kmcnt 0x0\ns_wait_storecnt 0x0",
            ..new
        },
        _ if target.starts_with("gfx11") => Words {
            wait: "s_waitcnt vmcnt(0) lgkmcnt(0)\ns_waitcnt_vscnt null, 0x0",
            ..new
        },
        "gfx90a" | "gfx942" | "gfx950" => Words {
            options: ".amdhsa_accum_offset 32",
            ..old
        },
        _ => old,
    }
}

/// A kernel for each case. `;` separates instructions, and `wait` waits.
fn source(target: &str, cases: &[&str]) -> String {
    let words = words(target);
    let Words {
        load,
        store,
        scalar,
        lds,
        wait,
        options,
    } = words;
    let mut text = format!(".amdgcn_target \"amdgcn-amd-amdhsa--{target}\"\n.text\n");
    let mut metadata = format!(
        "amdhsa.version: [1, 1]\namdhsa.target: amdgcn-amd-amdhsa--{target}\namdhsa.kernels:\n"
    );
    let size = if target.starts_with("gfx9") { 64 } else { 32 };
    for (number, case) in cases.iter().enumerate() {
        let case: String = case
            .split(';')
            .map(|one| match one.trim() {
                "wait" => format!("{wait}\n"),
                one => format!("{one}\n"),
            })
            .collect();
        let loads = loads(load);
        let case = case.trim_end();
        let _ = write!(
            text,
            ".globl k{number}\n.p2align 8\n.type k{number},@function\nk{number}:
{scalar} s[8:11], s[0:1], 0x0
v_and_b32_e32 v0, 0x3ff, v0
v_lshlrev_b32_e32 v6, 6, v0
s_lshl_b32 s15, {group}, 12
v_lshlrev_b32_e32 v7, 2, v0
v_mov_b32_e32 v3, 0
v_mov_b32_e32 v5, 0
v_add_{nc}u32_e32 v2, s15, v6
v_mov_b32_e32 v4, v2
s_mov_b32 s12, 0x5a5ac3c3
s_mov_b32 s13, 0x0ff01234
s_mov_b32 m0, -1
{wait}
s_mov_b32 vcc_lo, 0x33cc55aa
s_mov_b32 vcc_hi, 0x33cc55aa
{add_in}
{add_out}
{loads}{wait}
{lds} v6, v[10:13]
{lds} v6, v[14:17] offset:16
{wait}
{case}
{wait}
{store} v[4:5], v[20:23], off
{store} v[4:5], v[24:27], off offset:16
s_endpgm
.Le{number}: .size k{number}, .Le{number}-k{number}
",
            group = if target.starts_with("gfx12") {
                "ttmp9"
            } else {
                "s2"
            },
            nc = if target.starts_with("gfx9") {
                ""
            } else {
                "nc_"
            },
            add_in = wide_sum(target, 2, 8),
            add_out = wide_sum(target, 4, 10),
        );
        metadata += &described(number, size);
    }
    text += ".rodata\n";
    for number in 0..cases.len() {
        let _ = write!(
            text,
            ".p2align 6\n.amdhsa_kernel k{number}\n.amdhsa_user_sgpr_kernarg_segment_ptr 1\n.amdhsa_kernarg_size 16\n.amdhsa_next_free_vgpr 64
.amdhsa_next_free_sgpr 40\n.amdhsa_group_segment_fixed_size 8192\n{options}\n.end_amdhsa_kernel\n"
        );
    }
    text + ".amdgpu_metadata\n---\n" + &metadata + "...\n.end_amdgpu_metadata\n"
}

/// Loads of all words of a lane.
fn loads(load: &str) -> String {
    let groups = [(10, 0), (14, 16), (20, 32), (24, 48)];
    let all = groups.map(|(first, offset)| {
        let last = first + 3;
        format!("{load} v[{first}:{last}], v[2:3], off offset:{offset}\n")
    });
    all.concat()
}

/// The metadata of a kernel.
fn described(number: usize, wave_size: u32) -> String {
    let argument = |name: &str, offset: u32| {
        format!(
            "{{.address_space: global, .name: {name}, .offset: {offset}, .size: 8, .value_kind: global_buffer}}"
        )
    };
    format!(
        "  - .name: k{number}
    .symbol: k{number}.kd
    .kernarg_segment_size: 16
    .group_segment_fixed_size: 8192
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: {wave_size}
    .sgpr_count: 40
    .vgpr_count: 64
    .max_flat_workgroup_size: 256
    .args: [{}, {}]
",
        argument("x", 0),
        argument("y", 8)
    )
}

/// Adds the pair of scalars to the pair of registers.
fn wide_sum(target: &str, vector: u32, scalar: u32) -> String {
    let high = format!("v_mov_b32_e32 v8, s{}", scalar + 1);
    let names = match target.starts_with("gfx9") {
        true => ["v_add_co_u32_e32", "v_addc_co_u32_e32"],
        false => ["v_add_co_u32", "v_add_co_ci_u32_e32"],
    };
    let mask = if target.starts_with("gfx9") {
        "vcc"
    } else {
        "vcc_lo"
    };
    format!(
        "{high}\n{} v{vector}, {mask}, s{scalar}, v{vector}\n{} v{next}, {mask}, v{next}, v8, {mask}\ns_mov_b32 vcc_lo, 0x33cc55aa\ns_mov_b32 vcc_hi, 0x33cc55aa",
        names[0],
        names[1],
        next = vector + 1
    )
}

/// The cases that assemble, and the object. None without a compiler.
fn assembled<'a>(target: &str, cases: &[&'a str]) -> Option<(Vec<&'a str>, Vec<u8>)> {
    if !prerequisite::program("clang-22", "clang-22") {
        return None;
    }
    let work = tempfile::tempdir().unwrap();
    let (from, to) = (work.path().join("k.s"), work.path().join("k.co"));
    let mut cases = cases.to_vec();
    loop {
        let text = source(target, &cases);
        std::fs::write(&from, &text).unwrap();
        let output = Compiler::new("clang-22")
            .args(["-x", "assembler", "-target", "amdgcn-amd-amdhsa"])
            .arg(format!("-mcpu={target}"))
            .arg(&from)
            .arg("-o")
            .arg(&to)
            .output()
            .unwrap();
        if output.status.success() {
            return Some((cases, std::fs::read(&to).unwrap()));
        }
        let errors = String::from_utf8_lossy(&output.stderr);
        let mut owner = Vec::new();
        let mut now = usize::MAX;
        for line in text.lines() {
            if let Some(number) = line.strip_prefix(".globl k") {
                now = number.parse().unwrap();
            }
            owner.push(now);
        }
        let bad: std::collections::BTreeSet<usize> = errors
            .lines()
            .filter_map(|line| {
                let (_, rest) = line.split_once("k.s:")?;
                let at: usize = rest.split(':').next()?.parse().ok()?;
                rest.contains(" error: ").then(|| owner[at - 1])
            })
            .collect();
        assert!(!bad.is_empty(), "{errors}");
        let kept = cases.iter().enumerate().filter(|(at, _)| !bad.contains(at));
        cases = kept.map(|(_, case)| *case).collect();
    }
}

/// Bytes of the sources that are undefined, and what they would be.
fn inputs(random: &mut impl FnMut(u64) -> u64) -> (Vec<u8>, Vec<bool>) {
    const HALVES: [u16; 12] = [
        0, 1, 0x3c00, 0x4200, 0xbc00, 0x8000, 0xffff, 0x7bff, 0x00ff, 0x3f80, 0x4040, 4,
    ];
    let mut bytes = Vec::new();
    for _ in 0..BYTES / 2 {
        let half = match random(3) {
            0 => HALVES[random(12) as usize],
            1 => 0x3000 + random(0x1800) as u16 + 0x8000 * random(2) as u16,
            _ => random(0x10000) as u16,
        };
        bytes.extend(half.to_le_bytes());
    }
    let mut undefined = vec![false; BYTES];
    for lane in 0..LANES {
        let row = &mut undefined[4 * WORDS * lane..][..4 * WORDS];
        // One part of one of the words that most instructions take.
        const MOST: [usize; 9] = [0, 0, 0, 1, 1, 2, 2, 8, 3];
        for _ in 0..1 + random(2) * random(2) {
            let word = MOST[random(9) as usize];
            let part = match random(5) {
                0 => random(4) as usize..0,
                1 => 0..4,
                _ => match random(2) {
                    0 => 0..2,
                    _ => 2..4,
                },
            };
            let part = if part.end == 0 {
                part.start..part.start + 1
            } else {
                part
            };
            row[4 * word..][part].fill(true);
        }
    }
    (bytes, undefined)
}

/// Groups of lanes, and in each the values of undefined bytes again and again.
const ROUNDS: usize = 6;
const GROUPS: usize = ROUNDS * FILLS;

struct Bench<'a> {
    device: Device<'a>,
    definedness: Arc<Definedness>,
    input: u64,
    out: u64,
    undefined: Vec<Vec<bool>>,
}

struct Seen {
    out: Vec<u8>,
    bits: Vec<u8>,
}

impl<'a> Bench<'a> {
    fn new(object: &CodeObject<'a>) -> Bench<'a> {
        let device = Device::new(object.clone(), 1).unwrap();
        let definedness = Arc::new(Definedness::new(Arc::new(Silent)));
        device.follow(definedness.clone());
        let size = (GROUPS * BYTES) as u64;
        let [input, out] = [(); 2].map(|()| device.buffer(&[], size).unwrap());
        let mut random = random();
        let mut all = Vec::new();
        let mut undefined = Vec::new();
        for _ in 0..ROUNDS {
            let (bytes, which) = inputs(&mut random);
            for fill in 0..FILLS {
                let base = input + all.len() as u64;
                for (at, byte) in bytes.iter().enumerate() {
                    if !which[at] {
                        all.push(*byte);
                        continue;
                    }
                    definedness.undefine(base + at as u64, 1);
                    all.push(match fill {
                        0 => *byte,
                        1 => 0,
                        2 => 0xff,
                        3 => *byte ^ 1,
                        4 => *byte ^ 0x80,
                        _ => random(256) as u8,
                    });
                }
            }
            undefined.push(which);
        }
        device.write(input, &all).unwrap();
        Bench {
            device,
            definedness,
            input,
            out,
            undefined,
        }
    }

    fn run(&self, kernel: &str) -> Result<Seen, String> {
        let Bench {
            device,
            definedness,
            ..
        } = self;
        let size = GROUPS * BYTES;
        device.write(self.out, &vec![0; size]).unwrap();
        definedness.define(self.out, size as u64);
        let shape = Shape {
            grid: [GROUPS as u32, 1, 1],
            block: [LANES as u32, 1, 1],
            dynamic_lds: 0,
        };
        let arguments = [self.input, self.out].map(Argument::pointer);
        let prepared = device
            .prepare(kernel, &shape, &arguments)
            .map_err(|e| e.to_string())?;
        let ended = device.run_within(&prepared, LIMIT);
        device.release(prepared).map_err(|e| e.to_string())?;
        ended.map_err(|e| e.to_string())?;
        let mut out = vec![0; size];
        device.read(self.out, &mut out).unwrap();
        let bits = definedness.undefined_bits(self.out, size);
        Ok(Seen { out, bits })
    }
}

/// The cases, by target. A line has targets, and instructions that `;` separates.
fn by_target(text: &str) -> BTreeMap<&str, Vec<&str>> {
    let mut all: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for line in text.lines() {
        let Some((targets, case)) = line.split_once(": ") else {
            continue;
        };
        for target in targets.split(',') {
            all.entry(target).or_default().push(case);
        }
    }
    all
}

/// Bits of the output that change with the undefined bytes of a lane, and those that count as undefined.
#[derive(Default)]
struct Bits {
    counted: [u32; WORDS],
    changed: [u32; WORDS],
}

/// The faults of a case: bits that change and do not count as undefined; with `exact`, halves that never change and do.
fn wrong(bench: &Bench<'_>, seen: &Seen, exact: bool) -> Vec<String> {
    let mut by: BTreeMap<Vec<usize>, Bits> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (round, undefined) in bench.undefined.iter().enumerate() {
        for lane in 0..LANES {
            let record = 4 * WORDS * lane;
            let word = |bytes: &[u8], fill: usize, word: usize| {
                let at = (round * FILLS + fill) * BYTES + record + 4 * word;
                u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
            };
            let own = (0..4 * WORDS).filter(|at| undefined[record + at]);
            let bits = by.entry(own.collect()).or_default();
            for at in 0..WORDS {
                let counted = word(&seen.bits, 0, at);
                let first = word(&seen.out, 0, at);
                let changed =
                    (1..FILLS).fold(0, |all, fill| all | first ^ word(&seen.out, fill, at));
                bits.counted[at] |= counted;
                bits.changed[at] |= changed;
                if changed & !counted != 0 {
                    wrong.push(format!(
                        "round {round} lane {lane} word {at}: {:08x} changes",
                        changed & !counted
                    ));
                }
            }
        }
    }
    for (which, bits) in by.iter().filter(|(which, _)| exact && which.len() <= 4) {
        for at in 0..WORDS {
            for half in [0xffff, 0xffff_0000] {
                let (counted, changed) = (bits.counted[at] & half, bits.changed[at] & half);
                if counted.count_ones() > 3 && changed == 0 {
                    wrong.push(format!(
                        "bytes {which:?} never change {counted:08x} of word {at}"
                    ));
                }
            }
        }
    }
    wrong
}

/// The cases of which something is wrong, and the first of it. A case that starts with `=` is exact for halves.
fn failed(text: &str, all: bool) -> Vec<String> {
    let mut failed = Vec::new();
    for (target, cases) in by_target(text) {
        let texts: Vec<&str> = cases
            .iter()
            .map(|case| case.trim_start_matches("= "))
            .collect();
        let Some((texts, bytes)) = assembled(target, &texts) else {
            continue;
        };
        let left_out = cases.len() - texts.len();
        assert!(
            !all || left_out == 0,
            "{target}: {left_out} cases do not assemble"
        );
        let object = CodeObject::parse(&bytes).unwrap();
        let bench = Bench::new(&object);
        for (number, text) in texts.iter().enumerate() {
            let exact = cases
                .iter()
                .any(|case| case.strip_prefix("= ") == Some(text));
            let all = match bench.run(&format!("k{number}")) {
                Ok(seen) => wrong(&bench, &seen, exact),
                Err(why) => vec![why],
            };
            if let Some(first) = all.first() {
                failed.push(format!(
                    "{target}: {text}: {first}, and {} more",
                    all.len() - 1
                ));
            }
        }
    }
    failed
}

#[test]
fn what_changes_is_undefined_and_what_is_exact_changes() {
    let failed = failed(include_str!("fills.txt"), true);
    assert!(failed.is_empty(), "{failed:#?}");
}

/// Cases of a file that the variable names, such as forms of all mnemonics: what does not assemble is left out.
#[test]
fn cases_of_another_file() {
    let Some(file) = std::env::var_os("LUTHIER_FILL_CASES") else {
        return;
    };
    let failed = failed(&std::fs::read_to_string(file).unwrap(), false);
    assert!(failed.is_empty(), "{failed:#?}");
}
