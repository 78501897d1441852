//! Apache Parquet: one required column per field, snappy-compressed row groups.

use crate::{Error, Field, Kind, Layout, Sink};
use outputs::Output;
use parquet::{
    basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical},
    column::writer::ColumnWriter,
    errors::ParquetError,
    file::{
        properties::WriterProperties,
        writer::{SerializedFileWriter, SerializedRowGroupWriter},
    },
    schema::types::{ColumnPath, Type},
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
        let properties = properties(layout);
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

/// Records of one instruction follow one another, and an integer is mostly the last one, or a little more. A column of integers
/// therefore keeps differences: a trace of addresses is a twelfth as long as with dictionaries, and is written in half the time. Floats
/// keep their dictionaries.
fn properties(layout: &Layout) -> WriterProperties {
    let builder = WriterProperties::builder().set_compression(Compression::SNAPPY);
    let integers = layout
        .fields
        .iter()
        .filter(|field| !matches!(field.kind, Kind::F32 | Kind::F64));
    let builder = integers.fold(builder, |builder, field| {
        let column = ColumnPath::from(field.name.as_str());
        builder
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_encoding(column, Encoding::DELTA_BINARY_PACKED)
    });
    builder.build()
}

/// A field of all records, as its column has it.
enum Values {
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    Float(Vec<f32>),
    Double(Vec<f64>),
}

/// The field of each record, from its bytes.
fn each<const SIZE: usize, T>(
    field: &Field,
    records: &[u8],
    size: usize,
    value: impl Fn([u8; SIZE]) -> T,
) -> Vec<T> {
    let bytes = |record: &[u8]| {
        *record[field.offset..]
            .first_chunk()
            .expect("a whole record")
    };
    let records = records.chunks_exact(size);
    records.map(|record| value(bytes(record))).collect()
}

fn values(field: &Field, records: &[u8], size: usize) -> Values {
    use Values::{Double, Float, Int32, Int64};
    match field.kind {
        Kind::U8 => Int32(each(field, records, size, |bytes| {
            u8::from_le_bytes(bytes).into()
        })),
        Kind::U16 => Int32(each(field, records, size, |bytes| {
            u16::from_le_bytes(bytes).into()
        })),
        Kind::I8 => Int32(each(field, records, size, |bytes| {
            i8::from_le_bytes(bytes).into()
        })),
        Kind::I16 => Int32(each(field, records, size, |bytes| {
            i16::from_le_bytes(bytes).into()
        })),
        // The column's logical type says whether the highest bit is a sign.
        Kind::U32 | Kind::I32 => Int32(each(field, records, size, i32::from_le_bytes)),
        Kind::U64 | Kind::I64 => Int64(each(field, records, size, i64::from_le_bytes)),
        Kind::F32 => Float(each(field, records, size, f32::from_le_bytes)),
        Kind::F64 => Double(each(field, records, size, f64::from_le_bytes)),
    }
}

fn write_column(
    group: &mut SerializedRowGroupWriter<'_, Output>,
    field: &Field,
    records: &[u8],
    size: usize,
) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else {
        return Err(ParquetError::General("fewer columns than fields".into()));
    };
    match (column.untyped(), values(field, records, size)) {
        (ColumnWriter::Int32ColumnWriter(writer), Values::Int32(values)) => {
            writer.write_batch(&values, None, None)?
        }
        (ColumnWriter::Int64ColumnWriter(writer), Values::Int64(values)) => {
            writer.write_batch(&values, None, None)?
        }
        (ColumnWriter::FloatColumnWriter(writer), Values::Float(values)) => {
            writer.write_batch(&values, None, None)?
        }
        (ColumnWriter::DoubleColumnWriter(writer), Values::Double(values)) => {
            writer.write_batch(&values, None, None)?
        }
        _ => return Err(ParquetError::General("a column of no field's kind".into())),
    };
    column.close()
}
