//! Cached variants of one code object, loaded as one.
//!
//! Loading costs a launch several copies to the device, whose latency does not depend on their size; reading the cache costs little. When
//! the first kernel of an object comes from the cache, all other cached kernels of that object are therefore loaded with it: a program that
//! runs again launches the same kernels again. They count as instrumented when they are first launched.

use std::{
    ops::Deref,
    sync::{Arc, atomic::Ordering},
};

use codeobj::{CodeObject, edit};

use crate::{
    Refusal, Session, Variant,
    build::{alone, filled, key, ready},
    cache::Found,
    kernel::{Kernel, Outcome, Ready},
    lock,
};

/// Kernels of an object that are looked for, and bytes that are loaded ahead at most.
const KERNELS: usize = 1024;
const BYTES: usize = 32 << 20;

/// A kernel that others wait for us to finish. Where we do not get that far, as in a panic, it stays as it is.
pub(crate) struct Claimed(Arc<Kernel>);

impl Deref for Claimed {
    type Target = Kernel;

    fn deref(&self) -> &Kernel {
        &self.0
    }
}

impl Drop for Claimed {
    fn drop(&mut self) {
        // (Only the first outcome counts.)
        let reason = "its cached variant was being loaded with others when that failed";
        self.0
            .finish(Outcome::Refused(Refusal::Device(reason.to_owned())));
    }
}

/// Other kernels of the object with what the cache has for them.
pub fn find(session: &Session, first: &Kernel) -> Vec<(Claimed, Variant)> {
    let Some(cache) = &session.cache else {
        return Vec::new();
    };
    let (mut found, mut bytes) = (Vec::new(), 0);
    for (address, original) in first.object.look_ahead().into_iter().take(KERNELS) {
        if original.name == first.original.name || !session.selects(&original) {
            continue;
        }
        let target = &first.agent.target;
        let key = key(session, (&first.object, &original.name), target, (0, None));
        let Some(Found::Variant(variant)) = key.map(|key| cache.get(&key)) else {
            continue;
        };
        bytes += variant.object.len();
        if bytes > BYTES {
            break;
        }
        let kernel = session.expect(address, &first.object, &first.agent, original);
        if let Some(kernel) = kernel.filter(|kernel| kernel.claim()) {
            found.push((Claimed(kernel), *variant));
        }
    }
    found
}

/// Loads the variant of a kernel together with others, which are finished.
pub fn load(
    session: &Session,
    kernel: &Kernel,
    variant: Variant,
    others: Vec<(Claimed, Variant)>,
) -> Result<Ready, Refusal> {
    let (mut together, mut variants) = (Vec::new(), vec![variant]);
    for (other, variant) in others {
        match filled(session, &other, variant) {
            Ok(variant) => {
                together.push(other);
                variants.push(variant);
            }
            Err(refusal) => other.finish(Outcome::Refused(refusal)),
        }
    }
    let symbols: Vec<&str> = variants
        .iter()
        .map(|variant| &*variant.kernel_symbol)
        .collect();
    let packed = pack(&variants);
    let loaded = packed.and_then(|object| {
        let loaded = session
            .device
            .load(kernel.agent.id, &object, &symbols)
            .ok()?;
        (loaded.len() == variants.len()).then_some(loaded)
    });
    let mut variants = variants.into_iter();
    let own = variants
        .next()
        .ok_or_else(|| Refusal::Internal("nothing to load".to_owned()))?;
    let Some(loaded) = loaded else {
        // Each by itself, as if nothing had been tried.
        for (other, variant) in together.iter().zip(variants) {
            let told = without_object(&variant);
            other.finish(match alone(session, other, variant, true) {
                Ok(ready) => {
                    *lock(&ready.ahead) = Some(told);
                    Outcome::Ready(Box::new(ready))
                }
                Err(refusal) => Outcome::Refused(refusal),
            });
        }
        return alone(session, kernel, own, true);
    };
    session
        .loads
        .fetch_add(loaded.len() as u64, Ordering::Relaxed);
    for ((other, variant), &loaded) in together.iter().zip(variants).zip(&loaded[1..]) {
        let ready = ready(loaded, &variant, true);
        *lock(&ready.ahead) = Some(without_object(&variant));
        other.finish(Outcome::Ready(Box::new(ready)));
    }
    Ok(ready(loaded[0], &own, true))
}

fn pack(variants: &[Variant]) -> Option<Vec<u8>> {
    let objects: Result<Vec<_>, _> = variants
        .iter()
        .map(|variant| CodeObject::parse(&variant.object))
        .collect();
    edit::pack(&objects.ok()?).ok()
}

/// The variant without its object, as the tool is told of it.
fn without_object(variant: &Variant) -> Box<Variant> {
    Box::new(Variant {
        object: Vec::new(),
        ..variant.clone()
    })
}
