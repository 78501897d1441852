//! Numbers that pass between tools and the table, by the names that `include/luthier.h` has for them.

macro_rules! constants {
    ($($name:ident = $value:expr,)*) => {
        $(pub const $name: u32 = $value;)*

        /// All of them, by their names in the header.
        pub const CONSTANTS: &[(&str, u32)] = &[
            $((concat!("LUTHIER_", stringify!($name)), $name),)*
        ];
    };
}

constants! {
    API_VERSION = 2,
    NO_DEVICE = u32::MAX,

    ARG_CONSTANT = 0,
    ARG_SGPR = 1,
    ARG_VGPR = 2,
    ARG_EXEC = 3,
    ARG_PC = 4,
    ARG_SITE = 5,
    ARG_VARIABLE = 6,
    ARG_ADDRESS = 7,
    ARG_ACCESS_SIZE = 8,
    ARG_ACCESS_KIND = 9,
    ARG_DISPATCH_ID = 10,
    ARG_WORKGROUP_ID = 11,
    ARG_WORKITEM_ID = 12,
    ARG_AGPR = 13,
    ARG_VCC = 14,
    ARG_SCC = 15,
    ARG_M0 = 16,
    ARG_KERNARG = 17,
    ARG_PACKET = 18,
    ARG_MODE = 19,

    IPOINT_BEFORE = 0,
    IPOINT_AFTER = 1,
    IPOINT_EDGE = 2,
    IPOINT_BLOCK = 3,

    CHANGE_REMOVE = 0,
    CHANGE_REPLACE = 1,
    CHANGE_ADD_BEFORE = 2,
    CHANGE_ADD_AFTER = 3,

    OPERAND_DEF = 0,
    OPERAND_USE = 1,
    OPERAND_NUMBER = 2,
    OPERAND_DISTANCE = 3,

    REGISTER_SGPR = 0,
    REGISTER_VGPR = 1,
    REGISTER_AGPR = 2,
    REGISTER_VCC = 3,
    REGISTER_EXEC = 4,
    REGISTER_SCC = 5,
    REGISTER_M0 = 6,
    REGISTER_MODE = 7,
    REGISTER_OTHER = 8,

    CLASS_LOAD = isa::Effects::LOAD.bits(),
    CLASS_STORE = isa::Effects::STORE.bits(),
    CLASS_ATOMIC = isa::Effects::ATOMIC.bits(),
    CLASS_BRANCH = isa::Effects::BRANCH.bits(),
    CLASS_CONDITIONAL = isa::Effects::CONDITIONAL.bits(),
    CLASS_INDIRECT = isa::Effects::INDIRECT.bits(),
    CLASS_CALL = isa::Effects::CALL.bits(),
    CLASS_RETURN = isa::Effects::RETURN.bits(),
    CLASS_END = isa::Effects::END.bits(),
    CLASS_BARRIER = isa::Effects::BARRIER.bits(),
    CLASS_WAIT = isa::Effects::WAIT.bits(),
    CLASS_SALU = isa::Effects::SALU.bits(),
    CLASS_VALU = isa::Effects::VALU.bits(),
    CLASS_MATRIX = isa::Effects::MATRIX.bits(),
    CLASS_TRANSCENDENTAL = isa::Effects::TRANSCENDENTAL.bits(),
    CLASS_SMEM = isa::Effects::SMEM.bits(),
    CLASS_VMEM = isa::Effects::VMEM.bits(),
    CLASS_LDS = isa::Effects::LDS.bits(),
    CLASS_SCRATCH = isa::Effects::SCRATCH.bits(),
    CLASS_FLAT = isa::Effects::FLAT.bits(),
    CLASS_ATOMIC_RETURN = isa::Effects::ATOMIC_RETURN.bits(),
    CLASS_TRAP = isa::Effects::TRAP.bits(),
    CLASS_MESSAGE = isa::Effects::SENDMSG.bits(),
    CLASS_COUNTS_VM = isa::Effects::COUNTS_VM.bits(),
    CLASS_COUNTS_LGKM = isa::Effects::COUNTS_LGKM.bits(),
    CLASS_COUNTS_EXP = isa::Effects::COUNTS_EXP.bits(),
    CLASS_COUNTS_VS = isa::Effects::COUNTS_VS.bits(),
    CLASS_PARTIAL_WRITE = isa::Effects::PARTIAL_WRITE.bits(),
    CLASS_IGNORES_EXEC = isa::Effects::IGNORES_EXEC.bits(),
    CLASS_SDWA = isa::Effects::SDWA.bits(),
    CLASS_DPP16 = isa::Effects::DPP16.bits(),
    CLASS_DPP8 = isa::Effects::DPP8.bits(),

    REGISTERED_FUNCTION = 0,
    REGISTERED_VARIABLE = 1,
    REGISTERED_MANAGED = 2,
    REGISTERED_BINARY = 3,

    WANTS_RECORDS = 1,
    WANTS_ENDS = 2,
    WANTS_PACKETS = 4,
    WANTS_COPIES = 8,

    API_PHASE_ENTER = 0,
    API_PHASE_EXIT = 1,
}
