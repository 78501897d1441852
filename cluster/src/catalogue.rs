//! `catalogue.json` of a dataset.

use std::{fs, path::Path};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// The version of the catalogues that this program reads.
const VERSION: u32 = 1;

#[derive(Deserialize)]
pub struct Catalogue {
    version: u32,
    #[serde(default)]
    pub tables: Vec<Table>,
    #[serde(default)]
    pub views: Vec<View>,
}

/// The Parquet files below the folder of its name.
#[derive(Deserialize)]
pub struct Table {
    pub name: String,
    /// Columns whose values are in the names of folders.
    pub partitions: Vec<String>,
}

/// A query over tables, and views before it.
#[derive(Deserialize)]
pub struct View {
    pub name: String,
    pub sql: String,
}

impl Catalogue {
    pub fn read(dataset: &Path) -> Result<Catalogue> {
        let path = dataset.join("catalogue.json");
        let text = fs::read(&path).with_context(|| format!("{} cannot be read", path.display()))?;
        let catalogue: Catalogue = serde_json::from_slice(&text)
            .with_context(|| format!("{} is no catalogue", path.display()))?;
        ensure!(
            catalogue.version == VERSION,
            "{} is of version {}, not {VERSION}: export the run again",
            path.display(),
            catalogue.version
        );
        Ok(catalogue)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_version_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let read = || {
            Catalogue::read(folder.path())
                .map(|_| ())
                .map_err(|error| format!("{error:#}"))
        };
        assert!(read().unwrap_err().contains("cannot be read"));
        for (text, said) in [
            ("{", "is no catalogue"),
            (r#"{"version": 2}"#, "is of version 2, not 1"),
        ] {
            fs::write(folder.path().join("catalogue.json"), text).unwrap();
            assert!(read().unwrap_err().contains(said));
        }
        fs::write(folder.path().join("catalogue.json"), r#"{"version": 1}"#).unwrap();
        assert_eq!(read(), Ok(()));
    }
}
