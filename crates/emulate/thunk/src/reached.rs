//! `LUTHIER_EXACTNESS`: follows results that a GPU may compute otherwise, and puts their uses into the statistics.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, OnceLock, PoisonError, Weak},
};

use allocations::{Event, facts};
use compute::Pool;
use counts::{Name, Reached};
use definedness::{Definedness, Found, Origin, Sink, Use};
use gpu::{Dispatch, Memory, memory::Copies};

use crate::{report::report, source, statistics::Statistics};

/// Follows from the next kernel on.
pub fn follow(pool: &Pool, memory: &Arc<Memory>, statistics: Arc<Statistics>) {
    let uses = Uses {
        statistics,
        places: Mutex::default(),
    };
    let followed = FOLLOWED.get_or_init(|| Arc::new(Definedness::of_inexact(Arc::new(uses))));
    memory.tell_copies(Arc::new(Engines {
        followed: followed.clone(),
        memory: Arc::downgrade(memory),
    }));
    facts::keep(Some(listen));
    pool.follow(followed.clone());
}

/// For who is told of what the program does with memory.
static FOLLOWED: OnceLock<Arc<Definedness>> = OnceLock::new();

/// Memory that the host allocates, frees or writes depends on no result.
fn listen(event: &Event<'_>) {
    let Some(followed) = FOLLOWED.get() else {
        return;
    };
    match event {
        Event::Allocated(one) | Event::Freed(one) => followed.define(one.base, one.size),
        Event::Written { base, size } => followed.define(*base, *size),
        Event::WrittenAnywhere => followed.give_up(),
        Event::Read { .. } | Event::WrongFree { .. } | Event::Reset => {}
    }
}

struct Uses {
    statistics: Arc<Statistics>,
    /// The places of instructions in the source, as far as they were looked up.
    places: Mutex<HashMap<u64, String>>,
}

impl Uses {
    /// The innermost line, or the address in the code object.
    fn place(&self, pc: u64) -> String {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let made = || match source::line(pc) {
            Some((file, line)) => format!("{file}:{line}"),
            None => match source::object(pc) {
                Some((base, _)) => format!("+{:#x}", pc.wrapping_sub(base)),
                None => format!("{pc:#x}"),
            },
        };
        places.entry(pc).or_insert_with(made).clone()
    }
}

impl Sink for Uses {
    fn used(&self, dispatch: &Arc<Dispatch>, found: &Found, _: u64) {
        let what = match found.used {
            Use::Address => "address",
            Use::Condition => "branch",
            Use::Output => "output",
        };
        let from = match found.origin {
            Origin::Instruction { pc, op } => format!("{} {}", op.name(), self.place(pc)),
            Origin::Memory { pc, .. } => format!("memory, loaded {}", self.place(pc)),
            Origin::Lds { pc, .. } => format!("LDS, loaded {}", self.place(pc)),
            Origin::Private { pc, .. } => format!("private memory, loaded {}", self.place(pc)),
            // All registers are set when a wave begins.
            Origin::Vector(_) | Origin::Scalar(_) => "unknown".to_owned(),
        };
        let by = format!("{} {}", found.op.name(), self.place(found.pc));
        let reached = Reached {
            what: what.into(),
            by: Name::Owned(by),
            from: Name::Owned(from),
            times: 1,
        };
        self.statistics.reached(dispatch, reached);
    }

    fn not_followed(&self, name: &'static str) {
        report(&format!(
            "luthier: --exactness: results are not followed through {name}"
        ));
    }
}

struct Engines {
    followed: Arc<Definedness>,
    memory: Weak<Memory>,
}

impl Copies for Engines {
    /// The host may have written its own memory since a kernel or a copy did.
    fn copied(&self, to: u64, from: u64, bytes: u64) {
        let memory = self.memory.upgrade();
        match memory.is_some_and(|memory| memory.is_device_local(from)) {
            true => self.followed.copy(to, from, bytes),
            false => self.followed.define(to, bytes),
        }
    }

    fn written(&self, address: u64, bytes: u64) {
        self.followed.define(address, bytes);
    }
}
