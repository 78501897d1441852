//! Finds out whether a program has tools in it, put there by `luthier instrument`.

use std::{ffi::OsStr, fs};

use crate::compatibility::{LARGEST, find};

/// Names of the tools, in no order; none if the program cannot be read.
pub fn tools(program: &OsStr) -> Vec<String> {
    let small =
        |path: &std::path::PathBuf| fs::metadata(path).is_ok_and(|file| file.len() <= LARGEST);
    let Some(bytes) = find(program)
        .filter(small)
        .and_then(|path| fs::read(path).ok())
    else {
        return Vec::new();
    };
    let Ok(contents) = codeobj::walk(&bytes) else {
        return Vec::new();
    };
    let objects = contents.code_objects();
    let mut tools: Vec<String> = objects
        .flat_map(|entry| luthier::tools_in(&entry.bytes))
        .collect();
    tools.sort_unstable();
    tools.dedup();
    tools
}
