//! `cargo xtask package`: an archive and a Debian package of what `./dev build` made, stripped, and the Python wheel.
//!
//! The first two hold the same tree, which works wherever it is unpacked: programs find libraries in `../lib/luthier`. Times of
//! files are the commit's, so that the same build gives the same packages.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail, ensure};

use crate::{
    command::{self, done, said},
    root, sizes,
};

/// A file of `target/release` and where it goes below `/usr`.
const FILES: &[(&str, &str)] = &[
    ("luthier", "bin/luthier"),
    ("luthier-cc", "bin/luthier-cc"),
    ("luthier-count-rewrite", "lib/luthier/luthier-count-rewrite"),
    (
        "libhsakmt.so",
        "lib/luthier/luthier-emulator/libhsakmt.so.1",
    ),
    (
        "libluthier_intercept.so",
        "lib/luthier/libluthier_intercept.so",
    ),
    ("libluthier_kfd.so", "lib/luthier/libluthier_kfd.so"),
    ("libluthier_drain.so", "lib/luthier/libluthier_drain.so"),
    (
        "libluthier_coverage_pass.so",
        "lib/luthier/libluthier_coverage_pass.so",
    ),
    ("libluthier_count.so", "lib/luthier/libluthier_count.so"),
];
/// Programs that are useful only with clang; a system with clang has the libraries that they need.
const OF_CLANG: &[&str] = &[
    "luthier-count-rewrite",
    "libluthier_coverage_pass.so",
    "libluthier_count.so",
];
/// Files of the repository, as they are.
const TEXTS: &[(&str, &str)] = &[
    ("include/luthier.h", "include/luthier/luthier.h"),
    (
        "include/luthier_device.h",
        "include/luthier/luthier_device.h",
    ),
    (
        "include/luthier_hip_names.h",
        "include/luthier/luthier_hip_names.h",
    ),
    (
        "include/luthier_hsa_events.h",
        "include/luthier/luthier_hsa_events.h",
    ),
    ("README.md", "share/doc/luthier/README.md"),
    ("SECURITY.md", "share/doc/luthier/SECURITY.md"),
    ("LICENSE-MIT", "share/doc/luthier/LICENSE-MIT"),
    ("packaging/copyright", "share/doc/luthier/copyright"),
    (
        "packaging/lintian-overrides",
        "share/lintian/overrides/luthier",
    ),
];
/// Folders of the repository whose files with such an ending go below `share/doc/luthier`.
const FOLDERS: &[(&str, &str)] = &[
    ("docs", "md"),
    ("docs", "png"),
    ("docs/schemas", "json"),
    ("examples", "hip"),
    ("examples/tools", "hip"),
    ("examples/bot-match", "cpp"),
    ("examples/bot-match", "hpp"),
    ("examples/bot-match", "md"),
    ("examples/bot-match", "sh"),
];
/// Decisions and their figures are left out: they are for developers, who have the repository.
const FOR_DEVELOPERS: [&str; 2] = ["docs/decisions", "docs/measurements"];
/// A shell and where it looks for completions.
const COMPLETIONS: &[(&str, &str)] = &[
    ("bash", "share/bash-completion/completions/luthier"),
    ("zsh", "share/zsh/vendor-completions/_luthier"),
    ("fish", "share/fish/vendor_completions.d/luthier.fish"),
];

/// `[--no-wheel] [--twice]`: makes all packages in `target/package`; twice, to compare them byte by byte.
pub fn run(arguments: &[String]) -> Result<Vec<String>> {
    let has = |option: &str| arguments.iter().any(|argument| argument == option);
    let (with_wheel, twice) = (!has("--no-wheel"), has("--twice"));
    ensure!(
        arguments.len() == usize::from(!with_wheel) + usize::from(twice),
        "the only options are --no-wheel and --twice"
    );
    let date = date()?;
    let made = make(with_wheel, &date)?;
    let mut complaints = crate::lint::package(&made)?;
    if twice {
        let read = |path: &PathBuf| fs::read(path).with_context(|| path.display().to_string());
        let first: Vec<Vec<u8>> = made.iter().map(read).collect::<Result<_>>()?;
        for (path, first) in make(with_wheel, &date)?.iter().zip(first) {
            if read(path)? != first {
                complaints.push(format!("{} is another file each time", path.display()));
            }
        }
    }
    for path in &made {
        let size = fs::metadata(path)?.len() as f64 / 1e6;
        println!("{} {size:.1} MB", path.display());
    }
    Ok(complaints)
}

/// The commit's, in seconds.
pub fn date() -> Result<String> {
    said(
        Command::new("git")
            .current_dir(root())
            .args(["log", "-1", "--format=%ct"]),
    )
}

/// Makes the packages, with `date` for the times of files; where they are.
pub fn make(with_wheel: bool, date: &str) -> Result<Vec<PathBuf>> {
    let root = root();
    let output = root.join("target/package");
    let stage = output.join("stage");
    if stage.exists() {
        fs::remove_dir_all(&stage).context("cannot remove the last package's files")?;
    }
    let version = env!("CARGO_PKG_VERSION");
    fill(&root, &stage.join("usr"), version, date)?;
    let name = format!("luthier-{version}-x86_64");
    let archive = output.join(format!("{name}.tar.gz"));
    make_archive(&stage.join("usr"), &archive, &name, date)?;
    let package = output.join(format!("luthier_{version}_amd64.deb"));
    make_debian_package(&root, &stage, &package, version, date)?;
    let mut all = vec![archive, package];
    if with_wheel {
        let wheel = crate::python::wheel()
            .context("the wheel needs maturin from PyPI, and --no-wheel leaves it out")?;
        let copy = output.join(wheel.file_name().unwrap_or_default());
        fs::copy(&wheel, &copy).with_context(|| format!("cannot write {}", copy.display()))?;
        all.push(copy);
    }
    Ok(all)
}

/// Puts everything below `usr`.
fn fill(root: &Path, usr: &Path, version: &str, date: &str) -> Result<()> {
    let built = root.join("target/release");
    programs(&built, usr)?;
    for (from, to) in TEXTS {
        fs::copy(root.join(from), place(usr, to)?)
            .with_context(|| format!("cannot copy {from}"))?;
    }
    for (folder, ending) in FOLDERS {
        documents(
            &root.join(folder),
            root,
            ending,
            &usr.join("share/doc/luthier"),
        )?;
    }
    written_by(&built.join("luthier"), usr)?;
    let changelog = place(usr, "share/doc/luthier/changelog")?;
    let when = said(Command::new("date").args(["-u", "-R", "-d", &format!("@{date}")]))?;
    fs::write(
        &changelog,
        format!(
            "luthier ({version}) unstable; urgency=medium\n\n  * See the history of the repository.\n\n -- {MAINTAINER}  {when}\n"
        ),
    )?;
    done(Command::new("gzip").args(["-9", "-n"]).arg(&changelog))
}

/// Copies programs and libraries without their symbols, and the ready tools.
fn programs(built: &Path, usr: &Path) -> Result<()> {
    for (name, to) in FILES {
        let from = built.join(name);
        ensure!(
            from.exists(),
            "{} is missing: run ./dev build first",
            from.display()
        );
        let to = place(usr, to)?;
        sizes::strip(&from, &to)?;
        if let Some(complaint) = sizes::too_large(name, &to)? {
            bail!("{complaint}");
        }
        let mode = if to.starts_with(usr.join("bin")) || !to.to_string_lossy().contains(".so") {
            "755"
        } else {
            "644"
        };
        done(Command::new("chmod").arg(mode).arg(&to))?;
    }
    std::os::unix::fs::symlink("luthier-cc", place(usr, "bin/luthier-c++")?)?;
    let tools = fs::read_dir(built.join("luthier-tools"))
        .context("target/release/luthier-tools is missing: run ./dev build first")?;
    for tool in tools {
        let path = tool?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "tool" || extension == "co")
        {
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            fs::copy(
                &path,
                place(usr, &format!("lib/luthier/luthier-tools/{name}"))?,
            )?;
        }
    }
    Ok(())
}

/// Completions and manual pages, which the command itself writes.
fn written_by(luthier: &Path, usr: &Path) -> Result<()> {
    for (shell, to) in COMPLETIONS {
        fs::write(
            place(usr, to)?,
            said(Command::new(luthier).args(["completions", shell]))? + "\n",
        )?;
    }
    let pages = usr.join("share/man/man1");
    done(Command::new(luthier).arg("manual").arg(&pages))?;
    for page in fs::read_dir(&pages)? {
        done(Command::new("gzip").args(["-9", "-n"]).arg(page?.path()))?;
    }
    for driver in ["cc", "c++"] {
        std::os::unix::fs::symlink(
            format!("luthier-count-{driver}.1.gz"),
            pages.join(format!("luthier-{driver}.1.gz")),
        )?;
    }
    Ok(())
}

const MAINTAINER: &str = "Luthier maintainers <luthier@localhost.localdomain>";

/// Copies files with an ending, of a folder and those in it, to the same places below `to`.
fn documents(folder: &Path, root: &Path, ending: &str, to: &Path) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let within = path.strip_prefix(root)?;
        if path.is_dir() {
            if !FOR_DEVELOPERS
                .iter()
                .any(|other| within == Path::new(other))
            {
                documents(&path, root, ending, to)?;
            }
        } else if path.extension().is_some_and(|own| own == ending) {
            let target = to.join(within);
            fs::create_dir_all(target.parent().unwrap_or(to))?;
            fs::copy(&path, &target).with_context(|| format!("cannot copy {}", path.display()))?;
        }
    }
    Ok(())
}

/// `usr` joined with `to`, whose directory exists then.
fn place(usr: &Path, to: &str) -> Result<PathBuf> {
    let path = usr.join(to);
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    Ok(path)
}

fn make_archive(usr: &Path, archive: &Path, name: &str, date: &str) -> Result<()> {
    done(
        Command::new("tar")
            .args([
                "--sort=name",
                "--owner=0",
                "--group=0",
                "--numeric-owner",
                "--mode=go-w",
            ])
            .arg(format!("--mtime=@{date}"))
            .arg(format!("--transform=s,^\\.,{name},"))
            .args(["--use-compress-program=gzip -9 -n", "-cf"])
            .arg(archive)
            .arg("-C")
            .arg(usr)
            .arg("."),
    )
}

fn make_debian_package(
    root: &Path,
    stage: &Path,
    package: &Path,
    version: &str,
    date: &str,
) -> Result<()> {
    // The packages that the libraries need, of those that are installed here.
    let work = stage.with_file_name("shlibdeps");
    fs::create_dir_all(work.join("debian"))?;
    fs::write(
        work.join("debian/control"),
        "Source: luthier\n\nPackage: luthier\nArchitecture: amd64\n",
    )?;
    let mut ask = Command::new("dpkg-shlibdeps");
    // (LLVM's own packages say nothing of their library's versions.)
    ask.current_dir(&work).args(["-O", "--ignore-missing-info"]);
    for (from, to) in FILES {
        let field = if OF_CLANG.contains(from) {
            "-dSuggests"
        } else {
            "-dDepends"
        };
        ask.arg(field).arg("-e").arg(stage.join("usr").join(to));
    }
    let said = command::said(&mut ask)?;
    let needs = said
        .lines()
        .find_map(|line| line.strip_prefix("shlibs:Depends="))
        .with_context(|| format!("dpkg-shlibdeps said {said:?}"))?;
    let template =
        fs::read_to_string(root.join("packaging/control")).context("no packaging/control")?;
    let control = stage.join("DEBIAN");
    fs::create_dir_all(&control)?;
    let sizes = command::said(
        Command::new("du")
            .args(["-sk", "--apparent-size"])
            .arg(stage.join("usr")),
    )?;
    let size = sizes.split_whitespace().next().unwrap_or("0").to_owned();
    let filled = template
        .replace("@VERSION@", version)
        .replace("@DEPENDS@", needs)
        .replace("@SIZE@", &size)
        .replace("@MAINTAINER@", MAINTAINER);
    if filled.contains('@') && filled.matches('@').count() != MAINTAINER.matches('@').count() {
        bail!("packaging/control has a word between @ signs that has no value");
    }
    fs::write(control.join("control"), filled)?;
    done(
        Command::new("dpkg-deb")
            .env("SOURCE_DATE_EPOCH", date)
            .args(["--root-owner-group", "-Zxz", "--build"])
            .arg(stage)
            .arg(package),
    )
}
