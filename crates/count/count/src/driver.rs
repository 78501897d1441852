//! `cc` and `c++`: clang with the plugin and the runtime.

use crate::error::Error;
use crate::front::front;
use crate::product::{Product, TAKES_VALUE, product};
use crate::response;
use crate::runtime::{Runtime, System};
use crate::toolchain::{self, Language, OPTIONS_VARIABLE};
use crate::{CompileArguments, CountArguments, FlagsArguments, Tool};
use host_count::{Granularity, Options};
use host_count_rt::INTERPOSED;
use std::ffi::{OsStr, OsString};
use std::process::{Command, ExitCode};

/// Arguments that decide which target the runtime is for.
fn target_arguments(arguments: &[OsString]) -> Vec<OsString> {
    let mut result = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        let joined = [
            "--target=",
            "--sysroot=",
            "--gcc-toolchain=",
            "--gcc-install-dir=",
        ];
        if joined.iter().any(|prefix| text.starts_with(prefix)) {
            result.push(word.clone());
        } else if text == "-target" || text == "--sysroot" {
            result.push(word.clone());
            result.extend(words.next().cloned());
        }
    }
    result
}

fn link_arguments(product: Product, runtime: &Runtime) -> Vec<OsString> {
    let joined = |prefix: &str, value: &OsStr| {
        let mut text = OsString::from(prefix);
        text.push(value);
        text
    };
    let mut result = Vec::new();
    if runtime.system() == System::Windows {
        return vec![runtime.archive().into()];
    }
    match product {
        Product::Parts => {}
        Product::Executable => {
            result.push(runtime.archive().into());
            // Counted libraries loaded by this program use its counter.
            result.push("-Wl,--export-dynamic-symbol=__luthier_count*".into());
            result.push("-Wl,--export-dynamic-symbol=luthier_count_*".into());
            result.extend(
                INTERPOSED
                    .iter()
                    .map(|name| format!("-Wl,--export-dynamic-symbol={name}").into()),
            );
            result.extend(["-lpthread".into(), "-ldl".into()]);
        }
        Product::StaticExecutable => {
            result.push(runtime.static_archive().into());
            result.extend(
                INTERPOSED
                    .iter()
                    .map(|name| format!("-Wl,--wrap={name}").into()),
            );
            result.push("-lpthread".into());
        }
        Product::SharedLibrary => {
            result.push(runtime.shared().into());
            result.push(joined("-Wl,-rpath,", runtime.directory().as_os_str()));
        }
    }
    result
}

/// Takes our options out of clang's arguments, where people put them, too: clang has none of these names.
fn take_options(
    count: &mut CountArguments,
    arguments: &[OsString],
) -> Result<Vec<OsString>, Error> {
    let mut others = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        let (name, joined) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (text.as_ref(), None),
        };
        let switch = match name {
            "--budget" => Some(&mut count.budget),
            "--throw" => Some(&mut count.throw),
            _ => None,
        };
        let valued = match name {
            "--preset" => Some(&mut count.preset),
            "--point" => Some(&mut count.point),
            "--placement" => Some(&mut count.placement),
            "--per" => Some(&mut count.per),
            _ => None,
        };
        match (switch, valued) {
            (Some(switch), _) if joined.is_none() => *switch = true,
            (_, Some(place)) => {
                let next = || Some(words.next()?.to_string_lossy().into_owned());
                let value = joined.or_else(next).ok_or(Error::NoValue {
                    option: name.to_owned(),
                })?;
                *place = Some(value);
            }
            _ => {
                others.push(word.clone());
                if TAKES_VALUE.contains(&text.as_ref()) {
                    others.extend(words.next().cloned());
                }
            }
        }
    }
    Ok(others)
}

/// Runs clang with counting.
pub fn compile(language: Language, arguments: &CompileArguments) -> Result<ExitCode, Error> {
    let mut count = arguments.count.clone();
    let raw = &arguments.arguments;
    let given = response::expanded(raw);
    let arguments = take_options(&mut count, &given)?;
    let line = count.option_line()?;
    let options = Options::parse(&line)?;
    let driver = language.driver();
    let mut command = Command::new(&driver);
    let more = compiler_arguments(&mut command, &line, &options, &arguments)?;
    // Too many for a command line they may still be. (The file lives until clang ends.)
    let file = match given == *raw {
        true => None,
        false => Some(response::written(&arguments)?),
    };
    let passed = match &file {
        Some(file) => vec![prefixed("@", file.path().as_os_str())],
        None => arguments.clone(),
    };
    let product = product(&driver, &arguments, &passed)?;
    command.args(&passed);
    command.arg("--start-no-unused-arguments");
    command.args(for_host(more));
    command.arg("--end-no-unused-arguments");
    // Parts that are not linked need no runtime: there may be none for their target.
    if product != Product::Parts {
        let runtime = Runtime::for_target(&target_arguments(&arguments))?;
        // `-x` applies to the user's files, so it is reset before the runtime.
        command.args(["-x", "none"]);
        command.args(link_arguments(product, &runtime));
    }
    let status = toolchain::status(&mut command)?;
    Ok(command::of_child(status))
}

/// Gives clang what counting needs before the user's arguments; returns what goes behind them.
pub(crate) fn compiler_arguments(
    command: &mut Command,
    line: &str,
    options: &Options,
    arguments: &[OsString],
) -> Result<Vec<&'static str>, Error> {
    let front = front(options, arguments);
    let words = [line].into_iter().chain(front.option);
    let line: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    command.env(OPTIONS_VARIABLE, line.join(","));
    // First, so that the user's own flags win. Fused multiply-add exists on some targets only.
    command.arg("--start-no-unused-arguments");
    command.args(for_host(["-ffp-contract=off"]));
    command.args(for_host(front.before));
    let debug = arguments
        .iter()
        .any(|word| word.to_string_lossy().starts_with("-g"));
    if options.granularity == Granularity::Line && !debug {
        command.args(for_host(["-gline-tables-only"]));
    }
    command.arg(prefixed("-fpass-plugin=", toolchain::plugin()?.as_os_str()));
    command.arg("-isystem").arg(Runtime::headers()?);
    command.arg("--end-no-unused-arguments");
    Ok(front.after)
}

/// Arguments for the host's code: that of devices does not count, and stays as it would be.
pub(crate) fn for_host(
    words: impl IntoIterator<Item = &'static str>,
) -> impl Iterator<Item = &'static str> {
    words.into_iter().flat_map(|word| ["-Xarch_host", word])
}

fn prefixed(prefix: &str, value: &OsStr) -> OsString {
    let mut text = OsString::from(prefix);
    text.push(value);
    text
}

/// rustc optimises before LLVM sees anything, more at higher levels. These flags have it do so alike at all of them, as it would
/// at its higher levels, and have generic code of other crates compiled where it is used.
const RUST_FRONT: &[&str] = &[
    "-Zmir-opt-level=2",
    "-Zinline-mir=yes",
    "-Zshare-generics=no",
    "-Zcross-crate-inline-threshold=100",
];

/// Prints flags for those who drive the compiler themselves.
pub fn flags(arguments: &FlagsArguments) -> Result<ExitCode, Error> {
    let target: Vec<OsString> = arguments
        .target
        .iter()
        .map(|triple| format!("--target={triple}").into())
        .collect();
    let plugin = toolchain::plugin()?;
    let linked = || -> Result<Vec<OsString>, Error> {
        Ok(link_arguments(
            Product::Executable,
            &Runtime::for_target(&target)?,
        ))
    };
    let words: Vec<OsString> = match arguments.tool {
        Tool::Include => vec!["-isystem".into(), Runtime::headers()?.into()],
        Tool::Link => linked()?,
        Tool::Clang => {
            let mut words = vec![prefixed("-fpass-plugin=", plugin.as_os_str())];
            words.extend(for_host(["-ffp-contract=off"]).map(OsString::from));
            words.extend(["-isystem".into(), Runtime::headers()?.into()]);
            words
        }
        Tool::Rustc => {
            let mut words = vec![prefixed("-Zllvm-plugins=", plugin.as_os_str())];
            words.extend(RUST_FRONT.iter().map(OsString::from));
            words.extend(linked()?.iter().map(|word| prefixed("-Clink-arg=", word)));
            words
        }
    };
    let text: Vec<String> = words
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    command::out!("{}", text.join(" "));
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn our_options_may_stand_among_clang_s() {
        let mut count = CountArguments::default();
        let line = "-O2 --preset portable-1 -o --budget a.c --per=line -Xclang --throw --budget -c";
        let others = take_options(&mut count, &words(line)).unwrap();
        assert_eq!(others, words("-O2 -o --budget a.c -Xclang --throw -c"));
        assert_eq!(count.preset.as_deref(), Some("portable-1"));
        assert_eq!(count.per.as_deref(), Some("line"));
        assert!(count.budget && !count.throw);
        let error = take_options(&mut count, &words("-c --point")).unwrap_err();
        assert!(error.to_string().contains("--point"), "{error}");
    }

    #[test]
    fn the_runtime_is_built_for_the_program_s_target() {
        assert_eq!(
            target_arguments(&words("-O2 --target=aarch64-linux-gnu a.c")),
            words("--target=aarch64-linux-gnu")
        );
        assert_eq!(
            target_arguments(&words("-target riscv64-linux-gnu -c a.c")),
            words("-target riscv64-linux-gnu")
        );
        assert!(target_arguments(&words("-O2 a.c")).is_empty());
    }
}
