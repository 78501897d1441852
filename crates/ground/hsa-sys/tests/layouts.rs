//! Where runtimes of different age have the entries of AMD's table.

use std::mem::offset_of;

use hsa_sys::tables::{AmdTable, TableVersion, amd_offset, newer_amd_offset};

fn version(major: u32, minor: u32) -> TableVersion {
    TableVersion {
        major,
        minor,
        ..Default::default()
    }
}

/// Places counted in the `hsa_api_trace.h` of Debian's libhsa-runtime-dev 5.2.3 and 6.1.2.
#[test]
fn entries_are_where_the_headers_have_them() {
    let entries = [
        (offset_of!(AmdTable, profiling_get_dispatch_time), 4, 4),
        (offset_of!(AmdTable, memory_async_copy), 15, 15),
        (offset_of!(AmdTable, agents_allow_access), 17, 19),
        (offset_of!(AmdTable, pointer_info), 26, 28),
        (offset_of!(AmdTable, signal_create), 31, 33),
        (offset_of!(AmdTable, queue_intercept_create), 35, 37),
        (offset_of!(AmdTable, queue_intercept_register), 36, 38),
        (offset_of!(AmdTable, signal_value_pointer), 43, 45),
        (offset_of!(AmdTable, svm_prefetch_async), 46, 48),
        (offset_of!(AmdTable, queue_cu_get_mask), 47, 52),
    ];
    for (offset, old, new) in entries {
        assert_eq!(amd_offset(&version(1, 400), offset), Some(16 + 8 * old));
        // ROCr 6.1, 6.4, and one between 7.0 and 7.1: they grow at the end only.
        for size in [560, 592, 608] {
            assert_eq!(amd_offset(&version(2, size), offset), Some(16 + 8 * new));
        }
        assert_eq!(amd_offset(&version(1, 416), offset), None);
        assert_eq!(amd_offset(&version(3, 560), offset), None);
    }
    let last = offset_of!(AmdTable, queue_cu_get_mask);
    assert_eq!(amd_offset(&version(1, 392), last), None);
}

/// Places counted in the `hsa_api_trace.h` of Debian's libhsa-runtime-dev 6.4.3.
#[test]
fn newer_entries_are_where_the_header_has_them() {
    for (name, place) in [
        ("memory_async_copy_on_engine", 16),
        ("memory_copy_engine_status", 17),
        ("spm_acquire", 49),
        ("spm_set_dest_buffer", 51),
        ("portable_export_dmabuf", 53),
        ("vmem_get_alloc_properties_from_handle", 66),
        ("signal_wait_all", 71),
    ] {
        let offset = newer_amd_offset(&version(2, 592), name);
        assert_eq!(offset, Some(16 + 8 * place), "{name}");
        assert_eq!(newer_amd_offset(&version(1, 400), name), None);
    }
    // ROCr 6.1 ends before it, and what is no function is nowhere.
    assert_eq!(newer_amd_offset(&version(2, 560), "signal_wait_all"), None);
    assert_eq!(newer_amd_offset(&version(2, 592), "nothing"), None);
}
