//! Structures that pass between tools and the table. They grow at their end, and `struct_size` says how far one reaches.

use crate::InC;
use std::{
    ffi::{c_char, c_void},
    fmt,
};

/// A structure.
#[derive(Clone, Copy, Debug)]
pub struct Structure {
    /// As in C.
    pub name: &'static str,
    pub about: &'static [&'static str],
    /// Bytes.
    pub size: usize,
    pub members: &'static [Member],
}

/// A member of a structure.
#[derive(Clone, Copy)]
pub struct Member {
    pub name: &'static str,
    pub about: &'static [&'static str],
    pub offset: usize,
    /// The declaration in C, without the semicolon.
    pub declared: fn(&str) -> String,
}

impl fmt::Debug for Member {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{} at {}", (self.declared)(self.name), self.offset)
    }
}

macro_rules! structures {
    ($(
        $(#[doc = $about:literal])*
        $name:ident = $c:literal {
            $($(#[doc = $doc:literal])* $field:ident: $type:ty,)*
        }
    )*) => {
        $(
            #[doc = concat!("`", $c, "`.")]
            $(#[doc = $about])*
            #[repr(C)]
            #[derive(Clone, Copy, Debug)]
            pub struct $name {
                $($(#[doc = $doc])* pub $field: $type,)*
            }

            impl InC for $name {
                fn in_c(declarator: &str) -> String {
                    format!("{} {declarator}", $c)
                }
            }
        )*

        pub(crate) const STRUCTURES: &[Structure] = &[$(Structure {
            name: $c,
            about: &[$($about),*],
            size: size_of::<$name>(),
            members: &[$(Member {
                name: stringify!($field),
                about: &[$($doc),*],
                offset: std::mem::offset_of!($name, $field),
                declared: <$type as InC>::in_c,
            }),*],
        }),*];
    };
}

structures! {
    RawInstruction = "luthier_raw_instr" {
        struct_size: usize,
        /// Offset in the code object.
        pc: u64,
        /// Bytes.
        size: u32,
        index: u32,
        /// Without encoding suffix.
        mnemonic: *const c_char,
        /// As the assembler accepts it.
        text: *const c_char,
        /// luthier_class
        classes: u32,
        /// 0: unknown
        line: u32,
        file: *const c_char,
        block: usize,
        operands: usize,
        /// Number of inlined functions.
        frames: usize,
        /// 1 if the user's --site chooses it, else 0.
        chosen: usize,
        /// Number of registers that the text does not name. get_operand has them after the operands.
        implied: usize,
    }
    /// Registers have a file, a number and dwords; everything else has a value.
    RawOperand = "luthier_raw_operand" {
        /// luthier_operand_kind
        kind: u32,
        /// luthier_register_kind
        file: u32,
        first: u32,
        dwords: u32,
        value: u64,
    }
    RawKernel = "luthier_raw_kernel" {
        struct_size: usize,
        /// gfx90a
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
        /// Counted from 0 over all kernels and devices; hooks read the same number as their dispatch id.
        number: u64,
        queue: u64,
        device: u32,
        reserved: u32,
        /// When the launch was enqueued, in nanoseconds of the clock of luthier_at_launch_end. Only tools that hear of ends or copies get
        /// the time and the host thread; otherwise, and where they are unknown, these are 0.
        enqueued: u64,
        /// The thread's number in the system (gettid).
        thread: u32,
        reserved2: u32,
        /// Null, or a name that is valid during the callback.
        thread_name: *const c_char,
    }
    /// A copy of memory by the runtime.
    RawCopy = "luthier_raw_copy" {
        struct_size: usize,
        /// Counted from 0 over all copies.
        number: u64,
        bytes: u64,
        /// Number of the source's device; LUTHIER_NO_DEVICE is the host.
        from: u32,
        to: u32,
        /// When the copy was asked for, and by which thread, as in luthier_raw_launch.
        enqueued: u64,
        thread: u32,
        reserved: u32,
        thread_name: *const c_char,
        /// When the copy ran, in the same clock; start and end are 0 if unknown.
        start: u64,
        end: u64,
    }
    /// Memory that the program has asked for.
    RawAllocation = "luthier_raw_allocation" {
        struct_size: usize,
        /// Another one for each allocation.
        number: u64,
        address: u64,
        /// Bytes.
        size: u64,
        /// luthier_memory_kind
        kind: u32,
        /// 1: the program has freed it.
        freed: u32,
        /// The function of HIP or HSA that the program has called; "module" for variables.
        with: *const c_char,
        /// A variable's name, or null.
        name: *const c_char,
        /// Addresses of the host's code to which the calls return, innermost first.
        allocated_by: *const usize,
        allocated_by_count: usize,
        freed_by: *const usize,
        freed_by_count: usize,
        /// Bytes of a row, and from one row to the next; 0 if there are no rows.
        row_bytes: u64,
        pitch: u64,
        /// luthier_memory_position of the address that was looked up, and how many bytes.
        position: u32,
        reserved: u32,
        distance: u64,
    }
    RawFunction = "luthier_raw_function" {
        struct_size: usize,
        name: *const c_char,
        demangled: *const c_char,
        /// In the code object.
        entry: u64,
        first_block: usize,
        blocks: usize,
        callees: *const usize,
        callee_count: usize,
    }
    RawBlock = "luthier_raw_block" {
        struct_size: usize,
        function: usize,
        /// Instruction.
        first: usize,
        instructions: usize,
        successors: *const usize,
        successor_count: usize,
        /// Instructions that the user's --site chooses.
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
        /// The parameter's number if the compiler left no name.
        name: *const c_char,
        /// Empty if unknown.
        type_name: *const c_char,
        /// Bytes after kernarg_address.
        offset: u32,
        size: u32,
        is_pointer: u32,
        reserved: u32,
    }
    RawArgument = "luthier_arg" {
        /// luthier_arg_kind
        kind: u32,
        reserved: u32,
        value: u64,
    }
    RawInsertion = "luthier_raw_insertion" {
        struct_size: usize,
        /// luthier_ipoint_t
        point: u32,
        /// 1: the hook runs in lane 0 alone, whatever EXEC is.
        once: u32,
        /// The instruction; the block that begins; for an edge, the block that it leaves.
        place: usize,
        /// For an edge: the block that it leads to.
        to: usize,
        hook: *const c_void,
        arguments: *const RawArgument,
        count: usize,
    }
    RawCount = "luthier_raw_count" {
        struct_size: usize,
        /// luthier_ipoint_t
        point: u32,
        amount: u32,
        /// The place, as in luthier_raw_insertion.
        place: usize,
        to: usize,
        /// Number of the kernel's counter, from 0.
        counter: usize,
    }
    /// The counters of a kernel.
    RawCounted = "luthier_raw_counted" {
        struct_size: usize,
        kernel: *const c_char,
        demangled: *const c_char,
        /// Instrumented launches only.
        launches: u64,
        counters: *const u64,
        count: usize,
    }
    RawChange = "luthier_raw_change" {
        struct_size: usize,
        /// luthier_change_kind
        kind: u32,
        reserved: u32,
        /// Instruction.
        place: usize,
        /// Instructions in the assembler's language.
        text: *const c_char,
    }
    /// An object that a HIP compiler's start-up code registers.
    RawRegistered = "luthier_registered" {
        /// luthier_registered_kind
        kind: u32,
        reserved: u32,
        /// Shadow of the kernel or variable; for a managed variable, the pointer that host code uses.
        host: *const c_void,
        /// Name in the device code.
        name: *const c_char,
        /// Initial value of a managed variable.
        initial: *const c_void,
        /// Bytes.
        size: u64,
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

/// A packet of a queue, 64 bytes; aligned as the members of its kinds have to be.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub struct Packet(pub [u8; 64]);

impl InC for DispatchPacket {
    fn in_c(declarator: &str) -> String {
        format!("hsa_kernel_dispatch_packet_t {declarator}")
    }
}

impl InC for Packet {
    fn in_c(declarator: &str) -> String {
        format!("struct luthier_packet {declarator}")
    }
}
