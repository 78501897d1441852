//! The tool without host code: its HIP file says where hooks go and what to print.

use crate::{
    Argument, At, Block, Cache, Edit, Error, Insert, Instruction, Kernel, Result, Results,
    SiteFilter, Tool, ToolFile, ToolInfo,
    description::{Each, Expression, expression},
    options,
    per_place::{self, Part, Places},
};
use isa::Effects;
use session::{Unmatched, pattern_hint};

/// A tool that does what its [`crate::Description`] says.
#[derive(Clone, Debug)]
pub struct Declarative(pub ToolFile);

impl Tool for Declarative {
    fn info(&self) -> ToolInfo<'_> {
        ToolInfo::new(&self.0).cached(Cache::Always)
    }

    fn instrument(&self, kernel: &Kernel<'_>, edit: &mut Edit<'_>) -> Result<()> {
        if self.0.description().all_or_nothing {
            edit.all_or_nothing();
        }
        let mut numbered = Places::new(per_place::numbers(self.0.description())?);
        for insert in &self.0.description().insert {
            let filter: SiteFilter = options::filled(&insert.site, self.0.options()).parse()?;
            let expressions = insert
                .arguments
                .iter()
                .map(|text| self.expression(text))
                .collect::<Result<Vec<_>>>()?;
            let mut misfits = 0;
            let mut first = None;
            let meant = |edit: &Edit<'_>, instruction: &Instruction<'_>| {
                filter.allows(instruction) && edit.chooses(instruction)
            };
            // If the user leaves places out with `--site`, the description is still correct.
            let matched = kernel.instructions().any(|at| filter.allows(&at));
            for (instruction, region) in places(kernel, insert.at) {
                // Places are chosen for the instructions that they stand for.
                let chosen = match region {
                    Region::Itself => meant(edit, &instruction),
                    Region::Block => any(instruction.block().instructions(), edit, &meant),
                    Region::Function => {
                        let blocks = instruction.function().blocks();
                        any(blocks.flat_map(Block::instructions), edit, &meant)
                    }
                    Region::Kernel => any(kernel.instructions(), edit, &meant),
                };
                if !chosen {
                    continue;
                }
                let length = match region {
                    Region::Itself => instruction.block().len(),
                    Region::Block | Region::Function | Region::Kernel => {
                        let instructions = instruction.block().instructions();
                        instructions.filter(|at| meant(edit, at)).count() as u32
                    }
                };
                let arguments = expressions.iter().enumerate().map(|(index, expression)| {
                    let value = match expression {
                        Expression::SiteNumber(name) => numbered.argument(edit, &instruction, name),
                        other => other.at(&instruction, length),
                    };
                    value.ok_or_else(|| absent(insert, index, expression, &instruction))
                });
                let arguments = arguments.collect::<Result<Vec<_>>>();
                match arguments.and_then(|all| insert_at(edit, insert, &instruction, all)) {
                    // An operand is what it is at this place, and others may fit.
                    Err(error @ Error::Argument { .. }) if varies(&expressions, &error) => {
                        misfits += 1;
                        first.get_or_insert(error);
                    }
                    result => result?,
                }
            }
            if !matched && !filter.is_empty() {
                let (tool, hook) = (self.0.name(), &insert.hook);
                let condition = options::filled(&insert.site, self.0.options());
                edit.unmatched(Unmatched {
                    what: format!(
                        "tool {tool} inserts its hook {hook} nowhere: `where = \"{condition}\"` matches no instruction{}",
                        pattern_hint(&condition)
                    ),
                    near: filter.near(kernel),
                });
            }
            if let Some(error) = first {
                let places = match misfits {
                    1 => "1 place".to_owned(),
                    count => format!("{count} places"),
                };
                edit.note(format!("nothing is inserted at {places}: {error}"));
            }
        }
        numbered.attach(edit)
    }

    fn finish(&self, results: &Results<'_>) -> Result<String> {
        let mut report = String::new();
        for print in &self.0.description().print {
            match print.each {
                Some(Each::Site) => report.push_str(&per_place::lines(
                    print,
                    self.0.description(),
                    results,
                    self.0.name(),
                    |text, word| fill(text, results, word),
                )?),
                None => {
                    report.push_str(&fill(&print.text, results, &|_| None)?);
                    report.push('\n');
                }
            }
        }
        Ok(report)
    }

    fn finish_json(&self, results: &Results<'_>) -> Result<serde_json::Value> {
        per_place::json(self.0.description(), results)
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

/// Why an argument has no value at an instruction.
fn absent(
    insert: &Insert,
    index: usize,
    expression: &Expression,
    instruction: &Instruction<'_>,
) -> Error {
    let reason = match expression {
        Expression::Operand(asked) => format!(
            "{} has {} operands, counted from 0, and operand.{asked} is asked for",
            instruction.mnemonic(),
            instruction.operands().len()
        ),
        _ => "it has no value at this place".to_owned(),
    };
    Error::Argument {
        hook: insert.hook.clone(),
        index,
        reason,
    }
}

/// Returns `true` if the argument that does not fit is another one elsewhere.
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
    let place = place.for_others();
    place.call(&insert.hook, arguments)?;
    Ok(())
}

/// The instructions that a place counts for.
#[derive(Clone, Copy)]
enum Region {
    Itself,
    Block,
    Function,
    Kernel,
}

fn any<'a>(
    mut instructions: impl Iterator<Item = Instruction<'a>>,
    edit: &Edit<'_>,
    meant: &impl Fn(&Edit<'_>, &Instruction<'_>) -> bool,
) -> bool {
    instructions.any(|at| meant(edit, &at))
}

fn places<'a>(kernel: &'a Kernel<'a>, at: At) -> Vec<(Instruction<'a>, Region)> {
    let first = |block: Block<'a>| block.first();
    let (places, region): (Vec<_>, _) = match at {
        At::Instruction => (kernel.instructions().collect(), Region::Itself),
        At::Block => (kernel.blocks().map(first).collect(), Region::Block),
        At::KernelEntry => {
            let entry = kernel.blocks().take(1).map(first);
            (entry.collect(), Region::Kernel)
        }
        At::KernelExit => {
            let ends = |at: &Instruction<'_>| at.effects().contains(Effects::END);
            (kernel.instructions().filter(ends).collect(), Region::Kernel)
        }
        At::FunctionEntry => {
            let entries = kernel.functions().filter_map(|at| at.blocks().next());
            (entries.map(first).collect(), Region::Function)
        }
    };
    places.into_iter().map(|place| (place, region)).collect()
}

/// Puts what `word` says where `{NAME}` is, and else the variable.
fn fill(
    text: &str,
    results: &Results<'_>,
    word: &dyn Fn(&str) -> Option<String>,
) -> Result<String> {
    let filled = per_place::parts(text).into_iter().map(|part| match part {
        Part::Text(text) => Ok(text.to_owned()),
        Part::Name(name) => match word(name) {
            Some(said) => Ok(said),
            None => Ok(results.sum(name)?.to_string()),
        },
    });
    filled.collect()
}
