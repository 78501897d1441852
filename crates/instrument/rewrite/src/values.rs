//! The values that hooks can ask a place for, by the names of their ports.

use crate::Value;
use isa::{Reg, RegKind};
use tool_abi::{HookValue, HookValueRow};

impl From<HookValue> for Value {
    fn from(value: HookValue) -> Value {
        Value::Supplied(value)
    }
}

/// Values that every place has, by port name.
pub(crate) fn supplied(port: &str) -> Option<Value> {
    const FILES: &[(&str, RegKind)] = &[
        ("sgpr", RegKind::Sgpr),
        ("vgpr", RegKind::Vgpr),
        ("agpr", RegKind::Agpr),
    ];
    if let Some(row) = HookValueRow::named(port) {
        return Some(row.value.into());
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
