//! Tools for Luthier with host code in Rust.
//!
//! A tool is a library (`cdylib`) with a type that implements [`Tool`], and hooks in HIP that `luthier tool build --module` has
//! compiled; [`tool!`] joins both. `luthier tool new NAME --rust` writes such a crate. This crate and `tool-abi` know the table of functions
//! that `include/luthier.h` describes and nothing else of Luthier, so that it builds in seconds and works with any Luthier whose table
//! has as many functions.
//!
//! Functions fail with a [`Error`], which is Luthier's reason in words.
//!
//! ```
//! use luthier_tool::{Launch, Result, Tool, report};
//!
//! #[derive(Default)]
//! struct Counter;
//!
//! impl Tool for Counter {
//!     fn launch(&self, launch: &Launch<'_>) -> Result<()> {
//!         if !launch.is_instrumented("")? {
//!             for block in launch.blocks()? {
//!                 launch.at_block(&block).once().call("count", &[block.chosen.into()])?;
//!             }
//!             launch.run_instrumented("")?;
//!         }
//!         Ok(())
//!     }
//!     fn end(&self) -> Result<()> {
//!         report(&format!("{} wave instructions", luthier_tool::variable::<u64>("total")?))
//!     }
//! }
//! ```

mod allocation;
mod code;
mod copied;
mod glue;
mod host;
mod launch;
mod place;

/// The interface itself: numbers, structures and tables of functions.
pub use tool_abi as abi;

pub use allocation::{Allocation, Position, find_allocation};
pub use code::{Block, Frame, Function, Instruction, Kernel, Operand, Parameter, Register};
pub use copied::{Copied, Enqueued};
pub use glue::{begin, copied, end, ended, launched, memory, records, wants};
pub use host::{
    Counted, Error, Module, Plain, Result, counted, load_module, managed, option, report,
    report_json, set_variable, variable,
};
pub use launch::{Grid, Launch};
pub use place::{Argument, Place};
/// Values that every place has; arguments of hooks.
pub use tool_abi::HookValue;

/// The author of a tool implements this trait. Luthier calls it from threads of its own, one call at a time; calls of other tools
/// may run at the same time. After an error or a panic, Luthier drops what the call asked for, and the summary says so.
pub trait Tool: Default + Send + Sync + 'static {
    /// Whether [`Tool::records`] is to be called.
    const RECORDS: bool = false;
    /// Whether [`Tool::ended`] is to be called, which costs a signal and a barrier packet at every launch.
    const ENDS: bool = false;
    /// Whether [`Tool::copied`] is to be called, which costs the same.
    const COPIES: bool = false;
    /// Whether [`Tool::memory`] is to be called. Luthier then stands between the program and what allocates and frees.
    const MEMORY: bool = false;

    /// The devices are there, and nothing was launched.
    fn begin(&self) -> Result<()> {
        Ok(())
    }
    /// A kernel that the user chose is about to be launched: what shall run, and what is in it.
    fn launch(&self, launch: &Launch<'_>) -> Result<()>;
    /// The launch with this number has run, from one time to another, in nanoseconds of a clock that all devices share.
    fn ended(&self, _launch: u64, _start: u64, _end: u64) -> Result<()> {
        Ok(())
    }
    /// The runtime has copied memory; told at the next launch, or in the end.
    fn copied(&self, _copied: &Copied) -> Result<()> {
        Ok(())
    }
    /// The program has allocated or freed memory; told before the next launch that the user chose, or in the end.
    fn memory(&self, _allocation: &Allocation) -> Result<()> {
        Ok(())
    }
    /// Records of a stream, by its ring's name; false leaves them to the stream's file.
    fn records(&self, _stream: &str, _records: &[u8]) -> bool {
        false
    }
    /// The application has ended.
    fn end(&self) -> Result<()> {
        Ok(())
    }
}

/// Makes a type the library's tool: `luthier_tool::tool!(TYPE, "NAME.tool")`, once; the file with the hooks lies in the build script's
/// `OUT_DIR`.
#[macro_export]
macro_rules! tool {
    ($type:ty, $file:literal) => {
        const _: () = {
            static TOOL: ::std::sync::LazyLock<$type> =
                ::std::sync::LazyLock::new(<$type>::default);
            const FILE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/", $file));

            unsafe extern "C" fn registered(
                count: *mut usize,
            ) -> *const $crate::abi::structures::RawRegistered {
                // SAFETY: Luthier's number.
                unsafe { *count = 0 };
                ::std::ptr::null()
            }
            unsafe extern "C" fn begin(api: *const $crate::abi::Api) -> *const ::std::ffi::c_char {
                // SAFETY: Luthier's table, which lives for ever.
                unsafe { $crate::begin(api, &*TOOL) }
            }
            unsafe extern "C" fn launch(
                packet: *mut $crate::abi::structures::DispatchPacket,
                kernel: *const ::std::ffi::c_char,
            ) -> *const ::std::ffi::c_char {
                // SAFETY: Luthier's packet and string.
                unsafe { $crate::launched(&*TOOL, packet, kernel) }
            }
            unsafe extern "C" fn end() -> *const ::std::ffi::c_char {
                $crate::end(&*TOOL)
            }
            unsafe extern "C" fn records(
                stream: *const ::std::ffi::c_char,
                bytes: *const ::std::ffi::c_void,
                size: usize,
            ) -> ::std::ffi::c_int {
                // SAFETY: Luthier's string and bytes.
                unsafe { $crate::records(&*TOOL, stream, bytes, size) }
            }
            unsafe extern "C" fn ended(
                launch: u64,
                start: u64,
                end: u64,
            ) -> *const ::std::ffi::c_char {
                $crate::ended(&*TOOL, launch, start, end)
            }
            unsafe extern "C" fn copied(
                copy: *const $crate::abi::structures::RawCopy,
            ) -> *const ::std::ffi::c_char {
                // SAFETY: Luthier's structure.
                unsafe { $crate::copied(&*TOOL, copy) }
            }

            unsafe extern "C" fn memory(
                allocation: *const $crate::abi::structures::RawAllocation,
            ) -> *const ::std::ffi::c_char {
                // SAFETY: Luthier's structure.
                unsafe { $crate::memory(&*TOOL, allocation) }
            }

            #[unsafe(export_name = "luthier_tool")]
            static ENTRIES: $crate::abi::Entries = $crate::abi::Entries {
                struct_size: ::std::mem::size_of::<$crate::abi::Entries>(),
                version: $crate::abi::constants::API_VERSION,
                wants: $crate::wants::<$type>(),
                registered,
                begin,
                launch,
                end,
                records: Some(records),
                ended: Some(ended),
                wrap: None,
                packets: None,
                copied: Some(copied),
                memory: Some(memory),
            };
            #[unsafe(export_name = "luthier_tool_hooks")]
            #[unsafe(link_section = ".luthier_hooks")]
            static HOOKS: [u8; FILE.len()] = *include_bytes!(concat!(env!("OUT_DIR"), "/", $file));
        };
    };
}
