//! Compares offsets and values with the C compiler's view of Debian's headers (`libhsa-runtime-dev`).

use std::{fmt::Write, mem::offset_of, path::Path, process::Command};

use hsa_sys::{
    constants::{self, agent_info, isa_info, pool_flag, pool_info, status, symbol_info},
    loader::{self, LoaderTable, Segment, object_info},
    tables::{AmdTable, ApiTable, CoreTable, PointerInfo, Times},
};

/// A C expression and what we believe it is.
type Row = (&'static str, u64);

macro_rules! offsets {
    ($c:ident, $type:ty: $($c_field:ident => $field:ident,)*) => {
        vec![$((
            concat!("offsetof(", stringify!($c), ", ", stringify!($c_field), ")"),
            offset_of!($type, $field) as u64,
        )),*]
    };
}

/// The entries that tools call or replace; the rest of each table is checked by its size.
fn tables() -> Vec<Row> {
    let mut rows = offsets! { CoreApiTable, CoreTable:
        hsa_init_fn => init,
        hsa_shut_down_fn => shut_down,
        hsa_system_get_info_fn => system_get_info,
        hsa_iterate_agents_fn => iterate_agents,
        hsa_agent_get_info_fn => agent_get_info,
        hsa_queue_create_fn => queue_create,
        hsa_queue_destroy_fn => queue_destroy,
        hsa_queue_load_read_index_scacquire_fn => queue_load_read_index_scacquire,
        hsa_queue_add_write_index_screlease_fn => queue_add_write_index_screlease,
        hsa_memory_copy_fn => memory_copy,
        hsa_signal_create_fn => signal_create,
        hsa_signal_destroy_fn => signal_destroy,
        hsa_signal_load_scacquire_fn => signal_load_scacquire,
        hsa_signal_store_screlease_fn => signal_store_screlease,
        hsa_signal_wait_scacquire_fn => signal_wait_scacquire,
        hsa_executable_destroy_fn => executable_destroy,
        hsa_executable_freeze_fn => executable_freeze,
        hsa_executable_symbol_get_info_fn => executable_symbol_get_info,
        hsa_system_get_major_extension_table_fn => system_get_major_extension_table,
        hsa_agent_iterate_isas_fn => agent_iterate_isas,
        hsa_isa_get_info_alt_fn => isa_get_info_alt,
        hsa_code_object_reader_create_from_memory_fn => code_object_reader_create_from_memory,
        hsa_code_object_reader_destroy_fn => code_object_reader_destroy,
        hsa_executable_create_alt_fn => executable_create_alt,
        hsa_executable_load_agent_code_object_fn => executable_load_agent_code_object,
        hsa_executable_get_symbol_by_name_fn => executable_get_symbol_by_name,
        hsa_executable_iterate_agent_symbols_fn => executable_iterate_agent_symbols,
    };
    rows.extend(offsets! { AmdExtTable, AmdTable:
        hsa_amd_profiling_set_profiler_enabled_fn => profiling_set_profiler_enabled,
        hsa_amd_profiling_get_dispatch_time_fn => profiling_get_dispatch_time,
        hsa_amd_agent_iterate_memory_pools_fn => agent_iterate_memory_pools,
        hsa_amd_memory_pool_get_info_fn => memory_pool_get_info,
        hsa_amd_memory_pool_allocate_fn => memory_pool_allocate,
        hsa_amd_memory_pool_free_fn => memory_pool_free,
        hsa_amd_agents_allow_access_fn => agents_allow_access,
        hsa_amd_pointer_info_fn => pointer_info,
        hsa_amd_queue_intercept_create_fn => queue_intercept_create,
        hsa_amd_queue_intercept_register_fn => queue_intercept_register,
    });
    rows.extend(offsets! { HsaApiTable, ApiTable: core_ => core, amd_ext_ => amd, });
    rows.extend(offsets! { hsa_ven_amd_loader_1_03_pfn_t, LoaderTable:
        hsa_ven_amd_loader_executable_iterate_loaded_code_objects => iterate_loaded_code_objects,
        hsa_ven_amd_loader_loaded_code_object_get_info => loaded_code_object_get_info,
        hsa_ven_amd_loader_query_segment_descriptors => query_segment_descriptors,
        hsa_ven_amd_loader_iterate_executables => iterate_executables,
    });
    rows.extend(offsets! { hsa_ven_amd_loader_segment_descriptor_t, Segment:
        executable => executable, code_object_storage_base => storage_base, segment_base => segment_base,
    });
    rows.extend(offsets! { hsa_amd_pointer_info_t, PointerInfo:
        type => kind, agentBaseAddress => agent_base, sizeInBytes => size_in_bytes, agentOwner => owner,
        global_flags => global_flags,
    });
    rows
}

fn sizes() -> Vec<Row> {
    vec![
        ("sizeof(CoreApiTable)", size_of::<CoreTable>() as u64),
        ("sizeof(AmdExtTable)", size_of::<AmdTable>() as u64),
        (
            "sizeof(hsa_ven_amd_loader_1_03_pfn_t)",
            size_of::<LoaderTable>() as u64,
        ),
        (
            "sizeof(hsa_ven_amd_loader_segment_descriptor_t)",
            size_of::<Segment>() as u64,
        ),
        (
            "sizeof(hsa_amd_pointer_info_t)",
            size_of::<PointerInfo>() as u64,
        ),
        (
            "sizeof(hsa_amd_profiling_dispatch_time_t)",
            size_of::<Times>() as u64,
        ),
    ]
}

#[rustfmt::skip]
fn values() -> Vec<Row> {
    vec![
        ("HSA_STATUS_SUCCESS", status::SUCCESS.into()),
        ("HSA_STATUS_INFO_BREAK", status::INFO_BREAK.into()),
        ("HSA_STATUS_ERROR_NOT_INITIALIZED", status::NOT_INITIALIZED.into()),
        ("HSA_STATUS_ERROR_INVALID_EXECUTABLE", status::INVALID_EXECUTABLE.into()),
        ("HSA_AGENT_INFO_NAME", agent_info::NAME.into()),
        ("HSA_AGENT_INFO_DEVICE", agent_info::DEVICE.into()),
        ("HSA_AMD_AGENT_INFO_PRODUCT_NAME", agent_info::PRODUCT_NAME.into()),
        ("HSA_AMD_AGENT_INFO_DRIVER_NODE_ID", agent_info::DRIVER_NODE.into()),
        ("HSA_AMD_AGENT_INFO_UUID", agent_info::UUID.into()),
        ("HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT", agent_info::COOPERATIVE_COMPUTE_UNITS.into()),
        ("HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY", constants::SYSTEM_TIMESTAMP_FREQUENCY.into()),
        ("HSA_DEVICE_TYPE_GPU", constants::DEVICE_TYPE_GPU.into()),
        ("HSA_ISA_INFO_NAME_LENGTH", isa_info::NAME_LENGTH.into()),
        ("HSA_ISA_INFO_NAME", isa_info::NAME.into()),
        ("HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT", symbol_info::KERNEL_OBJECT.into()),
        ("HSA_EXECUTABLE_SYMBOL_INFO_TYPE", symbol_info::TYPE.into()),
        ("HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH", symbol_info::NAME_LENGTH.into()),
        ("HSA_EXECUTABLE_SYMBOL_INFO_NAME", symbol_info::NAME.into()),
        ("HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE", symbol_info::VARIABLE_SIZE.into()),
        ("HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS", symbol_info::VARIABLE_ADDRESS.into()),
        ("HSA_SYMBOL_KIND_VARIABLE", constants::SYMBOL_KIND_VARIABLE.into()),
        ("HSA_EXT_POINTER_TYPE_HSA", constants::POINTER_TYPE_HSA.into()),
        ("HSA_AMD_MEMORY_POOL_INFO_SEGMENT", pool_info::SEGMENT.into()),
        ("HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS", pool_info::GLOBAL_FLAGS.into()),
        ("HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED", pool_info::ALLOCATION_ALLOWED.into()),
        ("HSA_AMD_SEGMENT_GLOBAL", constants::SEGMENT_GLOBAL.into()),
        ("HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED", pool_flag::FINE_GRAINED.into()),
        ("HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED", pool_flag::COARSE_GRAINED.into()),
        ("HSA_PROFILE_FULL", constants::PROFILE_FULL.into()),
        ("HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT", constants::ROUNDING_DEFAULT.into()),
        ("HSA_QUEUE_TYPE_SINGLE", constants::QUEUE_TYPE_SINGLE.into()),
        ("HSA_QUEUE_TYPE_COOPERATIVE", constants::QUEUE_TYPE_COOPERATIVE.into()),
        ("HSA_EXTENSION_AMD_LOADER", constants::EXTENSION_AMD_LOADER.into()),
        ("HSA_SIGNAL_CONDITION_LT", constants::CONDITION_LESS.into()),
        ("HSA_WAIT_STATE_BLOCKED", constants::WAIT_BLOCKED.into()),
        ("HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_KIND", object_info::KIND.into()),
        ("HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_AGENT", object_info::AGENT.into()),
        ("HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_KIND_AGENT", loader::KIND_AGENT.into()),
        ("HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_TYPE", object_info::STORAGE_TYPE.into()),
        ("HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_BASE", object_info::MEMORY_BASE.into()),
        ("HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_SIZE", object_info::MEMORY_SIZE.into()),
        ("HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_FILE", object_info::FILE.into()),
        ("HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_DELTA", object_info::LOAD_DELTA.into()),
        ("HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE", object_info::LOAD_BASE.into()),
        ("HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE", object_info::LOAD_SIZE.into()),
        ("HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI_LENGTH", object_info::URI_LENGTH.into()),
        ("HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI", object_info::URI.into()),
        ("HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_FILE", loader::STORAGE_FILE.into()),
        ("HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY", loader::STORAGE_MEMORY.into()),
    ]
}

#[test]
fn the_compiler_agrees() {
    if !prerequisite::file("/usr/include/hsa/hsa_api_trace.h", "libhsa-runtime-dev") {
        return;
    }
    let rows: Vec<Row> = tables()
        .into_iter()
        .chain(sizes())
        .chain(values())
        .collect();
    // The trace header includes its siblings from its own folder when it is told that it is inside the runtime.
    let mut source = String::from(
        "#define AMD_INTERNAL_BUILD\n#include <cstddef>\n#include <cstdio>\n#include <hsa.h>\n#include <hsa_ext_amd.h>\n\
         #include <hsa_ven_amd_loader.h>\n#include <hsa_api_trace.h>\nint main() {\n",
    );
    for (expression, _) in &rows {
        let _ = writeln!(
            source,
            "  std::printf(\"%llu\\n\", (unsigned long long)({expression}));"
        );
    }
    source.push_str("}\n");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (file, program) = (folder.join("hsa_values.cpp"), folder.join("hsa_values"));
    std::fs::write(&file, source).unwrap();
    let compiled = Command::new("c++")
        .args(["-w", "-Wno-invalid-offsetof", "-I/usr/include/hsa", "-o"])
        .arg(&program)
        .arg(&file)
        .output()
        .expect("c++ runs");
    let errors = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{errors}");
    let printed = Command::new(&program).output().unwrap().stdout;
    let printed = String::from_utf8(printed).unwrap();
    let found: Vec<u64> = printed.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(found.len(), rows.len());
    for ((expression, ours), theirs) in rows.iter().zip(found) {
        assert_eq!(*ours, theirs, "{expression}");
    }
}
