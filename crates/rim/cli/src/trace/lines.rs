//! One JSON object a line: the launch, then each instruction of each wave.

use std::collections::HashSet;

use anyhow::Result;
use isa::{Decoder, Effects, Format, Reg, RegKind};
use serde::Serialize;
use verify::{Executed, Sink};

use super::{Place, amount, file::File, read, written};

/// The first line.
#[derive(Serialize)]
struct Launch<'a> {
    kernel: &'a str,
    target: &'a str,
    /// Lanes of a wave.
    wave_size: u8,
    grid: [u32; 3],
    block: [u32; 3],
    lds: u32,
    vgprs: u32,
}

/// Each other line.
#[derive(Serialize)]
struct Line<'a> {
    workgroup: [u32; 3],
    wave: u32,
    pc: u64,
    exec: String,
    text: &'a str,
    writes: Vec<String>,
    reads: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    access: Option<Access>,
}

#[derive(Serialize)]
struct Access {
    space: &'static str,
    load: bool,
    store: bool,
    atomic: bool,
    /// Bytes of each lane, or of the wave for scalar memory.
    size: u32,
    /// One for each lane that is on, lowest first; for scalar memory, one for the wave. Absent where it is not made of registers alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    addresses: Option<Vec<u64>>,
}

pub struct Writer {
    file: File,
    decoder: Decoder,
    waves: HashSet<([u32; 3], u32)>,
    instructions: u64,
}

impl Writer {
    pub fn new(place: &Place<'_>) -> Result<Writer> {
        let descriptor = place.object.kernel(place.kernel)?.descriptor;
        let target = place.object.target().target;
        let wave_size = descriptor.wave_size();
        let launch = Launch {
            kernel: place.kernel,
            target: target.name,
            wave_size,
            grid: place.launch.grid,
            block: place.launch.block,
            lds: place.launch.lds,
            vgprs: descriptor.vgpr_count(),
        };
        let name = format!("{}.jsonl", place.stem);
        let first = serde_json::to_string(&launch)? + "\n";
        Ok(Writer {
            file: File::new(place.directory, name, first),
            decoder: Decoder::with_features(target, wave_size, "")?,
            waves: HashSet::new(),
            instructions: 0,
        })
    }

    /// The name of the file, and what to say of it.
    pub fn finish(mut self) -> Result<(String, String)> {
        self.file.finish()?;
        let said = amount(self.instructions, self.waves.len() as u64);
        Ok((self.file.name, said))
    }
}

impl Sink for Writer {
    fn executed(&mut self, executed: &Executed<'_>) -> Result<(), String> {
        self.instructions += 1;
        self.waves.insert((executed.workgroup, executed.wave));
        let text = self.decoder.print(&executed.inst);
        let (writes, reads) = (written(&executed.inst), read(&executed.inst));
        let effects = executed.inst.effects;
        let line = Line {
            workgroup: executed.workgroup,
            wave: executed.wave,
            pc: executed.inst.pc,
            exec: format!("{:#x}", executed.exec),
            text: text.trim(),
            writes: writes
                .chain(&executed.inst.implicit_defs)
                .map(named)
                .collect(),
            reads: reads
                .chain(&executed.inst.implicit_uses)
                .map(named)
                .collect(),
            access: executed.access.as_ref().map(|access| Access {
                space: space(executed.inst.format),
                load: effects.contains(Effects::LOAD),
                store: effects.contains(Effects::STORE),
                atomic: effects.contains(Effects::ATOMIC),
                size: access.size,
                addresses: addresses(executed, access),
            }),
        };
        let line = serde_json::to_string(&line).map_err(|error| error.to_string())?;
        self.file.write(&format!("{line}\n"))
    }

    fn ended(&mut self, _: [u32; 3]) -> Result<(), String> {
        Ok(())
    }
}

/// The kind of memory.
fn space(format: Format) -> &'static str {
    match format {
        Format::Smem => "scalar",
        Format::Ds => "lds",
        Format::Flat => "flat",
        Format::Mimg => "image",
        Format::Scratch => "scratch",
        _ => "global",
    }
}

fn addresses(executed: &Executed<'_>, access: &verify::Access<'_>) -> Option<Vec<u64>> {
    match executed.inst.format {
        Format::Smem => access.address(0).map(|address| vec![address]),
        _ => {
            let lanes = (0..u64::BITS).filter(|lane| executed.exec >> lane & 1 == 1);
            lanes.map(|lane| access.address(lane)).collect()
        }
    }
}

/// The register as assembly has it.
fn named(register: &Reg) -> String {
    let one = match register.kind {
        RegKind::Vgpr => "v",
        RegKind::Sgpr => "s",
        RegKind::Agpr => "a",
        RegKind::Ttmp => "ttmp",
        RegKind::Vcc => return "vcc".to_owned(),
        RegKind::Exec => return "exec".to_owned(),
        RegKind::Scc => return "scc".to_owned(),
        RegKind::M0 => return "m0".to_owned(),
        RegKind::Mode => return "mode".to_owned(),
        RegKind::FlatScratch => return "flat_scratch".to_owned(),
        RegKind::XnackMask => return "xnack_mask".to_owned(),
        RegKind::Null => return "null".to_owned(),
        RegKind::Source | RegKind::Other => return "other".to_owned(),
    };
    let first = register.index;
    match register.width {
        0 | 1 => format!("{one}{first}"),
        width => format!("{one}[{first}:{}]", first + u16::from(width) - 1),
    }
}
