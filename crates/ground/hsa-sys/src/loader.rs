//! The AMD loader extension, version 1.03; older runtimes leave the last entries null.

use std::ffi::c_void;

use kmt_sys::assert_layout;

use crate::{Handle, Status, tables::GetInfo};

/// `hsa_ven_amd_loader_loaded_code_object_info_t`, `u64` unless stated.
pub mod object_info {
    /// `u32`; [`super::STORAGE_FILE`] or [`super::STORAGE_MEMORY`].
    pub const STORAGE_TYPE: u32 = 4;
    pub const MEMORY_BASE: u32 = 5;
    pub const MEMORY_SIZE: u32 = 6;
    /// `i32`, a file descriptor.
    pub const FILE: u32 = 7;
    /// Load address minus address in the file, `i64`; only when frozen, as are the next two.
    pub const LOAD_DELTA: u32 = 8;
    pub const LOAD_BASE: u32 = 9;
    pub const LOAD_SIZE: u32 = 10;
    /// `u32`, without a terminating zero.
    pub const URI_LENGTH: u32 = 11;
    /// `char[]`, not terminated.
    pub const URI: u32 = 12;
}
pub const STORAGE_FILE: u32 = 1;
pub const STORAGE_MEMORY: u32 = 2;

pub type ObjectCallback = unsafe extern "C" fn(Handle, Handle, *mut c_void) -> Status;
pub type IterateObjects = unsafe extern "C" fn(Handle, ObjectCallback, *mut c_void) -> Status;

/// `hsa_ven_amd_loader_1_03_pfn_t`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct LoaderTable {
    pub query_host_address: usize,
    pub query_segment_descriptors: usize,
    pub query_executable: usize,
    pub iterate_loaded_code_objects: Option<IterateObjects>,
    pub loaded_code_object_get_info: Option<GetInfo>,
    pub reader_create_from_file: usize,
    pub iterate_executables: usize,
}
assert_layout!(LoaderTable, 56, { iterate_loaded_code_objects @ 24, loaded_code_object_get_info @ 32 });
