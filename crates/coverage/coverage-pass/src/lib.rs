//! A pass plugin for clang 22, on device code that carries counters.
//!
//! Counters are atomic additions to memory. Here lanes gather them in registers, and add them to a table of their function when they
//! end: `mark.cpp` makes calls of them that the optimiser sees through, `gather.cpp` bits and sums, `flush.cpp` additions to the table,
//! and `notes.cpp` what the drain needs to make counters of it.
//!
//! LLVM 20 to 22 give the names of a source's functions one symbol, `__llvm_prf_nm`, that every source defines: of `-fgpu-rdc` builds
//! only one source could be instrumented. In `names.cpp` the names become each source's own, as LLVM 23 has them.

use std::ffi::{c_char, c_void};

/// `llvm::PassPluginLibraryInfo` of plugin interface version 2 (LLVM 22).
#[repr(C)]
pub struct PassPluginLibraryInfo {
    version: u32,
    name: *const c_char,
    plugin_version: *const c_char,
    register: Option<unsafe extern "C" fn(*mut c_void)>,
    before_code_generation: Option<unsafe extern "C" fn()>,
}

unsafe extern "C" {
    fn luthier_coverage_register_callbacks(builder: *mut c_void);
}

/// The symbol that LLVM looks up in a plugin. It is on the Rust side because rustc hides the symbols of linked C++ code.
#[unsafe(no_mangle)]
pub extern "C" fn llvmGetPassPluginInfo() -> PassPluginLibraryInfo {
    PassPluginLibraryInfo {
        version: 2,
        name: c"luthier-coverage".as_ptr(),
        plugin_version: concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast(),
        register: Some(luthier_coverage_register_callbacks),
        before_code_generation: None,
    }
}
