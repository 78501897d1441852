//! `cargo xtask installed`: tests the Debian package in clean releases of Debian and Ubuntu, as a user other than root and without a
//! checkout. It prints the seconds that each step took, which `docs/measurements/installing.md` lists.

use std::{fs, path::PathBuf, process::Command, time::Instant};

use anyhow::{Context, Result, ensure};

use crate::{command::done, rocm::environment::Environment, root};

/// A release, and the release whose compiler makes programs for that, if this machine's
/// compiler does not.
struct Row {
    name: &'static str,
    compiler: Option<&'static str>,
    /// The packages that compile HIP there; for Debian 12 those of `docs/ci.md`.
    packages: &'static [&'static str],
}

const ROWS: &[Row] = &[
    Row {
        name: "debian-12",
        compiler: None,
        packages: &["hipcc", "libamdhip64-dev", "rocm-device-libs", "lld", "g++"],
    },
    Row {
        name: "debian-13",
        compiler: None,
        packages: &["hipcc", "libamdhip64-dev", "lld-17", "g++"],
    },
    Row {
        name: "debian-testing",
        compiler: Some("debian-testing"),
        packages: &["hipcc", "libamdhip64-dev", "g++"],
    },
    Row {
        name: "ubuntu-24.04",
        compiler: None,
        packages: &["hipcc", "libamdhip64-dev", "g++"],
    },
    Row {
        name: "ubuntu-26.04",
        compiler: Some("ubuntu-26.04"),
        packages: &["hipcc", "libamdhip64-dev", "g++"],
    },
];

/// A user's steps, each as a line of a shell in a folder with the program `vector_add`, and a word of its output. The second ones need the
/// HIP runtime, the last ones the compiler.
const WITHOUT_HIP: &[(&str, &str)] = &[
    ("luthier --version", "LLVM"),
    ("luthier inspect vector_add", "vector_add"),
    (
        "luthier instrument -t instr-count vector_add -o counted && luthier inspect counted",
        "vector_add",
    ),
    (
        "luthier verify -t bb-count -k vector_add --arg zero:256 --arg zero:256 --arg zero:256 --arg i32:64 vector_add",
        "the same",
    ),
    ("luthier tool list", "instr-count"),
    (
        "luthier demo 2>&1 && cat luthier-demo/report.html",
        "</html>",
    ),
    (
        "ls /usr/share/doc/luthier/examples/vector_add.hip /usr/share/doc/luthier/docs/start.md",
        "start.md",
    ),
    ("luthier run -- ./vector_add 2>&1 || true", "libamdhip64"),
];
const WITH_HIP: &[(&str, &str)] = &[
    (
        "luthier run --device gfx90a -- ./vector_add",
        "1048576 sums are right",
    ),
    (
        "luthier run --device gfx90a -t instr-count -- ./vector_add 2>&1",
        "vector_add",
    ),
    (
        "luthier run --device gfx90a -t mem-trace --output traced --report r.html -- ./vector_add 2>&1 && cat r.html",
        "</html>",
    ),
    ("luthier doctor 2>&1", "emulated GPU"),
];
const WITH_COMPILER: &[(&str, &str)] = &[(
    "hipcc --offload-arch=gfx90a -O2 vector_add.hip -o mine && luthier run --device gfx90a -- ./mine",
    "1048576 sums are right",
)];

pub fn run(names: &[String]) -> Result<Vec<String>> {
    let package = root().join(format!(
        "target/package/luthier_{}_amd64.deb",
        env!("CARGO_PKG_VERSION")
    ));
    ensure!(
        package.exists(),
        "{} is missing: run ./dev package first",
        package.display()
    );
    for name in names {
        ensure!(
            ROWS.iter().any(|row| row.name == name),
            "{name} is none of {}",
            ROWS.iter()
                .map(|row| row.name)
                .collect::<Vec<_>>()
                .join(", ")
        );
    }
    let mut complaints = Vec::new();
    for row in ROWS {
        if names.is_empty() || names.iter().any(|name| name == row.name) {
            let program = compiled(row).with_context(|| format!("vector_add for {}", row.name))?;
            let release = Environment::clean(row.name)?;
            complaints.extend(one(row, &release, &package, &program)?);
            release.remove()?;
        }
    }
    Ok(complaints)
}

/// `vector_add` for the release's runtime.
fn compiled(row: &Row) -> Result<PathBuf> {
    let folder = root().join("target/package");
    let program = folder.join(format!("vector_add-{}", row.name));
    let mut command = match row.compiler {
        None => Command::new("hipcc"),
        Some(release) => Environment::open(release)?.command("hipcc"),
    };
    done(
        command
            .args(["--offload-arch=gfx90a", "-O2"])
            .arg(root().join("examples/vector_add.hip"))
            .arg("-o")
            .arg(&program),
    )?;
    Ok(program)
}

/// Installs the package and does everything; what did not come out as it should.
fn one(
    row: &Row,
    release: &Environment,
    package: &PathBuf,
    program: &PathBuf,
) -> Result<Vec<String>> {
    let home = release.root().join("home/somebody");
    fs::create_dir_all(&home)?;
    fs::copy(program, home.join("vector_add"))?;
    fs::copy(
        root().join("examples/vector_add.hip"),
        home.join("vector_add.hip"),
    )?;
    std::os::unix::fs::chown(&home, Some(SOMEBODY), Some(SOMEBODY))?;
    fs::copy(package, release.root().join("tmp/luthier.deb"))?;
    let took = |is_right: bool, start: Instant, step: &str| {
        println!(
            "{:<15} {} {:6.1} s  {step}",
            row.name,
            if is_right { "ok    " } else { "FAILED" },
            start.elapsed().as_secs_f64()
        );
    };
    let mut complaints = Vec::new();
    // First without what it recommends, then as `docs/start.md` has it.
    let stages: [(bool, &[&str], _); 3] = [
        (false, &[PACKAGE], WITHOUT_HIP),
        (true, &[PACKAGE], WITH_HIP),
        (false, row.packages, WITH_COMPILER),
    ];
    for (recommended, packages, lines) in stages {
        let start = Instant::now();
        if recommended {
            // For a package that is installed already, apt installs no recommended packages any more.
            done(release.command("dpkg").args(["--purge", "luthier"]))?;
            release.apt_install_recommended(packages)?;
        } else {
            release.apt_install(packages)?;
        }
        took(true, start, &format!("apt install {}", packages.join(" ")));
        for (line, word) in lines {
            let start = Instant::now();
            let output = release
                .command("setpriv")
                .args([
                    &format!("--reuid={SOMEBODY}"),
                    &format!("--regid={SOMEBODY}"),
                    "--clear-groups",
                    "env",
                    "-i",
                    "PATH=/usr/bin:/bin",
                    "HOME=/home/somebody",
                    "sh",
                    "-c",
                    &format!("cd && {line}"),
                ])
                .output()?;
            let printed = String::from_utf8_lossy(&output.stdout);
            let is_right = output.status.success() && printed.contains(word);
            took(is_right, start, line);
            if !is_right {
                complaints.push(format!(
                    "{}: {line}: {} and not {word:?} in\n{printed}{}",
                    row.name,
                    output.status,
                    String::from_utf8_lossy(&output.stderr)
                ));
            }
        }
    }
    Ok(complaints)
}

/// The path of the package there.
const PACKAGE: &str = "/tmp/luthier.deb";
/// The user and group.
const SOMEBODY: u32 = 4242;
