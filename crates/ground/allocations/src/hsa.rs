//! Entries of HSA that allocate and free memory, in the tables that the runtime gives to tools.

use std::{ffi::c_void, mem::offset_of};

use guest::contain;
use hsa_sys::{
    Handle, Status,
    constants::status,
    layouts::amd_offset,
    tables::{AmdTable, CoreTable, MemoryAllocate, MemoryFree, PoolAllocate, PoolFree, covers},
};
use hsa_tool::Original;

use crate::{facts, hip};

static POOL_ALLOCATE: Original<PoolAllocate> = Original::new();
static POOL_FREE: Original<PoolFree> = Original::new();
static ALLOCATE: Original<MemoryAllocate> = Original::new();
static FREE: Original<MemoryFree> = Original::new();

/// Facts come from the tables from now on, as far as these reach.
///
/// # Safety
/// Both are the runtime's tables, as long as their versions say.
pub unsafe fn watch(core: *mut CoreTable, amd: *mut AmdTable) {
    hip::watch();
    // SAFETY: every table begins with its version.
    let (core_version, amd_version) = unsafe { ((*core).version, (*amd).version) };
    let allocate = amd_offset(&amd_version, offset_of!(AmdTable, memory_pool_allocate));
    let free = amd_offset(&amd_version, offset_of!(AmdTable, memory_pool_free));
    // SAFETY: the tables reach beyond these entries, which are functions of these types or empty.
    unsafe {
        if let (Some(allocate), Some(free)) = (allocate, free) {
            let allocate = &mut *amd.byte_add(allocate).cast::<Option<PoolAllocate>>();
            let free = &mut *amd.byte_add(free).cast::<Option<PoolFree>>();
            POOL_ALLOCATE.replace(allocate, pool_allocate);
            POOL_FREE.replace(free, pool_free);
        }
        if covers(&core_version, offset_of!(CoreTable, memory_free)) {
            ALLOCATE.replace(&mut (*core).memory_allocate, memory_allocate);
            FREE.replace(&mut (*core).memory_free, memory_free);
        }
    }
}

unsafe extern "C" fn pool_allocate(
    pool: Handle,
    size: usize,
    flags: u32,
    result: *mut *mut c_void,
) -> Status {
    // The program may have loaded more since.
    hip::watch();
    // SAFETY: the caller of the entry passed these arguments, and they go on unchanged.
    let answer = unsafe { POOL_ALLOCATE.behind()(pool, size, flags, result) };
    allocated("hsa_amd_memory_pool_allocate", answer, size, result);
    answer
}

unsafe extern "C" fn memory_allocate(
    region: Handle,
    size: usize,
    result: *mut *mut c_void,
) -> Status {
    // SAFETY: the caller of the entry passed these arguments, and they go on unchanged.
    let answer = unsafe { ALLOCATE.behind()(region, size, result) };
    allocated("hsa_memory_allocate", answer, size, result);
    answer
}

fn allocated(by: &'static str, answer: Status, size: usize, result: *mut *mut c_void) {
    if answer == status::SUCCESS && !result.is_null() {
        // SAFETY: the runtime has just stored the address there.
        let base = unsafe { result.read() } as u64;
        let _ = contain(|| facts::region_allocated(base, size as u64, by), || ());
    }
}

unsafe extern "C" fn pool_free(address: *mut c_void) -> Status {
    freed(address, POOL_FREE.behind())
}

unsafe extern "C" fn memory_free(address: *mut c_void) -> Status {
    freed(address, FREE.behind())
}

/// Told before the runtime does it: afterwards another thread may have got the address.
fn freed(address: *mut c_void, free: MemoryFree) -> Status {
    let _ = contain(|| facts::region_freed(address as u64), || ());
    // SAFETY: the argument is the caller's.
    unsafe { free(address) }
}
