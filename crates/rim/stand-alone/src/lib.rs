//! Kernels with tools in them, launched on the emulated device without any ROCm library.
//!
//! Entry type: [`StandAlone`]. It puts a [`session::Session`] over an [`emulate::Device`], as `intercept` puts one over ROCr: what tools
//! count, their records and the summary are the same.
#![forbid(unsafe_code)]

mod device;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use codeobj::CodeObject;
pub use emulate::{Argument, Counts, Prepared, Shape};
use session::{Config, Decision, Dispatch, Enqueued, Instrumenter, LoadedObject, Session, Summary};

use device::{AGENT, Emulated};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Object(#[from] codeobj::Error),
    #[error(transparent)]
    Emulate(#[from] emulate::Error),
}

pub type Result<T> = std::result::Result<T, Error>;

/// The one queue, and the executable that the code object stands for.
const QUEUE: u64 = 1;
const EXECUTABLE: u64 = 1;

/// A code object on a device of its own, with tools.
pub struct StandAlone {
    device: Arc<Emulated>,
    session: Arc<Session>,
    began: Instant,
}

impl StandAlone {
    /// Loads an object for a device that is called `product`. The object stays in memory as long as the process: threads of the session
    /// may look at it until then.
    pub fn new(
        object: Vec<u8>,
        product: &str,
        threads: usize,
        config: Config,
        instrumenter: Arc<dyn Instrumenter>,
    ) -> Result<StandAlone> {
        let bytes: Arc<[u8]> = object.into();
        let kept: &'static [u8] = Box::leak(Box::from(&bytes[..]));
        let code = CodeObject::parse(kept)?;
        let size = code.image().size;
        let target = code.target().target.name.to_owned();
        let device = Arc::new(Emulated::new(
            emulate::Device::new(code, threads)?,
            target,
            product.to_owned(),
        ));
        let base = device.emulated().base();
        let session = Session::new(config, instrumenter, device.clone());
        session.loaded(LoadedObject {
            executable: EXECUTABLE,
            agent: AGENT,
            base,
            size,
            delta: base,
            uri: String::new(),
            bytes,
        });
        Ok(StandAlone {
            device,
            session,
            began: Instant::now(),
        })
    }

    /// For buffers, and for launches to prepare.
    pub fn device(&self) -> &emulate::Device<'static> {
        self.device.emulated()
    }

    /// Runs a launch to its end, with the tools in it if they chose it; the counts have those of the hooks in them. `limit`: as of
    /// [`emulate::Device::run_within`].
    pub fn launch(&self, prepared: &Prepared, limit: Option<Duration>) -> emulate::Result<Counts> {
        let mut packet = prepared.packet();
        let enqueued = self.session.observes_launches().then(|| self.enqueued());
        let decision = self.session.dispatch(&Dispatch {
            agent: AGENT,
            queue: QUEUE,
            kernel_object: packet.kernel_object,
            kernarg: packet.kernarg_address,
            grid: packet.grid_size,
            workgroup: packet.workgroup_size,
            private_segment_size: packet.private_segment_size,
            group_segment_size: packet.group_segment_size,
            cooperative: false,
            enqueued,
        });
        let watched = match decision {
            Decision::Original => None,
            Decision::Watched(launch) => Some(launch),
            Decision::Variant(substitute) => {
                packet.kernel_object = substitute.kernel_object;
                packet.private_segment_size = substitute.private_segment_size;
                packet.group_segment_size = substitute.group_segment_size;
                packet.reserved2 = substitute.launch;
                Some(substitute.launch)
            }
        };
        let start = self.now();
        let done = self
            .device()
            .run_packet(prepared, packet, limit, &mut || true);
        if let Some(launch) = watched {
            self.session.ended(launch, start, self.now());
        }
        done
    }

    /// Ends the session: leaves its files in the directory that the configuration names, and returns the summary, what the tools have to
    /// say, and what could not be written. `None` the second time.
    pub fn finish(&self) -> Option<(Summary, String, Vec<String>)> {
        let (summary, text) = self.session.finish()?;
        let problems = session::output::leave(&self.session, &summary);
        Some((summary, text, problems))
    }

    fn now(&self) -> u64 {
        self.began.elapsed().as_nanos() as u64
    }

    fn enqueued(&self) -> Enqueued {
        let mut name = [0; 16];
        let thread = std::thread::current();
        let said = thread.name().unwrap_or_default().bytes();
        // The last byte ends the name.
        name[..15]
            .iter_mut()
            .zip(said)
            .for_each(|(to, from)| *to = from);
        Enqueued {
            thread: rustix::thread::gettid().as_raw_nonzero().get() as u32,
            name,
            nanoseconds: self.now(),
        }
    }
}
