//! Structures that pass between tools and the table, as `include/luthier.h` has them. They grow at their end.

use std::ffi::{c_char, c_int, c_void};

use kmt_sys::aql::KernelDispatchPacket;

use crate::table::Api;

/// A packet of a queue, aligned as its members have to be.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub struct Packet(pub [u8; 64]);

/// Null or a reason, which is valid until the next call on the thread.
pub type Reason = *const c_char;

/// A structure whose first member says how long the other side believes it to be.
pub mod sized {
    use std::mem::MaybeUninit;

    /// What a structure has to have at least.
    const LEAST: usize = size_of::<usize>();

    /// Fills as much of the caller's structure as it has.
    ///
    /// # Safety
    /// `into` is null, or a structure as long as its first member says.
    pub unsafe fn fill<T>(into: *mut T, from: &T) -> Result<(), String> {
        if into.is_null() {
            return Err("a pointer is null".to_owned());
        }
        // SAFETY: the caller's promise; the first member of all these structures is their size.
        unsafe {
            let size = *into.cast::<usize>();
            if !(LEAST..=1 << 12).contains(&size) {
                return Err(format!(
                    "struct_size is {size}, and must be set to the structure's size"
                ));
            }
            let more = size.min(size_of::<T>()) - LEAST;
            let (from, to) = (std::ptr::from_ref(from).cast::<u8>(), into.cast::<u8>());
            std::ptr::copy_nonoverlapping(from.add(LEAST), to.add(LEAST), more);
        }
        Ok(())
    }

    /// A structure of the caller's; what an older one lacks is zero.
    ///
    /// # Safety
    /// As [`fill`]; zero must be a value that all members may have which the structure is too short for.
    pub unsafe fn read<T>(from: *const T) -> Result<T, String> {
        if from.is_null() {
            return Err("a pointer is null".to_owned());
        }
        // SAFETY: the caller's promise.
        unsafe {
            let size = (*from.cast::<usize>()).min(size_of::<T>());
            let mut copy = MaybeUninit::<T>::zeroed();
            let to = copy.as_mut_ptr().cast::<u8>();
            std::ptr::copy_nonoverlapping(from.cast::<u8>(), to, size);
            Ok(copy.assume_init())
        }
    }
}

macro_rules! structures {
    ($($(#[$doc:meta])* $name:ident = $c:literal, $size:literal { $($field:ident: $type:ty,)* })*) => {
        $(
            $(#[$doc])*
            #[repr(C)]
            #[derive(Clone, Copy, Debug)]
            pub struct $name {
                $(pub $field: $type,)*
            }
            const _: () = assert!(size_of::<$name>() == $size);
        )*

        /// Names in the header, sizes in bytes, and where members lie.
        pub const STRUCTURES: &[(&str, usize, &[(&str, usize)])] = &[
            $(($c, $size, &[$((stringify!($field), std::mem::offset_of!($name, $field))),*]),)*
        ];
    };
}

structures! {
    RawInstruction = "luthier_raw_instr", 96 {
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
    /// Registers have a number and dwords, everything else a value.
    RawOperand = "luthier_raw_operand", 24 {
        kind: u32,
        file: u32,
        first: u32,
        dwords: u32,
        value: u64,
    }
    /// What a compiler's start-up code registers.
    RawRegistered = "luthier_registered", 40 {
        kind: u32,
        reserved: u32,
        host: *const c_void,
        name: *const c_char,
        initial: *const c_void,
        size: u64,
    }
    /// What a tool's library exports. Tools of older headers end behind `end`.
    Entries = "luthier_tool_entries", 88 {
        struct_size: usize,
        version: u32,
        wants: u32,
        registered: unsafe extern "C" fn(*mut usize) -> *const RawRegistered,
        begin: unsafe extern "C" fn(*const Api) -> Reason,
        launch: unsafe extern "C" fn(*mut KernelDispatchPacket, *const c_char) -> Reason,
        end: unsafe extern "C" fn() -> Reason,
        records: Option<unsafe extern "C" fn(*const c_char, *const c_void, usize) -> c_int>,
        ended: Option<unsafe extern "C" fn(u64, u64, u64) -> Reason>,
        wrap: Option<unsafe extern "C" fn()>,
        packets: Option<unsafe extern "C" fn(*mut Packet, usize, u64, u32) -> Reason>,
        copied: Option<unsafe extern "C" fn(*const RawCopy) -> Reason>,
    }
    RawArgument = "luthier_arg", 16 {
        kind: u32,
        reserved: u32,
        value: u64,
    }
    RawKernel = "luthier_raw_kernel", 56 {
        struct_size: usize,
        target: *const c_char,
        wave_size: u32,
        reserved: u32,
        functions: usize,
        blocks: usize,
        instructions: usize,
        parameters: usize,
    }
    RawLaunch = "luthier_raw_launch", 56 {
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
    RawCopy = "luthier_raw_copy", 72 {
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
    RawFunction = "luthier_raw_function", 64 {
        struct_size: usize,
        name: *const c_char,
        demangled: *const c_char,
        entry: u64,
        first_block: usize,
        blocks: usize,
        callees: *const usize,
        callee_count: usize,
    }
    RawBlock = "luthier_raw_block", 56 {
        struct_size: usize,
        function: usize,
        first: usize,
        instructions: usize,
        successors: *const usize,
        successor_count: usize,
        chosen: usize,
    }
    RawFrame = "luthier_raw_frame", 32 {
        struct_size: usize,
        function: *const c_char,
        file: *const c_char,
        line: u32,
        column: u32,
    }
    RawParameter = "luthier_raw_parameter", 40 {
        struct_size: usize,
        name: *const c_char,
        type_name: *const c_char,
        offset: u32,
        size: u32,
        is_pointer: u32,
        reserved: u32,
    }
    RawInsertion = "luthier_raw_insertion", 56 {
        struct_size: usize,
        point: u32,
        once: u32,
        place: usize,
        to: usize,
        hook: *const c_void,
        arguments: *const RawArgument,
        count: usize,
    }
    RawCount = "luthier_raw_count", 40 {
        struct_size: usize,
        point: u32,
        amount: u32,
        place: usize,
        to: usize,
        counter: usize,
    }
    RawCounted = "luthier_raw_counted", 48 {
        struct_size: usize,
        kernel: *const c_char,
        demangled: *const c_char,
        launches: u64,
        counters: *const u64,
        count: usize,
    }
    RawChange = "luthier_raw_change", 32 {
        struct_size: usize,
        kind: u32,
        reserved: u32,
        place: usize,
        text: *const c_char,
    }
}
