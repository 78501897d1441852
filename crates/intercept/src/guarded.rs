//! Tools with host code that others wrote: it may crash or never come back, and the application does not notice.
//!
//! A panic becomes the reason why a kernel runs as it is, or why a tool has nothing to say. What happens on threads of the
//! application and what empties rings is done by a thread for each tool, for which there is a limit to waiting; a tool that
//! exceeds it is not called again. Instrumenting has a thread and a limit anyway. A crash that is no panic, such as an access to
//! memory that is none, ends the process: host code runs inside it.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicUsize, Ordering},
        mpsc::{self, Sender},
    },
    time::Duration,
};

use luthier::{Edit, Error, Kernel, Launch, Result, Results, Tool, ToolFile, serde_json};
use session::Agent;

use crate::{lock, threads};

const STACK: usize = 8 << 20;

type Work = Box<dyn FnOnce(&dyn Tool) + Send>;

/// See the module.
pub struct Guarded {
    tool: Arc<dyn Tool>,
    name: String,
    file: ToolFile,
    observes: bool,
    limit: Duration,
    /// To the tool's thread, once that is needed.
    work: Mutex<Option<Sender<Work>>>,
    /// Calls of `instrument` that have not come back.
    instrumenting: AtomicUsize,
    /// Why the tool is not called any more.
    lost: OnceLock<String>,
}

impl Guarded {
    /// `limit` is the longest time that a launch or a batch of records waits for the tool, and the end of the program for what
    /// it has to say.
    pub fn new(tool: Box<dyn Tool>, limit: Duration) -> Guarded {
        let tool: Arc<dyn Tool> = tool.into();
        Guarded {
            name: tool.name().to_owned(),
            file: tool.file().clone(),
            observes: tool.observes_launches(),
            tool,
            limit,
            work: Mutex::default(),
            instrumenting: AtomicUsize::new(0),
            lost: OnceLock::new(),
        }
    }

    /// Makes the tool's thread do something; `None` if the tool is lost or is now.
    fn call<T: Send + 'static>(
        &self,
        what: &str,
        act: impl FnOnce(&dyn Tool) -> T + Send + 'static,
    ) -> Option<T> {
        if self.lost.get().is_some() {
            return None;
        }
        let (answer, answered) = mpsc::channel();
        let work: Work = Box::new(move |tool| {
            let _ = answer.send(catch_unwind(AssertUnwindSafe(|| act(tool))));
        });
        if !self.send(work) {
            self.lose(format!("there can be no thread for its {what}"));
            return None;
        }
        match answered.recv_timeout(self.limit) {
            Ok(Ok(answer)) => Some(answer),
            Ok(Err(panic)) => {
                self.lose(format!("crashed in {what}: {}", message(&*panic)));
                None
            }
            Err(_) => {
                let seconds = self.limit.as_secs_f32();
                self.lose(format!("did not come back from {what} for {seconds} s"));
                None
            }
        }
    }

    fn send(&self, work: Work) -> bool {
        let mut sender = lock(&self.work);
        if sender.is_none() {
            let (send, receive) = mpsc::channel::<Work>();
            let tool = Arc::clone(&self.tool);
            let task = Box::new(move || receive.iter().for_each(|work| work(&*tool)));
            if threads::spawn("luthier-tool", STACK, task) {
                *sender = Some(send);
            }
        }
        sender.as_ref().is_some_and(|send| send.send(work).is_ok())
    }

    fn lose(&self, reason: String) {
        let _ = self.lost.set(reason);
    }

    /// What is said at the end of a tool that is not called any more.
    fn loss(&self) -> Error {
        let reason = self.lost.get().map_or("it is gone", String::as_str);
        Error::Tool(format!("its host code {reason}; what it collected is lost"))
    }
}

/// What a panic said.
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
    agent: Agent,
    grid: [u32; 3],
    workgroup: [u16; 3],
    queue: u64,
    arguments: Vec<u8>,
}

impl OwnedLaunch {
    fn of(launch: &Launch<'_>) -> OwnedLaunch {
        OwnedLaunch {
            number: launch.number,
            kernel: launch.kernel.to_owned(),
            agent: launch.agent.clone(),
            grid: launch.grid,
            workgroup: launch.workgroup,
            queue: launch.queue,
            arguments: launch.arguments.to_vec(),
        }
    }

    fn launch(&self) -> Launch<'_> {
        Launch {
            number: self.number,
            kernel: &self.kernel,
            agent: &self.agent,
            grid: self.grid,
            workgroup: self.workgroup,
            queue: self.queue,
            arguments: &self.arguments,
        }
    }
}

impl Tool for Guarded {
    fn name(&self) -> &str {
        &self.name
    }

    fn file(&self) -> &ToolFile {
        &self.file
    }

    fn instrument(&self, kernel: &Kernel<'_>, edit: &mut Edit<'_>) -> Result<()> {
        if self.lost.get().is_some() {
            return Err(self.loss());
        }
        self.instrumenting.fetch_add(1, Ordering::Relaxed);
        let done = catch_unwind(AssertUnwindSafe(|| self.tool.instrument(kernel, edit)));
        self.instrumenting.fetch_sub(1, Ordering::Relaxed);
        done.unwrap_or_else(|panic| {
            let name = &self.name;
            Err(Error::Tool(format!(
                "tool {name} crashed: {}",
                message(&*panic)
            )))
        })
    }

    fn launch(&self, launch: &Launch<'_>) {
        let launch = OwnedLaunch::of(launch);
        self.call("launch", move |tool| tool.launch(&launch.launch()));
    }

    fn observes_launches(&self) -> bool {
        self.observes
    }

    fn ended(&self, launch: u64, start: u64, end: u64) {
        self.call("ended", move |tool| tool.ended(launch, start, end));
    }

    fn records(&self, stream: &str, records: &[u8]) -> bool {
        let (stream, records) = (stream.to_owned(), records.to_vec());
        let taken = self.call("records", move |tool| tool.records(&stream, &records));
        // What a lost tool would have done with them nobody knows; in a file they would be a surprise.
        taken.unwrap_or(true)
    }

    fn finish(&self, results: &Results<'_>) -> Result<String> {
        if self.instrumenting.load(Ordering::Relaxed) != 0 {
            self.lose("has not come back from instrument".to_owned());
        }
        let results = results.detach();
        let said = self.call("finish", move |tool| {
            results.with(|results| tool.finish(results))
        });
        said.unwrap_or_else(|| Err(self.loss()))
    }

    fn finish_json(&self, results: &Results<'_>) -> Result<serde_json::Value> {
        let results = results.detach();
        let said = self.call("finish_json", move |tool| {
            results.with(|results| tool.finish_json(results))
        });
        said.unwrap_or(Ok(serde_json::Value::Null))
    }
}
