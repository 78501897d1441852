//! The places of entries in AMD's table, in runtimes of different age. [`AmdTable`] is the oldest layout; newer ones have more entries in
//! its middle and at its end.
//!
//! A runtime's table contains a major version and a size in bytes. No two releases of ROCr have both in common and a different layout: this
//! was checked in `hsa_api_trace.h` of every release from 5.0 to 6.2, of 6.4 and of 7.2. Tables with any other version and size are
//! refused: between 5.4 and 5.6 there were more layouts, which AMD never released.

use std::{mem::offset_of, ops::RangeInclusive};

use crate::tables::{AmdTable, TableVersion, covers};

/// Entries that [`AmdTable`] has not, one behind the other.
pub struct Inserted {
    /// The offset in [`AmdTable`] of the entry in front of them.
    behind: usize,
    /// Without `hsa_amd_`.
    pub names: &'static [&'static str],
}

/// How some releases of ROCr lay the table out.
pub struct Layout {
    /// These releases.
    pub releases: &'static str,
    pub major: u32,
    /// In bytes. A table that is shorter than the longest one of its layout ends before the last entries.
    pub sizes: RangeInclusive<u32>,
    /// In the order of the table.
    pub inserted: &'static [Inserted],
}

const ENGINES: Inserted = Inserted {
    behind: offset_of!(AmdTable, memory_async_copy),
    names: &["memory_async_copy_on_engine", "memory_copy_engine_status"],
};

/// The streaming performance monitor.
const MONITOR: Inserted = Inserted {
    behind: offset_of!(AmdTable, svm_prefetch_async),
    names: &["spm_acquire", "spm_release", "spm_set_dest_buffer"],
};

const LATER: Inserted = Inserted {
    behind: offset_of!(AmdTable, queue_cu_get_mask),
    names: &[
        "portable_export_dmabuf",
        "portable_close_dmabuf",
        // ROCr 5.7 ends here, and 6.0 behind the next twelve.
        "vmem_address_reserve",
        "vmem_address_free",
        "vmem_handle_create",
        "vmem_handle_release",
        "vmem_map",
        "vmem_unmap",
        "vmem_set_access",
        "vmem_get_access",
        "vmem_export_shareable_handle",
        "vmem_import_shareable_handle",
        "vmem_retain_alloc_handle",
        "vmem_get_alloc_properties_from_handle",
        "agent_set_async_scratch_limit",
        "queue_get_info",
        "vmem_address_reserve_align",
        "enable_logging",
        "signal_wait_all",
        "memory_get_preferred_copy_engine",
        "portable_export_dmabuf_v2",
        "ais_file_write",
        "ais_file_read",
    ],
};

/// Every layout that is known. Since 6.0 entries have come at the end only, 21 of them so far in ROCm's development branch.
pub const LAYOUTS: &[Layout] = &[
    Layout {
        releases: "5.0 to 5.4",
        major: 1,
        sizes: 0..=400,
        inserted: &[],
    },
    Layout {
        releases: "5.5",
        major: 1,
        sizes: 424..=424,
        inserted: &[MONITOR],
    },
    Layout {
        releases: "5.6 and 5.7",
        major: 1,
        sizes: 456..=456,
        inserted: &[ENGINES, MONITOR, LATER],
    },
    Layout {
        releases: "6.0 and later",
        major: 2,
        sizes: 552..=u32::MAX,
        inserted: &[ENGINES, MONITOR, LATER],
    },
];

const ENTRY: usize = size_of::<usize>();

impl Layout {
    /// The layout of a table; None if it is not known.
    pub fn of(version: &TableVersion) -> Option<&'static Layout> {
        let is_it =
            |row: &&Layout| row.major == version.major && row.sizes.contains(&version.minor);
        LAYOUTS.iter().find(is_it)
    }

    /// How many bytes lie in front of what [`AmdTable`] has at `offset`, and not there.
    fn in_front(&self, offset: usize) -> usize {
        let groups = self.inserted.iter().filter(|group| group.behind < offset);
        groups.map(|group| group.names.len()).sum::<usize>() * ENTRY
    }

    /// Where the table has an entry of this name, without `hsa_amd_`; None if it has none, for one that [`AmdTable`] has too.
    fn inserted(&self, name: &str) -> Option<usize> {
        self.inserted.iter().find_map(|group| {
            let place = group.names.iter().position(|known| *known == name)?;
            Some(group.behind + self.in_front(group.behind) + (place + 1) * ENTRY)
        })
    }
}

/// The offset at which a runtime's AMD table has the entry that [`AmdTable`] has at `offset` (both in bytes). None if this layout is
/// unknown, or if the table ends before that entry.
pub fn amd_offset(version: &TableVersion, offset: usize) -> Option<usize> {
    let offset = offset + Layout::of(version)?.in_front(offset);
    covers(version, offset).then_some(offset)
}

/// Where a runtime's AMD table has an entry that [`AmdTable`] has not, by its name without `hsa_amd_`; None if it has none of this
/// name.
pub fn newer_amd_offset(version: &TableVersion, name: &str) -> Option<usize> {
    let offset = Layout::of(version)?.inserted(name)?;
    covers(version, offset).then_some(offset)
}
