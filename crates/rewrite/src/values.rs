//! What hooks can ask a place for, by the names of their ports.

use crate::Value;
use isa::{Reg, RegKind};

/// Values that every place has, by port name.
pub(crate) fn supplied(port: &str) -> Option<Value> {
    const NAMES: &[(&str, Value)] = &[
        ("site", Value::Site),
        ("pc", Value::Pc),
        ("exec", Value::Exec),
        ("effective_address", Value::EffectiveAddress),
        ("access_size", Value::AccessSize),
        ("access_kind", Value::AccessKind),
        ("scc", Value::Scc),
        ("vcc", Value::Vcc),
        ("stack", Value::Stack),
        ("kernarg_ptr", Value::KernargPointer),
        ("dispatch_ptr", Value::DispatchPointer),
        ("implicitarg_ptr", Value::ImplicitArgumentPointer),
        ("dispatch_id", Value::DispatchId),
        ("workgroup_id_x", Value::WorkgroupId(0)),
        ("workgroup_id_y", Value::WorkgroupId(1)),
        ("workgroup_id_z", Value::WorkgroupId(2)),
        ("workitem_id_x", Value::WorkitemId(0)),
        ("workitem_id_y", Value::WorkitemId(1)),
        ("workitem_id_z", Value::WorkitemId(2)),
        ("m0", Value::M0),
    ];
    const FILES: &[(&str, RegKind)] = &[
        ("sgpr", RegKind::Sgpr),
        ("vgpr", RegKind::Vgpr),
        ("agpr", RegKind::Agpr),
    ];
    if let Some((_, value)) = NAMES.iter().find(|row| row.0 == port) {
        return Some(*value);
    }
    let (file, number) = port.split_once(':')?;
    let (_, kind) = FILES.iter().find(|row| row.0 == file)?;
    Some(Value::Register(Reg {
        kind: *kind,
        index: number.parse().ok()?,
        width: 1,
        half: None,
    }))
}
