//! Operands as they are printed.

/// File and numbers of `v3`, `s[4:5]`; `vcc`, `exec` and others by their name.
fn registers(text: &str) -> Option<(&str, u32, u32)> {
    let text = text.split(' ').next()?;
    let file = text.get(..1)?;
    let rest = &text[1..];
    if let Some(range) = rest
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
    {
        let (first, last) = range.split_once(':').unwrap_or((range, range));
        return Some((file, first.parse().ok()?, last.parse().ok()?));
    }
    let number = rest.parse().ok()?;
    Some((file, number, number))
}

/// Returns `true` if two operands have a register in common.
pub(super) fn overlap(a: &str, b: &str) -> bool {
    match (registers(a), registers(b)) {
        (Some(a), Some(b)) => a.0 == b.0 && a.1 <= b.2 && b.1 <= a.2,
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_overlap_by_number() {
        assert!(overlap("v[2:3]", "v3"));
        assert!(!overlap("v[2:3]", "s3"));
        assert!(!overlap("v[2:3]", "v4"));
        assert!(overlap("vcc", "vcc"));
        assert!(!overlap("off", "v1"));
        assert!(overlap("s[4:5] offset:16", "s5"));
    }
}
