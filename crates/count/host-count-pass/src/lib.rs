//! The LLVM side of instruction counting: a pass plugin for clang, opt and rustc, and the engine of the stand-alone
//! rewriter.
//!
//! C++ (`shim/`) reads and writes IR and decides nothing; the decisions are `host-count`'s, reached through [`bridge`].
//! LLVM is not linked here: the plugin uses the LLVM of the process that loads it.

pub mod bridge;
pub mod explain;
pub mod rewrite;

use std::ffi::c_char;
use std::ffi::c_void;

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
    fn luthier_register_callbacks(builder: *mut c_void);
}

/// The symbol that LLVM looks up in a plugin. It is on the Rust side because rustc hides the symbols of linked C++ code.
#[unsafe(no_mangle)]
pub extern "C" fn llvmGetPassPluginInfo() -> PassPluginLibraryInfo {
    PassPluginLibraryInfo {
        version: 2,
        name: c"luthier-count".as_ptr(),
        plugin_version: concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast(),
        register: Some(luthier_register_callbacks),
        before_code_generation: None,
    }
}
