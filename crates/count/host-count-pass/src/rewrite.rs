//! The stand-alone rewriter: needs a process that links LLVM (`luthier-count-rewrite`).

use std::ffi::c_void;
use std::path::Path;

unsafe extern "C" {
    fn luthier_rewrite(
        input: *const u8,
        input_length: usize,
        output: *const u8,
        output_length: usize,
        options: *const u8,
        options_length: usize,
        error: crate::bridge::TextSink,
        context: *mut c_void,
    ) -> bool;
}

unsafe extern "C" fn collect(context: *mut c_void, text: *const u8, length: usize) {
    // SAFETY: `rewrite` passes its own string as context; the text lives during the call.
    let (out, bytes) = unsafe {
        (
            &mut *context.cast::<String>(),
            std::slice::from_raw_parts(text, length),
        )
    };
    out.push_str(&String::from_utf8_lossy(bytes));
}

/// Reads a module, makes it count, and writes it, or says why not and writes nothing.
pub fn rewrite(input: &Path, output: &Path, options: &str) -> Result<(), String> {
    let (input, output) = (
        input.as_os_str().as_encoded_bytes(),
        output.as_os_str().as_encoded_bytes(),
    );
    let mut error = String::new();
    // SAFETY: pointers and lengths belong together; `collect` takes the string it is given.
    let done = unsafe {
        luthier_rewrite(
            input.as_ptr(),
            input.len(),
            output.as_ptr(),
            output.len(),
            options.as_ptr(),
            options.len(),
            collect,
            (&raw mut error).cast(),
        )
    };
    if done { Ok(()) } else { Err(error) }
}
