//! Tools with host code in Rust: a crate to start from, and the library that comes of it.

use std::{
    env, fs,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use codeobj::elf::Elf;

/// What libraries with such tools have in their dynamic symbol table; `luthier_intercept::tools!` defines it.
const SYMBOL: &str = "LUTHIER_OWN_TOOLS";
const SHT_DYNSYM: u32 = 11;

/// Files of a new crate. In their text, NAME is the tool's name, CHECKOUT where Luthier's sources are, PROGRAM this program.
const FILES: [(&str, &str); 4] = [
    ("Cargo.toml", include_str!("new_rust_tool/Cargo.toml.txt")),
    ("build.rs", include_str!("new_rust_tool/build.rs.txt")),
    ("src/lib.rs", include_str!("new_rust_tool/lib.rs.txt")),
    ("hooks/NAME.hip", include_str!("new_rust_tool/hooks.hip")),
];

/// Makes a folder `name` with a crate in it, for the sources in `checkout`, or for those that this program was built in.
pub fn new(name: &str, checkout: Option<&Path>) -> Result<()> {
    check_name(name)?;
    let program = env::current_exe().context("cannot find this program")?;
    let checkout = match checkout {
        Some(checkout) => fs::canonicalize(checkout)
            .with_context(|| format!("cannot read {}", checkout.display()))?,
        None => program
            .ancestors()
            .find(|folder| is_checkout(folder))
            .map(Path::to_owned)
            .context(
                "this program does not lie in a checkout of Luthier; name one with --checkout DIR",
            )?,
    };
    if !is_checkout(&checkout) {
        bail!("{} is no checkout of Luthier", checkout.display());
    }
    let text = |path: &Path| {
        path.to_str()
            .filter(|text| !text.contains(['"', '\\']))
            .map(str::to_owned)
            .with_context(|| format!("{} cannot stand in a manifest", path.display()))
    };
    let (sources, program) = (text(&checkout)?, text(&program)?);
    let folder = PathBuf::from(name);
    fs::create_dir(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let fill = |template: &str| {
        template
            .replace("NAME", name)
            .replace("CHECKOUT", &sources)
            .replace("PROGRAM", &program)
    };
    for (file, contents) in FILES {
        write(&folder.join(fill(file)), fill(contents).as_bytes())?;
    }
    // Versions that are known to work together; cargo takes out what the crate does not use.
    if let Ok(lock) = fs::read(checkout.join("Cargo.lock")) {
        write(&folder.join("Cargo.lock"), &lock)?;
    }
    files::say!(
        "{name}: build it with `cargo build --release` there; use it with: luthier run -t {name}/target/release/lib{}.so -- PROGRAM",
        name.replace('-', "_")
    );
    Ok(())
}

/// What cargo takes for a package, and no word of the templates.
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
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
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
            "{} has no tools in it: luthier_intercept::tools! puts them there",
            path.display()
        ),
        Err(error) => bail!("{} is no library: {error}", path.display()),
    }
}
