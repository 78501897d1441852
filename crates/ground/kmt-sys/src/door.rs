//! The interface between the small preloaded library (`kfd`) and the emulator that it loads (`thunk`).
//!
//! Both come from one build; the version only catches installations that were mixed up.

use std::{
    ffi::{CStr, OsStr, OsString, c_char, c_void},
    os::unix::ffi::OsStrExt,
};

use aql::assert_layout;

/// Name of the exported [`Core`].
pub const SYMBOL: &str = "luthier_kfd_core";
/// Name of the preloaded library's function that looks up all functions behind its own. The emulator calls it before it starts threads: they
/// would wait for the dynamic linker's lock, which a program holds that opens the driver in a library's constructor.
pub const RESOLVE_SYMBOL: &str = "luthier_kfd_resolve";
/// Name of the preloaded library's function that takes an [`Unmapped`]. The emulator calls it, under either of its interfaces.
pub const LISTEN_SYMBOL: &str = "luthier_kfd_listen";
/// Hears of addresses that the program is about to unmap, or to map something else at. Any thread may call it, also in a signal handler.
pub type Unmapped = unsafe extern "C" fn(address: u64, length: u64);
/// Name of the preloaded library's function that takes a [`Compile`]. The emulator calls it, under either of its interfaces.
pub const COMPILE_SYMBOL: &str = "luthier_kfd_compile";
/// The function `amd_comgr_do_action` of the compiler comgr. Its handles are structures of one 64-bit number.
pub type Action = unsafe extern "C" fn(kind: u32, info: u64, input: u64, result: u64) -> i32;
/// Does an action in place of comgr's function, which it may call.
pub type Compile =
    unsafe extern "C" fn(comgr: Action, kind: u32, info: u64, input: u64, result: u64) -> i32;
/// To be raised whenever [`Core`] or the meaning of one of its members changes.
pub const VERSION: u32 = 5;
/// The variable that names the directory with the emulator, for installations that lie elsewhere.
pub const DIRECTORY_VARIABLE: &str = "LUTHIER_EMULATOR_DIRECTORY";
/// If it is `1`, the device is exact about allocations.
pub const EXACT_VARIABLE: &CStr = c"LUTHIER_EXACT";
/// Names the directory for findings.
pub const CHECK_VARIABLE: &CStr = c"LUTHIER_CHECK";
/// If it is not empty, results that a GPU may compute otherwise are followed.
pub const EXACTNESS_VARIABLE: &CStr = c"LUTHIER_EXACTNESS";
/// With any of these variables, the emulator follows what the program does with memory. The preloaded library then loads it before the
/// program's first call of HIP.
pub const EARLY_VARIABLES: [&CStr; 3] = [EXACT_VARIABLE, CHECK_VARIABLE, EXACTNESS_VARIABLE];
/// The value of one of them.
pub fn value(variable: &CStr) -> Option<OsString> {
    std::env::var_os(OsStr::from_bytes(variable.to_bytes()))
}

/// Files of a directory entry list: a name ends with a zero, and names of directories begin with a slash.
pub const DIRECTORY_MARK: u8 = b'/';

/// The kind of a path of the driver.
pub mod entry {
    pub const NOTHING: i32 = 0;
    /// The buffer has the contents.
    pub const FILE: i32 = 1;
    /// The buffer has the names of what is in it.
    pub const DIRECTORY: i32 = 2;
    /// A device that can be opened; the buffer is unused.
    pub const DEVICE: i32 = 3;
}

/// The driver itself; render nodes have the number of their GPU, from 1.
pub const KFD: u32 = 0;

/// Functions answer like the system calls they stand for: negative numbers are error codes. Strings end with a zero.
#[repr(C)]
pub struct Core {
    pub version: u32,
    pub size: u32,
    /// Looks up a path. Returns one of [`entry`], or an error. Fills the buffer as far as the contents fit, and stores the length that all
    /// of them need.
    pub look_up: unsafe extern "C" fn(
        path: *const c_char,
        buffer: *mut u8,
        capacity: usize,
        length: *mut usize,
        device: *mut u32,
    ) -> i32,
    /// A device was opened.
    pub open: unsafe extern "C" fn(device: u32) -> i32,
    pub ioctl: unsafe extern "C" fn(device: u32, request: u64, argument: *mut c_void) -> i32,
    pub mmap: unsafe extern "C" fn(
        device: u32,
        address: u64,
        length: u64,
        protection: i32,
        flags: i32,
        offset: u64,
    ) -> i64,
    /// The node of the render node with this minor number; 0 if it is no emulated one.
    pub render_node: unsafe extern "C" fn(minor: u32) -> u32,
    pub marketing_name: unsafe extern "C" fn(node: u32) -> *const c_char,
    /// Fills libdrm's `amdgpu_gpu_info`.
    pub gpu_info: unsafe extern "C" fn(node: u32, info: *mut c_void) -> i32,
    /// A buffer object for the memory behind a descriptor: its number and size.
    pub buffer_import:
        unsafe extern "C" fn(node: u32, descriptor: i32, number: *mut u32, size: *mut u64) -> i32,
    /// A new descriptor of a buffer object's memory.
    pub buffer_export: unsafe extern "C" fn(number: u32) -> i32,
    pub buffer_free: unsafe extern "C" fn(number: u32) -> i32,
    /// Bytes of a buffer object, or an error.
    pub buffer_size: unsafe extern "C" fn(number: u32) -> i64,
    /// Maps all of a buffer object for the host only, once for all who ask; the address, or an error.
    pub buffer_map: unsafe extern "C" fn(number: u32) -> i64,
    /// Undoes one of these.
    pub buffer_unmap: unsafe extern "C" fn(number: u32) -> i32,
    /// Maps (1) or unmaps (2) part of a buffer object at an address of the device.
    pub buffer_place: unsafe extern "C" fn(
        number: u32,
        offset: u64,
        size: u64,
        address: u64,
        operation: u32,
    ) -> i32,
    /// A command to a render node by its number, as libdrm's `drmCommandWriteRead` takes it.
    pub render_command:
        unsafe extern "C" fn(node: u32, command: u32, data: *mut c_void, size: usize) -> i32,
    /// Whether all of this is memory of the device: 1 or 0.
    pub holds: unsafe extern "C" fn(address: u64, length: u64) -> i32,
    /// Returns the function for a program that looks up this name and would get `found`.
    pub instead_of: unsafe extern "C" fn(name: *const c_char, found: *mut c_void) -> *mut c_void,
}
assert_layout!(Core, 144, { look_up @ 8, instead_of @ 136 });

/// Numbers of [`Core::buffer_place`]'s operations, those of `AMDGPU_VA_OP_*`.
pub mod place {
    pub const MAP: u32 = 1;
    pub const UNMAP: u32 = 2;
    pub const CLEAR: u32 = 3;
    pub const REPLACE: u32 = 4;
}

/// amdgpu's command that makes a buffer object.
pub const GEM_CREATE: u32 = 0;

/// Its arguments. The answer is the object's number, in the first four bytes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct GemCreate {
    pub size: u64,
    pub alignment: u64,
    pub domains: u64,
    pub flags: u64,
}
assert_layout!(GemCreate, 32, { domains @ 16 });

/// The domain of a buffer object that is the device's own memory.
pub const DOMAIN_VRAM: u64 = 4;

/// amdgpu's command that reads or writes what is said of a buffer object, and its two operations.
pub const GEM_METADATA: u32 = 6;
pub mod metadata {
    pub const SET: u32 = 1;
    pub const GET: u32 = 2;
}

/// `amdgpu_bo_metadata`: what users of a buffer object tell each other about it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Metadata {
    pub flags: u64,
    pub tiling: u64,
    /// Bytes of the words that count.
    pub size: u32,
    pub words: [u32; 64],
}
assert_layout!(Metadata, 280, { size @ 16, words @ 20 });

/// The arguments of [`GEM_METADATA`].
#[repr(C)]
pub struct GemMetadata {
    pub handle: u32,
    pub operation: u32,
    pub metadata: Metadata,
}
assert_layout!(GemMetadata, 288, { metadata @ 8 });
