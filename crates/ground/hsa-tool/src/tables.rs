//! The runtime's functions as they were before us: what our hooks forward to and what we call ourselves.

use std::{ffi::c_void, mem::offset_of};

use hsa_sys::{
    layouts::{LAYOUTS, Layout, amd_offset, newer_amd_offset},
    tables::{AmdTable, ApiTable, CoreTable, ImageTable, TableVersion, covers},
};

/// Copies of the tables. Functions that the runtime does not have are `None`.
pub struct Tables {
    /// The runtime's own tables; null if the functions were found by their names.
    root: *const ApiTable,
    pub core: CoreTable,
    pub amd: AmdTable,
}

// SAFETY: the runtime's tables stay where they are, and any thread may read and replace an entry.
unsafe impl Send for Tables {}
// SAFETY: the runtime's tables stay where they are, and any thread may read and replace an entry.
unsafe impl Sync for Tables {}

/// The function of an entry, or the error that it is missing: `function!(tables, core.memory_copy)`.
#[macro_export]
macro_rules! function {
    ($tables:expr, core.$entry:ident) => {
        $crate::function!(@ $tables.core.$entry, concat!("hsa_", stringify!($entry)))
    };
    ($tables:expr, amd.$entry:ident) => {
        $crate::function!(@ $tables.amd.$entry, concat!("hsa_amd_", stringify!($entry)))
    };
    (@ $function:expr, $call:expr) => {
        $function.ok_or($crate::Error::Missing { call: $call })
    };
}

impl Tables {
    /// Copies the tables that the runtime passes to `OnLoad`. The error says what an older or different runtime lacks, the first
    /// of `needed` for example, which are full names.
    ///
    /// # Safety
    /// `root` must be null or such a table, all of whose tables are as large as their versions say.
    pub unsafe fn of_runtime(
        root: *const ApiTable,
        needed: &[&'static str],
    ) -> Result<Tables, String> {
        // SAFETY: the caller's promise.
        let tables = unsafe {
            if root.is_null() || (*root).core.is_null() || (*root).amd.is_null() {
                return Err("API tables".to_owned());
            }
            Tables {
                root,
                core: core_functions((*root).core),
                amd: amd_functions((*root).amd),
            }
        };
        let newest = offset_of!(CoreTable, executable_get_symbol_by_name);
        if !covers(&tables.core.version, newest) {
            return Err("a core API table as new as that of HSA 1.2".to_owned());
        }
        if Layout::of(&tables.amd.version).is_none() {
            return Err(unknown_layout(&tables.amd.version));
        }
        tables.with(needed)
    }

    /// The same from exported functions, of which there are those of `needed` only.
    ///
    /// # Safety
    /// `find` must return the address of the HSA function of a name, or null.
    pub unsafe fn of_symbols(
        find: impl Fn(&str) -> *mut c_void,
        needed: &[&'static str],
    ) -> Result<Tables, String> {
        // SAFETY: all zeros are tables without functions.
        let mut tables = unsafe {
            Tables {
                root: std::ptr::null(),
                core: std::mem::zeroed(),
                amd: std::mem::zeroed(),
            }
        };
        for name in needed {
            let (is_amd, offset) = place(name).ok_or_else(|| (*name).to_owned())?;
            let table: *mut u8 = match is_amd {
                true => (&raw mut tables.amd).cast(),
                false => (&raw mut tables.core).cast(),
            };
            // SAFETY: an entry of our own, which is as wide as a pointer; by the caller's promise this is a function of its type.
            unsafe {
                table
                    .byte_add(offset)
                    .cast::<*mut c_void>()
                    .write(find(name))
            };
        }
        tables.with(needed)
    }

    fn with(self, needed: &[&'static str]) -> Result<Tables, String> {
        let has = |name: &str| {
            let Some((is_amd, offset)) = place(name) else {
                return false;
            };
            let table: *const u8 = match is_amd {
                true => (&raw const self.amd).cast(),
                false => (&raw const self.core).cast(),
            };
            // SAFETY: an entry of our own, which is as wide as a pointer.
            !unsafe { table.byte_add(offset).cast::<*const c_void>().read() }.is_null()
        };
        match needed.iter().find(|name| !has(name)) {
            Some(missing) => Err((*missing).to_owned()),
            None => Ok(self),
        }
    }

    /// The address at which the runtime's tables have the function of this name; `None` if they do not have it.
    pub fn entry(&self, name: &str) -> Option<*mut usize> {
        // SAFETY: null, or `of_runtime` has accepted the tables, each of which begins with its version, and entries lie within
        // that.
        unsafe {
            let root = self.root.as_ref()?;
            let sampler = name.strip_prefix("hsa_ext_");
            let sampler = sampler.filter(|name| name.starts_with("sampler"));
            if let Some(name) = name.strip_prefix("hsa_ext_image_").or(sampler) {
                let reaches = root.version.minor as usize >= size_of::<ApiTable>();
                if !reaches || root.image.is_null() {
                    return None;
                }
                // ROCr 6 has one entry more.
                let newer = (name == "sampler_create_v2").then_some(size_of::<ImageTable>());
                let offset = offset(ImageTable::ENTRIES, name).or(newer)?;
                let there = covers(&(*root.image).version, offset);
                return there.then(|| root.image.byte_add(offset).cast());
            }
            if let Some(name) = name.strip_prefix("hsa_amd_") {
                let version = &(*root.amd).version;
                let offset = match offset(AmdTable::ENTRIES, name) {
                    Some(offset) => amd_offset(version, offset)?,
                    None => newer_amd_offset(version, name)?,
                };
                return Some(root.amd.byte_add(offset).cast());
            }
            let offset = offset(CoreTable::ENTRIES, name.strip_prefix("hsa_")?)?;
            let there = covers(&(*root.core).version, offset);
            there.then(|| root.core.byte_add(offset).cast())
        }
    }
}

fn unknown_layout(version: &TableVersion) -> String {
    let known: Vec<_> = LAYOUTS.iter().map(|layout| layout.releases).collect();
    format!(
        "an AMD API table of a known layout (it has one of version {}, {} bytes, step {}; known are those of ROCr {})",
        version.major,
        version.minor,
        version.step,
        known.join(", ")
    )
}

/// The offset at which [`AmdTable`] (true) or [`CoreTable`] has the function of this full name.
fn place(name: &str) -> Option<(bool, usize)> {
    if let Some(name) = name.strip_prefix("hsa_amd_") {
        return Some((true, offset(AmdTable::ENTRIES, name)?));
    }
    Some((
        false,
        offset(CoreTable::ENTRIES, name.strip_prefix("hsa_")?)?,
    ))
}

fn offset(entries: &[(&str, usize)], name: &str) -> Option<usize> {
    let found = entries.iter().find(|(known, _)| *known == name);
    found.map(|(_, offset)| *offset)
}

/// As much of the table as there is; the rest stays zero, which stands for a missing function.
///
/// # Safety
/// `from` must be as large as its version says.
unsafe fn core_functions(from: *const CoreTable) -> CoreTable {
    // SAFETY: the version comes first, all zeros are a table without functions, and only bytes that both sides have are copied.
    unsafe {
        let size = ((*from).version.minor as usize).min(size_of::<CoreTable>());
        let mut table: CoreTable = std::mem::zeroed();
        std::ptr::copy_nonoverlapping(from.cast::<u8>(), (&raw mut table).cast::<u8>(), size);
        table
    }
}

/// A runtime's AMD table in the shape of [`AmdTable`]; entries it does not have are zero.
///
/// # Safety
/// `table` must be as large as its version says.
unsafe fn amd_functions(table: *const AmdTable) -> AmdTable {
    // SAFETY: all zeros are a table without functions, and only entries that both tables have are copied.
    unsafe {
        let version = (*table).version;
        let mut functions: AmdTable = std::mem::zeroed();
        functions.version = version;
        let offsets =
            (size_of::<TableVersion>()..size_of::<AmdTable>()).step_by(size_of::<usize>());
        for offset in offsets {
            if let Some(from) = amd_offset(&version, offset) {
                let entry = table.byte_add(from).cast::<usize>().read();
                (&raw mut functions)
                    .byte_add(offset)
                    .cast::<usize>()
                    .write(entry);
            }
        }
        functions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEEDED: &[&str] = &["hsa_memory_copy", "hsa_amd_pointer_info"];

    /// Tables of a runtime whose functions have their places' numbers as addresses.
    fn runtime(major: u32, core: u32, amd: u32) -> ([usize; 127], [usize; 76], ApiTable) {
        let mut tables = ([0; 127], [0; 76]);
        let fill = |words: &mut [usize], major: u32, bytes: u32| {
            for (index, word) in words.iter_mut().enumerate() {
                *word = 1000 + index;
            }
            words[0] = major as usize | (bytes as usize) << 32;
            words[1] = 0;
        };
        fill(&mut tables.0, 1, core);
        fill(&mut tables.1, major, amd);
        // SAFETY: all zeros are tables that are not there.
        (tables.0, tables.1, unsafe { std::mem::zeroed() })
    }

    /// Sizes are those of ROCr 5.2, 5.5, 5.7, 6.0 and 6.4, the newer of which have two more entries in front of `pointer_info`, and
    /// one of `spm_acquire` and `portable_close_dmabuf` or both behind it.
    #[test]
    fn functions_come_from_where_the_runtime_has_them() {
        for (major, amd, index, monitor, close) in [
            (1, 400, 2 + 26, None, None),
            (1, 424, 2 + 26, Some(2 + 47), None),
            (1, 456, 2 + 28, Some(2 + 49), Some(2 + 54)),
            (2, 552, 2 + 28, Some(2 + 49), Some(2 + 54)),
            (2, 592, 2 + 28, Some(2 + 49), Some(2 + 54)),
        ] {
            let (mut core, mut extension, mut root) = runtime(major, 1016, amd);
            root.core = core.as_mut_ptr().cast();
            root.amd = extension.as_mut_ptr().cast();
            // SAFETY: the tables are as large as they say.
            let tables = unsafe { Tables::of_runtime(&raw const root, NEEDED) }.expect("tables");
            let copy = tables.core.memory_copy.expect("a function") as usize;
            assert_eq!(copy, 1000 + 296 / 8);
            let pointer = tables.amd.pointer_info.expect("a function") as usize;
            assert_eq!(pointer, 1000 + index);
            let entry = tables.entry("hsa_amd_pointer_info").expect("an entry");
            assert!(std::ptr::eq(entry, &raw const extension[index]));
            for (name, index) in [
                ("hsa_amd_spm_acquire", monitor),
                ("hsa_amd_portable_close_dmabuf", close),
            ] {
                // SAFETY: an entry of the table above.
                let word = tables.entry(name).map(|entry| unsafe { *entry });
                assert_eq!(
                    word,
                    index.map(|index: usize| 1000 + index),
                    "{name}, {amd}"
                );
            }
            let entry = tables.entry("hsa_shut_down").expect("an entry");
            assert!(std::ptr::eq(entry, &raw const core[3]));
            assert_eq!(tables.entry("hsa_ext_image_create"), None);
            assert_eq!(tables.entry("hsa_no_such_function"), None);
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        let lacks = |major, core_bytes, amd, without: usize, needed| {
            let (mut core, mut extension, mut root) = runtime(major, core_bytes, amd);
            core[without] = 0;
            root.core = core.as_mut_ptr().cast();
            root.amd = extension.as_mut_ptr().cast();
            // SAFETY: the tables are as large as they say.
            unsafe { Tables::of_runtime(&raw const root, needed) }.err()
        };
        assert_eq!(lacks(1, 1016, 400, 3, NEEDED), None);
        let missing = lacks(1, 1016, 400, 37, NEEDED);
        assert_eq!(missing.as_deref(), Some("hsa_memory_copy"));
        let old = lacks(1, 900, 400, 3, NEEDED).expect("something");
        assert!(old.contains("HSA 1.2"), "{old}");
        for (major, size) in [(3, 552), (1, 432)] {
            let unknown = lacks(major, 1016, size, 3, NEEDED).expect("something");
            let expected = format!(
                "AMD API table of a known layout (it has one of version {major}, {size} bytes"
            );
            assert!(unknown.contains(&expected), "{unknown}");
        }
        // This runtime is so old that queues cannot be intercepted.
        let intercept = &["hsa_amd_queue_intercept_register"];
        let missing = lacks(1, 1016, 304, 3, intercept);
        assert_eq!(missing.as_deref(), Some("hsa_amd_queue_intercept_register"));
        // SAFETY: null is allowed.
        let none = unsafe { Tables::of_runtime(std::ptr::null(), NEEDED) }.err();
        assert_eq!(none.as_deref(), Some("API tables"));
    }

    #[test]
    fn symbols_make_a_table_too() {
        let find = |name: &str| match name {
            "hsa_memory_copy" => 64 as *mut c_void,
            "hsa_amd_pointer_info" => 128 as *mut c_void,
            _ => std::ptr::null_mut(),
        };
        // SAFETY: nothing of it is called.
        let tables = unsafe { Tables::of_symbols(find, NEEDED) }.expect("tables");
        let pointer = tables.amd.pointer_info.expect("a function") as usize;
        assert_eq!(pointer, 128);
        assert_eq!(tables.entry("hsa_memory_copy"), None);
        // SAFETY: none of the functions is called.
        let missing = unsafe { Tables::of_symbols(find, &["hsa_init"]) }.err();
        assert_eq!(missing.as_deref(), Some("hsa_init"));
    }
}
