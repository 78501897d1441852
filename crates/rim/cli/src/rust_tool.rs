//! Tools with host code in Rust: crates to start from, and the library that comes of one.

use std::{
    env, fs,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use codeobj::elf::Elf;

/// The symbol in the dynamic symbol table of libraries with such tools; `luthier_intercept::tools!` defines it.
const SYMBOL: &str = "LUTHIER_OWN_TOOLS";
const SHT_DYNSYM: u32 = 11;

type Files = [(&'static str, &'static str)];

/// Files of a new crate. In their text, NAME is the tool's name and PROGRAM this program.
const FILES: &Files = &[
    ("Cargo.toml", include_str!("new_rust_tool/Cargo.toml.txt")),
    ("build.rs", include_str!("new_rust_tool/build.rs.txt")),
    ("src/lib.rs", include_str!("new_rust_tool/lib.rs.txt")),
    ("hooks/NAME.hip", include_str!("new_rust_tool/hooks.hip")),
    (
        "luthier-tool/Cargo.toml",
        include_str!("new_rust_tool/luthier-tool.toml.txt"),
    ),
    (
        "luthier-tool/tool-abi/Cargo.toml",
        include_str!("new_rust_tool/tool-abi.toml.txt"),
    ),
];

macro_rules! bindings {
    ($($into:literal from $crate_name:literal: $($file:literal),*;)*) => {
        /// The crates that know Luthier's table, which come along.
        const BINDINGS: &Files = &[$($((
            concat!($into, "/src/", $file),
            include_str!(concat!("../../../instrument/", $crate_name, "/src/", $file)),
        )),*),*];
    };
}
bindings! {
    "luthier-tool" from "luthier-tool":
        "lib.rs", "allocation.rs", "code.rs", "copied.rs", "glue.rs", "host.rs", "launch.rs", "place.rs";
    "luthier-tool/tool-abi" from "tool-abi":
        "lib.rs", "c.rs", "constants.rs", "structures.rs", "tables.rs", "values.rs";
}

/// The same for a tool that is compiled together with Luthier's sources, which lie in CHECKOUT.
const WHOLE: &Files = &[
    ("Cargo.toml", include_str!("new_whole_tool/Cargo.toml.txt")),
    ("build.rs", include_str!("new_whole_tool/build.rs.txt")),
    ("src/lib.rs", include_str!("new_whole_tool/lib.rs.txt")),
    ("hooks/NAME.hip", include_str!("new_whole_tool/hooks.hip")),
];

/// Makes a folder `name` with a crate in it: one that knows the table of functions alone, or one with all of the sources in
/// `checkout`.
pub fn new(name: &str, checkout: Option<&Path>) -> Result<()> {
    check_name(name)?;
    let program = env::current_exe().context("cannot find this program")?;
    let checkout = match checkout {
        Some(folder) => Some(
            fs::canonicalize(folder)
                .with_context(|| format!("cannot read {}", folder.display()))?,
        ),
        None => None,
    };
    if let Some(folder) = checkout.as_deref().filter(|folder| !is_checkout(folder)) {
        bail!("{} is no checkout of Luthier", folder.display());
    }
    let text = |path: &Path| {
        path.to_str()
            .filter(|text| !text.contains(['"', '\\']))
            .map(str::to_owned)
            .with_context(|| format!("{} cannot be written into a manifest", path.display()))
    };
    let sources = checkout.as_deref().map(text).transpose()?;
    let program = text(&program)?;
    let folder = PathBuf::from(name);
    fs::create_dir(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let fill = |template: &str| {
        template
            .replace("NAME", name)
            .replace("CHECKOUT", sources.as_deref().unwrap_or_default())
            .replace("PROGRAM", &program)
    };
    let files = match sources {
        Some(_) => WHOLE,
        None => FILES,
    };
    for (file, contents) in files {
        write(&folder.join(fill(file)), fill(contents).as_bytes())?;
    }
    match checkout {
        // Versions that are known to work together; cargo takes out what the crate does not use.
        Some(checkout) => {
            if let Ok(lock) = fs::read(checkout.join("Cargo.lock")) {
                write(&folder.join("Cargo.lock"), &lock)?;
            }
        }
        None => {
            for (file, contents) in BINDINGS {
                write(&folder.join(file), contents.as_bytes())?;
            }
        }
    }
    command::say!(
        "{name}: build it with `cargo build --release` there; use it with: luthier run -t {name}/target/release/lib{}.so -- PROGRAM",
        name.replace('-', "_")
    );
    Ok(())
}

/// The name must be a package name for cargo, and no word of the templates.
fn check_name(name: &str) -> Result<()> {
    let begins = name.starts_with(|c: char| c.is_ascii_lowercase());
    let rest = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c);
    if !begins || !name.chars().all(rest) {
        bail!("{name:?} cannot be a crate: use lower-case letters, digits, - and _");
    }
    Ok(())
}

fn is_checkout(folder: &Path) -> bool {
    ["luthier", "intercept"].iter().all(|name| {
        let manifest = folder
            .join("crates/instrument")
            .join(name)
            .join("Cargo.toml");
        manifest.is_file()
    })
}

fn write(path: &Path, contents: &[u8]) -> Result<()> {
    let failed = || format!("cannot write {}", path.display());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(failed)?;
    }
    let mut file = fs::File::create_new(path).with_context(failed)?;
    file.write_all(contents).with_context(failed)
}

/// Refuses what is no library with tools.
pub fn check_library(path: &Path) -> Result<()> {
    let bytes =
        tools::read_library(path).with_context(|| format!("cannot read {}", path.display()))?;
    let symbols = Elf::parse(&bytes).and_then(|elf| {
        let symbols = elf.symbols(SHT_DYNSYM)?;
        Ok(symbols.iter().any(|symbol| symbol.name == SYMBOL))
    });
    match symbols {
        Ok(true) => Ok(()),
        Ok(false) if path.with_extension("tool").exists() => bail!(
            "{} is the host code of a tool in C++; name the {} beside it",
            path.display(),
            path.with_extension("tool").display()
        ),
        Ok(false) => bail!(
            "{} is no tool: one in C++ says MARK_LUTHIER_DEVICE_MODULE, one in Rust luthier_tool::tool! or luthier_intercept::tools!",
            path.display()
        ),
        Err(error) => bail!("{} is no library: {error}", path.display()),
    }
}
