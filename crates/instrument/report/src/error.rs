//! Why there is no report.

use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{}: {reason}", path.display())]
    Damaged { path: PathBuf, reason: String },
    #[error(
        "{}: there is nothing to report: no summary.PID.json, statistics.json or tool's NAME.PID.json; make them with \
         `luthier run -t hotspots --output DIR -- PROGRAM`", path.display()
    )]
    Nothing { path: PathBuf },
    #[error("{} would be counted twice: it is named twice, or another directory holds it", path.display())]
    Twice { path: PathBuf },
    #[error("{}: this is no page of `luthier report`: {reason}", path.display())]
    NoPage { path: PathBuf, reason: &'static str },
    #[error("{}: {reason}", path.display())]
    Records {
        path: PathBuf,
        reason: parquet::errors::ParquetError,
    },
    #[error("the data cannot be packed: {0}")]
    Pack(#[from] std::io::Error),
    #[error("the data cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

impl Error {
    /// Makes the error of a failure to read `path`, for `map_err`.
    pub(crate) fn unreadable(path: &Path) -> impl Fn(std::io::Error) -> Error + Copy {
        move |source| Error::Unreadable {
            path: path.to_owned(),
            source,
        }
    }
}

pub type Result<T> = std::result::Result<T, Error>;
