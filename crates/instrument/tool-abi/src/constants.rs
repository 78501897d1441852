//! Numbers that pass between tools and the table. C puts `LUTHIER_` in front of their names.

use crate::values::HOOK_VALUES;

/// A number with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constant {
    /// As in C.
    pub name: &'static str,
    pub value: u32,
    /// Its meaning, line by line; nothing where the name says it.
    pub about: &'static [&'static str],
}

/// How C declares an enumeration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `enum NAME { A = 0 }`.
    Numbers,
    /// The same of bits, `1u << 0`, in 32 bits.
    Bits,
    /// `typedef enum { A = 0 } NAME`.
    Type,
}

/// Numbers that belong together.
#[derive(Clone, Copy, Debug)]
pub struct Enumeration {
    /// As in C.
    pub name: &'static str,
    pub form: Form,
    pub about: &'static [&'static str],
    pub constants: &'static [Constant],
}

/// The version rises when something else changes than what structures have at their end.
pub const API_VERSION: u32 = 2;
/// In place of a device's number: the host.
pub const NO_DEVICE: u32 = u32::MAX;
/// In place of a module's number: the tool's own file.
pub const OWN_MODULE: u64 = u64::MAX;

/// The enumeration to which hook values add their kinds of arguments.
pub(crate) const ARGUMENT_KINDS: &str = "luthier_arg_kind";

macro_rules! enumerations {
    ($(
        $(#[doc = $about:literal])*
        $form:ident $c:literal {
            $($(#[doc = $doc:literal])* $name:ident = $value:expr,)*
        }
    )*) => {
        $($(
            $(#[doc = $doc])*
            pub const $name: u32 = $value;
        )*)*

        pub(crate) const ENUMERATIONS: &[Enumeration] = &[$(Enumeration {
            name: $c,
            form: Form::$form,
            about: &[$($about),*],
            constants: &[$(Constant {
                name: concat!("LUTHIER_", stringify!($name)),
                value: $value,
                about: &[$($doc),*],
            }),*],
        }),*];

        /// All of them but the kinds of arguments that are hook values.
        pub const CONSTANTS: &[Constant] = &[$($(Constant {
            name: concat!("LUTHIER_", stringify!($name)),
            value: $value,
            about: &[$($doc),*],
        },)*)*];
    };
}

enumerations! {
    /// The classes of an instruction, one bit each.
    Bits "luthier_class" {
        CLASS_LOAD = 1 << 0,
        CLASS_STORE = 1 << 1,
        CLASS_ATOMIC = 1 << 2,
        /// An atomic that returns the value before the operation.
        CLASS_ATOMIC_RETURN = 1 << 3,
        CLASS_BRANCH = 1 << 4,
        CLASS_CONDITIONAL = 1 << 5,
        CLASS_INDIRECT = 1 << 6,
        CLASS_CALL = 1 << 7,
        /// Jumps back to the caller.
        CLASS_RETURN = 1 << 8,
        CLASS_END = 1 << 9,
        CLASS_BARRIER = 1 << 10,
        CLASS_WAIT = 1 << 11,
        CLASS_TRAP = 1 << 12,
        /// s_sendmsg: to the host or to other hardware.
        CLASS_MESSAGE = 1 << 13,
        CLASS_SALU = 1 << 14,
        CLASS_VALU = 1 << 15,
        CLASS_MATRIX = 1 << 16,
        CLASS_TRANSCENDENTAL = 1 << 17,
        CLASS_SMEM = 1 << 18,
        CLASS_VMEM = 1 << 19,
        CLASS_LDS = 1 << 20,
        /// By an encoding of its own, or through the descriptor of private memory that the kernel was given. FLAT may access scratch, too.
        CLASS_SCRATCH = 1 << 21,
        /// Global memory, LDS or scratch, by address.
        CLASS_FLAT = 1 << 22,
        /// The counters of s_waitcnt that it raises. gfx12 calls them loadcnt; dscnt or kmcnt; expcnt; storecnt.
        CLASS_COUNTS_VM = 1 << 23,
        CLASS_COUNTS_LGKM = 1 << 24,
        CLASS_COUNTS_EXP = 1 << 25,
        CLASS_COUNTS_VS = 1 << 26,
        /// The destination keeps some of its bits.
        CLASS_PARTIAL_WRITE = 1 << 27,
        /// A vector instruction that acts whatever EXEC is.
        CLASS_IGNORES_EXEC = 1 << 28,
        /// The control word that follows it.
        CLASS_SDWA = 1 << 29,
        CLASS_DPP16 = 1 << 30,
        CLASS_DPP8 = 1 << 31,
    }
    Numbers "luthier_operand_kind" {
        /// A register that is written.
        OPERAND_DEF = 0,
        /// A register that is read.
        OPERAND_USE = 1,
        OPERAND_NUMBER = 2,
        /// Distance of a branch's target from the branch's end, in bytes.
        OPERAND_DISTANCE = 3,
    }
    Numbers "luthier_register_kind" {
        REGISTER_SGPR = 0,
        REGISTER_VGPR = 1,
        REGISTER_AGPR = 2,
        REGISTER_VCC = 3,
        REGISTER_EXEC = 4,
        REGISTER_SCC = 5,
        REGISTER_M0 = 6,
        REGISTER_MODE = 7,
        REGISTER_OTHER = 8,
    }
    /// A hook inserted with LUTHIER_IPOINT_AFTER runs whenever the instruction has run, wherever control goes on in its function: to the
    /// next instruction, on the way of a taken branch, back from a call. It does not run behind the end of the program, a return, or a
    /// jump to another function or to a computed address; the summary says at how many places.
    Type "luthier_ipoint_t" {
        IPOINT_BEFORE = 0,
        IPOINT_AFTER = 1,
        IPOINT_EDGE = 2,
        IPOINT_BLOCK = 3,
    }
    /// Kinds of a hook's arguments: a constant, a variable of the tool, a register, or a value of the place.
    Numbers "luthier_arg_kind" {
        ARG_CONSTANT = 0,
        /// value: the number of the first register; the parameter's dwords take consecutive registers. If the kernel has no such register,
        /// the hook is left out and the summary says why.
        ARG_SGPR = 1,
        /// the same; a value for each lane
        ARG_VGPR = 2,
        /// value: the host's address of a variable of the tool, not of a __managed__ one; the hook gets the device's address
        ARG_VARIABLE = 6,
        /// as LUTHIER_ARG_VGPR
        ARG_AGPR = 13,
    }
    Numbers "luthier_change_kind" {
        CHANGE_REMOVE = 0,
        CHANGE_REPLACE = 1,
        CHANGE_ADD_BEFORE = 2,
        CHANGE_ADD_AFTER = 3,
    }
    /// Kinds of objects that a HIP compiler's start-up code registers.
    Numbers "luthier_registered_kind" {
        REGISTERED_FUNCTION = 0,
        REGISTERED_VARIABLE = 1,
        REGISTERED_MANAGED = 2,
        /// host: the device code of the functions and variables that follow
        REGISTERED_BINARY = 3,
    }
    Numbers "luthier_tool_wants" {
        WANTS_RECORDS = 1,
        /// Adds a signal and a barrier packet to every launch.
        WANTS_ENDS = 2,
        WANTS_PACKETS = 4,
        /// Adds the same as LUTHIER_WANTS_ENDS.
        WANTS_COPIES = 8,
        /// Luthier stands between the program and the functions of HIP and HSA that allocate and free.
        WANTS_MEMORY = 16,
    }
    /// Kinds of memory that a program asks for.
    Numbers "luthier_memory_kind" {
        /// The program called HSA itself.
        MEMORY_HSA = 0,
        MEMORY_DEVICE = 1,
        /// Memory of the host, for devices to reach.
        MEMORY_PINNED = 2,
        MEMORY_MANAGED = 3,
        /// Memory of the program's own, which devices were allowed to reach.
        MEMORY_REGISTERED = 4,
        /// In the order of a stream, as of hipMallocAsync.
        MEMORY_STREAM = 5,
        /// Rows with padding between them.
        MEMORY_PITCHED = 6,
        MEMORY_ARRAY = 7,
        /// Physical memory at addresses that the program has reserved.
        MEMORY_MAPPED = 8,
        /// Memory of another process.
        MEMORY_IMPORTED = 9,
        /// A node of a graph allocates it.
        MEMORY_NODE = 10,
        /// A variable of a module.
        MEMORY_VARIABLE = 11,
    }
    /// Position of an address with respect to an allocation.
    Numbers "luthier_memory_position" {
        /// The distance counts from the allocation's first byte.
        POSITION_INSIDE = 0,
        /// The distance counts from the byte that follows the allocation's last byte.
        POSITION_BEHIND = 1,
        /// The distance is that of the address to the allocation's first byte.
        POSITION_BEFORE = 2,
    }
    Type "luthier_api_phase_t" {
        API_PHASE_ENTER = 0,
        API_PHASE_EXIT = 1,
    }
}

/// All kinds of arguments, by their numbers.
pub fn argument_kinds() -> Vec<Constant> {
    let own = ENUMERATIONS.iter().find(|row| row.name == ARGUMENT_KINDS);
    let mut all = own.map_or_else(Vec::new, |own| own.constants.to_vec());
    for row in HOOK_VALUES {
        let Some((value, name)) = row.argument else {
            continue;
        };
        // The dimensions of a value share a kind.
        if all.iter().all(|known| known.value != value) {
            let about = row.about;
            all.push(Constant { name, value, about });
        }
    }
    all.sort_by_key(|kind| kind.value);
    all
}
