use std::path::PathBuf;

/// Why records did not reach a file, or a layout is none.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be made, written or completed.
    #[error("cannot write {}: {source}", path.display())]
    File {
        /// Its name.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The Parquet library refuses.
    #[error("cannot write {}: {source}", path.display())]
    Parquet {
        /// The file's name.
        path: PathBuf,
        /// The library's error.
        source: ::parquet::errors::ParquetError,
    },
    /// The file was given up when an earlier write failed.
    #[error("cannot write {}: {reason}", path.display())]
    GivenUp {
        /// The file's name.
        path: PathBuf,
        /// Why that write failed.
        reason: String,
    },
    /// The name's ending belongs to no format.
    #[error("{}: records are written as .parquet or .jsonl", path.display())]
    Format {
        /// The file's name.
        path: PathBuf,
    },
    /// A field of a layout that is not `NAME KIND`.
    #[error("field `{text}`: expected NAME:KIND with one of u8 u16 u32 u64 i8 i16 i32 i64 f32 f64")]
    Field {
        /// The field as it was given.
        text: String,
    },
    /// Two fields of a layout have one name.
    #[error("two fields are called {name}")]
    Twice {
        /// The name.
        name: String,
    },
    /// Fields do not lie where their alignment puts them.
    #[error(
        "field {name} at offset {offset} is not aligned to its {size} bytes; the compiler pads there, so name the padding"
    )]
    Padding {
        /// The field's name.
        name: String,
        /// Its offset, in bytes.
        offset: usize,
        /// Its size, in bytes.
        size: usize,
    },
    /// A layout without fields.
    #[error("a record has no fields")]
    Empty,
    /// Bytes that are no whole number of records.
    #[error("{bytes} bytes are no whole number of records of {size} bytes")]
    Partial {
        /// How many bytes.
        bytes: usize,
        /// Bytes of a record.
        size: usize,
    },
}
