//! The tool without host code: its HIP file says where hooks go and what to print.

use crate::{
    Argument, At, Block, Edit, Error, Insert, Instruction, Kernel, Result, Results, SiteFilter,
    Tool, ToolFile,
    description::{Expression, expression},
    options,
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
            let filter: SiteFilter = options::filled(&insert.site, self.0.options()).parse()?;
            let expressions = insert
                .arguments
                .iter()
                .map(|text| self.expression(text))
                .collect::<Result<Vec<_>>>()?;
            let mut misfits = 0;
            let mut first = None;
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
                match insert_at(edit, insert, &instruction, arguments) {
                    // An operand is what it is at this place, and others may fit.
                    Err(error @ Error::Argument { .. }) if varies(&expressions, &error) => {
                        misfits += 1;
                        first.get_or_insert(error);
                    }
                    result => result?,
                }
            }
            if let Some(error) = first {
                edit.note(format!("nothing is inserted at {misfits} places: {error}"));
            }
        }
        Ok(())
    }

    fn cache_key(&self, _kernel: &str, _object_hash: &[u8; 32], _choice: u32) -> Option<Vec<u8>> {
        Some(Vec::new())
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

impl Declarative {
    /// An argument; `$NAME` is what the user gave.
    fn expression(&self, text: &str) -> Result<Expression> {
        let Some(name) = text.trim().strip_prefix('$') else {
            return expression(text);
        };
        let parameters = &self.0.description().parameter;
        let bits = options::bits(parameters, self.0.options(), name);
        let bits = bits.ok_or_else(|| Error::Expression {
            text: text.to_owned(),
            reason: "the tool has no parameter of this name that is a number".to_owned(),
        })?;
        Ok(Expression::Fixed(Argument::Constant(bits)))
    }
}

/// Whether the argument that does not fit is another one elsewhere.
fn varies(expressions: &[crate::description::Expression], error: &Error) -> bool {
    let Error::Argument { index, .. } = error else {
        return false;
    };
    let expression = expressions.get(*index);
    expression.is_some_and(|expression| expression.fixed().is_none())
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
