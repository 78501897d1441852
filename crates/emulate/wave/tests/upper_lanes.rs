//! Rows of registers have room for 64 lanes. Values behind the lanes of a wave of 32, of an earlier wave for example, change nothing that
//! the wave computes. The tests run every encoding and some accesses to memory twice, from states that differ there alone.

use crate::every_encoding::{Quiet, Random, SLOT, encodings};
use crate::harness::{self, Allocations, Machine};
use gfx::Target;
use std::sync::Arc;
use wave::{Config, Counts, Env, LANES, Memory, Program, Range, Segment, Stop, Wave, run};

const ROWS: usize = 288;
const LANES_OF_WAVE: usize = 32;
/// More than a wave has.
const SCALARS: usize = 256;
/// The states that encodings start from, by turns: they are larger than what an encoding does.
const STATES: usize = 37;

/// The state of a wave after it ran.
#[derive(Debug, PartialEq)]
struct Outcome {
    stop: Stop,
    sgprs: Vec<u32>,
    scc: bool,
    mode: u32,
}

fn outcome(stop: Stop, wave: &Wave) -> Outcome {
    Outcome {
        stop,
        sgprs: wave.sgprs().to_vec(),
        scc: wave.scc(),
        mode: wave.mode(),
    }
}

/// The registers of two waves that differ only in the lanes that neither has.
struct Words([Vec<u32>; 2]);

impl Words {
    fn new(seed: u32, above: u32) -> Words {
        // Rows come first, lane by lane, then scalar registers.
        let count = ROWS * LANES + SCALARS;
        let is_above = |at: usize| at < ROWS * LANES && at % LANES >= LANES_OF_WAVE;
        let word = |at: usize, key: u32| {
            // Floats of ordinary size, small integers, and any bits.
            let bits = (key ^ (at as u32 + 1).wrapping_mul(0x9e37_79b9)).wrapping_mul(0x85eb_ca6b);
            match bits >> 29 {
                0..3 => bits & 0x87ff_ffff | 0x3800_0000,
                3..6 => bits & 0x3f,
                _ => bits,
            }
        };
        let one = (0..count).map(|at| word(at, seed)).collect();
        let other = (0..count).map(|at| word(at, if is_above(at) { above } else { seed }));
        Words([one, other.collect()])
    }

    /// Gives `wave` those of the first or second one.
    fn set(&self, which: usize, wave: &mut Wave, segment: &Arc<Segment>, exec: u64) {
        wave.restart(segment, harness::MODE, &[]);
        let mut words = self.0[which].iter();
        wave.fill(|| *words.next().expect("a word for each register"));
        wave.set_exec(exec);
    }
}

fn every_encoding(name: &str) {
    let target = Target::find(name).unwrap();
    let decoder = isa::Decoder::with_features(target, 32, "").unwrap();
    let mut random = Random(0x51ab_37c9_8d2f_1e63);
    let (code, texts) = encodings(&decoder, &mut random);
    let start = code.as_ptr().expose_provenance() as u64;
    let end = start + code.len() as u64;
    let writable = false;
    let allocations = Allocations::new(vec![Range {
        start,
        end,
        writable,
    }]);
    let config = Config {
        ordered: true,
        ..harness::plain(target, 32, ROWS)
    };
    let program = Program::new(config, decoder);
    let mut env = Env {
        memory: Memory::new(&allocations),
        lds: Vec::new(),
        barrier: Default::default(),
        races: None,
        shadow: None,
        program: &program,
        host: &Quiet,
        counts: Counts::new(),
        watch: None,
    };
    let segment_at = |index: usize| {
        let pc = start + (index * SLOT * 4) as u64;
        program.segment(&mut Memory::new(&allocations), pc).unwrap()
    };
    let states: Vec<(u32, Words)> = (0..STATES)
        .map(|_| (random.next(), random.next()))
        .map(|(seed, above)| (seed, Words::new(seed, above)))
        .collect();
    let mut waves = [(); 2].map(|()| Wave::new(segment_at(0), ROWS, 32, harness::MODE));
    let mut complaints = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        let segment = segment_at(index);
        let (seed, words) = &states[index % STATES];
        // A third of them with all lanes on.
        let exec = match index.is_multiple_of(3) {
            true => !0,
            false => u64::from(seed.rotate_left(index as u32) | seed.rotate_left(7)),
        };
        let outcomes = [0, 1].map(|which| {
            let wave = &mut waves[which];
            words.set(which, wave, &segment, exec);
            let stop = run(wave, &mut env, 1000);
            outcome(stop, wave)
        });
        let [one, other] = &waves;
        let differs = |row: &usize| {
            one.vgpr_row(*row)[..LANES_OF_WAVE] != other.vgpr_row(*row)[..LANES_OF_WAVE]
        };
        let rows: Vec<usize> = (0..ROWS).filter(differs).collect();
        if outcomes[0] != outcomes[1] || !rows.is_empty() {
            complaints.push(format!("{name}: {text}: rows {rows:?}"));
        }
    }
    assert!(texts.len() > 1000, "{name}: {} encodings", texts.len());
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn no_encoding_of_gfx10_reads_them() {
    every_encoding("gfx1030");
}

#[test]
fn no_encoding_of_gfx11_reads_them() {
    every_encoding("gfx1100");
}

#[test]
fn no_encoding_of_gfx12_reads_them() {
    every_encoding("gfx1201");
}

/// v1 has offsets, v2 and v[4:7] data; s[2:3] is the address of device memory.
const ACCESSES: &[&str] = &[
    "ds_read_b32 v8, v1",
    "ds_read_b64 v[8:9], v1",
    "ds_read_b128 v[8:11], v1",
    "ds_read_u8 v8, v1",
    "ds_read2_b32 v[8:9], v1 offset1:1",
    "ds_write_b32 v1, v2",
    "ds_write_b64 v1, v[4:5]",
    "ds_write_b128 v1, v[4:7]",
    "ds_write_b8 v1, v2",
    "ds_add_u32 v1, v2",
    "ds_add_rtn_u32 v8, v1, v2",
    "ds_cmpst_rtn_b32 v8, v1, v2, v4",
    "ds_bpermute_b32 v8, v1, v2",
    "ds_permute_b32 v8, v1, v2",
    "ds_swizzle_b32 v8, v2 offset:swizzle(BROADCAST,32,3)",
    "ds_swizzle_b32 v8, v2 offset:swizzle(REVERSE,16)",
    "global_load_dword v8, v1, s[2:3]",
    "global_load_dwordx4 v[8:11], v1, s[2:3]",
    "global_load_ubyte v8, v1, s[2:3]",
    "global_load_short_d16_hi v8, v1, s[2:3]",
    "global_store_dword v1, v2, s[2:3]",
    "global_store_dwordx2 v1, v[4:5], s[2:3]",
    "global_store_byte v1, v2, s[2:3]",
    "global_atomic_add v1, v2, s[2:3]",
    "global_atomic_add v8, v1, v2, s[2:3] glc",
];

/// LDS, memory and the lanes of all registers after `text`.
fn accessed(text: &str, exec: u64, spread: u32, above: u32) -> (Vec<u8>, Vec<u8>, Vec<u32>) {
    let mut m = Machine::new("gfx1030", text);
    let mut memory: Vec<u8> = (0..4096).map(|at| (at * 7) as u8).collect();
    let base = m.map(&mut memory);
    m.lds_words((0..1024).map(|word| word * 0x0101));
    m.exec(exec).sgpr64(2, base);
    for row in 0..12 {
        m.vgpr(row, |lane| match row {
            1 => (lane as u32).wrapping_mul(spread) & 0xff0,
            _ => 0x0101_0000 * row as u32 + lane as u32,
        });
        (LANES_OF_WAVE..LANES).for_each(|lane| m.wave.set_vgpr(row, lane, above));
    }
    assert_eq!(m.stop(), Stop::End, "{text}");
    let rows = (0..12).flat_map(|row| m.wave.vgpr_row(row)[..LANES_OF_WAVE].to_vec());
    let rows = rows.collect();
    let lds = m.lds.clone();
    (lds, memory, rows)
}

#[test]
fn no_access_to_memory_reads_them() {
    for text in ACCESSES {
        for exec in [0xffff_ffff, 0x5555_5555, 0xffff_0000, 0x0001_8001] {
            for spread in [0, 16, 48, 0xffff_fff0] {
                let quiet = accessed(text, exec, spread, 0);
                for above in [16, 0xffff_ffff, 0xdead_bee0] {
                    let seen = accessed(text, exec, spread, above);
                    assert!(seen == quiet, "{text}: {exec:#x}, {spread}, {above:#x}");
                }
            }
        }
    }
}
