//! One translation unit of several sources.

use std::{fs, path::Path};

/// Includes of all sources in `folder`, by name.
pub fn text(folder: &Path) -> Result<String, String> {
    let cannot = |error: std::io::Error| format!("cannot list {}: {error}", folder.display());
    let mut sources = Vec::new();
    for entry in fs::read_dir(folder).map_err(cannot)? {
        let path = entry.map_err(cannot)?.path();
        if path.extension().is_some_and(|extension| extension == "cpp") {
            sources.extend(path.file_name().map(|name| name.to_owned()));
        }
    }
    if sources.is_empty() {
        return Err(format!("{} has no C++ source", folder.display()));
    }
    // The same bytes come out whatever order the file system lists them in.
    sources.sort();
    let lines = sources.iter().map(|name| format!("#include {name:?}\n"));
    Ok(lines.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_sources_are_included_by_name() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.cpp", "a.cpp", "a.h", "c.rs"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let text = text(folder.path()).unwrap();
        assert_eq!(text, "#include \"a.cpp\"\n#include \"b.cpp\"\n");
    }

    #[test]
    fn a_folder_without_sources_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let error = text(folder.path()).unwrap_err();
        assert!(error.contains("has no C++ source"), "{error}");
    }
}
