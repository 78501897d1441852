//! Tools with host code that others wrote: it may crash or never come back, and the application does not notice.
//!
//! A panic becomes the reason why a kernel runs without tools, or why a tool has no result. All calls are made by contained threads
//! ([`crate::contained`]): if such a thread crashes, the process goes on. Waiting for them has a limit. A tool that exceeds it, or whose
//! thread died, is not called again, and the summary says so.
//!
//! Instrumenting borrows from its caller, which cannot leave while the tool may still look. It therefore waits for ever, on a
//! thread of its own that launches wait for within a limit.

use std::{
    any::Any,
    ffi::CStr,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, OnceLock,
        mpsc::{self, Receiver, Sender},
    },
    time::{Duration, Instant},
};

use luthier::{
    Cache, Code, Edit, Error, Kernel, Launch, Live, PacketBytes, Result, Results, Tool, ToolFile,
    ToolInfo, Wants, serde_json,
};
use session::{Agent, Config, Copied, Enqueued};

use crate::{
    contained::{self, Contained, Silence},
    lock, state,
};

const STACK: usize = 8 << 20;
/// Instrumenting may recurse over control flow.
const INSTRUMENTING_STACK: usize = 64 << 20;

type Work = Box<dyn FnOnce() + Send>;

/// The thread that makes all calls but those of `instrument`.
struct Worker {
    work: Sender<Work>,
    thread: Contained,
}

/// A call that has begun.
#[derive(Clone, PartialEq)]
struct Call {
    what: String,
    began: Instant,
}

impl Call {
    fn now(what: impl Into<String>) -> Call {
        Call {
            what: what.into(),
            began: Instant::now(),
        }
    }

    fn lasts(&self, variable: &str) -> String {
        let seconds = self.began.elapsed().as_secs_f32().round();
        format!(
            "did not come back from {} for {seconds} s (see {variable})",
            self.what
        )
    }
}

/// The names that the author of a tool has for the parts of its host code.
pub struct Callbacks {
    made: &'static str,
    begin: &'static str,
    launch: &'static str,
    ended: &'static str,
    copied: &'static str,
    packets: &'static str,
    records: &'static str,
    end: &'static str,
}

impl Callbacks {
    /// Functions of the trait `luthier::Tool`.
    pub const RUST: Callbacks = Callbacks {
        made: "its constructor",
        begin: "connect",
        launch: "launch",
        ended: "ended",
        copied: "copied",
        packets: "packets",
        records: "records",
        end: "finish",
    };

    /// Functions of `luthier.h`, and in brackets those of the trait `luthier_tool::Tool`.
    pub const LIBRARY: Callbacks = Callbacks {
        made: "its constructors",
        begin: "luthier_at_init (begin)",
        launch: "luthier_at_kernel or luthier_at_hsa_event (launch)",
        ended: "luthier_at_launch_end (ended)",
        copied: "luthier_at_copy (copied)",
        packets: "luthier_at_packets",
        records: "luthier_at_records (records)",
        end: "luthier_at_term (end)",
    };
}

/// See the module.
pub struct Guarded {
    /// None if it could not be made.
    tool: Option<Arc<dyn Tool>>,
    name: String,
    file: ToolFile,
    cache: Cache,
    wants: Wants,
    /// The longest time that a launch or a batch of records waits for the tool, and the end of the program for what it has
    /// to say.
    limit: Duration,
    build_limit: Duration,
    /// None if there could be no thread.
    worker: Mutex<Option<Worker>>,
    callbacks: &'static Callbacks,
    /// The call that the worker executes.
    doing: Arc<Mutex<Option<Call>>>,
    /// Calls of `instrument` that have not come back, and their threads.
    instrumenting: Mutex<Vec<(Call, Contained)>>,
    /// Why the tool is not called any more.
    lost: OnceLock<String>,
}

impl Guarded {
    /// A tool of this name and file. `make` may refuse, which is the error; if it crashes or hangs, that is a tool which does
    /// nothing but say so.
    pub fn make(
        name: &str,
        file: ToolFile,
        config: &Config,
        callbacks: &'static Callbacks,
        make: impl FnOnce(ToolFile) -> std::result::Result<Box<dyn Tool>, String> + Send + 'static,
    ) -> std::result::Result<Guarded, String> {
        let mut guarded = Guarded {
            tool: None,
            name: name.to_owned(),
            file: file.clone(),
            cache: Cache::Never,
            wants: Wants::default(),
            limit: config.tool_limit,
            build_limit: config.build_limit,
            worker: Mutex::new(Worker::start()),
            callbacks,
            doing: Arc::default(),
            instrumenting: Mutex::default(),
            lost: OnceLock::new(),
        };
        let made = guarded.ask(callbacks.made, move || {
            let tool: Arc<dyn Tool> = make(file)?.into();
            let info = tool.info();
            let said = (
                info.name.to_owned(),
                info.file.clone(),
                info.cache,
                info.wants,
            );
            Ok::<_, String>((tool, said))
        });
        if let Some(made) = made {
            let (tool, said) = made?;
            guarded.tool = Some(tool);
            (guarded.name, guarded.file, guarded.cache, guarded.wants) = said;
        }
        Ok(guarded)
    }

    /// Makes the tool do something; `None` if it is lost or is now.
    fn call<T: Send + 'static>(
        &self,
        what: &str,
        act: impl FnOnce(&dyn Tool) -> T + Send + 'static,
    ) -> Option<T> {
        let tool = Arc::clone(self.tool.as_ref()?);
        self.ask(what, move || act(&*tool))
    }

    fn ask<T: Send + 'static>(
        &self,
        what: &str,
        act: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        if self.lost.get().is_some() {
            return None;
        }
        let (answer, answered) = mpsc::channel();
        let (doing, call) = (Arc::clone(&self.doing), what.to_owned());
        let work: Work = Box::new(move || {
            *lock(&doing) = Some(Call::now(call));
            let _ = answer.send(catch_unwind(AssertUnwindSafe(act)));
        });
        let Some(thread) = self.send(work) else {
            self.lose("has no thread");
            return None;
        };
        match thread.answer(&answered, self.limit.min(state::patience())) {
            Ok(Ok(answer)) => return Some(answer),
            Ok(Err(panic)) => self.lose(&format!("crashed in {what}: {}", message(&*panic))),
            Err(Silence::Signal(signal)) => self.died(signal, &self.present(what).what),
            Err(Silence::Exit) => {
                self.left(&self.present(what).what);
                // The runtime is starting in this thread, which takes long: its destructors must not meet it.
                if state::current().is_none() {
                    std::thread::sleep(state::DEATH);
                }
            }
            Err(Silence::Late) => self.lose(&self.present(what).lasts("LUTHIER_TOOL_LIMIT")),
        }
        None
    }

    /// The call that the worker executes. It may be another than `what`, which another thread requested.
    fn present(&self, what: &str) -> Call {
        let doing = lock(&self.doing).clone();
        doing.unwrap_or_else(|| Call::now(what))
    }

    fn send(&self, work: Work) -> Option<Contained> {
        let worker = lock(&self.worker);
        let worker = worker.as_ref()?;
        worker.work.send(work).ok()?;
        Some(worker.thread)
    }

    /// The answer of a thread that [`begin_to_instrument`] started.
    fn instrumented(&self, thread: Contained, answered: &Receiver<Instrumented>) -> Result<()> {
        match thread.answer(answered, Duration::MAX) {
            Ok(Ok(done)) => done,
            Ok(Err(panic)) => {
                let name = &self.name;
                Err(Error::ToolFailed(format!(
                    "tool {name} crashed: {}",
                    message(&*panic)
                )))
            }
            Err(Silence::Signal(signal)) => {
                self.died(signal, "instrument");
                Err(self.loss())
            }
            Err(Silence::Exit) => {
                self.left("instrument");
                Err(self.loss())
            }
            Err(Silence::Late) => {
                self.lose("left its thread in instrument");
                Err(self.loss())
            }
        }
    }

    fn died(&self, signal: i32, what: &str) {
        // SAFETY: the call returns a string or null, and the program does not change its language any more.
        let text = unsafe {
            let text = libc::strsignal(signal);
            (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
        };
        let text = text.unwrap_or_default();
        self.lose(&format!("died of signal {signal} ({text}) in {what}"));
    }

    fn left(&self, what: &str) {
        let then = match what == self.callbacks.end {
            true => "when the application had ended",
            false => "which ends the application, too",
        };
        self.lose(&format!("called exit in {what}, {then}"));
    }

    fn lose(&self, reason: &str) {
        if self.lost.set(reason.to_owned()).is_ok() {
            let name = &self.name;
            state::note(format!(
                "the host code of tool {name} {reason}; it is not called again, and what it collected is lost"
            ));
        }
    }

    /// The error for a tool that is not called any more. A note has the reason.
    fn loss(&self) -> Error {
        let name = &self.name;
        Error::ToolFailed(format!("tool {name} is not called any more (see the note)"))
    }
}

impl Worker {
    fn start() -> Option<Worker> {
        let (work, receive) = mpsc::channel::<Work>();
        let task = Box::new(move || receive.iter().for_each(|work| work()));
        let thread = contained::spawn("luthier-tool", STACK, task)?;
        Some(Worker { work, thread })
    }
}

/// The result of a call of `instrument`, or its panic.
type Instrumented = std::thread::Result<Result<()>>;

/// Calls [`Tool::instrument`] on a thread of its own; `None` if there can be no thread.
///
/// # Safety
/// Until the thread has answered or stopped for ever, both the kernel and the edit must live, and the caller must touch neither.
unsafe fn begin_to_instrument(
    tool: &Arc<dyn Tool>,
    kernel: &Kernel<'_>,
    edit: &mut Edit<'_>,
) -> Option<(Contained, Receiver<Instrumented>)> {
    let (answer, answered) = mpsc::channel();
    let lent = Lent {
        kernel: std::ptr::from_ref(kernel).cast(),
        edit: std::ptr::from_mut(edit).cast(),
    };
    let their_tool = Arc::clone(tool);
    let task = Box::new(move || {
        let done = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: by this function's contract, the lender touches neither until this is over or this thread has stopped for ever.
            // Nothing here outlives the call, so it does not matter that the lifetimes are made up.
            let (kernel, edit) = unsafe { lent.take() };
            their_tool.instrument(kernel, edit)
        }));
        let _ = answer.send(done);
    });
    let thread = contained::spawn("luthier-instrument", INSTRUMENTING_STACK, task)?;
    Some((thread, answered))
}

/// The borrowed arguments of `instrument`, on their way to another thread.
struct Lent {
    kernel: *const Kernel<'static>,
    edit: *mut Edit<'static>,
}

// SAFETY: one thread uses it while the other waits, see `begin_to_instrument`.
unsafe impl Send for Lent {}

impl Lent {
    /// # Safety
    /// The lender must not touch either as long as the result is used, and both must live that long.
    unsafe fn take<'a>(self) -> (&'a Kernel<'static>, &'a mut Edit<'static>) {
        // SAFETY: the caller's promise.
        unsafe { (&*self.kernel, &mut *self.edit) }
    }
}

/// The message of a panic.
fn message(panic: &(dyn Any + Send)) -> &str {
    let literal = panic.downcast_ref::<&str>().copied();
    literal
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without words")
}

/// A launch that outlives the call it is told in.
struct OwnedLaunch {
    number: u64,
    kernel: String,
    object_hash: [u8; 32],
    agent: Agent,
    grid: [u32; 3],
    workgroup: [u16; 3],
    queue: u64,
    arguments: Vec<u8>,
    kernel_object: u64,
    kernarg: u64,
    enqueued: Option<Enqueued>,
}

impl OwnedLaunch {
    fn new(launch: &Launch<'_>) -> OwnedLaunch {
        OwnedLaunch {
            number: launch.number,
            kernel: launch.kernel.to_owned(),
            object_hash: *launch.object_hash,
            agent: launch.agent.clone(),
            grid: launch.grid,
            workgroup: launch.workgroup,
            queue: launch.queue,
            arguments: launch.arguments.to_vec(),
            kernel_object: launch.kernel_object,
            kernarg: launch.kernarg,
            enqueued: launch.enqueued,
        }
    }

    fn launch(&self) -> Launch<'_> {
        Launch {
            number: self.number,
            kernel: &self.kernel,
            object_hash: &self.object_hash,
            agent: &self.agent,
            grid: self.grid,
            workgroup: self.workgroup,
            queue: self.queue,
            arguments: &self.arguments,
            kernel_object: self.kernel_object,
            kernarg: self.kernarg,
            enqueued: self.enqueued,
        }
    }
}

impl Tool for Guarded {
    fn info(&self) -> ToolInfo<'_> {
        ToolInfo {
            name: &self.name,
            file: &self.file,
            // A cached object is of no use without the tool that takes its results.
            cache: match self.lost.get() {
                Some(_) => Cache::Never,
                None => self.cache,
            },
            wants: self.wants,
        }
    }

    fn instrument(&self, kernel: &Kernel<'_>, edit: &mut Edit<'_>) -> Result<()> {
        let call = Call::now(format!("instrument ({})", kernel.demangled()));
        let mut calls = lock(&self.instrumenting);
        if let Some((late, _)) = calls
            .iter()
            .find(|(call, _)| call.began.elapsed() > self.build_limit)
        {
            self.lose(&late.lasts("LUTHIER_BUILD_LIMIT"));
        }
        let (Some(tool), None) = (&self.tool, self.lost.get()) else {
            return Err(self.loss());
        };
        // SAFETY: the caller lends both for this call, which waits for the thread below and touches neither before.
        let begun = unsafe { begin_to_instrument(tool, kernel, edit) };
        let Some((thread, answered)) = begun else {
            let problem = "no thread can be started for it";
            return Err(Error::ToolFailed(problem.to_owned()));
        };
        // (The list stays locked until the call is in it: the thread may end the process at once.)
        calls.push((call.clone(), thread));
        drop(calls);
        let done = self.instrumented(thread, &answered);
        lock(&self.instrumenting).retain(|(other, _)| *other != call);
        done
    }

    fn modules(&self) -> Vec<&'static ToolFile> {
        // (The engine keeps that list, so this calls no code of the tool.)
        self.tool
            .as_ref()
            .map_or_else(Vec::new, |tool| tool.modules())
    }

    fn connect(&self, live: &Arc<dyn Live>) -> std::result::Result<(), String> {
        let live = Arc::clone(live);
        if let Some(Err(problem)) = self.call(self.callbacks.begin, move |tool| tool.connect(&live))
        {
            self.lose(&format!("does not begin: {problem}"));
        }
        Ok(())
    }

    fn choose(&self, launch: &Launch<'_>, code: &Code, packet: &mut PacketBytes) -> u32 {
        let (launch, code, mut copy) = (OwnedLaunch::new(launch), code.clone(), *packet);
        let answer = self.call(self.callbacks.launch, move |tool| {
            let choice = tool.choose(&launch.launch(), &code, &mut copy);
            (choice, copy)
        });
        // Hooks that a lost tool has inserted stay. For further kernels, instrumenting reports that the tool is lost.
        answer.map_or(1, |(choice, changed)| {
            *packet = changed;
            choice
        })
    }

    fn cache_key(&self, kernel: &str, object_hash: &[u8; 32], choice: u32) -> Option<Vec<u8>> {
        let (kernel, hash) = (kernel.to_owned(), *object_hash);
        self.call("cache_key", move |tool| {
            tool.cache_key(&kernel, &hash, choice)
        })?
    }

    fn launch(&self, launch: &Launch<'_>) {
        if self.wants.choices {
            // It has been told.
            return;
        }
        let launch = OwnedLaunch::new(launch);
        self.call(self.callbacks.launch, move |tool| {
            tool.launch(&launch.launch())
        });
    }

    fn ended(&self, launch: u64, start: u64, end: u64) {
        self.call(self.callbacks.ended, move |tool| {
            tool.ended(launch, start, end)
        });
    }

    fn copied(&self, copied: &Copied) {
        if self.wants.launches {
            let copied = *copied;
            self.call(self.callbacks.copied, move |tool| tool.copied(&copied));
        }
    }

    fn packets(&self, queue: u64, device: u32, packets: &mut [[u8; 64]]) {
        let mut copy = packets.to_vec();
        let changed = self.call(self.callbacks.packets, move |tool| {
            tool.packets(queue, device, &mut copy);
            copy
        });
        if let Some(changed) = changed {
            packets.copy_from_slice(&changed);
        }
    }

    fn records(&self, stream: &str, records: &[u8]) -> bool {
        let (stream, records) = (stream.to_owned(), records.to_vec());
        let taken = self.call(self.callbacks.records, move |tool| {
            tool.records(&stream, &records)
        });
        // A lost tool cannot say whether it would have taken the records. They are not written to a file, where the user would not expect
        // them.
        taken.unwrap_or(true)
    }

    fn finish(&self, results: &Results<'_>) -> Result<String> {
        let calls = lock(&self.instrumenting).clone();
        if calls.iter().any(|(_, thread)| thread.exits()) {
            // The thread that waits for it may not have seen that yet.
            self.left("instrument");
        } else if let Some((call, _)) = calls.first() {
            self.lose(&call.lasts("LUTHIER_BUILD_LIMIT"));
        }
        let results = results.detach();
        let said = self.call(self.callbacks.end, move |tool| {
            results.with(|results| tool.finish(results))
        });
        // A note says why there is nothing.
        said.unwrap_or_else(|| Ok(String::new()))
    }

    fn finish_json(&self, results: &Results<'_>) -> Result<serde_json::Value> {
        let results = results.detach();
        let said = self.call(self.callbacks.end, move |tool| {
            results.with(|results| tool.finish_json(results))
        });
        said.unwrap_or(Ok(serde_json::Value::Null))
    }
}
