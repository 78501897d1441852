//! Apache Parquet: one required column per field, snappy-compressed row groups.

use crate::{Error, Field, Kind, Layout, Sink};
use outputs::Output;
use parquet::{
    basic::{Compression, LogicalType, Repetition, Type as Physical},
    column::writer::ColumnWriter,
    errors::ParquetError,
    file::{
        properties::WriterProperties,
        writer::{SerializedFileWriter, SerializedRowGroupWriter},
    },
    schema::types::Type,
};
use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Bytes of records gathered for a row group: large enough to compress, small enough to hold.
const ROW_GROUP: usize = 16 << 20;

pub(crate) struct ParquetSink {
    path: PathBuf,
    writer: SerializedFileWriter<Output>,
    layout: Layout,
    gathered: Vec<u8>,
    written: u64,
}

impl ParquetSink {
    pub fn create(path: &Path, layout: &Layout) -> Result<ParquetSink, Error> {
        let file = Output::create(path).map_err(|source| Error::File {
            path: path.to_path_buf(),
            source,
        })?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .build();
        let writer = schema(layout)
            .and_then(|schema| {
                SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))
            })
            .map_err(|source| failed(path, source))?;
        Ok(ParquetSink {
            path: path.to_path_buf(),
            writer,
            layout: layout.clone(),
            gathered: Vec::new(),
            written: 0,
        })
    }

    fn flush(&mut self) -> Result<(), ParquetError> {
        if self.gathered.is_empty() {
            return Ok(());
        }
        let mut group = self.writer.next_row_group()?;
        for field in &self.layout.fields {
            write_column(&mut group, field, &self.gathered, self.layout.size)?;
        }
        group.close()?;
        self.gathered.clear();
        Ok(())
    }
}

impl Sink for ParquetSink {
    fn write(&mut self, records: &[u8]) -> Result<(), Error> {
        self.written += self.layout.records(records)?.len() as u64;
        self.gathered.extend_from_slice(records);
        if self.gathered.len() >= ROW_GROUP {
            self.flush().map_err(|source| failed(&self.path, source))?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<u64, Error> {
        self.flush().map_err(|source| failed(&self.path, source))?;
        let ParquetSink {
            path,
            writer,
            written,
            ..
        } = *self;
        let file = writer
            .into_inner()
            .map_err(|source| failed(&path, source))?;
        file.finish()
            .map_err(|source| Error::File { path, source })?;
        Ok(written)
    }
}

/// The system's error, if the library only passes that on.
fn failed(path: &Path, source: ParquetError) -> Error {
    let path = path.to_path_buf();
    match source {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(source) => Error::File {
                path,
                source: *source,
            },
            Err(inner) => Error::Parquet {
                path,
                source: ParquetError::External(inner),
            },
        },
        source => Error::Parquet { path, source },
    }
}

/// Physical type, and width and sign for integers.
fn column_type(kind: Kind) -> (Physical, Option<(i8, bool)>) {
    match kind {
        Kind::U8 => (Physical::INT32, Some((8, false))),
        Kind::U16 => (Physical::INT32, Some((16, false))),
        Kind::U32 => (Physical::INT32, Some((32, false))),
        Kind::U64 => (Physical::INT64, Some((64, false))),
        Kind::I8 => (Physical::INT32, Some((8, true))),
        Kind::I16 => (Physical::INT32, Some((16, true))),
        Kind::I32 => (Physical::INT32, Some((32, true))),
        Kind::I64 => (Physical::INT64, Some((64, true))),
        Kind::F32 => (Physical::FLOAT, None),
        Kind::F64 => (Physical::DOUBLE, None),
    }
}

fn schema(layout: &Layout) -> Result<Type, ParquetError> {
    let columns = layout.fields.iter().map(|field| {
        let (physical, integer) = column_type(field.kind);
        let logical =
            integer.map(|(bit_width, is_signed)| LogicalType::integer(bit_width, is_signed));
        Type::primitive_type_builder(&field.name, physical)
            .with_repetition(Repetition::REQUIRED)
            .with_logical_type(logical)
            .build()
            .map(Arc::new)
    });
    Type::group_type_builder("record")
        .with_fields(columns.collect::<Result<_, _>>()?)
        .build()
}

fn write_column(
    group: &mut SerializedRowGroupWriter<'_, Output>,
    field: &Field,
    records: &[u8],
    size: usize,
) -> Result<(), ParquetError> {
    use crate::Value::{Float, Signed, Unsigned};
    let values = records.chunks_exact(size).map(|record| field.value(record));
    let integers = values.clone().map(|value| match value {
        Unsigned(value) => value as i64,
        Signed(value) => value,
        Float(_) => unreachable!("floats have their own columns"),
    });
    let floats = values.map(|value| match value {
        Float(value) => value,
        _ => unreachable!("integers have their own columns"),
    });
    let Some(mut column) = group.next_column()? else {
        return Err(ParquetError::General("fewer columns than fields".into()));
    };
    match column.untyped() {
        ColumnWriter::Int32ColumnWriter(writer) => {
            let values: Vec<i32> = integers.map(|value| value as i32).collect();
            writer.write_batch(&values, None, None)?
        }
        ColumnWriter::Int64ColumnWriter(writer) => {
            writer.write_batch(&integers.collect::<Vec<_>>(), None, None)?
        }
        ColumnWriter::FloatColumnWriter(writer) => {
            let values: Vec<f32> = floats.map(|value| value as f32).collect();
            writer.write_batch(&values, None, None)?
        }
        ColumnWriter::DoubleColumnWriter(writer) => {
            writer.write_batch(&floats.collect::<Vec<_>>(), None, None)?
        }
        _ => return Err(ParquetError::General("a column of no field's kind".into())),
    };
    column.close()
}
