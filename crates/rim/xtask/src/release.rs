//! `cargo xtask release`: everything that a release needs, in `target/dist`.
//!
//! The archive, the Debian package and the wheel are those of `cargo xtask package`. A release also has an apt repository as a folder
//! of files, a container image, a list of all that is inside (SBOM), notes, the script that installs a release, and checksums. The
//! caller names the key that signs. The same commit and the same build give the same files; the image also depends on what Debian has.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail, ensure};

use crate::{
    command::{done, said},
    image, lint, notes, package, root, sbom,
};

/// The facts that the repository states about itself.
const SUITE: &str = "stable";
const KEYRING: &str = "luthier.asc";
const VERSION: &str = env!("CARGO_PKG_VERSION");

struct Options {
    key: Option<String>,
    wheel: bool,
    image: bool,
    twice: bool,
}

fn options(arguments: &[String]) -> Result<Options> {
    let mut options = Options {
        key: None,
        wheel: true,
        image: true,
        twice: false,
    };
    let mut unsigned = false;
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--key" => {
                options.key = Some(words.next().context("--key names a key of gpg's")?.clone())
            }
            "--unsigned" => unsigned = true,
            "--no-wheel" => options.wheel = false,
            "--no-image" => options.image = false,
            "--twice" => options.twice = true,
            _ => bail!(
                "there is no option {word}; there are --key KEY, --unsigned, --no-wheel, --no-image and --twice"
            ),
        }
    }
    ensure!(
        options.key.is_some() != unsigned,
        "name the key that signs: --key KEY, as `gpg --list-secret-keys` has it; or say --unsigned"
    );
    Ok(options)
}

/// `--key KEY | --unsigned [--no-wheel] [--no-image] [--twice]`; twice: to compare what does not depend on a signature's time.
pub fn run(arguments: &[String]) -> Result<Vec<String>> {
    let options = options(arguments)?;
    // The builder's, if it builds because a tag was pushed.
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let tag = variable("GITHUB_REF_NAME");
    ensure!(
        variable("GITHUB_REF_TYPE") != "tag" || tag == format!("v{VERSION}"),
        "the tag {tag} is not v{VERSION}, which Cargo.toml has"
    );
    let date = package::date()?;
    let packages = package::make(options.wheel, &date)?;
    let mut complaints = lint::package(&packages)?;
    let dist = root().join("target/dist");
    make(&dist, &packages, &options, &date)?;
    if options.twice {
        let again = root().join("target/dist-again");
        make(&again, &package::make(false, &date)?, &options, &date)?;
        complaints.extend(differences(&dist, &again)?);
        fs::remove_dir_all(&again)?;
    }
    for path in files(&dist)? {
        let size = fs::metadata(&path)?.len() as f64 / 1e6;
        println!("{size:>8.1} MB  {}", path.display());
    }
    Ok(complaints)
}

fn make(dist: &Path, packages: &[PathBuf], options: &Options, date: &str) -> Result<()> {
    if dist.exists() {
        fs::remove_dir_all(dist).context("cannot remove the last release")?;
    }
    fs::create_dir_all(dist)?;
    for package in packages {
        let name = package.file_name().context("a package has a name")?;
        fs::copy(package, dist.join(name))?;
    }
    let debian = packages
        .iter()
        .find(|path| path.extension() == Some(OsStr::new("deb")))
        .context("there is no Debian package")?;
    let script = dist.join("install.sh");
    fs::copy(root().join("packaging/ci/install.sh"), &script)?;
    fs::write(dist.join("NOTES.md"), notes::of_release(VERSION)?)?;
    let parts = dist.join(format!("luthier-{VERSION}.cdx.json"));
    fs::write(parts, sbom::text(VERSION, date)?)?;
    repository(&dist.join("apt"), debian, options.key.as_deref(), date)?;
    if options.image {
        let archive = dist.join(format!("luthier-{VERSION}-image.tar"));
        image::make(&archive, debian, VERSION, date)?;
    }
    sums(dist)?;
    if let Some(key) = &options.key {
        sign(
            key,
            "--detach-sign",
            &dist.join("SHA256SUMS"),
            &dist.join("SHA256SUMS.asc"),
        )?;
        public(key, &dist.join(KEYRING))?;
    }
    Ok(())
}

/// An apt repository with the package in it.
fn repository(folder: &Path, package: &Path, key: Option<&str>, date: &str) -> Result<()> {
    let (pool, binary) = (
        folder.join("pool/main"),
        folder.join(format!("dists/{SUITE}/main/binary-amd64")),
    );
    fs::create_dir_all(&pool)?;
    fs::create_dir_all(&binary)?;
    fs::copy(package, pool.join(package.file_name().unwrap_or_default()))?;
    let archive = |words: &[&str]| {
        let mut command = Command::new("apt-ftparchive");
        said(command.args(words).current_dir(folder)).context("apt-ftparchive is in apt-utils")
    };
    let list = binary.join("Packages");
    fs::write(&list, archive(&["packages", "pool"])? + "\n\n")?;
    done(Command::new("gzip").args(["-9", "-n", "-k"]).arg(&list))?;
    let described = [
        ("Origin", "Luthier"),
        ("Label", "Luthier"),
        ("Suite", SUITE),
        ("Codename", SUITE),
        ("Architectures", "amd64"),
        ("Components", "main"),
    ];
    let mut words = Vec::new();
    for (field, value) in described {
        words.push("-o".to_owned());
        words.push(format!("APT::FTPArchive::Release::{field}={value}"));
    }
    words.extend(["release".to_owned(), format!("dists/{SUITE}")]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let when = said(Command::new("date").args(["-u", "-R", "-d", &format!("@{date}")]))?;
    let dated = |line: &str| match line.starts_with("Date:") {
        true => format!("Date: {when}\n"),
        false => format!("{line}\n"),
    };
    let text: String = archive(&words)?.lines().map(dated).collect();
    let release = folder.join(format!("dists/{SUITE}/Release"));
    fs::write(&release, text)?;
    if let Some(key) = key {
        sign(
            key,
            "--clear-sign",
            &release,
            &release.with_file_name("InRelease"),
        )?;
        sign(
            key,
            "--detach-sign",
            &release,
            &release.with_extension("gpg"),
        )?;
        public(key, &folder.join(KEYRING))?;
    }
    Ok(())
}

fn sign(key: &str, how: &str, what: &Path, to: &Path) -> Result<()> {
    done(
        Command::new("gpg")
            .args([
                "--batch",
                "--yes",
                "--armor",
                "--local-user",
                key,
                "--output",
            ])
            .arg(to)
            .arg(how)
            .arg(what),
    )
}

/// The key with which others check.
fn public(key: &str, to: &Path) -> Result<()> {
    done(
        Command::new("gpg")
            .args(["--batch", "--yes", "--armor", "--output"])
            .arg(to)
            .args(["--export", key]),
    )?;
    ensure!(to.exists(), "gpg has no key {key}");
    Ok(())
}

/// Sums of the files that a page of a release offers.
fn sums(dist: &Path) -> Result<()> {
    let names = files(dist)?;
    let names = names.iter().filter_map(|path| path.file_name());
    let text = said(Command::new("sha256sum").current_dir(dist).args(names))?;
    Ok(fs::write(dist.join("SHA256SUMS"), text + "\n")?)
}

/// Files right in a folder, by name.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.collect::<std::io::Result<Vec<_>>>()?;
    let mut files: Vec<_> = entries.into_iter().map(|entry| entry.path()).collect();
    files.retain(|path| path.is_file());
    files.sort();
    Ok(files)
}

/// Signatures: their contents depend on the time of signing.
const SIGNED: [&str; 3] = ["SHA256SUMS.asc", "InRelease", "Release.gpg"];

/// Files of the second folder that are others in the first.
fn differences(first: &Path, second: &Path) -> Result<Vec<String>> {
    let mut complaints = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(second.join(&folder))? {
            let entry = entry?;
            let path = folder.join(entry.file_name());
            let is_signed = SIGNED.iter().any(|name| entry.file_name() == *name);
            // (It names the wheel, which is built once.)
            if is_signed || path == Path::new("SHA256SUMS") {
                continue;
            }
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else if fs::read(first.join(&path)).ok() != Some(fs::read(entry.path())?) {
                complaints.push(format!("{} is another file each time", path.display()));
            }
        }
    }
    Ok(complaints)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_names_its_key() {
        let parse = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            options(&words)
        };
        assert_eq!(
            parse(&["--key", "ABC"]).unwrap().key.as_deref(),
            Some("ABC")
        );
        assert!(!parse(&["--unsigned", "--no-image"]).unwrap().image);
        for words in [
            &[][..],
            &["--key"],
            &["--key", "A", "--unsigned"],
            &["--sign"],
        ] {
            assert!(parse(words).is_err(), "{words:?}");
        }
    }
}
