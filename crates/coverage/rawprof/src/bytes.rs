//! Little-endian words at an offset, checked.

pub(crate) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(
        bytes.get(at..at.checked_add(2)?)?.try_into().ok()?,
    ))
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(
        bytes.get(at..at.checked_add(4)?)?.try_into().ok()?,
    ))
}

pub(crate) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(
        bytes.get(at..at.checked_add(8)?)?.try_into().ok()?,
    ))
}

/// Bytes needed to bring `length` to a multiple of eight.
pub(crate) fn padding(length: usize) -> usize {
    length.wrapping_neg() % 8
}

pub(crate) fn pad(out: &mut Vec<u8>) {
    out.resize(out.len() + padding(out.len()), 0);
}
