//! libdrm's functions for devices and memory. Emulated handles cannot be libdrm's: they are no addresses, or addresses in this library. All other
//! handles go to libdrm.

use std::{
    ffi::{c_char, c_int, c_uint, c_ulong, c_void},
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicI32, Ordering},
    },
};

use kmt_sys::{
    door::{Core, GEM_CREATE, GEM_METADATA, GemCreate, GemMetadata, KFD, Metadata, metadata},
    libdrm::{Imported, Info, Wanted},
};

use crate::{device, emulator, next};

/// One row for each render node; its address is the node's handle.
struct Handle {
    /// A descriptor of the node, which the thunk maps memory through; -1 if the node is not used.
    descriptor: AtomicI32,
}

const NODES: usize = 129;
static HANDLES: [Handle; NODES] = [const {
    Handle {
        descriptor: AtomicI32::new(-1),
    }
}; NODES];
/// How often each was initialised, under a lock that orders it with the descriptors.
static USERS: Mutex<[u32; NODES]> = Mutex::new([0; NODES]);

/// The version of the driver that render nodes report: large enough for everything ROCr asks for.
const DRM_VERSION: (u32, u32) = (3, 61);

/// Buffer objects are numbers with this above.
const BUFFER: u64 = 0x4c75 << 48;

/// The node of an emulated handle.
pub fn node(handle: *mut c_void) -> Option<u32> {
    let (first, last) = (
        HANDLES.as_ptr() as usize,
        &raw const HANDLES[NODES - 1] as usize,
    );
    let address = handle as usize;
    (first..=last)
        .contains(&address)
        .then(|| ((address - first) / size_of::<Handle>()) as u32)
}

/// The number of an emulated buffer object.
pub fn buffer(object: *mut c_void) -> Option<u32> {
    (object as u64 & 0xffff << 48 == BUFFER).then_some(object as u32)
}

/// The GPU whose emulated render node the descriptor is, if it is one.
fn render_node(descriptor: c_int) -> Option<u32> {
    let device = device::find(descriptor)?;
    (device.number != KFD && device.own).then_some(device.number)
}

/// The descriptor is duplicated: the caller closes its own.
fn initialize(node: u32, major: *mut u32, minor: *mut u32, handle: *mut *mut c_void) -> c_int {
    let mut users = USERS.lock().unwrap_or_else(|poison| poison.into_inner());
    let Some(row) = HANDLES.get(node as usize) else {
        return -libc::ENODEV;
    };
    if users[node as usize] == 0
        || device::find(row.descriptor.load(Ordering::Acquire)).is_none_or(|device| !device.own)
    {
        let descriptor = device::open(node, libc::O_CLOEXEC);
        if descriptor < 0 {
            return descriptor;
        }
        row.descriptor.store(descriptor, Ordering::Release);
    }
    users[node as usize] += 1;
    // SAFETY: libdrm's interface obliges the caller to pass memory for all three.
    unsafe {
        major.write(DRM_VERSION.0);
        minor.write(DRM_VERSION.1);
        handle.write((&raw const *row).cast_mut().cast());
    }
    0
}

/// # Safety
/// The caller must keep the rules of libdrm's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_device_initialize(
    descriptor: c_int,
    major: *mut u32,
    minor: *mut u32,
    handle: *mut *mut c_void,
) -> c_int {
    match render_node(descriptor) {
        Some(node) => initialize(node, major, minor, handle),
        None => {
            next!("amdgpu_device_initialize"(descriptor => c_int, major => *mut u32, minor => *mut u32, handle => *mut *mut c_void) -> c_int, or -libc::ENODEV)
        }
    }
}

/// # Safety
/// The caller must keep the rules of libdrm's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_device_initialize2(
    descriptor: c_int,
    deduplicate: bool,
    major: *mut u32,
    minor: *mut u32,
    handle: *mut *mut c_void,
) -> c_int {
    match render_node(descriptor) {
        Some(node) => initialize(node, major, minor, handle),
        None => {
            next!("amdgpu_device_initialize2"(descriptor => c_int, deduplicate => bool, major => *mut u32, minor => *mut u32, handle => *mut *mut c_void) -> c_int, or -libc::ENODEV)
        }
    }
}

/// # Safety
/// The caller must keep the rules of libdrm's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_device_deinitialize(handle: *mut c_void) -> c_int {
    let Some(node) = node(handle) else {
        return next!("amdgpu_device_deinitialize"(handle => *mut c_void) -> c_int, or -libc::ENODEV);
    };
    let mut users = USERS.lock().unwrap_or_else(|poison| poison.into_inner());
    let count = &mut users[node as usize];
    *count = count.saturating_sub(1);
    if *count == 0 {
        let descriptor = HANDLES[node as usize].descriptor.swap(-1, Ordering::AcqRel);
        if render_node(descriptor) == Some(node) {
            // SAFETY: opened by `initialize`; the last user has gone.
            unsafe { libc::close(descriptor) };
        }
    }
    0
}

/// # Safety
/// The caller must keep the rules of libdrm's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_device_get_fd(handle: *mut c_void) -> c_int {
    match node(handle) {
        Some(node) => HANDLES[node as usize].descriptor.load(Ordering::Acquire),
        None => next!("amdgpu_device_get_fd"(handle => *mut c_void) -> c_int, or -1),
    }
}

/// # Safety
/// The caller must keep the rules of libdrm's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_get_marketing_name(handle: *mut c_void) -> *const c_char {
    match (node(handle), emulator::loaded()) {
        // SAFETY: the table's functions can be called by any thread.
        (Some(node), Some(core)) => unsafe { (core.marketing_name)(node) },
        _ => {
            next!("amdgpu_get_marketing_name"(handle => *mut c_void) -> *const c_char, or std::ptr::null())
        }
    }
}

/// # Safety
/// The caller must keep the rules of libdrm's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_query_gpu_info(handle: *mut c_void, info: *mut c_void) -> c_int {
    match (node(handle), emulator::loaded()) {
        // SAFETY: the caller's memory for the structure.
        (Some(node), Some(core)) => unsafe { (core.gpu_info)(node, info) },
        _ => {
            next!("amdgpu_query_gpu_info"(handle => *mut c_void, info => *mut c_void) -> c_int, or -libc::ENODEV)
        }
    }
}

/// # Safety
/// The caller must keep the rules of libdrm's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drmOpenRender(minor: c_int) -> c_int {
    if let Some(core) = emulator::loaded() {
        // SAFETY: the table's functions can be called by any thread.
        let node = unsafe { (core.render_node)(minor as u32) };
        if node != 0 {
            return next::answer(device::open(node, libc::O_CLOEXEC));
        }
    }
    next!("drmOpenRender"(minor => c_int) -> c_int, or -1)
}

/// # Safety
/// The caller must keep the rules of libdrm's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drmClose(descriptor: c_int) -> c_int {
    if device::find(descriptor).is_some() {
        // SAFETY: the caller gives the descriptor up.
        return unsafe { libc::close(descriptor) };
    }
    next!("drmClose"(descriptor => c_int) -> c_int, or -1)
}

/// # Safety
/// The caller must keep the rules of libdrm's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drmCommandWriteRead(
    descriptor: c_int,
    command: c_ulong,
    data: *mut c_void,
    size: c_ulong,
) -> c_int {
    match (render_node(descriptor), emulator::loaded()) {
        // SAFETY: the caller's memory, of the size said.
        (Some(node), Some(core)) => unsafe {
            (core.render_command)(node, command as u32, data, size as usize)
        },
        _ => {
            next!("drmCommandWriteRead"(descriptor => c_int, command => c_ulong, data => *mut c_void, size => c_ulong) -> c_int, or -libc::ENODEV)
        }
    }
}

/// The type of shared handle that is a descriptor, and those that are the node's own numbers.
const DMA_BUF: c_uint = 2;
const KMS: [c_uint; 2] = [1, 3];

/// # Safety
/// The caller must keep the rules of libdrm's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_bo_import(
    handle: *mut c_void,
    kind: c_uint,
    shared: c_uint,
    result: *mut Imported,
) -> c_int {
    let (Some(node), Some(core)) = (node(handle), emulator::loaded()) else {
        return next!("amdgpu_bo_import"(handle => *mut c_void, kind => c_uint, shared => c_uint, result => *mut Imported) -> c_int, or -libc::ENODEV);
    };
    if kind != DMA_BUF {
        return -libc::EINVAL;
    }
    let (mut number, mut size) = (0, 0);
    // SAFETY: memory for both results; the descriptor is the caller's.
    let answer = unsafe { (core.buffer_import)(node, shared as c_int, &mut number, &mut size) };
    if answer == 0 {
        let object = (BUFFER | u64::from(number)) as *mut c_void;
        // SAFETY: the caller passes memory for the result.
        unsafe { result.write(Imported { object, size }) };
    }
    answer
}

/// # Safety
/// The caller must keep the rules of libdrm's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_bo_export(
    object: *mut c_void,
    kind: c_uint,
    shared: *mut u32,
) -> c_int {
    let (Some(number), Some(core)) = (buffer(object), emulator::loaded()) else {
        return next!("amdgpu_bo_export"(object => *mut c_void, kind => c_uint, shared => *mut u32) -> c_int, or -libc::ENODEV);
    };
    let value = match kind {
        kind if KMS.contains(&kind) => number,
        // SAFETY: the table's functions can be called by any thread.
        DMA_BUF => match unsafe { (core.buffer_export)(number) } {
            error if error < 0 => return error,
            descriptor => descriptor as u32,
        },
        _ => return -libc::EINVAL,
    };
    // SAFETY: the caller passes memory for the result.
    unsafe { shared.write(value) };
    0
}

/// # Safety
/// As libdrm's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_bo_alloc(
    handle: *mut c_void,
    wanted: *mut Wanted,
    object: *mut *mut c_void,
) -> c_int {
    let (Some(node), Some(core)) = (node(handle), emulator::loaded()) else {
        return next!("amdgpu_bo_alloc"(handle => *mut c_void, wanted => *mut Wanted, object => *mut *mut c_void) -> c_int, or -libc::ENODEV);
    };
    // SAFETY: the caller passes what it wants.
    let wanted = unsafe { wanted.read() };
    let mut arguments = GemCreate {
        size: wanted.size,
        alignment: wanted.alignment,
        domains: u64::from(wanted.heap),
        flags: wanted.flags,
    };
    let data = (&raw mut arguments).cast();
    // SAFETY: the command's arguments, of their size.
    let answer = unsafe { (core.render_command)(node, GEM_CREATE, data, size_of::<GemCreate>()) };
    if answer == 0 {
        // The number is in the first half of the first member.
        let number = arguments.size & 0xffff_ffff;
        // SAFETY: the caller passes memory for the object.
        unsafe { object.write((BUFFER | number) as *mut c_void) };
    }
    answer
}

/// # Safety
/// As libdrm's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_bo_cpu_unmap(object: *mut c_void) -> c_int {
    match (buffer(object), emulator::loaded()) {
        // SAFETY: the table's functions can be called by any thread.
        (Some(number), Some(core)) => unsafe { (core.buffer_unmap)(number) },
        _ => next!("amdgpu_bo_cpu_unmap"(object => *mut c_void) -> c_int, or -libc::ENODEV),
    }
}

/// # Safety
/// The caller must keep the rules of libdrm's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_bo_free(object: *mut c_void) -> c_int {
    match (buffer(object), emulator::loaded()) {
        // SAFETY: the table's functions can be called by any thread.
        (Some(number), Some(core)) => unsafe { (core.buffer_free)(number) },
        _ => next!("amdgpu_bo_free"(object => *mut c_void) -> c_int, or -libc::ENODEV),
    }
}

/// Alignment of a buffer object's memory, and its place: the device's memory.
const ALIGNMENT: u64 = 4096;
const VRAM: u32 = 4;

/// Reads or writes what is said of a buffer object.
fn exchange(core: &Core, number: u32, operation: u32, said: &mut Metadata) -> c_int {
    let mut arguments = GemMetadata {
        handle: number,
        operation,
        metadata: *said,
    };
    let data = (&raw mut arguments).cast();
    // SAFETY: the command's arguments, of their size.
    let answer = unsafe { (core.render_command)(0, GEM_METADATA, data, size_of::<GemMetadata>()) };
    *said = arguments.metadata;
    answer
}

/// # Safety
/// The caller must keep the rules of libdrm's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_bo_set_metadata(object: *mut c_void, said: *mut Metadata) -> c_int {
    let (Some(number), Some(core)) = (buffer(object), emulator::loaded()) else {
        return next!("amdgpu_bo_set_metadata"(object => *mut c_void, said => *mut Metadata) -> c_int, or -libc::ENODEV);
    };
    // SAFETY: the caller passes what is to be said.
    let mut copy = unsafe { said.read() };
    exchange(core, number, metadata::SET, &mut copy)
}

/// # Safety
/// The caller must keep the rules of libdrm's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_bo_query_info(object: *mut c_void, info: *mut Info) -> c_int {
    let (Some(number), Some(core)) = (buffer(object), emulator::loaded()) else {
        return next!("amdgpu_bo_query_info"(object => *mut c_void, info => *mut Info) -> c_int, or -libc::ENODEV);
    };
    // SAFETY: the table's functions can be called by any thread.
    let size = unsafe { (core.buffer_size)(number) };
    if size < 0 {
        return size as c_int;
    }
    let mut said = Metadata {
        flags: 0,
        tiling: 0,
        size: 0,
        words: [0; 64],
    };
    let answer = exchange(core, number, metadata::GET, &mut said);
    if answer == 0 {
        let value = Info {
            size: size as u64,
            alignment: ALIGNMENT,
            heap: VRAM,
            flags: 0,
            metadata: said,
        };
        // SAFETY: the caller passes memory for the result.
        unsafe { info.write(value) };
    }
    answer
}

/// # Safety
/// The caller must keep the rules of libdrm's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_bo_cpu_map(
    object: *mut c_void,
    address: *mut *mut c_void,
) -> c_int {
    let (Some(number), Some(core)) = (buffer(object), emulator::loaded()) else {
        return next!("amdgpu_bo_cpu_map"(object => *mut c_void, address => *mut *mut c_void) -> c_int, or -libc::ENODEV);
    };
    // SAFETY: the caller passes memory for the address.
    unsafe {
        match (core.buffer_map)(number) {
            error if error < 0 => error as c_int,
            mapped => {
                address.write(mapped as *mut c_void);
                0
            }
        }
    }
}

/// # Safety
/// The caller must keep the rules of libdrm's function of that name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_bo_va_op(
    object: *mut c_void,
    offset: u64,
    size: u64,
    address: u64,
    flags: u64,
    operation: u32,
) -> c_int {
    match (buffer(object), emulator::loaded()) {
        // SAFETY: the caller gives the addresses up to the device.
        (Some(number), Some(core)) => unsafe {
            (core.buffer_place)(number, offset, size, address, operation)
        },
        _ => {
            next!("amdgpu_bo_va_op"(object => *mut c_void, offset => u64, size => u64, address => u64, flags => u64, operation => u32) -> c_int, or -libc::ENODEV)
        }
    }
}

/// Functions of libdrm for a device that are not emulated. If a program calls one for an emulated device, a message names it. None of them
/// has more than eight arguments; arguments that a caller does not pass are passed on without being read.
macro_rules! missing {
    ($($name:ident $text:literal;)*) => { $(
        /// # Safety
        /// The caller must keep the rules of libdrm's function of that name.
        #[allow(clippy::too_many_arguments, reason = "as many as libdrm's longest has")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            handle: *mut c_void, b: u64, c: u64, d: u64, e: u64, f: u64, g: u64, h: u64,
        ) -> c_int {
            if node(handle).is_some() {
                static SAID: AtomicBool = AtomicBool::new(false);
                return refuse(&SAID, $text);
            }
            next!($text(handle => *mut c_void, b => u64, c => u64, d => u64, e => u64, f => u64, g => u64, h => u64) -> c_int, or -libc::ENOSYS)
        }
    )* };
}

fn refuse(said: &AtomicBool, name: &str) -> c_int {
    if !said.swap(true, Ordering::Relaxed) {
        emulator::say(&format!(
            "luthier: the emulated driver: {name} is not emulated; of libdrm's functions, only those for memory, submissions and what ROCr asks for are"
        ));
    }
    -libc::EOPNOTSUPP
}

missing! {
    amdgpu_create_bo_from_user_mem "amdgpu_create_bo_from_user_mem";
    amdgpu_find_bo_by_cpu_mapping "amdgpu_find_bo_by_cpu_mapping";
    amdgpu_bo_va_op_raw "amdgpu_bo_va_op_raw";
    amdgpu_va_range_query "amdgpu_va_range_query";
    amdgpu_cs_create_semaphore "amdgpu_cs_create_semaphore";
    amdgpu_cs_create_syncobj "amdgpu_cs_create_syncobj";
    amdgpu_cs_create_syncobj2 "amdgpu_cs_create_syncobj2";
    amdgpu_query_buffer_size_alignment "amdgpu_query_buffer_size_alignment";
    amdgpu_query_firmware_version "amdgpu_query_firmware_version";
    amdgpu_query_hw_ip_count "amdgpu_query_hw_ip_count";
    amdgpu_query_hw_ip_info "amdgpu_query_hw_ip_info";
    amdgpu_query_heap_info "amdgpu_query_heap_info";
    amdgpu_query_info "amdgpu_query_info";
    amdgpu_query_sensor_info "amdgpu_query_sensor_info";
    amdgpu_query_video_caps_info "amdgpu_query_video_caps_info";
    amdgpu_query_gds_info "amdgpu_query_gds_info";
    amdgpu_read_mm_registers "amdgpu_read_mm_registers";
    amdgpu_cs_ctx_override_priority "amdgpu_cs_ctx_override_priority";
    amdgpu_cs_fence_to_handle "amdgpu_cs_fence_to_handle";
    amdgpu_vm_reserve_vmid "amdgpu_vm_reserve_vmid";
    amdgpu_vm_unreserve_vmid "amdgpu_vm_unreserve_vmid";
    amdgpu_create_userqueue "amdgpu_create_userqueue";
    amdgpu_free_userqueue "amdgpu_free_userqueue";
}
