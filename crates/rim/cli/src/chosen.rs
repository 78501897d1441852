//! Which kernel of which code object somebody means.

use anyhow::{Result, anyhow, bail};
use codeobj::{CodeObject, Found, container::EntryKind};

pub struct Chosen {
    /// The code object's bytes.
    pub object: Vec<u8>,
    /// The kernel's name in it.
    pub kernel: String,
}

/// The code object in `bytes`, or the one inside, that has the kernel, by its name there or by its name in the source, with
/// or without parameters. `target`: part of the object's target, where several objects have the kernel.
pub fn choose(bytes: &[u8], name: &str, target: Option<&str>) -> Result<Chosen> {
    let (mut fitting, mut seen, mut problem) = (Vec::new(), Vec::new(), None);
    codeobj::each(bytes, &mut |found| match found {
        Found::Entry(entry) if entry.kind == EntryKind::CodeObject => {
            match entry.code_object().and_then(|object| look(&object, name)) {
                Ok((named, kernels)) => {
                    let is_meant = target.is_none_or(|target| entry.id.contains(target));
                    if is_meant && !named.is_empty() {
                        fitting.push((entry.id.clone(), entry.bytes.to_vec(), named));
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
    match fitting.as_mut_slice() {
        [(_, object, kernels)] => match kernels.as_slice() {
            [kernel] => Ok(Chosen {
                object: std::mem::take(object),
                kernel: kernel.clone(),
            }),
            several => bail!(
                "several kernels are called {name}: choose one of {}",
                list(several)
            ),
        },
        [] => Err(none(name, target, seen)),
        several => {
            let ids: Vec<_> = several.iter().map(|(id, ..)| id.as_str()).collect();
            bail!(
                "several code objects have a kernel {name}: choose with --target ({})",
                ids.join(", ")
            )
        }
    }
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

/// Those of the kernels that are called so in the source.
fn called(kernels: &[String], name: &str) -> Vec<String> {
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

/// The first names, and how many more there are.
fn list(names: &[String]) -> String {
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
        assert!(called(&kernels, "sca").is_empty());
    }
}
