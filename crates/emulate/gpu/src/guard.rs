//! Accesses to memory that the application may take away at any moment.
//!
//! The device checks addresses against its own map. But registered memory belongs to the application, which can unmap or protect it while a
//! kernel runs, and no check beforehand is early enough. Work on such memory therefore runs inside [`guarded`]: a fault of the host there
//! ends only that work, and the caller is told. Every other fault goes to the previous handler, as if this one did not exist.
//!
//! Frames in between are dropped without destructors, so the work must hold no locks while it accesses the application's memory.

use std::{
    cell::Cell,
    ffi::c_void,
    mem::{self, MaybeUninit},
    ops::Range,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    ptr,
    sync::{
        Once,
        atomic::{AtomicI32, AtomicPtr, AtomicU64, AtomicUsize, Ordering, compiler_fence},
    },
};

/// A fault of the host inside guarded work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostFault {
    pub address: u64,
    pub write: bool,
    /// The part of the work that was entered last; 0 if it has none.
    pub part: usize,
    /// Words that registers and the stack held then and that lie in that part's range, innermost first.
    pub words: Vec<u64>,
}

/// The cause of such a fault, in the user's message.
pub const WITHDRAWN: &str =
    "the program unmapped, protected or freed this memory while the device used it";

const SIGNALS: [libc::c_int; 2] = [libc::SIGSEGV, libc::SIGBUS];
/// Threads that may have guarded work at once; those beyond it are not guarded.
const THREADS: usize = 1024;
const WORDS: usize = 64;
/// Faults at lower addresses are bugs of the emulator.
const LOWEST: u64 = 1 << 16;
/// Bytes of the stack that are looked through.
const DEEPEST: u64 = 64 << 10;

/// The place to continue at after a fault. `enter` knows the first two fields.
#[repr(C)]
struct RecoveryPoint {
    stack: u64,
    resume: u64,
    scene: *const Scene,
    address: u64,
    write: bool,
    found: usize,
    /// The first `found` are set. Zeros for all would be most of what guarding costs.
    words: [MaybeUninit<u64>; WORDS],
}

/// The current step of guarded work.
#[derive(Debug, Default)]
pub struct Scene {
    part: AtomicUsize,
    start: AtomicU64,
    end: AtomicU64,
}

impl Scene {
    /// From now on the work is at its part `part`, and words in `range` are worth telling of a fault.
    #[inline]
    pub fn enter(&self, part: usize, range: Range<u64>) {
        self.part.store(part, Ordering::Relaxed);
        self.start.store(range.start, Ordering::Relaxed);
        self.end.store(range.end, Ordering::Relaxed);
        // A fault leaves the work where it is: what it has written until now is in memory.
        compiler_fence(Ordering::SeqCst);
    }

    fn holds(&self, word: u64) -> bool {
        (self.start.load(Ordering::Relaxed)..self.end.load(Ordering::Relaxed)).contains(&word)
    }
}

struct Slot {
    thread: AtomicI32,
    point: AtomicPtr<RecoveryPoint>,
}

static SLOTS: [Slot; THREADS] = [const {
    Slot {
        thread: AtomicI32::new(0),
        point: AtomicPtr::new(ptr::null_mut()),
    }
}; THREADS];
static USED: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static OWN: Cell<Option<usize>> = const { Cell::new(None) };
}

/// This thread's slot. Threads of the device live as long as the process, so slots are not given back.
fn slot() -> Option<&'static Slot> {
    let index = OWN.get().unwrap_or_else(|| {
        let index = USED.fetch_add(1, Ordering::Relaxed);
        if let Some(slot) = SLOTS.get(index) {
            // SAFETY: no arguments.
            slot.thread
                .store(unsafe { libc::gettid() }, Ordering::Release);
        }
        OWN.set(Some(index));
        index
    });
    SLOTS.get(index)
}

/// Runs `act` on `what`; a fault of the host ends it.
pub fn guarded<W, T>(what: &mut W, act: impl FnOnce(&mut W) -> T) -> Result<T, HostFault> {
    guarded_parts(what, |what, _| act(what))
}

/// [`guarded`] for work of several parts, which are entered in the scene that `act` gets: to guard each alone costs more than a short
/// part does.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub fn guarded_parts<W, T>(
    what: &mut W,
    act: impl FnOnce(&mut W, &Scene) -> T,
) -> Result<T, HostFault> {
    let scene = Scene::default();
    let Some(slot) = slot() else {
        return Ok(act(what, &scene));
    };
    let mut point = RecoveryPoint {
        stack: 0,
        resume: 0,
        scene: &raw const scene,
        address: 0,
        write: false,
        found: 0,
        words: [const { MaybeUninit::uninit() }; WORDS],
    };
    let mut outcome = None;
    let mut body = Some(|| {
        outcome = Some(catch_unwind(AssertUnwindSafe(|| act(what, &scene))));
    });
    // Only this thread, and handlers on it, use its slot: no exchange is needed.
    let outer = slot.point.load(Ordering::Relaxed);
    slot.point.store(&raw mut point, Ordering::Release);
    // SAFETY: `run` is for this closure, which lives until `enter` returns, and so does the point.
    let faulted = unsafe { enter(run_of(&body), (&raw mut body).cast(), &raw mut point) } != 0;
    slot.point.store(outer, Ordering::Release);
    if faulted {
        let found = &point.words[..point.found];
        return Err(HostFault {
            address: point.address,
            write: point.write,
            part: scene.part.load(Ordering::Relaxed),
            // SAFETY: the handler has set as many as it has found.
            words: found
                .iter()
                .map(|word| unsafe { word.assume_init() })
                .collect(),
        });
    }
    match outcome {
        Some(Ok(value)) => Ok(value),
        Some(Err(panic)) => resume_unwind(panic),
        None => unreachable!("the body has run"),
    }
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
pub fn guarded_parts<W, T>(
    what: &mut W,
    act: impl FnOnce(&mut W, &Scene) -> T,
) -> Result<T, HostFault> {
    Ok(act(what, &Scene::default()))
}

type Run = unsafe extern "C" fn(*mut c_void);

/// The function that runs a closure of this type.
fn run_of<F: FnOnce()>(_: &Option<F>) -> Run {
    unsafe extern "C" fn run<F: FnOnce()>(body: *mut c_void) {
        // SAFETY: the caller passes an `Option<F>`.
        if let Some(body) = unsafe { (*body.cast::<Option<F>>()).take() } {
            body();
        }
    }
    run::<F>
}

/// Calls `run(body)` and returns 0; or, if a handler continues at `point`, returns 1 at once.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
#[unsafe(naked)]
unsafe extern "C" fn enter(run: Run, body: *mut c_void, point: *mut RecoveryPoint) -> u64 {
    core::arch::naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        // Below it: the host's floating-point controls, which the work may have changed.
        "sub rsp, 8",
        "stmxcsr [rsp]",
        "mov [rdx], rsp",
        "lea rax, [rip + 2f]",
        "mov [rdx + 8], rax",
        "mov rax, rdi",
        "mov rdi, rsi",
        "call rax",
        "xor eax, eax",
        "jmp 3f",
        "2:",
        "cld",
        "ldmxcsr [rsp]",
        "mov eax, 1",
        "3:",
        "add rsp, 8",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
    )
}

/// The handler of each signal before this one.
static BEFORE: [AtomicPtr<libc::sigaction>; 2] = [const { AtomicPtr::new(ptr::null_mut()) }; 2];

/// Makes faults inside guarded work known to it, from the first call on. A handler that the application sets up later comes first, and
/// calls this one or not, as handlers do.
pub fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| SIGNALS.into_iter().zip(&BEFORE).for_each(take));
}

fn take((signal, kept): (libc::c_int, &AtomicPtr<libc::sigaction>)) {
    // SAFETY: `sigaction` structures are plain data, and the handler does only what handlers may.
    unsafe {
        let mut before: libc::sigaction = mem::zeroed();
        if libc::sigaction(signal, ptr::null(), &raw mut before) != 0 {
            return;
        }
        kept.store(Box::into_raw(Box::new(before)), Ordering::Release);
        let mut action = before;
        action.sa_sigaction = on_fault as *const () as usize;
        // Everything else stays as the previous handler wants it: alternate stack, mask, restarts.
        action.sa_flags = before.sa_flags & !libc::SA_RESETHAND | libc::SA_SIGINFO;
        libc::sigaction(signal, &raw const action, ptr::null_mut());
    }
}

extern "C" fn on_fault(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel's arguments. Nothing here allocates, locks or touches thread-local memory.
    unsafe {
        if !(*info).is_ours(context) {
            pass_on(signal, info, context);
        }
    }
}

trait SignalOrigin {
    unsafe fn is_ours(&self, context: *mut c_void) -> bool;
}

impl SignalOrigin for libc::siginfo_t {
    /// Returns `true` if it is a fault inside guarded work of this thread, which then goes on behind that.
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    unsafe fn is_ours(&self, context: *mut c_void) -> bool {
        use libc::{REG_ERR, REG_RIP, REG_RSP};
        // A process sent the signal, or the system knows no address.
        if self.si_code <= 0 || self.si_code == libc::SI_KERNEL {
            return false;
        }
        // SAFETY: a system call without arguments.
        let thread = unsafe { libc::gettid() };
        let used = USED.load(Ordering::Acquire).min(THREADS);
        let slot = SLOTS[..used]
            .iter()
            .find(|slot| slot.thread.load(Ordering::Acquire) == thread);
        // SAFETY: a point lives as long as it stands in its slot, and only this thread, which is here, uses it.
        let Some(point) =
            (unsafe { slot.and_then(|slot| slot.point.load(Ordering::Acquire).as_mut()) })
        else {
            return false;
        };
        // SAFETY: the kernel's context, which it restores when the handler returns; the address is that of a fault.
        let (context, address) = unsafe {
            (
                &mut *context.cast::<libc::ucontext_t>(),
                self.si_addr() as u64,
            )
        };
        if address < LOWEST {
            return false;
        }
        let registers = &mut context.uc_mcontext.gregs;
        point.address = address;
        // Bit 1 of the processor's error code.
        point.write = registers[REG_ERR as usize] & 2 != 0;
        point.found = 0;
        for &word in registers.iter() {
            point.note(word as u64);
        }
        let mut at = registers[REG_RSP as usize] as u64 & !7;
        let end = point.stack.min(at + DEEPEST);
        while at < end {
            let word: u64;
            // The word may lie between objects, where neither the language nor the address sanitizer lets a pointer read.
            // SAFETY: between the stack pointers of the fault and of `enter`, both on this thread's stack.
            unsafe {
                core::arch::asm!(
                    "mov {word}, [{at}]",
                    word = out(reg) word,
                    at = in(reg) at,
                    options(nostack, preserves_flags, readonly)
                );
            }
            point.note(word);
            at += 8;
        }
        registers[REG_RSP as usize] = point.stack as i64;
        registers[REG_RIP as usize] = point.resume as i64;
        true
    }

    #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
    unsafe fn is_ours(&self, _: *mut c_void) -> bool {
        false
    }
}

impl RecoveryPoint {
    fn note(&mut self, word: u64) {
        // SAFETY: the scene lives as long as the point.
        let worth = unsafe { &*self.scene }.holds(word);
        if worth && self.found < WORDS {
            self.words[self.found] = MaybeUninit::new(word);
            self.found += 1;
        }
    }
}

/// Does what would have happened without this handler.
///
/// # Safety
/// The arguments are those of a handler.
unsafe fn pass_on(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let kept = &BEFORE[usize::from(signal == SIGNALS[1])];
    // SAFETY: what is kept is never freed.
    let before = unsafe { kept.load(Ordering::Acquire).as_ref() };
    let handler = before.map_or(libc::SIG_DFL, |before| before.sa_sigaction);
    if matches!(handler, libc::SIG_DFL | libc::SIG_IGN) {
        // SAFETY: gives the signal back to the system. A fault comes again by itself; a signal that was sent is sent again.
        unsafe {
            if (*info).si_code > 0 || handler == libc::SIG_DFL {
                libc::signal(signal, libc::SIG_DFL);
            }
            if (*info).si_code <= 0 && handler == libc::SIG_DFL {
                libc::raise(signal);
            }
        }
        return;
    }
    let takes_info = before.is_some_and(|before| before.sa_flags & libc::SA_SIGINFO != 0);
    // SAFETY: the action says of which type its handler is.
    unsafe {
        if takes_info {
            type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut c_void);
            mem::transmute::<usize, Handler>(handler)(signal, info, context);
        } else {
            type Handler = extern "C" fn(libc::c_int);
            mem::transmute::<usize, Handler>(handler)(signal);
        }
    }
}
