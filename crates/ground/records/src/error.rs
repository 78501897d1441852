use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot write {}: {source}", path.display())]
    File {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("cannot write {}: {source}", path.display())]
    Parquet {
        path: PathBuf,
        source: ::parquet::errors::ParquetError,
    },
    #[error("{}: records are written as .parquet or .jsonl", path.display())]
    Format { path: PathBuf },
    #[error("field `{text}`: expected NAME:KIND with one of u8 u16 u32 u64 i8 i16 i32 i64 f32 f64")]
    Field { text: String },
    #[error(
        "field {name} at offset {offset} is not aligned to its {size} bytes; the compiler pads there, so name the padding"
    )]
    Padding {
        name: String,
        offset: usize,
        size: usize,
    },
    #[error("a record has no fields")]
    Empty,
    #[error("{bytes} bytes are no whole number of records of {size} bytes")]
    Partial { bytes: usize, size: usize },
}
