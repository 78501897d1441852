//! The bytes that HIP's copies and settings write, and those that copies read.

use std::ffi::{c_int, c_void};

use super::Told;
use crate::{
    boxes::{Copied, Corner, Extent, Pitched, Set},
    driver_copies::{Copied2, Copied3, Version},
    facts, graphs,
};

/// The rows that a copy writes, if the host may do it; `None`: they are not known.
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
    Some(rows_from_memory(&what))
}

fn rows_from_memory(what: &Copied) -> Vec<(u64, u64)> {
    let mut sources = what.from.rows(what.from_corner, what.extent);
    match sources.next() {
        Some((from, _)) if facts::comes_from_host(from, what.kind) => {
            what.to.rows(what.to_corner, what.extent).collect()
        }
        _ => Vec::new(),
    }
}

/// The same of a copy whose width is in bytes. Arrays count as set.
fn rows_in_bytes(what: &Copied) -> Vec<(u64, u64)> {
    match (what.from_array, what.to_array) {
        (0, 0) => rows_from_memory(what),
        (_, 0) => what.to.rows(what.to_corner, what.extent).collect(),
        _ => Vec::new(),
    }
}

/// The layout of HIP's structures in this process. `None`: HIP does not say its version.
fn version() -> Option<Version> {
    type Get = unsafe extern "C" fn(*mut c_int) -> super::Error;
    const MAJOR: c_int = 10_000_000;
    let get = super::hip(c"hipRuntimeGetVersion")?;
    // SAFETY: HIP's function of this name has this type.
    let get: Get = unsafe { std::mem::transmute(get) };
    let mut number = 0;
    // SAFETY: the number is a variable.
    match unsafe { get(&raw mut number) } {
        super::SUCCESS if number / MAJOR >= 6 => Some(Version::Six),
        super::SUCCESS => Some(Version::Five),
        _ => None,
    }
}

/// A copy in three dimensions by the driver interface.
fn driver_box(what: *const c_void) -> Option<Copied> {
    let version = version()?;
    let what: Copied3<usize> = match version {
        // SAFETY: the caller's structure, which HIP of this version has just read.
        Version::Five => unsafe { what.cast::<Copied3<u32>>().read() }.into(),
        // SAFETY: the caller's structure, which HIP of this version has just read.
        Version::Six => unsafe { what.cast::<Copied3<usize>>().read() },
    };
    what.copied(version)
}

/// A copy in two dimensions by the driver interface.
fn driver_plane(what: *const c_void) -> Option<Copied> {
    // SAFETY: the caller's structure, which HIP has just read.
    let what: Copied3<usize> = unsafe { what.cast::<Copied2>().read() }.into();
    what.copied(version()?)
}

fn driver_copied(what: Option<&Copied>) {
    match what {
        Some(what) => rows_in_bytes(what)
            .into_iter()
            .for_each(|(to, size)| facts::written(to, size)),
        None => facts::written_anywhere(),
    }
}

pub(super) fn driver_box_copied(what: *const c_void) {
    driver_copied(driver_box(what).as_ref());
}

pub(super) fn driver_plane_copied(what: *const c_void) {
    driver_copied(driver_plane(what).as_ref());
}

pub(super) fn driver_node_copies(what: *const c_void) {
    match driver_box(what) {
        Some(what) => rows_in_bytes(&what)
            .into_iter()
            .for_each(|(to, size)| graphs::writes(to, size)),
        None => graphs::writes_anywhere(),
    }
}

/// A node of a kind that `hipGraphNodeParams` says. Its description begins behind the kind.
pub(super) fn node_does(what: *const c_void) {
    // Of `hipGraphNodeType`.
    const KERNEL: c_int = 0;
    const COPY: c_int = 1;
    const SET: c_int = 2;
    const HOST: c_int = 3;
    const FREE: c_int = 11;
    /// Bytes of the kind, and of the flags in front of a copy's description.
    const HEAD: usize = 16;
    // SAFETY: the caller's structure, which HIP has just read, begins with the kind.
    let kind = unsafe { what.cast::<c_int>().read() };
    let description = what.wrapping_byte_add(HEAD);
    match kind {
        COPY => node_copies(description.wrapping_byte_add(HEAD).cast()),
        SET => node_sets(description),
        // Kernels, host code, other graphs, nothing, events, semaphores, and memory that is allocated and freed: their writes are
        // seen otherwise, or there are none.
        KERNEL | HOST..=FREE => {}
        _ => graphs::writes_anywhere(),
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

pub(super) fn node_sets(what: *const c_void) {
    // SAFETY: the caller's structure, which HIP has just read.
    let rows = unsafe { Set::read(what) }.rows();
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

impl Told {
    pub(super) fn driver_box(&self, what: *const c_void) {
        self.driver(driver_box(what));
    }

    pub(super) fn driver_plane(&self, what: *const c_void) {
        self.driver(driver_plane(what));
    }

    /// A copy that is done has written, and has read what it copied to the host.
    fn driver(&self, what: Option<Copied>) {
        driver_copied(what.as_ref());
        if let Some(what) = what {
            self.box_read(&raw const what);
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
