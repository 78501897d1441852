//! A GPU in a process of its own, which may hang or die with a kernel: the others still run.

use std::{
    io::BufReader,
    process::{Child as Process, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use hsa_device::{
    About, Launch,
    protocol::{Answer, Request},
};

use crate::{
    Error, Result,
    machine::{Job, Machine, Trouble},
};

/// The time that the device's process has for everything around a kernel, in addition to the kernel's own limit.
const MARGIN: Duration = Duration::from_secs(30);
/// After so many processes that ended with a kernel the device is left alone.
const MOST_DEATHS: u32 = 16;

/// Starts the process whenever there is none.
pub struct Child {
    command: Box<dyn FnMut() -> Command>,
    running: Option<Running>,
    deaths: u32,
    margin: Duration,
}

struct Running {
    process: Process,
    requests: mpsc::Sender<Request>,
    answers: mpsc::Receiver<Answer>,
}

/// Why there is no answer.
enum Silence {
    Late,
    Ended(String),
}

impl Child {
    /// `command` makes the command whose process is [`hsa_device::serve`].
    pub fn new(command: impl FnMut() -> Command + 'static) -> Child {
        Child {
            command: Box::new(command),
            running: None,
            deaths: 0,
            margin: MARGIN,
        }
    }

    /// With another margin than half a minute on top of the kernels' own limits.
    pub fn with_margin(mut self, margin: Duration) -> Child {
        self.margin = margin;
        self
    }

    /// Facts about the device.
    pub fn about(&mut self) -> Result<About> {
        match self.ask(Request::About, Duration::ZERO) {
            Ok(Answer::About(about)) => Ok(about),
            Ok(Answer::Failed(why)) => Err(Error::Device(why)),
            Ok(_) => Err(Error::Device(
                "its process sent an unexpected answer".to_owned(),
            )),
            Err(Silence::Late) => Err(Error::Device(format!(
                "no answer within {} s; check the driver's messages (dmesg)",
                self.margin.as_secs()
            ))),
            Err(Silence::Ended(why)) => Err(Error::Device(why)),
        }
    }

    fn ask(&mut self, request: Request, limit: Duration) -> std::result::Result<Answer, Silence> {
        let running = match &mut self.running {
            Some(running) => running,
            none => {
                let started = start(&mut (self.command)());
                none.insert(started.map_err(|error| Silence::Ended(error.to_string()))?)
            }
        };
        // If the process has ended, no answer comes either.
        let _ = running.requests.send(request);
        match running.answers.recv_timeout(limit + self.margin) {
            Ok(answer) => Ok(answer),
            Err(mpsc::RecvTimeoutError::Timeout) => {
                self.stop();
                Err(Silence::Late)
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => Err(Silence::Ended(self.stop())),
        }
    }

    /// Ends the process; says how it ended.
    fn stop(&mut self) -> String {
        let Some(mut running) = self.running.take() else {
            return String::new();
        };
        self.deaths += 1;
        // One that has ended says so soon; one that hangs is ended.
        for _ in 0..20 {
            if let Ok(Some(status)) = running.process.try_wait() {
                return format!("the device's process ended with {status}");
            }
            thread::sleep(Duration::from_millis(50));
        }
        let _ = running.process.kill();
        // A process inside a call of the driver may take for ever to end, so it is not waited for.
        thread::spawn(move || running.process.wait());
        "the device's process was stopped".to_owned()
    }

    fn launch(&mut self, object: &[u8], launch: &Launch) -> std::result::Result<Vec<u8>, Trouble> {
        if self.running.is_none() {
            self.load(object)?;
        }
        let limit = Duration::from_secs(launch.seconds);
        match self.ask(Request::Run(launch.clone()), limit) {
            Ok(Answer::Output(output)) => Ok(output),
            Ok(Answer::Failed(why)) => {
                // The process gives up with a kernel that may still run.
                self.stop();
                Err(Trouble::Died(why))
            }
            Ok(_) => Err(Trouble::Died("an unexpected answer".to_owned())),
            Err(Silence::Late) => Err(Trouble::Endless),
            Err(Silence::Ended(why)) => Err(Trouble::Died(why)),
        }
    }

    fn load(&mut self, object: &[u8]) -> std::result::Result<(), Trouble> {
        if self.deaths >= MOST_DEATHS {
            return Err(Trouble::Refused(format!(
                "not run: {MOST_DEATHS} kernels before ended the device's process"
            )));
        }
        match self.ask(Request::Load(object.to_vec()), Duration::ZERO) {
            Ok(Answer::Loaded) => Ok(()),
            Ok(Answer::Failed(why)) => Err(Trouble::Refused(why)),
            Ok(_) => Err(Trouble::Died("an unexpected answer".to_owned())),
            Err(Silence::Late) => Err(Trouble::Endless),
            Err(Silence::Ended(why)) => Err(Trouble::Died(why)),
        }
    }
}

impl Machine for Child {
    fn run(&mut self, job: &Job) -> Vec<std::result::Result<Vec<u8>, Trouble>> {
        if let Err(trouble) = self.load(&job.object) {
            return vec![Err(trouble); job.launches.len()];
        }
        let launches = job.launches.iter();
        launches
            .map(|launch| self.launch(&job.object, launch))
            .collect()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if let Some(mut running) = self.running.take() {
            // The end of its input ends it.
            drop(running.requests);
            for _ in 0..40 {
                if let Ok(Some(_)) = running.process.try_wait() {
                    return;
                }
                thread::sleep(Duration::from_millis(50));
            }
            let _ = running.process.kill();
        }
    }
}

fn start(command: &mut Command) -> std::io::Result<Running> {
    let mut process = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let (mut to, from) = match (process.stdin.take(), process.stdout.take()) {
        (Some(to), Some(from)) => (to, BufReader::new(from)),
        _ => return Err(std::io::ErrorKind::BrokenPipe.into()),
    };
    let (requests, queue) = mpsc::channel::<Request>();
    // A process that hangs does not read: only this thread waits for that.
    thread::spawn(move || {
        while let Ok(request) = queue.recv() {
            if request.write(&mut to).is_err() {
                return;
            }
        }
    });
    let (answered, answers) = mpsc::channel();
    thread::spawn(move || {
        let mut from = from;
        while let Ok(answer) = Answer::read(&mut from) {
            if answered.send(answer).is_err() {
                return;
            }
        }
    });
    Ok(Running {
        process,
        requests,
        answers,
    })
}
