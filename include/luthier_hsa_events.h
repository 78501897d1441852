// The functions of HSA as events: numbers, arguments by name, and what is put in their place. Written by
// `cargo xtask hsa-events` from hsa_api_trace.h of ROCr 5.2 and 6.4; included by luthier.h.
#pragma once
#pragma clang system_header

#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ext_image.h>

typedef enum {
  HSA_EVT_ID_KERNEL_LAUNCH = 0,
  HSA_API_ID_hsa_init,
  HSA_API_ID_hsa_shut_down,
  HSA_API_ID_hsa_system_get_info,
  HSA_API_ID_hsa_system_extension_supported,
  HSA_API_ID_hsa_system_get_extension_table,
  HSA_API_ID_hsa_iterate_agents,
  HSA_API_ID_hsa_agent_get_info,
  HSA_API_ID_hsa_queue_create,
  HSA_API_ID_hsa_soft_queue_create,
  HSA_API_ID_hsa_queue_destroy,
  HSA_API_ID_hsa_queue_inactivate,
  HSA_API_ID_hsa_queue_load_read_index_scacquire,
  HSA_API_ID_hsa_queue_load_read_index_relaxed,
  HSA_API_ID_hsa_queue_load_write_index_scacquire,
  HSA_API_ID_hsa_queue_load_write_index_relaxed,
  HSA_API_ID_hsa_queue_store_write_index_relaxed,
  HSA_API_ID_hsa_queue_store_write_index_screlease,
  HSA_API_ID_hsa_queue_cas_write_index_scacq_screl,
  HSA_API_ID_hsa_queue_cas_write_index_scacquire,
  HSA_API_ID_hsa_queue_cas_write_index_relaxed,
  HSA_API_ID_hsa_queue_cas_write_index_screlease,
  HSA_API_ID_hsa_queue_add_write_index_scacq_screl,
  HSA_API_ID_hsa_queue_add_write_index_scacquire,
  HSA_API_ID_hsa_queue_add_write_index_relaxed,
  HSA_API_ID_hsa_queue_add_write_index_screlease,
  HSA_API_ID_hsa_queue_store_read_index_relaxed,
  HSA_API_ID_hsa_queue_store_read_index_screlease,
  HSA_API_ID_hsa_agent_iterate_regions,
  HSA_API_ID_hsa_region_get_info,
  HSA_API_ID_hsa_agent_get_exception_policies,
  HSA_API_ID_hsa_agent_extension_supported,
  HSA_API_ID_hsa_memory_register,
  HSA_API_ID_hsa_memory_deregister,
  HSA_API_ID_hsa_memory_allocate,
  HSA_API_ID_hsa_memory_free,
  HSA_API_ID_hsa_memory_copy,
  HSA_API_ID_hsa_memory_assign_agent,
  HSA_API_ID_hsa_signal_create,
  HSA_API_ID_hsa_signal_destroy,
  HSA_API_ID_hsa_signal_load_relaxed,
  HSA_API_ID_hsa_signal_load_scacquire,
  HSA_API_ID_hsa_signal_store_relaxed,
  HSA_API_ID_hsa_signal_store_screlease,
  HSA_API_ID_hsa_signal_wait_relaxed,
  HSA_API_ID_hsa_signal_wait_scacquire,
  HSA_API_ID_hsa_signal_and_relaxed,
  HSA_API_ID_hsa_signal_and_scacquire,
  HSA_API_ID_hsa_signal_and_screlease,
  HSA_API_ID_hsa_signal_and_scacq_screl,
  HSA_API_ID_hsa_signal_or_relaxed,
  HSA_API_ID_hsa_signal_or_scacquire,
  HSA_API_ID_hsa_signal_or_screlease,
  HSA_API_ID_hsa_signal_or_scacq_screl,
  HSA_API_ID_hsa_signal_xor_relaxed,
  HSA_API_ID_hsa_signal_xor_scacquire,
  HSA_API_ID_hsa_signal_xor_screlease,
  HSA_API_ID_hsa_signal_xor_scacq_screl,
  HSA_API_ID_hsa_signal_exchange_relaxed,
  HSA_API_ID_hsa_signal_exchange_scacquire,
  HSA_API_ID_hsa_signal_exchange_screlease,
  HSA_API_ID_hsa_signal_exchange_scacq_screl,
  HSA_API_ID_hsa_signal_add_relaxed,
  HSA_API_ID_hsa_signal_add_scacquire,
  HSA_API_ID_hsa_signal_add_screlease,
  HSA_API_ID_hsa_signal_add_scacq_screl,
  HSA_API_ID_hsa_signal_subtract_relaxed,
  HSA_API_ID_hsa_signal_subtract_scacquire,
  HSA_API_ID_hsa_signal_subtract_screlease,
  HSA_API_ID_hsa_signal_subtract_scacq_screl,
  HSA_API_ID_hsa_signal_cas_relaxed,
  HSA_API_ID_hsa_signal_cas_scacquire,
  HSA_API_ID_hsa_signal_cas_screlease,
  HSA_API_ID_hsa_signal_cas_scacq_screl,
  HSA_API_ID_hsa_isa_from_name,
  HSA_API_ID_hsa_isa_get_info,
  HSA_API_ID_hsa_isa_compatible,
  HSA_API_ID_hsa_code_object_serialize,
  HSA_API_ID_hsa_code_object_deserialize,
  HSA_API_ID_hsa_code_object_destroy,
  HSA_API_ID_hsa_code_object_get_info,
  HSA_API_ID_hsa_code_object_get_symbol,
  HSA_API_ID_hsa_code_symbol_get_info,
  HSA_API_ID_hsa_code_object_iterate_symbols,
  HSA_API_ID_hsa_executable_create,
  HSA_API_ID_hsa_executable_destroy,
  HSA_API_ID_hsa_executable_load_code_object,
  HSA_API_ID_hsa_executable_freeze,
  HSA_API_ID_hsa_executable_get_info,
  HSA_API_ID_hsa_executable_global_variable_define,
  HSA_API_ID_hsa_executable_agent_global_variable_define,
  HSA_API_ID_hsa_executable_readonly_variable_define,
  HSA_API_ID_hsa_executable_validate,
  HSA_API_ID_hsa_executable_get_symbol,
  HSA_API_ID_hsa_executable_symbol_get_info,
  HSA_API_ID_hsa_executable_iterate_symbols,
  HSA_API_ID_hsa_status_string,
  HSA_API_ID_hsa_extension_get_name,
  HSA_API_ID_hsa_system_major_extension_supported,
  HSA_API_ID_hsa_system_get_major_extension_table,
  HSA_API_ID_hsa_agent_major_extension_supported,
  HSA_API_ID_hsa_cache_get_info,
  HSA_API_ID_hsa_agent_iterate_caches,
  HSA_API_ID_hsa_signal_silent_store_relaxed,
  HSA_API_ID_hsa_signal_silent_store_screlease,
  HSA_API_ID_hsa_signal_group_create,
  HSA_API_ID_hsa_signal_group_destroy,
  HSA_API_ID_hsa_signal_group_wait_any_scacquire,
  HSA_API_ID_hsa_signal_group_wait_any_relaxed,
  HSA_API_ID_hsa_agent_iterate_isas,
  HSA_API_ID_hsa_isa_get_info_alt,
  HSA_API_ID_hsa_isa_get_exception_policies,
  HSA_API_ID_hsa_isa_get_round_method,
  HSA_API_ID_hsa_wavefront_get_info,
  HSA_API_ID_hsa_isa_iterate_wavefronts,
  HSA_API_ID_hsa_code_object_get_symbol_from_name,
  HSA_API_ID_hsa_code_object_reader_create_from_file,
  HSA_API_ID_hsa_code_object_reader_create_from_memory,
  HSA_API_ID_hsa_code_object_reader_destroy,
  HSA_API_ID_hsa_executable_create_alt,
  HSA_API_ID_hsa_executable_load_program_code_object,
  HSA_API_ID_hsa_executable_load_agent_code_object,
  HSA_API_ID_hsa_executable_validate_alt,
  HSA_API_ID_hsa_executable_get_symbol_by_name,
  HSA_API_ID_hsa_executable_iterate_agent_symbols,
  HSA_API_ID_hsa_executable_iterate_program_symbols,
  HSA_API_ID_hsa_amd_coherency_get_type,
  HSA_API_ID_hsa_amd_coherency_set_type,
  HSA_API_ID_hsa_amd_profiling_set_profiler_enabled,
  HSA_API_ID_hsa_amd_profiling_async_copy_enable,
  HSA_API_ID_hsa_amd_profiling_get_dispatch_time,
  HSA_API_ID_hsa_amd_profiling_get_async_copy_time,
  HSA_API_ID_hsa_amd_profiling_convert_tick_to_system_domain,
  HSA_API_ID_hsa_amd_signal_async_handler,
  HSA_API_ID_hsa_amd_async_function,
  HSA_API_ID_hsa_amd_signal_wait_any,
  HSA_API_ID_hsa_amd_queue_cu_set_mask,
  HSA_API_ID_hsa_amd_memory_pool_get_info,
  HSA_API_ID_hsa_amd_agent_iterate_memory_pools,
  HSA_API_ID_hsa_amd_memory_pool_allocate,
  HSA_API_ID_hsa_amd_memory_pool_free,
  HSA_API_ID_hsa_amd_memory_async_copy,
  HSA_API_ID_hsa_amd_agent_memory_pool_get_info,
  HSA_API_ID_hsa_amd_agents_allow_access,
  HSA_API_ID_hsa_amd_memory_pool_can_migrate,
  HSA_API_ID_hsa_amd_memory_migrate,
  HSA_API_ID_hsa_amd_memory_lock,
  HSA_API_ID_hsa_amd_memory_unlock,
  HSA_API_ID_hsa_amd_memory_fill,
  HSA_API_ID_hsa_amd_interop_map_buffer,
  HSA_API_ID_hsa_amd_interop_unmap_buffer,
  HSA_API_ID_hsa_amd_image_create,
  HSA_API_ID_hsa_amd_pointer_info,
  HSA_API_ID_hsa_amd_pointer_info_set_userdata,
  HSA_API_ID_hsa_amd_ipc_memory_create,
  HSA_API_ID_hsa_amd_ipc_memory_attach,
  HSA_API_ID_hsa_amd_ipc_memory_detach,
  HSA_API_ID_hsa_amd_signal_create,
  HSA_API_ID_hsa_amd_ipc_signal_create,
  HSA_API_ID_hsa_amd_ipc_signal_attach,
  HSA_API_ID_hsa_amd_register_system_event_handler,
  HSA_API_ID_hsa_amd_queue_set_priority,
  HSA_API_ID_hsa_amd_memory_async_copy_rect,
  HSA_API_ID_hsa_amd_memory_lock_to_pool,
  HSA_API_ID_hsa_amd_register_deallocation_callback,
  HSA_API_ID_hsa_amd_deregister_deallocation_callback,
  HSA_API_ID_hsa_amd_signal_value_pointer,
  HSA_API_ID_hsa_amd_svm_attributes_set,
  HSA_API_ID_hsa_amd_svm_attributes_get,
  HSA_API_ID_hsa_amd_svm_prefetch_async,
  HSA_API_ID_hsa_amd_queue_cu_get_mask,
  HSA_API_ID_hsa_ext_image_get_capability,
  HSA_API_ID_hsa_ext_image_data_get_info,
  HSA_API_ID_hsa_ext_image_create,
  HSA_API_ID_hsa_ext_image_import,
  HSA_API_ID_hsa_ext_image_export,
  HSA_API_ID_hsa_ext_image_copy,
  HSA_API_ID_hsa_ext_image_clear,
  HSA_API_ID_hsa_ext_image_destroy,
  HSA_API_ID_hsa_ext_sampler_create,
  HSA_API_ID_hsa_ext_sampler_destroy,
  HSA_API_ID_hsa_ext_image_get_capability_with_layout,
  HSA_API_ID_hsa_ext_image_data_get_info_with_layout,
  HSA_API_ID_hsa_ext_image_create_with_layout,
#if HSA_AMD_INTERFACE_VERSION_MAJOR > 1 || HSA_AMD_INTERFACE_VERSION_MINOR >= 7
  HSA_API_ID_hsa_amd_memory_async_copy_on_engine,
  HSA_API_ID_hsa_amd_memory_copy_engine_status,
  HSA_API_ID_hsa_amd_spm_acquire,
  HSA_API_ID_hsa_amd_spm_release,
  HSA_API_ID_hsa_amd_spm_set_dest_buffer,
  HSA_API_ID_hsa_amd_portable_export_dmabuf,
  HSA_API_ID_hsa_amd_portable_close_dmabuf,
  HSA_API_ID_hsa_amd_vmem_address_reserve,
  HSA_API_ID_hsa_amd_vmem_address_free,
  HSA_API_ID_hsa_amd_vmem_handle_create,
  HSA_API_ID_hsa_amd_vmem_handle_release,
  HSA_API_ID_hsa_amd_vmem_map,
  HSA_API_ID_hsa_amd_vmem_unmap,
  HSA_API_ID_hsa_amd_vmem_set_access,
  HSA_API_ID_hsa_amd_vmem_get_access,
  HSA_API_ID_hsa_amd_vmem_export_shareable_handle,
  HSA_API_ID_hsa_amd_vmem_import_shareable_handle,
  HSA_API_ID_hsa_amd_vmem_retain_alloc_handle,
  HSA_API_ID_hsa_amd_vmem_get_alloc_properties_from_handle,
  HSA_API_ID_hsa_amd_agent_set_async_scratch_limit,
  HSA_API_ID_hsa_amd_queue_get_info,
  HSA_API_ID_hsa_amd_vmem_address_reserve_align,
  HSA_API_ID_hsa_amd_enable_logging,
  HSA_API_ID_hsa_amd_signal_wait_all,
  HSA_API_ID_hsa_ext_sampler_create_v2,
#endif
  HSA_API_ID_END
} hsa_api_id_t;

// The call that an event tells of. Arguments may be changed when it begins. With `skip` the call is left out, and `returned`
// is what the application gets; when it ends, `returned` may be changed, too.
typedef struct hsa_api_args {
  bool skip;
  union {
    struct {
      // A copy of the packet: its kernel object, kernel arguments, grid and workgroup.
      hsa_kernel_dispatch_packet_t *dispatch_packet;
      const char *kernel_name;
    } hsa_evt_kernel_launch;
    struct {
      hsa_status_t returned;
    } hsa_init;
    struct {
      hsa_status_t returned;
    } hsa_shut_down;
    struct {
      hsa_system_info_t attribute;
      void * value;
      hsa_status_t returned;
    } hsa_system_get_info;
    struct {
      uint16_t extension;
      uint16_t version_major;
      uint16_t version_minor;
      bool * result;
      hsa_status_t returned;
    } hsa_system_extension_supported;
    struct {
      uint16_t extension;
      uint16_t version_major;
      uint16_t version_minor;
      void * table;
      hsa_status_t returned;
    } hsa_system_get_extension_table;
    struct {
      hsa_status_t (*callback)(hsa_agent_t, void *);
      void * data;
      hsa_status_t returned;
    } hsa_iterate_agents;
    struct {
      hsa_agent_t agent;
      hsa_agent_info_t attribute;
      void * value;
      hsa_status_t returned;
    } hsa_agent_get_info;
    struct {
      hsa_agent_t agent;
      uint32_t size;
      hsa_queue_type32_t type;
      void (*callback)(hsa_status_t, hsa_queue_t *, void *);
      void * data;
      uint32_t private_segment_size;
      uint32_t group_segment_size;
      hsa_queue_t ** queue;
      hsa_status_t returned;
    } hsa_queue_create;
    struct {
      hsa_region_t region;
      uint32_t size;
      hsa_queue_type32_t type;
      uint32_t features;
      hsa_signal_t doorbell_signal;
      hsa_queue_t ** queue;
      hsa_status_t returned;
    } hsa_soft_queue_create;
    struct {
      hsa_queue_t * queue;
      hsa_status_t returned;
    } hsa_queue_destroy;
    struct {
      hsa_queue_t * queue;
      hsa_status_t returned;
    } hsa_queue_inactivate;
    struct {
      const hsa_queue_t * queue;
      uint64_t returned;
    } hsa_queue_load_read_index_scacquire;
    struct {
      const hsa_queue_t * queue;
      uint64_t returned;
    } hsa_queue_load_read_index_relaxed;
    struct {
      const hsa_queue_t * queue;
      uint64_t returned;
    } hsa_queue_load_write_index_scacquire;
    struct {
      const hsa_queue_t * queue;
      uint64_t returned;
    } hsa_queue_load_write_index_relaxed;
    struct {
      const hsa_queue_t * queue;
      uint64_t value;
    } hsa_queue_store_write_index_relaxed;
    struct {
      const hsa_queue_t * queue;
      uint64_t value;
    } hsa_queue_store_write_index_screlease;
    struct {
      const hsa_queue_t * queue;
      uint64_t expected;
      uint64_t value;
      uint64_t returned;
    } hsa_queue_cas_write_index_scacq_screl;
    struct {
      const hsa_queue_t * queue;
      uint64_t expected;
      uint64_t value;
      uint64_t returned;
    } hsa_queue_cas_write_index_scacquire;
    struct {
      const hsa_queue_t * queue;
      uint64_t expected;
      uint64_t value;
      uint64_t returned;
    } hsa_queue_cas_write_index_relaxed;
    struct {
      const hsa_queue_t * queue;
      uint64_t expected;
      uint64_t value;
      uint64_t returned;
    } hsa_queue_cas_write_index_screlease;
    struct {
      const hsa_queue_t * queue;
      uint64_t value;
      uint64_t returned;
    } hsa_queue_add_write_index_scacq_screl;
    struct {
      const hsa_queue_t * queue;
      uint64_t value;
      uint64_t returned;
    } hsa_queue_add_write_index_scacquire;
    struct {
      const hsa_queue_t * queue;
      uint64_t value;
      uint64_t returned;
    } hsa_queue_add_write_index_relaxed;
    struct {
      const hsa_queue_t * queue;
      uint64_t value;
      uint64_t returned;
    } hsa_queue_add_write_index_screlease;
    struct {
      const hsa_queue_t * queue;
      uint64_t value;
    } hsa_queue_store_read_index_relaxed;
    struct {
      const hsa_queue_t * queue;
      uint64_t value;
    } hsa_queue_store_read_index_screlease;
    struct {
      hsa_agent_t agent;
      hsa_status_t (*callback)(hsa_region_t, void *);
      void * data;
      hsa_status_t returned;
    } hsa_agent_iterate_regions;
    struct {
      hsa_region_t region;
      hsa_region_info_t attribute;
      void * value;
      hsa_status_t returned;
    } hsa_region_get_info;
    struct {
      hsa_agent_t agent;
      hsa_profile_t profile;
      uint16_t * mask;
      hsa_status_t returned;
    } hsa_agent_get_exception_policies;
    struct {
      uint16_t extension;
      hsa_agent_t agent;
      uint16_t version_major;
      uint16_t version_minor;
      bool * result;
      hsa_status_t returned;
    } hsa_agent_extension_supported;
    struct {
      void * ptr;
      size_t size;
      hsa_status_t returned;
    } hsa_memory_register;
    struct {
      void * ptr;
      size_t size;
      hsa_status_t returned;
    } hsa_memory_deregister;
    struct {
      hsa_region_t region;
      size_t size;
      void ** ptr;
      hsa_status_t returned;
    } hsa_memory_allocate;
    struct {
      void * ptr;
      hsa_status_t returned;
    } hsa_memory_free;
    struct {
      void * dst;
      const void * src;
      size_t size;
      hsa_status_t returned;
    } hsa_memory_copy;
    struct {
      void * ptr;
      hsa_agent_t agent;
      hsa_access_permission_t access;
      hsa_status_t returned;
    } hsa_memory_assign_agent;
    struct {
      hsa_signal_value_t initial_value;
      uint32_t num_consumers;
      const hsa_agent_t * consumers;
      hsa_signal_t * signal;
      hsa_status_t returned;
    } hsa_signal_create;
    struct {
      hsa_signal_t signal;
      hsa_status_t returned;
    } hsa_signal_destroy;
    struct {
      hsa_signal_t signal;
      hsa_signal_value_t returned;
    } hsa_signal_load_relaxed;
    struct {
      hsa_signal_t signal;
      hsa_signal_value_t returned;
    } hsa_signal_load_scacquire;
    struct {
      hsa_signal_t signal;
      hsa_signal_value_t value;
    } hsa_signal_store_relaxed;
    struct {
      hsa_signal_t signal;
      hsa_signal_value_t value;
    } hsa_signal_store_screlease;
    struct {
      hsa_signal_t signal;
      hsa_signal_condition_t condition;
      hsa_signal_value_t compare_value;
      uint64_t timeout_hint;
      hsa_wait_state_t wait_state_hint;
      hsa_signal_value_t returned;
    } hsa_signal_wait_relaxed;
    struct {
      hsa_signal_t signal;
      hsa_signal_condition_t condition;
      hsa_signal_value_t compare_value;
      uint64_t timeout_hint;
      hsa_wait_state_t wait_state_hint;
      hsa_signal_value_t returned;
    } hsa_signal_wait_scacquire;
    struct {
      hsa_signal_t signal;
      hsa_signal_value_t value;
    } hsa_signal_and_relaxed;
    struct {
      hsa_signal_t signal;
      hsa_signal_value_t value;
    } hsa_signal_and_scacquire;
    struct {
      hsa_signal_t signal;
      hsa_signal_value_t value;
    } hsa_signal_and_screlease;
    struct {
      hsa_signal_t signal;
      hsa_signal_value_t value;
    } hsa_signal_and_scacq_screl;
    struct {
      hsa_signal_t signal;
      hsa_signal_value_t value;
    } hsa_signal_or_relaxed;
    struct {
      hsa_signal_t signal;
      hsa_signal_value_t value;
    } hsa_signal_or_scacquire;
    struct {
      hsa_signal_t signal;
      hsa_signal_value_t value;
    } hsa_signal_or_screlease;
    struct {
      hsa_signal_t signal;
      hsa_signal_value_t value;
    } hsa_signal_or_scacq_screl;
    struct {
      hsa_signal_t signal;
      hsa_signal_value_t value;
    } hsa_signal_xor_relaxed;
    struct {
      hsa_signal_t signal;
      hsa_signal_value_t value;
    } hsa_signal_xor_scacquire;
    struct {
      hsa_signal_t signal;
      hsa_signal_value_t value;
    } hsa_signal_xor_screlease;
    struct {
      hsa_signal_t signal;
      hsa_signal_value_t value;
    } hsa_signal_xor_scacq_screl;
    struct {
      hsa_signal_t signal;
      hsa_signal_value_t value;
      hsa_signal_value_t returned;
    } hsa_signal_exchange_relaxed;
    struct {
      hsa_signal_t signal;
      hsa_signal_value_t value;
      hsa_signal_value_t returned;
    } hsa_signal_exchange_scacquire;
    struct {
      hsa_signal_t signal;
      hsa_signal_value_t value;
      hsa_signal_value_t returned;
    } hsa_signal_exchange_screlease;
    struct {
      hsa_signal_t signal;
      hsa_signal_value_t value;
      hsa_signal_value_t returned;
    } hsa_signal_exchange_scacq_screl;
    struct {
      hsa_signal_t signal;
      hsa_signal_value_t value;
    } hsa_signal_add_relaxed;
    struct {
      hsa_signal_t signal;
      hsa_signal_value_t value;
    } hsa_signal_add_scacquire;
    struct {
      hsa_signal_t signal;
      hsa_signal_value_t value;
    } hsa_signal_add_screlease;
    struct {
      hsa_signal_t signal;
      hsa_signal_value_t value;
    } hsa_signal_add_scacq_screl;
    struct {
      hsa_signal_t signal;
      hsa_signal_value_t value;
    } hsa_signal_subtract_relaxed;
    struct {
      hsa_signal_t signal;
      hsa_signal_value_t value;
    } hsa_signal_subtract_scacquire;
    struct {
      hsa_signal_t signal;
      hsa_signal_value_t value;
    } hsa_signal_subtract_screlease;
    struct {
      hsa_signal_t signal;
      hsa_signal_value_t value;
    } hsa_signal_subtract_scacq_screl;
    struct {
      hsa_signal_t signal;
      hsa_signal_value_t expected;
      hsa_signal_value_t value;
      hsa_signal_value_t returned;
    } hsa_signal_cas_relaxed;
    struct {
      hsa_signal_t signal;
      hsa_signal_value_t expected;
      hsa_signal_value_t value;
      hsa_signal_value_t returned;
    } hsa_signal_cas_scacquire;
    struct {
      hsa_signal_t signal;
      hsa_signal_value_t expected;
      hsa_signal_value_t value;
      hsa_signal_value_t returned;
    } hsa_signal_cas_screlease;
    struct {
      hsa_signal_t signal;
      hsa_signal_value_t expected;
      hsa_signal_value_t value;
      hsa_signal_value_t returned;
    } hsa_signal_cas_scacq_screl;
    struct {
      const char * name;
      hsa_isa_t * isa;
      hsa_status_t returned;
    } hsa_isa_from_name;
    struct {
      hsa_isa_t isa;
      hsa_isa_info_t attribute;
      uint32_t index;
      void * value;
      hsa_status_t returned;
    } hsa_isa_get_info;
    struct {
      hsa_isa_t code_object_isa;
      hsa_isa_t agent_isa;
      bool * result;
      hsa_status_t returned;
    } hsa_isa_compatible;
    struct {
      hsa_code_object_t code_object;
      hsa_status_t (*alloc_callback)(size_t, hsa_callback_data_t, void **);
      hsa_callback_data_t callback_data;
      const char * options;
      void ** serialized_code_object;
      size_t * serialized_code_object_size;
      hsa_status_t returned;
    } hsa_code_object_serialize;
    struct {
      void * serialized_code_object;
      size_t serialized_code_object_size;
      const char * options;
      hsa_code_object_t * code_object;
      hsa_status_t returned;
    } hsa_code_object_deserialize;
    struct {
      hsa_code_object_t code_object;
      hsa_status_t returned;
    } hsa_code_object_destroy;
    struct {
      hsa_code_object_t code_object;
      hsa_code_object_info_t attribute;
      void * value;
      hsa_status_t returned;
    } hsa_code_object_get_info;
    struct {
      hsa_code_object_t code_object;
      const char * symbol_name;
      hsa_code_symbol_t * symbol;
      hsa_status_t returned;
    } hsa_code_object_get_symbol;
    struct {
      hsa_code_symbol_t code_symbol;
      hsa_code_symbol_info_t attribute;
      void * value;
      hsa_status_t returned;
    } hsa_code_symbol_get_info;
    struct {
      hsa_code_object_t code_object;
      hsa_status_t (*callback)(hsa_code_object_t, hsa_code_symbol_t, void *);
      void * data;
      hsa_status_t returned;
    } hsa_code_object_iterate_symbols;
    struct {
      hsa_profile_t profile;
      hsa_executable_state_t executable_state;
      const char * options;
      hsa_executable_t * executable;
      hsa_status_t returned;
    } hsa_executable_create;
    struct {
      hsa_executable_t executable;
      hsa_status_t returned;
    } hsa_executable_destroy;
    struct {
      hsa_executable_t executable;
      hsa_agent_t agent;
      hsa_code_object_t code_object;
      const char * options;
      hsa_status_t returned;
    } hsa_executable_load_code_object;
    struct {
      hsa_executable_t executable;
      const char * options;
      hsa_status_t returned;
    } hsa_executable_freeze;
    struct {
      hsa_executable_t executable;
      hsa_executable_info_t attribute;
      void * value;
      hsa_status_t returned;
    } hsa_executable_get_info;
    struct {
      hsa_executable_t executable;
      const char * variable_name;
      void * address;
      hsa_status_t returned;
    } hsa_executable_global_variable_define;
    struct {
      hsa_executable_t executable;
      hsa_agent_t agent;
      const char * variable_name;
      void * address;
      hsa_status_t returned;
    } hsa_executable_agent_global_variable_define;
    struct {
      hsa_executable_t executable;
      hsa_agent_t agent;
      const char * variable_name;
      void * address;
      hsa_status_t returned;
    } hsa_executable_readonly_variable_define;
    struct {
      hsa_executable_t executable;
      uint32_t * result;
      hsa_status_t returned;
    } hsa_executable_validate;
    struct {
      hsa_executable_t executable;
      const char * module_name;
      const char * symbol_name;
      hsa_agent_t agent;
      int32_t call_convention;
      hsa_executable_symbol_t * symbol;
      hsa_status_t returned;
    } hsa_executable_get_symbol;
    struct {
      hsa_executable_symbol_t executable_symbol;
      hsa_executable_symbol_info_t attribute;
      void * value;
      hsa_status_t returned;
    } hsa_executable_symbol_get_info;
    struct {
      hsa_executable_t executable;
      hsa_status_t (*callback)(hsa_executable_t, hsa_executable_symbol_t, void *);
      void * data;
      hsa_status_t returned;
    } hsa_executable_iterate_symbols;
    struct {
      hsa_status_t status;
      const char ** status_string;
      hsa_status_t returned;
    } hsa_status_string;
    struct {
      uint16_t extension;
      const char ** name;
      hsa_status_t returned;
    } hsa_extension_get_name;
    struct {
      uint16_t extension;
      uint16_t version_major;
      uint16_t * version_minor;
      bool * result;
      hsa_status_t returned;
    } hsa_system_major_extension_supported;
    struct {
      uint16_t extension;
      uint16_t version_major;
      size_t table_length;
      void * table;
      hsa_status_t returned;
    } hsa_system_get_major_extension_table;
    struct {
      uint16_t extension;
      hsa_agent_t agent;
      uint16_t version_major;
      uint16_t * version_minor;
      bool * result;
      hsa_status_t returned;
    } hsa_agent_major_extension_supported;
    struct {
      hsa_cache_t cache;
      hsa_cache_info_t attribute;
      void * value;
      hsa_status_t returned;
    } hsa_cache_get_info;
    struct {
      hsa_agent_t agent;
      hsa_status_t (*callback)(hsa_cache_t, void *);
      void * data;
      hsa_status_t returned;
    } hsa_agent_iterate_caches;
    struct {
      hsa_signal_t signal;
      hsa_signal_value_t value;
    } hsa_signal_silent_store_relaxed;
    struct {
      hsa_signal_t signal;
      hsa_signal_value_t value;
    } hsa_signal_silent_store_screlease;
    struct {
      uint32_t num_signals;
      const hsa_signal_t * signals;
      uint32_t num_consumers;
      const hsa_agent_t * consumers;
      hsa_signal_group_t * signal_group;
      hsa_status_t returned;
    } hsa_signal_group_create;
    struct {
      hsa_signal_group_t signal_group;
      hsa_status_t returned;
    } hsa_signal_group_destroy;
    struct {
      hsa_signal_group_t signal_group;
      const hsa_signal_condition_t * conditions;
      const hsa_signal_value_t * compare_values;
      hsa_wait_state_t wait_state_hint;
      hsa_signal_t * signal;
      hsa_signal_value_t * value;
      hsa_status_t returned;
    } hsa_signal_group_wait_any_scacquire;
    struct {
      hsa_signal_group_t signal_group;
      const hsa_signal_condition_t * conditions;
      const hsa_signal_value_t * compare_values;
      hsa_wait_state_t wait_state_hint;
      hsa_signal_t * signal;
      hsa_signal_value_t * value;
      hsa_status_t returned;
    } hsa_signal_group_wait_any_relaxed;
    struct {
      hsa_agent_t agent;
      hsa_status_t (*callback)(hsa_isa_t, void *);
      void * data;
      hsa_status_t returned;
    } hsa_agent_iterate_isas;
    struct {
      hsa_isa_t isa;
      hsa_isa_info_t attribute;
      void * value;
      hsa_status_t returned;
    } hsa_isa_get_info_alt;
    struct {
      hsa_isa_t isa;
      hsa_profile_t profile;
      uint16_t * mask;
      hsa_status_t returned;
    } hsa_isa_get_exception_policies;
    struct {
      hsa_isa_t isa;
      hsa_fp_type_t fp_type;
      hsa_flush_mode_t flush_mode;
      hsa_round_method_t * round_method;
      hsa_status_t returned;
    } hsa_isa_get_round_method;
    struct {
      hsa_wavefront_t wavefront;
      hsa_wavefront_info_t attribute;
      void * value;
      hsa_status_t returned;
    } hsa_wavefront_get_info;
    struct {
      hsa_isa_t isa;
      hsa_status_t (*callback)(hsa_wavefront_t, void *);
      void * data;
      hsa_status_t returned;
    } hsa_isa_iterate_wavefronts;
    struct {
      hsa_code_object_t code_object;
      const char * module_name;
      const char * symbol_name;
      hsa_code_symbol_t * symbol;
      hsa_status_t returned;
    } hsa_code_object_get_symbol_from_name;
    struct {
      hsa_file_t file;
      hsa_code_object_reader_t * code_object_reader;
      hsa_status_t returned;
    } hsa_code_object_reader_create_from_file;
    struct {
      const void * code_object;
      size_t size;
      hsa_code_object_reader_t * code_object_reader;
      hsa_status_t returned;
    } hsa_code_object_reader_create_from_memory;
    struct {
      hsa_code_object_reader_t code_object_reader;
      hsa_status_t returned;
    } hsa_code_object_reader_destroy;
    struct {
      hsa_profile_t profile;
      hsa_default_float_rounding_mode_t default_float_rounding_mode;
      const char * options;
      hsa_executable_t * executable;
      hsa_status_t returned;
    } hsa_executable_create_alt;
    struct {
      hsa_executable_t executable;
      hsa_code_object_reader_t code_object_reader;
      const char * options;
      hsa_loaded_code_object_t * loaded_code_object;
      hsa_status_t returned;
    } hsa_executable_load_program_code_object;
    struct {
      hsa_executable_t executable;
      hsa_agent_t agent;
      hsa_code_object_reader_t code_object_reader;
      const char * options;
      hsa_loaded_code_object_t * loaded_code_object;
      hsa_status_t returned;
    } hsa_executable_load_agent_code_object;
    struct {
      hsa_executable_t executable;
      const char * options;
      uint32_t * result;
      hsa_status_t returned;
    } hsa_executable_validate_alt;
    struct {
      hsa_executable_t executable;
      const char * symbol_name;
      const hsa_agent_t * agent;
      hsa_executable_symbol_t * symbol;
      hsa_status_t returned;
    } hsa_executable_get_symbol_by_name;
    struct {
      hsa_executable_t executable;
      hsa_agent_t agent;
      hsa_status_t (*callback)(hsa_executable_t, hsa_agent_t, hsa_executable_symbol_t, void *);
      void * data;
      hsa_status_t returned;
    } hsa_executable_iterate_agent_symbols;
    struct {
      hsa_executable_t executable;
      hsa_status_t (*callback)(hsa_executable_t, hsa_executable_symbol_t, void *);
      void * data;
      hsa_status_t returned;
    } hsa_executable_iterate_program_symbols;
    struct {
      hsa_agent_t agent;
      hsa_amd_coherency_type_t * type;
      hsa_status_t returned;
    } hsa_amd_coherency_get_type;
    struct {
      hsa_agent_t agent;
      hsa_amd_coherency_type_t type;
      hsa_status_t returned;
    } hsa_amd_coherency_set_type;
    struct {
      hsa_queue_t * queue;
      int enable;
      hsa_status_t returned;
    } hsa_amd_profiling_set_profiler_enabled;
    struct {
      bool enable;
      hsa_status_t returned;
    } hsa_amd_profiling_async_copy_enable;
    struct {
      hsa_agent_t agent;
      hsa_signal_t signal;
      hsa_amd_profiling_dispatch_time_t * time;
      hsa_status_t returned;
    } hsa_amd_profiling_get_dispatch_time;
    struct {
      hsa_signal_t signal;
      hsa_amd_profiling_async_copy_time_t * time;
      hsa_status_t returned;
    } hsa_amd_profiling_get_async_copy_time;
    struct {
      hsa_agent_t agent;
      uint64_t agent_tick;
      uint64_t * system_tick;
      hsa_status_t returned;
    } hsa_amd_profiling_convert_tick_to_system_domain;
    struct {
      hsa_signal_t signal;
      hsa_signal_condition_t cond;
      hsa_signal_value_t value;
      hsa_amd_signal_handler handler;
      void * arg;
      hsa_status_t returned;
    } hsa_amd_signal_async_handler;
    struct {
      void (*callback)(void *);
      void * arg;
      hsa_status_t returned;
    } hsa_amd_async_function;
    struct {
      uint32_t signal_count;
      hsa_signal_t * signals;
      hsa_signal_condition_t * conds;
      hsa_signal_value_t * values;
      uint64_t timeout_hint;
      hsa_wait_state_t wait_hint;
      hsa_signal_value_t * satisfying_value;
      uint32_t returned;
    } hsa_amd_signal_wait_any;
    struct {
      const hsa_queue_t * queue;
      uint32_t num_cu_mask_count;
      const uint32_t * cu_mask;
      hsa_status_t returned;
    } hsa_amd_queue_cu_set_mask;
    struct {
      hsa_amd_memory_pool_t memory_pool;
      hsa_amd_memory_pool_info_t attribute;
      void * value;
      hsa_status_t returned;
    } hsa_amd_memory_pool_get_info;
    struct {
      hsa_agent_t agent;
      hsa_status_t (*callback)(hsa_amd_memory_pool_t, void *);
      void * data;
      hsa_status_t returned;
    } hsa_amd_agent_iterate_memory_pools;
    struct {
      hsa_amd_memory_pool_t memory_pool;
      size_t size;
      uint32_t flags;
      void ** ptr;
      hsa_status_t returned;
    } hsa_amd_memory_pool_allocate;
    struct {
      void * ptr;
      hsa_status_t returned;
    } hsa_amd_memory_pool_free;
    struct {
      void * dst;
      hsa_agent_t dst_agent;
      const void * src;
      hsa_agent_t src_agent;
      size_t size;
      uint32_t num_dep_signals;
      const hsa_signal_t * dep_signals;
      hsa_signal_t completion_signal;
      hsa_status_t returned;
    } hsa_amd_memory_async_copy;
    struct {
      hsa_agent_t agent;
      hsa_amd_memory_pool_t memory_pool;
      hsa_amd_agent_memory_pool_info_t attribute;
      void * value;
      hsa_status_t returned;
    } hsa_amd_agent_memory_pool_get_info;
    struct {
      uint32_t num_agents;
      const hsa_agent_t * agents;
      const uint32_t * flags;
      const void * ptr;
      hsa_status_t returned;
    } hsa_amd_agents_allow_access;
    struct {
      hsa_amd_memory_pool_t src_memory_pool;
      hsa_amd_memory_pool_t dst_memory_pool;
      bool * result;
      hsa_status_t returned;
    } hsa_amd_memory_pool_can_migrate;
    struct {
      const void * ptr;
      hsa_amd_memory_pool_t memory_pool;
      uint32_t flags;
      hsa_status_t returned;
    } hsa_amd_memory_migrate;
    struct {
      void * host_ptr;
      size_t size;
      hsa_agent_t * agents;
      int num_agent;
      void ** agent_ptr;
      hsa_status_t returned;
    } hsa_amd_memory_lock;
    struct {
      void * host_ptr;
      hsa_status_t returned;
    } hsa_amd_memory_unlock;
    struct {
      void * ptr;
      uint32_t value;
      size_t count;
      hsa_status_t returned;
    } hsa_amd_memory_fill;
    struct {
      uint32_t num_agents;
      hsa_agent_t * agents;
      int interop_handle;
      uint32_t flags;
      size_t * size;
      void ** ptr;
      size_t * metadata_size;
      const void ** metadata;
      hsa_status_t returned;
    } hsa_amd_interop_map_buffer;
    struct {
      void * ptr;
      hsa_status_t returned;
    } hsa_amd_interop_unmap_buffer;
    struct {
      hsa_agent_t agent;
      const hsa_ext_image_descriptor_t * image_descriptor;
      const hsa_amd_image_descriptor_t * image_layout;
      const void * image_data;
      hsa_access_permission_t access_permission;
      hsa_ext_image_t * image;
      hsa_status_t returned;
    } hsa_amd_image_create;
    struct {
      const void * ptr;
      hsa_amd_pointer_info_t * info;
      void *(*alloc)(size_t);
      uint32_t * num_agents_accessible;
      hsa_agent_t ** accessible;
      hsa_status_t returned;
    } hsa_amd_pointer_info;
    struct {
      const void * ptr;
      void * userdata;
      hsa_status_t returned;
    } hsa_amd_pointer_info_set_userdata;
    struct {
      void * ptr;
      size_t len;
      hsa_amd_ipc_memory_t * handle;
      hsa_status_t returned;
    } hsa_amd_ipc_memory_create;
    struct {
      const hsa_amd_ipc_memory_t * handle;
      size_t len;
      uint32_t num_agents;
      const hsa_agent_t * mapping_agents;
      void ** mapped_ptr;
      hsa_status_t returned;
    } hsa_amd_ipc_memory_attach;
    struct {
      void * mapped_ptr;
      hsa_status_t returned;
    } hsa_amd_ipc_memory_detach;
    struct {
      hsa_signal_value_t initial_value;
      uint32_t num_consumers;
      const hsa_agent_t * consumers;
      uint64_t attributes;
      hsa_signal_t * signal;
      hsa_status_t returned;
    } hsa_amd_signal_create;
    struct {
      hsa_signal_t signal;
      hsa_amd_ipc_signal_t * handle;
      hsa_status_t returned;
    } hsa_amd_ipc_signal_create;
    struct {
      const hsa_amd_ipc_signal_t * handle;
      hsa_signal_t * signal;
      hsa_status_t returned;
    } hsa_amd_ipc_signal_attach;
    struct {
      hsa_amd_system_event_callback_t callback;
      void * data;
      hsa_status_t returned;
    } hsa_amd_register_system_event_handler;
    struct {
      hsa_queue_t * queue;
      hsa_amd_queue_priority_t priority;
      hsa_status_t returned;
    } hsa_amd_queue_set_priority;
    struct {
      const hsa_pitched_ptr_t * dst;
      const hsa_dim3_t * dst_offset;
      const hsa_pitched_ptr_t * src;
      const hsa_dim3_t * src_offset;
      const hsa_dim3_t * range;
      hsa_agent_t copy_agent;
      hsa_amd_copy_direction_t dir;
      uint32_t num_dep_signals;
      const hsa_signal_t * dep_signals;
      hsa_signal_t completion_signal;
      hsa_status_t returned;
    } hsa_amd_memory_async_copy_rect;
    struct {
      void * host_ptr;
      size_t size;
      hsa_agent_t * agents;
      int num_agent;
      hsa_amd_memory_pool_t pool;
      uint32_t flags;
      void ** agent_ptr;
      hsa_status_t returned;
    } hsa_amd_memory_lock_to_pool;
    struct {
      void * ptr;
      hsa_amd_deallocation_callback_t callback;
      void * user_data;
      hsa_status_t returned;
    } hsa_amd_register_deallocation_callback;
    struct {
      void * ptr;
      hsa_amd_deallocation_callback_t callback;
      hsa_status_t returned;
    } hsa_amd_deregister_deallocation_callback;
    struct {
      hsa_signal_t signal;
      volatile hsa_signal_value_t ** value_ptr;
      hsa_status_t returned;
    } hsa_amd_signal_value_pointer;
    struct {
      void * ptr;
      size_t size;
      hsa_amd_svm_attribute_pair_t * attribute_list;
      size_t attribute_count;
      hsa_status_t returned;
    } hsa_amd_svm_attributes_set;
    struct {
      void * ptr;
      size_t size;
      hsa_amd_svm_attribute_pair_t * attribute_list;
      size_t attribute_count;
      hsa_status_t returned;
    } hsa_amd_svm_attributes_get;
    struct {
      void * ptr;
      size_t size;
      hsa_agent_t agent;
      uint32_t num_dep_signals;
      const hsa_signal_t * dep_signals;
      hsa_signal_t completion_signal;
      hsa_status_t returned;
    } hsa_amd_svm_prefetch_async;
    struct {
      const hsa_queue_t * queue;
      uint32_t num_cu_mask_count;
      uint32_t * cu_mask;
      hsa_status_t returned;
    } hsa_amd_queue_cu_get_mask;
    struct {
      hsa_agent_t agent;
      hsa_ext_image_geometry_t geometry;
      const hsa_ext_image_format_t * image_format;
      uint32_t * capability_mask;
      hsa_status_t returned;
    } hsa_ext_image_get_capability;
    struct {
      hsa_agent_t agent;
      const hsa_ext_image_descriptor_t * image_descriptor;
      hsa_access_permission_t access_permission;
      hsa_ext_image_data_info_t * image_data_info;
      hsa_status_t returned;
    } hsa_ext_image_data_get_info;
    struct {
      hsa_agent_t agent;
      const hsa_ext_image_descriptor_t * image_descriptor;
      const void * image_data;
      hsa_access_permission_t access_permission;
      hsa_ext_image_t * image;
      hsa_status_t returned;
    } hsa_ext_image_create;
    struct {
      hsa_agent_t agent;
      const void * src_memory;
      size_t src_row_pitch;
      size_t src_slice_pitch;
      hsa_ext_image_t dst_image;
      const hsa_ext_image_region_t * image_region;
      hsa_status_t returned;
    } hsa_ext_image_import;
    struct {
      hsa_agent_t agent;
      hsa_ext_image_t src_image;
      void * dst_memory;
      size_t dst_row_pitch;
      size_t dst_slice_pitch;
      const hsa_ext_image_region_t * image_region;
      hsa_status_t returned;
    } hsa_ext_image_export;
    struct {
      hsa_agent_t agent;
      hsa_ext_image_t src_image;
      const hsa_dim3_t * src_offset;
      hsa_ext_image_t dst_image;
      const hsa_dim3_t * dst_offset;
      const hsa_dim3_t * range;
      hsa_status_t returned;
    } hsa_ext_image_copy;
    struct {
      hsa_agent_t agent;
      hsa_ext_image_t image;
      const void * data;
      const hsa_ext_image_region_t * image_region;
      hsa_status_t returned;
    } hsa_ext_image_clear;
    struct {
      hsa_agent_t agent;
      hsa_ext_image_t image;
      hsa_status_t returned;
    } hsa_ext_image_destroy;
    struct {
      hsa_agent_t agent;
      const hsa_ext_sampler_descriptor_t * sampler_descriptor;
      hsa_ext_sampler_t * sampler;
      hsa_status_t returned;
    } hsa_ext_sampler_create;
    struct {
      hsa_agent_t agent;
      hsa_ext_sampler_t sampler;
      hsa_status_t returned;
    } hsa_ext_sampler_destroy;
    struct {
      hsa_agent_t agent;
      hsa_ext_image_geometry_t geometry;
      const hsa_ext_image_format_t * image_format;
      hsa_ext_image_data_layout_t image_data_layout;
      uint32_t * capability_mask;
      hsa_status_t returned;
    } hsa_ext_image_get_capability_with_layout;
    struct {
      hsa_agent_t agent;
      const hsa_ext_image_descriptor_t * image_descriptor;
      hsa_access_permission_t access_permission;
      hsa_ext_image_data_layout_t image_data_layout;
      size_t image_data_row_pitch;
      size_t image_data_slice_pitch;
      hsa_ext_image_data_info_t * image_data_info;
      hsa_status_t returned;
    } hsa_ext_image_data_get_info_with_layout;
    struct {
      hsa_agent_t agent;
      const hsa_ext_image_descriptor_t * image_descriptor;
      const void * image_data;
      hsa_access_permission_t access_permission;
      hsa_ext_image_data_layout_t image_data_layout;
      size_t image_data_row_pitch;
      size_t image_data_slice_pitch;
      hsa_ext_image_t * image;
      hsa_status_t returned;
    } hsa_ext_image_create_with_layout;
#if HSA_AMD_INTERFACE_VERSION_MAJOR > 1 || HSA_AMD_INTERFACE_VERSION_MINOR >= 7
    struct {
      void * dst;
      hsa_agent_t dst_agent;
      const void * src;
      hsa_agent_t src_agent;
      size_t size;
      uint32_t num_dep_signals;
      const hsa_signal_t * dep_signals;
      hsa_signal_t completion_signal;
      hsa_amd_sdma_engine_id_t engine_id;
      bool force_copy_on_sdma;
      hsa_status_t returned;
    } hsa_amd_memory_async_copy_on_engine;
    struct {
      hsa_agent_t dst_agent;
      hsa_agent_t src_agent;
      uint32_t * engine_ids_mask;
      hsa_status_t returned;
    } hsa_amd_memory_copy_engine_status;
    struct {
      hsa_agent_t preferred_agent;
      hsa_status_t returned;
    } hsa_amd_spm_acquire;
    struct {
      hsa_agent_t preferred_agent;
      hsa_status_t returned;
    } hsa_amd_spm_release;
    struct {
      hsa_agent_t preferred_agent;
      size_t size_in_bytes;
      uint32_t * timeout;
      uint32_t * size_copied;
      void * dest;
      bool * is_data_loss;
      hsa_status_t returned;
    } hsa_amd_spm_set_dest_buffer;
    struct {
      const void * ptr;
      size_t size;
      int * dmabuf;
      uint64_t * offset;
      hsa_status_t returned;
    } hsa_amd_portable_export_dmabuf;
    struct {
      int dmabuf;
      hsa_status_t returned;
    } hsa_amd_portable_close_dmabuf;
    struct {
      void ** va;
      size_t size;
      uint64_t address;
      uint64_t flags;
      hsa_status_t returned;
    } hsa_amd_vmem_address_reserve;
    struct {
      void * va;
      size_t size;
      hsa_status_t returned;
    } hsa_amd_vmem_address_free;
    struct {
      hsa_amd_memory_pool_t pool;
      size_t size;
      hsa_amd_memory_type_t type;
      uint64_t flags;
      hsa_amd_vmem_alloc_handle_t * memory_handle;
      hsa_status_t returned;
    } hsa_amd_vmem_handle_create;
    struct {
      hsa_amd_vmem_alloc_handle_t memory_handle;
      hsa_status_t returned;
    } hsa_amd_vmem_handle_release;
    struct {
      void * va;
      size_t size;
      size_t in_offset;
      hsa_amd_vmem_alloc_handle_t memory_handle;
      uint64_t flags;
      hsa_status_t returned;
    } hsa_amd_vmem_map;
    struct {
      void * va;
      size_t size;
      hsa_status_t returned;
    } hsa_amd_vmem_unmap;
    struct {
      void * va;
      size_t size;
      const hsa_amd_memory_access_desc_t * desc;
      size_t desc_cnt;
      hsa_status_t returned;
    } hsa_amd_vmem_set_access;
    struct {
      void * va;
      hsa_access_permission_t * perms;
      hsa_agent_t agent_handle;
      hsa_status_t returned;
    } hsa_amd_vmem_get_access;
    struct {
      int * dmabuf_fd;
      hsa_amd_vmem_alloc_handle_t handle;
      uint64_t flags;
      hsa_status_t returned;
    } hsa_amd_vmem_export_shareable_handle;
    struct {
      int dmabuf_fd;
      hsa_amd_vmem_alloc_handle_t * handle;
      hsa_status_t returned;
    } hsa_amd_vmem_import_shareable_handle;
    struct {
      hsa_amd_vmem_alloc_handle_t * memory_handle;
      void * addr;
      hsa_status_t returned;
    } hsa_amd_vmem_retain_alloc_handle;
    struct {
      hsa_amd_vmem_alloc_handle_t memory_handle;
      hsa_amd_memory_pool_t * pool;
      hsa_amd_memory_type_t * type;
      hsa_status_t returned;
    } hsa_amd_vmem_get_alloc_properties_from_handle;
    struct {
      hsa_agent_t agent;
      size_t threshold;
      hsa_status_t returned;
    } hsa_amd_agent_set_async_scratch_limit;
    struct {
      hsa_queue_t * queue;
      hsa_queue_info_attribute_t attribute;
      void * value;
      hsa_status_t returned;
    } hsa_amd_queue_get_info;
    struct {
      void ** va;
      size_t size;
      uint64_t address;
      uint64_t alignment;
      uint64_t flags;
      hsa_status_t returned;
    } hsa_amd_vmem_address_reserve_align;
    struct {
      uint8_t * flags;
      void * file;
      hsa_status_t returned;
    } hsa_amd_enable_logging;
    struct {
      uint32_t signal_count;
      hsa_signal_t * signals;
      hsa_signal_condition_t * conds;
      hsa_signal_value_t * values;
      uint64_t timeout_hint;
      hsa_wait_state_t wait_hint;
      hsa_signal_value_t * satisfying_values;
      uint32_t returned;
    } hsa_amd_signal_wait_all;
    struct {
      hsa_agent_t agent;
      const hsa_ext_sampler_descriptor_v2_t * sampler_descriptor;
      hsa_ext_sampler_t * sampler;
      hsa_status_t returned;
    } hsa_ext_sampler_create_v2;
#endif
  };
} hsa_api_args_t;

void luthier_tell(hsa_api_args_t *args, luthier_api_phase_t phase, hsa_api_id_t id);
bool luthier_is_telling();

template <hsa_api_id_t> struct luthier_hsa;

template <> struct luthier_hsa<HSA_API_ID_hsa_init> {
  static inline decltype(&::hsa_init) original = nullptr;
  static hsa_status_t call() {
    if (luthier_is_telling())
      return original();
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_init;
    (void)own;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_init);
    if (!args.skip)
      own.returned = original();
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_init);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_shut_down> {
  static inline decltype(&::hsa_shut_down) original = nullptr;
  static hsa_status_t call() {
    if (luthier_is_telling())
      return original();
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_shut_down;
    (void)own;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_shut_down);
    if (!args.skip)
      own.returned = original();
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_shut_down);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_system_get_info> {
  static inline decltype(&::hsa_system_get_info) original = nullptr;
  static hsa_status_t call(hsa_system_info_t attribute, void * value) {
    if (luthier_is_telling())
      return original(attribute, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_system_get_info;
    (void)own;
    own.attribute = attribute;
    own.value = value;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_system_get_info);
    if (!args.skip)
      own.returned = original(own.attribute, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_system_get_info);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_system_extension_supported> {
  static inline decltype(&::hsa_system_extension_supported) original = nullptr;
  static hsa_status_t call(uint16_t extension, uint16_t version_major, uint16_t version_minor, bool * result) {
    if (luthier_is_telling())
      return original(extension, version_major, version_minor, result);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_system_extension_supported;
    (void)own;
    own.extension = extension;
    own.version_major = version_major;
    own.version_minor = version_minor;
    own.result = result;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_system_extension_supported);
    if (!args.skip)
      own.returned = original(own.extension, own.version_major, own.version_minor, own.result);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_system_extension_supported);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_system_get_extension_table> {
  static inline decltype(&::hsa_system_get_extension_table) original = nullptr;
  static hsa_status_t call(uint16_t extension, uint16_t version_major, uint16_t version_minor, void * table) {
    if (luthier_is_telling())
      return original(extension, version_major, version_minor, table);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_system_get_extension_table;
    (void)own;
    own.extension = extension;
    own.version_major = version_major;
    own.version_minor = version_minor;
    own.table = table;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_system_get_extension_table);
    if (!args.skip)
      own.returned = original(own.extension, own.version_major, own.version_minor, own.table);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_system_get_extension_table);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_iterate_agents> {
  static inline decltype(&::hsa_iterate_agents) original = nullptr;
  static hsa_status_t call(hsa_status_t (*callback)(hsa_agent_t, void *), void * data) {
    if (luthier_is_telling())
      return original(callback, data);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_iterate_agents;
    (void)own;
    own.callback = callback;
    own.data = data;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_iterate_agents);
    if (!args.skip)
      own.returned = original(own.callback, own.data);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_iterate_agents);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_agent_get_info> {
  static inline decltype(&::hsa_agent_get_info) original = nullptr;
  static hsa_status_t call(hsa_agent_t agent, hsa_agent_info_t attribute, void * value) {
    if (luthier_is_telling())
      return original(agent, attribute, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_agent_get_info;
    (void)own;
    own.agent = agent;
    own.attribute = attribute;
    own.value = value;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_agent_get_info);
    if (!args.skip)
      own.returned = original(own.agent, own.attribute, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_agent_get_info);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_queue_create> {
  static inline decltype(&::hsa_queue_create) original = nullptr;
  static hsa_status_t call(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type, void (*callback)(hsa_status_t, hsa_queue_t *, void *), void * data, uint32_t private_segment_size, uint32_t group_segment_size, hsa_queue_t ** queue) {
    if (luthier_is_telling())
      return original(agent, size, type, callback, data, private_segment_size, group_segment_size, queue);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_queue_create;
    (void)own;
    own.agent = agent;
    own.size = size;
    own.type = type;
    own.callback = callback;
    own.data = data;
    own.private_segment_size = private_segment_size;
    own.group_segment_size = group_segment_size;
    own.queue = queue;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_queue_create);
    if (!args.skip)
      own.returned = original(own.agent, own.size, own.type, own.callback, own.data, own.private_segment_size, own.group_segment_size, own.queue);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_queue_create);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_soft_queue_create> {
  static inline decltype(&::hsa_soft_queue_create) original = nullptr;
  static hsa_status_t call(hsa_region_t region, uint32_t size, hsa_queue_type32_t type, uint32_t features, hsa_signal_t doorbell_signal, hsa_queue_t ** queue) {
    if (luthier_is_telling())
      return original(region, size, type, features, doorbell_signal, queue);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_soft_queue_create;
    (void)own;
    own.region = region;
    own.size = size;
    own.type = type;
    own.features = features;
    own.doorbell_signal = doorbell_signal;
    own.queue = queue;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_soft_queue_create);
    if (!args.skip)
      own.returned = original(own.region, own.size, own.type, own.features, own.doorbell_signal, own.queue);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_soft_queue_create);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_queue_destroy> {
  static inline decltype(&::hsa_queue_destroy) original = nullptr;
  static hsa_status_t call(hsa_queue_t * queue) {
    if (luthier_is_telling())
      return original(queue);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_queue_destroy;
    (void)own;
    own.queue = queue;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_queue_destroy);
    if (!args.skip)
      own.returned = original(own.queue);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_queue_destroy);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_queue_inactivate> {
  static inline decltype(&::hsa_queue_inactivate) original = nullptr;
  static hsa_status_t call(hsa_queue_t * queue) {
    if (luthier_is_telling())
      return original(queue);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_queue_inactivate;
    (void)own;
    own.queue = queue;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_queue_inactivate);
    if (!args.skip)
      own.returned = original(own.queue);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_queue_inactivate);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_queue_load_read_index_scacquire> {
  static inline decltype(&::hsa_queue_load_read_index_scacquire) original = nullptr;
  static uint64_t call(const hsa_queue_t * queue) {
    if (luthier_is_telling())
      return original(queue);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_queue_load_read_index_scacquire;
    (void)own;
    own.queue = queue;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_queue_load_read_index_scacquire);
    if (!args.skip)
      own.returned = original(own.queue);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_queue_load_read_index_scacquire);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_queue_load_read_index_relaxed> {
  static inline decltype(&::hsa_queue_load_read_index_relaxed) original = nullptr;
  static uint64_t call(const hsa_queue_t * queue) {
    if (luthier_is_telling())
      return original(queue);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_queue_load_read_index_relaxed;
    (void)own;
    own.queue = queue;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_queue_load_read_index_relaxed);
    if (!args.skip)
      own.returned = original(own.queue);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_queue_load_read_index_relaxed);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_queue_load_write_index_scacquire> {
  static inline decltype(&::hsa_queue_load_write_index_scacquire) original = nullptr;
  static uint64_t call(const hsa_queue_t * queue) {
    if (luthier_is_telling())
      return original(queue);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_queue_load_write_index_scacquire;
    (void)own;
    own.queue = queue;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_queue_load_write_index_scacquire);
    if (!args.skip)
      own.returned = original(own.queue);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_queue_load_write_index_scacquire);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_queue_load_write_index_relaxed> {
  static inline decltype(&::hsa_queue_load_write_index_relaxed) original = nullptr;
  static uint64_t call(const hsa_queue_t * queue) {
    if (luthier_is_telling())
      return original(queue);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_queue_load_write_index_relaxed;
    (void)own;
    own.queue = queue;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_queue_load_write_index_relaxed);
    if (!args.skip)
      own.returned = original(own.queue);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_queue_load_write_index_relaxed);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_queue_store_write_index_relaxed> {
  static inline decltype(&::hsa_queue_store_write_index_relaxed) original = nullptr;
  static void call(const hsa_queue_t * queue, uint64_t value) {
    if (luthier_is_telling())
      return original(queue, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_queue_store_write_index_relaxed;
    (void)own;
    own.queue = queue;
    own.value = value;
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_queue_store_write_index_relaxed);
    if (!args.skip)
      original(own.queue, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_queue_store_write_index_relaxed);
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_queue_store_write_index_screlease> {
  static inline decltype(&::hsa_queue_store_write_index_screlease) original = nullptr;
  static void call(const hsa_queue_t * queue, uint64_t value) {
    if (luthier_is_telling())
      return original(queue, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_queue_store_write_index_screlease;
    (void)own;
    own.queue = queue;
    own.value = value;
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_queue_store_write_index_screlease);
    if (!args.skip)
      original(own.queue, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_queue_store_write_index_screlease);
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_queue_cas_write_index_scacq_screl> {
  static inline decltype(&::hsa_queue_cas_write_index_scacq_screl) original = nullptr;
  static uint64_t call(const hsa_queue_t * queue, uint64_t expected, uint64_t value) {
    if (luthier_is_telling())
      return original(queue, expected, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_queue_cas_write_index_scacq_screl;
    (void)own;
    own.queue = queue;
    own.expected = expected;
    own.value = value;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_queue_cas_write_index_scacq_screl);
    if (!args.skip)
      own.returned = original(own.queue, own.expected, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_queue_cas_write_index_scacq_screl);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_queue_cas_write_index_scacquire> {
  static inline decltype(&::hsa_queue_cas_write_index_scacquire) original = nullptr;
  static uint64_t call(const hsa_queue_t * queue, uint64_t expected, uint64_t value) {
    if (luthier_is_telling())
      return original(queue, expected, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_queue_cas_write_index_scacquire;
    (void)own;
    own.queue = queue;
    own.expected = expected;
    own.value = value;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_queue_cas_write_index_scacquire);
    if (!args.skip)
      own.returned = original(own.queue, own.expected, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_queue_cas_write_index_scacquire);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_queue_cas_write_index_relaxed> {
  static inline decltype(&::hsa_queue_cas_write_index_relaxed) original = nullptr;
  static uint64_t call(const hsa_queue_t * queue, uint64_t expected, uint64_t value) {
    if (luthier_is_telling())
      return original(queue, expected, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_queue_cas_write_index_relaxed;
    (void)own;
    own.queue = queue;
    own.expected = expected;
    own.value = value;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_queue_cas_write_index_relaxed);
    if (!args.skip)
      own.returned = original(own.queue, own.expected, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_queue_cas_write_index_relaxed);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_queue_cas_write_index_screlease> {
  static inline decltype(&::hsa_queue_cas_write_index_screlease) original = nullptr;
  static uint64_t call(const hsa_queue_t * queue, uint64_t expected, uint64_t value) {
    if (luthier_is_telling())
      return original(queue, expected, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_queue_cas_write_index_screlease;
    (void)own;
    own.queue = queue;
    own.expected = expected;
    own.value = value;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_queue_cas_write_index_screlease);
    if (!args.skip)
      own.returned = original(own.queue, own.expected, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_queue_cas_write_index_screlease);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_queue_add_write_index_scacq_screl> {
  static inline decltype(&::hsa_queue_add_write_index_scacq_screl) original = nullptr;
  static uint64_t call(const hsa_queue_t * queue, uint64_t value) {
    if (luthier_is_telling())
      return original(queue, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_queue_add_write_index_scacq_screl;
    (void)own;
    own.queue = queue;
    own.value = value;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_queue_add_write_index_scacq_screl);
    if (!args.skip)
      own.returned = original(own.queue, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_queue_add_write_index_scacq_screl);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_queue_add_write_index_scacquire> {
  static inline decltype(&::hsa_queue_add_write_index_scacquire) original = nullptr;
  static uint64_t call(const hsa_queue_t * queue, uint64_t value) {
    if (luthier_is_telling())
      return original(queue, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_queue_add_write_index_scacquire;
    (void)own;
    own.queue = queue;
    own.value = value;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_queue_add_write_index_scacquire);
    if (!args.skip)
      own.returned = original(own.queue, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_queue_add_write_index_scacquire);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_queue_add_write_index_relaxed> {
  static inline decltype(&::hsa_queue_add_write_index_relaxed) original = nullptr;
  static uint64_t call(const hsa_queue_t * queue, uint64_t value) {
    if (luthier_is_telling())
      return original(queue, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_queue_add_write_index_relaxed;
    (void)own;
    own.queue = queue;
    own.value = value;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_queue_add_write_index_relaxed);
    if (!args.skip)
      own.returned = original(own.queue, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_queue_add_write_index_relaxed);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_queue_add_write_index_screlease> {
  static inline decltype(&::hsa_queue_add_write_index_screlease) original = nullptr;
  static uint64_t call(const hsa_queue_t * queue, uint64_t value) {
    if (luthier_is_telling())
      return original(queue, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_queue_add_write_index_screlease;
    (void)own;
    own.queue = queue;
    own.value = value;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_queue_add_write_index_screlease);
    if (!args.skip)
      own.returned = original(own.queue, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_queue_add_write_index_screlease);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_queue_store_read_index_relaxed> {
  static inline decltype(&::hsa_queue_store_read_index_relaxed) original = nullptr;
  static void call(const hsa_queue_t * queue, uint64_t value) {
    if (luthier_is_telling())
      return original(queue, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_queue_store_read_index_relaxed;
    (void)own;
    own.queue = queue;
    own.value = value;
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_queue_store_read_index_relaxed);
    if (!args.skip)
      original(own.queue, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_queue_store_read_index_relaxed);
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_queue_store_read_index_screlease> {
  static inline decltype(&::hsa_queue_store_read_index_screlease) original = nullptr;
  static void call(const hsa_queue_t * queue, uint64_t value) {
    if (luthier_is_telling())
      return original(queue, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_queue_store_read_index_screlease;
    (void)own;
    own.queue = queue;
    own.value = value;
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_queue_store_read_index_screlease);
    if (!args.skip)
      original(own.queue, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_queue_store_read_index_screlease);
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_agent_iterate_regions> {
  static inline decltype(&::hsa_agent_iterate_regions) original = nullptr;
  static hsa_status_t call(hsa_agent_t agent, hsa_status_t (*callback)(hsa_region_t, void *), void * data) {
    if (luthier_is_telling())
      return original(agent, callback, data);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_agent_iterate_regions;
    (void)own;
    own.agent = agent;
    own.callback = callback;
    own.data = data;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_agent_iterate_regions);
    if (!args.skip)
      own.returned = original(own.agent, own.callback, own.data);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_agent_iterate_regions);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_region_get_info> {
  static inline decltype(&::hsa_region_get_info) original = nullptr;
  static hsa_status_t call(hsa_region_t region, hsa_region_info_t attribute, void * value) {
    if (luthier_is_telling())
      return original(region, attribute, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_region_get_info;
    (void)own;
    own.region = region;
    own.attribute = attribute;
    own.value = value;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_region_get_info);
    if (!args.skip)
      own.returned = original(own.region, own.attribute, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_region_get_info);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_agent_get_exception_policies> {
  static inline decltype(&::hsa_agent_get_exception_policies) original = nullptr;
  static hsa_status_t call(hsa_agent_t agent, hsa_profile_t profile, uint16_t * mask) {
    if (luthier_is_telling())
      return original(agent, profile, mask);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_agent_get_exception_policies;
    (void)own;
    own.agent = agent;
    own.profile = profile;
    own.mask = mask;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_agent_get_exception_policies);
    if (!args.skip)
      own.returned = original(own.agent, own.profile, own.mask);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_agent_get_exception_policies);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_agent_extension_supported> {
  static inline decltype(&::hsa_agent_extension_supported) original = nullptr;
  static hsa_status_t call(uint16_t extension, hsa_agent_t agent, uint16_t version_major, uint16_t version_minor, bool * result) {
    if (luthier_is_telling())
      return original(extension, agent, version_major, version_minor, result);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_agent_extension_supported;
    (void)own;
    own.extension = extension;
    own.agent = agent;
    own.version_major = version_major;
    own.version_minor = version_minor;
    own.result = result;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_agent_extension_supported);
    if (!args.skip)
      own.returned = original(own.extension, own.agent, own.version_major, own.version_minor, own.result);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_agent_extension_supported);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_memory_register> {
  static inline decltype(&::hsa_memory_register) original = nullptr;
  static hsa_status_t call(void * ptr, size_t size) {
    if (luthier_is_telling())
      return original(ptr, size);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_memory_register;
    (void)own;
    own.ptr = ptr;
    own.size = size;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_memory_register);
    if (!args.skip)
      own.returned = original(own.ptr, own.size);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_memory_register);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_memory_deregister> {
  static inline decltype(&::hsa_memory_deregister) original = nullptr;
  static hsa_status_t call(void * ptr, size_t size) {
    if (luthier_is_telling())
      return original(ptr, size);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_memory_deregister;
    (void)own;
    own.ptr = ptr;
    own.size = size;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_memory_deregister);
    if (!args.skip)
      own.returned = original(own.ptr, own.size);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_memory_deregister);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_memory_allocate> {
  static inline decltype(&::hsa_memory_allocate) original = nullptr;
  static hsa_status_t call(hsa_region_t region, size_t size, void ** ptr) {
    if (luthier_is_telling())
      return original(region, size, ptr);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_memory_allocate;
    (void)own;
    own.region = region;
    own.size = size;
    own.ptr = ptr;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_memory_allocate);
    if (!args.skip)
      own.returned = original(own.region, own.size, own.ptr);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_memory_allocate);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_memory_free> {
  static inline decltype(&::hsa_memory_free) original = nullptr;
  static hsa_status_t call(void * ptr) {
    if (luthier_is_telling())
      return original(ptr);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_memory_free;
    (void)own;
    own.ptr = ptr;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_memory_free);
    if (!args.skip)
      own.returned = original(own.ptr);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_memory_free);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_memory_copy> {
  static inline decltype(&::hsa_memory_copy) original = nullptr;
  static hsa_status_t call(void * dst, const void * src, size_t size) {
    if (luthier_is_telling())
      return original(dst, src, size);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_memory_copy;
    (void)own;
    own.dst = dst;
    own.src = src;
    own.size = size;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_memory_copy);
    if (!args.skip)
      own.returned = original(own.dst, own.src, own.size);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_memory_copy);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_memory_assign_agent> {
  static inline decltype(&::hsa_memory_assign_agent) original = nullptr;
  static hsa_status_t call(void * ptr, hsa_agent_t agent, hsa_access_permission_t access) {
    if (luthier_is_telling())
      return original(ptr, agent, access);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_memory_assign_agent;
    (void)own;
    own.ptr = ptr;
    own.agent = agent;
    own.access = access;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_memory_assign_agent);
    if (!args.skip)
      own.returned = original(own.ptr, own.agent, own.access);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_memory_assign_agent);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_create> {
  static inline decltype(&::hsa_signal_create) original = nullptr;
  static hsa_status_t call(hsa_signal_value_t initial_value, uint32_t num_consumers, const hsa_agent_t * consumers, hsa_signal_t * signal) {
    if (luthier_is_telling())
      return original(initial_value, num_consumers, consumers, signal);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_create;
    (void)own;
    own.initial_value = initial_value;
    own.num_consumers = num_consumers;
    own.consumers = consumers;
    own.signal = signal;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_create);
    if (!args.skip)
      own.returned = original(own.initial_value, own.num_consumers, own.consumers, own.signal);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_create);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_destroy> {
  static inline decltype(&::hsa_signal_destroy) original = nullptr;
  static hsa_status_t call(hsa_signal_t signal) {
    if (luthier_is_telling())
      return original(signal);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_destroy;
    (void)own;
    own.signal = signal;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_destroy);
    if (!args.skip)
      own.returned = original(own.signal);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_destroy);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_load_relaxed> {
  static inline decltype(&::hsa_signal_load_relaxed) original = nullptr;
  static hsa_signal_value_t call(hsa_signal_t signal) {
    if (luthier_is_telling())
      return original(signal);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_load_relaxed;
    (void)own;
    own.signal = signal;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_load_relaxed);
    if (!args.skip)
      own.returned = original(own.signal);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_load_relaxed);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_load_scacquire> {
  static inline decltype(&::hsa_signal_load_scacquire) original = nullptr;
  static hsa_signal_value_t call(hsa_signal_t signal) {
    if (luthier_is_telling())
      return original(signal);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_load_scacquire;
    (void)own;
    own.signal = signal;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_load_scacquire);
    if (!args.skip)
      own.returned = original(own.signal);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_load_scacquire);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_store_relaxed> {
  static inline decltype(&::hsa_signal_store_relaxed) original = nullptr;
  static void call(hsa_signal_t signal, hsa_signal_value_t value) {
    if (luthier_is_telling())
      return original(signal, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_store_relaxed;
    (void)own;
    own.signal = signal;
    own.value = value;
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_store_relaxed);
    if (!args.skip)
      original(own.signal, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_store_relaxed);
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_store_screlease> {
  static inline decltype(&::hsa_signal_store_screlease) original = nullptr;
  static void call(hsa_signal_t signal, hsa_signal_value_t value) {
    if (luthier_is_telling())
      return original(signal, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_store_screlease;
    (void)own;
    own.signal = signal;
    own.value = value;
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_store_screlease);
    if (!args.skip)
      original(own.signal, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_store_screlease);
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_wait_relaxed> {
  static inline decltype(&::hsa_signal_wait_relaxed) original = nullptr;
  static hsa_signal_value_t call(hsa_signal_t signal, hsa_signal_condition_t condition, hsa_signal_value_t compare_value, uint64_t timeout_hint, hsa_wait_state_t wait_state_hint) {
    if (luthier_is_telling())
      return original(signal, condition, compare_value, timeout_hint, wait_state_hint);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_wait_relaxed;
    (void)own;
    own.signal = signal;
    own.condition = condition;
    own.compare_value = compare_value;
    own.timeout_hint = timeout_hint;
    own.wait_state_hint = wait_state_hint;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_wait_relaxed);
    if (!args.skip)
      own.returned = original(own.signal, own.condition, own.compare_value, own.timeout_hint, own.wait_state_hint);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_wait_relaxed);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_wait_scacquire> {
  static inline decltype(&::hsa_signal_wait_scacquire) original = nullptr;
  static hsa_signal_value_t call(hsa_signal_t signal, hsa_signal_condition_t condition, hsa_signal_value_t compare_value, uint64_t timeout_hint, hsa_wait_state_t wait_state_hint) {
    if (luthier_is_telling())
      return original(signal, condition, compare_value, timeout_hint, wait_state_hint);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_wait_scacquire;
    (void)own;
    own.signal = signal;
    own.condition = condition;
    own.compare_value = compare_value;
    own.timeout_hint = timeout_hint;
    own.wait_state_hint = wait_state_hint;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_wait_scacquire);
    if (!args.skip)
      own.returned = original(own.signal, own.condition, own.compare_value, own.timeout_hint, own.wait_state_hint);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_wait_scacquire);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_and_relaxed> {
  static inline decltype(&::hsa_signal_and_relaxed) original = nullptr;
  static void call(hsa_signal_t signal, hsa_signal_value_t value) {
    if (luthier_is_telling())
      return original(signal, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_and_relaxed;
    (void)own;
    own.signal = signal;
    own.value = value;
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_and_relaxed);
    if (!args.skip)
      original(own.signal, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_and_relaxed);
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_and_scacquire> {
  static inline decltype(&::hsa_signal_and_scacquire) original = nullptr;
  static void call(hsa_signal_t signal, hsa_signal_value_t value) {
    if (luthier_is_telling())
      return original(signal, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_and_scacquire;
    (void)own;
    own.signal = signal;
    own.value = value;
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_and_scacquire);
    if (!args.skip)
      original(own.signal, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_and_scacquire);
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_and_screlease> {
  static inline decltype(&::hsa_signal_and_screlease) original = nullptr;
  static void call(hsa_signal_t signal, hsa_signal_value_t value) {
    if (luthier_is_telling())
      return original(signal, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_and_screlease;
    (void)own;
    own.signal = signal;
    own.value = value;
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_and_screlease);
    if (!args.skip)
      original(own.signal, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_and_screlease);
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_and_scacq_screl> {
  static inline decltype(&::hsa_signal_and_scacq_screl) original = nullptr;
  static void call(hsa_signal_t signal, hsa_signal_value_t value) {
    if (luthier_is_telling())
      return original(signal, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_and_scacq_screl;
    (void)own;
    own.signal = signal;
    own.value = value;
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_and_scacq_screl);
    if (!args.skip)
      original(own.signal, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_and_scacq_screl);
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_or_relaxed> {
  static inline decltype(&::hsa_signal_or_relaxed) original = nullptr;
  static void call(hsa_signal_t signal, hsa_signal_value_t value) {
    if (luthier_is_telling())
      return original(signal, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_or_relaxed;
    (void)own;
    own.signal = signal;
    own.value = value;
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_or_relaxed);
    if (!args.skip)
      original(own.signal, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_or_relaxed);
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_or_scacquire> {
  static inline decltype(&::hsa_signal_or_scacquire) original = nullptr;
  static void call(hsa_signal_t signal, hsa_signal_value_t value) {
    if (luthier_is_telling())
      return original(signal, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_or_scacquire;
    (void)own;
    own.signal = signal;
    own.value = value;
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_or_scacquire);
    if (!args.skip)
      original(own.signal, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_or_scacquire);
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_or_screlease> {
  static inline decltype(&::hsa_signal_or_screlease) original = nullptr;
  static void call(hsa_signal_t signal, hsa_signal_value_t value) {
    if (luthier_is_telling())
      return original(signal, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_or_screlease;
    (void)own;
    own.signal = signal;
    own.value = value;
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_or_screlease);
    if (!args.skip)
      original(own.signal, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_or_screlease);
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_or_scacq_screl> {
  static inline decltype(&::hsa_signal_or_scacq_screl) original = nullptr;
  static void call(hsa_signal_t signal, hsa_signal_value_t value) {
    if (luthier_is_telling())
      return original(signal, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_or_scacq_screl;
    (void)own;
    own.signal = signal;
    own.value = value;
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_or_scacq_screl);
    if (!args.skip)
      original(own.signal, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_or_scacq_screl);
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_xor_relaxed> {
  static inline decltype(&::hsa_signal_xor_relaxed) original = nullptr;
  static void call(hsa_signal_t signal, hsa_signal_value_t value) {
    if (luthier_is_telling())
      return original(signal, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_xor_relaxed;
    (void)own;
    own.signal = signal;
    own.value = value;
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_xor_relaxed);
    if (!args.skip)
      original(own.signal, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_xor_relaxed);
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_xor_scacquire> {
  static inline decltype(&::hsa_signal_xor_scacquire) original = nullptr;
  static void call(hsa_signal_t signal, hsa_signal_value_t value) {
    if (luthier_is_telling())
      return original(signal, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_xor_scacquire;
    (void)own;
    own.signal = signal;
    own.value = value;
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_xor_scacquire);
    if (!args.skip)
      original(own.signal, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_xor_scacquire);
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_xor_screlease> {
  static inline decltype(&::hsa_signal_xor_screlease) original = nullptr;
  static void call(hsa_signal_t signal, hsa_signal_value_t value) {
    if (luthier_is_telling())
      return original(signal, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_xor_screlease;
    (void)own;
    own.signal = signal;
    own.value = value;
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_xor_screlease);
    if (!args.skip)
      original(own.signal, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_xor_screlease);
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_xor_scacq_screl> {
  static inline decltype(&::hsa_signal_xor_scacq_screl) original = nullptr;
  static void call(hsa_signal_t signal, hsa_signal_value_t value) {
    if (luthier_is_telling())
      return original(signal, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_xor_scacq_screl;
    (void)own;
    own.signal = signal;
    own.value = value;
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_xor_scacq_screl);
    if (!args.skip)
      original(own.signal, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_xor_scacq_screl);
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_exchange_relaxed> {
  static inline decltype(&::hsa_signal_exchange_relaxed) original = nullptr;
  static hsa_signal_value_t call(hsa_signal_t signal, hsa_signal_value_t value) {
    if (luthier_is_telling())
      return original(signal, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_exchange_relaxed;
    (void)own;
    own.signal = signal;
    own.value = value;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_exchange_relaxed);
    if (!args.skip)
      own.returned = original(own.signal, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_exchange_relaxed);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_exchange_scacquire> {
  static inline decltype(&::hsa_signal_exchange_scacquire) original = nullptr;
  static hsa_signal_value_t call(hsa_signal_t signal, hsa_signal_value_t value) {
    if (luthier_is_telling())
      return original(signal, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_exchange_scacquire;
    (void)own;
    own.signal = signal;
    own.value = value;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_exchange_scacquire);
    if (!args.skip)
      own.returned = original(own.signal, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_exchange_scacquire);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_exchange_screlease> {
  static inline decltype(&::hsa_signal_exchange_screlease) original = nullptr;
  static hsa_signal_value_t call(hsa_signal_t signal, hsa_signal_value_t value) {
    if (luthier_is_telling())
      return original(signal, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_exchange_screlease;
    (void)own;
    own.signal = signal;
    own.value = value;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_exchange_screlease);
    if (!args.skip)
      own.returned = original(own.signal, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_exchange_screlease);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_exchange_scacq_screl> {
  static inline decltype(&::hsa_signal_exchange_scacq_screl) original = nullptr;
  static hsa_signal_value_t call(hsa_signal_t signal, hsa_signal_value_t value) {
    if (luthier_is_telling())
      return original(signal, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_exchange_scacq_screl;
    (void)own;
    own.signal = signal;
    own.value = value;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_exchange_scacq_screl);
    if (!args.skip)
      own.returned = original(own.signal, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_exchange_scacq_screl);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_add_relaxed> {
  static inline decltype(&::hsa_signal_add_relaxed) original = nullptr;
  static void call(hsa_signal_t signal, hsa_signal_value_t value) {
    if (luthier_is_telling())
      return original(signal, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_add_relaxed;
    (void)own;
    own.signal = signal;
    own.value = value;
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_add_relaxed);
    if (!args.skip)
      original(own.signal, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_add_relaxed);
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_add_scacquire> {
  static inline decltype(&::hsa_signal_add_scacquire) original = nullptr;
  static void call(hsa_signal_t signal, hsa_signal_value_t value) {
    if (luthier_is_telling())
      return original(signal, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_add_scacquire;
    (void)own;
    own.signal = signal;
    own.value = value;
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_add_scacquire);
    if (!args.skip)
      original(own.signal, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_add_scacquire);
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_add_screlease> {
  static inline decltype(&::hsa_signal_add_screlease) original = nullptr;
  static void call(hsa_signal_t signal, hsa_signal_value_t value) {
    if (luthier_is_telling())
      return original(signal, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_add_screlease;
    (void)own;
    own.signal = signal;
    own.value = value;
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_add_screlease);
    if (!args.skip)
      original(own.signal, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_add_screlease);
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_add_scacq_screl> {
  static inline decltype(&::hsa_signal_add_scacq_screl) original = nullptr;
  static void call(hsa_signal_t signal, hsa_signal_value_t value) {
    if (luthier_is_telling())
      return original(signal, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_add_scacq_screl;
    (void)own;
    own.signal = signal;
    own.value = value;
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_add_scacq_screl);
    if (!args.skip)
      original(own.signal, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_add_scacq_screl);
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_subtract_relaxed> {
  static inline decltype(&::hsa_signal_subtract_relaxed) original = nullptr;
  static void call(hsa_signal_t signal, hsa_signal_value_t value) {
    if (luthier_is_telling())
      return original(signal, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_subtract_relaxed;
    (void)own;
    own.signal = signal;
    own.value = value;
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_subtract_relaxed);
    if (!args.skip)
      original(own.signal, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_subtract_relaxed);
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_subtract_scacquire> {
  static inline decltype(&::hsa_signal_subtract_scacquire) original = nullptr;
  static void call(hsa_signal_t signal, hsa_signal_value_t value) {
    if (luthier_is_telling())
      return original(signal, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_subtract_scacquire;
    (void)own;
    own.signal = signal;
    own.value = value;
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_subtract_scacquire);
    if (!args.skip)
      original(own.signal, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_subtract_scacquire);
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_subtract_screlease> {
  static inline decltype(&::hsa_signal_subtract_screlease) original = nullptr;
  static void call(hsa_signal_t signal, hsa_signal_value_t value) {
    if (luthier_is_telling())
      return original(signal, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_subtract_screlease;
    (void)own;
    own.signal = signal;
    own.value = value;
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_subtract_screlease);
    if (!args.skip)
      original(own.signal, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_subtract_screlease);
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_subtract_scacq_screl> {
  static inline decltype(&::hsa_signal_subtract_scacq_screl) original = nullptr;
  static void call(hsa_signal_t signal, hsa_signal_value_t value) {
    if (luthier_is_telling())
      return original(signal, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_subtract_scacq_screl;
    (void)own;
    own.signal = signal;
    own.value = value;
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_subtract_scacq_screl);
    if (!args.skip)
      original(own.signal, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_subtract_scacq_screl);
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_cas_relaxed> {
  static inline decltype(&::hsa_signal_cas_relaxed) original = nullptr;
  static hsa_signal_value_t call(hsa_signal_t signal, hsa_signal_value_t expected, hsa_signal_value_t value) {
    if (luthier_is_telling())
      return original(signal, expected, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_cas_relaxed;
    (void)own;
    own.signal = signal;
    own.expected = expected;
    own.value = value;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_cas_relaxed);
    if (!args.skip)
      own.returned = original(own.signal, own.expected, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_cas_relaxed);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_cas_scacquire> {
  static inline decltype(&::hsa_signal_cas_scacquire) original = nullptr;
  static hsa_signal_value_t call(hsa_signal_t signal, hsa_signal_value_t expected, hsa_signal_value_t value) {
    if (luthier_is_telling())
      return original(signal, expected, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_cas_scacquire;
    (void)own;
    own.signal = signal;
    own.expected = expected;
    own.value = value;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_cas_scacquire);
    if (!args.skip)
      own.returned = original(own.signal, own.expected, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_cas_scacquire);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_cas_screlease> {
  static inline decltype(&::hsa_signal_cas_screlease) original = nullptr;
  static hsa_signal_value_t call(hsa_signal_t signal, hsa_signal_value_t expected, hsa_signal_value_t value) {
    if (luthier_is_telling())
      return original(signal, expected, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_cas_screlease;
    (void)own;
    own.signal = signal;
    own.expected = expected;
    own.value = value;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_cas_screlease);
    if (!args.skip)
      own.returned = original(own.signal, own.expected, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_cas_screlease);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_cas_scacq_screl> {
  static inline decltype(&::hsa_signal_cas_scacq_screl) original = nullptr;
  static hsa_signal_value_t call(hsa_signal_t signal, hsa_signal_value_t expected, hsa_signal_value_t value) {
    if (luthier_is_telling())
      return original(signal, expected, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_cas_scacq_screl;
    (void)own;
    own.signal = signal;
    own.expected = expected;
    own.value = value;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_cas_scacq_screl);
    if (!args.skip)
      own.returned = original(own.signal, own.expected, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_cas_scacq_screl);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_isa_from_name> {
  static inline decltype(&::hsa_isa_from_name) original = nullptr;
  static hsa_status_t call(const char * name, hsa_isa_t * isa) {
    if (luthier_is_telling())
      return original(name, isa);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_isa_from_name;
    (void)own;
    own.name = name;
    own.isa = isa;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_isa_from_name);
    if (!args.skip)
      own.returned = original(own.name, own.isa);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_isa_from_name);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_isa_get_info> {
  static inline decltype(&::hsa_isa_get_info) original = nullptr;
  static hsa_status_t call(hsa_isa_t isa, hsa_isa_info_t attribute, uint32_t index, void * value) {
    if (luthier_is_telling())
      return original(isa, attribute, index, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_isa_get_info;
    (void)own;
    own.isa = isa;
    own.attribute = attribute;
    own.index = index;
    own.value = value;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_isa_get_info);
    if (!args.skip)
      own.returned = original(own.isa, own.attribute, own.index, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_isa_get_info);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_isa_compatible> {
  static inline decltype(&::hsa_isa_compatible) original = nullptr;
  static hsa_status_t call(hsa_isa_t code_object_isa, hsa_isa_t agent_isa, bool * result) {
    if (luthier_is_telling())
      return original(code_object_isa, agent_isa, result);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_isa_compatible;
    (void)own;
    own.code_object_isa = code_object_isa;
    own.agent_isa = agent_isa;
    own.result = result;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_isa_compatible);
    if (!args.skip)
      own.returned = original(own.code_object_isa, own.agent_isa, own.result);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_isa_compatible);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_code_object_serialize> {
  static inline decltype(&::hsa_code_object_serialize) original = nullptr;
  static hsa_status_t call(hsa_code_object_t code_object, hsa_status_t (*alloc_callback)(size_t, hsa_callback_data_t, void **), hsa_callback_data_t callback_data, const char * options, void ** serialized_code_object, size_t * serialized_code_object_size) {
    if (luthier_is_telling())
      return original(code_object, alloc_callback, callback_data, options, serialized_code_object, serialized_code_object_size);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_code_object_serialize;
    (void)own;
    own.code_object = code_object;
    own.alloc_callback = alloc_callback;
    own.callback_data = callback_data;
    own.options = options;
    own.serialized_code_object = serialized_code_object;
    own.serialized_code_object_size = serialized_code_object_size;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_code_object_serialize);
    if (!args.skip)
      own.returned = original(own.code_object, own.alloc_callback, own.callback_data, own.options, own.serialized_code_object, own.serialized_code_object_size);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_code_object_serialize);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_code_object_deserialize> {
  static inline decltype(&::hsa_code_object_deserialize) original = nullptr;
  static hsa_status_t call(void * serialized_code_object, size_t serialized_code_object_size, const char * options, hsa_code_object_t * code_object) {
    if (luthier_is_telling())
      return original(serialized_code_object, serialized_code_object_size, options, code_object);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_code_object_deserialize;
    (void)own;
    own.serialized_code_object = serialized_code_object;
    own.serialized_code_object_size = serialized_code_object_size;
    own.options = options;
    own.code_object = code_object;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_code_object_deserialize);
    if (!args.skip)
      own.returned = original(own.serialized_code_object, own.serialized_code_object_size, own.options, own.code_object);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_code_object_deserialize);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_code_object_destroy> {
  static inline decltype(&::hsa_code_object_destroy) original = nullptr;
  static hsa_status_t call(hsa_code_object_t code_object) {
    if (luthier_is_telling())
      return original(code_object);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_code_object_destroy;
    (void)own;
    own.code_object = code_object;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_code_object_destroy);
    if (!args.skip)
      own.returned = original(own.code_object);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_code_object_destroy);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_code_object_get_info> {
  static inline decltype(&::hsa_code_object_get_info) original = nullptr;
  static hsa_status_t call(hsa_code_object_t code_object, hsa_code_object_info_t attribute, void * value) {
    if (luthier_is_telling())
      return original(code_object, attribute, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_code_object_get_info;
    (void)own;
    own.code_object = code_object;
    own.attribute = attribute;
    own.value = value;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_code_object_get_info);
    if (!args.skip)
      own.returned = original(own.code_object, own.attribute, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_code_object_get_info);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_code_object_get_symbol> {
  static inline decltype(&::hsa_code_object_get_symbol) original = nullptr;
  static hsa_status_t call(hsa_code_object_t code_object, const char * symbol_name, hsa_code_symbol_t * symbol) {
    if (luthier_is_telling())
      return original(code_object, symbol_name, symbol);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_code_object_get_symbol;
    (void)own;
    own.code_object = code_object;
    own.symbol_name = symbol_name;
    own.symbol = symbol;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_code_object_get_symbol);
    if (!args.skip)
      own.returned = original(own.code_object, own.symbol_name, own.symbol);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_code_object_get_symbol);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_code_symbol_get_info> {
  static inline decltype(&::hsa_code_symbol_get_info) original = nullptr;
  static hsa_status_t call(hsa_code_symbol_t code_symbol, hsa_code_symbol_info_t attribute, void * value) {
    if (luthier_is_telling())
      return original(code_symbol, attribute, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_code_symbol_get_info;
    (void)own;
    own.code_symbol = code_symbol;
    own.attribute = attribute;
    own.value = value;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_code_symbol_get_info);
    if (!args.skip)
      own.returned = original(own.code_symbol, own.attribute, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_code_symbol_get_info);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_code_object_iterate_symbols> {
  static inline decltype(&::hsa_code_object_iterate_symbols) original = nullptr;
  static hsa_status_t call(hsa_code_object_t code_object, hsa_status_t (*callback)(hsa_code_object_t, hsa_code_symbol_t, void *), void * data) {
    if (luthier_is_telling())
      return original(code_object, callback, data);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_code_object_iterate_symbols;
    (void)own;
    own.code_object = code_object;
    own.callback = callback;
    own.data = data;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_code_object_iterate_symbols);
    if (!args.skip)
      own.returned = original(own.code_object, own.callback, own.data);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_code_object_iterate_symbols);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_executable_create> {
  static inline decltype(&::hsa_executable_create) original = nullptr;
  static hsa_status_t call(hsa_profile_t profile, hsa_executable_state_t executable_state, const char * options, hsa_executable_t * executable) {
    if (luthier_is_telling())
      return original(profile, executable_state, options, executable);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_executable_create;
    (void)own;
    own.profile = profile;
    own.executable_state = executable_state;
    own.options = options;
    own.executable = executable;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_executable_create);
    if (!args.skip)
      own.returned = original(own.profile, own.executable_state, own.options, own.executable);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_executable_create);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_executable_destroy> {
  static inline decltype(&::hsa_executable_destroy) original = nullptr;
  static hsa_status_t call(hsa_executable_t executable) {
    if (luthier_is_telling())
      return original(executable);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_executable_destroy;
    (void)own;
    own.executable = executable;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_executable_destroy);
    if (!args.skip)
      own.returned = original(own.executable);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_executable_destroy);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_executable_load_code_object> {
  static inline decltype(&::hsa_executable_load_code_object) original = nullptr;
  static hsa_status_t call(hsa_executable_t executable, hsa_agent_t agent, hsa_code_object_t code_object, const char * options) {
    if (luthier_is_telling())
      return original(executable, agent, code_object, options);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_executable_load_code_object;
    (void)own;
    own.executable = executable;
    own.agent = agent;
    own.code_object = code_object;
    own.options = options;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_executable_load_code_object);
    if (!args.skip)
      own.returned = original(own.executable, own.agent, own.code_object, own.options);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_executable_load_code_object);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_executable_freeze> {
  static inline decltype(&::hsa_executable_freeze) original = nullptr;
  static hsa_status_t call(hsa_executable_t executable, const char * options) {
    if (luthier_is_telling())
      return original(executable, options);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_executable_freeze;
    (void)own;
    own.executable = executable;
    own.options = options;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_executable_freeze);
    if (!args.skip)
      own.returned = original(own.executable, own.options);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_executable_freeze);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_executable_get_info> {
  static inline decltype(&::hsa_executable_get_info) original = nullptr;
  static hsa_status_t call(hsa_executable_t executable, hsa_executable_info_t attribute, void * value) {
    if (luthier_is_telling())
      return original(executable, attribute, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_executable_get_info;
    (void)own;
    own.executable = executable;
    own.attribute = attribute;
    own.value = value;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_executable_get_info);
    if (!args.skip)
      own.returned = original(own.executable, own.attribute, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_executable_get_info);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_executable_global_variable_define> {
  static inline decltype(&::hsa_executable_global_variable_define) original = nullptr;
  static hsa_status_t call(hsa_executable_t executable, const char * variable_name, void * address) {
    if (luthier_is_telling())
      return original(executable, variable_name, address);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_executable_global_variable_define;
    (void)own;
    own.executable = executable;
    own.variable_name = variable_name;
    own.address = address;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_executable_global_variable_define);
    if (!args.skip)
      own.returned = original(own.executable, own.variable_name, own.address);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_executable_global_variable_define);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_executable_agent_global_variable_define> {
  static inline decltype(&::hsa_executable_agent_global_variable_define) original = nullptr;
  static hsa_status_t call(hsa_executable_t executable, hsa_agent_t agent, const char * variable_name, void * address) {
    if (luthier_is_telling())
      return original(executable, agent, variable_name, address);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_executable_agent_global_variable_define;
    (void)own;
    own.executable = executable;
    own.agent = agent;
    own.variable_name = variable_name;
    own.address = address;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_executable_agent_global_variable_define);
    if (!args.skip)
      own.returned = original(own.executable, own.agent, own.variable_name, own.address);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_executable_agent_global_variable_define);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_executable_readonly_variable_define> {
  static inline decltype(&::hsa_executable_readonly_variable_define) original = nullptr;
  static hsa_status_t call(hsa_executable_t executable, hsa_agent_t agent, const char * variable_name, void * address) {
    if (luthier_is_telling())
      return original(executable, agent, variable_name, address);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_executable_readonly_variable_define;
    (void)own;
    own.executable = executable;
    own.agent = agent;
    own.variable_name = variable_name;
    own.address = address;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_executable_readonly_variable_define);
    if (!args.skip)
      own.returned = original(own.executable, own.agent, own.variable_name, own.address);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_executable_readonly_variable_define);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_executable_validate> {
  static inline decltype(&::hsa_executable_validate) original = nullptr;
  static hsa_status_t call(hsa_executable_t executable, uint32_t * result) {
    if (luthier_is_telling())
      return original(executable, result);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_executable_validate;
    (void)own;
    own.executable = executable;
    own.result = result;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_executable_validate);
    if (!args.skip)
      own.returned = original(own.executable, own.result);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_executable_validate);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_executable_get_symbol> {
  static inline decltype(&::hsa_executable_get_symbol) original = nullptr;
  static hsa_status_t call(hsa_executable_t executable, const char * module_name, const char * symbol_name, hsa_agent_t agent, int32_t call_convention, hsa_executable_symbol_t * symbol) {
    if (luthier_is_telling())
      return original(executable, module_name, symbol_name, agent, call_convention, symbol);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_executable_get_symbol;
    (void)own;
    own.executable = executable;
    own.module_name = module_name;
    own.symbol_name = symbol_name;
    own.agent = agent;
    own.call_convention = call_convention;
    own.symbol = symbol;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_executable_get_symbol);
    if (!args.skip)
      own.returned = original(own.executable, own.module_name, own.symbol_name, own.agent, own.call_convention, own.symbol);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_executable_get_symbol);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_executable_symbol_get_info> {
  static inline decltype(&::hsa_executable_symbol_get_info) original = nullptr;
  static hsa_status_t call(hsa_executable_symbol_t executable_symbol, hsa_executable_symbol_info_t attribute, void * value) {
    if (luthier_is_telling())
      return original(executable_symbol, attribute, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_executable_symbol_get_info;
    (void)own;
    own.executable_symbol = executable_symbol;
    own.attribute = attribute;
    own.value = value;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_executable_symbol_get_info);
    if (!args.skip)
      own.returned = original(own.executable_symbol, own.attribute, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_executable_symbol_get_info);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_executable_iterate_symbols> {
  static inline decltype(&::hsa_executable_iterate_symbols) original = nullptr;
  static hsa_status_t call(hsa_executable_t executable, hsa_status_t (*callback)(hsa_executable_t, hsa_executable_symbol_t, void *), void * data) {
    if (luthier_is_telling())
      return original(executable, callback, data);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_executable_iterate_symbols;
    (void)own;
    own.executable = executable;
    own.callback = callback;
    own.data = data;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_executable_iterate_symbols);
    if (!args.skip)
      own.returned = original(own.executable, own.callback, own.data);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_executable_iterate_symbols);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_status_string> {
  static inline decltype(&::hsa_status_string) original = nullptr;
  static hsa_status_t call(hsa_status_t status, const char ** status_string) {
    if (luthier_is_telling())
      return original(status, status_string);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_status_string;
    (void)own;
    own.status = status;
    own.status_string = status_string;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_status_string);
    if (!args.skip)
      own.returned = original(own.status, own.status_string);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_status_string);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_extension_get_name> {
  static inline decltype(&::hsa_extension_get_name) original = nullptr;
  static hsa_status_t call(uint16_t extension, const char ** name) {
    if (luthier_is_telling())
      return original(extension, name);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_extension_get_name;
    (void)own;
    own.extension = extension;
    own.name = name;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_extension_get_name);
    if (!args.skip)
      own.returned = original(own.extension, own.name);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_extension_get_name);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_system_major_extension_supported> {
  static inline decltype(&::hsa_system_major_extension_supported) original = nullptr;
  static hsa_status_t call(uint16_t extension, uint16_t version_major, uint16_t * version_minor, bool * result) {
    if (luthier_is_telling())
      return original(extension, version_major, version_minor, result);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_system_major_extension_supported;
    (void)own;
    own.extension = extension;
    own.version_major = version_major;
    own.version_minor = version_minor;
    own.result = result;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_system_major_extension_supported);
    if (!args.skip)
      own.returned = original(own.extension, own.version_major, own.version_minor, own.result);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_system_major_extension_supported);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_system_get_major_extension_table> {
  static inline decltype(&::hsa_system_get_major_extension_table) original = nullptr;
  static hsa_status_t call(uint16_t extension, uint16_t version_major, size_t table_length, void * table) {
    if (luthier_is_telling())
      return original(extension, version_major, table_length, table);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_system_get_major_extension_table;
    (void)own;
    own.extension = extension;
    own.version_major = version_major;
    own.table_length = table_length;
    own.table = table;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_system_get_major_extension_table);
    if (!args.skip)
      own.returned = original(own.extension, own.version_major, own.table_length, own.table);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_system_get_major_extension_table);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_agent_major_extension_supported> {
  static inline decltype(&::hsa_agent_major_extension_supported) original = nullptr;
  static hsa_status_t call(uint16_t extension, hsa_agent_t agent, uint16_t version_major, uint16_t * version_minor, bool * result) {
    if (luthier_is_telling())
      return original(extension, agent, version_major, version_minor, result);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_agent_major_extension_supported;
    (void)own;
    own.extension = extension;
    own.agent = agent;
    own.version_major = version_major;
    own.version_minor = version_minor;
    own.result = result;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_agent_major_extension_supported);
    if (!args.skip)
      own.returned = original(own.extension, own.agent, own.version_major, own.version_minor, own.result);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_agent_major_extension_supported);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_cache_get_info> {
  static inline decltype(&::hsa_cache_get_info) original = nullptr;
  static hsa_status_t call(hsa_cache_t cache, hsa_cache_info_t attribute, void * value) {
    if (luthier_is_telling())
      return original(cache, attribute, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_cache_get_info;
    (void)own;
    own.cache = cache;
    own.attribute = attribute;
    own.value = value;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_cache_get_info);
    if (!args.skip)
      own.returned = original(own.cache, own.attribute, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_cache_get_info);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_agent_iterate_caches> {
  static inline decltype(&::hsa_agent_iterate_caches) original = nullptr;
  static hsa_status_t call(hsa_agent_t agent, hsa_status_t (*callback)(hsa_cache_t, void *), void * data) {
    if (luthier_is_telling())
      return original(agent, callback, data);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_agent_iterate_caches;
    (void)own;
    own.agent = agent;
    own.callback = callback;
    own.data = data;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_agent_iterate_caches);
    if (!args.skip)
      own.returned = original(own.agent, own.callback, own.data);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_agent_iterate_caches);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_silent_store_relaxed> {
  static inline decltype(&::hsa_signal_silent_store_relaxed) original = nullptr;
  static void call(hsa_signal_t signal, hsa_signal_value_t value) {
    if (luthier_is_telling())
      return original(signal, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_silent_store_relaxed;
    (void)own;
    own.signal = signal;
    own.value = value;
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_silent_store_relaxed);
    if (!args.skip)
      original(own.signal, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_silent_store_relaxed);
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_silent_store_screlease> {
  static inline decltype(&::hsa_signal_silent_store_screlease) original = nullptr;
  static void call(hsa_signal_t signal, hsa_signal_value_t value) {
    if (luthier_is_telling())
      return original(signal, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_silent_store_screlease;
    (void)own;
    own.signal = signal;
    own.value = value;
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_silent_store_screlease);
    if (!args.skip)
      original(own.signal, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_silent_store_screlease);
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_group_create> {
  static inline decltype(&::hsa_signal_group_create) original = nullptr;
  static hsa_status_t call(uint32_t num_signals, const hsa_signal_t * signals, uint32_t num_consumers, const hsa_agent_t * consumers, hsa_signal_group_t * signal_group) {
    if (luthier_is_telling())
      return original(num_signals, signals, num_consumers, consumers, signal_group);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_group_create;
    (void)own;
    own.num_signals = num_signals;
    own.signals = signals;
    own.num_consumers = num_consumers;
    own.consumers = consumers;
    own.signal_group = signal_group;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_group_create);
    if (!args.skip)
      own.returned = original(own.num_signals, own.signals, own.num_consumers, own.consumers, own.signal_group);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_group_create);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_group_destroy> {
  static inline decltype(&::hsa_signal_group_destroy) original = nullptr;
  static hsa_status_t call(hsa_signal_group_t signal_group) {
    if (luthier_is_telling())
      return original(signal_group);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_group_destroy;
    (void)own;
    own.signal_group = signal_group;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_group_destroy);
    if (!args.skip)
      own.returned = original(own.signal_group);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_group_destroy);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_group_wait_any_scacquire> {
  static inline decltype(&::hsa_signal_group_wait_any_scacquire) original = nullptr;
  static hsa_status_t call(hsa_signal_group_t signal_group, const hsa_signal_condition_t * conditions, const hsa_signal_value_t * compare_values, hsa_wait_state_t wait_state_hint, hsa_signal_t * signal, hsa_signal_value_t * value) {
    if (luthier_is_telling())
      return original(signal_group, conditions, compare_values, wait_state_hint, signal, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_group_wait_any_scacquire;
    (void)own;
    own.signal_group = signal_group;
    own.conditions = conditions;
    own.compare_values = compare_values;
    own.wait_state_hint = wait_state_hint;
    own.signal = signal;
    own.value = value;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_group_wait_any_scacquire);
    if (!args.skip)
      own.returned = original(own.signal_group, own.conditions, own.compare_values, own.wait_state_hint, own.signal, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_group_wait_any_scacquire);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_signal_group_wait_any_relaxed> {
  static inline decltype(&::hsa_signal_group_wait_any_relaxed) original = nullptr;
  static hsa_status_t call(hsa_signal_group_t signal_group, const hsa_signal_condition_t * conditions, const hsa_signal_value_t * compare_values, hsa_wait_state_t wait_state_hint, hsa_signal_t * signal, hsa_signal_value_t * value) {
    if (luthier_is_telling())
      return original(signal_group, conditions, compare_values, wait_state_hint, signal, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_signal_group_wait_any_relaxed;
    (void)own;
    own.signal_group = signal_group;
    own.conditions = conditions;
    own.compare_values = compare_values;
    own.wait_state_hint = wait_state_hint;
    own.signal = signal;
    own.value = value;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_signal_group_wait_any_relaxed);
    if (!args.skip)
      own.returned = original(own.signal_group, own.conditions, own.compare_values, own.wait_state_hint, own.signal, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_signal_group_wait_any_relaxed);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_agent_iterate_isas> {
  static inline decltype(&::hsa_agent_iterate_isas) original = nullptr;
  static hsa_status_t call(hsa_agent_t agent, hsa_status_t (*callback)(hsa_isa_t, void *), void * data) {
    if (luthier_is_telling())
      return original(agent, callback, data);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_agent_iterate_isas;
    (void)own;
    own.agent = agent;
    own.callback = callback;
    own.data = data;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_agent_iterate_isas);
    if (!args.skip)
      own.returned = original(own.agent, own.callback, own.data);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_agent_iterate_isas);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_isa_get_info_alt> {
  static inline decltype(&::hsa_isa_get_info_alt) original = nullptr;
  static hsa_status_t call(hsa_isa_t isa, hsa_isa_info_t attribute, void * value) {
    if (luthier_is_telling())
      return original(isa, attribute, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_isa_get_info_alt;
    (void)own;
    own.isa = isa;
    own.attribute = attribute;
    own.value = value;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_isa_get_info_alt);
    if (!args.skip)
      own.returned = original(own.isa, own.attribute, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_isa_get_info_alt);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_isa_get_exception_policies> {
  static inline decltype(&::hsa_isa_get_exception_policies) original = nullptr;
  static hsa_status_t call(hsa_isa_t isa, hsa_profile_t profile, uint16_t * mask) {
    if (luthier_is_telling())
      return original(isa, profile, mask);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_isa_get_exception_policies;
    (void)own;
    own.isa = isa;
    own.profile = profile;
    own.mask = mask;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_isa_get_exception_policies);
    if (!args.skip)
      own.returned = original(own.isa, own.profile, own.mask);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_isa_get_exception_policies);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_isa_get_round_method> {
  static inline decltype(&::hsa_isa_get_round_method) original = nullptr;
  static hsa_status_t call(hsa_isa_t isa, hsa_fp_type_t fp_type, hsa_flush_mode_t flush_mode, hsa_round_method_t * round_method) {
    if (luthier_is_telling())
      return original(isa, fp_type, flush_mode, round_method);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_isa_get_round_method;
    (void)own;
    own.isa = isa;
    own.fp_type = fp_type;
    own.flush_mode = flush_mode;
    own.round_method = round_method;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_isa_get_round_method);
    if (!args.skip)
      own.returned = original(own.isa, own.fp_type, own.flush_mode, own.round_method);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_isa_get_round_method);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_wavefront_get_info> {
  static inline decltype(&::hsa_wavefront_get_info) original = nullptr;
  static hsa_status_t call(hsa_wavefront_t wavefront, hsa_wavefront_info_t attribute, void * value) {
    if (luthier_is_telling())
      return original(wavefront, attribute, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_wavefront_get_info;
    (void)own;
    own.wavefront = wavefront;
    own.attribute = attribute;
    own.value = value;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_wavefront_get_info);
    if (!args.skip)
      own.returned = original(own.wavefront, own.attribute, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_wavefront_get_info);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_isa_iterate_wavefronts> {
  static inline decltype(&::hsa_isa_iterate_wavefronts) original = nullptr;
  static hsa_status_t call(hsa_isa_t isa, hsa_status_t (*callback)(hsa_wavefront_t, void *), void * data) {
    if (luthier_is_telling())
      return original(isa, callback, data);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_isa_iterate_wavefronts;
    (void)own;
    own.isa = isa;
    own.callback = callback;
    own.data = data;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_isa_iterate_wavefronts);
    if (!args.skip)
      own.returned = original(own.isa, own.callback, own.data);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_isa_iterate_wavefronts);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_code_object_get_symbol_from_name> {
  static inline decltype(&::hsa_code_object_get_symbol_from_name) original = nullptr;
  static hsa_status_t call(hsa_code_object_t code_object, const char * module_name, const char * symbol_name, hsa_code_symbol_t * symbol) {
    if (luthier_is_telling())
      return original(code_object, module_name, symbol_name, symbol);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_code_object_get_symbol_from_name;
    (void)own;
    own.code_object = code_object;
    own.module_name = module_name;
    own.symbol_name = symbol_name;
    own.symbol = symbol;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_code_object_get_symbol_from_name);
    if (!args.skip)
      own.returned = original(own.code_object, own.module_name, own.symbol_name, own.symbol);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_code_object_get_symbol_from_name);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_code_object_reader_create_from_file> {
  static inline decltype(&::hsa_code_object_reader_create_from_file) original = nullptr;
  static hsa_status_t call(hsa_file_t file, hsa_code_object_reader_t * code_object_reader) {
    if (luthier_is_telling())
      return original(file, code_object_reader);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_code_object_reader_create_from_file;
    (void)own;
    own.file = file;
    own.code_object_reader = code_object_reader;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_code_object_reader_create_from_file);
    if (!args.skip)
      own.returned = original(own.file, own.code_object_reader);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_code_object_reader_create_from_file);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_code_object_reader_create_from_memory> {
  static inline decltype(&::hsa_code_object_reader_create_from_memory) original = nullptr;
  static hsa_status_t call(const void * code_object, size_t size, hsa_code_object_reader_t * code_object_reader) {
    if (luthier_is_telling())
      return original(code_object, size, code_object_reader);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_code_object_reader_create_from_memory;
    (void)own;
    own.code_object = code_object;
    own.size = size;
    own.code_object_reader = code_object_reader;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_code_object_reader_create_from_memory);
    if (!args.skip)
      own.returned = original(own.code_object, own.size, own.code_object_reader);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_code_object_reader_create_from_memory);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_code_object_reader_destroy> {
  static inline decltype(&::hsa_code_object_reader_destroy) original = nullptr;
  static hsa_status_t call(hsa_code_object_reader_t code_object_reader) {
    if (luthier_is_telling())
      return original(code_object_reader);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_code_object_reader_destroy;
    (void)own;
    own.code_object_reader = code_object_reader;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_code_object_reader_destroy);
    if (!args.skip)
      own.returned = original(own.code_object_reader);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_code_object_reader_destroy);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_executable_create_alt> {
  static inline decltype(&::hsa_executable_create_alt) original = nullptr;
  static hsa_status_t call(hsa_profile_t profile, hsa_default_float_rounding_mode_t default_float_rounding_mode, const char * options, hsa_executable_t * executable) {
    if (luthier_is_telling())
      return original(profile, default_float_rounding_mode, options, executable);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_executable_create_alt;
    (void)own;
    own.profile = profile;
    own.default_float_rounding_mode = default_float_rounding_mode;
    own.options = options;
    own.executable = executable;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_executable_create_alt);
    if (!args.skip)
      own.returned = original(own.profile, own.default_float_rounding_mode, own.options, own.executable);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_executable_create_alt);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_executable_load_program_code_object> {
  static inline decltype(&::hsa_executable_load_program_code_object) original = nullptr;
  static hsa_status_t call(hsa_executable_t executable, hsa_code_object_reader_t code_object_reader, const char * options, hsa_loaded_code_object_t * loaded_code_object) {
    if (luthier_is_telling())
      return original(executable, code_object_reader, options, loaded_code_object);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_executable_load_program_code_object;
    (void)own;
    own.executable = executable;
    own.code_object_reader = code_object_reader;
    own.options = options;
    own.loaded_code_object = loaded_code_object;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_executable_load_program_code_object);
    if (!args.skip)
      own.returned = original(own.executable, own.code_object_reader, own.options, own.loaded_code_object);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_executable_load_program_code_object);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_executable_load_agent_code_object> {
  static inline decltype(&::hsa_executable_load_agent_code_object) original = nullptr;
  static hsa_status_t call(hsa_executable_t executable, hsa_agent_t agent, hsa_code_object_reader_t code_object_reader, const char * options, hsa_loaded_code_object_t * loaded_code_object) {
    if (luthier_is_telling())
      return original(executable, agent, code_object_reader, options, loaded_code_object);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_executable_load_agent_code_object;
    (void)own;
    own.executable = executable;
    own.agent = agent;
    own.code_object_reader = code_object_reader;
    own.options = options;
    own.loaded_code_object = loaded_code_object;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_executable_load_agent_code_object);
    if (!args.skip)
      own.returned = original(own.executable, own.agent, own.code_object_reader, own.options, own.loaded_code_object);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_executable_load_agent_code_object);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_executable_validate_alt> {
  static inline decltype(&::hsa_executable_validate_alt) original = nullptr;
  static hsa_status_t call(hsa_executable_t executable, const char * options, uint32_t * result) {
    if (luthier_is_telling())
      return original(executable, options, result);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_executable_validate_alt;
    (void)own;
    own.executable = executable;
    own.options = options;
    own.result = result;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_executable_validate_alt);
    if (!args.skip)
      own.returned = original(own.executable, own.options, own.result);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_executable_validate_alt);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_executable_get_symbol_by_name> {
  static inline decltype(&::hsa_executable_get_symbol_by_name) original = nullptr;
  static hsa_status_t call(hsa_executable_t executable, const char * symbol_name, const hsa_agent_t * agent, hsa_executable_symbol_t * symbol) {
    if (luthier_is_telling())
      return original(executable, symbol_name, agent, symbol);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_executable_get_symbol_by_name;
    (void)own;
    own.executable = executable;
    own.symbol_name = symbol_name;
    own.agent = agent;
    own.symbol = symbol;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_executable_get_symbol_by_name);
    if (!args.skip)
      own.returned = original(own.executable, own.symbol_name, own.agent, own.symbol);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_executable_get_symbol_by_name);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_executable_iterate_agent_symbols> {
  static inline decltype(&::hsa_executable_iterate_agent_symbols) original = nullptr;
  static hsa_status_t call(hsa_executable_t executable, hsa_agent_t agent, hsa_status_t (*callback)(hsa_executable_t, hsa_agent_t, hsa_executable_symbol_t, void *), void * data) {
    if (luthier_is_telling())
      return original(executable, agent, callback, data);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_executable_iterate_agent_symbols;
    (void)own;
    own.executable = executable;
    own.agent = agent;
    own.callback = callback;
    own.data = data;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_executable_iterate_agent_symbols);
    if (!args.skip)
      own.returned = original(own.executable, own.agent, own.callback, own.data);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_executable_iterate_agent_symbols);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_executable_iterate_program_symbols> {
  static inline decltype(&::hsa_executable_iterate_program_symbols) original = nullptr;
  static hsa_status_t call(hsa_executable_t executable, hsa_status_t (*callback)(hsa_executable_t, hsa_executable_symbol_t, void *), void * data) {
    if (luthier_is_telling())
      return original(executable, callback, data);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_executable_iterate_program_symbols;
    (void)own;
    own.executable = executable;
    own.callback = callback;
    own.data = data;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_executable_iterate_program_symbols);
    if (!args.skip)
      own.returned = original(own.executable, own.callback, own.data);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_executable_iterate_program_symbols);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_coherency_get_type> {
  static inline decltype(&::hsa_amd_coherency_get_type) original = nullptr;
  static hsa_status_t call(hsa_agent_t agent, hsa_amd_coherency_type_t * type) {
    if (luthier_is_telling())
      return original(agent, type);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_coherency_get_type;
    (void)own;
    own.agent = agent;
    own.type = type;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_coherency_get_type);
    if (!args.skip)
      own.returned = original(own.agent, own.type);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_coherency_get_type);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_coherency_set_type> {
  static inline decltype(&::hsa_amd_coherency_set_type) original = nullptr;
  static hsa_status_t call(hsa_agent_t agent, hsa_amd_coherency_type_t type) {
    if (luthier_is_telling())
      return original(agent, type);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_coherency_set_type;
    (void)own;
    own.agent = agent;
    own.type = type;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_coherency_set_type);
    if (!args.skip)
      own.returned = original(own.agent, own.type);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_coherency_set_type);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_profiling_set_profiler_enabled> {
  static inline decltype(&::hsa_amd_profiling_set_profiler_enabled) original = nullptr;
  static hsa_status_t call(hsa_queue_t * queue, int enable) {
    if (luthier_is_telling())
      return original(queue, enable);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_profiling_set_profiler_enabled;
    (void)own;
    own.queue = queue;
    own.enable = enable;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_profiling_set_profiler_enabled);
    if (!args.skip)
      own.returned = original(own.queue, own.enable);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_profiling_set_profiler_enabled);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_profiling_async_copy_enable> {
  static inline decltype(&::hsa_amd_profiling_async_copy_enable) original = nullptr;
  static hsa_status_t call(bool enable) {
    if (luthier_is_telling())
      return original(enable);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_profiling_async_copy_enable;
    (void)own;
    own.enable = enable;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_profiling_async_copy_enable);
    if (!args.skip)
      own.returned = original(own.enable);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_profiling_async_copy_enable);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_profiling_get_dispatch_time> {
  static inline decltype(&::hsa_amd_profiling_get_dispatch_time) original = nullptr;
  static hsa_status_t call(hsa_agent_t agent, hsa_signal_t signal, hsa_amd_profiling_dispatch_time_t * time) {
    if (luthier_is_telling())
      return original(agent, signal, time);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_profiling_get_dispatch_time;
    (void)own;
    own.agent = agent;
    own.signal = signal;
    own.time = time;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_profiling_get_dispatch_time);
    if (!args.skip)
      own.returned = original(own.agent, own.signal, own.time);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_profiling_get_dispatch_time);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_profiling_get_async_copy_time> {
  static inline decltype(&::hsa_amd_profiling_get_async_copy_time) original = nullptr;
  static hsa_status_t call(hsa_signal_t signal, hsa_amd_profiling_async_copy_time_t * time) {
    if (luthier_is_telling())
      return original(signal, time);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_profiling_get_async_copy_time;
    (void)own;
    own.signal = signal;
    own.time = time;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_profiling_get_async_copy_time);
    if (!args.skip)
      own.returned = original(own.signal, own.time);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_profiling_get_async_copy_time);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_profiling_convert_tick_to_system_domain> {
  static inline decltype(&::hsa_amd_profiling_convert_tick_to_system_domain) original = nullptr;
  static hsa_status_t call(hsa_agent_t agent, uint64_t agent_tick, uint64_t * system_tick) {
    if (luthier_is_telling())
      return original(agent, agent_tick, system_tick);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_profiling_convert_tick_to_system_domain;
    (void)own;
    own.agent = agent;
    own.agent_tick = agent_tick;
    own.system_tick = system_tick;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_profiling_convert_tick_to_system_domain);
    if (!args.skip)
      own.returned = original(own.agent, own.agent_tick, own.system_tick);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_profiling_convert_tick_to_system_domain);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_signal_async_handler> {
  static inline decltype(&::hsa_amd_signal_async_handler) original = nullptr;
  static hsa_status_t call(hsa_signal_t signal, hsa_signal_condition_t cond, hsa_signal_value_t value, hsa_amd_signal_handler handler, void * arg) {
    if (luthier_is_telling())
      return original(signal, cond, value, handler, arg);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_signal_async_handler;
    (void)own;
    own.signal = signal;
    own.cond = cond;
    own.value = value;
    own.handler = handler;
    own.arg = arg;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_signal_async_handler);
    if (!args.skip)
      own.returned = original(own.signal, own.cond, own.value, own.handler, own.arg);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_signal_async_handler);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_async_function> {
  static inline decltype(&::hsa_amd_async_function) original = nullptr;
  static hsa_status_t call(void (*callback)(void *), void * arg) {
    if (luthier_is_telling())
      return original(callback, arg);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_async_function;
    (void)own;
    own.callback = callback;
    own.arg = arg;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_async_function);
    if (!args.skip)
      own.returned = original(own.callback, own.arg);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_async_function);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_signal_wait_any> {
  static inline decltype(&::hsa_amd_signal_wait_any) original = nullptr;
  static uint32_t call(uint32_t signal_count, hsa_signal_t * signals, hsa_signal_condition_t * conds, hsa_signal_value_t * values, uint64_t timeout_hint, hsa_wait_state_t wait_hint, hsa_signal_value_t * satisfying_value) {
    if (luthier_is_telling())
      return original(signal_count, signals, conds, values, timeout_hint, wait_hint, satisfying_value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_signal_wait_any;
    (void)own;
    own.signal_count = signal_count;
    own.signals = signals;
    own.conds = conds;
    own.values = values;
    own.timeout_hint = timeout_hint;
    own.wait_hint = wait_hint;
    own.satisfying_value = satisfying_value;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_signal_wait_any);
    if (!args.skip)
      own.returned = original(own.signal_count, own.signals, own.conds, own.values, own.timeout_hint, own.wait_hint, own.satisfying_value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_signal_wait_any);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_queue_cu_set_mask> {
  static inline decltype(&::hsa_amd_queue_cu_set_mask) original = nullptr;
  static hsa_status_t call(const hsa_queue_t * queue, uint32_t num_cu_mask_count, const uint32_t * cu_mask) {
    if (luthier_is_telling())
      return original(queue, num_cu_mask_count, cu_mask);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_queue_cu_set_mask;
    (void)own;
    own.queue = queue;
    own.num_cu_mask_count = num_cu_mask_count;
    own.cu_mask = cu_mask;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_queue_cu_set_mask);
    if (!args.skip)
      own.returned = original(own.queue, own.num_cu_mask_count, own.cu_mask);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_queue_cu_set_mask);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_memory_pool_get_info> {
  static inline decltype(&::hsa_amd_memory_pool_get_info) original = nullptr;
  static hsa_status_t call(hsa_amd_memory_pool_t memory_pool, hsa_amd_memory_pool_info_t attribute, void * value) {
    if (luthier_is_telling())
      return original(memory_pool, attribute, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_memory_pool_get_info;
    (void)own;
    own.memory_pool = memory_pool;
    own.attribute = attribute;
    own.value = value;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_memory_pool_get_info);
    if (!args.skip)
      own.returned = original(own.memory_pool, own.attribute, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_memory_pool_get_info);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_agent_iterate_memory_pools> {
  static inline decltype(&::hsa_amd_agent_iterate_memory_pools) original = nullptr;
  static hsa_status_t call(hsa_agent_t agent, hsa_status_t (*callback)(hsa_amd_memory_pool_t, void *), void * data) {
    if (luthier_is_telling())
      return original(agent, callback, data);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_agent_iterate_memory_pools;
    (void)own;
    own.agent = agent;
    own.callback = callback;
    own.data = data;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_agent_iterate_memory_pools);
    if (!args.skip)
      own.returned = original(own.agent, own.callback, own.data);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_agent_iterate_memory_pools);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_memory_pool_allocate> {
  static inline decltype(&::hsa_amd_memory_pool_allocate) original = nullptr;
  static hsa_status_t call(hsa_amd_memory_pool_t memory_pool, size_t size, uint32_t flags, void ** ptr) {
    if (luthier_is_telling())
      return original(memory_pool, size, flags, ptr);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_memory_pool_allocate;
    (void)own;
    own.memory_pool = memory_pool;
    own.size = size;
    own.flags = flags;
    own.ptr = ptr;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_memory_pool_allocate);
    if (!args.skip)
      own.returned = original(own.memory_pool, own.size, own.flags, own.ptr);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_memory_pool_allocate);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_memory_pool_free> {
  static inline decltype(&::hsa_amd_memory_pool_free) original = nullptr;
  static hsa_status_t call(void * ptr) {
    if (luthier_is_telling())
      return original(ptr);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_memory_pool_free;
    (void)own;
    own.ptr = ptr;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_memory_pool_free);
    if (!args.skip)
      own.returned = original(own.ptr);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_memory_pool_free);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_memory_async_copy> {
  static inline decltype(&::hsa_amd_memory_async_copy) original = nullptr;
  static hsa_status_t call(void * dst, hsa_agent_t dst_agent, const void * src, hsa_agent_t src_agent, size_t size, uint32_t num_dep_signals, const hsa_signal_t * dep_signals, hsa_signal_t completion_signal) {
    if (luthier_is_telling())
      return original(dst, dst_agent, src, src_agent, size, num_dep_signals, dep_signals, completion_signal);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_memory_async_copy;
    (void)own;
    own.dst = dst;
    own.dst_agent = dst_agent;
    own.src = src;
    own.src_agent = src_agent;
    own.size = size;
    own.num_dep_signals = num_dep_signals;
    own.dep_signals = dep_signals;
    own.completion_signal = completion_signal;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_memory_async_copy);
    if (!args.skip)
      own.returned = original(own.dst, own.dst_agent, own.src, own.src_agent, own.size, own.num_dep_signals, own.dep_signals, own.completion_signal);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_memory_async_copy);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_agent_memory_pool_get_info> {
  static inline decltype(&::hsa_amd_agent_memory_pool_get_info) original = nullptr;
  static hsa_status_t call(hsa_agent_t agent, hsa_amd_memory_pool_t memory_pool, hsa_amd_agent_memory_pool_info_t attribute, void * value) {
    if (luthier_is_telling())
      return original(agent, memory_pool, attribute, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_agent_memory_pool_get_info;
    (void)own;
    own.agent = agent;
    own.memory_pool = memory_pool;
    own.attribute = attribute;
    own.value = value;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_agent_memory_pool_get_info);
    if (!args.skip)
      own.returned = original(own.agent, own.memory_pool, own.attribute, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_agent_memory_pool_get_info);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_agents_allow_access> {
  static inline decltype(&::hsa_amd_agents_allow_access) original = nullptr;
  static hsa_status_t call(uint32_t num_agents, const hsa_agent_t * agents, const uint32_t * flags, const void * ptr) {
    if (luthier_is_telling())
      return original(num_agents, agents, flags, ptr);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_agents_allow_access;
    (void)own;
    own.num_agents = num_agents;
    own.agents = agents;
    own.flags = flags;
    own.ptr = ptr;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_agents_allow_access);
    if (!args.skip)
      own.returned = original(own.num_agents, own.agents, own.flags, own.ptr);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_agents_allow_access);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_memory_pool_can_migrate> {
  static inline decltype(&::hsa_amd_memory_pool_can_migrate) original = nullptr;
  static hsa_status_t call(hsa_amd_memory_pool_t src_memory_pool, hsa_amd_memory_pool_t dst_memory_pool, bool * result) {
    if (luthier_is_telling())
      return original(src_memory_pool, dst_memory_pool, result);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_memory_pool_can_migrate;
    (void)own;
    own.src_memory_pool = src_memory_pool;
    own.dst_memory_pool = dst_memory_pool;
    own.result = result;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_memory_pool_can_migrate);
    if (!args.skip)
      own.returned = original(own.src_memory_pool, own.dst_memory_pool, own.result);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_memory_pool_can_migrate);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_memory_migrate> {
  static inline decltype(&::hsa_amd_memory_migrate) original = nullptr;
  static hsa_status_t call(const void * ptr, hsa_amd_memory_pool_t memory_pool, uint32_t flags) {
    if (luthier_is_telling())
      return original(ptr, memory_pool, flags);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_memory_migrate;
    (void)own;
    own.ptr = ptr;
    own.memory_pool = memory_pool;
    own.flags = flags;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_memory_migrate);
    if (!args.skip)
      own.returned = original(own.ptr, own.memory_pool, own.flags);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_memory_migrate);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_memory_lock> {
  static inline decltype(&::hsa_amd_memory_lock) original = nullptr;
  static hsa_status_t call(void * host_ptr, size_t size, hsa_agent_t * agents, int num_agent, void ** agent_ptr) {
    if (luthier_is_telling())
      return original(host_ptr, size, agents, num_agent, agent_ptr);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_memory_lock;
    (void)own;
    own.host_ptr = host_ptr;
    own.size = size;
    own.agents = agents;
    own.num_agent = num_agent;
    own.agent_ptr = agent_ptr;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_memory_lock);
    if (!args.skip)
      own.returned = original(own.host_ptr, own.size, own.agents, own.num_agent, own.agent_ptr);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_memory_lock);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_memory_unlock> {
  static inline decltype(&::hsa_amd_memory_unlock) original = nullptr;
  static hsa_status_t call(void * host_ptr) {
    if (luthier_is_telling())
      return original(host_ptr);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_memory_unlock;
    (void)own;
    own.host_ptr = host_ptr;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_memory_unlock);
    if (!args.skip)
      own.returned = original(own.host_ptr);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_memory_unlock);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_memory_fill> {
  static inline decltype(&::hsa_amd_memory_fill) original = nullptr;
  static hsa_status_t call(void * ptr, uint32_t value, size_t count) {
    if (luthier_is_telling())
      return original(ptr, value, count);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_memory_fill;
    (void)own;
    own.ptr = ptr;
    own.value = value;
    own.count = count;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_memory_fill);
    if (!args.skip)
      own.returned = original(own.ptr, own.value, own.count);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_memory_fill);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_interop_map_buffer> {
  static inline decltype(&::hsa_amd_interop_map_buffer) original = nullptr;
  static hsa_status_t call(uint32_t num_agents, hsa_agent_t * agents, int interop_handle, uint32_t flags, size_t * size, void ** ptr, size_t * metadata_size, const void ** metadata) {
    if (luthier_is_telling())
      return original(num_agents, agents, interop_handle, flags, size, ptr, metadata_size, metadata);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_interop_map_buffer;
    (void)own;
    own.num_agents = num_agents;
    own.agents = agents;
    own.interop_handle = interop_handle;
    own.flags = flags;
    own.size = size;
    own.ptr = ptr;
    own.metadata_size = metadata_size;
    own.metadata = metadata;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_interop_map_buffer);
    if (!args.skip)
      own.returned = original(own.num_agents, own.agents, own.interop_handle, own.flags, own.size, own.ptr, own.metadata_size, own.metadata);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_interop_map_buffer);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_interop_unmap_buffer> {
  static inline decltype(&::hsa_amd_interop_unmap_buffer) original = nullptr;
  static hsa_status_t call(void * ptr) {
    if (luthier_is_telling())
      return original(ptr);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_interop_unmap_buffer;
    (void)own;
    own.ptr = ptr;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_interop_unmap_buffer);
    if (!args.skip)
      own.returned = original(own.ptr);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_interop_unmap_buffer);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_image_create> {
  static inline decltype(&::hsa_amd_image_create) original = nullptr;
  static hsa_status_t call(hsa_agent_t agent, const hsa_ext_image_descriptor_t * image_descriptor, const hsa_amd_image_descriptor_t * image_layout, const void * image_data, hsa_access_permission_t access_permission, hsa_ext_image_t * image) {
    if (luthier_is_telling())
      return original(agent, image_descriptor, image_layout, image_data, access_permission, image);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_image_create;
    (void)own;
    own.agent = agent;
    own.image_descriptor = image_descriptor;
    own.image_layout = image_layout;
    own.image_data = image_data;
    own.access_permission = access_permission;
    own.image = image;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_image_create);
    if (!args.skip)
      own.returned = original(own.agent, own.image_descriptor, own.image_layout, own.image_data, own.access_permission, own.image);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_image_create);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_pointer_info> {
  static inline decltype(&::hsa_amd_pointer_info) original = nullptr;
  static hsa_status_t call(const void * ptr, hsa_amd_pointer_info_t * info, void *(*alloc)(size_t), uint32_t * num_agents_accessible, hsa_agent_t ** accessible) {
    if (luthier_is_telling())
      return original(ptr, info, alloc, num_agents_accessible, accessible);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_pointer_info;
    (void)own;
    own.ptr = ptr;
    own.info = info;
    own.alloc = alloc;
    own.num_agents_accessible = num_agents_accessible;
    own.accessible = accessible;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_pointer_info);
    if (!args.skip)
      own.returned = original(own.ptr, own.info, own.alloc, own.num_agents_accessible, own.accessible);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_pointer_info);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_pointer_info_set_userdata> {
  static inline decltype(&::hsa_amd_pointer_info_set_userdata) original = nullptr;
  static hsa_status_t call(const void * ptr, void * userdata) {
    if (luthier_is_telling())
      return original(ptr, userdata);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_pointer_info_set_userdata;
    (void)own;
    own.ptr = ptr;
    own.userdata = userdata;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_pointer_info_set_userdata);
    if (!args.skip)
      own.returned = original(own.ptr, own.userdata);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_pointer_info_set_userdata);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_ipc_memory_create> {
  static inline decltype(&::hsa_amd_ipc_memory_create) original = nullptr;
  static hsa_status_t call(void * ptr, size_t len, hsa_amd_ipc_memory_t * handle) {
    if (luthier_is_telling())
      return original(ptr, len, handle);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_ipc_memory_create;
    (void)own;
    own.ptr = ptr;
    own.len = len;
    own.handle = handle;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_ipc_memory_create);
    if (!args.skip)
      own.returned = original(own.ptr, own.len, own.handle);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_ipc_memory_create);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_ipc_memory_attach> {
  static inline decltype(&::hsa_amd_ipc_memory_attach) original = nullptr;
  static hsa_status_t call(const hsa_amd_ipc_memory_t * handle, size_t len, uint32_t num_agents, const hsa_agent_t * mapping_agents, void ** mapped_ptr) {
    if (luthier_is_telling())
      return original(handle, len, num_agents, mapping_agents, mapped_ptr);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_ipc_memory_attach;
    (void)own;
    own.handle = handle;
    own.len = len;
    own.num_agents = num_agents;
    own.mapping_agents = mapping_agents;
    own.mapped_ptr = mapped_ptr;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_ipc_memory_attach);
    if (!args.skip)
      own.returned = original(own.handle, own.len, own.num_agents, own.mapping_agents, own.mapped_ptr);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_ipc_memory_attach);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_ipc_memory_detach> {
  static inline decltype(&::hsa_amd_ipc_memory_detach) original = nullptr;
  static hsa_status_t call(void * mapped_ptr) {
    if (luthier_is_telling())
      return original(mapped_ptr);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_ipc_memory_detach;
    (void)own;
    own.mapped_ptr = mapped_ptr;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_ipc_memory_detach);
    if (!args.skip)
      own.returned = original(own.mapped_ptr);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_ipc_memory_detach);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_signal_create> {
  static inline decltype(&::hsa_amd_signal_create) original = nullptr;
  static hsa_status_t call(hsa_signal_value_t initial_value, uint32_t num_consumers, const hsa_agent_t * consumers, uint64_t attributes, hsa_signal_t * signal) {
    if (luthier_is_telling())
      return original(initial_value, num_consumers, consumers, attributes, signal);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_signal_create;
    (void)own;
    own.initial_value = initial_value;
    own.num_consumers = num_consumers;
    own.consumers = consumers;
    own.attributes = attributes;
    own.signal = signal;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_signal_create);
    if (!args.skip)
      own.returned = original(own.initial_value, own.num_consumers, own.consumers, own.attributes, own.signal);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_signal_create);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_ipc_signal_create> {
  static inline decltype(&::hsa_amd_ipc_signal_create) original = nullptr;
  static hsa_status_t call(hsa_signal_t signal, hsa_amd_ipc_signal_t * handle) {
    if (luthier_is_telling())
      return original(signal, handle);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_ipc_signal_create;
    (void)own;
    own.signal = signal;
    own.handle = handle;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_ipc_signal_create);
    if (!args.skip)
      own.returned = original(own.signal, own.handle);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_ipc_signal_create);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_ipc_signal_attach> {
  static inline decltype(&::hsa_amd_ipc_signal_attach) original = nullptr;
  static hsa_status_t call(const hsa_amd_ipc_signal_t * handle, hsa_signal_t * signal) {
    if (luthier_is_telling())
      return original(handle, signal);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_ipc_signal_attach;
    (void)own;
    own.handle = handle;
    own.signal = signal;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_ipc_signal_attach);
    if (!args.skip)
      own.returned = original(own.handle, own.signal);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_ipc_signal_attach);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_register_system_event_handler> {
  static inline decltype(&::hsa_amd_register_system_event_handler) original = nullptr;
  static hsa_status_t call(hsa_amd_system_event_callback_t callback, void * data) {
    if (luthier_is_telling())
      return original(callback, data);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_register_system_event_handler;
    (void)own;
    own.callback = callback;
    own.data = data;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_register_system_event_handler);
    if (!args.skip)
      own.returned = original(own.callback, own.data);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_register_system_event_handler);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_queue_set_priority> {
  static inline decltype(&::hsa_amd_queue_set_priority) original = nullptr;
  static hsa_status_t call(hsa_queue_t * queue, hsa_amd_queue_priority_t priority) {
    if (luthier_is_telling())
      return original(queue, priority);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_queue_set_priority;
    (void)own;
    own.queue = queue;
    own.priority = priority;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_queue_set_priority);
    if (!args.skip)
      own.returned = original(own.queue, own.priority);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_queue_set_priority);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_memory_async_copy_rect> {
  static inline decltype(&::hsa_amd_memory_async_copy_rect) original = nullptr;
  static hsa_status_t call(const hsa_pitched_ptr_t * dst, const hsa_dim3_t * dst_offset, const hsa_pitched_ptr_t * src, const hsa_dim3_t * src_offset, const hsa_dim3_t * range, hsa_agent_t copy_agent, hsa_amd_copy_direction_t dir, uint32_t num_dep_signals, const hsa_signal_t * dep_signals, hsa_signal_t completion_signal) {
    if (luthier_is_telling())
      return original(dst, dst_offset, src, src_offset, range, copy_agent, dir, num_dep_signals, dep_signals, completion_signal);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_memory_async_copy_rect;
    (void)own;
    own.dst = dst;
    own.dst_offset = dst_offset;
    own.src = src;
    own.src_offset = src_offset;
    own.range = range;
    own.copy_agent = copy_agent;
    own.dir = dir;
    own.num_dep_signals = num_dep_signals;
    own.dep_signals = dep_signals;
    own.completion_signal = completion_signal;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_memory_async_copy_rect);
    if (!args.skip)
      own.returned = original(own.dst, own.dst_offset, own.src, own.src_offset, own.range, own.copy_agent, own.dir, own.num_dep_signals, own.dep_signals, own.completion_signal);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_memory_async_copy_rect);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_memory_lock_to_pool> {
  static inline decltype(&::hsa_amd_memory_lock_to_pool) original = nullptr;
  static hsa_status_t call(void * host_ptr, size_t size, hsa_agent_t * agents, int num_agent, hsa_amd_memory_pool_t pool, uint32_t flags, void ** agent_ptr) {
    if (luthier_is_telling())
      return original(host_ptr, size, agents, num_agent, pool, flags, agent_ptr);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_memory_lock_to_pool;
    (void)own;
    own.host_ptr = host_ptr;
    own.size = size;
    own.agents = agents;
    own.num_agent = num_agent;
    own.pool = pool;
    own.flags = flags;
    own.agent_ptr = agent_ptr;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_memory_lock_to_pool);
    if (!args.skip)
      own.returned = original(own.host_ptr, own.size, own.agents, own.num_agent, own.pool, own.flags, own.agent_ptr);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_memory_lock_to_pool);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_register_deallocation_callback> {
  static inline decltype(&::hsa_amd_register_deallocation_callback) original = nullptr;
  static hsa_status_t call(void * ptr, hsa_amd_deallocation_callback_t callback, void * user_data) {
    if (luthier_is_telling())
      return original(ptr, callback, user_data);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_register_deallocation_callback;
    (void)own;
    own.ptr = ptr;
    own.callback = callback;
    own.user_data = user_data;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_register_deallocation_callback);
    if (!args.skip)
      own.returned = original(own.ptr, own.callback, own.user_data);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_register_deallocation_callback);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_deregister_deallocation_callback> {
  static inline decltype(&::hsa_amd_deregister_deallocation_callback) original = nullptr;
  static hsa_status_t call(void * ptr, hsa_amd_deallocation_callback_t callback) {
    if (luthier_is_telling())
      return original(ptr, callback);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_deregister_deallocation_callback;
    (void)own;
    own.ptr = ptr;
    own.callback = callback;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_deregister_deallocation_callback);
    if (!args.skip)
      own.returned = original(own.ptr, own.callback);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_deregister_deallocation_callback);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_signal_value_pointer> {
  static inline decltype(&::hsa_amd_signal_value_pointer) original = nullptr;
  static hsa_status_t call(hsa_signal_t signal, volatile hsa_signal_value_t ** value_ptr) {
    if (luthier_is_telling())
      return original(signal, value_ptr);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_signal_value_pointer;
    (void)own;
    own.signal = signal;
    own.value_ptr = value_ptr;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_signal_value_pointer);
    if (!args.skip)
      own.returned = original(own.signal, own.value_ptr);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_signal_value_pointer);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_svm_attributes_set> {
  static inline decltype(&::hsa_amd_svm_attributes_set) original = nullptr;
  static hsa_status_t call(void * ptr, size_t size, hsa_amd_svm_attribute_pair_t * attribute_list, size_t attribute_count) {
    if (luthier_is_telling())
      return original(ptr, size, attribute_list, attribute_count);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_svm_attributes_set;
    (void)own;
    own.ptr = ptr;
    own.size = size;
    own.attribute_list = attribute_list;
    own.attribute_count = attribute_count;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_svm_attributes_set);
    if (!args.skip)
      own.returned = original(own.ptr, own.size, own.attribute_list, own.attribute_count);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_svm_attributes_set);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_svm_attributes_get> {
  static inline decltype(&::hsa_amd_svm_attributes_get) original = nullptr;
  static hsa_status_t call(void * ptr, size_t size, hsa_amd_svm_attribute_pair_t * attribute_list, size_t attribute_count) {
    if (luthier_is_telling())
      return original(ptr, size, attribute_list, attribute_count);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_svm_attributes_get;
    (void)own;
    own.ptr = ptr;
    own.size = size;
    own.attribute_list = attribute_list;
    own.attribute_count = attribute_count;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_svm_attributes_get);
    if (!args.skip)
      own.returned = original(own.ptr, own.size, own.attribute_list, own.attribute_count);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_svm_attributes_get);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_svm_prefetch_async> {
  static inline decltype(&::hsa_amd_svm_prefetch_async) original = nullptr;
  static hsa_status_t call(void * ptr, size_t size, hsa_agent_t agent, uint32_t num_dep_signals, const hsa_signal_t * dep_signals, hsa_signal_t completion_signal) {
    if (luthier_is_telling())
      return original(ptr, size, agent, num_dep_signals, dep_signals, completion_signal);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_svm_prefetch_async;
    (void)own;
    own.ptr = ptr;
    own.size = size;
    own.agent = agent;
    own.num_dep_signals = num_dep_signals;
    own.dep_signals = dep_signals;
    own.completion_signal = completion_signal;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_svm_prefetch_async);
    if (!args.skip)
      own.returned = original(own.ptr, own.size, own.agent, own.num_dep_signals, own.dep_signals, own.completion_signal);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_svm_prefetch_async);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_queue_cu_get_mask> {
  static inline decltype(&::hsa_amd_queue_cu_get_mask) original = nullptr;
  static hsa_status_t call(const hsa_queue_t * queue, uint32_t num_cu_mask_count, uint32_t * cu_mask) {
    if (luthier_is_telling())
      return original(queue, num_cu_mask_count, cu_mask);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_queue_cu_get_mask;
    (void)own;
    own.queue = queue;
    own.num_cu_mask_count = num_cu_mask_count;
    own.cu_mask = cu_mask;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_queue_cu_get_mask);
    if (!args.skip)
      own.returned = original(own.queue, own.num_cu_mask_count, own.cu_mask);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_queue_cu_get_mask);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_ext_image_get_capability> {
  static inline decltype(&::hsa_ext_image_get_capability) original = nullptr;
  static hsa_status_t call(hsa_agent_t agent, hsa_ext_image_geometry_t geometry, const hsa_ext_image_format_t * image_format, uint32_t * capability_mask) {
    if (luthier_is_telling())
      return original(agent, geometry, image_format, capability_mask);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_ext_image_get_capability;
    (void)own;
    own.agent = agent;
    own.geometry = geometry;
    own.image_format = image_format;
    own.capability_mask = capability_mask;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_ext_image_get_capability);
    if (!args.skip)
      own.returned = original(own.agent, own.geometry, own.image_format, own.capability_mask);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_ext_image_get_capability);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_ext_image_data_get_info> {
  static inline decltype(&::hsa_ext_image_data_get_info) original = nullptr;
  static hsa_status_t call(hsa_agent_t agent, const hsa_ext_image_descriptor_t * image_descriptor, hsa_access_permission_t access_permission, hsa_ext_image_data_info_t * image_data_info) {
    if (luthier_is_telling())
      return original(agent, image_descriptor, access_permission, image_data_info);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_ext_image_data_get_info;
    (void)own;
    own.agent = agent;
    own.image_descriptor = image_descriptor;
    own.access_permission = access_permission;
    own.image_data_info = image_data_info;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_ext_image_data_get_info);
    if (!args.skip)
      own.returned = original(own.agent, own.image_descriptor, own.access_permission, own.image_data_info);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_ext_image_data_get_info);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_ext_image_create> {
  static inline decltype(&::hsa_ext_image_create) original = nullptr;
  static hsa_status_t call(hsa_agent_t agent, const hsa_ext_image_descriptor_t * image_descriptor, const void * image_data, hsa_access_permission_t access_permission, hsa_ext_image_t * image) {
    if (luthier_is_telling())
      return original(agent, image_descriptor, image_data, access_permission, image);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_ext_image_create;
    (void)own;
    own.agent = agent;
    own.image_descriptor = image_descriptor;
    own.image_data = image_data;
    own.access_permission = access_permission;
    own.image = image;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_ext_image_create);
    if (!args.skip)
      own.returned = original(own.agent, own.image_descriptor, own.image_data, own.access_permission, own.image);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_ext_image_create);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_ext_image_import> {
  static inline decltype(&::hsa_ext_image_import) original = nullptr;
  static hsa_status_t call(hsa_agent_t agent, const void * src_memory, size_t src_row_pitch, size_t src_slice_pitch, hsa_ext_image_t dst_image, const hsa_ext_image_region_t * image_region) {
    if (luthier_is_telling())
      return original(agent, src_memory, src_row_pitch, src_slice_pitch, dst_image, image_region);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_ext_image_import;
    (void)own;
    own.agent = agent;
    own.src_memory = src_memory;
    own.src_row_pitch = src_row_pitch;
    own.src_slice_pitch = src_slice_pitch;
    own.dst_image = dst_image;
    own.image_region = image_region;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_ext_image_import);
    if (!args.skip)
      own.returned = original(own.agent, own.src_memory, own.src_row_pitch, own.src_slice_pitch, own.dst_image, own.image_region);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_ext_image_import);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_ext_image_export> {
  static inline decltype(&::hsa_ext_image_export) original = nullptr;
  static hsa_status_t call(hsa_agent_t agent, hsa_ext_image_t src_image, void * dst_memory, size_t dst_row_pitch, size_t dst_slice_pitch, const hsa_ext_image_region_t * image_region) {
    if (luthier_is_telling())
      return original(agent, src_image, dst_memory, dst_row_pitch, dst_slice_pitch, image_region);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_ext_image_export;
    (void)own;
    own.agent = agent;
    own.src_image = src_image;
    own.dst_memory = dst_memory;
    own.dst_row_pitch = dst_row_pitch;
    own.dst_slice_pitch = dst_slice_pitch;
    own.image_region = image_region;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_ext_image_export);
    if (!args.skip)
      own.returned = original(own.agent, own.src_image, own.dst_memory, own.dst_row_pitch, own.dst_slice_pitch, own.image_region);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_ext_image_export);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_ext_image_copy> {
  static inline decltype(&::hsa_ext_image_copy) original = nullptr;
  static hsa_status_t call(hsa_agent_t agent, hsa_ext_image_t src_image, const hsa_dim3_t * src_offset, hsa_ext_image_t dst_image, const hsa_dim3_t * dst_offset, const hsa_dim3_t * range) {
    if (luthier_is_telling())
      return original(agent, src_image, src_offset, dst_image, dst_offset, range);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_ext_image_copy;
    (void)own;
    own.agent = agent;
    own.src_image = src_image;
    own.src_offset = src_offset;
    own.dst_image = dst_image;
    own.dst_offset = dst_offset;
    own.range = range;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_ext_image_copy);
    if (!args.skip)
      own.returned = original(own.agent, own.src_image, own.src_offset, own.dst_image, own.dst_offset, own.range);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_ext_image_copy);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_ext_image_clear> {
  static inline decltype(&::hsa_ext_image_clear) original = nullptr;
  static hsa_status_t call(hsa_agent_t agent, hsa_ext_image_t image, const void * data, const hsa_ext_image_region_t * image_region) {
    if (luthier_is_telling())
      return original(agent, image, data, image_region);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_ext_image_clear;
    (void)own;
    own.agent = agent;
    own.image = image;
    own.data = data;
    own.image_region = image_region;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_ext_image_clear);
    if (!args.skip)
      own.returned = original(own.agent, own.image, own.data, own.image_region);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_ext_image_clear);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_ext_image_destroy> {
  static inline decltype(&::hsa_ext_image_destroy) original = nullptr;
  static hsa_status_t call(hsa_agent_t agent, hsa_ext_image_t image) {
    if (luthier_is_telling())
      return original(agent, image);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_ext_image_destroy;
    (void)own;
    own.agent = agent;
    own.image = image;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_ext_image_destroy);
    if (!args.skip)
      own.returned = original(own.agent, own.image);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_ext_image_destroy);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_ext_sampler_create> {
  static inline decltype(&::hsa_ext_sampler_create) original = nullptr;
  static hsa_status_t call(hsa_agent_t agent, const hsa_ext_sampler_descriptor_t * sampler_descriptor, hsa_ext_sampler_t * sampler) {
    if (luthier_is_telling())
      return original(agent, sampler_descriptor, sampler);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_ext_sampler_create;
    (void)own;
    own.agent = agent;
    own.sampler_descriptor = sampler_descriptor;
    own.sampler = sampler;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_ext_sampler_create);
    if (!args.skip)
      own.returned = original(own.agent, own.sampler_descriptor, own.sampler);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_ext_sampler_create);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_ext_sampler_destroy> {
  static inline decltype(&::hsa_ext_sampler_destroy) original = nullptr;
  static hsa_status_t call(hsa_agent_t agent, hsa_ext_sampler_t sampler) {
    if (luthier_is_telling())
      return original(agent, sampler);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_ext_sampler_destroy;
    (void)own;
    own.agent = agent;
    own.sampler = sampler;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_ext_sampler_destroy);
    if (!args.skip)
      own.returned = original(own.agent, own.sampler);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_ext_sampler_destroy);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_ext_image_get_capability_with_layout> {
  static inline decltype(&::hsa_ext_image_get_capability_with_layout) original = nullptr;
  static hsa_status_t call(hsa_agent_t agent, hsa_ext_image_geometry_t geometry, const hsa_ext_image_format_t * image_format, hsa_ext_image_data_layout_t image_data_layout, uint32_t * capability_mask) {
    if (luthier_is_telling())
      return original(agent, geometry, image_format, image_data_layout, capability_mask);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_ext_image_get_capability_with_layout;
    (void)own;
    own.agent = agent;
    own.geometry = geometry;
    own.image_format = image_format;
    own.image_data_layout = image_data_layout;
    own.capability_mask = capability_mask;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_ext_image_get_capability_with_layout);
    if (!args.skip)
      own.returned = original(own.agent, own.geometry, own.image_format, own.image_data_layout, own.capability_mask);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_ext_image_get_capability_with_layout);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_ext_image_data_get_info_with_layout> {
  static inline decltype(&::hsa_ext_image_data_get_info_with_layout) original = nullptr;
  static hsa_status_t call(hsa_agent_t agent, const hsa_ext_image_descriptor_t * image_descriptor, hsa_access_permission_t access_permission, hsa_ext_image_data_layout_t image_data_layout, size_t image_data_row_pitch, size_t image_data_slice_pitch, hsa_ext_image_data_info_t * image_data_info) {
    if (luthier_is_telling())
      return original(agent, image_descriptor, access_permission, image_data_layout, image_data_row_pitch, image_data_slice_pitch, image_data_info);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_ext_image_data_get_info_with_layout;
    (void)own;
    own.agent = agent;
    own.image_descriptor = image_descriptor;
    own.access_permission = access_permission;
    own.image_data_layout = image_data_layout;
    own.image_data_row_pitch = image_data_row_pitch;
    own.image_data_slice_pitch = image_data_slice_pitch;
    own.image_data_info = image_data_info;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_ext_image_data_get_info_with_layout);
    if (!args.skip)
      own.returned = original(own.agent, own.image_descriptor, own.access_permission, own.image_data_layout, own.image_data_row_pitch, own.image_data_slice_pitch, own.image_data_info);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_ext_image_data_get_info_with_layout);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_ext_image_create_with_layout> {
  static inline decltype(&::hsa_ext_image_create_with_layout) original = nullptr;
  static hsa_status_t call(hsa_agent_t agent, const hsa_ext_image_descriptor_t * image_descriptor, const void * image_data, hsa_access_permission_t access_permission, hsa_ext_image_data_layout_t image_data_layout, size_t image_data_row_pitch, size_t image_data_slice_pitch, hsa_ext_image_t * image) {
    if (luthier_is_telling())
      return original(agent, image_descriptor, image_data, access_permission, image_data_layout, image_data_row_pitch, image_data_slice_pitch, image);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_ext_image_create_with_layout;
    (void)own;
    own.agent = agent;
    own.image_descriptor = image_descriptor;
    own.image_data = image_data;
    own.access_permission = access_permission;
    own.image_data_layout = image_data_layout;
    own.image_data_row_pitch = image_data_row_pitch;
    own.image_data_slice_pitch = image_data_slice_pitch;
    own.image = image;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_ext_image_create_with_layout);
    if (!args.skip)
      own.returned = original(own.agent, own.image_descriptor, own.image_data, own.access_permission, own.image_data_layout, own.image_data_row_pitch, own.image_data_slice_pitch, own.image);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_ext_image_create_with_layout);
    return own.returned;
  }
};
#if HSA_AMD_INTERFACE_VERSION_MAJOR > 1 || HSA_AMD_INTERFACE_VERSION_MINOR >= 7

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_memory_async_copy_on_engine> {
  static inline decltype(&::hsa_amd_memory_async_copy_on_engine) original = nullptr;
  static hsa_status_t call(void * dst, hsa_agent_t dst_agent, const void * src, hsa_agent_t src_agent, size_t size, uint32_t num_dep_signals, const hsa_signal_t * dep_signals, hsa_signal_t completion_signal, hsa_amd_sdma_engine_id_t engine_id, bool force_copy_on_sdma) {
    if (luthier_is_telling())
      return original(dst, dst_agent, src, src_agent, size, num_dep_signals, dep_signals, completion_signal, engine_id, force_copy_on_sdma);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_memory_async_copy_on_engine;
    (void)own;
    own.dst = dst;
    own.dst_agent = dst_agent;
    own.src = src;
    own.src_agent = src_agent;
    own.size = size;
    own.num_dep_signals = num_dep_signals;
    own.dep_signals = dep_signals;
    own.completion_signal = completion_signal;
    own.engine_id = engine_id;
    own.force_copy_on_sdma = force_copy_on_sdma;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_memory_async_copy_on_engine);
    if (!args.skip)
      own.returned = original(own.dst, own.dst_agent, own.src, own.src_agent, own.size, own.num_dep_signals, own.dep_signals, own.completion_signal, own.engine_id, own.force_copy_on_sdma);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_memory_async_copy_on_engine);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_memory_copy_engine_status> {
  static inline decltype(&::hsa_amd_memory_copy_engine_status) original = nullptr;
  static hsa_status_t call(hsa_agent_t dst_agent, hsa_agent_t src_agent, uint32_t * engine_ids_mask) {
    if (luthier_is_telling())
      return original(dst_agent, src_agent, engine_ids_mask);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_memory_copy_engine_status;
    (void)own;
    own.dst_agent = dst_agent;
    own.src_agent = src_agent;
    own.engine_ids_mask = engine_ids_mask;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_memory_copy_engine_status);
    if (!args.skip)
      own.returned = original(own.dst_agent, own.src_agent, own.engine_ids_mask);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_memory_copy_engine_status);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_spm_acquire> {
  static inline decltype(&::hsa_amd_spm_acquire) original = nullptr;
  static hsa_status_t call(hsa_agent_t preferred_agent) {
    if (luthier_is_telling())
      return original(preferred_agent);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_spm_acquire;
    (void)own;
    own.preferred_agent = preferred_agent;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_spm_acquire);
    if (!args.skip)
      own.returned = original(own.preferred_agent);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_spm_acquire);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_spm_release> {
  static inline decltype(&::hsa_amd_spm_release) original = nullptr;
  static hsa_status_t call(hsa_agent_t preferred_agent) {
    if (luthier_is_telling())
      return original(preferred_agent);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_spm_release;
    (void)own;
    own.preferred_agent = preferred_agent;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_spm_release);
    if (!args.skip)
      own.returned = original(own.preferred_agent);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_spm_release);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_spm_set_dest_buffer> {
  static inline decltype(&::hsa_amd_spm_set_dest_buffer) original = nullptr;
  static hsa_status_t call(hsa_agent_t preferred_agent, size_t size_in_bytes, uint32_t * timeout, uint32_t * size_copied, void * dest, bool * is_data_loss) {
    if (luthier_is_telling())
      return original(preferred_agent, size_in_bytes, timeout, size_copied, dest, is_data_loss);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_spm_set_dest_buffer;
    (void)own;
    own.preferred_agent = preferred_agent;
    own.size_in_bytes = size_in_bytes;
    own.timeout = timeout;
    own.size_copied = size_copied;
    own.dest = dest;
    own.is_data_loss = is_data_loss;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_spm_set_dest_buffer);
    if (!args.skip)
      own.returned = original(own.preferred_agent, own.size_in_bytes, own.timeout, own.size_copied, own.dest, own.is_data_loss);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_spm_set_dest_buffer);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_portable_export_dmabuf> {
  static inline decltype(&::hsa_amd_portable_export_dmabuf) original = nullptr;
  static hsa_status_t call(const void * ptr, size_t size, int * dmabuf, uint64_t * offset) {
    if (luthier_is_telling())
      return original(ptr, size, dmabuf, offset);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_portable_export_dmabuf;
    (void)own;
    own.ptr = ptr;
    own.size = size;
    own.dmabuf = dmabuf;
    own.offset = offset;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_portable_export_dmabuf);
    if (!args.skip)
      own.returned = original(own.ptr, own.size, own.dmabuf, own.offset);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_portable_export_dmabuf);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_portable_close_dmabuf> {
  static inline decltype(&::hsa_amd_portable_close_dmabuf) original = nullptr;
  static hsa_status_t call(int dmabuf) {
    if (luthier_is_telling())
      return original(dmabuf);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_portable_close_dmabuf;
    (void)own;
    own.dmabuf = dmabuf;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_portable_close_dmabuf);
    if (!args.skip)
      own.returned = original(own.dmabuf);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_portable_close_dmabuf);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_vmem_address_reserve> {
  static inline decltype(&::hsa_amd_vmem_address_reserve) original = nullptr;
  static hsa_status_t call(void ** va, size_t size, uint64_t address, uint64_t flags) {
    if (luthier_is_telling())
      return original(va, size, address, flags);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_vmem_address_reserve;
    (void)own;
    own.va = va;
    own.size = size;
    own.address = address;
    own.flags = flags;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_vmem_address_reserve);
    if (!args.skip)
      own.returned = original(own.va, own.size, own.address, own.flags);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_vmem_address_reserve);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_vmem_address_free> {
  static inline decltype(&::hsa_amd_vmem_address_free) original = nullptr;
  static hsa_status_t call(void * va, size_t size) {
    if (luthier_is_telling())
      return original(va, size);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_vmem_address_free;
    (void)own;
    own.va = va;
    own.size = size;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_vmem_address_free);
    if (!args.skip)
      own.returned = original(own.va, own.size);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_vmem_address_free);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_vmem_handle_create> {
  static inline decltype(&::hsa_amd_vmem_handle_create) original = nullptr;
  static hsa_status_t call(hsa_amd_memory_pool_t pool, size_t size, hsa_amd_memory_type_t type, uint64_t flags, hsa_amd_vmem_alloc_handle_t * memory_handle) {
    if (luthier_is_telling())
      return original(pool, size, type, flags, memory_handle);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_vmem_handle_create;
    (void)own;
    own.pool = pool;
    own.size = size;
    own.type = type;
    own.flags = flags;
    own.memory_handle = memory_handle;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_vmem_handle_create);
    if (!args.skip)
      own.returned = original(own.pool, own.size, own.type, own.flags, own.memory_handle);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_vmem_handle_create);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_vmem_handle_release> {
  static inline decltype(&::hsa_amd_vmem_handle_release) original = nullptr;
  static hsa_status_t call(hsa_amd_vmem_alloc_handle_t memory_handle) {
    if (luthier_is_telling())
      return original(memory_handle);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_vmem_handle_release;
    (void)own;
    own.memory_handle = memory_handle;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_vmem_handle_release);
    if (!args.skip)
      own.returned = original(own.memory_handle);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_vmem_handle_release);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_vmem_map> {
  static inline decltype(&::hsa_amd_vmem_map) original = nullptr;
  static hsa_status_t call(void * va, size_t size, size_t in_offset, hsa_amd_vmem_alloc_handle_t memory_handle, uint64_t flags) {
    if (luthier_is_telling())
      return original(va, size, in_offset, memory_handle, flags);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_vmem_map;
    (void)own;
    own.va = va;
    own.size = size;
    own.in_offset = in_offset;
    own.memory_handle = memory_handle;
    own.flags = flags;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_vmem_map);
    if (!args.skip)
      own.returned = original(own.va, own.size, own.in_offset, own.memory_handle, own.flags);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_vmem_map);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_vmem_unmap> {
  static inline decltype(&::hsa_amd_vmem_unmap) original = nullptr;
  static hsa_status_t call(void * va, size_t size) {
    if (luthier_is_telling())
      return original(va, size);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_vmem_unmap;
    (void)own;
    own.va = va;
    own.size = size;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_vmem_unmap);
    if (!args.skip)
      own.returned = original(own.va, own.size);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_vmem_unmap);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_vmem_set_access> {
  static inline decltype(&::hsa_amd_vmem_set_access) original = nullptr;
  static hsa_status_t call(void * va, size_t size, const hsa_amd_memory_access_desc_t * desc, size_t desc_cnt) {
    if (luthier_is_telling())
      return original(va, size, desc, desc_cnt);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_vmem_set_access;
    (void)own;
    own.va = va;
    own.size = size;
    own.desc = desc;
    own.desc_cnt = desc_cnt;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_vmem_set_access);
    if (!args.skip)
      own.returned = original(own.va, own.size, own.desc, own.desc_cnt);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_vmem_set_access);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_vmem_get_access> {
  static inline decltype(&::hsa_amd_vmem_get_access) original = nullptr;
  static hsa_status_t call(void * va, hsa_access_permission_t * perms, hsa_agent_t agent_handle) {
    if (luthier_is_telling())
      return original(va, perms, agent_handle);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_vmem_get_access;
    (void)own;
    own.va = va;
    own.perms = perms;
    own.agent_handle = agent_handle;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_vmem_get_access);
    if (!args.skip)
      own.returned = original(own.va, own.perms, own.agent_handle);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_vmem_get_access);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_vmem_export_shareable_handle> {
  static inline decltype(&::hsa_amd_vmem_export_shareable_handle) original = nullptr;
  static hsa_status_t call(int * dmabuf_fd, hsa_amd_vmem_alloc_handle_t handle, uint64_t flags) {
    if (luthier_is_telling())
      return original(dmabuf_fd, handle, flags);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_vmem_export_shareable_handle;
    (void)own;
    own.dmabuf_fd = dmabuf_fd;
    own.handle = handle;
    own.flags = flags;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_vmem_export_shareable_handle);
    if (!args.skip)
      own.returned = original(own.dmabuf_fd, own.handle, own.flags);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_vmem_export_shareable_handle);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_vmem_import_shareable_handle> {
  static inline decltype(&::hsa_amd_vmem_import_shareable_handle) original = nullptr;
  static hsa_status_t call(int dmabuf_fd, hsa_amd_vmem_alloc_handle_t * handle) {
    if (luthier_is_telling())
      return original(dmabuf_fd, handle);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_vmem_import_shareable_handle;
    (void)own;
    own.dmabuf_fd = dmabuf_fd;
    own.handle = handle;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_vmem_import_shareable_handle);
    if (!args.skip)
      own.returned = original(own.dmabuf_fd, own.handle);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_vmem_import_shareable_handle);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_vmem_retain_alloc_handle> {
  static inline decltype(&::hsa_amd_vmem_retain_alloc_handle) original = nullptr;
  static hsa_status_t call(hsa_amd_vmem_alloc_handle_t * memory_handle, void * addr) {
    if (luthier_is_telling())
      return original(memory_handle, addr);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_vmem_retain_alloc_handle;
    (void)own;
    own.memory_handle = memory_handle;
    own.addr = addr;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_vmem_retain_alloc_handle);
    if (!args.skip)
      own.returned = original(own.memory_handle, own.addr);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_vmem_retain_alloc_handle);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_vmem_get_alloc_properties_from_handle> {
  static inline decltype(&::hsa_amd_vmem_get_alloc_properties_from_handle) original = nullptr;
  static hsa_status_t call(hsa_amd_vmem_alloc_handle_t memory_handle, hsa_amd_memory_pool_t * pool, hsa_amd_memory_type_t * type) {
    if (luthier_is_telling())
      return original(memory_handle, pool, type);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_vmem_get_alloc_properties_from_handle;
    (void)own;
    own.memory_handle = memory_handle;
    own.pool = pool;
    own.type = type;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_vmem_get_alloc_properties_from_handle);
    if (!args.skip)
      own.returned = original(own.memory_handle, own.pool, own.type);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_vmem_get_alloc_properties_from_handle);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_agent_set_async_scratch_limit> {
  static inline decltype(&::hsa_amd_agent_set_async_scratch_limit) original = nullptr;
  static hsa_status_t call(hsa_agent_t agent, size_t threshold) {
    if (luthier_is_telling())
      return original(agent, threshold);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_agent_set_async_scratch_limit;
    (void)own;
    own.agent = agent;
    own.threshold = threshold;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_agent_set_async_scratch_limit);
    if (!args.skip)
      own.returned = original(own.agent, own.threshold);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_agent_set_async_scratch_limit);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_queue_get_info> {
  static inline decltype(&::hsa_amd_queue_get_info) original = nullptr;
  static hsa_status_t call(hsa_queue_t * queue, hsa_queue_info_attribute_t attribute, void * value) {
    if (luthier_is_telling())
      return original(queue, attribute, value);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_queue_get_info;
    (void)own;
    own.queue = queue;
    own.attribute = attribute;
    own.value = value;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_queue_get_info);
    if (!args.skip)
      own.returned = original(own.queue, own.attribute, own.value);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_queue_get_info);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_vmem_address_reserve_align> {
  static inline decltype(&::hsa_amd_vmem_address_reserve_align) original = nullptr;
  static hsa_status_t call(void ** va, size_t size, uint64_t address, uint64_t alignment, uint64_t flags) {
    if (luthier_is_telling())
      return original(va, size, address, alignment, flags);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_vmem_address_reserve_align;
    (void)own;
    own.va = va;
    own.size = size;
    own.address = address;
    own.alignment = alignment;
    own.flags = flags;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_vmem_address_reserve_align);
    if (!args.skip)
      own.returned = original(own.va, own.size, own.address, own.alignment, own.flags);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_vmem_address_reserve_align);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_enable_logging> {
  static inline decltype(&::hsa_amd_enable_logging) original = nullptr;
  static hsa_status_t call(uint8_t * flags, void * file) {
    if (luthier_is_telling())
      return original(flags, file);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_enable_logging;
    (void)own;
    own.flags = flags;
    own.file = file;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_enable_logging);
    if (!args.skip)
      own.returned = original(own.flags, own.file);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_enable_logging);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_amd_signal_wait_all> {
  static inline decltype(&::hsa_amd_signal_wait_all) original = nullptr;
  static uint32_t call(uint32_t signal_count, hsa_signal_t * signals, hsa_signal_condition_t * conds, hsa_signal_value_t * values, uint64_t timeout_hint, hsa_wait_state_t wait_hint, hsa_signal_value_t * satisfying_values) {
    if (luthier_is_telling())
      return original(signal_count, signals, conds, values, timeout_hint, wait_hint, satisfying_values);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_amd_signal_wait_all;
    (void)own;
    own.signal_count = signal_count;
    own.signals = signals;
    own.conds = conds;
    own.values = values;
    own.timeout_hint = timeout_hint;
    own.wait_hint = wait_hint;
    own.satisfying_values = satisfying_values;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_amd_signal_wait_all);
    if (!args.skip)
      own.returned = original(own.signal_count, own.signals, own.conds, own.values, own.timeout_hint, own.wait_hint, own.satisfying_values);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_amd_signal_wait_all);
    return own.returned;
  }
};

template <> struct luthier_hsa<HSA_API_ID_hsa_ext_sampler_create_v2> {
  static inline decltype(&::hsa_ext_sampler_create_v2) original = nullptr;
  static hsa_status_t call(hsa_agent_t agent, const hsa_ext_sampler_descriptor_v2_t * sampler_descriptor, hsa_ext_sampler_t * sampler) {
    if (luthier_is_telling())
      return original(agent, sampler_descriptor, sampler);
    hsa_api_args_t args;
    args.skip = false;
    auto &own = args.hsa_ext_sampler_create_v2;
    (void)own;
    own.agent = agent;
    own.sampler_descriptor = sampler_descriptor;
    own.sampler = sampler;
    own.returned = {};
    luthier_tell(&args, LUTHIER_API_PHASE_ENTER, HSA_API_ID_hsa_ext_sampler_create_v2);
    if (!args.skip)
      own.returned = original(own.agent, own.sampler_descriptor, own.sampler);
    luthier_tell(&args, LUTHIER_API_PHASE_EXIT, HSA_API_ID_hsa_ext_sampler_create_v2);
    return own.returned;
  }
};
#endif

struct luthier_hsa_entry {
  const char *name;
  void **original;
  void *ours;
};
inline luthier_hsa_entry luthier_hsa_entry_of(hsa_api_id_t id) {
  switch (id) {
  case HSA_API_ID_hsa_init:
    return {"hsa_init", (void **)&luthier_hsa<HSA_API_ID_hsa_init>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_init>::call};
  case HSA_API_ID_hsa_shut_down:
    return {"hsa_shut_down", (void **)&luthier_hsa<HSA_API_ID_hsa_shut_down>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_shut_down>::call};
  case HSA_API_ID_hsa_system_get_info:
    return {"hsa_system_get_info", (void **)&luthier_hsa<HSA_API_ID_hsa_system_get_info>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_system_get_info>::call};
  case HSA_API_ID_hsa_system_extension_supported:
    return {"hsa_system_extension_supported", (void **)&luthier_hsa<HSA_API_ID_hsa_system_extension_supported>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_system_extension_supported>::call};
  case HSA_API_ID_hsa_system_get_extension_table:
    return {"hsa_system_get_extension_table", (void **)&luthier_hsa<HSA_API_ID_hsa_system_get_extension_table>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_system_get_extension_table>::call};
  case HSA_API_ID_hsa_iterate_agents:
    return {"hsa_iterate_agents", (void **)&luthier_hsa<HSA_API_ID_hsa_iterate_agents>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_iterate_agents>::call};
  case HSA_API_ID_hsa_agent_get_info:
    return {"hsa_agent_get_info", (void **)&luthier_hsa<HSA_API_ID_hsa_agent_get_info>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_agent_get_info>::call};
  case HSA_API_ID_hsa_queue_create:
    return {"hsa_queue_create", (void **)&luthier_hsa<HSA_API_ID_hsa_queue_create>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_queue_create>::call};
  case HSA_API_ID_hsa_soft_queue_create:
    return {"hsa_soft_queue_create", (void **)&luthier_hsa<HSA_API_ID_hsa_soft_queue_create>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_soft_queue_create>::call};
  case HSA_API_ID_hsa_queue_destroy:
    return {"hsa_queue_destroy", (void **)&luthier_hsa<HSA_API_ID_hsa_queue_destroy>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_queue_destroy>::call};
  case HSA_API_ID_hsa_queue_inactivate:
    return {"hsa_queue_inactivate", (void **)&luthier_hsa<HSA_API_ID_hsa_queue_inactivate>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_queue_inactivate>::call};
  case HSA_API_ID_hsa_queue_load_read_index_scacquire:
    return {"hsa_queue_load_read_index_scacquire", (void **)&luthier_hsa<HSA_API_ID_hsa_queue_load_read_index_scacquire>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_queue_load_read_index_scacquire>::call};
  case HSA_API_ID_hsa_queue_load_read_index_relaxed:
    return {"hsa_queue_load_read_index_relaxed", (void **)&luthier_hsa<HSA_API_ID_hsa_queue_load_read_index_relaxed>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_queue_load_read_index_relaxed>::call};
  case HSA_API_ID_hsa_queue_load_write_index_scacquire:
    return {"hsa_queue_load_write_index_scacquire", (void **)&luthier_hsa<HSA_API_ID_hsa_queue_load_write_index_scacquire>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_queue_load_write_index_scacquire>::call};
  case HSA_API_ID_hsa_queue_load_write_index_relaxed:
    return {"hsa_queue_load_write_index_relaxed", (void **)&luthier_hsa<HSA_API_ID_hsa_queue_load_write_index_relaxed>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_queue_load_write_index_relaxed>::call};
  case HSA_API_ID_hsa_queue_store_write_index_relaxed:
    return {"hsa_queue_store_write_index_relaxed", (void **)&luthier_hsa<HSA_API_ID_hsa_queue_store_write_index_relaxed>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_queue_store_write_index_relaxed>::call};
  case HSA_API_ID_hsa_queue_store_write_index_screlease:
    return {"hsa_queue_store_write_index_screlease", (void **)&luthier_hsa<HSA_API_ID_hsa_queue_store_write_index_screlease>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_queue_store_write_index_screlease>::call};
  case HSA_API_ID_hsa_queue_cas_write_index_scacq_screl:
    return {"hsa_queue_cas_write_index_scacq_screl", (void **)&luthier_hsa<HSA_API_ID_hsa_queue_cas_write_index_scacq_screl>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_queue_cas_write_index_scacq_screl>::call};
  case HSA_API_ID_hsa_queue_cas_write_index_scacquire:
    return {"hsa_queue_cas_write_index_scacquire", (void **)&luthier_hsa<HSA_API_ID_hsa_queue_cas_write_index_scacquire>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_queue_cas_write_index_scacquire>::call};
  case HSA_API_ID_hsa_queue_cas_write_index_relaxed:
    return {"hsa_queue_cas_write_index_relaxed", (void **)&luthier_hsa<HSA_API_ID_hsa_queue_cas_write_index_relaxed>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_queue_cas_write_index_relaxed>::call};
  case HSA_API_ID_hsa_queue_cas_write_index_screlease:
    return {"hsa_queue_cas_write_index_screlease", (void **)&luthier_hsa<HSA_API_ID_hsa_queue_cas_write_index_screlease>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_queue_cas_write_index_screlease>::call};
  case HSA_API_ID_hsa_queue_add_write_index_scacq_screl:
    return {"hsa_queue_add_write_index_scacq_screl", (void **)&luthier_hsa<HSA_API_ID_hsa_queue_add_write_index_scacq_screl>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_queue_add_write_index_scacq_screl>::call};
  case HSA_API_ID_hsa_queue_add_write_index_scacquire:
    return {"hsa_queue_add_write_index_scacquire", (void **)&luthier_hsa<HSA_API_ID_hsa_queue_add_write_index_scacquire>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_queue_add_write_index_scacquire>::call};
  case HSA_API_ID_hsa_queue_add_write_index_relaxed:
    return {"hsa_queue_add_write_index_relaxed", (void **)&luthier_hsa<HSA_API_ID_hsa_queue_add_write_index_relaxed>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_queue_add_write_index_relaxed>::call};
  case HSA_API_ID_hsa_queue_add_write_index_screlease:
    return {"hsa_queue_add_write_index_screlease", (void **)&luthier_hsa<HSA_API_ID_hsa_queue_add_write_index_screlease>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_queue_add_write_index_screlease>::call};
  case HSA_API_ID_hsa_queue_store_read_index_relaxed:
    return {"hsa_queue_store_read_index_relaxed", (void **)&luthier_hsa<HSA_API_ID_hsa_queue_store_read_index_relaxed>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_queue_store_read_index_relaxed>::call};
  case HSA_API_ID_hsa_queue_store_read_index_screlease:
    return {"hsa_queue_store_read_index_screlease", (void **)&luthier_hsa<HSA_API_ID_hsa_queue_store_read_index_screlease>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_queue_store_read_index_screlease>::call};
  case HSA_API_ID_hsa_agent_iterate_regions:
    return {"hsa_agent_iterate_regions", (void **)&luthier_hsa<HSA_API_ID_hsa_agent_iterate_regions>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_agent_iterate_regions>::call};
  case HSA_API_ID_hsa_region_get_info:
    return {"hsa_region_get_info", (void **)&luthier_hsa<HSA_API_ID_hsa_region_get_info>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_region_get_info>::call};
  case HSA_API_ID_hsa_agent_get_exception_policies:
    return {"hsa_agent_get_exception_policies", (void **)&luthier_hsa<HSA_API_ID_hsa_agent_get_exception_policies>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_agent_get_exception_policies>::call};
  case HSA_API_ID_hsa_agent_extension_supported:
    return {"hsa_agent_extension_supported", (void **)&luthier_hsa<HSA_API_ID_hsa_agent_extension_supported>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_agent_extension_supported>::call};
  case HSA_API_ID_hsa_memory_register:
    return {"hsa_memory_register", (void **)&luthier_hsa<HSA_API_ID_hsa_memory_register>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_memory_register>::call};
  case HSA_API_ID_hsa_memory_deregister:
    return {"hsa_memory_deregister", (void **)&luthier_hsa<HSA_API_ID_hsa_memory_deregister>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_memory_deregister>::call};
  case HSA_API_ID_hsa_memory_allocate:
    return {"hsa_memory_allocate", (void **)&luthier_hsa<HSA_API_ID_hsa_memory_allocate>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_memory_allocate>::call};
  case HSA_API_ID_hsa_memory_free:
    return {"hsa_memory_free", (void **)&luthier_hsa<HSA_API_ID_hsa_memory_free>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_memory_free>::call};
  case HSA_API_ID_hsa_memory_copy:
    return {"hsa_memory_copy", (void **)&luthier_hsa<HSA_API_ID_hsa_memory_copy>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_memory_copy>::call};
  case HSA_API_ID_hsa_memory_assign_agent:
    return {"hsa_memory_assign_agent", (void **)&luthier_hsa<HSA_API_ID_hsa_memory_assign_agent>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_memory_assign_agent>::call};
  case HSA_API_ID_hsa_signal_create:
    return {"hsa_signal_create", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_create>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_create>::call};
  case HSA_API_ID_hsa_signal_destroy:
    return {"hsa_signal_destroy", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_destroy>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_destroy>::call};
  case HSA_API_ID_hsa_signal_load_relaxed:
    return {"hsa_signal_load_relaxed", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_load_relaxed>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_load_relaxed>::call};
  case HSA_API_ID_hsa_signal_load_scacquire:
    return {"hsa_signal_load_scacquire", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_load_scacquire>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_load_scacquire>::call};
  case HSA_API_ID_hsa_signal_store_relaxed:
    return {"hsa_signal_store_relaxed", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_store_relaxed>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_store_relaxed>::call};
  case HSA_API_ID_hsa_signal_store_screlease:
    return {"hsa_signal_store_screlease", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_store_screlease>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_store_screlease>::call};
  case HSA_API_ID_hsa_signal_wait_relaxed:
    return {"hsa_signal_wait_relaxed", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_wait_relaxed>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_wait_relaxed>::call};
  case HSA_API_ID_hsa_signal_wait_scacquire:
    return {"hsa_signal_wait_scacquire", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_wait_scacquire>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_wait_scacquire>::call};
  case HSA_API_ID_hsa_signal_and_relaxed:
    return {"hsa_signal_and_relaxed", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_and_relaxed>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_and_relaxed>::call};
  case HSA_API_ID_hsa_signal_and_scacquire:
    return {"hsa_signal_and_scacquire", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_and_scacquire>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_and_scacquire>::call};
  case HSA_API_ID_hsa_signal_and_screlease:
    return {"hsa_signal_and_screlease", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_and_screlease>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_and_screlease>::call};
  case HSA_API_ID_hsa_signal_and_scacq_screl:
    return {"hsa_signal_and_scacq_screl", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_and_scacq_screl>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_and_scacq_screl>::call};
  case HSA_API_ID_hsa_signal_or_relaxed:
    return {"hsa_signal_or_relaxed", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_or_relaxed>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_or_relaxed>::call};
  case HSA_API_ID_hsa_signal_or_scacquire:
    return {"hsa_signal_or_scacquire", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_or_scacquire>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_or_scacquire>::call};
  case HSA_API_ID_hsa_signal_or_screlease:
    return {"hsa_signal_or_screlease", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_or_screlease>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_or_screlease>::call};
  case HSA_API_ID_hsa_signal_or_scacq_screl:
    return {"hsa_signal_or_scacq_screl", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_or_scacq_screl>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_or_scacq_screl>::call};
  case HSA_API_ID_hsa_signal_xor_relaxed:
    return {"hsa_signal_xor_relaxed", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_xor_relaxed>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_xor_relaxed>::call};
  case HSA_API_ID_hsa_signal_xor_scacquire:
    return {"hsa_signal_xor_scacquire", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_xor_scacquire>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_xor_scacquire>::call};
  case HSA_API_ID_hsa_signal_xor_screlease:
    return {"hsa_signal_xor_screlease", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_xor_screlease>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_xor_screlease>::call};
  case HSA_API_ID_hsa_signal_xor_scacq_screl:
    return {"hsa_signal_xor_scacq_screl", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_xor_scacq_screl>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_xor_scacq_screl>::call};
  case HSA_API_ID_hsa_signal_exchange_relaxed:
    return {"hsa_signal_exchange_relaxed", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_exchange_relaxed>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_exchange_relaxed>::call};
  case HSA_API_ID_hsa_signal_exchange_scacquire:
    return {"hsa_signal_exchange_scacquire", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_exchange_scacquire>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_exchange_scacquire>::call};
  case HSA_API_ID_hsa_signal_exchange_screlease:
    return {"hsa_signal_exchange_screlease", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_exchange_screlease>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_exchange_screlease>::call};
  case HSA_API_ID_hsa_signal_exchange_scacq_screl:
    return {"hsa_signal_exchange_scacq_screl", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_exchange_scacq_screl>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_exchange_scacq_screl>::call};
  case HSA_API_ID_hsa_signal_add_relaxed:
    return {"hsa_signal_add_relaxed", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_add_relaxed>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_add_relaxed>::call};
  case HSA_API_ID_hsa_signal_add_scacquire:
    return {"hsa_signal_add_scacquire", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_add_scacquire>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_add_scacquire>::call};
  case HSA_API_ID_hsa_signal_add_screlease:
    return {"hsa_signal_add_screlease", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_add_screlease>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_add_screlease>::call};
  case HSA_API_ID_hsa_signal_add_scacq_screl:
    return {"hsa_signal_add_scacq_screl", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_add_scacq_screl>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_add_scacq_screl>::call};
  case HSA_API_ID_hsa_signal_subtract_relaxed:
    return {"hsa_signal_subtract_relaxed", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_subtract_relaxed>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_subtract_relaxed>::call};
  case HSA_API_ID_hsa_signal_subtract_scacquire:
    return {"hsa_signal_subtract_scacquire", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_subtract_scacquire>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_subtract_scacquire>::call};
  case HSA_API_ID_hsa_signal_subtract_screlease:
    return {"hsa_signal_subtract_screlease", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_subtract_screlease>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_subtract_screlease>::call};
  case HSA_API_ID_hsa_signal_subtract_scacq_screl:
    return {"hsa_signal_subtract_scacq_screl", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_subtract_scacq_screl>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_subtract_scacq_screl>::call};
  case HSA_API_ID_hsa_signal_cas_relaxed:
    return {"hsa_signal_cas_relaxed", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_cas_relaxed>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_cas_relaxed>::call};
  case HSA_API_ID_hsa_signal_cas_scacquire:
    return {"hsa_signal_cas_scacquire", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_cas_scacquire>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_cas_scacquire>::call};
  case HSA_API_ID_hsa_signal_cas_screlease:
    return {"hsa_signal_cas_screlease", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_cas_screlease>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_cas_screlease>::call};
  case HSA_API_ID_hsa_signal_cas_scacq_screl:
    return {"hsa_signal_cas_scacq_screl", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_cas_scacq_screl>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_cas_scacq_screl>::call};
  case HSA_API_ID_hsa_isa_from_name:
    return {"hsa_isa_from_name", (void **)&luthier_hsa<HSA_API_ID_hsa_isa_from_name>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_isa_from_name>::call};
  case HSA_API_ID_hsa_isa_get_info:
    return {"hsa_isa_get_info", (void **)&luthier_hsa<HSA_API_ID_hsa_isa_get_info>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_isa_get_info>::call};
  case HSA_API_ID_hsa_isa_compatible:
    return {"hsa_isa_compatible", (void **)&luthier_hsa<HSA_API_ID_hsa_isa_compatible>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_isa_compatible>::call};
  case HSA_API_ID_hsa_code_object_serialize:
    return {"hsa_code_object_serialize", (void **)&luthier_hsa<HSA_API_ID_hsa_code_object_serialize>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_code_object_serialize>::call};
  case HSA_API_ID_hsa_code_object_deserialize:
    return {"hsa_code_object_deserialize", (void **)&luthier_hsa<HSA_API_ID_hsa_code_object_deserialize>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_code_object_deserialize>::call};
  case HSA_API_ID_hsa_code_object_destroy:
    return {"hsa_code_object_destroy", (void **)&luthier_hsa<HSA_API_ID_hsa_code_object_destroy>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_code_object_destroy>::call};
  case HSA_API_ID_hsa_code_object_get_info:
    return {"hsa_code_object_get_info", (void **)&luthier_hsa<HSA_API_ID_hsa_code_object_get_info>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_code_object_get_info>::call};
  case HSA_API_ID_hsa_code_object_get_symbol:
    return {"hsa_code_object_get_symbol", (void **)&luthier_hsa<HSA_API_ID_hsa_code_object_get_symbol>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_code_object_get_symbol>::call};
  case HSA_API_ID_hsa_code_symbol_get_info:
    return {"hsa_code_symbol_get_info", (void **)&luthier_hsa<HSA_API_ID_hsa_code_symbol_get_info>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_code_symbol_get_info>::call};
  case HSA_API_ID_hsa_code_object_iterate_symbols:
    return {"hsa_code_object_iterate_symbols", (void **)&luthier_hsa<HSA_API_ID_hsa_code_object_iterate_symbols>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_code_object_iterate_symbols>::call};
  case HSA_API_ID_hsa_executable_create:
    return {"hsa_executable_create", (void **)&luthier_hsa<HSA_API_ID_hsa_executable_create>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_executable_create>::call};
  case HSA_API_ID_hsa_executable_destroy:
    return {"hsa_executable_destroy", (void **)&luthier_hsa<HSA_API_ID_hsa_executable_destroy>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_executable_destroy>::call};
  case HSA_API_ID_hsa_executable_load_code_object:
    return {"hsa_executable_load_code_object", (void **)&luthier_hsa<HSA_API_ID_hsa_executable_load_code_object>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_executable_load_code_object>::call};
  case HSA_API_ID_hsa_executable_freeze:
    return {"hsa_executable_freeze", (void **)&luthier_hsa<HSA_API_ID_hsa_executable_freeze>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_executable_freeze>::call};
  case HSA_API_ID_hsa_executable_get_info:
    return {"hsa_executable_get_info", (void **)&luthier_hsa<HSA_API_ID_hsa_executable_get_info>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_executable_get_info>::call};
  case HSA_API_ID_hsa_executable_global_variable_define:
    return {"hsa_executable_global_variable_define", (void **)&luthier_hsa<HSA_API_ID_hsa_executable_global_variable_define>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_executable_global_variable_define>::call};
  case HSA_API_ID_hsa_executable_agent_global_variable_define:
    return {"hsa_executable_agent_global_variable_define", (void **)&luthier_hsa<HSA_API_ID_hsa_executable_agent_global_variable_define>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_executable_agent_global_variable_define>::call};
  case HSA_API_ID_hsa_executable_readonly_variable_define:
    return {"hsa_executable_readonly_variable_define", (void **)&luthier_hsa<HSA_API_ID_hsa_executable_readonly_variable_define>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_executable_readonly_variable_define>::call};
  case HSA_API_ID_hsa_executable_validate:
    return {"hsa_executable_validate", (void **)&luthier_hsa<HSA_API_ID_hsa_executable_validate>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_executable_validate>::call};
  case HSA_API_ID_hsa_executable_get_symbol:
    return {"hsa_executable_get_symbol", (void **)&luthier_hsa<HSA_API_ID_hsa_executable_get_symbol>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_executable_get_symbol>::call};
  case HSA_API_ID_hsa_executable_symbol_get_info:
    return {"hsa_executable_symbol_get_info", (void **)&luthier_hsa<HSA_API_ID_hsa_executable_symbol_get_info>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_executable_symbol_get_info>::call};
  case HSA_API_ID_hsa_executable_iterate_symbols:
    return {"hsa_executable_iterate_symbols", (void **)&luthier_hsa<HSA_API_ID_hsa_executable_iterate_symbols>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_executable_iterate_symbols>::call};
  case HSA_API_ID_hsa_status_string:
    return {"hsa_status_string", (void **)&luthier_hsa<HSA_API_ID_hsa_status_string>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_status_string>::call};
  case HSA_API_ID_hsa_extension_get_name:
    return {"hsa_extension_get_name", (void **)&luthier_hsa<HSA_API_ID_hsa_extension_get_name>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_extension_get_name>::call};
  case HSA_API_ID_hsa_system_major_extension_supported:
    return {"hsa_system_major_extension_supported", (void **)&luthier_hsa<HSA_API_ID_hsa_system_major_extension_supported>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_system_major_extension_supported>::call};
  case HSA_API_ID_hsa_system_get_major_extension_table:
    return {"hsa_system_get_major_extension_table", (void **)&luthier_hsa<HSA_API_ID_hsa_system_get_major_extension_table>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_system_get_major_extension_table>::call};
  case HSA_API_ID_hsa_agent_major_extension_supported:
    return {"hsa_agent_major_extension_supported", (void **)&luthier_hsa<HSA_API_ID_hsa_agent_major_extension_supported>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_agent_major_extension_supported>::call};
  case HSA_API_ID_hsa_cache_get_info:
    return {"hsa_cache_get_info", (void **)&luthier_hsa<HSA_API_ID_hsa_cache_get_info>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_cache_get_info>::call};
  case HSA_API_ID_hsa_agent_iterate_caches:
    return {"hsa_agent_iterate_caches", (void **)&luthier_hsa<HSA_API_ID_hsa_agent_iterate_caches>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_agent_iterate_caches>::call};
  case HSA_API_ID_hsa_signal_silent_store_relaxed:
    return {"hsa_signal_silent_store_relaxed", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_silent_store_relaxed>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_silent_store_relaxed>::call};
  case HSA_API_ID_hsa_signal_silent_store_screlease:
    return {"hsa_signal_silent_store_screlease", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_silent_store_screlease>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_silent_store_screlease>::call};
  case HSA_API_ID_hsa_signal_group_create:
    return {"hsa_signal_group_create", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_group_create>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_group_create>::call};
  case HSA_API_ID_hsa_signal_group_destroy:
    return {"hsa_signal_group_destroy", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_group_destroy>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_group_destroy>::call};
  case HSA_API_ID_hsa_signal_group_wait_any_scacquire:
    return {"hsa_signal_group_wait_any_scacquire", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_group_wait_any_scacquire>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_group_wait_any_scacquire>::call};
  case HSA_API_ID_hsa_signal_group_wait_any_relaxed:
    return {"hsa_signal_group_wait_any_relaxed", (void **)&luthier_hsa<HSA_API_ID_hsa_signal_group_wait_any_relaxed>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_signal_group_wait_any_relaxed>::call};
  case HSA_API_ID_hsa_agent_iterate_isas:
    return {"hsa_agent_iterate_isas", (void **)&luthier_hsa<HSA_API_ID_hsa_agent_iterate_isas>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_agent_iterate_isas>::call};
  case HSA_API_ID_hsa_isa_get_info_alt:
    return {"hsa_isa_get_info_alt", (void **)&luthier_hsa<HSA_API_ID_hsa_isa_get_info_alt>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_isa_get_info_alt>::call};
  case HSA_API_ID_hsa_isa_get_exception_policies:
    return {"hsa_isa_get_exception_policies", (void **)&luthier_hsa<HSA_API_ID_hsa_isa_get_exception_policies>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_isa_get_exception_policies>::call};
  case HSA_API_ID_hsa_isa_get_round_method:
    return {"hsa_isa_get_round_method", (void **)&luthier_hsa<HSA_API_ID_hsa_isa_get_round_method>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_isa_get_round_method>::call};
  case HSA_API_ID_hsa_wavefront_get_info:
    return {"hsa_wavefront_get_info", (void **)&luthier_hsa<HSA_API_ID_hsa_wavefront_get_info>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_wavefront_get_info>::call};
  case HSA_API_ID_hsa_isa_iterate_wavefronts:
    return {"hsa_isa_iterate_wavefronts", (void **)&luthier_hsa<HSA_API_ID_hsa_isa_iterate_wavefronts>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_isa_iterate_wavefronts>::call};
  case HSA_API_ID_hsa_code_object_get_symbol_from_name:
    return {"hsa_code_object_get_symbol_from_name", (void **)&luthier_hsa<HSA_API_ID_hsa_code_object_get_symbol_from_name>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_code_object_get_symbol_from_name>::call};
  case HSA_API_ID_hsa_code_object_reader_create_from_file:
    return {"hsa_code_object_reader_create_from_file", (void **)&luthier_hsa<HSA_API_ID_hsa_code_object_reader_create_from_file>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_code_object_reader_create_from_file>::call};
  case HSA_API_ID_hsa_code_object_reader_create_from_memory:
    return {"hsa_code_object_reader_create_from_memory", (void **)&luthier_hsa<HSA_API_ID_hsa_code_object_reader_create_from_memory>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_code_object_reader_create_from_memory>::call};
  case HSA_API_ID_hsa_code_object_reader_destroy:
    return {"hsa_code_object_reader_destroy", (void **)&luthier_hsa<HSA_API_ID_hsa_code_object_reader_destroy>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_code_object_reader_destroy>::call};
  case HSA_API_ID_hsa_executable_create_alt:
    return {"hsa_executable_create_alt", (void **)&luthier_hsa<HSA_API_ID_hsa_executable_create_alt>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_executable_create_alt>::call};
  case HSA_API_ID_hsa_executable_load_program_code_object:
    return {"hsa_executable_load_program_code_object", (void **)&luthier_hsa<HSA_API_ID_hsa_executable_load_program_code_object>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_executable_load_program_code_object>::call};
  case HSA_API_ID_hsa_executable_load_agent_code_object:
    return {"hsa_executable_load_agent_code_object", (void **)&luthier_hsa<HSA_API_ID_hsa_executable_load_agent_code_object>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_executable_load_agent_code_object>::call};
  case HSA_API_ID_hsa_executable_validate_alt:
    return {"hsa_executable_validate_alt", (void **)&luthier_hsa<HSA_API_ID_hsa_executable_validate_alt>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_executable_validate_alt>::call};
  case HSA_API_ID_hsa_executable_get_symbol_by_name:
    return {"hsa_executable_get_symbol_by_name", (void **)&luthier_hsa<HSA_API_ID_hsa_executable_get_symbol_by_name>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_executable_get_symbol_by_name>::call};
  case HSA_API_ID_hsa_executable_iterate_agent_symbols:
    return {"hsa_executable_iterate_agent_symbols", (void **)&luthier_hsa<HSA_API_ID_hsa_executable_iterate_agent_symbols>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_executable_iterate_agent_symbols>::call};
  case HSA_API_ID_hsa_executable_iterate_program_symbols:
    return {"hsa_executable_iterate_program_symbols", (void **)&luthier_hsa<HSA_API_ID_hsa_executable_iterate_program_symbols>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_executable_iterate_program_symbols>::call};
  case HSA_API_ID_hsa_amd_coherency_get_type:
    return {"hsa_amd_coherency_get_type", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_coherency_get_type>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_coherency_get_type>::call};
  case HSA_API_ID_hsa_amd_coherency_set_type:
    return {"hsa_amd_coherency_set_type", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_coherency_set_type>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_coherency_set_type>::call};
  case HSA_API_ID_hsa_amd_profiling_set_profiler_enabled:
    return {"hsa_amd_profiling_set_profiler_enabled", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_profiling_set_profiler_enabled>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_profiling_set_profiler_enabled>::call};
  case HSA_API_ID_hsa_amd_profiling_async_copy_enable:
    return {"hsa_amd_profiling_async_copy_enable", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_profiling_async_copy_enable>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_profiling_async_copy_enable>::call};
  case HSA_API_ID_hsa_amd_profiling_get_dispatch_time:
    return {"hsa_amd_profiling_get_dispatch_time", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_profiling_get_dispatch_time>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_profiling_get_dispatch_time>::call};
  case HSA_API_ID_hsa_amd_profiling_get_async_copy_time:
    return {"hsa_amd_profiling_get_async_copy_time", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_profiling_get_async_copy_time>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_profiling_get_async_copy_time>::call};
  case HSA_API_ID_hsa_amd_profiling_convert_tick_to_system_domain:
    return {"hsa_amd_profiling_convert_tick_to_system_domain", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_profiling_convert_tick_to_system_domain>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_profiling_convert_tick_to_system_domain>::call};
  case HSA_API_ID_hsa_amd_signal_async_handler:
    return {"hsa_amd_signal_async_handler", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_signal_async_handler>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_signal_async_handler>::call};
  case HSA_API_ID_hsa_amd_async_function:
    return {"hsa_amd_async_function", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_async_function>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_async_function>::call};
  case HSA_API_ID_hsa_amd_signal_wait_any:
    return {"hsa_amd_signal_wait_any", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_signal_wait_any>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_signal_wait_any>::call};
  case HSA_API_ID_hsa_amd_queue_cu_set_mask:
    return {"hsa_amd_queue_cu_set_mask", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_queue_cu_set_mask>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_queue_cu_set_mask>::call};
  case HSA_API_ID_hsa_amd_memory_pool_get_info:
    return {"hsa_amd_memory_pool_get_info", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_memory_pool_get_info>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_memory_pool_get_info>::call};
  case HSA_API_ID_hsa_amd_agent_iterate_memory_pools:
    return {"hsa_amd_agent_iterate_memory_pools", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_agent_iterate_memory_pools>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_agent_iterate_memory_pools>::call};
  case HSA_API_ID_hsa_amd_memory_pool_allocate:
    return {"hsa_amd_memory_pool_allocate", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_memory_pool_allocate>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_memory_pool_allocate>::call};
  case HSA_API_ID_hsa_amd_memory_pool_free:
    return {"hsa_amd_memory_pool_free", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_memory_pool_free>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_memory_pool_free>::call};
  case HSA_API_ID_hsa_amd_memory_async_copy:
    return {"hsa_amd_memory_async_copy", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_memory_async_copy>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_memory_async_copy>::call};
  case HSA_API_ID_hsa_amd_agent_memory_pool_get_info:
    return {"hsa_amd_agent_memory_pool_get_info", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_agent_memory_pool_get_info>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_agent_memory_pool_get_info>::call};
  case HSA_API_ID_hsa_amd_agents_allow_access:
    return {"hsa_amd_agents_allow_access", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_agents_allow_access>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_agents_allow_access>::call};
  case HSA_API_ID_hsa_amd_memory_pool_can_migrate:
    return {"hsa_amd_memory_pool_can_migrate", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_memory_pool_can_migrate>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_memory_pool_can_migrate>::call};
  case HSA_API_ID_hsa_amd_memory_migrate:
    return {"hsa_amd_memory_migrate", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_memory_migrate>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_memory_migrate>::call};
  case HSA_API_ID_hsa_amd_memory_lock:
    return {"hsa_amd_memory_lock", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_memory_lock>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_memory_lock>::call};
  case HSA_API_ID_hsa_amd_memory_unlock:
    return {"hsa_amd_memory_unlock", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_memory_unlock>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_memory_unlock>::call};
  case HSA_API_ID_hsa_amd_memory_fill:
    return {"hsa_amd_memory_fill", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_memory_fill>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_memory_fill>::call};
  case HSA_API_ID_hsa_amd_interop_map_buffer:
    return {"hsa_amd_interop_map_buffer", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_interop_map_buffer>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_interop_map_buffer>::call};
  case HSA_API_ID_hsa_amd_interop_unmap_buffer:
    return {"hsa_amd_interop_unmap_buffer", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_interop_unmap_buffer>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_interop_unmap_buffer>::call};
  case HSA_API_ID_hsa_amd_image_create:
    return {"hsa_amd_image_create", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_image_create>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_image_create>::call};
  case HSA_API_ID_hsa_amd_pointer_info:
    return {"hsa_amd_pointer_info", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_pointer_info>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_pointer_info>::call};
  case HSA_API_ID_hsa_amd_pointer_info_set_userdata:
    return {"hsa_amd_pointer_info_set_userdata", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_pointer_info_set_userdata>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_pointer_info_set_userdata>::call};
  case HSA_API_ID_hsa_amd_ipc_memory_create:
    return {"hsa_amd_ipc_memory_create", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_ipc_memory_create>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_ipc_memory_create>::call};
  case HSA_API_ID_hsa_amd_ipc_memory_attach:
    return {"hsa_amd_ipc_memory_attach", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_ipc_memory_attach>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_ipc_memory_attach>::call};
  case HSA_API_ID_hsa_amd_ipc_memory_detach:
    return {"hsa_amd_ipc_memory_detach", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_ipc_memory_detach>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_ipc_memory_detach>::call};
  case HSA_API_ID_hsa_amd_signal_create:
    return {"hsa_amd_signal_create", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_signal_create>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_signal_create>::call};
  case HSA_API_ID_hsa_amd_ipc_signal_create:
    return {"hsa_amd_ipc_signal_create", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_ipc_signal_create>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_ipc_signal_create>::call};
  case HSA_API_ID_hsa_amd_ipc_signal_attach:
    return {"hsa_amd_ipc_signal_attach", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_ipc_signal_attach>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_ipc_signal_attach>::call};
  case HSA_API_ID_hsa_amd_register_system_event_handler:
    return {"hsa_amd_register_system_event_handler", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_register_system_event_handler>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_register_system_event_handler>::call};
  case HSA_API_ID_hsa_amd_queue_set_priority:
    return {"hsa_amd_queue_set_priority", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_queue_set_priority>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_queue_set_priority>::call};
  case HSA_API_ID_hsa_amd_memory_async_copy_rect:
    return {"hsa_amd_memory_async_copy_rect", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_memory_async_copy_rect>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_memory_async_copy_rect>::call};
  case HSA_API_ID_hsa_amd_memory_lock_to_pool:
    return {"hsa_amd_memory_lock_to_pool", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_memory_lock_to_pool>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_memory_lock_to_pool>::call};
  case HSA_API_ID_hsa_amd_register_deallocation_callback:
    return {"hsa_amd_register_deallocation_callback", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_register_deallocation_callback>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_register_deallocation_callback>::call};
  case HSA_API_ID_hsa_amd_deregister_deallocation_callback:
    return {"hsa_amd_deregister_deallocation_callback", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_deregister_deallocation_callback>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_deregister_deallocation_callback>::call};
  case HSA_API_ID_hsa_amd_signal_value_pointer:
    return {"hsa_amd_signal_value_pointer", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_signal_value_pointer>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_signal_value_pointer>::call};
  case HSA_API_ID_hsa_amd_svm_attributes_set:
    return {"hsa_amd_svm_attributes_set", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_svm_attributes_set>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_svm_attributes_set>::call};
  case HSA_API_ID_hsa_amd_svm_attributes_get:
    return {"hsa_amd_svm_attributes_get", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_svm_attributes_get>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_svm_attributes_get>::call};
  case HSA_API_ID_hsa_amd_svm_prefetch_async:
    return {"hsa_amd_svm_prefetch_async", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_svm_prefetch_async>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_svm_prefetch_async>::call};
  case HSA_API_ID_hsa_amd_queue_cu_get_mask:
    return {"hsa_amd_queue_cu_get_mask", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_queue_cu_get_mask>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_queue_cu_get_mask>::call};
  case HSA_API_ID_hsa_ext_image_get_capability:
    return {"hsa_ext_image_get_capability", (void **)&luthier_hsa<HSA_API_ID_hsa_ext_image_get_capability>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_ext_image_get_capability>::call};
  case HSA_API_ID_hsa_ext_image_data_get_info:
    return {"hsa_ext_image_data_get_info", (void **)&luthier_hsa<HSA_API_ID_hsa_ext_image_data_get_info>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_ext_image_data_get_info>::call};
  case HSA_API_ID_hsa_ext_image_create:
    return {"hsa_ext_image_create", (void **)&luthier_hsa<HSA_API_ID_hsa_ext_image_create>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_ext_image_create>::call};
  case HSA_API_ID_hsa_ext_image_import:
    return {"hsa_ext_image_import", (void **)&luthier_hsa<HSA_API_ID_hsa_ext_image_import>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_ext_image_import>::call};
  case HSA_API_ID_hsa_ext_image_export:
    return {"hsa_ext_image_export", (void **)&luthier_hsa<HSA_API_ID_hsa_ext_image_export>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_ext_image_export>::call};
  case HSA_API_ID_hsa_ext_image_copy:
    return {"hsa_ext_image_copy", (void **)&luthier_hsa<HSA_API_ID_hsa_ext_image_copy>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_ext_image_copy>::call};
  case HSA_API_ID_hsa_ext_image_clear:
    return {"hsa_ext_image_clear", (void **)&luthier_hsa<HSA_API_ID_hsa_ext_image_clear>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_ext_image_clear>::call};
  case HSA_API_ID_hsa_ext_image_destroy:
    return {"hsa_ext_image_destroy", (void **)&luthier_hsa<HSA_API_ID_hsa_ext_image_destroy>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_ext_image_destroy>::call};
  case HSA_API_ID_hsa_ext_sampler_create:
    return {"hsa_ext_sampler_create", (void **)&luthier_hsa<HSA_API_ID_hsa_ext_sampler_create>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_ext_sampler_create>::call};
  case HSA_API_ID_hsa_ext_sampler_destroy:
    return {"hsa_ext_sampler_destroy", (void **)&luthier_hsa<HSA_API_ID_hsa_ext_sampler_destroy>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_ext_sampler_destroy>::call};
  case HSA_API_ID_hsa_ext_image_get_capability_with_layout:
    return {"hsa_ext_image_get_capability_with_layout", (void **)&luthier_hsa<HSA_API_ID_hsa_ext_image_get_capability_with_layout>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_ext_image_get_capability_with_layout>::call};
  case HSA_API_ID_hsa_ext_image_data_get_info_with_layout:
    return {"hsa_ext_image_data_get_info_with_layout", (void **)&luthier_hsa<HSA_API_ID_hsa_ext_image_data_get_info_with_layout>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_ext_image_data_get_info_with_layout>::call};
  case HSA_API_ID_hsa_ext_image_create_with_layout:
    return {"hsa_ext_image_create_with_layout", (void **)&luthier_hsa<HSA_API_ID_hsa_ext_image_create_with_layout>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_ext_image_create_with_layout>::call};
#if HSA_AMD_INTERFACE_VERSION_MAJOR > 1 || HSA_AMD_INTERFACE_VERSION_MINOR >= 7
  case HSA_API_ID_hsa_amd_memory_async_copy_on_engine:
    return {"hsa_amd_memory_async_copy_on_engine", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_memory_async_copy_on_engine>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_memory_async_copy_on_engine>::call};
  case HSA_API_ID_hsa_amd_memory_copy_engine_status:
    return {"hsa_amd_memory_copy_engine_status", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_memory_copy_engine_status>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_memory_copy_engine_status>::call};
  case HSA_API_ID_hsa_amd_spm_acquire:
    return {"hsa_amd_spm_acquire", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_spm_acquire>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_spm_acquire>::call};
  case HSA_API_ID_hsa_amd_spm_release:
    return {"hsa_amd_spm_release", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_spm_release>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_spm_release>::call};
  case HSA_API_ID_hsa_amd_spm_set_dest_buffer:
    return {"hsa_amd_spm_set_dest_buffer", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_spm_set_dest_buffer>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_spm_set_dest_buffer>::call};
  case HSA_API_ID_hsa_amd_portable_export_dmabuf:
    return {"hsa_amd_portable_export_dmabuf", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_portable_export_dmabuf>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_portable_export_dmabuf>::call};
  case HSA_API_ID_hsa_amd_portable_close_dmabuf:
    return {"hsa_amd_portable_close_dmabuf", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_portable_close_dmabuf>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_portable_close_dmabuf>::call};
  case HSA_API_ID_hsa_amd_vmem_address_reserve:
    return {"hsa_amd_vmem_address_reserve", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_vmem_address_reserve>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_vmem_address_reserve>::call};
  case HSA_API_ID_hsa_amd_vmem_address_free:
    return {"hsa_amd_vmem_address_free", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_vmem_address_free>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_vmem_address_free>::call};
  case HSA_API_ID_hsa_amd_vmem_handle_create:
    return {"hsa_amd_vmem_handle_create", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_vmem_handle_create>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_vmem_handle_create>::call};
  case HSA_API_ID_hsa_amd_vmem_handle_release:
    return {"hsa_amd_vmem_handle_release", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_vmem_handle_release>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_vmem_handle_release>::call};
  case HSA_API_ID_hsa_amd_vmem_map:
    return {"hsa_amd_vmem_map", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_vmem_map>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_vmem_map>::call};
  case HSA_API_ID_hsa_amd_vmem_unmap:
    return {"hsa_amd_vmem_unmap", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_vmem_unmap>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_vmem_unmap>::call};
  case HSA_API_ID_hsa_amd_vmem_set_access:
    return {"hsa_amd_vmem_set_access", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_vmem_set_access>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_vmem_set_access>::call};
  case HSA_API_ID_hsa_amd_vmem_get_access:
    return {"hsa_amd_vmem_get_access", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_vmem_get_access>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_vmem_get_access>::call};
  case HSA_API_ID_hsa_amd_vmem_export_shareable_handle:
    return {"hsa_amd_vmem_export_shareable_handle", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_vmem_export_shareable_handle>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_vmem_export_shareable_handle>::call};
  case HSA_API_ID_hsa_amd_vmem_import_shareable_handle:
    return {"hsa_amd_vmem_import_shareable_handle", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_vmem_import_shareable_handle>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_vmem_import_shareable_handle>::call};
  case HSA_API_ID_hsa_amd_vmem_retain_alloc_handle:
    return {"hsa_amd_vmem_retain_alloc_handle", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_vmem_retain_alloc_handle>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_vmem_retain_alloc_handle>::call};
  case HSA_API_ID_hsa_amd_vmem_get_alloc_properties_from_handle:
    return {"hsa_amd_vmem_get_alloc_properties_from_handle", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_vmem_get_alloc_properties_from_handle>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_vmem_get_alloc_properties_from_handle>::call};
  case HSA_API_ID_hsa_amd_agent_set_async_scratch_limit:
    return {"hsa_amd_agent_set_async_scratch_limit", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_agent_set_async_scratch_limit>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_agent_set_async_scratch_limit>::call};
  case HSA_API_ID_hsa_amd_queue_get_info:
    return {"hsa_amd_queue_get_info", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_queue_get_info>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_queue_get_info>::call};
  case HSA_API_ID_hsa_amd_vmem_address_reserve_align:
    return {"hsa_amd_vmem_address_reserve_align", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_vmem_address_reserve_align>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_vmem_address_reserve_align>::call};
  case HSA_API_ID_hsa_amd_enable_logging:
    return {"hsa_amd_enable_logging", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_enable_logging>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_enable_logging>::call};
  case HSA_API_ID_hsa_amd_signal_wait_all:
    return {"hsa_amd_signal_wait_all", (void **)&luthier_hsa<HSA_API_ID_hsa_amd_signal_wait_all>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_amd_signal_wait_all>::call};
  case HSA_API_ID_hsa_ext_sampler_create_v2:
    return {"hsa_ext_sampler_create_v2", (void **)&luthier_hsa<HSA_API_ID_hsa_ext_sampler_create_v2>::original, (void *)&luthier_hsa<HSA_API_ID_hsa_ext_sampler_create_v2>::call};
#endif
  default:
    return {nullptr, nullptr, nullptr};
  }
}
