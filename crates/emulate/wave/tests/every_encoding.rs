//! Executes every ALU encoding with many operand patterns: nothing may panic, and what LLVM decodes must run.

use crate::harness;
use crate::harness::probes;

use crate::harness::Allocations;
use gfx::{Family, Target};
use isa::Effects;
use wave::{Config, Counts, Env, Host, Memory, Program, Range, Stop, Wave, run};

pub struct Quiet;

impl Host for Quiet {
    fn send_message(&self, _: u32, _: u32) {}
    fn real_time(&self, _target: &Target, _elapsed: u64) -> u64 {
        0
    }
    fn core_time(&self, _target: &Target, _elapsed: u64) -> u64 {
        0
    }
}

const ROWS: usize = 512;
const S_ENDPGM: u32 = 0xbf81_0000;
const S_ENDPGM_OF_GFX11: u32 = 0xbfb0_0000;
pub const SLOT: usize = 8;

pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as u32
    }
}

/// The probes, then the same opcodes with random operand fields and with SDWA and DPP control dwords.
fn words(target: &Target, random: &mut Random) -> Vec<[u32; 3]> {
    let plain = probes::alu(target.family);
    let mut all = plain.clone();
    for &[first, _, _] in &plain {
        for _ in 0..2 {
            all.push([first ^ random.next() & 0xff, random.next(), random.next()]);
            // Vector registers and small constants only.
            let sources = 256 | 256 << 9 | 256 << 18 | random.next() & 0x03f0_fc7e;
            all.push([first ^ random.next() & 0x7e, sources, random.next()]);
        }
        if first >> 31 == 0 {
            for marker in [249, 250, 233, 234] {
                all.push([first & !0x1ff | marker, random.next(), random.next()]);
                all.push([
                    first & !0x1ff | marker,
                    random.next() & 0x07ff_0f0f | 0x0600_0600,
                    0,
                ]);
            }
        }
    }
    all
}

/// Machine code in slots of [`SLOT`] words, each an instruction and the end of a wave, and the instructions as texts.
pub fn encodings(decoder: &isa::Decoder, random: &mut Random) -> (Vec<u8>, Vec<String>) {
    let target = decoder.target();
    let mut code = Vec::new();
    let mut texts = Vec::new();
    for words in words(target, random) {
        let bytes: Vec<u8> = words
            .iter()
            .chain(&[0, 0])
            .flat_map(|word| word.to_le_bytes())
            .collect();
        let Ok(inst) = decoder.decode(&bytes, 0) else {
            continue;
        };
        let elsewhere = Effects::BRANCH
            | Effects::CALL
            | Effects::END
            | Effects::SMEM
            | Effects::VMEM
            | Effects::LDS;
        if inst.effects.intersects(elsewhere) || probes::is_outside(inst.mnemonic()) {
            continue;
        }
        let length = inst.size as usize / 4;
        let end = match target.family >= Family::Gfx11 {
            true => S_ENDPGM_OF_GFX11,
            false => S_ENDPGM,
        };
        let mut slot = [end; SLOT];
        slot[..length].copy_from_slice(&inst.words[..length]);
        code.extend(slot.iter().flat_map(|word| word.to_le_bytes()));
        texts.push(decoder.print(&inst));
    }
    (code, texts)
}

fn check(name: &str, wave_size: u32) {
    let target = Target::find(name).unwrap();
    let decoder = isa::Decoder::with_features(target, wave_size as u8, "").unwrap();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (code, texts) = encodings(&decoder, &mut random);
    let start = code.as_ptr().expose_provenance() as u64;
    let allocations = Allocations::new(vec![Range {
        start,
        end: start + code.len() as u64,
        writable: false,
    }]);
    let config = Config {
        agpr_base: 256,
        ordered: true,
        ..harness::plain(target, wave_size, ROWS)
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
    let mut wave: Option<Wave> = None;
    let mut refused = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        let pc = start + (index * SLOT * 4) as u64;
        let segment = program.segment(&mut Memory::new(&allocations), pc).unwrap();
        let wave =
            wave.get_or_insert_with(|| Wave::new(segment.clone(), ROWS, wave_size, harness::MODE));
        wave.restart(&segment, harness::MODE, &[]);
        let poison = random.next();
        wave.fill(|| poison);
        wave.set_exec(u64::from(random.next()) << 32 | u64::from(random.next()));
        let stop =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(wave, &mut env, 1000)))
                .unwrap_or_else(|_| panic!("{name}: {text} panics"));
        let written =
            (0..ROWS).filter(|row| wave.vgpr_row(*row).iter().any(|word| *word != poison));
        for row in written {
            assert!(segment.may_write(row), "{name}: {text} writes row {row}");
        }
        if let Stop::Unsupported(why) = stop {
            refused.push(format!("{text}: {why}"));
        }
    }
    println!(
        "{name}: {} encodings executed, {} refused",
        texts.len(),
        refused.len()
    );
    // LLVM also decodes vector registers as lane masks, graphics-only sources and those of later targets.
    refused.retain(|line| {
        let outside = [
            "(lane mask operand",
            "(scalar destination",
            "src_pops",
            "src_flat_scratch",
            "src_lds_direct",
            // Fields of random bits that name nothing.
            "does not take message",
            "has no hardware register",
            "does not model bits",
            "is reserved on",
            "matrix format",
            "NEG or ABS of source",
            "output modifier of a conversion",
        ];
        !outside.iter().any(|part| line.contains(part))
    });
    assert!(
        refused.is_empty(),
        "{name}: {} of {} refused, e.g.\n{}",
        refused.len(),
        texts.len(),
        refused[..refused.len().min(25)].join("\n")
    );
}

#[test]
fn gfx900() {
    check("gfx900", 64);
}

#[test]
fn gfx908() {
    check("gfx908", 64);
}

#[test]
fn gfx90a() {
    check("gfx90a", 64);
}

#[test]
fn gfx942() {
    check("gfx942", 64);
}

#[test]
fn gfx950() {
    check("gfx950", 64);
}

#[test]
fn gfx1030() {
    check("gfx1030", 32);
    check("gfx1030", 64);
}
