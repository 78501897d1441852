//! The tool without host code: its HIP file says where hooks go and what to print.

use crate::{
    At, Block, Edit, Insert, Instruction, Kernel, Result, Results, SiteFilter, Tool, ToolFile,
    description::expression,
};
use isa::Effects;

/// A tool that does what its [`crate::Description`] says.
#[derive(Clone, Debug)]
pub struct Declarative(pub ToolFile);

impl Tool for Declarative {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn file(&self) -> &ToolFile {
        &self.0
    }

    fn instrument(&self, kernel: &Kernel<'_>, edit: &mut Edit<'_>) -> Result<()> {
        for insert in &self.0.description().insert {
            let filter: SiteFilter = insert.site.parse()?;
            let expressions = insert
                .arguments
                .iter()
                .map(|text| expression(text))
                .collect::<Result<Vec<_>>>()?;
            for instruction in places(kernel, insert.at) {
                if !filter.allows(&instruction) {
                    continue;
                }
                let arguments: Option<Vec<_>> = expressions
                    .iter()
                    .map(|expression| expression.at(&instruction))
                    .collect();
                let Some(arguments) = arguments else {
                    continue;
                };
                insert_at(edit, insert, &instruction, arguments)?;
            }
        }
        Ok(())
    }

    fn finish(&self, results: &Results<'_>) -> Result<String> {
        let mut report = String::new();
        for print in &self.0.description().print {
            report.push_str(&fill(&print.text, results)?);
            report.push('\n');
        }
        Ok(report)
    }
}

fn insert_at(
    edit: &mut Edit<'_>,
    insert: &Insert,
    instruction: &Instruction<'_>,
    arguments: Vec<crate::Argument>,
) -> Result<()> {
    let place = if insert.after {
        edit.after(instruction)
    } else {
        edit.before(instruction)
    };
    let place = if insert.once { place.once() } else { place };
    place.call(&insert.hook, arguments)?;
    Ok(())
}

fn places<'a>(kernel: &'a Kernel<'a>, at: At) -> Vec<Instruction<'a>> {
    let first = |block: Block<'a>| block.first();
    match at {
        At::Instruction => kernel.instructions().collect(),
        At::Block => kernel.blocks().map(first).collect(),
        At::KernelEntry => kernel.blocks().take(1).map(first).collect(),
        At::KernelExit => kernel
            .instructions()
            .filter(|instruction| instruction.effects().contains(Effects::END))
            .collect(),
        At::FunctionEntry => kernel
            .functions()
            .filter_map(|function| function.blocks().next())
            .map(first)
            .collect(),
    }
}

/// Puts variables where `{NAME}` is.
fn fill(text: &str, results: &Results<'_>) -> Result<String> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('{') {
        let Some((name, after)) = behind.split_once('}') else {
            break;
        };
        filled.push_str(before);
        filled.push_str(&results.sum(name)?.to_string());
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}
