//! The text of a kernel after each pass.

use crate::Refusal;
use crate::instruction::{EXEC, Instruction, Op, SourceOperand, VCC};
use crate::ir::{Address, Addressed, BoundTemplate, Code, Item, Label, Padding, Seam};
use crate::rewriting::Rewriting;
use crate::table::{ROWS, Shape};
use crate::{AddressHalf, Symbol};
use gfx::Family;
use isa::{Decoder, numbers};
use lift::Function;
use std::fmt::Write;

/// Everything that is not empty yet.
pub(crate) fn text(rewriting: &Rewriting<'_, '_>) -> Result<String, Refusal> {
    let mut out = String::new();
    if rewriting.text.bytes.is_empty() {
        items(rewriting, &mut out);
    } else {
        bytes(rewriting, &mut out)?;
    }
    Ok(out)
}

/// Writing to a string does not fail.
macro_rules! line {
    ($out:expr, $($what:tt)*) => {{
        let _ = writeln!($out, $($what)*);
    }};
}

fn items(rewriting: &Rewriting<'_, '_>, out: &mut String) {
    if !rewriting.prologue.is_empty() && rewriting.code.items.is_empty() {
        line!(out, "entry:");
        for one in &rewriting.prologue {
            line!(out, "  {}", instruction(one, &rewriting.code));
        }
    }
    let mut function = rewriting.function();
    for item in &rewriting.code.items {
        if let Item::Function(index) = *item {
            function = &rewriting.module.functions[index];
        }
        if let Some(text) = item_text(rewriting, item, function) {
            line!(out, "{text}");
        }
    }
}

fn item_text(rewriting: &Rewriting<'_, '_>, item: &Item<'_>, of: &Function) -> Option<String> {
    let code = &rewriting.code;
    let seam = |index: u32| code.seams.get(index as usize);
    Some(match *item {
        Item::Function(_) => format!("function {}:", of.name),
        Item::FunctionEnd | Item::Gap | Item::ReplacedEnd(_) => return None,
        Item::Label(to) => format!("{}:", placed(rewriting, to)),
        Item::Original { from, to, .. } => {
            let (start, count) = (of.insts.pc(from), to - from);
            format!("  original {start:#x}, instructions: {count}")
        }
        Item::Replaced(inst) => format!("  original {:#x} becomes", of.insts.pc(inst)),
        Item::Copy(inst) => format!("    {} as it is", of.insts.at(inst).mnemonic()),
        Item::Moved(inst, to) => {
            let mnemonic = of.insts.at(inst as usize).mnemonic();
            format!("    {mnemonic} to {}", label(to))
        }
        Item::Inserted(pc) => format!("  inserted at {pc:#x}"),
        Item::Given(bytes) => format!("    {} bytes that the plan gives", bytes.len()),
        Item::Ours(one) => format!("    {}", instruction(&one, code)),
        Item::Branch { op, to } => format!("    {} {}", mnemonic(op), label(to)),
        Item::Template(index) => format!("    {}", bound(rewriting, &code.bound[index as usize])),
        Item::Enter(index) => format!("    enter{}", seam(index).map_or_else(String::new, entry)),
        Item::Leave(index) => format!("    leave{}", seam(index).map_or_else(String::new, exit)),
        Item::Hook(number, _) => format!("    hook of insertion {number}"),
        Item::Flush(_) => "    everything that is counted to memory".to_owned(),
    })
}

fn entry(seam: &Seam) -> String {
    let Padding {
        entry,
        entry_vector,
        ..
    } = seam.padding;
    let mut text = padding(entry, entry_vector);
    for wait in seam.padding.settles.iter().chain(&seam.waits) {
        let _ = write!(text, ", {wait:?}");
    }
    text
}

fn exit(seam: &Seam) -> String {
    let mut text = padding(seam.padding.exit, seam.padding.exit_vector);
    for wait in seam.padding.settles {
        let _ = write!(text, ", {wait:?}");
    }
    text
}

fn padding(states: u32, vector: bool) -> String {
    let states = match states {
        0 => String::new(),
        states => format!(", wait states: {states}"),
    };
    let vector = if vector { ", vector results" } else { "" };
    states + vector
}

fn bound(rewriting: &Rewriting<'_, '_>, bound: &BoundTemplate<'_>) -> String {
    let hook = &rewriting.plan.hooks[bound.hook].name;
    let groups = bound.template.groups.iter().zip(&bound.binding.first);
    let groups: Vec<String> = groups
        .map(|(group, first)| format!("{:?} {first}..{}", group.file, first + group.width))
        .collect();
    format!("template {hook} on {}", groups.join(", "))
}

fn label(label: Label) -> String {
    match label {
        Label::Block(function, block) => format!("block {function}.{block}"),
        Label::Own(number) => format!("label {number}"),
    }
}

/// With its offset, if that is known.
fn placed(rewriting: &Rewriting<'_, '_>, to: Label) -> String {
    match rewriting.layout.functions.is_empty() {
        true => label(to),
        false => format!("{} at {:#x}", label(to), rewriting.layout.now(to)),
    }
}

fn mnemonic(op: Op) -> &'static str {
    let row = ROWS.iter().find(|(known, ..)| *known == op);
    let text = row.map_or("", |(.., text)| *text);
    let name = text.split(' ').next().unwrap_or(text);
    name.trim_end_matches("_e32").trim_end_matches("_e64")
}

/// The name of an SGPR, or of a special register that our instructions have as an operand by its encoding.
fn scalar(number: u16) -> String {
    const HIGH_VCC: u16 = VCC + 1;
    const HIGH_EXEC: u16 = EXEC + 1;
    match number {
        VCC => "vcc".to_owned(),
        HIGH_VCC => "vcc_hi".to_owned(),
        EXEC => "exec".to_owned(),
        HIGH_EXEC => "exec_hi".to_owned(),
        number
            if [Family::Gfx9, Family::Gfx11]
                .map(numbers::m0)
                .contains(&number) =>
        {
            "m0".to_owned()
        }
        number => format!("s{number}"),
    }
}

fn operand(source: SourceOperand, code: &Code<'_>) -> Option<String> {
    Some(match source {
        SourceOperand::None => return None,
        SourceOperand::Scalar(number) => scalar(number),
        SourceOperand::Vector(number) => format!("v{number}"),
        SourceOperand::Constant(value) => (value as i32).to_string(),
        SourceOperand::Scc => "scc".to_owned(),
        SourceOperand::Address(index) => {
            let Address { half, of, addend } = &code.addresses[index.0 as usize];
            let half = match half {
                AddressHalf::Low => "low",
                AddressHalf::High => "high",
            };
            match of {
                Addressed::Symbol(Symbol::Tool(name)) => format!("{half}({name}+{addend})"),
                Addressed::Symbol(Symbol::Original(pc)) => {
                    format!("{half}(original {pc:#x}+{addend})")
                }
                Addressed::Symbol(Symbol::Text(offset)) => {
                    format!("{half}(text {offset:#x}+{addend})")
                }
                Addressed::Label(to) => format!("{half}({})", label(*to)),
            }
        }
    })
}

fn instruction(one: &Instruction, code: &Code<'_>) -> String {
    let row = ROWS.iter().find(|(op, ..)| *op == one.op);
    let Some((op, _, shape, text)) = row else {
        return String::new();
    };
    let to = match (shape, op) {
        (Shape::Fixed | Shape::FixedWithLiteral, _) => return (*text).to_owned(),
        (Shape::Nop | Shape::SopkSource | Shape::Sopc | Shape::IndexOn, _) => None,
        (Shape::ScratchStore | Shape::Atomic, _) => None,
        (_, Op::VReadlaneB32 | Op::VReadfirstlaneB32) => Some(scalar(one.to)),
        (Shape::Sopk | Shape::Sop1 | Shape::Sop2 | Shape::Smem, _) => Some(scalar(one.to)),
        _ => Some(format!("v{}", one.to)),
    };
    let sources = one
        .sources
        .iter()
        .filter_map(|source| operand(*source, code));
    let operands: Vec<String> = to.into_iter().chain(sources).collect();
    format!("{} {}", mnemonic(*op), operands.join(", "))
}

/// The result, disassembled.
fn bytes(rewriting: &Rewriting<'_, '_>, out: &mut String) -> Result<(), Refusal> {
    let (target, wave_size) = (rewriting.codes.target, rewriting.codes.wave_size);
    let decoder = Decoder::with_features(target, wave_size, "");
    let decoder = decoder.map_err(|error| Refusal::Assembler {
        target: target.name.to_owned(),
        reason: error.to_string(),
    })?;
    let code = &rewriting.text.bytes[..rewriting.text.end];
    for function in &rewriting.layout.functions {
        line!(out, "function {} at {:#x}:", function.name, function.offset);
        let (start, end) = (function.offset, function.offset + function.size);
        let own = code.get(start as usize..end as usize).unwrap_or_default();
        for inst in decoder.decode_all(own, start).flatten() {
            let text = decoder.print(&inst);
            let text: Vec<&str> = text.split_whitespace().collect();
            line!(out, "  {:#06x} {}", inst.pc, text.join(" "));
        }
    }
    for relocation in &rewriting.text.relocations {
        line!(out, "  {relocation:?}");
    }
    Ok(())
}
