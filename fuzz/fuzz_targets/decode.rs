//! Instructions: decoding and printing of any bytes for any target and wave size, and what the decoder promises about them.
#![no_main]

use std::cell::RefCell;
use std::collections::HashMap;

use isa::Decoder;
use libfuzzer_sys::fuzz_target;

thread_local! {
    /// By index of the target and wave size; making one takes long.
    static DECODERS: RefCell<HashMap<(usize, u8), Option<Decoder>>> = RefCell::default();
}

// The first byte chooses the target, the second the wave size.
fuzz_target!(|data: &[u8]| {
    let [target, wave_size, code @ ..] = data else {
        return;
    };
    let target = usize::from(*target) % gfx::TARGETS.len();
    let wave_size = if wave_size % 2 == 0 { 64 } else { 32 };
    DECODERS.with_borrow_mut(|decoders| {
        let decoder = decoders
            .entry((target, wave_size))
            .or_insert_with(|| Decoder::with_features(&gfx::TARGETS[target], wave_size, "").ok());
        let Some(decoder) = decoder else { return };
        let mut consumed = 0;
        for result in decoder.decode_all(code, 0x1000) {
            consumed += match result {
                Ok(inst) => {
                    assert!(!decoder.print(&inst).is_empty());
                    assert_eq!(inst.pc, 0x1000 + consumed as u64);
                    let _ = (inst.target(), inst.end());
                    usize::from(inst.size)
                }
                Err(error) => {
                    assert_eq!(error.pc(), 0x1000 + consumed as u64);
                    (code.len() - consumed).min(4)
                }
            };
        }
        assert_eq!(consumed, code.len());
    });
});
