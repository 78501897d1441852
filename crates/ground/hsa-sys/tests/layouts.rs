//! The places of entries in AMD's table, in runtimes of different age.

use std::mem::offset_of;

use hsa_sys::{
    layouts::{LAYOUTS, amd_offset, newer_amd_offset},
    tables::{AmdTable, TableVersion},
};

fn version(major: u32, minor: u32) -> TableVersion {
    TableVersion {
        major,
        minor,
        ..Default::default()
    }
}

/// Major version and size of the table of ROCr 5.2, 5.5, 5.7 and 6.0, as many bytes as their headers have entries, and 16.
const TABLES: [(u32, u32); 4] = [(1, 400), (1, 424), (1, 456), (2, 552)];

/// Places counted in the `hsa_api_trace.h` of these, with one line between entries of which something was inserted in one of them.
#[test]
fn entries_are_where_the_headers_have_them() {
    let entries = [
        (
            offset_of!(AmdTable, profiling_get_dispatch_time),
            [4, 4, 4, 4],
        ),
        (offset_of!(AmdTable, memory_async_copy), [15, 15, 15, 15]),
        (
            offset_of!(AmdTable, agent_memory_pool_get_info),
            [16, 16, 18, 18],
        ),
        (offset_of!(AmdTable, agents_allow_access), [17, 17, 19, 19]),
        (offset_of!(AmdTable, pointer_info), [26, 26, 28, 28]),
        (offset_of!(AmdTable, signal_create), [31, 31, 33, 33]),
        (
            offset_of!(AmdTable, queue_intercept_create),
            [35, 35, 37, 37],
        ),
        (
            offset_of!(AmdTable, queue_intercept_register),
            [36, 36, 38, 38],
        ),
        (offset_of!(AmdTable, signal_value_pointer), [43, 43, 45, 45]),
        (offset_of!(AmdTable, svm_prefetch_async), [46, 46, 48, 48]),
        (offset_of!(AmdTable, queue_cu_get_mask), [47, 50, 52, 52]),
    ];
    for (offset, places) in entries {
        for ((major, size), place) in TABLES.into_iter().zip(places) {
            let found = amd_offset(&version(major, size), offset);
            assert_eq!(found, Some(16 + 8 * place), "{major}, {size} bytes");
        }
        // ROCr 6.1, 6.4, and one between 7.0 and 7.1: they grow at the end only.
        for size in [560, 592, 608] {
            let found = amd_offset(&version(2, size), offset);
            assert_eq!(found, Some(16 + 8 * places[3]), "{size} bytes");
        }
    }
}

/// Places counted as above; None for what that release has not.
#[test]
fn newer_entries_are_where_the_headers_have_them() {
    for (name, places) in [
        (
            "memory_async_copy_on_engine",
            [None, None, Some(16), Some(16)],
        ),
        (
            "memory_copy_engine_status",
            [None, None, Some(17), Some(17)],
        ),
        ("spm_acquire", [None, Some(47), Some(49), Some(49)]),
        ("spm_set_dest_buffer", [None, Some(49), Some(51), Some(51)]),
        ("portable_export_dmabuf", [None, None, Some(53), Some(53)]),
        ("portable_close_dmabuf", [None, None, Some(54), Some(54)]),
        ("vmem_address_reserve", [None, None, None, Some(55)]),
        (
            "vmem_get_alloc_properties_from_handle",
            [None, None, None, Some(66)],
        ),
        ("signal_wait_all", [None; 4]),
        ("nothing", [None; 4]),
    ] {
        for ((major, size), place) in TABLES.into_iter().zip(places) {
            let found = newer_amd_offset(&version(major, size), name);
            let expected = place.map(|place: usize| 16 + 8 * place);
            assert_eq!(found, expected, "{name} of {major}, {size} bytes");
        }
    }
    // ROCr 6.4 and 7.2 end with these.
    for (size, name) in [(592, "signal_wait_all"), (624, "ais_file_read")] {
        let offset = newer_amd_offset(&version(2, size), name);
        assert_eq!(offset, Some(size as usize - 8), "{name}");
        assert_eq!(newer_amd_offset(&version(2, size - 8), name), None);
    }
}

/// ROCr's sources between two releases had other layouts, with the sizes of the first lines.
#[test]
fn other_layouts_are_unknown() {
    let first = offset_of!(AmdTable, coherency_get_type);
    let unknown = [408, 416, 432, 440, 448, 464, 552, 592].map(|size| (1, size));
    let newer = [(2, 400), (2, 456), (2, 544), (3, 552), (0, 400)];
    for (major, size) in unknown.into_iter().chain(newer) {
        let version = version(major, size);
        assert_eq!(amd_offset(&version, first), None, "{major}, {size} bytes");
        assert_eq!(newer_amd_offset(&version, "spm_acquire"), None);
    }
    // Shorter than it could be: older than 5.0.
    let last = offset_of!(AmdTable, queue_cu_get_mask);
    assert_eq!(amd_offset(&version(1, 392), last), None);
    assert_eq!(amd_offset(&version(1, 392), first), Some(16));
}

/// A table that two rows took for theirs would be read as the first one says.
#[test]
fn no_table_has_two_layouts() {
    for (index, row) in LAYOUTS.iter().enumerate() {
        for other in &LAYOUTS[index + 1..] {
            let apart = row.major != other.major
                || row.sizes.end() < other.sizes.start()
                || other.sizes.end() < row.sizes.start();
            assert!(apart, "{} and {}", row.releases, other.releases);
        }
    }
}
