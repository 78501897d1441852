//! From a kernel to its variant on the device.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, atomic::Ordering},
    time::{Duration, Instant},
};

use crate::{
    Loaded, Refusal, Request, Session, Variant, ahead,
    cache::{Found, Key},
    kernel::{Kernel, Outcome, Ready},
    lock,
    objects::Object,
    patch,
};

/// Instrumenting may recurse over control flow; the application's own threads may have small stacks.
const STACK: usize = 64 << 20;

/// Launches wait at least this long, if the settings do not say less.
const SHORTEST: Duration = Duration::from_millis(20);

/// The variant of `kernel`, waiting for it as long as the settings allow. Every launch that waits in vain halves the time for
/// other kernels: all together then wait no more than twice what one may, also for a tool that never comes back.
pub(crate) fn outcome<'a>(session: &Arc<Session>, kernel: &'a Arc<Kernel>) -> Option<&'a Outcome> {
    if kernel.outcome().is_none() {
        wait(session, kernel);
    }
    let outcome = kernel.outcome();
    if let Some(Outcome::Ready(ready)) = outcome {
        adopt(session, kernel, ready);
    }
    outcome
}

fn wait(session: &Arc<Session>, kernel: &Arc<Kernel>) {
    let most = session.config.build_limit;
    let in_vain = session.in_vain.load(Ordering::Relaxed);
    let limit = (most / 2u32.saturating_pow(in_vain)).max(SHORTEST.min(most));
    let was_late = kernel.was_late();
    let outcome = kernel.wait(limit, || {
        let (their_session, their_kernel) = (Arc::clone(session), Arc::clone(kernel));
        let task = Box::new(move || run(&their_session, &their_kernel));
        if !session.device.spawn("luthier-build", STACK, task) {
            run(session, kernel);
        }
    });
    if outcome.is_none() && !was_late {
        session.in_vain.fetch_add(1, Ordering::Relaxed);
    }
}

fn run(session: &Session, kernel: &Arc<Kernel>) {
    let began = Instant::now();
    let built = catch_unwind(AssertUnwindSafe(|| build(session, kernel)));
    let outcome = match built {
        Ok(Ok(ready)) => Outcome::Ready(Box::new(ready)),
        Ok(Err(refusal)) => Outcome::Refused(refusal),
        Err(panic) => Outcome::Refused(Refusal::Internal(message(&*panic).to_owned())),
    };
    let nanoseconds = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
    kernel.build_time.store(nanoseconds, Ordering::Relaxed);
    kernel.finish(outcome);
}

/// The message of a panic.
pub(crate) fn message(panic: &(dyn std::any::Any + Send)) -> &str {
    let literal = panic.downcast_ref::<&str>().copied();
    literal
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("unknown panic")
}

/// The facts about a kernel that the instrumenter and the cache need.
pub(crate) fn request(kernel: &Kernel) -> Request<'_> {
    let object = &kernel.object.loaded;
    Request {
        object: &object.bytes,
        object_hash: kernel.object.hash(),
        uri: &object.uri,
        kernel: &kernel.original.name,
        agent: &kernel.agent,
        choice: kernel.choice,
        stack_size: kernel.stack_size,
    }
}

/// The key of a kernel's variant in the cache; `None` if it must not be kept.
pub(crate) fn key(
    session: &Session,
    (object, kernel): (&Object, &str),
    target: &str,
    (choice, stack_size): (u64, Option<u32>),
) -> Option<Key> {
    let fingerprint = [
        session.instrumenter.key(kernel, object.hash(), choice)?,
        session.config.build.clone().into_bytes(),
        stack_size.map_or(Vec::new(), |size| size.to_le_bytes().to_vec()),
    ];
    Some(Key::new(
        object.hash(),
        kernel,
        target,
        &fingerprint.concat(),
    ))
}

fn build(session: &Session, kernel: &Arc<Kernel>) -> Result<Ready, Refusal> {
    let key = key(
        session,
        (&kernel.object, &kernel.original.name),
        &kernel.agent.target,
        (kernel.choice, kernel.stack_size),
    );
    let cache = session.cache.as_ref().zip(key.as_ref());
    let cached = match cache.map(|(cache, key)| cache.get(key)) {
        Some(Found::Variant(variant)) => Some(*variant),
        Some(Found::Refused(refusal)) => return Err(refusal),
        Some(Found::Damaged(problem)) => {
            session.note(format!("cache entry ignored: {problem}"));
            None
        }
        Some(Found::Nothing) | None => None,
    };
    let from_cache = cached.is_some();
    let variant = match cached {
        Some(variant) => variant,
        None => {
            let result = session.instrumenter.instrument(&request(kernel));
            let lasting = !matches!(&result, Err(refusal) if !refusal.is_lasting());
            let cache = cache.filter(|_| lasting);
            let kept = cache.map(|(cache, key)| cache.put(key, result.as_ref()));
            if let Some(Err(error)) = kept {
                session.note(format!("cache not written: {error}"));
            }
            result?
        }
    };
    session.instrumenter.adopt(&request(kernel), &variant);
    let variant = filled(session, kernel, variant)?;
    if from_cache {
        let ahead = ahead::find(session, kernel);
        if !ahead.is_empty() {
            return ahead::load(session, kernel, variant, ahead);
        }
    }
    alone(session, kernel, variant, from_cache)
}

/// The variant with the addresses that it refers to.
pub(crate) fn filled(
    session: &Session,
    kernel: &Kernel,
    mut variant: Variant,
) -> Result<Variant, Refusal> {
    // A thread must empty the rings before kernels fill them.
    let globals = session
        .globals
        .on(
            &*session.device,
            &kernel.agent,
            &variant.globals,
            &session.streams,
        )
        .map_err(|error| Refusal::Device(format!("no memory for the tool's globals: {error}")))?;
    session.consume();
    patch::apply(
        &mut variant.object,
        &variant.patches,
        kernel.object.loaded.delta,
        |name| globals.get(name).copied(),
    )?;
    Ok(variant)
}

/// Loads a variant by itself.
pub(crate) fn alone(
    session: &Session,
    kernel: &Kernel,
    variant: Variant,
    from_cache: bool,
) -> Result<Ready, Refusal> {
    let symbols = [&*variant.kernel_symbol];
    let loaded = session
        .device
        .load(kernel.agent.id, &variant.object, &symbols);
    let loaded = loaded.map_err(|error| {
        Refusal::Device(format!("the instrumented object does not load: {error}"))
    })?;
    let loaded = loaded
        .first()
        .copied()
        .ok_or_else(|| Refusal::Internal("the instrumented object has no kernel".to_owned()))?;
    session.loads.fetch_add(1, Ordering::Relaxed);
    Ok(ready(loaded, &variant, from_cache))
}

pub(crate) fn ready(loaded: Loaded, variant: &Variant, from_cache: bool) -> Ready {
    Ready {
        loaded,
        private_segment_size: variant.private_segment_size,
        group_segment_size: variant.group_segment_size,
        fit: variant.fit,
        report: variant.report.clone(),
        from_cache,
        ahead: Mutex::default(),
    }
}

/// Tells the tool of a variant that was loaded ahead, when its first launch has come.
fn adopt(session: &Session, kernel: &Kernel, ready: &Ready) {
    if ready.from_cache {
        let waiting = lock(&ready.ahead).take();
        if let Some(variant) = waiting {
            session.instrumenter.adopt(&request(kernel), &variant);
        }
    }
}
