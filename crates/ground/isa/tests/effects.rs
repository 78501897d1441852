//! `tests/decode/effects.txt`: bytes, registers written and read, and effects of instructions of every family.

use crate::common::name;
use isa::{Assembler, Decoder, Effects, Inst, Operand};
use std::collections::BTreeSet;

#[test]
fn registers_and_effects() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/decode/effects.txt");
    let mut failures = Vec::new();
    let text = std::fs::read_to_string(path).unwrap();
    for (number, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.starts_with('#'))
    {
        if let Err(difference) = check(line) {
            failures.push(format!(
                "effects.txt:{}: {line}\n    {difference}",
                number + 1
            ));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn check(line: &str) -> Result<(), String> {
    let columns: Vec<&str> = line.split(" | ").map(str::trim).collect();
    let [target, text, bytes, written, read, effects] = columns[..] else {
        return Err(format!("{} columns instead of 6", columns.len()));
    };
    let target = gfx::Target::find(target).ok_or("no such target")?;
    let code = Assembler::new(target)
        .unwrap()
        .assemble(text)
        .map_err(|error| error.to_string())?;
    let hex: String = code.iter().map(|byte| format!("{byte:02x}")).collect();
    same("bytes", &bytes.to_owned(), &hex)?;
    let decoder = Decoder::new(target).unwrap();
    let inst = decoder
        .decode(&code, 0)
        .map_err(|error| error.to_string())?;
    same("size", &code.len(), &usize::from(inst.size))?;
    same("text", &text.to_owned(), &decoder.print(&inst))?;
    let (defs, uses) = registers(&inst);
    same("written", &words(written), &defs)?;
    same("read", &words(read), &uses)?;
    let effects = effects
        .split_whitespace()
        .map(|name| Effects::from_name(name).expect(name))
        .collect::<Effects>();
    same("effects", &effects, &inst.effects)
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, expected: &T, found: &T) -> Result<(), String> {
    if expected == found {
        Ok(())
    } else {
        Err(format!("{what}: {found:?} instead of {expected:?}"))
    }
}

fn words(column: &str) -> BTreeSet<String> {
    column.split_whitespace().map(str::to_owned).collect()
}

fn registers(inst: &Inst) -> (BTreeSet<String>, BTreeSet<String>) {
    let mut defs: BTreeSet<_> = inst.implicit_defs.iter().map(name).collect();
    let mut uses: BTreeSet<_> = inst.implicit_uses.iter().map(name).collect();
    for operand in &inst.operands {
        match operand {
            Operand::Def(reg) => defs.insert(name(reg)),
            Operand::Use(reg) => uses.insert(name(reg)),
            Operand::Imm(_) | Operand::PcRel(_) => continue,
        };
    }
    (defs, uses)
}
