//! Compares sizes, offsets and numbers with the C compiler's view of Debian's headers (`libhsa-runtime-dev`).

use crate::{
    common::{Row, Value, check, check_values},
    row,
};
use aql::{
    AmdQueue, BarrierPacket, BarrierValuePacket, HEADER_BARRIER, KernelDispatchPacket, Queue,
    SYSTEM_FENCES, Signal, USER_SIGNAL, packet_type,
};

const HEADER: &str = "hsa/amd_hsa_queue.h";
const INCLUDES: &str = "#include <hsa/hsa.h>\n#include <hsa/hsa_ext_amd.h>\n#include <hsa/amd_hsa_queue.h>\n#include <hsa/amd_hsa_signal.h>";

#[rustfmt::skip]
fn rows() -> Vec<Row> {
    vec![
        row!("amd_queue_t", AmdQueue, {
            "hsa_queue.type" => queue_type, "hsa_queue.features" => features, "hsa_queue.base_address" => base_address,
            "hsa_queue.doorbell_signal" => doorbell_signal, "hsa_queue.size" => size, "hsa_queue.id" => id,
            "write_dispatch_id" => write_dispatch_id, "group_segment_aperture_base_hi" => group_segment_aperture_base_hi,
            "private_segment_aperture_base_hi" => private_segment_aperture_base_hi, "max_cu_id" => max_cu_id,
            "max_wave_id" => max_wave_id, "read_dispatch_id" => read_dispatch_id,
            "max_legacy_doorbell_dispatch_id_plus_1" => max_legacy_doorbell_dispatch_id_plus_1,
            "compute_tmpring_size" => compute_tmpring_size, "scratch_resource_descriptor" => scratch_resource_descriptor,
            "scratch_backing_memory_location" => scratch_backing_memory_location,
            "scratch_wave64_lane_byte_size" => scratch_wave64_lane_byte_size, "queue_properties" => queue_properties,
            "queue_inactive_signal" => queue_inactive_signal,
        }),
        row!("hsa_queue_t", Queue, {
            "type" => queue_type, "base_address" => base_address, "doorbell_signal" => doorbell_signal, "size" => size, "id" => id,
        }),
        row!("amd_signal_t", Signal, {
            "kind" => kind, "value" => value, "event_mailbox_ptr" => event_mailbox_ptr, "event_id" => event_id,
            "start_ts" => start_ts, "end_ts" => end_ts, "queue_ptr" => queue_ptr,
        }),
        row!("hsa_kernel_dispatch_packet_t", KernelDispatchPacket, {
            "setup" => setup, "workgroup_size_x" => workgroup_size, "grid_size_x" => grid_size,
            "private_segment_size" => private_segment_size, "group_segment_size" => group_segment_size,
            "kernel_object" => kernel_object, "kernarg_address" => kernarg_address, "reserved2" => reserved2,
            "completion_signal" => completion_signal,
        }),
        row!("hsa_barrier_and_packet_t", BarrierPacket, {
            "dep_signal" => dep_signal, "completion_signal" => completion_signal,
        }),
        row!("hsa_amd_barrier_value_packet_t", BarrierValuePacket, {
            "header.AmdFormat" => amd_format, "signal" => signal, "value" => value, "mask" => mask, "cond" => condition,
            "completion_signal" => completion_signal,
        }),
    ]
}

#[rustfmt::skip]
fn values() -> Vec<Value> {
    vec![
        ("HSA_PACKET_TYPE_VENDOR_SPECIFIC", packet_type::VENDOR_SPECIFIC.into()),
        ("HSA_PACKET_TYPE_INVALID", packet_type::INVALID.into()),
        ("HSA_PACKET_TYPE_KERNEL_DISPATCH", packet_type::KERNEL_DISPATCH.into()),
        ("HSA_PACKET_TYPE_BARRIER_AND", packet_type::BARRIER_AND.into()),
        ("HSA_PACKET_TYPE_AGENT_DISPATCH", packet_type::AGENT_DISPATCH.into()),
        ("HSA_PACKET_TYPE_BARRIER_OR", packet_type::BARRIER_OR.into()),
        ("1 << HSA_PACKET_HEADER_BARRIER", HEADER_BARRIER.into()),
        ("HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE | HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE",
         SYSTEM_FENCES.into()),
        ("HSA_AMD_PACKET_TYPE_BARRIER_VALUE", aql::amd_format::BARRIER_VALUE.into()),
        ("AMD_QUEUE_PROPERTIES_ENABLE_PROFILING", aql::QUEUE_PROPERTY_PROFILING.into()),
        ("AMD_SIGNAL_KIND_USER", USER_SIGNAL),
    ]
}

#[test]
fn structures_agree_with_c() {
    check(HEADER, INCLUDES, rows());
}

#[test]
fn numbers_agree_with_c() {
    check_values(HEADER, INCLUDES, &values());
}
