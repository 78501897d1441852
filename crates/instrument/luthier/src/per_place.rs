//! Numbers of single places, for tools without host code: hooks get the addresses of those of their place, and reports have a line for
//! each place.

use crate::{
    Argument, Description, Edit, Instruction, Print, Result, Results,
    description::{Each, Expression, expression},
    edit::Counters,
    rows::{self, Section},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::HashMap;

/// In front of the name of a number, in arguments (behind `&`) and in reports.
pub(crate) const PREFIX: &str = "site.";

/// Further facts about a place that a line may contain.
const WORDS: [&str; 4] = ["kernel", "line", "pc", "text"];

/// A place with numbers, as it is kept with the kernel.
#[derive(Serialize, Deserialize)]
struct Place {
    pc: u64,
    source: Option<(String, u32)>,
    text: String,
}

/// The numbers that hooks get, each once.
pub(crate) fn numbers(description: &Description) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for text in description
        .insert
        .iter()
        .flat_map(|insert| &insert.arguments)
    {
        if let Expression::SiteNumber(name) = expression(text)?
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    Ok(names)
}

/// A part of a line that `print` has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part<'a> {
    Text(&'a str),
    /// The text between braces.
    Name(&'a str),
}

/// Takes a line apart. `{{` is a brace, and so is one that nothing closes.
pub(crate) fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let behind = &rest[at + 1..];
        if let Some(after) = behind.strip_prefix('{') {
            parts.push(Part::Text(&rest[..=at]));
            rest = after;
            continue;
        }
        let Some((name, after)) = behind.split_once('}') else {
            break;
        };
        parts.extend([Part::Text(&rest[..at]), Part::Name(name)]);
        rest = after;
    }
    parts.push(Part::Text(rest));
    parts
}

/// Names in braces.
pub(crate) fn braced(text: &str) -> impl Iterator<Item = &str> {
    parts(text).into_iter().filter_map(|part| match part {
        Part::Name(name) => Some(name),
        Part::Text(_) => None,
    })
}

/// The mistake in the numbers and lines of a description, if there is one.
pub(crate) fn check(description: &Description) -> Result<Option<String>> {
    let numbers = numbers(description)?;
    if let Some(word) = WORDS
        .iter()
        .find(|word| numbers.iter().any(|name| name == *word))
    {
        return Ok(Some(format!(
            "a number of a place is called {word}, which says something else in `print`"
        )));
    }
    for print in &description.print {
        let said: Vec<&str> = braced(&print.text)
            .filter_map(|name| name.strip_prefix(PREFIX))
            .collect();
        let is_number = |name: &&str| numbers.iter().any(|known| known == name);
        let unknown = said
            .iter()
            .find(|name| !is_number(name) && !WORDS.contains(name));
        let wrong = match (print.each, unknown) {
            (None, _) if !said.is_empty() => "stands where `each = \"site\"` does".to_owned(),
            (Some(Each::Site), Some(name)) => format!(
                "{name} is not a number of a place: no hook gets &{PREFIX}{name}, and the words are {}",
                WORDS.join(", ")
            ),
            (Some(Each::Site), None) if !said.iter().any(is_number) => {
                "a line for each place names a number of it that a hook gets (`&site.NAME`)"
                    .to_owned()
            }
            _ => continue,
        };
        return Ok(Some(format!("in `print`, {:?}: {wrong}", print.text)));
    }
    Ok(None)
}

/// The places of a kernel that have numbers.
pub(crate) struct Places {
    names: Vec<String>,
    places: Vec<Place>,
    counters: Vec<Counters>,
    /// By address.
    known: HashMap<u64, usize>,
}

impl Places {
    pub fn new(names: Vec<String>) -> Places {
        Places {
            names,
            places: Vec::new(),
            counters: Vec::new(),
            known: HashMap::new(),
        }
    }

    /// The address of a number of the instruction's, which all hooks there share.
    pub fn argument(
        &mut self,
        edit: &mut Edit<'_>,
        instruction: &Instruction<'_>,
        name: &str,
    ) -> Option<Argument> {
        let number = self.names.iter().position(|known| known == name)?;
        let index = *self.known.entry(instruction.pc()).or_insert_with(|| {
            self.places.push(Place {
                pc: instruction.pc(),
                source: instruction.source(),
                text: instruction.text().trim().replace('\t', " "),
            });
            self.counters.push(edit.counters(self.names.len()));
            self.places.len() - 1
        });
        Some(self.counters[index].at(number).into())
    }

    /// Keeps with the kernel what its lines will say.
    pub fn attach(self, edit: &mut Edit<'_>) -> Result<()> {
        match self.names.is_empty() {
            true => Ok(()),
            false => edit.attach(self.places),
        }
    }
}

/// A line for each of the most important places whose numbers in it are not all zero, those with the most of the first one first. `fill`
/// puts in what the function says of names, and variables. `tool`: whose file has all places.
pub(crate) fn lines(
    print: &Print,
    description: &Description,
    results: &Results<'_>,
    tool: &str,
    fill: impl Fn(&str, &dyn Fn(&str) -> Option<String>) -> Result<String>,
) -> Result<String> {
    let names = numbers(description)?;
    let shown: Vec<usize> = braced(&print.text)
        .filter_map(|name| name.strip_prefix(PREFIX))
        .filter_map(|name| names.iter().position(|known| known == name))
        .collect();
    let mut rows = Vec::new();
    for kernel in results.kernels() {
        let places: Option<Vec<Place>> = kernel.data()?;
        let counters = kernel.counters().chunks_exact(names.len().max(1));
        for (place, numbers) in places.iter().flatten().zip(counters) {
            if shown.iter().all(|index| numbers[*index] == 0) {
                continue;
            }
            let word = |name: &str| {
                let name = name.strip_prefix(PREFIX)?;
                Some(match name {
                    "kernel" => kernel.label(),
                    "line" => match &place.source {
                        Some((file, line)) => format!("{file}:{line}"),
                        None => "?".to_owned(),
                    },
                    "pc" => format!("{:#x}", place.pc),
                    "text" => place.text.clone(),
                    name => numbers[names.iter().position(|known| known == name)?].to_string(),
                })
            };
            let most = shown.first().map_or(0, |index| numbers[*index]);
            rows.push((most as f64, fill(&print.text, &word)?));
        }
    }
    let section = Section::sorted(String::new(), rows);
    Ok(rows::most_important(&[section], results, tool))
}

/// All places of all kernels with their numbers, as ready tools write theirs; nothing for a tool without such numbers.
pub(crate) fn json(description: &Description, results: &Results<'_>) -> Result<Value> {
    let names = numbers(description)?;
    if names.is_empty() {
        return Ok(Value::Null);
    }
    let mut kernels = Vec::new();
    for kernel in results.kernels() {
        let places: Option<Vec<Place>> = kernel.data()?;
        let counters = kernel.counters().chunks_exact(names.len());
        let mut sites = Vec::new();
        for (place, counted) in places.iter().flatten().zip(counters) {
            let mut site = serde_json::to_value(place)?;
            for (name, number) in names.iter().zip(counted) {
                site[name] = (*number).into();
            }
            sites.push(site);
        }
        kernels.push(json!({ "kernel": kernel.name(), "object": kernel.object(), "sites": sites }));
    }
    Ok(kernels.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_names_and_braces() {
        use Part::{Name, Text};
        for (text, expected) in [
            (
                "{a} of {b}",
                &[Text(""), Name("a"), Text(" of "), Name("b"), Text("")][..],
            ),
            ("{{a}: {b}", &[Text("{"), Text("a}: "), Name("b"), Text("")]),
            ("{{{a}}", &[Text("{"), Text(""), Name("a"), Text("}")]),
            ("{a", &[Text("{a")]),
        ] {
            assert_eq!(parts(text), expected, "{text}");
        }
    }
}
