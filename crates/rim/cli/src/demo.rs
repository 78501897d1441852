//! `luthier demo`: what a user can see right after installing, without HIP and without a GPU.

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result, ensure};
use clap::Args;
use codeobj::CodeObject;
use launcher::libraries;
use stand_alone::{Argument, Shape};
use tool_build::example;

use crate::{alone::Wanted, doctor, report::PAGE};

/// Show in a second what Luthier does: kernels that it carries, on the emulated GPU, and a report.
///
/// Runs three kernels that Luthier carries, each of which transposes a matrix, on an emulated GPU with tools in them. It needs no GPU, no
/// ROCm and no compiler. It leaves the source, the code object and a report in a directory, and says what to type next.
#[derive(Args)]
pub struct Demo {
    /// Directory for the source, the code object and the report
    #[arg(short, long, value_name = "DIR", default_value = "luthier-demo")]
    output: PathBuf,
}

/// The tools of the demonstration: the report needs the first, and the others have results for these kernels.
const TOOLS: [&str; 4] = ["hotspots", "instr-count", "mem-coalesce", "lds-conflicts"];
/// The example's kernels and sizes, as its source has them.
const KERNELS: [&str; 3] = ["transpose_naive", "transpose_tiled", "transpose_padded"];
const SIDE: usize = 256;
const TILE: u32 = 32;

impl Demo {
    pub fn execute(self) -> Result<ExitCode> {
        let object = libraries::tools_directory()?.join(example::OBJECT_FILE);
        let object = fs::read(&object).with_context(|| {
            format!(
                "cannot read {}, which comes with Luthier: {}",
                object.display(),
                libraries::mend()
            )
        })?;
        let folder = &self.output;
        outputs::make_directories(folder)
            .with_context(|| format!("cannot make {}", folder.display()))?;
        for (name, bytes) in [
            (example::SOURCE_FILE, example::SOURCE.as_bytes()),
            (example::OBJECT_FILE, &object),
        ] {
            let path = folder.join(name);
            outputs::write_whole(&path, bytes)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        let target = CodeObject::parse(&object)?.target().target.name;
        command::out!(
            "Three kernels of {}, compiled for {target}, run on an emulated GPU: no GPU and no ROCm is needed.",
            folder.join(example::SOURCE_FILE).display()
        );
        let wanted = Wanted {
            tools: TOOLS.map(str::to_owned).to_vec(),
            site: String::new(),
            output: None,
            page: Some(folder.join(PAGE)),
            title: "luthier demo".to_owned(),
            sources: Some(folder.clone()),
        };
        transpose(wanted, object)?;
        command::out!("{}", next(folder, target));
        Ok(ExitCode::SUCCESS)
    }
}

/// Runs every kernel on a matrix and compares what it leaves.
fn transpose(wanted: Wanted, object: Vec<u8>) -> Result<()> {
    let alone = wanted.open(object)?;
    let device = alone.device();
    let matrix: Vec<f32> = (0..SIDE * SIDE).map(|element| element as f32).collect();
    let bytes: Vec<u8> = matrix
        .iter()
        .flat_map(|element| element.to_le_bytes())
        .collect();
    let shape = Shape {
        grid: [SIDE as u32 / TILE, SIDE as u32 / TILE, 1],
        block: [TILE, TILE, 1],
        dynamic_lds: 0,
    };
    for kernel in KERNELS {
        let from = device.buffer(&bytes, bytes.len() as u64)?;
        let to = device.buffer(&[], bytes.len() as u64)?;
        let arguments = [from, to].map(Argument::pointer);
        let prepared = device.prepare(kernel, &shape, &arguments)?;
        alone.launch(&prepared, None)?;
        let mut left = vec![0; bytes.len()];
        device.read(to, &mut left)?;
        let left = left
            .as_chunks()
            .0
            .iter()
            .map(|word| f32::from_le_bytes(*word));
        let wrong = left
            .enumerate()
            .find(|(index, element)| *element != matrix[index % SIDE * SIDE + index / SIDE]);
        ensure!(
            wrong.is_none(),
            "{kernel} gives a wrong matrix, at {wrong:?}: please report this"
        );
    }
    command::out!("A matrix of {SIDE} x {SIDE} was transposed in three ways, and is right.");
    alone.finish()
}

/// The commands to type next.
fn next(folder: &Path, target: &str) -> String {
    let at = |name: &str| folder.join(name).display().to_string();
    let bytes = SIDE * SIDE * size_of::<f32>();
    let groups = SIDE as u32 / TILE;
    let mut lines = vec![
        format!("xdg-open {}", at(PAGE)),
        format!(
            "luthier emulate -k {} --grid {groups},{groups} --block {TILE},{TILE} --arg zero:{bytes} --arg zero:{bytes} -t opcode-histogram {}",
            KERNELS[0],
            at(example::OBJECT_FILE)
        ),
        "luthier tool list".to_owned(),
    ];
    let has_runtime = doctor::HIP
        .iter()
        .any(|name| doctor::library(name).is_some());
    let program = folder.join("transpose");
    match (has_runtime, doctor::version("hipcc").is_some()) {
        (true, true) => lines.extend([
            format!(
                "hipcc -g -O2 --offload-arch={target} {} -o {}",
                at(example::SOURCE_FILE),
                program.display()
            ),
            format!(
                "luthier run --device {target} --report {} -- {}",
                at("run.html"),
                program.display()
            ),
        ]),
        (true, false) => lines.push(format!(
            "luthier run --device {target} -- ./your_hip_program"
        )),
        (false, _) => lines.push("luthier doctor    # what HIP programs need here".to_owned()),
    }
    format!("What to type next:\n  {}", lines.join("\n  "))
}
