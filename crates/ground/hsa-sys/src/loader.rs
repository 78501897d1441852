//! The AMD loader extension, version 1.03; older runtimes leave the last entries null.

use std::ffi::c_void;

use aql::assert_layout;

use crate::{
    Handle, Status,
    tables::{GetInfo, HandleCallback},
};

/// `hsa_ven_amd_loader_loaded_code_object_info_t`, `u64` unless stated.
pub mod object_info {
    /// [`super::KIND_AGENT`] and others, `u32`.
    pub const KIND: u32 = 2;
    /// The agent of an object of that kind.
    pub const AGENT: u32 = 3;
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
/// `hsa_ven_amd_loader_loaded_code_object_kind_t`: loaded on one agent.
pub const KIND_AGENT: u32 = 2;

pub type ObjectCallback = unsafe extern "C" fn(Handle, Handle, *mut c_void) -> Status;
pub type IterateObjects = unsafe extern "C" fn(Handle, ObjectCallback, *mut c_void) -> Status;
pub type IterateExecutables = unsafe extern "C" fn(HandleCallback, *mut c_void) -> Status;
/// Segments (null asks for their number), how many.
pub type QuerySegments = unsafe extern "C" fn(*mut Segment, *mut usize) -> Status;

/// `hsa_ven_amd_loader_segment_descriptor_t`: one loaded segment.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Segment {
    pub agent: Handle,
    pub executable: Handle,
    pub storage: u32,
    pub storage_base: usize,
    pub storage_size: usize,
    pub storage_offset: usize,
    pub segment_base: usize,
    pub segment_size: usize,
}
assert_layout!(Segment, 64, { executable @ 8, storage_base @ 24, segment_base @ 48 });

/// `hsa_ven_amd_loader_1_03_pfn_t`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct LoaderTable {
    pub query_host_address: usize,
    pub query_segment_descriptors: Option<QuerySegments>,
    pub query_executable: usize,
    pub iterate_loaded_code_objects: Option<IterateObjects>,
    pub loaded_code_object_get_info: Option<GetInfo>,
    pub reader_create_from_file: usize,
    pub iterate_executables: Option<IterateExecutables>,
}
assert_layout!(LoaderTable, 56, { iterate_loaded_code_objects @ 24, loaded_code_object_get_info @ 32,
    iterate_executables @ 48 });
