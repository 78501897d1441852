//! Checked reads from untrusted bytes: every failure says what was being read and where.

use crate::{Error, Result};
use object::pod::Pod;

/// `length` bytes at `offset`.
pub(crate) fn slice<'a>(
    data: &'a [u8],
    offset: u64,
    length: u64,
    what: &'static str,
) -> Result<&'a [u8]> {
    let available = (data.len() as u64).saturating_sub(offset);
    if length > available {
        return Err(Error::Truncated {
            what,
            offset,
            needed: length,
            available,
        });
    }
    // Both fit in usize: they are at most data.len().
    if length == 0 {
        return Ok(&[]);
    }
    Ok(&data[offset as usize..(offset + length) as usize])
}

/// A format structure at `offset`.
pub(crate) fn pod<'a, T: Pod>(data: &'a [u8], offset: u64, what: &'static str) -> Result<&'a T> {
    let bytes = slice(data, offset, size_of::<T>() as u64, what)?;
    let (value, _) = object::pod::from_bytes(bytes).map_err(|()| misaligned(what, offset))?;
    Ok(value)
}

/// `count` consecutive format structures at `offset`.
pub(crate) fn pods<'a, T: Pod>(
    data: &'a [u8],
    offset: u64,
    count: u64,
    what: &'static str,
) -> Result<&'a [T]> {
    let length = count.saturating_mul(size_of::<T>() as u64);
    let bytes = slice(data, offset, length, what)?;
    let (values, _) = object::pod::slice_from_bytes(bytes, count as usize)
        .map_err(|()| misaligned(what, offset))?;
    Ok(values)
}

fn misaligned(what: &'static str, offset: u64) -> Error {
    Error::Malformed {
        what,
        offset,
        reason: "it is misaligned",
    }
}

pub(crate) fn u16_at(data: &[u8], offset: u64, what: &'static str) -> Result<u16> {
    let bytes = slice(data, offset, 2, what)?;
    Ok(u16::from_le_bytes(bytes.try_into().expect("two bytes")))
}

pub(crate) fn u32_at(data: &[u8], offset: u64, what: &'static str) -> Result<u32> {
    let bytes = slice(data, offset, 4, what)?;
    Ok(u32::from_le_bytes(bytes.try_into().expect("four bytes")))
}

pub(crate) fn u64_at(data: &[u8], offset: u64, what: &'static str) -> Result<u64> {
    let bytes = slice(data, offset, 8, what)?;
    Ok(u64::from_le_bytes(bytes.try_into().expect("eight bytes")))
}

/// The zero-terminated string at `offset` of `table`, which itself lies at `table_offset` of the file.
pub(crate) fn string<'a>(
    table: &'a [u8],
    offset: u64,
    table_offset: u64,
    what: &'static str,
) -> Result<&'a str> {
    let place = table_offset.saturating_add(offset);
    let damaged = |reason| Error::Malformed {
        what,
        offset: place,
        reason,
    };
    let start = usize::try_from(offset)
        .ok()
        .filter(|start| *start <= table.len());
    let rest = &table[start.ok_or_else(|| damaged("it lies outside its string table"))?..];
    let end = rest
        .iter()
        .position(|byte| *byte == 0)
        .ok_or_else(|| damaged("it has no terminating zero"))?;
    std::str::from_utf8(&rest[..end]).map_err(|_| damaged("it is not UTF-8"))
}
