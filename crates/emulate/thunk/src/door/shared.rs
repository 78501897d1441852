//! Attributes of shared virtual memory: managed memory, and programs' own memory that the runtime registers.

use kmt_sys::{
    kfd::{self, svm_op},
    thunk::SvmAttribute,
};

use super::{Errno, Result, arguments::Arguments, gpu, gpu_id, refuse, system_events};
use crate::{instance::Instance, mappings};

/// Kinds whose value names a device: first those of locations, then those of access.
const LOCATIONS: [u32; 2] = [0, 1];
const ACCESS: [u32; 3] = [2, 3, 4];
/// Locations that are no device: the host, and none.
const NO_DEVICES: [u32; 2] = [0, u32::MAX];
const PAGE: u64 = 4096;

/// The value as the device model has it, which numbers devices by their nodes where access is meant.
fn inside(instance: &Instance, row: &SvmAttribute) -> Result<(u32, u32)> {
    let SvmAttribute { kind, value } = *row;
    if ACCESS.contains(&kind) {
        return Ok((kind, gpu(instance, value)?.0));
    }
    if LOCATIONS.contains(&kind) && !NO_DEVICES.contains(&value) {
        gpu(instance, value)?;
    }
    Ok((kind, value))
}

/// Attributes make the range reachable: host and device share one memory, so there is nothing to migrate.
pub fn attributes(instance: &Instance, arguments: Arguments) -> Result {
    let value: kfd::Svm = arguments.get()?;
    let end = value.start.checked_add(value.size);
    let whole_pages = value.start.is_multiple_of(PAGE) && value.size.is_multiple_of(PAGE);
    if value.start == 0 || value.size == 0 || end.is_none() || !whole_pages {
        return refuse(libc::EINVAL);
    }
    let list = arguments.list::<SvmAttribute>(size_of::<kfd::Svm>(), value.count as usize)?;
    if !mappings::covers(value.start, value.size) {
        return refuse(libc::EFAULT);
    }
    let rows = list.get();
    let asks = value.op == svm_op::GET;
    let row = |row: &SvmAttribute| match asks && !ACCESS.contains(&row.kind) {
        // The caller asks for this attribute; its value is filled in later.
        true => Ok((row.kind, row.value)),
        false => inside(instance, row),
    };
    let mut pairs = rows.iter().map(row).collect::<Result<Vec<(u32, u32)>>>()?;
    let memory = instance.machine.memory();
    let invalid = |_| Errno(libc::EINVAL);
    match value.op {
        svm_op::SET => {
            let planned = system_events::planned(instance, (value.start, value.size), &pairs);
            memory
                .share(value.start, value.size, &pairs)
                .map_err(invalid)?;
            instance.system_events.moved(planned);
            Ok(())
        }
        svm_op::GET => {
            memory
                .attributes(value.start, value.size, &mut pairs)
                .map_err(invalid)?;
            let outside = |(kind, value)| match ACCESS.contains(&kind) {
                true => SvmAttribute {
                    kind,
                    value: gpu_id(value),
                },
                false => SvmAttribute { kind, value },
            };
            let answers: Vec<SvmAttribute> = pairs.into_iter().map(outside).collect();
            list.put(&answers);
            Ok(())
        }
        _ => refuse(libc::EINVAL),
    }
}
