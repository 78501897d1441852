//! The product of a command line: whether something is linked, and as which kind of file.

use crate::error::Error;
use crate::toolchain;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;

/// The product of a command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Product {
    /// An object, assembly, bitcode, or nothing: no link.
    Parts,
    Executable,
    StaticExecutable,
    SharedLibrary,
}

/// Arguments that end before linking, or ask a question.
#[rustfmt::skip]
const NO_LINK: &[&str] = &[
    "-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-r", "--version", "-###", "--help", "-dumpversion",
    "-dumpmachine", "--precompile", "-print-search-dirs", "-print-resource-dir",
];

/// Arguments whose value is the next argument.
#[rustfmt::skip]
pub const TAKES_VALUE: &[&str] = &[
    "-o", "-x", "-I", "-L", "-D", "-U", "-include", "-isystem", "-iquote", "-MF", "-MT", "-MQ", "-target", "-Xclang",
    "-Xlinker", "-Xpreprocessor", "-Xassembler", "-mllvm", "-T", "-u", "-z", "-arch", "--sysroot", "-isysroot", "-idirafter",
];

/// Options after which clang links as it would without them. Their value, if they have one, is in the same word.
#[rustfmt::skip]
const PLAIN: &[&str] = &[
    "-D", "-I", "-L", "-O", "-U", "-W", "-g", "-l", "-std=", "-march=", "-mcpu=", "-mtune=", "-fno-", "-fPIC", "-fPIE", "-fpic", "-fpie",
    "-fexceptions", "-ffast-math", "-ffp-contract=", "-ffunction-sections", "-fdata-sections", "-flto", "-fvisibility=", "-pie", "-no-pie",
    "-pthread", "-rdynamic", "-shared", "-static", "-w",
];

/// The endings of sources and of what the linker reads.
const LINKED: &[&str] = &[
    "c", "cc", "cpp", "cxx", "C", "s", "S", "ll", "bc", "o", "a", "so",
];

/// Returns `true` if the words alone tell whether clang links: files that it compiles and links, and options that leave it at that.
fn is_plain(arguments: &[OsString]) -> bool {
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        let ending = || Path::new(word).extension()?.to_str();
        let is_known = match &*text {
            "-o" | "-I" | "-D" | "-L" => words.next().is_some(),
            option if option.starts_with('-') => {
                PLAIN.iter().any(|known| option.starts_with(known))
            }
            _ => ending().is_some_and(|ending| LINKED.contains(&ending)),
        };
        if !is_known {
            return false;
        }
    }
    true
}

/// The product as the words alone have it. A command line that ends before a link in another way is for [`links`].
fn from_words(arguments: &[OsString]) -> Product {
    let mut words = arguments.iter();
    let (mut link, mut is_static, mut shared, mut inputs) = (true, false, false, false);
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        if TAKES_VALUE.contains(&text.as_ref()) {
            let value = words.next();
            link &= text != "-Xlinker" || value.is_none_or(|value| !keeps_open(value));
        } else if let Some(for_linker) = text.strip_prefix("-Wl,") {
            link &= !for_linker.split(',').any(|word| keeps_open(word.as_ref()));
        } else if NO_LINK.contains(&text.as_ref())
            || text.starts_with("-print-")
            || text.starts_with("--print-")
        {
            link = false;
        } else if ["-static", "--static", "-static-pie"].contains(&text.as_ref()) {
            is_static = true;
        } else if text == "-shared" || text == "--shared" {
            shared = true;
        } else if !text.starts_with('-') || text == "-" || text.starts_with("-l") {
            inputs = true;
        }
    }
    match (link && inputs, shared, is_static) {
        (false, ..) => Product::Parts,
        (_, true, _) => Product::SharedLibrary,
        (_, _, true) => Product::StaticExecutable,
        _ => Product::Executable,
    }
}

/// A linker's argument may ask for an object that is linked again: the runtime is for the program that it goes into.
fn keeps_open(argument: &OsStr) -> bool {
    ["-r", "-i", "-Ur", "--relocatable"]
        .iter()
        .any(|word| argument == *word)
}

/// The product of a compiler's command line. `passed` are the same arguments as clang gets them, perhaps in a response file.
pub fn product(
    driver: &str,
    arguments: &[OsString],
    passed: &[OsString],
) -> Result<Product, Error> {
    let product = from_words(arguments);
    // Asked only here: it starts clang once more, which takes a third of the time of a small program.
    let parts = product == Product::Parts || !is_plain(arguments) && !links(driver, passed)?;
    Ok(if parts { Product::Parts } else { product })
}

/// Clang says if its last phase is a link. The words of a command line do not: clang precompiles a header, analyses a source, packs
/// objects into an archive or stops after the code for a device.
fn links(driver: &str, passed: &[OsString]) -> Result<bool, Error> {
    let mut command = Command::new(driver);
    command.arg("-ccc-print-phases").args(passed);
    match toolchain::output(&mut command) {
        Ok(output) => Ok(last_phase_links(&String::from_utf8_lossy(&output.stderr))),
        // A mistake in the command line: clang names it when it compiles.
        Err(Error::Failed { .. }) => Ok(true),
        Err(error) => Err(error),
    }
}

/// Clang prints lines such as `5: linker, {4}, image`; it indents those of earlier phases, also of devices' links.
fn last_phase_links(phases: &str) -> bool {
    let last = |line: &str| {
        let (number, action) = line.split_once(": ")?;
        number.parse::<u32>().ok()?;
        let word = action.split(',').next()?;
        Some(["linker", "clang-linker-wrapper"].contains(&word))
    };
    let mut found = phases.lines().filter_map(last).peekable();
    // A compiler that prints no phases: then the words decide.
    found.peek().is_none() || found.any(|links| links)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn products_follow_the_command_line() {
        #[rustfmt::skip]
        let rows = [
            ("-c a.c -o a.o",             Product::Parts),
            ("--version",                 Product::Parts),
            ("-E -",                      Product::Parts),
            ("-o a",                      Product::Parts),
            ("-O2 a.c -o a",              Product::Executable),
            ("a.o -lm",                   Product::Executable),
            ("-static a.o",               Product::StaticExecutable),
            ("--static a.o",              Product::StaticExecutable),
            ("--shared a.o",              Product::SharedLibrary),
            ("-shared -fPIC a.c -o a.so", Product::SharedLibrary),
            ("-v a.c -o a",               Product::Executable),
            ("-v",                        Product::Parts),
            ("-MF -c a.c",                Product::Executable),
            ("-nostdlib -Wl,-r a.o b.o",  Product::Parts),
            ("-Xlinker -r a.o",           Product::Parts),
            ("-Wl,-s -Xlinker -s a.o",    Product::Executable),
        ];
        for (line, expected) in rows {
            assert_eq!(from_words(&words(line)), expected, "{line}");
        }
    }

    #[test]
    fn clang_is_asked_only_where_words_do_not_tell() {
        #[rustfmt::skip]
        let rows = [
            ("-O2 -g -Wall a.c -o a -lm",               true),
            ("-shared -fPIC -std=c++20 -I . a.cpp b.o", true),
            ("-Wl,-s -D X=1 libx.a",                    true),
            ("-O2 a.h",                                 false),
            ("-O2 a.hip -o a",                          false),
            ("--analyze a.c",                           false),
            ("-x c -",                                  false),
            ("a.c --emit-static-lib -o a.a",            false),
            ("-fsyntax-only a.c",                       false),
            ("-fopenmp-targets=amdgcn a.c",             false),
            ("-Xclang -emit-pch a.c",                   false),
            ("a.c -o",                                  false),
        ];
        for (line, expected) in rows {
            assert_eq!(is_plain(&words(line)), expected, "{line}");
        }
    }

    #[test]
    fn the_last_phase_decides() {
        // As clang 22 prints them for `-x hip a.hip`, `--offload-device-only`, `--offload-new-driver`, and a header.
        #[rustfmt::skip]
        let rows = [
            ("         |     +- 8: linker, {7}, image, (device-hip, gfx90a)\n14: linker, {13}, image, (host-hip)\n", true),
            ("      +- 5: linker, {4}, image, (device-hip, gfx90a)\n8: offload, \"device-hip (amdgcn-amd-amdhsa:)\" {7}, hip-fatbin\n", false),
            ("12: clang-linker-wrapper, {11}, image, (host-hip)\n", true),
            ("2: precompiler, {1}, precompiled-header\n", false),
            ("13: static-lib-linker, {4, 12}, image, (host-hip)\n", false),
            ("", true),
        ];
        for (phases, expected) in rows {
            assert_eq!(last_phase_links(phases), expected, "{phases}");
        }
    }
}
