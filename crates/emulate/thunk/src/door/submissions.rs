//! Commands that a program submits through a render node (libdrm's `amdgpu_cs_*`): contexts, lists of buffer objects, submissions, and
//! waiting for them.
//!
//! A context's ring is a queue of the device: of copies, or of PM4 commands. A submission puts packets into it that lead to the program's
//! buffers of commands, and one that writes the submission's number behind them. Addresses alone decide what the device reaches, so lists of
//! buffer objects are only checked.

mod rings;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard},
    time::{Duration, Instant},
};

use kmt_sys::drm::{self, chunk, command, context, list};

use super::{Errno, Result, arguments::List, commands::once, refuse};
use crate::instance::Instance;
use rings::{Place, Ring};

/// A time that never comes.
const NEVER: u64 = u64::MAX;

#[derive(Default)]
struct Context {
    node: u32,
    rings: BTreeMap<Place, Arc<Ring>>,
}

#[derive(Default)]
struct Inner {
    contexts: BTreeMap<u32, Context>,
    lists: BTreeSet<u32>,
}

/// The contexts and lists of a process.
#[derive(Default)]
pub struct State(Mutex<Inner>);

impl State {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        guest::lock(&self.0)
    }
}

/// The next number of a table.
fn unused(last: Option<u32>) -> u32 {
    last.unwrap_or(0) + 1
}

/// Runs a command; None if it is none of these.
pub fn run(instance: &Instance, node: u32, number: u32, data: &mut [u8]) -> Option<Result> {
    let body = match number {
        command::CTX => manage_context,
        command::BO_LIST => manage_list,
        command::CS => submit,
        command::WAIT_CS => wait,
        command::WAIT_FENCES => wait_for_several,
        _ => return None,
    };
    Some(body(instance, node, data))
}

/// The arguments that `data` begins with.
fn arguments<T: Copy>(data: &[u8]) -> Result<T> {
    if data.len() < size_of::<T>() {
        return refuse(libc::EINVAL);
    }
    // SAFETY: there are as many bytes, and all arguments are integers, for which any bytes are valid; misalignment is allowed for.
    Ok(unsafe { data.as_ptr().cast::<T>().read_unaligned() })
}

fn answer(data: &mut [u8], bytes: &[u8]) -> Result {
    let room = data.get_mut(..bytes.len()).ok_or(Errno(libc::EINVAL))?;
    room.copy_from_slice(bytes);
    Ok(())
}

fn manage_context(instance: &Instance, node: u32, data: &mut [u8]) -> Result {
    let wanted: drm::Context = arguments(data)?;
    let mut state = instance.submissions.lock();
    match wanted.operation {
        context::ALLOCATE => {
            let number = unused(state.contexts.keys().next_back().copied());
            let rings = BTreeMap::new();
            state.contexts.insert(number, Context { node, rings });
            answer(data, &u64::from(number).to_le_bytes())
        }
        context::FREE => {
            let removed = state.contexts.remove(&wanted.context);
            drop(state);
            let removed = removed.ok_or(Errno(libc::EINVAL))?;
            for ring in removed.rings.into_values() {
                // Another ring may still wait for it.
                if let Some(ring) = Arc::into_inner(ring) {
                    ring.end(&instance.machine);
                }
            }
            Ok(())
        }
        // Nothing is ever reset.
        context::STATE | context::STATE2 if state.contexts.contains_key(&wanted.context) => {
            answer(data, &[0; 16])
        }
        context::STATE | context::STATE2 => refuse(libc::EINVAL),
        other => {
            once(
                u64::from(other) << 8 | 3,
                &format!("operation {other} on contexts of amdgpu's is not emulated"),
            );
            refuse(libc::EINVAL)
        }
    }
}

/// The buffer objects that a list names.
fn check_list(instance: &Instance, count: u32, entry_size: u32, address: u64) -> Result {
    if entry_size as usize != size_of::<drm::ListEntry>() {
        return refuse(libc::EINVAL);
    }
    let handles = instance.door.lock();
    for entry in List::<drm::ListEntry>::new(address, count as usize)?.get() {
        handles.buffer(entry.buffer)?;
    }
    Ok(())
}

fn manage_list(instance: &Instance, _: u32, data: &mut [u8]) -> Result {
    let wanted: drm::BufferList = arguments(data)?;
    if wanted.operation != list::DESTROY {
        check_list(instance, wanted.count, wanted.entry_size, wanted.entries)?;
    }
    let mut state = instance.submissions.lock();
    match wanted.operation {
        list::CREATE => {
            let number = unused(state.lists.last().copied());
            state.lists.insert(number);
            answer(data, &u64::from(number).to_le_bytes())
        }
        list::DESTROY => {
            state.lists.remove(&wanted.list);
            Ok(())
        }
        list::UPDATE if state.lists.contains(&wanted.list) => Ok(()),
        list::UPDATE => refuse(libc::ENOENT),
        _ => refuse(libc::EINVAL),
    }
}

/// The ring of a context; it is made when something is first submitted to it.
fn ring(instance: &Instance, number: u32, place: Place) -> Result<Arc<Ring>> {
    place.check()?;
    let mut state = instance.submissions.lock();
    let context = state.contexts.get_mut(&number);
    let context = context.ok_or(Errno(libc::EINVAL))?;
    if let Some(ring) = context.rings.get(&place) {
        return Ok(ring.clone());
    }
    let ring = Arc::new(Ring::new(&instance.machine, context.node, place)?);
    context.rings.insert(place, ring.clone());
    Ok(ring)
}

/// The chunks of a submission, and the data of each.
fn chunks(wanted: &drm::Submit) -> Result<Vec<drm::Chunk>> {
    let addresses = List::<u64>::new(wanted.chunks, wanted.chunk_count as usize)?.get();
    let chunk = |address| {
        let found = List::<drm::Chunk>::new(address, 1)?.get();
        found.first().copied().ok_or(Errno(libc::EFAULT))
    };
    addresses.into_iter().map(chunk).collect()
}

fn records<T: Copy>(chunk: &drm::Chunk) -> Result<Vec<T>> {
    let count = chunk.dwords as usize * 4 / size_of::<T>();
    if count == 0 {
        return refuse(libc::EINVAL);
    }
    Ok(List::<T>::new(chunk.data, count)?.get())
}

fn submit(instance: &Instance, _: u32, data: &mut [u8]) -> Result {
    let wanted: drm::Submit = arguments(data)?;
    {
        let state = instance.submissions.lock();
        if wanted.chunk_count == 0 || !state.contexts.contains_key(&wanted.context) {
            return refuse(libc::EINVAL);
        }
        if wanted.list != 0 && !state.lists.contains(&wanted.list) {
            return refuse(libc::ENOENT);
        }
    }
    let mut buffers: Vec<drm::Commands> = Vec::new();
    let mut first = Vec::new();
    for chunk in chunks(&wanted)? {
        match chunk.kind {
            chunk::IB => buffers.extend(records::<drm::Commands>(&chunk)?.first()),
            chunk::DEPENDENCIES | chunk::SCHEDULED => {
                for it in records::<drm::Dependency>(&chunk)? {
                    let place = Place::new(it.kind, it.instance, it.ring);
                    first.push((ring(instance, it.context, place)?, it.number));
                }
            }
            // The program's list of buffer objects, which comes with the submission.
            chunk::BUFFERS => {
                let list = records::<drm::BufferList>(&chunk)?;
                for list in list {
                    check_list(instance, list.count, list.entry_size, list.entries)?;
                }
            }
            other => {
                let what = match other {
                    chunk::FENCE => "a fence in the program's memory".to_owned(),
                    other => format!("a chunk of kind {other}"),
                };
                once(
                    u64::from(other) << 8 | 4,
                    &format!(
                        "{what} in a submission of commands (amdgpu_cs_submit) is not emulated"
                    ),
                );
                return refuse(libc::EINVAL);
            }
        }
    }
    let Some(last) = buffers.last() else {
        return refuse(libc::EINVAL);
    };
    let place = Place::new(last.kind, last.instance, last.ring);
    let is_elsewhere = |it: &drm::Commands| Place::new(it.kind, it.instance, it.ring) != place;
    if buffers.iter().any(is_elsewhere) {
        once(
            5,
            "a submission of commands to several rings is not emulated",
        );
        return refuse(libc::EINVAL);
    }
    let number = ring(instance, wanted.context, place)?.submit(instance, &first, &buffers)?;
    answer(data, &number.to_le_bytes())
}

/// When a time of the monotonic clock, in nanoseconds, comes; None: never.
fn until(deadline: u64) -> Option<Instant> {
    if deadline == NEVER {
        return None;
    }
    let left = Duration::from_nanos(deadline.saturating_sub(guest::clock::monotonic()));
    Instant::now().checked_add(left)
}

fn wait(instance: &Instance, _: u32, data: &mut [u8]) -> Result {
    let wanted: drm::Wait = arguments(data)?;
    let place = Place::new(wanted.kind, wanted.instance, wanted.ring);
    let ring = ring(instance, wanted.context, place)?;
    let done = ring.finish(instance, wanted.number, until(wanted.deadline))?;
    answer(data, &u64::from(!done).to_le_bytes())
}

fn wait_for_several(instance: &Instance, _: u32, data: &mut [u8]) -> Result {
    let wanted: drm::WaitFences = arguments(data)?;
    let deadline = until(wanted.deadline);
    let fences = List::<drm::Fence>::new(wanted.fences, wanted.count as usize)?.get();
    let mut rings = Vec::new();
    for fence in &fences {
        let place = Place::new(fence.kind, fence.instance, fence.ring);
        rings.push((ring(instance, fence.context, place)?, fence.number));
    }
    loop {
        let mut first = None;
        let mut left = 0;
        for (index, (ring, number)) in rings.iter().enumerate() {
            match ring.finish(instance, *number, Some(Instant::now()))? {
                true => first = first.or(Some(index as u32)),
                false => left += 1,
            }
        }
        let done = left == 0 || wanted.all == 0 && first.is_some();
        if done || deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            let [first, done] = [first.unwrap_or(0), u32::from(done)];
            return answer(
                data,
                &(u64::from(first) << 32 | u64::from(done)).to_le_bytes(),
            );
        }
        std::thread::sleep(rings::PAUSE);
    }
}
