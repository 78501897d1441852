//! Copies of code objects that a program has loaded from its own memory. The program's image may be gone once it is loaded: programs that
//! compile at run time, or read a module from a file, free it then.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use guest::lock;

use crate::source::Loaded;

/// Bytes of one copy, and of all. A library's images stay where they are, and would take too much memory.
const LIMITS: [usize; 2] = [64 << 20, 512 << 20];

type Copies = Vec<(Loaded, Arc<[u8]>)>;

static KEPT: Mutex<Copies> = Mutex::new(Vec::new());

/// Keeps what was read of an object, unless that is in a file.
pub fn keep(loaded: &Loaded, bytes: &[u8]) {
    if loaded.is_in_memory() {
        add(&mut lock(&KEPT), loaded, bytes, LIMITS);
    }
}

fn add(kept: &mut Copies, loaded: &Loaded, bytes: &[u8], [largest, most]: [usize; 2]) {
    if kept.iter().any(|(one, _)| one == loaded) {
        return;
    }
    let so_far: usize = kept.iter().map(|(_, copy)| copy.len()).sum();
    if bytes.len() <= largest && so_far + bytes.len() <= most {
        kept.push((loaded.clone(), bytes.into()));
    }
}

/// The copy of an object.
pub fn of(loaded: &Loaded) -> Option<Arc<[u8]>> {
    let kept = lock(&KEPT);
    let (_, copy) = kept.iter().find(|(one, _)| one == loaded)?;
    Some(copy.clone())
}

/// Forgets all copies but those of these objects.
pub fn retain(objects: &BTreeSet<Loaded>) {
    lock(&KEPT).retain(|(one, _)| objects.contains(one));
}

/// Reads the objects anew that have the place and the name of an earlier one: `is_loaded` denies that the copy was loaded, and accepts the source.
/// Returns them.
pub fn renew(is_loaded: impl Fn(&Loaded, &[u8]) -> bool) -> Vec<Loaded> {
    replace(&mut lock(&KEPT), is_loaded, Loaded::source)
}

fn replace(
    kept: &mut Copies,
    is_loaded: impl Fn(&Loaded, &[u8]) -> bool,
    source: impl Fn(&Loaded) -> Option<Vec<u8>>,
) -> Vec<Loaded> {
    let mut renewed = Vec::new();
    for (loaded, copy) in kept.iter_mut() {
        if is_loaded(loaded, copy) {
            continue;
        }
        // A source that is gone, or has something else now, leaves the copy.
        if let Some(bytes) = source(loaded).filter(|bytes| is_loaded(loaded, bytes)) {
            *copy = bytes.into();
            renewed.push(loaded.clone());
        }
    }
    renewed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_take_a_bounded_amount_of_memory() {
        let mut kept = Copies::new();
        for (number, size) in [(0, 10), (1, 11), (2, 10), (3, 9), (4, 2), (5, 1)] {
            let loaded = Loaded::at(number, "memory://1#offset=0&size=1");
            add(&mut kept, &loaded, &vec![0; size], [10, 30]);
        }
        let sizes: Vec<_> = kept.iter().map(|(_, copy)| copy.len()).collect();
        assert_eq!(sizes, [10, 10, 9, 1]);
    }

    #[test]
    fn a_copy_is_replaced_by_what_was_loaded_in_its_place() {
        let mut kept = Copies::new();
        for base in 0..4 {
            let loaded = Loaded::at(base, "memory://1#offset=0&size=1");
            add(&mut kept, &loaded, b"a", LIMITS);
            add(&mut kept, &loaded, b"x", LIMITS);
        }
        // Each place has a loaded image and a source. The second and the fourth source have another image now.
        let (there, sources) = (*b"aabb", [Some(b'a'), Some(b'b'), Some(b'b'), Some(b'c')]);
        let is_loaded = |one: &Loaded, bytes: &[u8]| bytes == [there[one.base as usize]];
        let source = |one: &Loaded| Some(vec![sources[one.base as usize]?]);
        let renewed = replace(&mut kept, is_loaded, source);
        assert_eq!(renewed.iter().map(|one| one.base).collect::<Vec<_>>(), [2]);
        let copies: Vec<_> = kept.iter().map(|(_, copy)| copy[0]).collect();
        assert_eq!(copies, *b"aaba");
    }
}
