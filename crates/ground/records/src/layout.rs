//! The layout of a record in memory.

use crate::Error;

/// Kind of a field; little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// 8 bits without sign.
    U8,
    /// 16 bits without sign.
    U16,
    /// 32 bits without sign.
    U32,
    /// 64 bits without sign.
    U64,
    /// 8 bits with sign.
    I8,
    /// 16 bits with sign.
    I16,
    /// 32 bits with sign.
    I32,
    /// 64 bits with sign.
    I64,
    /// IEEE single.
    F32,
    /// IEEE double.
    F64,
}

/// Name in a description, kind, bytes.
const KINDS: [(&str, Kind, usize); 10] = [
    ("u8", Kind::U8, 1),
    ("u16", Kind::U16, 2),
    ("u32", Kind::U32, 4),
    ("u64", Kind::U64, 8),
    ("i8", Kind::I8, 1),
    ("i16", Kind::I16, 2),
    ("i32", Kind::I32, 4),
    ("i64", Kind::I64, 8),
    ("f32", Kind::F32, 4),
    ("f64", Kind::F64, 8),
];

/// A field's contents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// For `U8` to `U64`.
    Unsigned(u64),
    /// For `I8` to `I64`.
    Signed(i64),
    /// For `F32` and `F64`.
    Float(f64),
}

/// One field of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Column of the file.
    pub name: String,
    /// How its bytes read.
    pub kind: Kind,
    /// Bytes from the start of the record.
    pub offset: usize,
}

/// Fields in the order of a C structure without padding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// In the order of their bytes.
    pub fields: Vec<Field>,
    /// Bytes.
    pub size: usize,
}

impl Kind {
    /// Bytes.
    pub fn size(self) -> usize {
        KINDS[self as usize].2
    }
}

impl Layout {
    /// From `NAME:KIND` texts. Fields must lie where a C compiler puts them without padding.
    pub fn parse<T: AsRef<str>>(fields: impl IntoIterator<Item = T>) -> Result<Layout, Error> {
        let mut layout = Layout {
            fields: Vec::new(),
            size: 0,
        };
        for text in fields {
            let text = text.as_ref();
            let unknown = || Error::Field {
                text: text.to_owned(),
            };
            let (name, kind) = text.split_once(':').ok_or_else(unknown)?;
            let &(_, kind, size) = KINDS
                .iter()
                .find(|row| row.0 == kind.trim())
                .ok_or_else(unknown)?;
            let name = name.trim().to_owned();
            if name.is_empty() {
                return Err(unknown());
            }
            if layout.fields.iter().any(|field| field.name == name) {
                return Err(Error::Twice { name });
            }
            layout.aligned(&name, size)?;
            layout.fields.push(Field {
                name,
                kind,
                offset: layout.size,
            });
            layout.size += size;
        }
        let largest = layout.fields.iter().map(|field| field.kind.size()).max();
        layout.aligned("(end of record)", largest.ok_or(Error::Empty)?)?;
        Ok(layout)
    }

    fn aligned(&self, name: &str, size: usize) -> Result<(), Error> {
        if self.size.is_multiple_of(size) {
            return Ok(());
        }
        Err(Error::Padding {
            name: name.to_owned(),
            offset: self.size,
            size,
        })
    }

    /// The records in `bytes`.
    pub fn records<'a>(&self, bytes: &'a [u8]) -> Result<std::slice::ChunksExact<'a, u8>, Error> {
        if bytes.len().is_multiple_of(self.size) {
            return Ok(bytes.chunks_exact(self.size));
        }
        Err(Error::Partial {
            bytes: bytes.len(),
            size: self.size,
        })
    }
}

impl Field {
    /// The field of one record.
    pub fn value(&self, record: &[u8]) -> Value {
        let bytes = &record[self.offset..self.offset + self.kind.size()];
        let mut wide = [0; 8];
        wide[..bytes.len()].copy_from_slice(bytes);
        let unsigned = u64::from_le_bytes(wide);
        let unused = 64 - 8 * bytes.len() as u32;
        match self.kind {
            Kind::U8 | Kind::U16 | Kind::U32 | Kind::U64 => Value::Unsigned(unsigned),
            Kind::I8 | Kind::I16 | Kind::I32 | Kind::I64 => {
                Value::Signed((unsigned << unused) as i64 >> unused)
            }
            Kind::F32 => Value::Float(f32::from_bits(unsigned as u32).into()),
            Kind::F64 => Value::Float(f64::from_bits(unsigned)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_in_the_order_of_the_table() {
        for (index, row) in KINDS.iter().enumerate() {
            assert_eq!(row.1 as usize, index);
        }
    }

    #[test]
    fn padding_is_an_error() {
        assert!(matches!(
            Layout::parse(["a:u8", "b:u32"]),
            Err(Error::Padding {
                offset: 1,
                size: 4,
                ..
            })
        ));
        assert!(matches!(
            Layout::parse(["a:u64", "b:u32"]),
            Err(Error::Padding {
                offset: 12,
                size: 8,
                ..
            })
        ));
        let layout = Layout::parse(["a:u64", "b:i32", "c:u16", "d:u8", "e:u8"]).unwrap();
        assert_eq!(layout.size, 16);
        assert_eq!(layout.fields[3].offset, 14);
    }

    #[test]
    fn fields_have_names_of_their_own() {
        let twice = Layout::parse(["a:u32", " a :u32"]);
        assert!(matches!(twice, Err(Error::Twice { name }) if name == "a"));
        assert!(matches!(Layout::parse([":u32"]), Err(Error::Field { .. })));
    }

    #[test]
    fn signed_fields_keep_their_sign() {
        let layout = Layout::parse(["a:i8", "b:u8", "c:i16"]).unwrap();
        let record = [0xff, 0xff, 0xfe, 0xff];
        let values: Vec<_> = layout
            .fields
            .iter()
            .map(|field| field.value(&record))
            .collect();
        assert_eq!(
            values,
            [Value::Signed(-1), Value::Unsigned(255), Value::Signed(-2)]
        );
    }
}
