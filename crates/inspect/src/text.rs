//! The report as text for a terminal.

use crate::{Function, KernelReport, ObjectReport, Report};
use codeobj::metadata::{Argument, ArgumentKind};
use std::io::{self, Write};

impl Report {
    /// Writes the report; long listings come last in each kernel.
    pub fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let count = self.objects.len();
        let noun = if count == 1 {
            "code object"
        } else {
            "code objects"
        };
        writeln!(out, "{}: {} bytes, {count} {noun}", self.file, self.size)?;
        for (id, size) in self.others.iter().filter(|(_, size)| *size != 0) {
            let id = if id.is_empty() {
                "unknown contents"
            } else {
                id
            };
            writeln!(out, "  also {id}: {size} bytes")?;
        }
        for object in &self.objects {
            writeln!(out)?;
            write_object(out, object)?;
        }
        for (place, reason) in &self.problems {
            let place = if place.is_empty() { &self.file } else { place };
            writeln!(out, "\nunreadable: {place}: {reason}")?;
        }
        Ok(())
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
    let registers = &kernel.registers;
    let used = |used: Option<u64>| used.map_or("?".to_owned(), |used| used.to_string());
    writeln!(
        out,
        "  kernel {}: {} bytes at {:#x}, wave{}",
        kernel.name, kernel.code_size, kernel.entry, kernel.wave_size
    )?;
    if let Some(source) = &kernel.demangled {
        writeln!(out, "    {source}")?;
    }
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
    writeln!(out)?;
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
    match occupancy.limited_by {
        Some(limit) => writeln!(out, ", limited by {limit}")?,
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
