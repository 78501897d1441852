//! One text for several assemblers.

use gfx::Target;

/// `text` in the spelling of `target`'s assembler. The bit that asks vector memory for the old value has another name on gfx94x and gfx12,
/// and gfx12 has neither the old waits nor constant scalar offsets of buffers.
fn spelled(target: &Target, text: &str) -> String {
    let is_scalar = |line: &str| line.trim_start().starts_with("s_");
    let lines: Vec<String> = if target.family >= gfx::Family::Gfx12 {
        let kept =
            |line: &&str| !line.trim_start().starts_with("s_waitcnt ") || line.contains("0x0");
        let vector = |line: &str| {
            let atomic = line.contains("_atomic_");
            let returns = if atomic { " th:TH_ATOMIC_RETURN" } else { "" };
            let line = line.replace(" glc", returns);
            match line.contains("buffer_") && !line.contains("s_buffer_") {
                true => line.replace("], 0", "], null"),
                false => line,
            }
        };
        text.lines().filter(kept).map(vector).collect()
    } else if target.family == gfx::Family::Gfx9 && target.architected_flat_scratch {
        let vector = |line: &str| match is_scalar(line) {
            true => line.to_owned(),
            false => line.replace(" glc", " sc0"),
        };
        text.lines().map(vector).collect()
    } else {
        return text.to_owned();
    };
    lines.join("\n")
}

/// Machine code of `text`.
pub fn assemble(
    target: &'static Target,
    wave_size: u32,
    text: &str,
) -> Result<Vec<u8>, isa::AssembleError> {
    isa::Assembler::with_features(target, wave_size as u8, "")
        .expect("LLVM knows the target")
        .assemble(&spelled(target, text))
}
