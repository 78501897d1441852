//! An exact device: allocations end with the last byte that the program asked for, and freed memory cannot be accessed.
//!
//! ROCr rounds the sizes that it asks the thunk for up to pages, and carves small allocations out of large ones (`luthier run` turns the
//! latter off). Only its own entry points get the sizes that the program asked for. ROCr hands these entry points to tools, so the replaced
//! entry points tell the device. Freed memory keeps its addresses for a while; until they are reused, an access to them is a fault.

use std::{
    collections::VecDeque,
    ffi::c_void,
    mem::offset_of,
    sync::{Mutex, OnceLock, PoisonError},
};

use allocations::facts;
use gpu::Memory;
use guest::contain;
use hsa_sys::{
    Handle, Status,
    constants::status,
    layouts::amd_offset,
    tables::{
        AmdTable, CoreTable, MemoryAllocate, MemoryFree, PointerInfo, PoolAllocate, PoolFree,
        QueryPointer, covers,
    },
};
use hsa_tool::Original;
use kmt_sys::door::{self, EXACT_VARIABLE};

use crate::{check, closings, instance::instance, report::report, variables};

/// Bytes of the longest `hsa_amd_pointer_info_t` that a caller may have.
const LARGEST_INFO: usize = 256;
/// Bytes and number of what is freed and not given back yet.
const MOST_BYTES: u64 = 2 << 30;
const MOST: usize = 8192;

/// ROCr's own functions.
static POOL_ALLOCATE: Original<PoolAllocate> = Original::new();
static POOL_FREE: Original<PoolFree> = Original::new();
static ALLOCATE: Original<MemoryAllocate> = Original::new();
static FREE: Original<MemoryFree> = Original::new();
static QUERY: Original<QueryPointer> = Original::new();

/// Memory that the program has freed and that ROCr has not got back yet, in the order of freeing.
static FREED: Mutex<Freed> = Mutex::new(Freed {
    bytes: 0,
    entries: VecDeque::new(),
});

struct Freed {
    bytes: u64,
    entries: VecDeque<Entry>,
}

struct Entry {
    address: usize,
    bytes: u64,
    /// ROCr's function that frees it.
    by: MemoryFree,
}

/// Returns `true` if the user wants an exact device, as `luthier run --strict` does.
pub fn is_wanted() -> bool {
    static WANTED: OnceLock<bool> = OnceLock::new();
    *WANTED.get_or_init(|| door::value(EXACT_VARIABLE).is_some_and(|value| value == "1"))
}

/// Replaces the entries by which memory is allocated and freed, if that is wanted.
///
/// # Safety
/// Both are ROCr's tables, as long as their versions say, or null.
pub unsafe fn watch(core: *mut CoreTable, amd: *mut AmdTable) {
    if core.is_null() || amd.is_null() {
        return;
    }
    if is_wanted() {
        closings::begin();
    }
    if is_wanted() || check::is_wanted() {
        // SAFETY: the table is ROCr's.
        unsafe { variables::watch(core) };
    }
    if !is_wanted() {
        return;
    }
    // SAFETY: every table begins with its version.
    let (core_version, amd_version) = unsafe { ((*core).version, (*amd).version) };
    let pools = [
        offset_of!(AmdTable, memory_pool_allocate),
        offset_of!(AmdTable, memory_pool_free),
        offset_of!(AmdTable, pointer_info),
    ];
    let (Some(pool_allocate), Some(pool_free), Some(query), true) = (
        amd_offset(&amd_version, pools[0]),
        amd_offset(&amd_version, pools[1]),
        amd_offset(&amd_version, pools[2]),
        covers(&core_version, offset_of!(CoreTable, memory_free)),
    ) else {
        report(
            "luthier: --strict: the tables of this HSA runtime are not known, so memory is exact to the page only",
        );
        return;
    };
    // SAFETY: the tables reach beyond these entries, which are functions of these types or empty.
    unsafe {
        let pool_allocate = &mut *amd.byte_add(pool_allocate).cast::<Option<PoolAllocate>>();
        let pool_free = &mut *amd.byte_add(pool_free).cast::<Option<PoolFree>>();
        POOL_ALLOCATE.replace(pool_allocate, pool_allocate_exactly);
        POOL_FREE.replace(pool_free, pool_free_later);
        let query = &mut *amd.byte_add(query).cast::<Option<QueryPointer>>();
        QUERY.replace(query, query_living);
        ALLOCATE.replace(&mut (*core).memory_allocate, allocate_exactly);
        FREE.replace(&mut (*core).memory_free, free_later);
    }
}

unsafe extern "C" fn pool_allocate_exactly(
    pool: Handle,
    size: usize,
    flags: u32,
    result: *mut *mut c_void,
) -> Status {
    allocations::hip::watch();
    let allocate = POOL_ALLOCATE.behind();
    // SAFETY: the caller of the entry passed these arguments, and they go on unchanged.
    exactly("hsa_amd_memory_pool_allocate", size, result, || unsafe {
        allocate(pool, size, flags, result)
    })
}

unsafe extern "C" fn allocate_exactly(
    region: Handle,
    size: usize,
    result: *mut *mut c_void,
) -> Status {
    let allocate = ALLOCATE.behind();
    // SAFETY: the caller of the entry passed these arguments, and they go on unchanged.
    exactly("hsa_memory_allocate", size, result, || unsafe {
        allocate(region, size, result)
    })
}

unsafe extern "C" fn pool_free_later(address: *mut c_void) -> Status {
    later(address, POOL_FREE.behind())
}

unsafe extern "C" fn free_later(address: *mut c_void) -> Status {
    later(address, FREE.behind())
}

/// The runtime still knows what the program has freed; HIP, which asks it about addresses that it does not know itself, must not hear of
/// that.
unsafe extern "C" fn query_living(
    address: *const c_void,
    info: *mut PointerInfo,
    allocate: *mut c_void,
    count: *mut u32,
    agents: *mut *mut Handle,
) -> Status {
    let freed = || memory().is_some_and(|memory| memory.is_retired(address as u64));
    if info.is_null() || contain(freed, || ()) != Some(true) {
        // SAFETY: the caller of the entry passed these arguments, and they go on unchanged.
        return unsafe { QUERY.behind()(address, info, allocate, count, agents) };
    }
    // SAFETY: the caller says in the first word how many bytes of the structure there are; zeros behind it mean that nothing is
    // known. The other two are null or memory for a number and a list.
    unsafe {
        let size = (*info).size as usize;
        let head = size_of::<u32>();
        info.cast::<u8>()
            .add(head)
            .write_bytes(0, size.min(LARGEST_INFO).saturating_sub(head));
        if !count.is_null() {
            count.write(0);
        }
        if !agents.is_null() {
            agents.write(std::ptr::null_mut());
        }
    }
    status::SUCCESS
}

fn memory() -> Option<&'static Memory> {
    instance().ok().map(|instance| &**instance.machine.memory())
}

fn exactly(
    by: &'static str,
    size: usize,
    result: *mut *mut c_void,
    allocate: impl Fn() -> Status,
) -> Status {
    let mut answer = allocate();
    if answer != status::SUCCESS && memory().is_some() {
        // If memory runs out, the freed memory that is kept to detect accesses is returned first.
        give_back(0, 0);
        answer = allocate();
    }
    if answer == status::SUCCESS
        && !result.is_null()
        && let Some(memory) = memory()
    {
        // SAFETY: the runtime has just stored the address there.
        let address = unsafe { result.read() } as u64;
        // Something that is no allocation of its own stays as large as it is.
        let _ = contain(|| memory.limit(address, size as u64), || ());
        let _ = contain(|| facts::region_allocated(address, size as u64, by), || ());
    }
    answer
}

fn later(address: *mut c_void, free: MemoryFree) -> Status {
    let retire = || memory().map(|memory| memory.retire(address as u64));
    match contain(retire, || ()).flatten() {
        Some(Ok(bytes)) => {
            let _ = contain(|| facts::region_freed(address as u64), || ());
            {
                let mut freed = FREED.lock().unwrap_or_else(PoisonError::into_inner);
                freed.bytes += bytes;
                freed.entries.push_back(Entry {
                    address: address as usize,
                    bytes,
                    by: free,
                });
            }
            give_back(MOST_BYTES, MOST);
            status::SUCCESS
        }
        // Freed before: the runtime does not know of it yet, and would give the addresses to another allocation, which the first
        // of the two calls would then take away.
        Some(Err(_)) if memory().is_some_and(|memory| memory.is_retired(address as u64)) => {
            status::INVALID_ALLOCATION
        }
        // SAFETY: the argument is the caller's; the runtime says what is wrong with it.
        _ => unsafe { free(address) },
    }
}

/// Gives back what was freed first until no more than this is left.
fn give_back(bytes: u64, count: usize) {
    loop {
        let entry = {
            let mut freed = FREED.lock().unwrap_or_else(PoisonError::into_inner);
            if freed.bytes <= bytes && freed.entries.len() <= count {
                return;
            }
            let Some(entry) = freed.entries.pop_front() else {
                return;
            };
            freed.bytes -= entry.bytes;
            entry
        };
        // SAFETY: the program has freed it, and it is given back once. The lock is not held: the runtime takes its own.
        unsafe { (entry.by)(entry.address as *mut c_void) };
    }
}
