//! A used wave that begins again is as a new one whose first values were set one by one; and what a wave of 32 lanes has behind them in
//! its registers changes nothing.

use crate::harness::{self, Allocations, random::Random};
use gfx::Target;
use wave::{Counts, Env, LANES, Memory, Preset, Program, Range, Segment, Start, Stop, Wave, run};

/// The emulated devices of all generations, with their wave sizes.
const DEVICES: &[(&str, u32)] = &[
    ("gfx900", 64),
    ("gfx906", 64),
    ("gfx908", 64),
    ("gfx90a", 64),
    ("gfx942", 64),
    ("gfx950", 64),
    ("gfx1010", 32),
    ("gfx1010", 64),
    ("gfx1030", 32),
    ("gfx1030", 64),
    ("gfx1100", 32),
    ("gfx1100", 64),
    ("gfx1151", 32),
    ("gfx1151", 64),
    ("gfx1201", 32),
    ("gfx1201", 64),
];

/// Rows of waves, and two of them that code writes: more than one word of a set of them has bits, and fewer.
const ROWS: [(usize, [usize; 2]); 2] = [(80, [70, 79]), (48, [40, 47])];
/// Leaves other values in registers of all kinds.
const CODE: &str = "v_mov_b32_e32 v3, 5
    v_mov_b32_e32 v4, v0
    v_mov_b32_e32 vA, v1
    s_mov_b32 s7, 9
    s_mov_b32 vcc_lo, 7
    s_mov_b32 m0, 3
    s_mov_b32 exec_lo, 5
    s_cmp_eq_u32 s7, 9
    v_mov_b32_e32 vB, 1
    s_endpgm";
/// MODE of a wave: the usual one, denormals off, another rounding.
const MODES: [u32; 3] = [harness::MODE, 0x300, 0x3f5];

/// Makes waves alike in what they do not show: lanes that they do not have, and registers that are noted as written.
fn level(wave: &mut Wave) {
    for row in 0..wave.vector_rows() {
        wave.set_vgpr(row, 0, wave.vgpr(row, 0));
        for lane in wave.wave_size() as usize..LANES {
            wave.set_vgpr(row, lane, 0);
        }
    }
    wave.slice_left = 0;
}

fn program_of(
    name: &str,
    wave_size: u32,
    (rows, [a, b]): (usize, [usize; 2]),
) -> (Program, Vec<u8>) {
    let target = Target::find(name).unwrap();
    let assembler = isa::Assembler::new(target).unwrap();
    let text = CODE.replace("vA", &format!("v{a}"));
    let text = text.replace("vB", &format!("v{b}"));
    let code = assembler.assemble(&text).unwrap();
    let config = harness::plain(target, wave_size, rows);
    let decoder = isa::Decoder::with_features(target, wave_size as u8, "").unwrap();
    (Program::new(config, decoder), code)
}

fn around(code: &[u8]) -> (Allocations, u64) {
    let start = code.as_ptr().expose_provenance() as u64;
    let end = start + code.len() as u64;
    let range = Range {
        start,
        end,
        writable: false,
    };
    (Allocations::new(vec![range]), start)
}

/// EXEC of waves with some lanes, of the last of a workgroup, and of full ones.
fn execs(wave_size: u32, random: &mut Random) -> Vec<u64> {
    let full = !0 >> (64 - wave_size);
    vec![
        full,
        1,
        full >> 7,
        full >> (wave_size / 2),
        random.bits() & full,
        0,
    ]
}

/// The state that `start` is to give a wave, by a new one.
fn expected(
    segment: &std::sync::Arc<Segment>,
    (rows, wave_size): (usize, u32),
    start: &Start<'_>,
    sgprs: &[u32],
) -> Wave {
    let mut wave = Wave::new(segment.clone(), rows, wave_size, start.mode);
    for (row, lanes) in start.vectors.iter().enumerate() {
        for (lane, value) in lanes.iter().enumerate() {
            wave.set_vgpr(row, lane, *value);
        }
    }
    for (register, value) in sgprs.iter().enumerate() {
        wave.set_sgpr(register, *value);
    }
    wave.set_exec(start.exec);
    wave
}

fn check(name: &str, wave_size: u32, code: (usize, [usize; 2]), random: &mut Random) {
    let rows = code.0;
    let (program, code) = program_of(name, wave_size, code);
    let (allocations, pc) = around(&code);
    let segment = program.segment(&mut Memory::new(&allocations), pc).unwrap();
    let host = harness::Outside::default();
    let mut env = Env {
        memory: Memory::new(&allocations),
        lds: Vec::new(),
        barrier: Default::default(),
        races: None,
        shadow: None,
        program: &program,
        host: &host,
        counts: Counts::new(),
        watch: None,
    };
    let mut used = Wave::new(segment.clone(), rows, wave_size, harness::MODE);
    for round in 0..18 {
        let execs = execs(wave_size, random);
        let sgprs: Vec<u32> = (0..round).map(|_| random.bits() as u32).collect();
        let vectors: Vec<[u32; LANES]> = (0..round % 4)
            .map(|_| std::array::from_fn(|_| random.bits() as u32))
            .collect();
        let start = Start {
            mode: MODES[round % 3],
            exec: execs[round % execs.len()],
            scalars: &Preset::new(&sgprs),
            vectors: &vectors,
        };
        used.begin(&segment, &start);
        let mut seen = used.clone();
        let mut new = expected(&segment, (rows, wave_size), &start, &sgprs);
        level(&mut seen);
        level(&mut new);
        let place = format!("{name}, wave{wave_size}, {rows} rows, round {round}");
        assert_eq!(seen.exec(), start.exec, "{place}");
        assert_eq!(format!("{seen:?}"), format!("{new:?}"), "{place}");
        // Used up again, by code, by what fills registers, or by who sets them one by one.
        match round % 3 {
            0 => used.fill(|| random.bits() as u32),
            1 => (0..rows).for_each(|row| used.set_vgpr(row, row % 64, 1)),
            _ => {}
        }
        (0..128).for_each(|register| used.set_sgpr(register, random.bits() as u32));
        used.set_exec(!0);
        assert_eq!(run(&mut used, &mut env, 1000), Stop::End, "{place}");
    }
}

#[test]
fn a_used_wave_begins_like_a_new_one() {
    let mut random = Random(35);
    for (name, wave_size) in DEVICES {
        for rows in ROWS {
            check(name, *wave_size, rows, &mut random);
        }
    }
}
