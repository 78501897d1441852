//! The C library's `syscall`, by which some programs open and use the driver.
//!
//! All system calls but the six in question go to the kernel at once, without a frame of this library, so that even a call that makes a
//! process works. Nothing is looked up and nothing is allocated: it may be called anywhere, also in handlers of signals.

use std::ffi::{c_char, c_int, c_long, c_void};

use crate::{calls, next::answer, open, unmapping};

/// The result of a call; `ours` is 0 if the kernel has to answer.
#[repr(C)]
struct Answer {
    value: c_long,
    ours: c_long,
}

/// # Safety
/// The caller must keep the rules of the C library's function of that name.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syscall() {
    core::arch::naked_asm!(
        "cmp rdi, {open}",
        "je 3f",
        "cmp rdi, {openat}",
        "je 3f",
        "cmp rdi, {mmap}",
        "je 3f",
        "cmp rdi, {ioctl}",
        "je 3f",
        "cmp rdi, {munmap}",
        "je 3f",
        "cmp rdi, {mremap}",
        "je 3f",
        // Arguments move from where C passes them to where the kernel takes them.
        "2:",
        "mov rax, rdi",
        "mov rdi, rsi",
        "mov rsi, rdx",
        "mov rdx, rcx",
        "mov r10, r8",
        "mov r8, r9",
        "mov r9, [rsp + 8]",
        "syscall",
        "cmp rax, -4095",
        "jae 4f",
        "ret",
        "4:",
        "mov edi, eax",
        "jmp {failed}",
        "3:",
        "push rdi",
        "push rsi",
        "push rdx",
        "push rcx",
        "push r8",
        "push r9",
        // The last argument is on the stack; with it the stack is aligned.
        "push qword ptr [rsp + 56]",
        "call {answered}",
        "add rsp, 8",
        "mov r10, rdx",
        "pop r9",
        "pop r8",
        "pop rcx",
        "pop rdx",
        "pop rsi",
        "pop rdi",
        "test r10, r10",
        "je 2b",
        "ret",
        open = const libc::SYS_open,
        openat = const libc::SYS_openat,
        mmap = const libc::SYS_mmap,
        ioctl = const libc::SYS_ioctl,
        munmap = const libc::SYS_munmap,
        mremap = const libc::SYS_mremap,
        failed = sym failed,
        answered = sym answered,
    )
}

/// `code`: the kernel's, negative.
extern "C" fn failed(code: c_int) -> c_long {
    answer(code).into()
}

/// Answers calls for an emulated device.
unsafe extern "C" fn answered(
    number: c_long,
    first: c_long,
    second: c_long,
    third: c_long,
    fourth: c_long,
    fifth: c_long,
    sixth: c_long,
) -> Answer {
    let path = |argument: c_long| argument as *const c_char;
    // SAFETY: the arguments are those of the caller's system call.
    let value = unsafe {
        match number {
            libc::SYS_open => {
                let opened = open::descriptor(libc::AT_FDCWD, path(first), second as c_int);
                opened.map(|result| answer(result).into())
            }
            libc::SYS_openat => {
                let opened = open::descriptor(first as c_int, path(second), third as c_int);
                opened.map(|result| answer(result).into())
            }
            libc::SYS_mmap => {
                let (protection, flags) = (third as c_int, fourth as c_int);
                let address = first as *mut c_void;
                let mapped = calls::map(
                    address,
                    second as usize,
                    protection,
                    flags,
                    fifth as c_int,
                    sixth,
                );
                mapped.map(|address| address as c_long)
            }
            libc::SYS_ioctl => {
                let argument = third as *mut c_void;
                calls::command(first as c_int, second as u64, argument).map(c_long::from)
            }
            libc::SYS_munmap => {
                unmapping::tell(first as *mut c_void, second as usize);
                None
            }
            libc::SYS_mremap => {
                let (old, new) = (first as *mut c_void, fifth as *mut c_void);
                let flags = fourth as c_int;
                let moved = unmapping::mremap(old, second as usize, third as usize, flags, new);
                Some(moved as c_long)
            }
            _ => None,
        }
    };
    Answer {
        value: value.unwrap_or_default(),
        ours: value.is_some().into(),
    }
}
