//! The types that libdrm's functions for amdgpu take and give. Handles are addresses or numbers that only libdrm understands.

use std::ffi::c_void;

use aql::assert_layout;

use crate::door::Metadata;

/// `amdgpu_bo_import_result`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Imported {
    pub object: *mut c_void,
    pub size: u64,
}
assert_layout!(Imported, 16, { object @ 0, size @ 8 });

/// `amdgpu_bo_alloc_request`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Wanted {
    pub size: u64,
    pub alignment: u64,
    pub heap: u32,
    pub flags: u64,
}
assert_layout!(Wanted, 32, { heap @ 16, flags @ 24 });

/// `amdgpu_bo_info`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Info {
    pub size: u64,
    pub alignment: u64,
    pub heap: u32,
    pub flags: u64,
    pub metadata: Metadata,
}
assert_layout!(Info, 312, { heap @ 16, flags @ 24, metadata @ 32 });

/// `amdgpu_cs_fence`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Submitted {
    pub context: *mut c_void,
    pub kind: u32,
    pub instance: u32,
    pub ring: u32,
    pub number: u64,
}
assert_layout!(Submitted, 32, { context @ 0, kind @ 8, instance @ 12, ring @ 16, number @ 24 });

/// `amdgpu_cs_ib_info`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CommandBuffer {
    pub flags: u64,
    pub address: u64,
    pub dwords: u32,
}
assert_layout!(CommandBuffer, 24, { flags @ 0, address @ 8, dwords @ 16 });

/// `amdgpu_cs_fence_info`: a buffer object, and where in it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct FencePlace {
    pub object: *mut c_void,
    pub offset: u64,
}
assert_layout!(FencePlace, 16, { object @ 0, offset @ 8 });

/// `amdgpu_cs_request`.
#[repr(C)]
pub struct Request {
    pub flags: u64,
    pub kind: u32,
    pub instance: u32,
    pub ring: u32,
    pub list: *mut c_void,
    pub dependency_count: u32,
    pub dependencies: *mut Submitted,
    pub buffer_count: u32,
    pub buffers: *mut CommandBuffer,
    pub number: u64,
    pub fence: FencePlace,
}
assert_layout!(Request, 88, { list @ 24, dependencies @ 40, buffers @ 56, number @ 64, fence @ 72 });
