//! Compares what libdrm's functions take, and the commands that they become, with the installed `amdgpu.h` (`libdrm-dev`) and
//! `amdgpu_drm.h` (`libdrm-dev`).

use crate::common::{Row, Value, check, check_values};
use crate::row;
use kmt_sys::{door, drm, libdrm};

const LIBDRM: &str = "#include <stdint.h>\n#include <stdbool.h>\n#include <libdrm/amdgpu.h>";
const KERNEL: &str = "#include <libdrm/amdgpu_drm.h>";

#[rustfmt::skip]
fn of_functions() -> Vec<Row> {
    vec![
        row!("struct amdgpu_bo_import_result", libdrm::Imported, { "buf_handle" => object, "alloc_size" => size }),
        row!("struct amdgpu_bo_alloc_request", libdrm::Wanted, {
            "alloc_size" => size, "phys_alignment" => alignment, "preferred_heap" => heap, "flags" => flags,
        }),
        row!("struct amdgpu_bo_info", libdrm::Info, {
            "alloc_size" => size, "phys_alignment" => alignment, "preferred_heap" => heap, "alloc_flags" => flags,
            "metadata" => metadata,
        }),
        row!("struct amdgpu_bo_metadata", door::Metadata, {
            "flags" => flags, "tiling_info" => tiling, "size_metadata" => size, "umd_metadata" => words,
        }),
        row!("struct amdgpu_cs_fence", libdrm::Submitted, {
            "context" => context, "ip_type" => kind, "ip_instance" => instance, "ring" => ring, "fence" => number,
        }),
        row!("struct amdgpu_cs_ib_info", libdrm::CommandBuffer, {
            "flags" => flags, "ib_mc_address" => address, "size" => dwords,
        }),
        row!("struct amdgpu_cs_fence_info", libdrm::FencePlace, { "handle" => object, "offset" => offset }),
        row!("struct amdgpu_cs_request", libdrm::Request, {
            "flags" => flags, "ip_type" => kind, "ip_instance" => instance, "ring" => ring, "resources" => list,
            "number_of_dependencies" => dependency_count, "dependencies" => dependencies, "number_of_ibs" => buffer_count,
            "ibs" => buffers, "seq_no" => number, "fence_info" => fence,
        }),
    ]
}

#[rustfmt::skip]
fn of_commands() -> Vec<Row> {
    vec![
        row!("union drm_amdgpu_ctx", drm::Context, {
            "in.op" => operation, "in.flags" => flags, "in.ctx_id" => context, "in.priority" => priority,
        }),
        row!("union drm_amdgpu_bo_list", drm::BufferList, {
            "in.operation" => operation, "in.list_handle" => list, "in.bo_number" => count, "in.bo_info_size" => entry_size,
            "in.bo_info_ptr" => entries,
        }),
        row!("struct drm_amdgpu_bo_list_entry", drm::ListEntry, { "bo_handle" => buffer, "bo_priority" => priority }),
        row!("union drm_amdgpu_cs", drm::Submit, {
            "in.ctx_id" => context, "in.bo_list_handle" => list, "in.num_chunks" => chunk_count, "in.chunks" => chunks,
        }),
        row!("struct drm_amdgpu_cs_chunk", drm::Chunk, { "chunk_id" => kind, "length_dw" => dwords, "chunk_data" => data }),
        row!("struct drm_amdgpu_cs_chunk_ib", drm::Commands, {
            "_pad" => pad, "flags" => flags, "va_start" => address, "ib_bytes" => bytes, "ip_type" => kind,
            "ip_instance" => instance, "ring" => ring,
        }),
        row!("struct drm_amdgpu_cs_chunk_dep", drm::Dependency, {
            "ip_type" => kind, "ip_instance" => instance, "ring" => ring, "ctx_id" => context, "handle" => number,
        }),
        row!("struct drm_amdgpu_fence", drm::Fence, {
            "ctx_id" => context, "ip_type" => kind, "ip_instance" => instance, "ring" => ring, "seq_no" => number,
        }),
        row!("union drm_amdgpu_wait_cs", drm::Wait, {
            "in.handle" => number, "in.timeout" => deadline, "in.ip_type" => kind, "in.ip_instance" => instance,
            "in.ring" => ring, "in.ctx_id" => context,
        }),
        row!("union drm_amdgpu_wait_fences", drm::WaitFences, {
            "in.fences" => fences, "in.fence_count" => count, "in.wait_all" => all, "in.timeout_ns" => deadline,
        }),
        row!("struct drm_amdgpu_gem_metadata", door::GemMetadata, { "handle" => handle, "op" => operation, "data" => metadata }),
    ]
}

#[rustfmt::skip]
const NUMBERS: &[Value] = &[
    ("DRM_AMDGPU_CTX",                        drm::command::CTX as i64),
    ("DRM_AMDGPU_BO_LIST",                    drm::command::BO_LIST as i64),
    ("DRM_AMDGPU_CS",                         drm::command::CS as i64),
    ("DRM_AMDGPU_WAIT_CS",                    drm::command::WAIT_CS as i64),
    ("DRM_AMDGPU_WAIT_FENCES",                drm::command::WAIT_FENCES as i64),
    ("AMDGPU_CTX_OP_ALLOC_CTX",               drm::context::ALLOCATE as i64),
    ("AMDGPU_CTX_OP_FREE_CTX",                drm::context::FREE as i64),
    ("AMDGPU_CTX_OP_QUERY_STATE",             drm::context::STATE as i64),
    ("AMDGPU_CTX_OP_QUERY_STATE2",            drm::context::STATE2 as i64),
    ("AMDGPU_BO_LIST_OP_CREATE",              drm::list::CREATE as i64),
    ("AMDGPU_BO_LIST_OP_DESTROY",             drm::list::DESTROY as i64),
    ("AMDGPU_BO_LIST_OP_UPDATE",              drm::list::UPDATE as i64),
    ("AMDGPU_CHUNK_ID_IB",                    drm::chunk::IB as i64),
    ("AMDGPU_CHUNK_ID_FENCE",                 drm::chunk::FENCE as i64),
    ("AMDGPU_CHUNK_ID_DEPENDENCIES",          drm::chunk::DEPENDENCIES as i64),
    ("AMDGPU_CHUNK_ID_BO_HANDLES",            drm::chunk::BUFFERS as i64),
    ("AMDGPU_CHUNK_ID_SCHEDULED_DEPENDENCIES", drm::chunk::SCHEDULED as i64),
    ("AMDGPU_HW_IP_GFX",                      drm::ring::GRAPHICS as i64),
    ("AMDGPU_HW_IP_COMPUTE",                  drm::ring::COMPUTE as i64),
    ("AMDGPU_HW_IP_DMA",                      drm::ring::DMA as i64),
];

#[test]
fn what_functions_take_is_as_in_libdrm_s_header() {
    check("libdrm/amdgpu.h", LIBDRM, of_functions());
}

#[test]
fn commands_are_as_in_the_kernel_s_header() {
    check("libdrm/amdgpu_drm.h", KERNEL, of_commands());
    check_values("libdrm/amdgpu_drm.h", KERNEL, NUMBERS);
}
