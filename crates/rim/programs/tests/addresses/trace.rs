//! The files that `mem-trace` and `mem-coalesce` leave in a folder.

use std::{
    fs::File,
    path::{Path, PathBuf},
    process::Output,
};

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use programs::{Bounded, Emulator};

/// A row of the trace.
pub struct Access {
    pub address: u64,
    pub pc: u64,
    pub dispatch: u64,
    pub workgroup: u64,
    pub lane: u64,
    pub size: u64,
    pub kind: u64,
}

/// Runs a program's kernels `access` with tools.
pub fn run(name: &str, device: &str, tools: &str, folder: &Path) -> Output {
    let emulator = Emulator::find().expect("the emulator is built");
    let program = programs::named(name).unwrap();
    let executable = programs::compile(&program).unwrap();
    let run = emulator
        .command()
        .args(["run", "--device", device, "-t", tools, "-k", "access"])
        .arg("--output")
        .arg(folder)
        .arg("--")
        .arg(&executable)
        .env("LUTHIER_CACHE", "off")
        .bounded_output()
        .unwrap();
    let errors = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{name} on {device}: {errors}");
    assert!(!errors.contains("left out"), "{name} on {device}: {errors}");
    run
}

/// The file whose name begins and ends so.
pub fn file(folder: &Path, start: &str, end: &str) -> PathBuf {
    let files = std::fs::read_dir(folder).unwrap();
    let mut paths = files.map(|entry| entry.unwrap().path());
    let fits = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with(start) && name.ends_with(end)
    };
    paths.find(fits).expect("the tool's file")
}

/// The whole trace.
pub fn accesses(folder: &Path) -> Vec<Access> {
    let path = file(folder, "", ".parquet");
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let rows = reader.get_row_iter(None).unwrap();
    rows.map(|row| {
        let row = row.unwrap();
        let field = |name: &str| {
            let found = row.get_column_iter().find(|(known, _)| *known == name);
            match found.expect("a column").1 {
                Field::ULong(value) => *value,
                Field::UInt(value) => u64::from(*value),
                Field::UShort(value) => u64::from(*value),
                other => panic!("{name}: {other:?}"),
            }
        };
        Access {
            address: field("address"),
            pc: field("pc"),
            dispatch: field("dispatch"),
            workgroup: field("workgroup"),
            lane: field("lane"),
            size: field("size"),
            kind: field("kind"),
        }
    })
    .collect()
}
