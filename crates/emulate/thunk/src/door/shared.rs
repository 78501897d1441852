//! Attributes of shared virtual memory: managed memory, and programs' own memory that the runtime registers.

use kmt_sys::{
    kfd::{self, svm_op},
    thunk::SvmAttribute,
};

use super::{Errno, Result, arguments::Arguments, refuse};
use crate::instance::Instance;

/// Any attribute makes the range reachable: host and device share one memory, so there is nothing to migrate. Values name GPUs by
/// the driver's numbers; nobody here looks at them but who asks again.
pub fn attributes(instance: &Instance, arguments: Arguments) -> Result {
    let value: kfd::Svm = arguments.get()?;
    let end = value.start.checked_add(value.size);
    if value.size == 0 || end.is_none() {
        return refuse(libc::EINVAL);
    }
    let list = arguments.list::<SvmAttribute>(size_of::<kfd::Svm>(), value.count as usize)?;
    let rows = list.get();
    let mut pairs: Vec<(u32, u32)> = rows.iter().map(|row| (row.kind, row.value)).collect();
    let memory = instance.machine.memory();
    let invalid = |_| Errno(libc::EINVAL);
    match value.op {
        svm_op::SET => memory
            .share(value.start, value.size, &pairs)
            .map_err(invalid),
        svm_op::GET => {
            memory
                .attributes(value.start, value.size, &mut pairs)
                .map_err(invalid)?;
            let answers: Vec<SvmAttribute> = pairs
                .into_iter()
                .map(|(kind, value)| SvmAttribute { kind, value })
                .collect();
            list.put(&answers);
            Ok(())
        }
        _ => refuse(libc::EINVAL),
    }
}
