//! Conditions on a word of memory that commands wait for: those of `WAIT_REG_MEM` (PM4) and `POLL_REGMEM` (SDMA) have the same numbers.

/// True if the condition with the number `function` holds between `value` and `reference`; `None` if there is no such condition.
#[rustfmt::skip]
pub(crate) fn holds<T: PartialOrd>(function: u32, value: T, reference: T) -> Option<bool> {
    Some(match function {
        0 => true,
        1 => value <  reference,
        2 => value <= reference,
        3 => value == reference,
        4 => value != reference,
        5 => value >= reference,
        6 => value >  reference,
        _ => return None,
    })
}
