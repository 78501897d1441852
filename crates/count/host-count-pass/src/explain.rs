//! Text that describes a plan: the slot table that stands in the object, and the costs per block for `explain`.

use host_count::{Callee, Item, Location, Module, Plan};
use std::fmt::Write;

/// The meaning of a module's slots, one line each, fields parted by tabs:
/// `file <path>` (numbered from 0 in order), then `slot <function> <unit> <file>:<line>=<cost>...`.
pub fn slot_table(module: &Module, plan: &Plan) -> String {
    let mut files: Vec<&str> = Vec::new();
    let mut slots = String::new();
    for slot in &plan.slots {
        let _ = write!(
            slots,
            "slot\t{}\t{}",
            clean(&module.functions[slot.function].name),
            slot.unit
        );
        for &(location, cost) in &slot.lines {
            let location = &module.locations[location as usize];
            let number = files
                .iter()
                .position(|file| *file == location.file)
                .unwrap_or_else(|| {
                    files.push(&location.file);
                    files.len() - 1
                });
            let _ = write!(slots, "\t{number}:{}={cost}", location.line);
        }
        slots.push('\n');
    }
    let files: String = files
        .iter()
        .map(|file| format!("file\t{}\n", clean(file)))
        .collect();
    files + &slots
}

fn clean(text: &str) -> String {
    text.replace(['\t', '\n'], " ")
}

/// Costs of every block, one line each, fields parted by tabs:
/// `function <name> <note>`, then `block <index> <cost> <calls>` followed by `line <cost> <line> <file>`.
pub fn blocks(module: &Module, plan: &Plan) -> String {
    let mut out = String::new();
    for (index, function) in module.functions.iter().enumerate() {
        let note = match (
            &function.exempt,
            plan.functions
                .get(index)
                .and_then(|plan| plan.charged_by_callers),
        ) {
            (Some(reason), _) => format!("exempt: {reason}"),
            (None, Some(cost)) => format!("constant: callers are charged {cost}"),
            (None, None) => String::new(),
        };
        let _ = writeln!(out, "function\t{}\t{}", clean(&function.name), clean(&note));
        for (number, block) in function.blocks.iter().enumerate() {
            let mut lines: Vec<(u32, u64)> = Vec::new();
            let mut calls: Vec<&str> = Vec::new();
            for item in &block.items {
                match item {
                    Item::Cost { cost, location } => {
                        match lines.iter_mut().find(|(known, _)| known == location) {
                            Some((_, sum)) => *sum += cost,
                            None => lines.push((*location, *cost)),
                        }
                    }
                    Item::Call(call) => calls.push(match &call.callee {
                        Callee::Function(callee) => &module.functions[*callee].name,
                        Callee::Declared(name) => name,
                        Callee::Unknown => "?",
                    }),
                }
            }
            let cost: u64 = lines.iter().map(|(_, cost)| cost).sum();
            let _ = writeln!(out, "block\t{number}\t{cost}\t{}", clean(&calls.join(" ")));
            for (location, cost) in lines {
                let location = &module.locations[location as usize];
                let _ = writeln!(
                    out,
                    "line\t{cost}\t{}\t{}",
                    location.line,
                    clean(&location.file)
                );
            }
        }
    }
    out
}

/// Something seen in the code: `fact <kind> <function> <what> <line> <file>`.
pub fn fact(kind: &str, function: &str, what: &str, location: &Location) -> String {
    let (kind, function, what) = (clean(kind), clean(function), clean(what));
    format!(
        "fact\t{kind}\t{function}\t{what}\t{}\t{}\n",
        location.line,
        clean(&location.file)
    )
}
