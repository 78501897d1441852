//! Compares the driver's commands and their arguments with the installed `linux/kfd_ioctl.h` (`linux-libc-dev`).

use std::{fmt::Write, process::Command};

use crate::common::{Row, check, compiler};
use crate::row;
use kmt_sys::kfd::{self, command, memory_flag, queue_type, svm_op, system_event, wait_result};

/// Members that headers before 1.17 lack come last, so such structures are compared without their size.
fn growing(row: Row) -> Row {
    (row.0, None, row.2)
}

#[rustfmt::skip]
fn rows() -> Vec<Row> {
    vec![
        row!("struct kfd_ioctl_get_version_args", kfd::Version, { "major_version" => major, "minor_version" => minor }),
        growing(row!("struct kfd_ioctl_create_queue_args", kfd::CreateQueue, {
            "ring_base_address" => ring, "write_pointer_address" => write_pointer, "read_pointer_address" => read_pointer,
            "doorbell_offset" => doorbell_offset, "ring_size" => ring_size, "gpu_id" => gpu_id, "queue_type" => queue_type,
            "queue_percentage" => percentage, "queue_priority" => priority, "queue_id" => queue_id,
            "eop_buffer_address" => eop_buffer, "ctx_save_restore_address" => context_area,
            "ctx_save_restore_size" => context_area_size, "ctl_stack_size" => control_stack_size,
        })),
        row!("struct kfd_ioctl_destroy_queue_args", kfd::Number, { "queue_id" => number }),
        row!("struct kfd_ioctl_destroy_event_args", kfd::Number, { "event_id" => number }),
        row!("struct kfd_ioctl_update_queue_args", kfd::UpdateQueue, {
            "ring_base_address" => ring, "queue_id" => queue_id, "ring_size" => ring_size, "queue_percentage" => percentage,
            "queue_priority" => priority,
        }),
        row!("struct kfd_ioctl_set_cu_mask_args", kfd::CuMask, {
            "queue_id" => queue_id, "num_cu_mask" => bits, "cu_mask_ptr" => mask,
        }),
        row!("struct kfd_ioctl_smi_events_args", kfd::SystemEvents, { "gpuid" => gpu_id, "anon_fd" => descriptor }),
        row!("struct kfd_ioctl_set_memory_policy_args", kfd::MemoryPolicy, { "gpu_id" => gpu_id }),
        row!("struct kfd_ioctl_get_clock_counters_args", kfd::ClockCounters, {
            "gpu_clock_counter" => gpu, "cpu_clock_counter" => cpu, "system_clock_counter" => system,
            "system_clock_freq" => frequency, "gpu_id" => gpu_id,
        }),
        row!("struct kfd_process_device_apertures", kfd::Apertures, {
            "lds_base" => lds_base, "lds_limit" => lds_limit, "scratch_base" => scratch_base, "scratch_limit" => scratch_limit,
            "gpuvm_base" => gpuvm_base, "gpuvm_limit" => gpuvm_limit, "gpu_id" => gpu_id,
        }),
        row!("struct kfd_ioctl_get_process_apertures_new_args", kfd::ProcessApertures, {
            "kfd_process_device_apertures_ptr" => array, "num_of_nodes" => count,
        }),
        row!("struct kfd_ioctl_create_event_args", kfd::CreateEvent, {
            "event_page_offset" => page_offset, "event_trigger_data" => trigger_data, "event_type" => event_type,
            "auto_reset" => auto_reset, "node_id" => node_id, "event_id" => event_id, "event_slot_index" => slot_index,
        }),
        row!("struct kfd_ioctl_wait_events_args", kfd::WaitEvents, {
            "events_ptr" => events, "num_events" => count, "wait_for_all" => all, "timeout" => timeout,
            "wait_result" => wait_result,
        }),
        row!("struct kfd_event_data", kfd::EventData, {
            "memory_exception_data.failure.NotPresent" => not_present, "memory_exception_data.failure.ReadOnly" => read_only,
            "memory_exception_data.va" => address, "memory_exception_data.gpu_id" => gpu_id,
            "kfd_event_data_ext" => extension, "event_id" => event_id,
        }),
        row!("struct kfd_ioctl_get_tile_config_args", kfd::TileConfig, {
            "num_tile_configs" => tile_count, "num_macro_tile_configs" => macro_tile_count, "gpu_id" => gpu_id,
            "gb_addr_config" => address_config, "num_banks" => banks, "num_ranks" => ranks,
        }),
        row!("struct kfd_ioctl_set_trap_handler_args", kfd::TrapHandler, { "gpu_id" => gpu_id }),
        row!("struct kfd_ioctl_acquire_vm_args", kfd::AcquireVm, { "drm_fd" => drm_descriptor, "gpu_id" => gpu_id }),
        row!("struct kfd_ioctl_alloc_memory_of_gpu_args", kfd::AllocMemory, {
            "va_addr" => address, "size" => size, "handle" => handle, "mmap_offset" => mmap_offset, "gpu_id" => gpu_id,
            "flags" => flags,
        }),
        row!("struct kfd_ioctl_free_memory_of_gpu_args", kfd::FreeMemory, { "handle" => handle }),
        row!("struct kfd_ioctl_map_memory_to_gpu_args", kfd::MapMemory, {
            "handle" => handle, "device_ids_array_ptr" => gpu_ids, "n_devices" => count, "n_success" => succeeded,
        }),
        row!("struct kfd_ioctl_unmap_memory_from_gpu_args", kfd::MapMemory, { "n_success" => succeeded }),
        row!("struct kfd_ioctl_alloc_queue_gws_args", kfd::AllocQueueGws, {
            "queue_id" => queue_id, "num_gws" => count, "first_gws" => first,
        }),
        row!("struct kfd_ioctl_get_dmabuf_info_args", kfd::DmabufInfo, {
            "size" => size, "metadata_size" => metadata_size, "gpu_id" => gpu_id, "flags" => flags, "dmabuf_fd" => descriptor,
        }),
        row!("struct kfd_ioctl_import_dmabuf_args", kfd::ImportDmabuf, {
            "va_addr" => address, "handle" => handle, "gpu_id" => gpu_id, "dmabuf_fd" => descriptor,
        }),
        row!("struct kfd_ioctl_svm_args", kfd::Svm, { "start_addr" => start, "size" => size, "op" => op, "nattr" => count }),
        row!("struct kfd_ioctl_set_xnack_mode_args", kfd::XnackMode, { "xnack_enabled" => enabled }),
        row!("struct kfd_ioctl_get_available_memory_args", kfd::AvailableMemory, { "available" => bytes, "gpu_id" => gpu_id }),
    ]
}

#[test]
fn arguments_agree_with_the_header() {
    check("linux/kfd_ioctl.h", "#include <linux/kfd_ioctl.h>", rows());
}

/// Commands that the installed header does not know yet are left out.
#[rustfmt::skip]
const NUMBERS: &[(&str, u32)] = &[
    ("_IOC_NR(AMDKFD_IOC_GET_VERSION)",               command::GET_VERSION as u32),
    ("_IOC_NR(AMDKFD_IOC_CREATE_QUEUE)",              command::CREATE_QUEUE as u32),
    ("_IOC_NR(AMDKFD_IOC_DESTROY_QUEUE)",             command::DESTROY_QUEUE as u32),
    ("_IOC_NR(AMDKFD_IOC_SET_MEMORY_POLICY)",         command::SET_MEMORY_POLICY as u32),
    ("_IOC_NR(AMDKFD_IOC_GET_CLOCK_COUNTERS)",        command::GET_CLOCK_COUNTERS as u32),
    ("_IOC_NR(AMDKFD_IOC_GET_PROCESS_APERTURES)",     command::GET_PROCESS_APERTURES as u32),
    ("_IOC_NR(AMDKFD_IOC_UPDATE_QUEUE)",              command::UPDATE_QUEUE as u32),
    ("_IOC_NR(AMDKFD_IOC_CREATE_EVENT)",              command::CREATE_EVENT as u32),
    ("_IOC_NR(AMDKFD_IOC_DESTROY_EVENT)",             command::DESTROY_EVENT as u32),
    ("_IOC_NR(AMDKFD_IOC_SET_EVENT)",                 command::SET_EVENT as u32),
    ("_IOC_NR(AMDKFD_IOC_RESET_EVENT)",               command::RESET_EVENT as u32),
    ("_IOC_NR(AMDKFD_IOC_WAIT_EVENTS)",               command::WAIT_EVENTS as u32),
    ("_IOC_NR(AMDKFD_IOC_SET_SCRATCH_BACKING_VA)",    command::SET_SCRATCH_BACKING_VA as u32),
    ("_IOC_NR(AMDKFD_IOC_GET_TILE_CONFIG)",           command::GET_TILE_CONFIG as u32),
    ("_IOC_NR(AMDKFD_IOC_SET_TRAP_HANDLER)",          command::SET_TRAP_HANDLER as u32),
    ("_IOC_NR(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW)", command::GET_PROCESS_APERTURES_NEW as u32),
    ("_IOC_NR(AMDKFD_IOC_ACQUIRE_VM)",                command::ACQUIRE_VM as u32),
    ("_IOC_NR(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU)",       command::ALLOC_MEMORY_OF_GPU as u32),
    ("_IOC_NR(AMDKFD_IOC_FREE_MEMORY_OF_GPU)",        command::FREE_MEMORY_OF_GPU as u32),
    ("_IOC_NR(AMDKFD_IOC_MAP_MEMORY_TO_GPU)",         command::MAP_MEMORY_TO_GPU as u32),
    ("_IOC_NR(AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU)",     command::UNMAP_MEMORY_FROM_GPU as u32),
    ("_IOC_NR(AMDKFD_IOC_SET_CU_MASK)",               command::SET_CU_MASK as u32),
    ("_IOC_NR(AMDKFD_IOC_GET_QUEUE_WAVE_STATE)",      command::GET_QUEUE_WAVE_STATE as u32),
    ("_IOC_NR(AMDKFD_IOC_GET_DMABUF_INFO)",           command::GET_DMABUF_INFO as u32),
    ("_IOC_NR(AMDKFD_IOC_IMPORT_DMABUF)",             command::IMPORT_DMABUF as u32),
    ("_IOC_NR(AMDKFD_IOC_ALLOC_QUEUE_GWS)",           command::ALLOC_QUEUE_GWS as u32),
    ("_IOC_NR(AMDKFD_IOC_SMI_EVENTS)",                command::SMI_EVENTS as u32),
    ("_IOC_NR(AMDKFD_IOC_SVM)",                       command::SVM as u32),
    ("_IOC_NR(AMDKFD_IOC_SET_XNACK_MODE)",            command::SET_XNACK_MODE as u32),
    ("_IOC_NR(AMDKFD_IOC_CRIU_OP)",                   command::CRIU_OP as u32),
    ("_IOC_NR(AMDKFD_IOC_AVAILABLE_MEMORY)",          command::AVAILABLE_MEMORY as u32),
    ("_IOC_NR(AMDKFD_IOC_EXPORT_DMABUF)",             command::EXPORT_DMABUF as u32),
    ("_IOC_NR(AMDKFD_IOC_RUNTIME_ENABLE)",            command::RUNTIME_ENABLE as u32),
    ("_IOC_NR(AMDKFD_IOC_DBG_TRAP)",                  command::DBG_TRAP as u32),
    ("KFD_SMI_EVENT_VMFAULT",                         system_event::VM_FAULT),
    ("KFD_SMI_EVENT_MIGRATE_START",                   system_event::MIGRATE_START),
    ("KFD_SMI_EVENT_MIGRATE_END",                     system_event::MIGRATE_END),
    ("KFD_IOC_ALLOC_MEM_FLAGS_VRAM",                  memory_flag::VRAM),
    ("KFD_IOC_ALLOC_MEM_FLAGS_GTT",                   memory_flag::GTT),
    ("KFD_IOC_ALLOC_MEM_FLAGS_USERPTR",               memory_flag::USERPTR),
    ("KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL",              memory_flag::DOORBELL),
    ("KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP",            memory_flag::MMIO_REMAP),
    ("KFD_IOC_ALLOC_MEM_FLAGS_COHERENT",              memory_flag::COHERENT),
    ("KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE",              memory_flag::WRITABLE),
    ("KFD_IOC_QUEUE_TYPE_COMPUTE",                    queue_type::COMPUTE),
    ("KFD_IOC_QUEUE_TYPE_SDMA",                       queue_type::SDMA),
    ("KFD_IOC_QUEUE_TYPE_COMPUTE_AQL",                queue_type::COMPUTE_AQL),
    ("KFD_IOC_QUEUE_TYPE_SDMA_XGMI",                  queue_type::SDMA_XGMI),
    ("KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID",             queue_type::SDMA_BY_ENGINE),
    ("KFD_IOC_WAIT_RESULT_COMPLETE",                  wait_result::COMPLETE),
    ("KFD_IOC_WAIT_RESULT_TIMEOUT",                   wait_result::TIMEOUT),
];

/// Enumerators, for which the preprocessor has no name.
const ENUMERATORS: &[(&str, u32)] = &[
    ("KFD_IOCTL_SVM_OP_SET_ATTR", svm_op::SET),
    ("KFD_IOCTL_SVM_OP_GET_ATTR", svm_op::GET),
];

#[test]
fn numbers_agree_with_the_header() {
    if !prerequisite::file("/usr/include/linux/kfd_ioctl.h", "linux-libc-dev") {
        return;
    }
    let mut source = String::from("#include <linux/kfd_ioctl.h>\n#include <stdio.h>\n");
    source.push_str("#define SAY(name, value) printf(\"%s %u\\n\", name, (unsigned)(value))\n");
    source.push_str("int main(void) {\n");
    for (expression, _) in NUMBERS {
        let macro_name = expression
            .trim_start_matches("_IOC_NR(")
            .trim_end_matches(')');
        writeln!(
            source,
            "#ifdef {macro_name}\nSAY(\"{expression}\", {expression});\n#endif"
        )
        .unwrap();
    }
    for (name, _) in ENUMERATORS {
        writeln!(source, "SAY(\"{name}\", {name});").unwrap();
    }
    source.push_str("SAY(\"type\", AMDKFD_IOCTL_BASE);\nreturn 0; }\n");
    let directory = tempfile::tempdir().unwrap();
    let (file, program) = (
        directory.path().join("numbers.c"),
        directory.path().join("numbers"),
    );
    std::fs::write(&file, source).unwrap();
    let compiled = compiler(directory.path())
        .arg(&file)
        .arg("-o")
        .arg(&program)
        .output()
        .unwrap();
    assert!(
        compiled.status.success(),
        "{}",
        String::from_utf8_lossy(&compiled.stderr)
    );
    let printed = Command::new(&program).output().unwrap();
    let printed = String::from_utf8(printed.stdout).unwrap();
    let ours: Vec<_> = NUMBERS
        .iter()
        .chain(ENUMERATORS)
        .copied()
        .chain([("type", u32::from(kfd::TYPE))])
        .collect();
    assert!(printed.lines().count() > 40, "{printed}");
    for line in printed.lines() {
        let (name, value) = line.split_once(' ').unwrap();
        let row = ours.iter().find(|(known, _)| *known == name).unwrap();
        assert_eq!(row.1.to_string(), value, "{name}");
    }
}
