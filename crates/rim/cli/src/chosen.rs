//! Finds the kernel, and its code object, that the user means.

use anyhow::{Result, anyhow, bail};
use clap::Args;
use codeobj::{CodeObject, Entry, Found, container::EntryKind};

use crate::emulate::MadeUp;

pub struct Chosen {
    /// The code object's bytes.
    pub object: Vec<u8>,
    /// The kernel's name in it.
    pub kernel: String,
}

/// The choice among several code objects with the kernel.
#[derive(Args, Clone, Default)]
pub struct Which {
    /// If the file holds several code objects: only those whose target contains this
    #[arg(long, value_name = "TARGET")]
    target: Option<String>,
    /// If several code objects have a kernel of this name: the number of one of them, 1 for the first in the file (the error that asks
    /// for this option lists them)
    #[arg(long, value_name = "N")]
    object: Option<usize>,
}

/// Refuses options that a recorded dispatch has no use for.
pub fn by_recording(kernel: &Option<String>, made_up: &MadeUp, which: &Which) -> Result<()> {
    let options = [
        ("-k", kernel.is_some()),
        ("--target", which.target.is_some()),
        ("--object", which.object.is_some()),
    ];
    let options = options
        .into_iter()
        .filter_map(|(name, is_given)| is_given.then_some(name));
    let given: Vec<&str> = options.chain(made_up.given()).collect();
    if !given.is_empty() {
        bail!(
            "a recorded dispatch says its kernel and its launch itself: leave {} out",
            given.join(", ")
        );
    }
    Ok(())
}

/// A code object that has the kernel.
struct Fitting {
    /// For the user to tell it from others.
    place: String,
    bytes: Vec<u8>,
    /// The kernels that are called so.
    kernels: Vec<String>,
}

/// The code object in `bytes`, or the one inside, that has the kernel, by its name there or by its name in the source, with
/// or without parameters.
pub fn choose(bytes: &[u8], name: &str, which: &Which) -> Result<Chosen> {
    let (mut fitting, mut seen, mut problem) = (Vec::new(), Vec::new(), None);
    let target = which.target.as_deref();
    codeobj::each(bytes, &mut |found| match found {
        Found::Entry(entry) if entry.kind == EntryKind::CodeObject => {
            match entry.code_object().and_then(|object| look(&object, name)) {
                Ok((named, kernels)) => {
                    let is_meant = target.is_none_or(|target| entry.id.contains(target));
                    if is_meant && !named.is_empty() {
                        fitting.push(Fitting {
                            place: place(&entry),
                            bytes: entry.bytes.to_vec(),
                            kernels: named,
                        });
                    }
                    seen.push((entry.id, kernels));
                }
                Err(error) => _ = problem.get_or_insert(error),
            }
        }
        Found::Problem(_, error) => _ = problem.get_or_insert(error),
        Found::Entry(_) | Found::Reached(_) => {}
    });
    if let (Some(error), true) = (problem, seen.is_empty()) {
        return Err(error.into());
    }
    if fitting.is_empty() {
        return Err(none(name, target, seen));
    }
    let index = match which.object {
        Some(number) if (1..=fitting.len()).contains(&number) => number - 1,
        Some(number) => bail!(command::Said {
            line: format!("there is no --object {number}: code objects with a kernel {name} are"),
            others: places(&fitting),
        }),
        // (Copies of one object need no choice.)
        None if fitting.iter().all(|one| one.bytes == fitting[0].bytes) => 0,
        None => bail!(command::Said {
            line: format!("several code objects have a kernel {name}: choose with --object N from"),
            others: places(&fitting),
        }),
    };
    let Fitting { bytes, kernels, .. } = fitting.swap_remove(index);
    match kernels.as_slice() {
        [kernel] => Ok(Chosen {
            object: bytes,
            kernel: kernel.clone(),
        }),
        several => bail!(
            "several kernels fit {name}: choose one of {}",
            list(several)
        ),
    }
}

/// The message for a file of which no kernel is named.
pub fn unnamed(contents: &[u8]) -> anyhow::Error {
    match codeobj::walk(contents) {
        Ok(_) => anyhow!("which kernel? name it with -k; `luthier inspect` lists them"),
        Err(error) => anyhow::Error::new(error),
    }
}

/// `hipv4-amdgcn-amd-amdhsa--gfx90a, 5312 bytes at 0x3000`, as `luthier inspect` says it.
fn place(entry: &Entry<'_>) -> String {
    let at = match entry.file_offset {
        Some(offset) => format!(" at {offset:#x}"),
        None => format!(", compressed, in {}", entry.path.join(" / ")),
    };
    format!("{}, {} bytes{at}", entry.id, entry.bytes.len())
}

/// One line for each, with its number.
fn places(fitting: &[Fitting]) -> String {
    const SHOWN: usize = 20;
    let line = |(index, one): (usize, &Fitting)| format!("  {}: {}", index + 1, one.place);
    let mut lines: Vec<_> = fitting.iter().enumerate().take(SHOWN).map(line).collect();
    if fitting.len() > SHOWN {
        lines.push(format!("  and more, up to {}", fitting.len()));
    }
    lines.join("\n")
}

/// The kernels that are called so, and all others if none has exactly that name.
fn look(object: &CodeObject<'_>, name: &str) -> codeobj::Result<(Vec<String>, Vec<String>)> {
    if let Ok(kernel) = object.kernel(name) {
        return Ok((vec![kernel.name.to_owned()], Vec::new()));
    }
    let kernels = object.kernels()?;
    let kernels: Vec<_> = kernels
        .iter()
        .map(|kernel| kernel.name.to_owned())
        .collect();
    Ok((called(&kernels, name), kernels))
}

/// The kernels with this name in the source; if there are none, those whose name matches the expression.
fn called(kernels: &[String], name: &str) -> Vec<String> {
    let exactly = called_exactly(kernels, name);
    let pattern = regex::Regex::new(name).ok();
    let Some(pattern) = pattern.filter(|_| exactly.is_empty()) else {
        return exactly;
    };
    let fits = |kernel: &&String| {
        let readable = demangle::demangled(kernel);
        pattern.is_match(kernel) || readable.is_some_and(|name| pattern.is_match(&name))
    };
    kernels.iter().filter(fits).cloned().collect()
}

fn called_exactly(kernels: &[String], name: &str) -> Vec<String> {
    let is_called_so = |kernel: &&String| {
        demangle::demangled(kernel).is_some_and(|readable| {
            let short = without_parameters(&readable);
            let plain = short.split_once('<').map_or(short, |(plain, _)| plain);
            [readable.as_str(), short, plain].contains(&name)
        })
    };
    kernels.iter().filter(is_called_so).cloned().collect()
}

/// `void scale<float>(float*)` -> `scale<float>`.
fn without_parameters(readable: &str) -> &str {
    let (mut depth, mut start, mut end) = (0_usize, 0, readable.len());
    for (at, letter) in readable.char_indices() {
        match letter {
            '(' if depth == 0 && !readable[at..].starts_with("(anonymous namespace)") => {
                end = at;
                break;
            }
            ' ' if depth == 0 => start = at + 1,
            '<' | '(' => depth += 1,
            '>' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    &readable[start..end]
}

fn none(name: &str, target: Option<&str>, seen: Vec<(String, Vec<String>)>) -> anyhow::Error {
    if seen.is_empty() {
        return anyhow!("it holds no AMD GPU code object, so no kernel {name}");
    }
    let (mut ids, mut kernels) = (Vec::new(), Vec::new());
    for (id, found) in seen {
        ids.push(id);
        kernels.extend(found);
    }
    for list in [&mut ids, &mut kernels] {
        list.sort();
        list.dedup();
    }
    let whose = target.map_or(String::new(), |target| format!(" for {target}"));
    let has = match kernels.len() {
        0 => "there are no kernels".to_owned(),
        _ => format!("there are {}", list(&kernels)),
    };
    anyhow!(
        "no code object with a kernel {name}{whose}: {has} (in {})",
        ids.join(", ")
    )
}

/// The complaint about an expression for kernels of a program, behind `-k`.
pub fn fits_none(pattern: &str, launched: &[&str]) -> String {
    let names: Vec<String> = launched.iter().map(|name| (*name).to_owned()).collect();
    format!("{pattern} fits no kernel; launched were {}", list(&names))
}

/// The first names, and how many more there are.
pub fn list(names: &[String]) -> String {
    const SHOWN: usize = 8;
    let mut text = names[..names.len().min(SHOWN)].join(", ");
    if names.len() > SHOWN {
        text += &format!(
            " and {} more, which `luthier inspect` lists",
            names.len() - SHOWN
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{called, without_parameters};

    #[test]
    fn names_of_the_source() {
        for (readable, short) in [
            ("vector_add(float const*, float*, int)", "vector_add"),
            ("void scale<float>(float*)", "scale<float>"),
            (
                "void (anonymous namespace)::copy<int (*)(int)>(int*)",
                "(anonymous namespace)::copy<int (*)(int)>",
            ),
            ("plain", "plain"),
        ] {
            assert_eq!(without_parameters(readable), short);
        }
    }

    #[test]
    fn kernels_are_found_by_their_names_in_the_source() {
        let kernels = ["_Z5scaleIfEvPT_", "_Z5scaleIdEvPT_", "_Z3addPf", "scale2"];
        let kernels = kernels.map(str::to_owned);
        assert_eq!(called(&kernels, "add"), ["_Z3addPf"]);
        assert_eq!(called(&kernels, "add(float*)"), ["_Z3addPf"]);
        assert_eq!(called(&kernels, "scale<double>"), ["_Z5scaleIdEvPT_"]);
        assert_eq!(called(&kernels, "scale").len(), 2);
        assert_eq!(called(&kernels, "^scale2$"), ["scale2"]);
        assert_eq!(called(&kernels, "ad{2}"), ["_Z3addPf"]);
        assert!(called(&kernels, "scale3").is_empty() && called(&kernels, "(").is_empty());
    }
}
