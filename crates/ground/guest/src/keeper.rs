//! Threads with a descriptor table of their own.
//!
//! Threads of a process usually share one table of descriptors. An application that closes descriptors it does not know, as daemons do,
//! closes Luthier's too, and the next file that it opens gets their number, and Luthier's bytes. A thread may leave the common table
//! (`close_range` with `CLOSE_RANGE_UNSHARE`, or `unshare`, neither of which needs a privilege). Other threads can neither close nor
//! inherit the files that it opens from then on.

use std::{
    io::{self, ErrorKind},
    mem::{ManuallyDrop, MaybeUninit},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        atomic::{AtomicPtr, Ordering},
        mpsc::{self, Sender},
    },
    thread::{self, ThreadId},
};

const STACK: usize = 1 << 20;
const REFUSED: &str = "this system gives a thread no descriptor table of its own (it refuses close_range and unshare), so no file is \
                       opened in the program's process";

type Task = Box<dyn FnOnce() + Send>;

/// A thread that has files open for the rest of a process, started when it is first asked for something.
pub struct Keeper {
    name: &'static str,
    running: AtomicPtr<Running>,
}

/// Never freed, for a forked child may still look at it.
struct Running {
    process: u32,
    thread: ThreadId,
    tasks: Sender<Task>,
}

impl Keeper {
    pub const fn new(name: &'static str) -> Keeper {
        Keeper {
            name,
            running: AtomicPtr::new(std::ptr::null_mut()),
        }
    }

    /// Runs `act` on the thread and waits for it. Files that `act` opens belong to the thread's table, so they must leave the closure only
    /// in a [`Kept`]. Errors: no thread, no table of its own, or a panic in `act`.
    pub fn run<T: Send + 'static>(
        &'static self,
        act: impl FnOnce() -> T + Send + 'static,
    ) -> io::Result<T> {
        let running = self.running()?;
        let guarded = || catch_unwind(AssertUnwindSafe(act));
        let answer = if running.thread == thread::current().id() {
            guarded()
        } else {
            let (send, receive) = mpsc::channel();
            let task = move || drop(send.send(guarded()));
            let gone = || io::Error::other("the thread that keeps files has ended");
            if let Err(unsent) = running.tasks.send(Box::new(task)) {
                // Dropped here, it would close descriptors of the application's.
                std::mem::forget(unsent);
                return Err(gone());
            }
            receive.recv().map_err(|_| gone())?
        };
        answer.map_err(|_| io::Error::other("internal error while writing a file"))
    }

    fn running(&'static self) -> io::Result<&'static Running> {
        // SAFETY: null, or leaked by this function.
        let known = unsafe { self.running.load(Ordering::Acquire).as_ref() };
        match known {
            Some(running) if running.process == std::process::id() => Ok(running),
            // None yet, or this is a forked child, in which the thread does not exist.
            _ => {
                let old = self.running.load(Ordering::Acquire);
                let new = Box::into_raw(Box::new(start(self.name)?));
                let order = Ordering::AcqRel;
                let placed = (self.running).compare_exchange(old, new, order, Ordering::Acquire);
                let current = match placed {
                    Ok(_) => new,
                    Err(faster) => {
                        // SAFETY: no other thread has seen it. Its thread ends with its channel.
                        drop(unsafe { Box::from_raw(new) });
                        faster
                    }
                };
                // SAFETY: leaked here or by another thread.
                Ok(unsafe { &*current })
            }
        }
    }
}

fn start(name: &str) -> io::Result<Running> {
    let (tasks, wait) = mpsc::channel::<Task>();
    let (ready, is_ready) = mpsc::channel();
    let handle = spawn(name, move || {
        let left = leave_common_table();
        let go_on = left.is_ok();
        let _ = ready.send(left);
        if go_on {
            wait.into_iter().for_each(|task| task());
        }
    })?;
    let thread = handle.thread().id();
    is_ready
        .recv()
        .map_err(|_| io::Error::other("a thread ended at once"))??;
    Ok(Running {
        process: std::process::id(),
        thread,
        tasks,
    })
}

/// Starts a thread that the application's signals do not reach, nor those that a write brings (SIGPIPE, SIGXFSZ).
fn spawn(name: &str, task: impl FnOnce() + Send + 'static) -> io::Result<thread::JoinHandle<()>> {
    with_signals_blocked(|| {
        thread::Builder::new()
            .name(name.into())
            .stack_size(STACK)
            .spawn(task)
    })
}

pub(crate) fn with_signals_blocked<T>(start: impl FnOnce() -> T) -> T {
    // Threads inherit the mask, so it is changed here: the new thread never runs with another one.
    // SAFETY: both sets are initialised by the calls that they are passed to first.
    unsafe {
        let (mut all, mut before) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
        let started = start();
        libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut());
        started
    }
}

/// From now on this thread has no descriptor in common with others, and none at all.
fn leave_common_table() -> io::Result<()> {
    // SAFETY: closes descriptors in a table that this call makes for this thread alone.
    let closed = unsafe {
        libc::syscall(
            libc::SYS_close_range,
            0 as libc::c_uint,
            libc::c_uint::MAX,
            libc::CLOSE_RANGE_UNSHARE,
        )
    };
    if closed == 0 {
        occupy_standard_streams();
        return Ok(());
    }
    // SAFETY: leaves the common table, nothing else.
    if unsafe { libc::unshare(libc::CLONE_FILES) } != 0 {
        return Err(io::Error::new(ErrorKind::Unsupported, REFUSED));
    }
    // The copies would keep the application's pipes and sockets open.
    let open: Vec<i32> = std::fs::read_dir("/proc/thread-self/fd")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    for descriptor in open {
        // SAFETY: the table is this thread's own, and it holds no open file of this library.
        unsafe { libc::close(descriptor) };
    }
    occupy_standard_streams();
    Ok(())
}

/// Puts something that cannot be read or written where code expects the standard streams: what is opened next must not get their
/// numbers, for the message of a panic would be written into it.
fn occupy_standard_streams() {
    for _ in 0..3 {
        // SAFETY: the name is a terminated string; the descriptors are the first three of this thread's own table.
        unsafe { libc::open(c"/".as_ptr(), libc::O_PATH | libc::O_CLOEXEC) };
    }
}

/// Runs `act` on a thread of its own that has no descriptors in common with the application, for files that are opened, used and closed
/// at once. Errors: no thread, no table of its own, or a panic in `act`.
pub fn apart<T: Send>(act: impl FnOnce() -> T + Send) -> io::Result<T> {
    run_in_scope(|| leave_common_table().map(|()| act()))?
}

/// Runs `act` on a thread that takes no signals, and waits for it.
///
/// The thread is a plain pthread. Threads of the standard library register destructors when they begin, and need the dynamic linker's lock
/// for that. A library's constructor or destructor holds that lock, so it would wait for such a thread for ever.
pub(crate) fn run_in_scope<T: Send>(act: impl FnOnce() -> T + Send) -> io::Result<T> {
    let mut job = Job {
        act: Some(act),
        answer: None,
    };
    let thread = with_signals_blocked(|| start_bare(&mut job))?;
    // SAFETY: the thread was started above, and only this call waits for it.
    match unsafe { libc::pthread_join(thread, std::ptr::null_mut()) } {
        0 => {}
        // The thread has what is borrowed here.
        _ => std::process::abort(),
    }
    job.answer
        .ok_or_else(|| io::Error::other("internal error while writing a file"))
}

struct Job<F, T> {
    act: Option<F>,
    answer: Option<T>,
}

fn start_bare<F: FnOnce() -> T + Send, T: Send>(
    job: &mut Job<F, T>,
) -> io::Result<libc::pthread_t> {
    let (mut attributes, mut thread) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    // SAFETY: the attributes are initialised before they are used and destroyed after; the job outlives the thread, for the caller
    // joins it, and its closure and answer may be sent.
    unsafe {
        libc::pthread_attr_init(attributes.as_mut_ptr());
        libc::pthread_attr_setstacksize(attributes.as_mut_ptr(), STACK);
        let error = libc::pthread_create(
            thread.as_mut_ptr(),
            attributes.as_ptr(),
            enter::<F, T>,
            (&raw mut *job).cast(),
        );
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
        match error {
            0 => Ok(thread.assume_init()),
            error => Err(io::Error::from_raw_os_error(error)),
        }
    }
}

extern "C" fn enter<F: FnOnce() -> T, T>(job: *mut libc::c_void) -> *mut libc::c_void {
    // SAFETY: `start_bare` passes its job, and does not use it before this thread has ended.
    let job = unsafe { &mut *job.cast::<Job<F, T>>() };
    // SAFETY: a terminated string of less than 16 bytes.
    unsafe { libc::prctl(libc::PR_SET_NAME, c"luthier-files".as_ptr()) };
    if let Some(act) = job.act.take() {
        job.answer = catch_unwind(AssertUnwindSafe(act)).ok();
    }
    std::ptr::null_mut()
}

/// Something with open files that lives on a [`Keeper`]'s thread.
pub struct Kept<T: Send + 'static> {
    keeper: &'static Keeper,
    process: u32,
    value: ManuallyDrop<Box<T>>,
}

impl<T: Send + 'static> Kept<T> {
    /// Makes it on the thread.
    pub fn make<E: Send + 'static>(
        keeper: &'static Keeper,
        make: impl FnOnce() -> Result<T, E> + Send + 'static,
    ) -> io::Result<Result<Kept<T>, E>> {
        let made = keeper.run(|| make().map(Box::new))?;
        Ok(made.map(|value| Kept {
            keeper,
            process: std::process::id(),
            value: ManuallyDrop::new(value),
        }))
    }

    /// Uses it on the thread. An error in a forked child, which has none of the files.
    pub fn with<R: Send + 'static>(
        &mut self,
        act: impl FnOnce(&mut T) -> R + Send + 'static,
    ) -> io::Result<R> {
        self.of_this_process()?;
        let value = Borrowed(&raw mut **self.value);
        self.keeper.run(move || {
            let value = value;
            // SAFETY: `self` is borrowed until `run` returns, and `run` returns when this closure has ended.
            act(unsafe { &mut *value.0 })
        })
    }

    /// Ends its life on the thread.
    pub fn take<R: Send + 'static>(
        mut self,
        act: impl FnOnce(T) -> R + Send + 'static,
    ) -> io::Result<R> {
        self.of_this_process()?;
        // SAFETY: `self` is forgotten right after, so the value is taken once.
        let value = unsafe { ManuallyDrop::take(&mut self.value) };
        let keeper = self.keeper;
        std::mem::forget(self);
        keeper.run(move || act(*value))
    }

    fn of_this_process(&self) -> io::Result<()> {
        if self.process == std::process::id() {
            return Ok(());
        }
        Err(io::Error::new(
            ErrorKind::NotFound,
            "the file belongs to the process that this one was forked from",
        ))
    }
}

impl<T: Send + 'static> Drop for Kept<T> {
    fn drop(&mut self) {
        if self.process == std::process::id() {
            // SAFETY: the value is not used again, for it is dropped only here.
            let value = unsafe { ManuallyDrop::take(&mut self.value) };
            let _ = self.keeper.run(move || drop(value));
        }
    }
}

/// A pointer for the keeper's thread.
struct Borrowed<T>(*mut T);
// SAFETY: the thread that made it waits while the keeper uses it, and `T` may be sent.
unsafe impl<T: Send> Send for Borrowed<T> {}
