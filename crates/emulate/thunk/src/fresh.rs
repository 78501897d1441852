//! Files for what a process tells, whose names begin with its number. Programs that one process runs after each other (`execve`) have the
//! same number, and what each of them tells stays.

use std::{
    fs::File,
    io::{ErrorKind, Result},
    path::Path,
};

/// Makes the file with the first number from `first` on whose name is free, and returns it with that name.
pub fn create(
    directory: &Path,
    first: usize,
    name: impl Fn(usize) -> String,
) -> Result<(File, String)> {
    let mut number = first;
    loop {
        let name = name(number);
        match File::create_new(directory.join(&name)) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
            made => return made.map(|file| (file, name)),
        }
    }
}

/// Makes `KIND-PROCESS` for the first program of a process, `KIND-PROCESS-NUMBER` for those that it goes on with.
pub fn of_process(directory: &Path, kind: &str) -> Result<(File, String)> {
    let name = format!("{kind}-{}", std::process::id());
    create(directory, 0, |number| match number {
        0 => name.clone(),
        _ => format!("{name}-{number}"),
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn each_program_of_a_process_has_files_of_its_own() {
        let directory = tempfile::tempdir().unwrap();
        let process = std::process::id();
        for expected in [
            format!("told-{process}"),
            format!("told-{process}-1"),
            format!("told-{process}-2"),
        ] {
            let (mut file, name) = of_process(directory.path(), "told").unwrap();
            assert_eq!(name, expected);
            file.write_all(b"a line\n").unwrap();
        }
        for file in std::fs::read_dir(directory.path()).unwrap() {
            assert_eq!(std::fs::read(file.unwrap().path()).unwrap(), b"a line\n");
        }
        let nowhere = directory.path().join("nowhere");
        assert!(of_process(&nowhere, "told").is_err());
    }
}
