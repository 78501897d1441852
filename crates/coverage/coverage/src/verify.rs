//! `verify`: whether profiles are sound and reports can be made of them.

use std::{
    collections::BTreeSet,
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{ExitCode, Stdio},
};

use anyhow::Result;
use clap::Args;
use drain::{
    image::{Image, ImageId, Part},
    output::image_path,
};

use crate::{DEFAULT_DIRECTORY, llvm::Tools, report::Profiles};

/// Arguments of `verify`.
#[derive(Debug, Args)]
pub struct Verify {
    /// Output directories of `run`, or `.profraw` files
    #[arg(default_value = DEFAULT_DIRECTORY)]
    inputs: Vec<PathBuf>,
}

impl Verify {
    pub fn run(self) -> Result<ExitCode> {
        let found = Profiles::find(&self.inputs)?;
        let mut problems = Vec::new();
        let (mut profiles, mut functions) = (0, 0);
        for file in found.files.iter().filter(|file| {
            file.extension()
                .is_some_and(|extension| extension == "profraw")
        }) {
            match rawprof::parse(&fs::read(file)?) {
                Ok(read) => {
                    profiles += read.len();
                    functions += read
                        .iter()
                        .map(|profile| profile.records.len())
                        .sum::<usize>();
                }
                Err(error) => problems.push(format!("{}: {error}", file.display())),
            }
        }
        let images = images(&found);
        for image in &images {
            match image {
                Found::Good(_, _) => {}
                Found::Missing(id) => problems.push(format!(
                    "the image {id} is not below .build-id of any input; reports will lack its functions"
                )),
                Found::Changed(path) => {
                    problems.push(format!("{} is not the image its name says; run the program again", path.display()));
                }
                Found::Unmapped(path) => problems.push(format!(
                    "{} has no coverage mapping (was it stripped?); it cannot be shown by line",
                    path.display()
                )),
            }
        }
        match Tools::find(found.version) {
            Ok(tools) => {
                let mut command = tools.command("llvm-profdata");
                command
                    .arg("merge")
                    .arg("-o")
                    .arg("/dev/null")
                    .args(&found.files);
                if let Err(error) = tools.output(command) {
                    problems.push(format!("{error:#}"));
                }
                problems.extend(atomicity_warnings(&tools, &found));
            }
            Err(error) => problems.push(format!("{error:#}")),
        }
        problems
            .iter()
            .for_each(|problem| command::say!("luthier coverage: {problem}"));
        crate::print(&format!(
            "{} file(s), {profiles} profile(s), {functions} function(s), {} image(s): {}\n",
            found.files.len(),
            images.len(),
            if problems.is_empty() {
                "sound".into()
            } else {
                format!("{} problem(s)", problems.len())
            }
        ))?;
        Ok(if problems.is_empty() {
            ExitCode::SUCCESS
        } else {
            command::Status::Found.into()
        })
    }
}

enum Found {
    Good(PathBuf, Box<Image>),
    Missing(String),
    Changed(PathBuf),
    Unmapped(PathBuf),
}

/// The images that the profiles name by a 20-byte id, as device profiles do.
fn images(found: &Profiles) -> Vec<Found> {
    let mut ids = BTreeSet::new();
    for file in &found.files {
        let profiles = fs::read(file)
            .ok()
            .and_then(|bytes| rawprof::parse(&bytes).ok());
        // Host profiles have binary ids too, of images that are kept elsewhere. Only device profiles come with a manifest.
        if drain::output::manifest_path(file).exists() {
            for profile in profiles.into_iter().flatten() {
                // IR-level profiles serve optimisation, their images have nothing to show by line.
                let for_optimisation = profile
                    .version
                    .variants()
                    .any(|variant| variant == "IR level");
                ids.extend(
                    profile
                        .binary_ids
                        .into_iter()
                        .map(|id| (id, for_optimisation)),
                );
            }
        }
    }
    let locate = |(id, for_optimisation): (Vec<u8>, bool)| {
        let id = ImageId(id.try_into().ok()?);
        let paths: Vec<_> = found
            .directories
            .iter()
            .map(|directory| image_path(directory, id))
            .collect();
        let Some((path, bytes)) = paths
            .into_iter()
            .find_map(|path| Some((path.clone(), fs::read(&path).ok()?)))
        else {
            return Some(Found::Missing(id.to_string()));
        };
        if ImageId::of(&bytes) != id {
            return Some(Found::Changed(path));
        }
        match Image::parse(bytes) {
            Ok(image) if image.has_mapping || for_optimisation => {
                Some(Found::Good(path, Box::new(image)))
            }
            Ok(_) => Some(Found::Unmapped(path)),
            Err(_) => Some(Found::Changed(path)),
        }
    };
    ids.into_iter().filter_map(locate).collect()
}

/// Images whose counters are updated without atomics. Their counts are not just inexact: code that ran is shown as
/// uncovered, because else branches are computed as differences.
pub fn atomicity_warnings(tools: &Tools, found: &Profiles) -> Vec<String> {
    let mut warnings = Vec::new();
    for image in images(found) {
        let Found::Good(path, image) = image else {
            continue;
        };
        let counters = image
            .section(Part::Counters)
            .map_or(0, |section| section.size / 8);
        if counters > 0 && updates_atomically(tools, &path) == Some(false) {
            warnings.push(format!(
                "{} counts without atomic updates, so its counts are wrong (covered code may appear uncovered); rebuild \
                 with -fprofile-update=atomic, which `luthier coverage build` adds",
                path.display()
            ));
        }
    }
    warnings
}

/// True if a 64-bit atomic addition or a call of the device runtime occurs. `None` when the image cannot be disassembled.
fn updates_atomically(tools: &Tools, image: &Path) -> Option<bool> {
    let mut command = tools.command("llvm-objdump");
    command
        .args(["-d", "--no-show-raw-insn", "--no-leading-addr"])
        .arg(image);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut found = false;
    let mut lines = 0u64;
    for line in BufReader::new(child.stdout.take()?).lines() {
        let line = line.ok()?;
        lines += 1;
        if line.contains("atomic_add_x2") || line.contains("atomic_add_u64") {
            found = true;
            break;
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    (lines > 0).then_some(found)
}
