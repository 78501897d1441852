//! Functions that programs may call, see `luthier_coverage.h`, and the names that earlier runtimes gave to such functions.

use std::ffi::c_void;

use crate::state;

/// Writes all counts so far; 0 on success or when there is nothing to write.
#[unsafe(no_mangle)]
pub extern "C" fn luthier_coverage_dump() -> i32 {
    state::dump()
}

/// Starts counting anew, on all devices; 0 on success.
#[unsafe(no_mangle)]
pub extern "C" fn luthier_coverage_reset() -> i32 {
    state::with(|collector, runtime| i32::from(!collector.reset(runtime))).unwrap_or(0)
}

/// The function that the pull request's driver forces into HIP programs with `-u`.
#[unsafe(no_mangle)]
pub extern "C" fn __llvm_profile_hip_collect_device_data() -> i32 {
    state::dump()
}

/// Registration that earlier compilers emitted. The drain finds everything by itself, so these do nothing; any
/// arguments are ignored.
macro_rules! accept_and_ignore {
    ($($name:ident)*) => {$(
        #[allow(missing_docs)]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(_first: *mut c_void) {}
    )*};
}

accept_and_ignore! {
    __llvm_profile_offload_register_shadow
    __llvm_profile_offload_register_section_shadow
    __llvm_profile_offload_register_dynamic_module
    __llvm_profile_offload_register_shadow_variable
    __llvm_profile_offload_register_section_shadow_variable
    __llvm_profile_offload_unregister_dynamic_module
}
