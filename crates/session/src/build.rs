//! From a kernel to its variant on the device.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, atomic::Ordering},
    time::Instant,
};

use crate::{
    Refusal, Request, Session,
    cache::{Found, Key},
    kernel::{Kernel, Outcome, Ready},
    patch,
};

/// Instrumenting may recurse over control flow; the application's own threads may have small stacks.
const STACK: usize = 64 << 20;

/// The variant of `kernel`, waiting for it as long as the settings allow.
pub(crate) fn outcome<'a>(session: &Arc<Session>, kernel: &'a Arc<Kernel>) -> Option<&'a Outcome> {
    kernel.wait(session.config.build_limit, || {
        let (their_session, their_kernel) = (Arc::clone(session), Arc::clone(kernel));
        let task = Box::new(move || run(&their_session, &their_kernel));
        if !session.device.spawn("luthier-build", STACK, task) {
            run(session, kernel);
        }
    })
}

fn run(session: &Session, kernel: &Kernel) {
    let began = Instant::now();
    let built = catch_unwind(AssertUnwindSafe(|| build(session, kernel)));
    let outcome = match built {
        Ok(Ok(ready)) => Outcome::Ready(ready),
        Ok(Err(refusal)) => Outcome::Refused(refusal.reason),
        Err(panic) => Outcome::Refused(format!("internal error: {}", message(&*panic))),
    };
    let nanoseconds = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
    kernel.build_time.store(nanoseconds, Ordering::Relaxed);
    kernel.finish(outcome);
}

/// What a panic said.
pub(crate) fn message(panic: &(dyn std::any::Any + Send)) -> &str {
    let literal = panic.downcast_ref::<&str>().copied();
    literal
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("unknown panic")
}

fn build(session: &Session, kernel: &Kernel) -> Result<Ready, Refusal> {
    let object = &kernel.object.loaded;
    let request = Request {
        object: &object.bytes,
        object_hash: kernel.object.hash(),
        uri: &object.uri,
        kernel: &kernel.original.name,
        agent: &kernel.agent,
    };
    let key = Key::of(
        request.object_hash,
        request.kernel,
        &kernel.agent.target,
        &[
            session.instrumenter.fingerprint(),
            session.config.build.clone().into_bytes(),
        ]
        .concat(),
    );
    let cached = match session.cache.as_ref().map(|cache| cache.get(&key)) {
        Some(Found::Variant(variant)) => Some(*variant),
        Some(Found::Refused(refusal)) => return Err(refusal),
        Some(Found::Damaged(problem)) => {
            session.note(format!("cache entry ignored: {problem}"));
            None
        }
        Some(Found::Nothing) | None => None,
    };
    let from_cache = cached.is_some();
    let mut variant = match cached {
        Some(variant) => variant,
        None => {
            let result = session.instrumenter.instrument(&request);
            let kept = session
                .cache
                .as_ref()
                .map(|cache| cache.put(&key, result.as_ref()));
            if let Some(Err(error)) = kept {
                session.note(format!("cache not written: {error}"));
            }
            result?
        }
    };
    session.instrumenter.adopt(&request, &variant);
    let agent = kernel.agent.id;
    let device = &*session.device;
    // Somebody must empty the rings before kernels fill them.
    let globals = session
        .globals
        .on(device, &kernel.agent, &variant.globals, &session.streams)
        .map_err(|error| Refusal::new(format!("no memory for the tool's globals: {error}")))?;
    session.consume();
    patch::apply(
        &mut variant.object,
        &variant.patches,
        object.delta,
        |name| globals.get(name).copied(),
    )?;
    let loaded = device
        .load(agent, &variant.object, &variant.kernel_symbol)
        .map_err(|error| Refusal::new(format!("the instrumented object does not load: {error}")))?;
    session.loads.fetch_add(1, Ordering::Relaxed);
    Ok(Ready {
        loaded,
        private_segment_size: variant.private_segment_size,
        group_segment_size: variant.group_segment_size,
        report: variant.report,
        from_cache,
    })
}
