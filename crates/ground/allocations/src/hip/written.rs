//! The bytes that HIP's copies and settings write, and those that copies read.

use std::ffi::c_int;

use super::Told;
use crate::{
    boxes::{Copied, Corner, Extent, Pitched, Set},
    facts, graphs,
};

/// The rows that a copy writes, and whether the host may do it; `None`: they are not known.
fn rows_by_host(what: *const Copied) -> Option<Vec<(u64, u64)>> {
    // SAFETY: the caller's structure, which HIP has just read.
    let what = unsafe { what.read() };
    if what.to_array != 0 {
        // Arrays count as set.
        return Some(Vec::new());
    }
    if what.from_array != 0 {
        // The width is then a number of the array's elements.
        return None;
    }
    let mut sources = what.from.rows(what.from_corner, what.extent);
    match sources.next() {
        Some((from, _)) if facts::comes_from_host(from, what.kind) => {
            Some(what.to.rows(what.to_corner, what.extent).collect())
        }
        _ => Some(Vec::new()),
    }
}

pub(super) fn box_copied(what: *const Copied) {
    match rows_by_host(what) {
        Some(rows) => rows
            .into_iter()
            .for_each(|(to, size)| facts::written(to, size)),
        None => facts::written_anywhere(),
    }
}

pub(super) fn node_copies(what: *const Copied) {
    match rows_by_host(what) {
        Some(rows) => rows
            .into_iter()
            .for_each(|(to, size)| graphs::writes(to, size)),
        None => graphs::writes_anywhere(),
    }
}

pub(super) fn node_copies_row(to: u64, from: u64, size: usize, kind: c_int) {
    if facts::comes_from_host(from, kind) {
        graphs::writes(to, size as u64);
    }
}

pub(super) fn node_sets(what: *const Set) {
    // SAFETY: the caller's structure, which HIP has just read.
    let rows = unsafe { what.read() }.rows();
    rows.for_each(|(to, size)| graphs::writes(to, size));
}

pub(super) fn box_set(to: Pitched, extent: Extent) {
    let rows = to.rows(Corner::default(), extent);
    rows.for_each(|(to, size)| facts::written(to, size));
}

pub(super) fn rows_written(to: u64, pitch: usize, (width, height): (usize, usize)) {
    for row in 0..height {
        facts::written(to + (row * pitch) as u64, width as u64);
    }
}

/// Rows begin at an address, a pitch apart. Each row has its own source.
pub(super) fn rows_copied(
    (to, pitch): (u64, usize),
    (from, from_pitch): (u64, usize),
    (width, height): (usize, usize),
    kind: c_int,
) {
    for row in 0..height {
        let (to, from) = (to + (row * pitch) as u64, from + (row * from_pitch) as u64);
        facts::copied(to, from, width as u64, kind);
    }
}

impl Told {
    pub(super) fn copied(&self, to: u64, from: u64, size: usize, kind: c_int) {
        facts::copied(to, from, size as u64, kind);
        facts::has_read(to, &[(from, size as u64)], kind, self.0);
    }

    pub(super) fn rows_read(
        &self,
        to: u64,
        (from, pitch): (u64, usize),
        (width, height): (usize, usize),
        kind: c_int,
    ) {
        let rows = (0..height).map(|row| (from + (row * pitch) as u64, width as u64));
        facts::has_read(to, &rows.collect::<Vec<_>>(), kind, self.0);
    }

    pub(super) fn box_read(&self, what: *const Copied) {
        // SAFETY: the caller's structure, which HIP has just read.
        let what = unsafe { what.read() };
        if what.to_array == 0 && what.from_array == 0 {
            let rows = what.from.rows(what.from_corner, what.extent);
            let rows: Vec<_> = rows.collect();
            facts::has_read(what.to.base, &rows, what.kind, self.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{Event, Kind};
    use std::{cell::RefCell, sync::Once};

    thread_local! {
        static WRITTEN: RefCell<Vec<(u64, u64)>> = const { RefCell::new(Vec::new()) };
    }

    fn listen(event: &Event<'_>) {
        if let Event::Written { base, size } = event {
            WRITTEN.with_borrow_mut(|all| all.push((*base, *size)));
        }
    }

    fn written() -> Vec<(u64, u64)> {
        WRITTEN.take()
    }

    /// `hipMemcpyDefault`: HIP finds out what the addresses are.
    const FOUND_OUT: c_int = 4;

    /// Device memory in one page; the pages around it belong to the host.
    const DEVICE: u64 = 0x7000_0000;
    const PAGE: u64 = 0x1000;

    fn device_memory() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            facts::keep(Some(listen));
            facts::given(DEVICE, PAGE, Kind::Device, "hipMalloc", None);
        });
    }

    #[test]
    fn each_row_of_a_copy_counts_by_its_own_source() {
        device_memory();
        let pages = PAGE as usize;
        // Up: a row of the host's, one of the device's, one of the host's.
        rows_copied((0x100, 64), (DEVICE - PAGE, pages), (48, 3), FOUND_OUT);
        assert_eq!(written(), [(0x100, 48), (0x100 + 2 * 64, 48)]);
        rows_copied((0x100, 64), (DEVICE, 256), (48, 3), FOUND_OUT);
        assert_eq!(written(), []);
    }

    #[test]
    fn a_box_counts_by_where_its_source_begins_behind_its_corner() {
        device_memory();
        let memory = |base| Pitched {
            base,
            pitch: 256,
            width: 256,
            height: 16,
        };
        let extent = Extent {
            width: 48,
            height: 2,
            depth: 1,
        };
        let copied = |corner: Corner, from: u64| Copied {
            from_array: 0,
            from_corner: corner,
            from: memory(from),
            to_array: 0,
            to_corner: Corner::default(),
            to: memory(0x100),
            extent,
            kind: FOUND_OUT,
        };
        let one_plane = Corner { x: 0, y: 0, z: 1 };
        box_copied(&copied(one_plane, DEVICE - PAGE));
        assert_eq!(written(), []);
        box_copied(&copied(one_plane, DEVICE));
        assert_eq!(written(), [(0x100, 48), (0x200, 48)]);
        box_copied(&copied(Corner::default(), DEVICE));
        assert_eq!(written(), []);
    }
}
