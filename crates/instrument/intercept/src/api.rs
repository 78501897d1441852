//! The API tables as they were before us: what our hooks forward to and what we call ourselves.

use std::{
    ffi::CStr,
    mem::offset_of,
    sync::atomic::{AtomicPtr, Ordering},
};

use hsa_sys::tables::{
    AmdTable, ApiTable, CoreTable, ImageTable, TableVersion, amd_offset, covers, newer_amd_offset,
};

/// Copies of the tables. Entries that the runtime does not have are null.
pub struct Api {
    /// The runtime's own tables.
    root: *const ApiTable,
    pub core: CoreTable,
    pub amd: AmdTable,
    /// `hsa_queue_create` is the runtime's own, as opposed to another tool's.
    pub owns_queue_create: bool,
}

/// Never freed: a hook may be running on any thread.
static SAVED: AtomicPtr<Api> = AtomicPtr::new(std::ptr::null_mut());

/// What an older or different runtime lacks.
pub type Missing = &'static str;

impl Api {
    /// Copies the tables, and keeps the copy for [`saved`].
    ///
    /// # Safety
    /// `table` must be the root table that the runtime passes to tools.
    pub unsafe fn save(table: *const ApiTable) -> Result<&'static Api, Missing> {
        // SAFETY: by the caller's promise all three tables are as large as their versions say.
        let api = unsafe {
            if table.is_null() || (*table).core.is_null() || (*table).amd.is_null() {
                return Err("API tables");
            }
            let core = copy((*table).core);
            let amd = amd_functions((*table).amd);
            Api {
                root: table,
                owns_queue_create: core
                    .queue_create
                    .is_some_and(|function| in_runtime(function as *const ())),
                core,
                amd,
            }
        };
        if !covers(
            &api.core.version,
            offset_of!(CoreTable, executable_get_symbol_by_name),
        ) {
            return Err("a core API table as new as that of HSA 1.2");
        }
        if amd_offset(
            &api.amd.version,
            offset_of!(AmdTable, queue_intercept_register),
        )
        .is_none()
        {
            return Err("an AMD API table of a known layout (ROCr 5.2 or 6)");
        }
        for (present, name) in [
            (api.core.queue_create.is_some(), "hsa_queue_create"),
            (api.core.queue_destroy.is_some(), "hsa_queue_destroy"),
            (
                api.core.executable_freeze.is_some(),
                "hsa_executable_freeze",
            ),
            (
                api.core.executable_destroy.is_some(),
                "hsa_executable_destroy",
            ),
            (
                api.core.executable_load_agent_code_object.is_some(),
                "hsa_executable_load_agent_code_object",
            ),
            (
                api.core.system_get_major_extension_table.is_some(),
                "hsa_system_get_major_extension_table",
            ),
            (
                api.amd.queue_intercept_create.is_some(),
                "hsa_amd_queue_intercept_create",
            ),
            (
                api.amd.queue_intercept_register.is_some(),
                "hsa_amd_queue_intercept_register",
            ),
        ] {
            if !present {
                return Err(name);
            }
        }
        let api: &'static Api = Box::leak(Box::new(api));
        SAVED.store(std::ptr::from_ref(api).cast_mut(), Ordering::Release);
        Ok(api)
    }
}

// SAFETY: the runtime's tables stay where they are, and any thread may read and replace an entry.
unsafe impl Send for Api {}
// SAFETY: as above.
unsafe impl Sync for Api {}

impl Api {
    /// Where the runtime's tables have the function of this name; None if they do not.
    pub fn entry(&self, name: &str) -> Option<*mut usize> {
        let find = |entries: &[(&str, usize)], name: &str| {
            let found = entries.iter().find(|(known, _)| *known == name);
            found.map(|(_, offset)| *offset)
        };
        // SAFETY: `save` has accepted the tables, each of which begins with its version, and entries lie within that.
        unsafe {
            let root = &*self.root;
            if let Some(name) = name.strip_prefix("hsa_amd_") {
                let version = &(*root.amd).version;
                let offset = match find(AmdTable::ENTRIES, name) {
                    Some(offset) => amd_offset(version, offset)?,
                    None => newer_amd_offset(version, name)?,
                };
                return Some(root.amd.byte_add(offset).cast());
            }
            let image = name.strip_prefix("hsa_ext_image_").map(str::to_owned);
            let sampler = name
                .strip_prefix("hsa_ext_")
                .filter(|name| name.starts_with("sampler"));
            if let Some(name) = image.or(sampler.map(str::to_owned)) {
                let reaches = root.version.minor as usize >= size_of::<ApiTable>();
                if !reaches || root.image.is_null() {
                    return None;
                }
                // ROCr 6 has one entry more.
                let newer = (name == "sampler_create_v2").then_some(size_of::<ImageTable>());
                let offset = find(ImageTable::ENTRIES, &name).or(newer)?;
                let there = covers(&(*root.image).version, offset);
                return there.then(|| root.image.byte_add(offset).cast());
            }
            let offset = find(CoreTable::ENTRIES, name.strip_prefix("hsa_")?)?;
            let there = covers(&(*root.core).version, offset);
            there.then(|| root.core.byte_add(offset).cast())
        }
    }
}

/// The tables saved last; present whenever a hook of ours can be called.
pub fn saved() -> Option<&'static Api> {
    // SAFETY: null, or a leaked box.
    unsafe { SAVED.load(Ordering::Acquire).as_ref() }
}

/// As much of the table as there is; the rest stays zero, which stands for a missing function.
///
/// # Safety
/// `from` must be as large as its version says.
unsafe fn copy(from: *const CoreTable) -> CoreTable {
    // SAFETY: the version comes first, all zeros are a table without functions, and only bytes that both sides have are copied.
    unsafe {
        let size = ((*from).version.minor as usize).min(size_of::<CoreTable>());
        let mut table: CoreTable = std::mem::zeroed();
        std::ptr::copy_nonoverlapping(from.cast::<u8>(), (&raw mut table).cast::<u8>(), size);
        table
    }
}

/// A runtime's AMD table in the shape of [`AmdTable`]; entries it does not have are null.
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

/// Whether a function lies in the HSA runtime's library.
fn in_runtime(function: *const ()) -> bool {
    // SAFETY: a plain look-up of an address; the name lives as long as the library.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        libc::dladdr(function.cast(), &raw mut info) != 0
            && !info.dli_fname.is_null()
            && CStr::from_ptr(info.dli_fname)
                .to_string_lossy()
                .contains("libhsa-runtime64")
    }
}
