//! The values that hooks can ask for at every place: the one list of names, sizes and origins.

/// A value that every place has, or has a reason not to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HookValue {
    /// Number of the place in the kernel: of the insertion in its plan.
    Site,
    /// Address of the instruction in the original code object.
    Pc,
    /// Mask of the lanes that are on.
    Exec,
    /// Condition bit of scalar instructions.
    Scc,
    /// Mask that vector compares write.
    Vcc,
    /// As the application has it.
    M0,
    /// How the application rounds and what becomes of its denormals: the register MODE.
    Mode,
    /// Values of the memory instruction at the place, per lane.
    EffectiveAddress,
    /// Bytes per lane.
    AccessSize,
    /// Bits of `luthier::access`.
    AccessKind,
    /// Global address of the variables in memory that lane 0 of the wave has for hooks.
    Stack,
    /// Address of the kernel's arguments.
    KernargPointer,
    /// Address of the dispatch packet.
    DispatchPointer,
    /// Address of the arguments that the compiler adds behind the kernel's own.
    ImplicitArgumentPointer,
    /// Number of the launch: the host leaves it in the dispatch packet's second reserved field.
    DispatchId,
    /// Number of the workgroup in the grid, in dimension 0, 1 or 2.
    WorkgroupId(u8),
    /// The lane's number in its workgroup, in dimension 0, 1 or 2.
    WorkitemId(u8),
}

/// The origin of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Known when code is inserted.
    Place,
    /// In registers of the wave at the place.
    Wave,
    /// The instruction's operands.
    Access,
    /// Arrives at the kernel's entry, and is kept from there.
    Entry,
}

/// The facts about a value.
#[derive(Clone, Copy, Debug)]
pub struct HookValueRow {
    pub value: HookValue,
    /// The name of the port. With a prefix for its size, it is the name of the function in `luthier_device.h`.
    pub name: &'static str,
    /// In descriptions of tools; empty where hooks alone ask for it.
    pub word: &'static str,
    /// As the hook sees it.
    pub dwords: u8,
    /// Dwords that a parameter must have to take it.
    pub least: u8,
    /// Lanes have values of their own.
    pub per_lane: bool,
    pub origin: Origin,
}

#[rustfmt::skip]
const fn row(
    value: HookValue, name: &'static str, word: &'static str,
    (dwords, least): (u8, u8), per_lane: bool, origin: Origin,
) -> HookValueRow {
    HookValueRow { value, name, word, dwords, least, per_lane, origin }
}

/// All of them.
#[rustfmt::skip]
pub const HOOK_VALUES: &[HookValueRow] = &[
    row(HookValue::Site,                    "site",              "site",        (1, 1), false, Origin::Place),
    row(HookValue::Pc,                      "pc",                "pc",          (2, 1), false, Origin::Place),
    row(HookValue::Exec,                    "exec",              "exec",        (2, 1), false, Origin::Wave),
    row(HookValue::Scc,                     "scc",               "scc",         (1, 1), false, Origin::Wave),
    row(HookValue::Vcc,                     "vcc",               "vcc",         (2, 1), false, Origin::Wave),
    row(HookValue::M0,                      "m0",                "m0",          (1, 1), false, Origin::Wave),
    row(HookValue::Mode,                    "mode",              "mode",        (1, 1), false, Origin::Wave),
    row(HookValue::EffectiveAddress,        "effective_address", "address",     (2, 2), true,  Origin::Access),
    row(HookValue::AccessSize,              "access_size",       "access.size", (1, 1), false, Origin::Access),
    row(HookValue::AccessKind,              "access_kind",       "access.kind", (1, 1), false, Origin::Access),
    row(HookValue::Stack,                   "stack",             "",            (2, 2), false, Origin::Entry),
    row(HookValue::KernargPointer,          "kernarg_ptr",       "kernarg",     (2, 2), false, Origin::Entry),
    row(HookValue::DispatchPointer,         "dispatch_ptr",      "packet",      (2, 2), false, Origin::Entry),
    row(HookValue::ImplicitArgumentPointer, "implicitarg_ptr",   "",            (2, 2), false, Origin::Entry),
    row(HookValue::DispatchId,              "dispatch_id",       "dispatch",    (2, 1), false, Origin::Entry),
    row(HookValue::WorkgroupId(0),          "workgroup_id_x",    "workgroup.x", (1, 1), false, Origin::Entry),
    row(HookValue::WorkgroupId(1),          "workgroup_id_y",    "workgroup.y", (1, 1), false, Origin::Entry),
    row(HookValue::WorkgroupId(2),          "workgroup_id_z",    "workgroup.z", (1, 1), false, Origin::Entry),
    row(HookValue::WorkitemId(0),           "workitem_id_x",     "workitem.x",  (1, 1), true,  Origin::Entry),
    row(HookValue::WorkitemId(1),           "workitem_id_y",     "workitem.y",  (1, 1), true,  Origin::Entry),
    row(HookValue::WorkitemId(2),           "workitem_id_z",     "workitem.z",  (1, 1), true,  Origin::Entry),
];

impl HookValueRow {
    /// The value of a port's name.
    pub fn named(name: &str) -> Option<&'static HookValueRow> {
        HOOK_VALUES.iter().find(|row| row.name == name)
    }

    /// The value that a description means.
    pub fn of_word(word: &str) -> Option<&'static HookValueRow> {
        HOOK_VALUES
            .iter()
            .find(|row| row.word == word && !word.is_empty())
    }
}

impl HookValue {
    /// `None` for a dimension that there is not.
    pub fn row(self) -> Option<&'static HookValueRow> {
        HOOK_VALUES.iter().find(|row| row.value == self)
    }
}
