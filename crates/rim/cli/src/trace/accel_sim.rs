//! The traces of Accel-Sim: a text file for each kernel, with the warps of one workgroup after the other.
//!
//! Its warps have 32 lanes: a wave of 64 lanes is two of them. Work that the wave does once stands in the first warp only.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt::Write as _,
};

use anyhow::Result;
use gpu::dispatch::{LDS_APERTURE_BASE, SCRATCH_APERTURE_BASE};
use isa::{Effects, Format, Op, Reg, RegKind};
use verify::{Access, Executed, Sink};

use super::{Place, amount, file::File, read, sass, written};

/// Lanes of a warp.
const LANES: u32 = 32;
/// The most registers that a line may name.
const MOST_WRITTEN: usize = 1;
const MOST_READ: usize = 4;
/// Number of the first scalar register and of the first accumulator: vector registers come first.
const ACCUMULATORS: u16 = 256;
const SCALARS: u16 = 512;
/// Volta: the opcodes of [`sass`].
const BINARY_VERSION: u32 = 70;
/// Lines without the number of a source line.
const TRACER_VERSION: u32 = 4;
/// The most instructions without a counterpart that are named.
const MOST_NAMED: usize = 8;

#[derive(Default)]
struct Warp {
    instructions: u64,
    text: String,
}

pub struct Writer {
    file: File,
    wave_size: u32,
    /// Warps of a workgroup.
    warps: u32,
    /// Workgroups that run.
    running: HashMap<[u32; 3], BTreeMap<u32, Warp>>,
    instructions: u64,
    written_warps: u64,
    /// Instructions that have no counterpart.
    strange: BTreeSet<&'static str>,
}

impl Writer {
    pub fn new(place: &Place<'_>) -> Result<Writer> {
        let descriptor = place.object.kernel(place.kernel)?.descriptor;
        let (grid, block) = (place.launch.grid, place.launch.block);
        let list = |[x, y, z]: [u32; 3]| format!("({x},{y},{z})");
        let head = format!(
            "-kernel name = {}\n\
             -kernel id = {}\n\
             -grid dim = {}\n\
             -block dim = {}\n\
             -shmem = {}\n\
             -nregs = {}\n\
             -binary version = {BINARY_VERSION}\n\
             -cuda stream id = 0\n\
             -shmem base_addr = {:#018x}\n\
             -local mem base_addr = {:#018x}\n\
             -nvbit version = none\n\
             -accelsim tracer version = {TRACER_VERSION}\n\n\
             #traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses]\n",
            place.kernel,
            place.number,
            list(grid),
            list(block),
            place.launch.lds,
            descriptor.vgpr_count(),
            LDS_APERTURE_BASE,
            SCRATCH_APERTURE_BASE,
        );
        let name = format!("kernel-{}.traceg", place.number);
        Ok(Writer {
            file: File::new(place.directory, name, head),
            wave_size: descriptor.wave_size().into(),
            warps: block.iter().product::<u32>().div_ceil(LANES),
            running: HashMap::new(),
            instructions: 0,
            written_warps: 0,
            strange: BTreeSet::new(),
        })
    }

    /// The name of the file, and what to say of it.
    pub fn finish(mut self) -> Result<(String, String)> {
        self.file.finish()?;
        let mut said = amount(self.instructions, self.written_warps).replace("wave", "warp");
        if !self.strange.is_empty() {
            let named: Vec<_> = self.strange.iter().take(MOST_NAMED).copied().collect();
            let more = self.strange.len() - named.len();
            let more = if more == 0 {
                String::new()
            } else {
                format!(" and {more} more")
            };
            let _ = write!(
                said,
                "; written as NOP, for want of a counterpart: {}{more}",
                named.join(", ")
            );
        }
        Ok((self.file.name, said))
    }

    /// The lines of an instruction for one warp; `first`: the one that does what the wave does once.
    fn lines(&mut self, executed: &Executed<'_>, half: u32) -> Result<Vec<String>, String> {
        let inst = &executed.inst;
        let scalar = inst.effects.intersects(Effects::SALU | Effects::SMEM)
            || matches!(inst.format, Format::Sopp | Format::Sopk);
        let everywhere = Effects::END | Effects::BARRIER | Effects::BRANCH;
        if scalar && half > 0 && !inst.effects.intersects(everywhere) {
            return Ok(Vec::new());
        }
        let mask = match scalar {
            true if inst.effects.intersects(everywhere) => u32::MAX,
            true => 1,
            false => (executed.exec >> (LANES * half)) as u32,
        };
        let parts = inst.op.halves().map_or(vec![inst.op], Vec::from);
        let mut lines = Vec::new();
        for (number, part) in parts.iter().enumerate() {
            lines.push(self.line(executed, *part, number, mask, half)?);
        }
        Ok(lines)
    }

    fn line(
        &mut self,
        executed: &Executed<'_>,
        part: Op,
        number: usize,
        mask: u32,
        half: u32,
    ) -> Result<String, String> {
        let inst = &executed.inst;
        let access = executed.access.as_ref();
        let size = access.map_or(0, |access| access.size);
        let name = sass::name(inst, part, size).unwrap_or_else(|| {
            self.strange.insert(part.name());
            "NOP".to_owned()
        });
        let mut line = format!("{:04x} {mask:08x}", inst.pc);
        // Short comparisons do not name VCC.
        let implied = inst
            .implicit_defs
            .iter()
            .filter(|register| register.kind == RegKind::Vcc);
        let named = written(inst).chain(implied).filter_map(register_number);
        registers(&mut line, named.skip(number).take(MOST_WRITTEN));
        let _ = write!(line, " {name}");
        let sources = read(inst).filter_map(register_number);
        registers(&mut line, sources.take(MOST_READ));
        match access {
            Some(access) if size > 0 => {
                let _ = write!(line, " {size} 0");
                for address in addresses(executed, access, mask, half)? {
                    let _ = write!(line, " {address:#018x}");
                }
            }
            _ => line.push_str(" 0"),
        }
        Ok(line)
    }
}

impl Sink for Writer {
    fn executed(&mut self, executed: &Executed<'_>) -> Result<(), String> {
        let halves = self.wave_size / LANES;
        for half in 0..halves {
            let number = halves * executed.wave + half;
            if number >= self.warps {
                continue;
            }
            let lines = self.lines(executed, half)?;
            let workgroup = self.running.entry(executed.workgroup).or_default();
            let warp = workgroup.entry(number).or_default();
            for line in lines {
                warp.instructions += 1;
                self.instructions += 1;
                warp.text.push_str(&line);
                warp.text.push('\n');
            }
        }
        Ok(())
    }

    fn ended(&mut self, workgroup: [u32; 3]) -> Result<(), String> {
        let warps = self.running.remove(&workgroup).unwrap_or_default();
        let [x, y, z] = workgroup;
        self.file
            .write(&format!("\n#BEGIN_TB\n\nthread block = {x},{y},{z}\n"))?;
        for (number, warp) in warps {
            self.written_warps += 1;
            self.file.write(&format!(
                "\nwarp = {number}\ninsts = {}\n",
                warp.instructions
            ))?;
            self.file.write(&warp.text)?;
        }
        self.file.write("\n#END_TB\n")
    }
}

fn registers(line: &mut String, numbers: impl Iterator<Item = u16>) {
    let numbers: Vec<u16> = numbers.collect();
    let _ = write!(line, " {}", numbers.len());
    for number in numbers {
        let _ = write!(line, " R{number}");
    }
}

/// The number of its first register: Accel-Sim has one file of registers.
fn register_number(register: &Reg) -> Option<u16> {
    /// Behind the scalar registers.
    const VCC: u16 = SCALARS + 106;
    const M0: u16 = SCALARS + 124;
    const EXEC: u16 = SCALARS + 126;
    const SCC: u16 = SCALARS + 128;
    Some(match register.kind {
        RegKind::Vgpr => register.index,
        RegKind::Agpr => ACCUMULATORS + register.index,
        RegKind::Sgpr => SCALARS + register.index,
        RegKind::Vcc => VCC + register.index,
        RegKind::Exec => EXEC + register.index,
        RegKind::M0 => M0,
        RegKind::Scc => SCC,
        _ => return None,
    })
}

/// Addresses of the lanes of a warp that are on.
fn addresses(
    executed: &Executed<'_>,
    access: &Access<'_>,
    mask: u32,
    half: u32,
) -> Result<Vec<u64>, String> {
    let inst = &executed.inst;
    let lanes = (0..LANES).filter(|lane| mask >> lane & 1 == 1);
    let found: Option<Vec<u64>> = lanes
        .map(|lane| access.address(LANES * half + lane))
        .collect();
    let found = found.ok_or_else(|| {
        format!(
            "the address of {} at {:#x} is not made of registers alone, as those of images and of structured buffers; \
             Accel-Sim needs it (--as lines leaves it out)",
            inst.op.name(),
            inst.pc
        )
    })?;
    let base = match inst.format {
        Format::Scratch => SCRATCH_APERTURE_BASE,
        _ => 0,
    };
    Ok(found.into_iter().map(|address| base + address).collect())
}
