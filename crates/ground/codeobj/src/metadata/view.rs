//! Typed reading of one kernel's metadata entry.

use super::get;
use rmpv::Value;
use serde::Serialize;

/// The kind of a kernel argument (`.value_kind`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentKind {
    /// The value itself.
    ByValue,
    /// A pointer to global or constant memory.
    GlobalBuffer,
    /// Pointer to dynamic LDS; its pointee's alignment is [`Argument::pointee_align`].
    DynamicSharedPointer,
    /// A sampler.
    Sampler,
    /// An image.
    Image,
    /// An OpenCL pipe.
    Pipe,
    /// An OpenCL queue.
    Queue,
    /// Set up by the runtime, not by the caller: the name after `hidden_`.
    Hidden(String),
    /// A kind newer than this program.
    Unknown(String),
}

impl ArgumentKind {
    fn parse(text: &str) -> ArgumentKind {
        match text {
            "by_value" => ArgumentKind::ByValue,
            "global_buffer" => ArgumentKind::GlobalBuffer,
            "dynamic_shared_pointer" => ArgumentKind::DynamicSharedPointer,
            "sampler" => ArgumentKind::Sampler,
            "image" => ArgumentKind::Image,
            "pipe" => ArgumentKind::Pipe,
            "queue" => ArgumentKind::Queue,
            text => match text.strip_prefix("hidden_") {
                Some(name) => ArgumentKind::Hidden(name.to_owned()),
                None => ArgumentKind::Unknown(text.to_owned()),
            },
        }
    }

    /// Returns `true` if the runtime provides it, not the caller.
    pub fn is_hidden(&self) -> bool {
        matches!(self, ArgumentKind::Hidden(_))
    }
}

/// One kernel argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Argument {
    /// The name in the source, if the compiler kept it.
    pub name: Option<String>,
    /// Type as in the source, if the compiler kept it.
    pub type_name: Option<String>,
    /// Bytes from the start of the kernarg segment.
    pub offset: u64,
    /// In bytes.
    pub size: u64,
    /// The kind of the argument.
    pub kind: ArgumentKind,
    /// Alignment of what a pointer to LDS points to, in bytes.
    pub pointee_align: Option<u64>,
    /// Address space of a pointer.
    pub address_space: Option<String>,
    /// The accesses that the source allows: `read_only`, `write_only`, `read_write`.
    pub access: Option<String>,
    /// The accesses that the compiler found.
    pub actual_access: Option<String>,
    /// `const` in the source.
    pub is_const: bool,
    /// `restrict` in the source.
    pub is_restrict: bool,
    /// `volatile` in the source.
    pub is_volatile: bool,
    /// `pipe` in the source.
    pub is_pipe: bool,
}

/// One kernel's entry. Numbers that are absent read as 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KernelMetadata {
    /// Source-level name.
    pub name: String,
    /// Name of the descriptor symbol, with `.kd`.
    pub symbol: String,
    /// The language of the source.
    pub language: Option<String>,
    /// In the order of the source, hidden ones last.
    pub arguments: Vec<Argument>,
    /// Bytes of arguments.
    pub kernarg_segment_size: u64,
    /// Alignment of the arguments, in bytes.
    pub kernarg_segment_align: u64,
    /// LDS bytes.
    pub group_segment_fixed_size: u64,
    /// Scratch bytes per lane.
    pub private_segment_fixed_size: u64,
    /// How much stack it needs is not known beforehand.
    pub uses_dynamic_stack: bool,
    /// 32 or 64.
    pub wavefront_size: u64,
    /// Scalar registers of a wave.
    pub sgpr_count: u64,
    /// VGPRs, AccVGPRs of a unified file included.
    pub vgpr_count: u64,
    /// Accumulation registers of a work-item.
    pub agpr_count: u64,
    /// Scalar registers that were spilled.
    pub sgpr_spill_count: u64,
    /// Vector registers that were spilled.
    pub vgpr_spill_count: u64,
    /// Work-items of the largest workgroup that it may be launched with.
    pub max_flat_workgroup_size: u64,
    /// Work-items in each dimension that it must be launched with.
    pub reqd_workgroup_size: Option<[u64; 3]>,
    /// Work-items in each dimension that it will probably be launched with.
    pub workgroup_size_hint: Option<[u64; 3]>,
    /// Type that the source says it mostly computes with.
    pub vec_type_hint: Option<String>,
    /// Symbol through which another kernel launches it.
    pub device_enqueue_symbol: Option<String>,
    /// `normal`, `init` or `fini`.
    pub kind: Option<String>,
    /// The grid is a whole number of workgroups.
    pub uniform_work_group_size: bool,
    /// A workgroup runs on both compute units of a work-group processor.
    pub workgroup_processor_mode: Option<bool>,
}

impl KernelMetadata {
    pub(super) fn read(entry: &Value) -> KernelMetadata {
        let arguments = get(entry, ".args").and_then(Value::as_array);
        KernelMetadata {
            name: text(entry, ".name").unwrap_or_default(),
            symbol: text(entry, ".symbol").unwrap_or_default(),
            language: text(entry, ".language"),
            arguments: arguments.into_iter().flatten().map(argument).collect(),
            kernarg_segment_size: number(entry, ".kernarg_segment_size"),
            kernarg_segment_align: number(entry, ".kernarg_segment_align"),
            group_segment_fixed_size: number(entry, ".group_segment_fixed_size"),
            private_segment_fixed_size: number(entry, ".private_segment_fixed_size"),
            uses_dynamic_stack: flag(entry, ".uses_dynamic_stack"),
            wavefront_size: number(entry, ".wavefront_size"),
            sgpr_count: number(entry, ".sgpr_count"),
            vgpr_count: number(entry, ".vgpr_count"),
            agpr_count: number(entry, ".agpr_count"),
            sgpr_spill_count: number(entry, ".sgpr_spill_count"),
            vgpr_spill_count: number(entry, ".vgpr_spill_count"),
            max_flat_workgroup_size: number(entry, ".max_flat_workgroup_size"),
            reqd_workgroup_size: triple(entry, ".reqd_workgroup_size"),
            workgroup_size_hint: triple(entry, ".workgroup_size_hint"),
            vec_type_hint: text(entry, ".vec_type_hint"),
            device_enqueue_symbol: text(entry, ".device_enqueue_symbol"),
            kind: text(entry, ".kind"),
            uniform_work_group_size: number(entry, ".uniform_work_group_size") != 0,
            workgroup_processor_mode: get(entry, ".workgroup_processor_mode").map(truth),
        }
    }

    /// Arguments the caller passes, without the runtime's.
    pub fn explicit_arguments(&self) -> impl Iterator<Item = &Argument> {
        self.arguments
            .iter()
            .filter(|argument| !argument.kind.is_hidden())
    }
}

/// Work-items of the largest workgroup of any kernel.
const LARGEST_WORKGROUP: u64 = 1024;

/// One kernel's entry as it is, for who wants to know little of it.
#[derive(Clone, Copy, Debug)]
pub struct KernelEntry<'a>(pub(super) &'a Value);

impl KernelEntry<'_> {
    /// Work-items of the largest workgroup that it may be launched with: what [`KernelMetadata::max_flat_workgroup_size`] and
    /// [`KernelMetadata::reqd_workgroup_size`] say, or 1,024 where neither says anything.
    pub fn largest_workgroup(self) -> u32 {
        let most = match number(self.0, ".max_flat_workgroup_size") {
            0 => LARGEST_WORKGROUP,
            most => most,
        };
        let required = triple(self.0, ".reqd_workgroup_size");
        let required = required.and_then(|[x, y, z]| x.checked_mul(y)?.checked_mul(z));
        let required = required.filter(|size| *size != 0);
        required.map_or(most, |size| size.min(most)) as u32
    }

    /// Bytes from the first argument to the first hidden argument.
    pub fn hidden_arguments(self) -> Option<u64> {
        let arguments = get(self.0, ".args").and_then(Value::as_array);
        let mut arguments = arguments.into_iter().flatten();
        let hidden = arguments.find(|argument| {
            let kind = get(argument, ".value_kind").and_then(Value::as_str);
            kind.is_some_and(|kind| ArgumentKind::parse(kind).is_hidden())
        });
        hidden.map(|argument| number(argument, ".offset"))
    }
}

fn argument(entry: &Value) -> Argument {
    Argument {
        name: text(entry, ".name"),
        type_name: text(entry, ".type_name"),
        offset: number(entry, ".offset"),
        size: number(entry, ".size"),
        kind: ArgumentKind::parse(
            get(entry, ".value_kind")
                .and_then(Value::as_str)
                .unwrap_or_default(),
        ),
        pointee_align: get(entry, ".pointee_align").and_then(Value::as_u64),
        address_space: text(entry, ".address_space"),
        access: text(entry, ".access"),
        actual_access: text(entry, ".actual_access"),
        is_const: flag(entry, ".is_const"),
        is_restrict: flag(entry, ".is_restrict"),
        is_volatile: flag(entry, ".is_volatile"),
        is_pipe: flag(entry, ".is_pipe"),
    }
}

fn text(entry: &Value, key: &str) -> Option<String> {
    get(entry, key).and_then(Value::as_str).map(str::to_owned)
}

fn number(entry: &Value, key: &str) -> u64 {
    get(entry, key).and_then(Value::as_u64).unwrap_or(0)
}

fn flag(entry: &Value, key: &str) -> bool {
    get(entry, key).is_some_and(truth)
}

/// Compilers write flags as booleans or as 0 and 1.
fn truth(value: &Value) -> bool {
    value
        .as_bool()
        .unwrap_or_else(|| value.as_u64().is_some_and(|number| number != 0))
}

fn triple(entry: &Value, key: &str) -> Option<[u64; 3]> {
    let [x, y, z] = get(entry, key)?.as_array()?.as_slice() else {
        return None;
    };
    Some([x.as_u64()?, y.as_u64()?, z.as_u64()?])
}
