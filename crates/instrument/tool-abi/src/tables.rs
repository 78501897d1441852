//! The two tables of functions: what a tool may call, and what its library exports. A function's row is its place in the table; new ones
//! come at the end.

use crate::{
    InC, Member, Structure,
    c::function,
    structures::{
        DispatchPacket, Packet, RawAllocation, RawArgument, RawBlock, RawChange, RawCopy, RawCount,
        RawCounted, RawFrame, RawFunction, RawInsertion, RawInstruction, RawKernel, RawLaunch,
        RawOperand, RawParameter, RawRegistered,
    },
};
use std::ffi::{c_char, c_int, c_void};

macro_rules! table {
    (
        $(#[doc = $about:literal])*
        $table:ident = $c:literal as $row:ident {
            $($(#[doc = $head_doc:literal])* $head:ident: $head_type:ty,)*
        }
        functions {
            $($(#[doc = $doc:literal])* fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*
        }
        later {
            $($(#[doc = $later_doc:literal])* fn $later:ident($($later_argument:ident: $later_type:ty),*) -> $later_result:ty;)*
        }
    ) => {
        #[doc = concat!("`", $c, "`.")]
        $(#[doc = $about])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug)]
        pub struct $table {
            $($(#[doc = $head_doc])* pub $head: $head_type,)*
            $($(#[doc = $doc])* pub $name: unsafe extern "C" fn($($argument: $type),*) -> $result,)*
            $($(#[doc = $later_doc])* pub $later: Option<unsafe extern "C" fn($($later_argument: $later_type),*) -> $later_result>,)*
        }

        impl InC for $table {
            fn in_c(declarator: &str) -> String {
                format!("{} {declarator}", $c)
            }
        }

        const $row: Structure = Structure {
            name: $c,
            about: &[$($about),*],
            size: size_of::<$table>(),
            members: &[
                $(Member {
                    name: stringify!($head),
                    about: &[$($head_doc),*],
                    offset: std::mem::offset_of!($table, $head),
                    declared: <$head_type as InC>::in_c,
                },)*
                $(Member {
                    name: stringify!($name),
                    about: &[$($doc),*],
                    offset: std::mem::offset_of!($table, $name),
                    declared: |name| function::<$result>(name, &[$(<$type>::in_c(stringify!($argument))),*]),
                },)*
                $(Member {
                    name: stringify!($later),
                    about: &[$($later_doc),*],
                    offset: std::mem::offset_of!($table, $later),
                    declared: |name| function::<$later_result>(name, &[$(<$later_type>::in_c(stringify!($later_argument))),*]),
                },)*
            ],
        };
    };
}

/// The tool that calls: what the table says.
pub type Tool = *mut c_void;
type Object = u64;
type Text = *const c_char;
type Handle = *const c_void;

table! {
    /// Functions return 0, or 1 with a reason in last_error. A function with a kernel object may be called only during
    /// luthier_at_kernel and luthier_at_hsa_event for that kernel. Other functions may be called anywhere.
    Api = "luthier_api" as API {
        struct_size: usize,
        /// The first argument of functions that take a tool.
        tool: Tool,
    }
    functions {
        fn count_instructions(kernel_object: Object, count: *mut usize) -> c_int;
        fn get_instruction(kernel_object: Object, index: usize, into: *mut RawInstruction) -> c_int;
        fn insert_call(kernel_object: Object, index: usize, hook: Handle, point: c_int, arguments: *const RawArgument, count: usize) -> c_int;
        fn is_instrumented(kernel_object: Object, variant: Text, answer: *mut c_int) -> c_int;
        fn override_with_instrumented(kernel_object: Object, variant: Text) -> c_int;
        fn override_with_original(kernel_object: Object) -> c_int;
        fn last_error() -> Text;
        /// Write a variable's bytes at an offset on all devices; read them from the first device.
        fn copy_to_variable(tool: Tool, variable: Handle, from: *const c_void, size: usize, offset: usize) -> c_int;
        fn copy_from_variable(tool: Tool, into: *mut c_void, variable: Handle, size: usize, offset: usize) -> c_int;
        fn variable(tool: Tool, variable: Handle, address: *mut *mut c_void, size: *mut usize) -> c_int;
        /// Allocate memory of the first device (shared = 0), or memory that host and devices share (1).
        fn allocate(tool: Tool, address: *mut *mut c_void, size: usize, shared: c_int) -> c_int;
        fn release(tool: Tool, address: *mut c_void) -> c_int;
        fn copy(tool: Tool, to: *mut c_void, from: *const c_void, size: usize) -> c_int;
        /// The place where HSA keeps the address of one of its functions.
        fn hsa_entry(tool: Tool, function: Text, entry: *mut *mut *mut c_void) -> c_int;
        /// The code of the kernel and of every function that it may call, by numbers.
        fn get_kernel(kernel_object: Object, into: *mut RawKernel) -> c_int;
        fn get_function(kernel_object: Object, index: usize, into: *mut RawFunction) -> c_int;
        fn get_block(kernel_object: Object, index: usize, into: *mut RawBlock) -> c_int;
        fn get_operand(kernel_object: Object, instruction: usize, number: usize, into: *mut RawOperand) -> c_int;
        fn get_frame(kernel_object: Object, instruction: usize, number: usize, into: *mut RawFrame) -> c_int;
        fn get_parameter(kernel_object: Object, index: usize, into: *mut RawParameter) -> c_int;
        fn is_live(kernel_object: Object, instruction: usize, kind: u32, number: u32, answer: *mut c_int) -> c_int;
        fn insert(kernel_object: Object, insertion: *const RawInsertion) -> c_int;
        fn change(kernel_object: Object, change: *const RawChange) -> c_int;
        /// Add a line to the tool's part of the summary.
        fn report(tool: Tool, text: Text) -> c_int;
        /// The user's value for a parameter of the tool, or its default.
        fn option(tool: Tool, name: Text, value: *mut Text) -> c_int;
        /// The number of devices that have a variable; its bytes on one of them.
        fn device_count(tool: Tool, variable: Handle, count: *mut usize) -> c_int;
        fn copy_from_device(tool: Tool, device: usize, into: *mut c_void, variable: Handle, size: usize, offset: usize) -> c_int;
        fn get_launch(kernel_object: Object, into: *mut RawLaunch) -> c_int;
        fn count(kernel_object: Object, count: *const RawCount) -> c_int;
        /// Counters by kernel, at the end. Pointers in the result are valid until luthier_at_term returns.
        fn count_kernels(count: *mut usize) -> c_int;
        fn get_counted(index: usize, into: *mut RawCounted) -> c_int;
        fn all_or_nothing(kernel_object: Object) -> c_int;
        /// The tool's results as JSON, for NAME.PID.json; the last call counts.
        fn report_json(tool: Tool, text: Text) -> c_int;
        /// load_module loads hooks and variables from another file and gives its number. module_symbol gives the handle of a hook or variable,
        /// by kind (luthier_registered_kind) and name, and the size of a variable. The handle of a managed variable is the address of its
        /// memory. LUTHIER_OWN_MODULE means the tool's own hooks and variables, if its library has registered nothing.
        fn load_module(tool: Tool, path: Text, module: *mut u64) -> c_int;
        fn module_symbol(tool: Tool, module: u64, kind: u32, name: Text, handle: *mut Handle, size: *mut usize) -> c_int;
        /// The program's memory that an address lies in, or else the nearest within 1 MiB; *found is 0 if there is none. Only in a process
        /// with a tool that wants LUTHIER_WANTS_MEMORY. Pointers in the result are valid until the next call on the thread.
        fn find_allocation(address: u64, into: *mut RawAllocation, found: *mut c_int) -> c_int;
    }
    later {}
}

table! {
    /// A tool's library exports this structure as luthier_tool.
    Entries = "luthier_tool_entries" as ENTRIES {
        struct_size: usize,
        /// LUTHIER_API_VERSION
        version: u32,
        /// luthier_tool_wants
        wants: u32,
    }
    functions {
        fn registered(count: *mut usize) -> *const RawRegistered;
        /// These return null, or a reason that stays valid until the next call on the thread.
        fn begin(api: *const Api) -> Text;
        fn launch(packet: *mut DispatchPacket, kernel: Text) -> Text;
        fn end() -> Text;
    }
    // Tools of older headers end before these.
    later {
        /// Takes records of a stream, by its ring's name. 1: the tool keeps them; 0: Luthier writes them to the stream's file.
        fn records(stream: Text, records: *const c_void, bytes: usize) -> c_int;
        fn ended(launch: u64, start: u64, end: u64) -> Text;
        /// Called on the program's first thread before the program's own code and before `begin`; only for tools that wrap functions.
        fn wrap() -> ();
        /// Packets that the application has written to a queue. The tool may change them.
        fn packets(packets: *mut Packet, count: usize, queue: u64, device: u32) -> Text;
        /// A copy has ended.
        fn copied(copy: *const RawCopy) -> Text;
        /// The program has allocated or freed memory.
        fn memory(allocation: *const RawAllocation) -> Text;
    }
}

pub(crate) const TABLES: &[Structure] = &[API, ENTRIES];
