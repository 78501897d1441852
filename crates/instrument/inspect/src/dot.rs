//! Control flow graphs in Graphviz's language.

use crate::{Exit, Function, Report};
use std::io::{self, Write};

impl Report {
    /// Writes one graph with a cluster per function. Needs [`crate::Options::blocks`]; instructions are shown if
    /// [`crate::Options::disassembly`] was set too.
    pub fn write_dot(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "digraph {} {{", quoted(&self.file))?;
        writeln!(out, "  node [shape=box, fontname=monospace];")?;
        let mut cluster = 0;
        for object in &self.objects {
            for function in object
                .kernels
                .iter()
                .filter_map(|kernel| kernel.code.as_ref())
                .chain(&object.functions)
            {
                write_function(out, function, &object.target, cluster)?;
                cluster += 1;
            }
        }
        writeln!(out, "}}")
    }
}

fn write_function(
    out: &mut dyn Write,
    function: &Function,
    target: &str,
    cluster: usize,
) -> io::Result<()> {
    writeln!(out, "  subgraph cluster_{cluster} {{")?;
    writeln!(
        out,
        "    label={};",
        quoted(&format!("{} ({target})", function.name))
    )?;
    for block in &function.blocks {
        let mut label = format!(
            "bb{} {:#x}, {} instructions\n",
            block.index, block.start, block.instructions
        );
        let first = function.lines.partition_point(|line| line.pc < block.start);
        let behind = function.lines.partition_point(|line| line.pc < block.end);
        for line in &function.lines[first..behind] {
            label.push_str(&line.text);
            label.push('\n');
        }
        match block.exit {
            Exit::Indirect => label.push_str("(branches to a register)\n"),
            Exit::RunsOff => label.push_str("(runs off the function)\n"),
            _ => {}
        }
        writeln!(
            out,
            "    f{cluster}_b{} [label={}];",
            block.index,
            quoted(&label)
        )?;
    }
    for block in &function.blocks {
        for (position, successor) in block.successors.iter().enumerate() {
            // The taken side of a conditional branch stands out.
            let style = match (block.exit, position) {
                (Exit::Branches, 0) => " [label=taken]",
                _ => "",
            };
            writeln!(
                out,
                "    f{cluster}_b{} -> f{cluster}_b{successor}{style};",
                block.index
            )?;
        }
    }
    writeln!(out, "  }}")
}

/// A quoted string, lines left-justified.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\l"),
            other => out.push(other),
        }
    }
    out.push('"');
    out
}
