//! Messages that `s_sendmsg` sends: which mean something to the emulated device. The others stop the wave.

use gfx::{Family, Target};

/// Number, name, first and last family for which it is known what the device does.
#[rustfmt::skip]
const MESSAGES: &[(u32, &str, Family, Family)] = &[
    (1, "MSG_INTERRUPT",     Family::Gfx9,  Family::Gfx12_5),
    // The wave needs its registers no more; they go with it.
    (3, "MSG_DEALLOC_VGPRS", Family::Gfx11, Family::Gfx12_5),
];

/// Bits of the number: later families have more of them.
fn number(target: &Target, immediate: u32) -> u32 {
    match target.family < Family::Gfx11 {
        true => immediate & 0xf,
        false => immediate & 0xff,
    }
}

/// Says why a message cannot be sent.
pub(crate) fn check(target: &Target, immediate: u32) -> Result<(), String> {
    let number = number(target, immediate);
    let known = MESSAGES
        .iter()
        .any(|&(known, _, first, last)| known == number && (first..=last).contains(&target.family));
    match known {
        true => Ok(()),
        false => Err(format!(
            "the emulated device does not take message {number}"
        )),
    }
}
