//! What passes between Luthier and a tool's library, as `include/luthier.h` has it: structures grow at their end, and
//! `struct_size` says how far one reaches.

use std::ffi::{c_char, c_int, c_void};

/// `LUTHIER_API_VERSION`.
pub const VERSION: u32 = 2;

pub const WANTS_RECORDS: u32 = 1;
pub const WANTS_ENDS: u32 = 2;
pub const WANTS_COPIES: u32 = 8;

/// In place of a device's number: the host.
pub const NO_DEVICE: u32 = u32::MAX;

pub const REGISTERED_FUNCTION: u32 = 0;
pub const REGISTERED_VARIABLE: u32 = 1;
pub const REGISTERED_MANAGED: u32 = 2;

pub const IPOINT_BEFORE: u32 = 0;
pub const IPOINT_AFTER: u32 = 1;
pub const IPOINT_EDGE: u32 = 2;
pub const IPOINT_BLOCK: u32 = 3;

pub const CHANGE_REMOVE: u32 = 0;
pub const CHANGE_REPLACE: u32 = 1;
pub const CHANGE_ADD_BEFORE: u32 = 2;
pub const CHANGE_ADD_AFTER: u32 = 3;

/// Kinds of arguments in the order of their numbers: what `LUTHIER_ARG_` stands in front of.
pub const ARGUMENTS: [&str; 20] = [
    "CONSTANT",
    "SGPR",
    "VGPR",
    "EXEC",
    "PC",
    "SITE",
    "VARIABLE",
    "ADDRESS",
    "ACCESS_SIZE",
    "ACCESS_KIND",
    "DISPATCH_ID",
    "WORKGROUP_ID",
    "WORKITEM_ID",
    "AGPR",
    "VCC",
    "SCC",
    "M0",
    "KERNARG",
    "PACKET",
    "MODE",
];

/// In place of a module's number: the tool's own file.
pub const OWN_MODULE: u64 = u64::MAX;

macro_rules! structures {
    ($($name:ident = $c:literal { $($field:ident: $type:ty,)* })*) => {
        $(
            #[doc = concat!("`", $c, "`.")]
            #[repr(C)]
            #[derive(Clone, Copy, Debug)]
            pub struct $name {
                $(pub $field: $type,)*
            }
        )*

        /// Names in the header, sizes in bytes, and where members lie.
        pub const STRUCTURES: &[(&str, usize, &[(&str, usize)])] = &[
            $(($c, size_of::<$name>(), &[$((stringify!($field), std::mem::offset_of!($name, $field))),*]),)*
        ];
    };
}

structures! {
    RawInstruction = "luthier_raw_instr" {
        struct_size: usize,
        pc: u64,
        size: u32,
        index: u32,
        mnemonic: *const c_char,
        text: *const c_char,
        classes: u32,
        line: u32,
        file: *const c_char,
        block: usize,
        operands: usize,
        frames: usize,
        chosen: usize,
        implied: usize,
    }
    RawOperand = "luthier_raw_operand" {
        kind: u32,
        file: u32,
        first: u32,
        dwords: u32,
        value: u64,
    }
    Registered = "luthier_registered" {
        kind: u32,
        reserved: u32,
        host: *const c_void,
        name: *const c_char,
        initial: *const c_void,
        size: u64,
    }
    RawArgument = "luthier_arg" {
        kind: u32,
        reserved: u32,
        value: u64,
    }
    RawKernel = "luthier_raw_kernel" {
        struct_size: usize,
        target: *const c_char,
        wave_size: u32,
        reserved: u32,
        functions: usize,
        blocks: usize,
        instructions: usize,
        parameters: usize,
    }
    RawLaunch = "luthier_raw_launch" {
        struct_size: usize,
        number: u64,
        queue: u64,
        device: u32,
        reserved: u32,
        enqueued: u64,
        thread: u32,
        reserved2: u32,
        thread_name: *const c_char,
    }
    RawCopy = "luthier_raw_copy" {
        struct_size: usize,
        number: u64,
        bytes: u64,
        from: u32,
        to: u32,
        enqueued: u64,
        thread: u32,
        reserved: u32,
        thread_name: *const c_char,
        start: u64,
        end: u64,
    }
    RawFunction = "luthier_raw_function" {
        struct_size: usize,
        name: *const c_char,
        demangled: *const c_char,
        entry: u64,
        first_block: usize,
        blocks: usize,
        callees: *const usize,
        callee_count: usize,
    }
    RawBlock = "luthier_raw_block" {
        struct_size: usize,
        function: usize,
        first: usize,
        instructions: usize,
        successors: *const usize,
        successor_count: usize,
        chosen: usize,
    }
    RawFrame = "luthier_raw_frame" {
        struct_size: usize,
        function: *const c_char,
        file: *const c_char,
        line: u32,
        column: u32,
    }
    RawParameter = "luthier_raw_parameter" {
        struct_size: usize,
        name: *const c_char,
        type_name: *const c_char,
        offset: u32,
        size: u32,
        is_pointer: u32,
        reserved: u32,
    }
    RawInsertion = "luthier_raw_insertion" {
        struct_size: usize,
        point: u32,
        once: u32,
        place: usize,
        to: usize,
        hook: *const c_void,
        arguments: *const RawArgument,
        count: usize,
    }
    RawCount = "luthier_raw_count" {
        struct_size: usize,
        point: u32,
        amount: u32,
        place: usize,
        to: usize,
        counter: usize,
    }
    RawCounted = "luthier_raw_counted" {
        struct_size: usize,
        kernel: *const c_char,
        demangled: *const c_char,
        launches: u64,
        counters: *const u64,
        count: usize,
    }
    RawChange = "luthier_raw_change" {
        struct_size: usize,
        kind: u32,
        reserved: u32,
        place: usize,
        text: *const c_char,
    }
}

/// `hsa_kernel_dispatch_packet_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DispatchPacket {
    pub header: u16,
    pub setup: u16,
    pub workgroup_size: [u16; 3],
    pub reserved0: u16,
    pub grid_size: [u32; 3],
    pub private_segment_size: u32,
    pub group_segment_size: u32,
    pub kernel_object: u64,
    pub kernarg_address: u64,
    pub reserved2: u64,
    pub completion_signal: u64,
}

macro_rules! table {
    ($($name:ident: fn($($argument:ty),*) $(-> $result:ty)?,)*) => {
        /// `luthier_api`: what a tool may call. All functions return 0, or 1 with a reason in `last_error`.
        #[repr(C)]
        #[derive(Clone, Copy, Debug)]
        pub struct Api {
            pub struct_size: usize,
            pub tool: *mut c_void,
            $(pub $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        /// Names of the functions, and where they lie.
        pub const ENTRIES: &[(&str, usize)] = &[
            $((stringify!($name), std::mem::offset_of!(Api, $name))),*
        ];
    };
}

type Tool = *mut c_void;
type Object = u64;
type Place = usize;
type Text = *const c_char;
type Handle = *const c_void;

table! {
    count_instructions: fn(Object, *mut usize) -> c_int,
    get_instruction: fn(Object, Place, *mut RawInstruction) -> c_int,
    insert_call: fn(Object, Place, Handle, c_int, *const RawArgument, usize) -> c_int,
    is_instrumented: fn(Object, Text, *mut c_int) -> c_int,
    override_with_instrumented: fn(Object, Text) -> c_int,
    override_with_original: fn(Object) -> c_int,
    last_error: fn() -> Text,
    copy_to_variable: fn(Tool, Handle, *const c_void, usize, usize) -> c_int,
    copy_from_variable: fn(Tool, *mut c_void, Handle, usize, usize) -> c_int,
    variable: fn(Tool, Handle, *mut *mut c_void, *mut usize) -> c_int,
    allocate: fn(Tool, *mut *mut c_void, usize, c_int) -> c_int,
    release: fn(Tool, *mut c_void) -> c_int,
    copy: fn(Tool, *mut c_void, *const c_void, usize) -> c_int,
    hsa_entry: fn(Tool, Text, *mut *mut *mut c_void) -> c_int,
    get_kernel: fn(Object, *mut RawKernel) -> c_int,
    get_function: fn(Object, usize, *mut RawFunction) -> c_int,
    get_block: fn(Object, usize, *mut RawBlock) -> c_int,
    get_operand: fn(Object, Place, usize, *mut RawOperand) -> c_int,
    get_frame: fn(Object, Place, usize, *mut RawFrame) -> c_int,
    get_parameter: fn(Object, usize, *mut RawParameter) -> c_int,
    is_live: fn(Object, Place, u32, u32, *mut c_int) -> c_int,
    insert: fn(Object, *const RawInsertion) -> c_int,
    change: fn(Object, *const RawChange) -> c_int,
    report: fn(Tool, Text) -> c_int,
    option: fn(Tool, Text, *mut Text) -> c_int,
    device_count: fn(Tool, Handle, *mut usize) -> c_int,
    copy_from_device: fn(Tool, usize, *mut c_void, Handle, usize, usize) -> c_int,
    get_launch: fn(Object, *mut RawLaunch) -> c_int,
    count: fn(Object, *const RawCount) -> c_int,
    count_kernels: fn(*mut usize) -> c_int,
    get_counted: fn(usize, *mut RawCounted) -> c_int,
    all_or_nothing: fn(Object) -> c_int,
    report_json: fn(Tool, Text) -> c_int,
    load_module: fn(Tool, Text, *mut u64) -> c_int,
    module_symbol: fn(Tool, u64, u32, Text, *mut Handle, *mut usize) -> c_int,
}
