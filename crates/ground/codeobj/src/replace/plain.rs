//! Bundles that are not compressed.

use super::{ALIGNMENT, Replacing, Row, Sink};
use crate::bundle::{self, Bundle, Layout};
use crate::container::next_bundle;
use crate::{CodeObject, Error, Result};

/// Where a bundle is in its data, everything from there on, and what is in it.
pub(super) type Placed<'a> = (u64, &'a [u8], Bundle<'a>);

/// The bundles from `start` on up to the first that is compressed, and where they end.
pub(super) fn neighbours(data: &[u8], start: u64) -> Result<(Vec<Placed<'_>>, u64)> {
    let (mut bundles, mut at) = (Vec::new(), start);
    while let Some(next) = next_bundle(data, at) {
        let rest = &data[next as usize..];
        if !rest.starts_with(bundle::MAGIC) {
            break;
        }
        let bundle = Bundle::parse(rest)?;
        at = next + bundle.size;
        bundles.push((next, rest, bundle));
    }
    Ok((bundles, at))
}

/// Writes bundles to the end of a row that starts at `start` in `out`. `origin`: where their data lies in the file, if it does.
pub(super) fn write<E: From<Error>>(
    bundles: &[Placed<'_>],
    origin: Option<u64>,
    start: u64,
    row: &mut Row,
    out: &mut dyn Sink<E>,
    with: &mut dyn Replacing<E>,
) -> std::result::Result<(), E> {
    let entries = bundles.iter().flat_map(|(_, _, bundle)| &bundle.entries);
    let objects: Vec<&[u8]> = entries
        .map(|entry| entry.bytes)
        .filter(|bytes| CodeObject::is_code_object(bytes))
        .collect();
    let mut writer = Writer {
        bundles,
        open: None,
        origin,
        start,
        row,
        out,
    };
    writer.rest()?;
    with.each(&objects, &mut |new| {
        writer.object(new)?;
        writer.rest()
    })
}

/// A bundle of which a part is written.
struct Open<'a> {
    layout: Layout<'a>,
    /// Its new place in the row.
    new: u64,
    /// Entries that are written.
    written: usize,
    changed: bool,
}

struct Writer<'b, 'a, E> {
    /// The bundles that are not complete.
    bundles: &'b [Placed<'a>],
    /// The first of them.
    open: Option<Open<'a>>,
    origin: Option<u64>,
    start: u64,
    row: &'b mut Row,
    out: &'b mut dyn Sink<E>,
}

impl<'a, E: From<Error>> Writer<'_, 'a, E> {
    /// Everything up to the next code object.
    fn rest(&mut self) -> std::result::Result<(), E> {
        while let Some((_, _, bundle)) = self.bundles.first() {
            let row = &self.row;
            let open = self.open.get_or_insert_with(|| Open {
                layout: Layout::new(bundle.entries.iter().map(|entry| entry.id), ALIGNMENT),
                new: row.next(),
                written: 0,
                changed: false,
            });
            match bundle.entries.get(open.written) {
                Some(entry) if CodeObject::is_code_object(entry.bytes) => return Ok(()),
                Some(entry) => self.entry(entry.bytes)?,
                None => self.close()?,
            }
        }
        Ok(())
    }

    /// The code object that is next.
    fn object(&mut self, new: &[u8]) -> std::result::Result<(), E> {
        let (Some((old, _, bundle)), Some(open)) = (self.bundles.first(), &mut self.open) else {
            return Ok(());
        };
        let entry = &bundle.entries[open.written];
        open.changed |= new != entry.bytes;
        self.entry(new)?;
        match self.origin {
            Some(origin) => self.out.progress(origin + old + entry.offset),
            None => Ok(()),
        }
    }

    fn entry(&mut self, bytes: &[u8]) -> std::result::Result<(), E> {
        let Some(open) = &mut self.open else {
            return Ok(());
        };
        let offset = open.layout.place(bytes.len() as u64);
        open.written += 1;
        self.out.write(self.start + open.new + offset, bytes)
    }

    fn close(&mut self) -> std::result::Result<(), E> {
        let (Some(((old, data, bundle), others)), Some(open)) =
            (self.bundles.split_first(), self.open.take())
        else {
            return Ok(());
        };
        self.bundles = others;
        let start = self.start + open.new;
        let length = if open.changed {
            self.out.write(start, &open.layout.header())?;
            open.layout.end()
        } else {
            self.out.set_len(start)?;
            self.out.write(start, &data[..bundle.size as usize])?;
            bundle.size
        };
        self.row.changed |= open.changed;
        self.row.moved.push((*old, open.new));
        self.row.length = open.new + length;
        match self.origin {
            Some(origin) => self.out.progress(origin + old + bundle.size),
            None => Ok(()),
        }
    }
}
