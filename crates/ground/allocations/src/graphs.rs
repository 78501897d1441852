//! Memory that graphs write when they are launched.
//!
//! HIP does not say which nodes a launched graph has. A launch therefore counts as writing what any node that was made so far writes.

use std::{
    collections::BTreeSet,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use guest::lock;

use crate::facts;

/// Places that are kept; with more, a launch writes anywhere.
const MOST: usize = 1 << 12;

/// Streams that record a graph.
static RECORDING: AtomicUsize = AtomicUsize::new(0);
static NODES: Mutex<Nodes> = Mutex::new(Nodes {
    places: BTreeSet::new(),
    anywhere: false,
});

struct Nodes {
    /// First bytes and sizes.
    places: BTreeSet<(u64, u64)>,
    anywhere: bool,
}

pub(crate) fn recording_begins() {
    RECORDING.fetch_add(1, Ordering::Relaxed);
}

pub(crate) fn recording_ends() {
    let _ = RECORDING.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |streams| {
        streams.checked_sub(1)
    });
}

/// Returns `true` if the program's calls may become nodes.
pub(crate) fn are_recorded() -> bool {
    RECORDING.load(Ordering::Relaxed) != 0
}

/// A node writes these bytes, and need not ask the device for it.
pub(crate) fn writes(base: u64, size: u64) {
    let mut nodes = lock(&NODES);
    nodes.places.insert((base, size));
    if nodes.places.len() > MOST {
        nodes.places.clear();
        nodes.anywhere = true;
    }
}

/// A node writes memory that it does not name by address and size.
pub(crate) fn writes_anywhere() {
    lock(&NODES).anywhere = true;
}

/// The program has launched a graph.
pub(crate) fn launched() {
    let (places, anywhere) = {
        let nodes = lock(&NODES);
        (nodes.places.clone(), nodes.anywhere)
    };
    if anywhere {
        facts::written_anywhere();
    }
    for (base, size) in places {
        facts::written(base, size);
    }
}
