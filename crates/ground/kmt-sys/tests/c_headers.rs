//! Compares sizes and offsets with the C compiler's view of Debian's headers (`libhsakmt-dev`).

use crate::common::{Row, check};
use crate::row;
use kmt_sys::thunk;

#[rustfmt::skip]
fn thunk_rows() -> Vec<Row> {
    vec![
        row!("HsaVersionInfo", thunk::VersionInfo, { "KernelInterfaceMinorVersion" => minor }),
        row!("HsaSystemProperties", thunk::SystemProperties, { "NumNodes" => num_nodes, "PlatformRev" => platform_rev }),
        row!("HsaNodeProperties", thunk::NodeProperties, {
            "NumCPUCores" => num_cpu_cores, "NumFComputeCores" => num_f_compute_cores, "NumMemoryBanks" => num_memory_banks,
            "NumCaches" => num_caches, "NumIOLinks" => num_io_links, "CComputeIdLo" => c_compute_id_lo,
            "FComputeIdLo" => f_compute_id_lo, "Capability" => capability, "MaxWavesPerSIMD" => max_waves_per_simd,
            "LDSSizeInKB" => lds_size_in_kb, "GDSSizeInKB" => gds_size_in_kb, "WaveFrontSize" => wave_front_size,
            "NumShaderBanks" => num_shader_banks, "NumArrays" => num_arrays, "NumCUPerArray" => num_cu_per_array,
            "NumSIMDPerCU" => num_simd_per_cu, "MaxSlotsScratchCU" => max_slots_scratch_cu, "EngineId" => engine_id,
            "VendorId" => vendor_id, "DeviceId" => device_id, "LocationId" => location_id, "LocalMemSize" => local_mem_size,
            "MaxEngineClockMhzFCompute" => max_engine_clock_mhz_f_compute,
            "MaxEngineClockMhzCCompute" => max_engine_clock_mhz_c_compute, "DrmRenderMinor" => drm_render_minor,
            "MarketingName" => marketing_name, "AMDName" => amd_name, "uCodeEngineVersions" => ucode_engine_versions,
            "DebugProperties" => debug_properties, "HiveID" => hive_id, "NumSdmaEngines" => num_sdma_engines,
            "NumSdmaXgmiEngines" => num_sdma_xgmi_engines, "NumSdmaQueuesPerEngine" => num_sdma_queues_per_engine,
            "NumCpQueues" => num_cp_queues, "NumGws" => num_gws, "Domain" => domain, "UniqueID" => unique_id,
            "VGPRSizePerCU" => vgpr_size_per_cu, "SGPRSizePerCU" => sgpr_size_per_cu, "Reserved" => num_xcc,
        }),
        row!("HsaMemoryProperties", thunk::MemoryProperties, {
            "HeapType" => heap_type, "SizeInBytes" => size_in_bytes, "Flags" => flags, "Width" => width,
            "MemoryClockMax" => memory_clock_max, "VirtualBaseAddress" => virtual_base_address,
        }),
        row!("HsaCacheProperties", thunk::CacheProperties, {
            "CacheLevel" => cache_level, "CacheSize" => cache_size, "CacheLineSize" => cache_line_size,
            "CacheType" => cache_type, "SiblingMap" => sibling_map,
        }),
        row!("HsaIoLinkProperties", thunk::IoLinkProperties, {
            "IoLinkType" => io_link_type, "NodeFrom" => node_from, "NodeTo" => node_to, "Weight" => weight, "Flags" => flags,
        }),
        row!("HsaQueueResource", thunk::QueueResource, {
            "QueueId" => queue_id, "QueueDoorBell" => doorbell, "QueueWptrValue" => write_pointer,
            "QueueRptrValue" => read_pointer, "ErrorReason" => error_reason,
        }),
        row!("HsaClockCounters", thunk::ClockCounters, {
            "GPUClockCounter" => gpu_clock_counter, "CPUClockCounter" => cpu_clock_counter,
            "SystemClockCounter" => system_clock_counter, "SystemClockFrequencyHz" => system_clock_frequency_hz,
        }),
        row!("HsaGpuTileConfig", thunk::GpuTileConfig, {
            "TileConfig" => tile_config, "MacroTileConfig" => macro_tile_config, "NumTileConfigs" => num_tile_configs,
            "GbAddrConfig" => gb_addr_config, "NumBanks" => num_banks, "NumRanks" => num_ranks, "Reserved" => reserved,
        }),
        row!("HsaEventDescriptor", thunk::EventDescriptor, {
            "EventType" => event_type, "NodeId" => node_id, "SyncVar" => sync_var, "SyncVar.SyncVarSize" => sync_var_size,
        }),
        row!("HsaEvent", thunk::Event, {
            "EventId" => event_id, "EventData.EventType" => event_type,
            "EventData.EventData.MemoryAccessFault.NodeId" => fault_node_id,
            "EventData.EventData.MemoryAccessFault.VirtualAddress" => fault_virtual_address,
            "EventData.EventData.MemoryAccessFault.Failure" => fault_failure,
            "EventData.EventData.MemoryAccessFault.Flags" => fault_flags,
            "EventData.HWData1" => hw_data1, "EventData.HWData2" => hw_data2, "EventData.HWData3" => hw_data3,
        }),
        row!("HsaPointerInfo", thunk::PointerInfo, {
            "Type" => pointer_type, "Node" => node, "MemFlags" => mem_flags, "CPUAddress" => cpu_address,
            "GPUAddress" => gpu_address, "SizeInBytes" => size_in_bytes, "NRegisteredNodes" => n_registered_nodes,
            "NMappedNodes" => n_mapped_nodes, "RegisteredNodes" => registered_nodes, "MappedNodes" => mapped_nodes,
            "UserData" => user_data,
        }),
        row!("HSA_SVM_ATTRIBUTE", thunk::SvmAttribute, { "type" => kind, "value" => value }),
    ]
}

#[test]
fn thunk_structs_agree_with_c() {
    check("hsakmttypes.h", "#include <hsakmttypes.h>", thunk_rows());
}
