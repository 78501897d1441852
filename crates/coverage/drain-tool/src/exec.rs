//! A process that becomes another program: the device's counters are gone then, so they are written before.
//!
//! If the other program does not start, this one goes on, and writes again at its end.

use std::{
    ffi::{CStr, c_char, c_int},
    mem::transmute,
};

use crate::state;

type Words = *const *const c_char;
type Exec = unsafe extern "C" fn(*const c_char, Words, Words) -> c_int;

unsafe extern "C" {
    static environ: Words;
}

/// The C library's function of this name. Without one there is no way to start a program.
fn real(name: &CStr) -> Option<*mut std::ffi::c_void> {
    // SAFETY: a plain look-up of a string.
    let address = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    (!address.is_null()).then_some(address)
}

fn missing() -> c_int {
    // SAFETY: the thread's own variable.
    unsafe { *libc::__errno_location() = libc::ENOSYS };
    -1
}

/// # Safety
/// The caller must keep the rules of the function `name` of the C library, which takes a path, words and an environment.
unsafe fn become_other(
    name: &CStr,
    path: *const c_char,
    words: Words,
    environment: Words,
) -> c_int {
    state::dump_in_emergency();
    let Some(address) = real(name) else {
        return missing();
    };
    // SAFETY: the function has this type, and the arguments are the caller's.
    unsafe { transmute::<*mut std::ffi::c_void, Exec>(address)(path, words, environment) }
}

/// # Safety
/// The caller must keep the rules of the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn execve(path: *const c_char, words: Words, environment: Words) -> c_int {
    // SAFETY: the caller's promise is that of the function named.
    unsafe { become_other(c"execve", path, words, environment) }
}

/// # Safety
/// The caller must keep the rules of the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn execvpe(file: *const c_char, words: Words, environment: Words) -> c_int {
    // SAFETY: the caller's promise is that of the function named.
    unsafe { become_other(c"execvpe", file, words, environment) }
}

/// # Safety
/// The caller must keep the rules of the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn execv(path: *const c_char, words: Words) -> c_int {
    // SAFETY: `execv` is `execve` with the environment of the process, which the C library keeps.
    unsafe { become_other(c"execve", path, words, environ) }
}

/// # Safety
/// The caller must keep the rules of the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn execvp(file: *const c_char, words: Words) -> c_int {
    // SAFETY: `execvp` is `execvpe` with the environment of the process, which the C library keeps.
    unsafe { become_other(c"execvpe", file, words, environ) }
}

/// # Safety
/// The caller must keep the rules of the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fexecve(file: c_int, words: Words, environment: Words) -> c_int {
    type Function = unsafe extern "C" fn(c_int, Words, Words) -> c_int;
    state::dump_in_emergency();
    let Some(address) = real(c"fexecve") else {
        return missing();
    };
    // SAFETY: the symbol of this name has this type, and the arguments are the caller's.
    unsafe { transmute::<*mut std::ffi::c_void, Function>(address)(file, words, environment) }
}

/// # Safety
/// The caller must keep the rules of the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn execveat(
    directory: c_int,
    path: *const c_char,
    words: Words,
    environment: Words,
    flags: c_int,
) -> c_int {
    type Function = unsafe extern "C" fn(c_int, *const c_char, Words, Words, c_int) -> c_int;
    state::dump_in_emergency();
    let Some(address) = real(c"execveat") else {
        return missing();
    };
    // SAFETY: the symbol of this name has this type, and the arguments are the caller's.
    unsafe {
        transmute::<*mut std::ffi::c_void, Function>(address)(
            directory,
            path,
            words,
            environment,
            flags,
        )
    }
}

/// The forms with a list of words. Functions with a list cannot be written in stable Rust, so the entry is assembly. It stores the words
/// that came in registers and passes the address of the others. (The C library's own forms do not call its `execve` by name.)
#[cfg(target_arch = "x86_64")]
mod lists {
    use std::{
        arch::naked_asm,
        ffi::{CStr, c_char, c_int},
    };

    use super::{become_other, environ};

    /// Words in registers: the second to the sixth argument.
    const IN_REGISTERS: usize = 5;

    macro_rules! list_form {
        ($name:ident, $target:ident) => {
            /// # Safety
            /// The caller must keep the rules of the C library's function.
            #[unsafe(no_mangle)]
            #[unsafe(naked)]
            pub unsafe extern "C" fn $name() -> c_int {
                naked_asm!(
                    ".cfi_startproc",
                    "push r9",
                    "push r8",
                    "push rcx",
                    "push rdx",
                    "push rsi",
                    ".cfi_def_cfa_offset 48",
                    "mov rsi, rsp",
                    "lea rdx, [rsp + 48]",
                    "call {target}",
                    "add rsp, 40",
                    ".cfi_def_cfa_offset 8",
                    "ret",
                    ".cfi_endproc",
                    target = sym $target,
                )
            }
        };
    }

    list_form!(execl, execl_words);
    list_form!(execlp, execlp_words);
    list_form!(execle, execle_words);

    type List = *const *const c_char;

    /// The words up to the null pointer, with it, and what comes behind.
    ///
    /// # Safety
    /// `registers` and `stack` are those of a call with such a list.
    unsafe fn words(registers: List, stack: List) -> (Vec<*const c_char>, *const c_char) {
        let at = |index: usize| match index {
            // SAFETY: the caller's promise; nothing is read beyond the list and the one word behind it.
            0..IN_REGISTERS => unsafe { *registers.add(index) },
            // SAFETY: the words that do not fit into registers lie on the stack in order.
            _ => unsafe { *stack.add(index - IN_REGISTERS) },
        };
        let mut words = Vec::new();
        loop {
            let word = at(words.len());
            words.push(word);
            if word.is_null() {
                let behind = at(words.len());
                return (words, behind);
            }
        }
    }

    /// # Safety
    /// The caller must keep the rules of [`words`], and of the function `name` of the C library.
    unsafe fn start(name: &CStr, path: *const c_char, registers: List, stack: List) -> c_int {
        // SAFETY: the caller's promise for both; the environment is the process's.
        unsafe {
            let (words, _) = words(registers, stack);
            become_other(name, path, words.as_ptr(), environ)
        }
    }

    unsafe extern "C" fn execl_words(path: *const c_char, registers: List, stack: List) -> c_int {
        // SAFETY: called by `execl` alone, with its arguments.
        unsafe { start(c"execve", path, registers, stack) }
    }

    unsafe extern "C" fn execlp_words(path: *const c_char, registers: List, stack: List) -> c_int {
        // SAFETY: called by `execlp` alone, with its arguments.
        unsafe { start(c"execvpe", path, registers, stack) }
    }

    unsafe extern "C" fn execle_words(path: *const c_char, registers: List, stack: List) -> c_int {
        // SAFETY: called by `execle` alone, whose environment stands behind the list.
        unsafe {
            let (words, environment) = words(registers, stack);
            become_other(c"execve", path, words.as_ptr(), environment.cast())
        }
    }
}
