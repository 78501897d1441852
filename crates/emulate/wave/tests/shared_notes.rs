//! Reads from LDS that follow each other share a note. They race where reads with notes of their own would: a wave has written one word, and
//! another one executes the reads.

use gfx::Target;
use wave::races::{Races, Rules};

use crate::harness::{Machine, assemble};

const LDS_BYTES: u32 = 1024;
/// v0 has this address in all lanes.
const HERE: u32 = 64;
/// All words of LDS have this address in them.
const THERE: u32 = 256;

struct Case {
    text: &'static str,
    /// The word that the other wave has written, and the reads that race with that, by their places in the text.
    races: &'static [(u32, &'static [usize])],
}

const CASES: &[Case] = &[
    Case {
        text: "ds_read_b32 v1, v0
               ds_read_b32 v2, v0 offset:4
               s_waitcnt lgkmcnt(0)
               ds_read_b64 v[4:5], v0 offset:8",
        races: &[
            (HERE, &[0]),
            (HERE + 4, &[1]),
            (HERE + 8, &[2]),
            (HERE + 12, &[2]),
            (HERE + 16, &[]),
        ],
    },
    // A read has loaded the address of the next one.
    Case {
        text: "ds_read_b32 v0, v0 offset:4
               s_waitcnt lgkmcnt(0)
               ds_read_b32 v1, v0 offset:8",
        races: &[(HERE + 4, &[0]), (THERE + 8, &[1]), (HERE + 8, &[])],
    },
    // The last of four words is the address.
    Case {
        text: "ds_read_b128 v[4:7], v0
               s_waitcnt lgkmcnt(0)
               ds_read_b32 v1, v7 offset:32",
        races: &[(THERE + 32, &[1]), (HERE + 12, &[0])],
    },
    // The second of two pairs is the address.
    Case {
        text: "ds_read2_b64 v[4:7], v0 offset1:3
               s_waitcnt lgkmcnt(0)
               ds_read_b32 v1, v6 offset:32",
        races: &[(THERE + 32, &[1]), (HERE + 24, &[0]), (HERE + 8, &[])],
    },
    // The first read has loaded the address of the third one.
    Case {
        text: "ds_read_b32 v1, v0
               ds_read_b32 v2, v0 offset:4
               s_waitcnt lgkmcnt(0)
               ds_read_b32 v3, v1 offset:8",
        races: &[(THERE + 8, &[2]), (HERE + 4, &[1])],
    },
    // Another instruction changes the address.
    Case {
        text: "ds_read_b32 v1, v0
               v_mov_b32_e32 v0, 0x200
               ds_read_b32 v2, v0 offset:4",
        races: &[(0x204, &[1]), (HERE + 4, &[]), (HERE, &[0])],
    },
    // Control comes to the second read past the first one.
    Case {
        text: "s_cmp_eq_u32 s0, s0
               s_cbranch_scc1 second
               ds_read_b32 v1, v0
               second: ds_read_b32 v2, v0 offset:4",
        races: &[(HERE + 4, &[1]), (HERE, &[])],
    },
    // Control leaves between them.
    Case {
        text: "ds_read_b32 v1, v0
               s_cmp_eq_u32 s0, s0
               s_cbranch_scc1 behind
               ds_read_b32 v2, v0 offset:4
               behind:",
        races: &[(HERE, &[0]), (HERE + 4, &[])],
    },
    // More rows of addresses than a note has room for.
    Case {
        text: "v_mov_b32_e32 v1, 0x100
               v_mov_b32_e32 v2, 0x140
               v_mov_b32_e32 v3, 0x180
               v_mov_b32_e32 v4, 0x1c0
               ds_read_b32 v10, v0
               ds_read_b32 v11, v1
               ds_read_b32 v12, v2
               ds_read_b32 v13, v3
               ds_read_b32 v14, v4
               ds_read_b32 v15, v0 offset:8",
        races: &[
            (HERE, &[0]),
            (0x100, &[1]),
            (0x140, &[2]),
            (0x180, &[3]),
            (0x1c0, &[4]),
            (HERE + 8, &[5]),
        ],
    },
];

/// Only these have VSKIP, with which waves pass over vector instructions.
const SKIPPED: &[Case] = &[Case {
    text: "s_setvskip 1, 0
           ds_read_b32 v1, v0
           ds_read_b32 v2, v0 offset:4
           s_setvskip 0, 0
           ds_read_b32 v3, v0 offset:8",
    races: &[(HERE, &[]), (HERE + 4, &[]), (HERE + 8, &[2])],
}];

/// On an exact device, a read outside of LDS stops the wave.
const STOPPED: &[Case] = &[Case {
    text: "v_mov_b32_e32 v1, 0x10000
           ds_read_b32 v2, v1
           ds_read_b32 v3, v0",
    races: &[(HERE, &[])],
}];

/// The reads of a wave that race with the other wave's write of a word.
fn racing(target: &str, text: &str, word: u32, exact: bool) -> Vec<usize> {
    let make = |text: &str| {
        let mut machine = match exact {
            true => Machine::exact(target, text),
            false => Machine::noting(target, text),
        };
        machine.lds_words(vec![THERE; LDS_BYTES as usize / 4]);
        machine
    };
    let write = "ds_write_b32 v0, v1\ns_waitcnt lgkmcnt(0)";
    let mut writer = make(write);
    writer.vgpr(0, |_| word).vgpr(1, |_| THERE);
    writer.races = Races::new(None, LDS_BYTES, 2, Rules::ALL);
    writer.run();
    let mut reader = make(text);
    reader.races = writer.races.take();
    reader.wave.index_in_workgroup = 1;
    reader.vgpr(0, |_| HERE).sgpr(0, 0);
    reader.stop();

    let target = Target::find(target).unwrap();
    let code = assemble(target, target.wave_size.into(), text).unwrap();
    let decoder = isa::Decoder::with_features(target, target.wave_size, "").unwrap();
    let all = decoder.decode_all(&code, 0).map(Result::unwrap);
    let is_read = |inst: &isa::Inst| {
        let name = inst.mnemonic();
        name.starts_with("ds_read") || name.starts_with("ds_load")
    };
    let reads: Vec<u64> = all.filter(is_read).map(|inst| inst.pc).collect();
    let races = reader.races.as_mut().unwrap().take_found();
    let place = |pc: u64| reads.iter().position(|read| *read == pc - reader.start());
    let mut racing: Vec<usize> = races.iter().map(|race| place(race.pc).unwrap()).collect();
    racing.sort_unstable();
    racing.dedup();
    racing
}

fn check(targets: &[&str], cases: &[Case], exact: bool) {
    for target in targets {
        for Case { text, races } in cases {
            for (word, expected) in *races {
                let found = racing(target, text, *word, exact);
                assert_eq!(found, *expected, "{target}: word {word}: {text}");
            }
        }
    }
}

#[test]
fn reads_that_share_a_note_race_where_they_read() {
    check(&["gfx90a", "gfx1100"], CASES, false);
    check(&["gfx900"], SKIPPED, false);
    check(&["gfx90a", "gfx1100"], STOPPED, true);
}

/// The micro-op in front of the reads is the only one, so that the cases above are about notes that are shared.
#[test]
fn reads_that_follow_each_other_have_one_note() {
    let count = |text: &str| Machine::noting("gfx90a", text).micro_ops() - 1;
    for (text, expected) in [
        ("ds_read_b32 v1, v0\nds_read_b32 v2, v0 offset:4", 3),
        (
            "ds_read_b32 v1, v0\nv_mov_b32_e32 v3, 0\nds_read_b32 v2, v0 offset:4",
            5,
        ),
    ] {
        assert_eq!(count(text), expected, "{text}");
    }
}
