//! The report as text for a terminal.

use crate::{Function, KernelReport, ObjectReport, Report};
use codeobj::metadata::{Argument, ArgumentKind};
use std::collections::BTreeMap;
use std::io::{self, Write};

impl Report {
    /// Writes the report; long listings come last in each kernel.
    pub fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut writer = TextWriter::new(&self.file, self.size);
        for object in &self.objects {
            writer.object(out, object)?;
        }
        for (id, size) in &self.others {
            writer.other(id, *size);
        }
        for (place, reason) in &self.problems {
            writer.problem(place, reason);
        }
        writer.finish(out)
    }
}

/// A report as text whose objects come one by one. Short facts that repeat are printed once, at the end.
pub struct TextWriter {
    file: String,
    size: u64,
    begun: bool,
    objects: u64,
    kernels: u64,
    /// Entries that are no code objects: how many, and the bytes of all.
    others: BTreeMap<String, (u64, u64)>,
    /// Parts that could not be read, by the reason: the first place, and how often.
    problems: BTreeMap<String, (String, u64)>,
}

impl TextWriter {
    /// For a file with so many bytes.
    pub fn new(file: &str, size: u64) -> TextWriter {
        TextWriter {
            file: file.to_owned(),
            size,
            begun: false,
            objects: 0,
            kernels: 0,
            others: BTreeMap::new(),
            problems: BTreeMap::new(),
        }
    }

    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if !std::mem::replace(&mut self.begun, true) {
            writeln!(out, "{}: {} bytes", self.file, self.size)?;
        }
        Ok(())
    }

    pub fn object(&mut self, out: &mut dyn Write, object: &ObjectReport) -> io::Result<()> {
        self.begin(out)?;
        self.objects += 1;
        self.kernels += object.kernels.len() as u64;
        writeln!(out)?;
        write_object(out, object)
    }

    /// An entry that is no code object.
    pub fn other(&mut self, id: &str, size: u64) {
        if size != 0 {
            let id = if id.is_empty() {
                "unknown contents"
            } else {
                id
            };
            let (count, bytes) = self.others.entry(id.to_owned()).or_default();
            *count += 1;
            *bytes += size;
        }
    }

    /// A part that could not be read.
    pub fn problem(&mut self, place: &str, reason: &str) {
        let known = self.problems.entry(reason.to_owned());
        known.or_insert_with(|| (place.to_owned(), 0)).1 += 1;
    }

    pub fn finish(mut self, out: &mut dyn Write) -> io::Result<()> {
        self.begin(out)?;
        for (reason, (place, count)) in &self.problems {
            let place = if place.is_empty() { &self.file } else { place };
            let more = match count {
                1 => String::new(),
                count => format!(" (and {} more)", count - 1),
            };
            writeln!(out, "\nunreadable: {place}{more}: {reason}")?;
        }
        let number = |count: u64, noun: &str| {
            let plural = if count == 1 { "" } else { "s" };
            format!("{count} {noun}{plural}")
        };
        write!(
            out,
            "\n{}, {}",
            number(self.objects, "code object"),
            number(self.kernels, "kernel")
        )?;
        for (id, (count, bytes)) in &self.others {
            match count {
                1 => write!(out, "; also {id}: {bytes} bytes")?,
                count => write!(out, "; also {id}: {count} times, {bytes} bytes")?,
            }
        }
        writeln!(out)
    }
}

fn write_object(out: &mut dyn Write, object: &ObjectReport) -> io::Result<()> {
    let kind = if object.linked { "" } else { ", relocatable" };
    write!(
        out,
        "{} (code object v{}{kind}), {} bytes",
        object.target, object.code_object_version, object.size
    )?;
    match object.file_offset {
        Some(offset) => writeln!(out, " at {offset:#x}")?,
        None => writeln!(out, ", compressed")?,
    }
    if !object.path.is_empty() {
        writeln!(out, "  in {} as {}", object.path.join(" / "), object.id)?;
    }
    if let Some(build_id) = &object.build_id {
        writeln!(out, "  build id {build_id}")?;
    }
    let extras = [
        (object.has_debug_lines, "source lines"),
        (object.has_bitcode, "LLVM bitcode"),
    ];
    let extras: Vec<_> = extras
        .iter()
        .filter(|(there, _)| *there)
        .map(|(_, name)| *name)
        .collect();
    if !extras.is_empty() {
        writeln!(out, "  carries {}", extras.join(" and "))?;
    }
    for kernel in &object.kernels {
        writeln!(out)?;
        write_kernel(out, kernel)?;
    }
    for function in &object.functions {
        writeln!(
            out,
            "\n  function {}: {} bytes at {:#x}",
            function.name, function.size, function.address
        )?;
        write_code(out, function)?;
    }
    if !object.symbols.is_empty() {
        writeln!(out, "\n  symbols")?;
        for symbol in &object.symbols {
            let (address, size) = (symbol.address, symbol.size);
            let kind = format!("{:?}", symbol.kind).to_lowercase();
            let binding = format!("{:?}", symbol.binding).to_lowercase();
            let (place, name) = (&symbol.place, &symbol.name);
            writeln!(
                out,
                "    {address:#010x} {size:>8} {kind:<8} {binding:<6} {place:<12} {name}"
            )?;
        }
    }
    Ok(())
}

fn write_kernel(out: &mut dyn Write, kernel: &KernelReport) -> io::Result<()> {
    writeln!(
        out,
        "  kernel {}: {} bytes at {:#x}, wave{}",
        kernel.name, kernel.code_size, kernel.entry, kernel.wave_size
    )?;
    if let Some(source) = &kernel.demangled {
        writeln!(out, "    {source}")?;
    }
    write_registers(out, kernel)?;
    let dynamic = if kernel.dynamic_stack {
        " and a dynamic stack"
    } else {
        ""
    };
    writeln!(
        out,
        "    memory     LDS {} bytes, scratch {} bytes per lane{dynamic}, arguments {} bytes",
        kernel.lds, kernel.scratch, kernel.kernarg_size
    )?;
    let occupancy = &kernel.occupancy;
    write!(
        out,
        "    occupancy  {} of {} waves per SIMD",
        occupancy.waves_per_simd, occupancy.max_waves_per_simd
    )?;
    if let Some(limit) = occupancy.limited_by {
        write!(out, ", limited by {limit}")?;
    }
    match occupancy.one_more {
        Some(more) => writeln!(
            out,
            "; at most {} instead of {} give {}",
            more.at_most, more.now, more.waves_per_simd
        )?,
        None => writeln!(out)?,
    }
    let hidden = kernel
        .arguments
        .iter()
        .filter(|argument| argument.kind.is_hidden())
        .count();
    for argument in kernel
        .arguments
        .iter()
        .filter(|argument| !argument.kind.is_hidden())
    {
        writeln!(
            out,
            "    argument   {:>4}: {}",
            argument.offset,
            describe(argument)
        )?;
    }
    if hidden != 0 {
        writeln!(out, "    and {hidden} hidden arguments")?;
    }
    match &kernel.code {
        Some(code) => write_code(out, code),
        None => Ok(()),
    }
}

fn write_registers(out: &mut dyn Write, kernel: &KernelReport) -> io::Result<()> {
    let registers = &kernel.registers;
    let used = |used: Option<u64>| used.map_or("?".to_owned(), |used| used.to_string());
    write!(
        out,
        "    registers  VGPR {} of {} allocated, SGPR {} of {}",
        used(registers.vgprs),
        registers.allocated_vgprs,
        used(registers.sgprs),
        registers.allocated_sgprs
    )?;
    if registers.agprs.unwrap_or(0) != 0 {
        write!(out, ", AGPR {}", used(registers.agprs))?;
    }
    if registers.vgpr_spills + registers.sgpr_spills != 0 {
        write!(
            out,
            "; spilled VGPR {}, SGPR {}",
            registers.vgpr_spills, registers.sgpr_spills
        )?;
    }
    writeln!(out)
}

fn describe(argument: &Argument) -> String {
    let kind = match &argument.kind {
        ArgumentKind::ByValue => "value",
        ArgumentKind::GlobalBuffer => "pointer",
        ArgumentKind::DynamicSharedPointer => "pointer to dynamic LDS",
        ArgumentKind::Sampler => "sampler",
        ArgumentKind::Image => "image",
        ArgumentKind::Pipe => "pipe",
        ArgumentKind::Queue => "queue",
        ArgumentKind::Hidden(name) | ArgumentKind::Unknown(name) => name,
    };
    let mut text = format!("{kind}, {} bytes", argument.size);
    for part in [&argument.type_name, &argument.name].into_iter().flatten() {
        text.push(' ');
        text.push_str(part);
    }
    text
}

fn write_code(out: &mut dyn Write, function: &Function) -> io::Result<()> {
    if !function.histogram.is_empty() {
        writeln!(out, "    {} instructions", function.instructions)?;
        for (mnemonic, count) in &function.histogram {
            writeln!(out, "    {count:>8} {mnemonic}")?;
        }
    }
    if function.undecodable != 0 {
        writeln!(
            out,
            "    {} dwords are no instructions of this target",
            function.undecodable
        )?;
    }
    if function.lines.is_empty() {
        for block in &function.blocks {
            let successors: Vec<_> = block
                .successors
                .iter()
                .map(|index| format!("bb{index}"))
                .collect();
            let exit = format!("{:?}", block.exit).to_lowercase();
            let (index, start, count) = (block.index, block.start, block.instructions);
            writeln!(
                out,
                "    bb{index:<4} {start:#010x} {count:>5} instructions, {exit} {}",
                successors.join(", ")
            )?;
        }
        return Ok(());
    }
    let mut source = String::new();
    for line in &function.lines {
        if let Ok(index) = function
            .blocks
            .binary_search_by_key(&line.pc, |block| block.start)
        {
            writeln!(out, "  bb{index}:")?;
        }
        let place = line
            .source
            .first()
            .and_then(|frame| Some(format!("{}:{}", frame.file.as_deref()?, frame.line?)));
        if let Some(place) = place.filter(|place| *place != source) {
            writeln!(out, "  ; {place}")?;
            source = place;
        }
        let words: Vec<_> = line
            .words
            .iter()
            .map(|word| format!("{word:08x}"))
            .collect();
        writeln!(
            out,
            "    {:>8x}  {:<60} ; {}",
            line.pc,
            line.text,
            words.join(" ")
        )?;
    }
    Ok(())
}
