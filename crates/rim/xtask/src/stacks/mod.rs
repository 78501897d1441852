//! `cargo xtask stacks`: the pages of `docs/run`, each in a clean release of Debian or Ubuntu with nothing but its own commands.
//!
//! A page says in comments what release it needs (`<!-- release: NAME -->`), which packages' versions count (`<!-- packages: NAME... -->`),
//! and why something on it is wrong (`<!-- why: REASON -->`). Each command whose output the page shows is a case. A command that prints
//! `N right, M wrong` stands for so many.

mod summary;

use std::{collections::BTreeSet, fs, path::PathBuf, process::Stdio, time::Instant};

use anyhow::{Context, Result, bail, ensure};
use pages::Step;

use crate::{
    measured::{Row, note},
    rocm::environment::Environment,
    root,
};
use summary::Cases;

const HELP: &str = "Usage: cargo xtask stacks [NAME...] [--keep] [--seconds N]

Runs the commands of docs/run/NAME.md (of all pages without a name), as root, in clean releases of Debian or Ubuntu, and notes in
docs/measurements/stacks.md what came of them.

  --keep        leave the releases in target/rocm, and take those that are there
  --seconds N   the most seconds for one command (1800)
";

/// Where pages are, and where one of them is worked on inside a release.
const PAGES: &str = "docs/run";
const FOLDER: &str = "/root/stacks";
/// The certificates with which this machine reaches its package indexes, and where a release has them: those that a package installs
/// there lack what an administrator added here.
const CERTIFICATES: &str = "/etc/ssl/certs/ca-certificates.crt";
const CERTIFICATES_INSIDE: &str = "/etc/ssl/stacks.crt";
/// Variables that tell programs how to reach the network.
const NETWORK: [&str; 6] = [
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
];

struct Request {
    names: Vec<String>,
    keep: bool,
    seconds: u64,
}

fn parse(arguments: &[String]) -> Result<Request> {
    let mut request = Request {
        names: Vec::new(),
        keep: false,
        seconds: 1800,
    };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--keep" => request.keep = true,
            "--seconds" => {
                let value = arguments.next().context("--seconds wants a number")?;
                request.seconds = value
                    .parse()
                    .with_context(|| format!("--seconds {value} is no number"))?;
            }
            option if option.starts_with('-') => bail!("unknown option {option}\n\n{HELP}"),
            name => request.names.push(name.to_owned()),
        }
    }
    Ok(request)
}

/// A page that can be run.
struct Page {
    name: String,
    text: String,
    release: String,
    steps: Vec<Step>,
}

impl Page {
    fn read(name: &str) -> Result<Option<Page>> {
        let path = root().join(PAGES).join(format!("{name}.md"));
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let Some(release) = pages::notes(&text, "release").next().map(str::to_owned) else {
            return Ok(None);
        };
        let steps =
            pages::steps(&text).map_err(|error| anyhow::anyhow!("{}:{error}", path.display()))?;
        Ok(Some(Page {
            name: name.to_owned(),
            text,
            release,
            steps,
        }))
    }

    /// The targets that its commands name.
    fn devices(&self) -> String {
        let mut devices = BTreeSet::new();
        for step in &self.steps {
            if let Step::Run { script, .. } = step {
                let words = script.split(|letter: char| !letter.is_ascii_alphanumeric());
                devices.extend(words.filter(|word| is_target(word)));
            }
        }
        devices.into_iter().collect::<Vec<_>>().join(", ")
    }

    fn why(&self) -> String {
        pages::notes(&self.text, "why")
            .collect::<Vec<_>>()
            .join("; ")
    }
}

fn is_target(word: &str) -> bool {
    word.strip_prefix("gfx").is_some_and(|digits| {
        digits.len() >= 3 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
    })
}

/// The names of all pages with a release, in order.
#[cfg(test)]
pub fn pages_that_run() -> Result<Vec<String>> {
    let mut runs = Vec::new();
    for name in names()? {
        runs.extend(Page::read(&name)?.map(|page| page.name));
    }
    Ok(runs)
}

/// The names of all pages.
fn names() -> Result<Vec<String>> {
    let mut names = Vec::new();
    let folder = root().join(PAGES);
    for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let name = path.file_stem().context("a page has a name")?;
        names.push(name.to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

pub fn run(arguments: &[String]) -> Result<Vec<String>> {
    let request = parse(arguments)?;
    let known = names()?;
    for name in &request.names {
        ensure!(
            known.contains(name),
            "there is no page {name}; there are {}",
            known.join(", ")
        );
    }
    let wanted = match request.names.as_slice() {
        [] => &known,
        some => some,
    };
    let mut found = Vec::new();
    for name in wanted {
        found.extend(Page::read(name)?);
    }
    // Pages of one release follow one another, so that it is made once.
    found.sort_by(|one, other| one.release.cmp(&other.release));
    let mut complaints = Vec::new();
    for pages in found.chunk_by(|one, other| one.release == other.release) {
        let release = match request.keep {
            true => Environment::kept(&pages[0].release, "stacks")?,
            false => Environment::clean(&pages[0].release)?,
        };
        prepare(&release)?;
        for page in pages {
            complaints.extend(one(page, &release, request.seconds)?);
        }
        if !request.keep {
            release.remove()?;
        }
    }
    Ok(complaints)
}

/// Gives a clean system what it lacks: the certificates of the machine outside, and answers to apt's questions.
fn prepare(release: &Environment) -> Result<()> {
    let certificates = release.inside(CERTIFICATES_INSIDE);
    if PathBuf::from(CERTIFICATES).exists() {
        fs::create_dir_all(certificates.parent().context("a file has a folder")?)?;
        fs::copy(CERTIFICATES, &certificates)?;
    }
    // (Testing's index may be older than it says it is good for.)
    fs::write(
        release.inside("/etc/apt/apt.conf.d/99stacks"),
        "APT::Get::Assume-Yes \"true\";\nAcquire::Check-Valid-Until \"false\";\n",
    )?;
    Ok(())
}

/// Runs a page to its first command that goes wrong, and notes what came of it.
fn one(page: &Page, release: &Environment, seconds: u64) -> Result<Vec<String>> {
    let folder = format!("{FOLDER}/{}", page.name);
    let inside = release.inside(&folder);
    if inside.exists() {
        fs::remove_dir_all(&inside)?;
    }
    fs::create_dir_all(&inside)?;
    println!("{} in {}", page.name, page.release);
    let (mut cases, mut complaints) = (Cases::default(), Vec::new());
    for step in &page.steps {
        let began = Instant::now();
        let result = take(step, release, &folder, seconds, &mut cases)?;
        if let Step::Run { script, .. } = step {
            let first = script.lines().next().unwrap_or_default();
            println!("  {:6.1} s  {first}", began.elapsed().as_secs_f64());
        }
        if let Err(said) = result {
            complaints.push(format!("{PAGES}/{}.md:{}: {said}", page.name, step.line()));
            break;
        }
    }
    let why = match complaints.is_empty() {
        true => page.why(),
        false => "the page's commands do not all do what it says".to_owned(),
    };
    println!("  {cases}");
    note(&Row {
        name: format!("[{0}](../run/{0}.md)", page.name),
        devices: page.devices(),
        versions: versions(page, release)?,
        counts: [cases.right, cases.wrong, cases.left_out, 0],
        why,
    })?;
    Ok(complaints)
}

/// Takes a step; what is wrong with it.
fn take(
    step: &Step,
    release: &Environment,
    folder: &str,
    seconds: u64,
    cases: &mut Cases,
) -> Result<Result<(), String>> {
    let (script, expected) = match step {
        Step::File { name, text, .. } => {
            fs::write(release.inside(folder).join(name), text)?;
            return Ok(Ok(()));
        }
        Step::Run { script, output, .. } => (script, output),
    };
    let mut command = release.command("env");
    command.args(["-i", "HOME=/root", "LC_ALL=C.UTF-8"]);
    command.args(["DEBIAN_FRONTEND=noninteractive"]);
    command.arg(format!(
        "PATH={}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        root().join("target/release").display()
    ));
    if PathBuf::from(CERTIFICATES).exists() {
        command.arg(format!("PIP_CERT={CERTIFICATES_INSIDE}"));
        command.arg(format!("SSL_CERT_FILE={CERTIFICATES_INSIDE}"));
    }
    for name in NETWORK {
        if let Ok(value) = std::env::var(name) {
            command.arg(format!("{name}={value}"));
        }
    }
    let output = command
        .args(["timeout", "-k", "5", &seconds.to_string()])
        .args(["bash", "-e", "-o", "pipefail", "-c"])
        .arg(format!("exec 2>&1\ncd {folder}\n{script}"))
        .stdin(Stdio::null())
        .output()
        .context("cannot run unshare")?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let is_shown = expected
        .as_ref()
        .is_none_or(|expected| pages::matches(expected, &printed));
    let is_right = output.status.success() && is_shown;
    if expected.is_some() {
        cases.add(&printed, is_right);
    }
    Ok(if is_right {
        Ok(())
    } else if output.status.success() {
        Err(format!(
            "{script}\nprinted:\n{printed}\nand the page says:\n{}",
            expected.as_deref().unwrap_or_default()
        ))
    } else {
        Err(format!(
            "{script}\nended with {}:\n{printed}",
            output.status
        ))
    })
}

/// The versions of the packages that the page names, as dpkg and the page's own pip know them.
fn versions(page: &Page, release: &Environment) -> Result<String> {
    let packages: Vec<&str> = pages::notes(&page.text, "packages")
        .flat_map(str::split_whitespace)
        .collect();
    let mut versions = release.versions(&packages)?;
    let pip = format!("{FOLDER}/{}/env/bin/pip", page.name);
    if release.inside(&pip).exists() {
        let output = release
            .command(&pip)
            .args(["list", "--format=freeze"])
            .output()?;
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        let installed = printed.lines().filter_map(|line| line.split_once("=="));
        let named = installed.filter(|(name, _)| packages.contains(name));
        versions.extend(named.map(|(name, version)| format!("{name} {version}")));
    }
    let unknown = unknown(&packages, &versions);
    ensure!(
        unknown.is_empty(),
        "docs/run/{}.md names {} among its packages, which is not installed behind its commands",
        page.name,
        unknown.join(", ")
    );
    Ok(versions.join(", "))
}

/// The packages that have no version.
fn unknown<'p>(packages: &[&'p str], versions: &[String]) -> Vec<&'p str> {
    let is_unknown = |package: &&&str| {
        let mut named = versions.iter().filter_map(|one| one.split_once(' '));
        !named.any(|(name, _)| name == **package)
    };
    packages.iter().filter(is_unknown).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_without_a_version_are_named() {
        let versions = ["a 1.0".to_owned(), "bc 2".to_owned()];
        assert_eq!(unknown(&["a", "bc"], &versions), [""; 0]);
        assert_eq!(unknown(&["a", "b", "c"], &versions), ["b", "c"]);
    }

    #[test]
    fn every_page_is_run_by_a_release_that_there_is() {
        let known = crate::rocm::environment::names();
        let mut some = 0;
        for name in names().unwrap() {
            let Some(page) = Page::read(&name).unwrap() else {
                assert!(
                    ["README", "others"].contains(&name.as_str()),
                    "{name} names no release"
                );
                continue;
            };
            some += 1;
            assert!(
                known.split(", ").any(|known| known == page.release),
                "{name}"
            );
            let cases = page.steps.iter().filter(|step| {
                matches!(
                    step,
                    Step::Run {
                        output: Some(_),
                        ..
                    }
                )
            });
            assert!(cases.count() > 0, "{name} shows no output");
            assert!(!page.devices().is_empty(), "{name} names no device");
            let packages = pages::notes(&page.text, "packages").count();
            assert_eq!(packages, 1, "{name} says which packages count");
        }
        assert!(some > 0);
    }

    #[test]
    fn targets_are_words() {
        assert!(["gfx90a", "gfx1100"].into_iter().all(is_target));
        assert!(!["gfx", "gfx9", "gfxoops"].into_iter().any(is_target));
    }

    #[test]
    fn unknown_pages_and_options_are_refused() {
        for bad in ["no-such-page", "--oops"] {
            assert!(run(&[bad.to_owned()]).is_err(), "{bad}");
        }
    }
}
