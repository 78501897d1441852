//! Device memory: a bit beside each bit, in pages that exist only where something is or was undefined.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicU32, AtomicU64, Ordering::Relaxed},
    },
};

pub(crate) const PAGE: u64 = 4096;

/// The words of a page; a set bit is undefined.
pub(crate) struct Page(Box<[AtomicU32]>);

impl Page {
    fn new(word: u32) -> Page {
        Page((0..PAGE / 4).map(|_| AtomicU32::new(word)).collect())
    }

    fn undefine(&self) {
        self.0.iter().for_each(|word| word.store(!0, Relaxed));
    }

    /// The bits of the dword around `address`.
    pub fn word(&self, address: u64) -> &AtomicU32 {
        &self.0[(address % PAGE / 4) as usize]
    }
}

#[derive(Default)]
struct Pages {
    known: HashMap<u64, Arc<Page>>,
    /// Page numbers from and to which all is undefined, unless the page is known.
    untouched: BTreeMap<u64, u64>,
}

#[derive(Default)]
pub(crate) struct Memory {
    pages: RwLock<Pages>,
    /// Changes with the pages.
    generation: AtomicU64,
}

impl Memory {
    pub fn generation(&self) -> u64 {
        self.generation.load(Relaxed)
    }

    fn is_all_defined(&self) -> bool {
        let pages = self.pages.read().unwrap_or_else(PoisonError::into_inner);
        pages.known.is_empty() && pages.untouched.is_empty()
    }

    fn change<T>(&self, change: impl FnOnce(&mut Pages) -> T) -> T {
        let mut pages = self.pages.write().unwrap_or_else(PoisonError::into_inner);
        let result = change(&mut pages);
        self.generation.fetch_add(1, Relaxed);
        result
    }

    /// The page of a number, if something in it is or was undefined.
    pub fn page(&self, number: u64) -> Option<Arc<Page>> {
        {
            let pages = self.pages.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(page) = pages.known.get(&number) {
                return Some(page.clone());
            }
            let before = pages.untouched.range(..=number).next_back();
            before.filter(|(_, end)| number < **end)?;
        }
        let mut pages = self.pages.write().unwrap_or_else(PoisonError::into_inner);
        let page = pages.known.entry(number);
        Some(page.or_insert_with(|| Arc::new(Page::new(!0))).clone())
    }

    /// The page of a number, which is made if it does not exist.
    pub fn page_to_undefine(&self, number: u64) -> Arc<Page> {
        if let Some(page) = self.page(number) {
            return page;
        }
        self.change(|pages| {
            let page = pages.known.entry(number);
            page.or_insert_with(|| Arc::new(Page::new(0))).clone()
        })
    }

    /// Whole pages from `first` to before `end` become all defined, or all undefined.
    fn set_pages(&self, first: u64, end: u64, undefined: bool) {
        if first >= end || undefined && self.renew(first, end) {
            return;
        }
        self.change(|pages| {
            match end - first > 1 << 12 {
                true => pages.known.retain(|page, _| !(first..end).contains(page)),
                false => (first..end).for_each(|page| {
                    pages.known.remove(&page);
                }),
            }
            let before: Vec<(u64, u64)> = pages
                .untouched
                .range(..end)
                .map(|(start, stop)| (*start, *stop))
                .filter(|(_, stop)| *stop > first)
                .collect();
            for (start, stop) in before {
                pages.untouched.remove(&start);
                if start < first {
                    pages.untouched.insert(start, first);
                }
                if stop > end {
                    pages.untouched.insert(end, stop);
                }
            }
            if undefined {
                pages.untouched.insert(first, end);
            }
        });
    }

    /// Pages that were all undefined once become so again; false if some were not. Private memory is used again by each workgroup.
    fn renew(&self, first: u64, end: u64) -> bool {
        if end - first > 1 << 12 {
            return false;
        }
        let pages = self.pages.read().unwrap_or_else(PoisonError::into_inner);
        let before = pages.untouched.range(..=first).next_back();
        if before.is_none_or(|(_, stop)| *stop < end) {
            return false;
        }
        let known = (first..end).filter_map(|page| pages.known.get(&page));
        known.for_each(|page| page.undefine());
        true
    }

    fn set(&self, start: u64, bytes: u64, undefined: bool) {
        let end = start + bytes;
        let (first, last) = (start.div_ceil(PAGE), end / PAGE);
        if first >= last {
            self.set_bytes(start, end, undefined);
            return;
        }
        self.set_bytes(start, first * PAGE, undefined);
        self.set_pages(first, last, undefined);
        self.set_bytes(last * PAGE, end, undefined);
    }

    fn set_bytes(&self, start: u64, end: u64, undefined: bool) {
        for address in start..end {
            let number = address / PAGE;
            let page = match undefined {
                true => Some(self.page_to_undefine(number)),
                false => self.page(number),
            };
            let bits = 0xff << (8 * (address % 4));
            if let Some(page) = page {
                match undefined {
                    true => page.word(address).fetch_or(bits, Relaxed),
                    false => page.word(address).fetch_and(!bits, Relaxed),
                };
            }
        }
    }

    pub fn undefine(&self, start: u64, bytes: u64) {
        self.set(start, bytes, true);
    }

    /// An instruction wrote somewhere: all that was allocated until now counts as defined.
    pub fn give_up(&self) {
        self.change(|pages| *pages = Pages::default());
    }

    pub fn define(&self, start: u64, bytes: u64) {
        self.set(start, bytes, false);
    }

    /// The first byte with an undefined bit, and how many there are.
    pub fn undefined_in(&self, start: u64, bytes: u64) -> Option<(u64, u64)> {
        let end = start.saturating_add(bytes);
        let pages = self.pages.read().unwrap_or_else(PoisonError::into_inner);
        let (mut first, mut count, mut at) = (None, 0, start);
        while at < end {
            let number = at / PAGE;
            let stop = end.min((number + 1) * PAGE);
            match pages.known.get(&number) {
                Some(page) => {
                    let bits = |at: u64| page.word(at).load(Relaxed) >> (8 * (at % 4)) & 0xff;
                    let mut undefined = (at..stop).filter(|at| bits(*at) != 0).peekable();
                    first = first.or(undefined.peek().copied());
                    count += undefined.count() as u64;
                }
                None => {
                    let before = pages.untouched.range(..=number).next_back();
                    if before.is_some_and(|(_, end)| number < *end) {
                        first = first.or(Some(at));
                        count += stop - at;
                    }
                }
            }
            at = stop;
        }
        first.map(|first| (first, count))
    }

    fn byte(&self, address: u64) -> u8 {
        let page = self.page(address / PAGE);
        page.map_or(0, |page| {
            (page.word(address).load(Relaxed) >> (8 * (address % 4))) as u8
        })
    }

    /// The bits at `from` become those at `to`.
    pub fn copy(&self, to: u64, from: u64, bytes: u64) {
        // Most of what is copied is defined.
        let pages = from / PAGE..=(from + bytes.max(1) - 1) / PAGE;
        if pages.into_iter().all(|page| self.page(page).is_none()) {
            self.define(to, bytes);
            return;
        }
        let bits: Vec<u8> = (from..from + bytes).map(|at| self.byte(at)).collect();
        self.define(to, bytes);
        for (at, bits) in (to..).zip(bits).filter(|(_, bits)| *bits != 0) {
            let page = self.page_to_undefine(at / PAGE);
            let bits = u32::from(bits) << (8 * (at % 4));
            page.word(at).fetch_or(bits, Relaxed);
        }
    }
}

/// Pages found last, for one thread.
#[derive(Default)]
pub(crate) struct View {
    generation: u64,
    /// Nothing is undefined, and nothing was since pages were last given up.
    is_all_defined: bool,
    found: Vec<Option<(u64, Option<Arc<Page>>)>>,
}

/// A power of two.
const FOUND: usize = 256;

impl View {
    pub fn new() -> View {
        View {
            generation: 0,
            is_all_defined: true,
            found: vec![None; FOUND],
        }
    }

    /// Forgets pages if others are there now.
    pub fn refresh(&mut self, memory: &Memory) {
        let now = memory.generation();
        if self.generation != now {
            self.generation = now;
            self.is_all_defined = memory.is_all_defined();
            self.found.fill(None);
        }
    }

    /// Nothing in all memory is undefined.
    #[inline]
    pub fn is_all_defined(&self) -> bool {
        self.is_all_defined
    }

    #[inline]
    fn page(&mut self, memory: &Memory, number: u64) -> Option<&Arc<Page>> {
        // Arrays often lie at addresses of equal low bits.
        let slot = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - FOUND.ilog2());
        let found = &mut self.found[slot as usize];
        if found.as_ref().is_none_or(|(known, _)| *known != number) {
            *found = Some((number, memory.page(number)));
        }
        found.as_ref().and_then(|(_, page)| page.as_ref())
    }

    /// Returns `true` if all bits from `start` to before `end` are defined.
    pub fn is_defined(&mut self, memory: &Memory, start: u64, end: u64) -> bool {
        let mut at = start & !3;
        while at < end {
            let stop = end.min((at / PAGE + 1) * PAGE);
            if let Some(page) = self.page(memory, at / PAGE) {
                let words =
                    (at % PAGE / 4) as usize..((stop - at / PAGE * PAGE).div_ceil(4)) as usize;
                let mut bits = 0;
                for word in &page.0[words] {
                    bits |= word.load(Relaxed);
                }
                if bits != 0 {
                    return false;
                }
            }
            at = stop;
        }
        true
    }

    /// The bytes from `start` to before `end` become defined.
    pub fn define(&mut self, memory: &Memory, start: u64, end: u64) {
        let mut at = start;
        while at < end {
            let bytes = (4 - at % 4).min(end - at);
            self.store(memory, at, bytes as u32, 0);
            at += bytes;
        }
    }

    /// The undefined bits of `bytes` (at most 4) bytes.
    #[inline]
    pub fn load(&mut self, memory: &Memory, address: u64, bytes: u32) -> u32 {
        let mut bits = 0;
        let mut done = 0;
        while done < bytes {
            let at = address + u64::from(done);
            let within = (at % 4) as u32;
            let count = (4 - within).min(bytes - done);
            if let Some(page) = self.page(memory, at / PAGE) {
                let word = page.word(at).load(Relaxed) >> (8 * within);
                bits |= (word & ones(count)) << (8 * done);
            }
            done += count;
        }
        bits
    }

    /// Sets the undefined bits of `bytes` (at most 4) bytes.
    #[inline]
    pub fn store(&mut self, memory: &Memory, address: u64, bytes: u32, bits: u32) {
        let mut done = 0;
        while done < bytes {
            let at = address + u64::from(done);
            let within = (at % 4) as u32;
            let count = (4 - within).min(bytes - done);
            let mask = ones(count) << (8 * within);
            let new = bits >> (8 * done) << (8 * within) & mask;
            if new != 0 && self.page(memory, at / PAGE).is_none() {
                memory.page_to_undefine(at / PAGE);
                self.refresh(memory);
            }
            if let Some(page) = self.page(memory, at / PAGE) {
                let word = page.word(at);
                match count {
                    4 => word.store(new, Relaxed),
                    _ => {
                        let _ = word.fetch_update(Relaxed, Relaxed, |old| Some(old & !mask | new));
                    }
                }
            }
            done += count;
        }
    }
}

/// The lowest `bytes` bytes.
fn ones(bytes: u32) -> u32 {
    (1u64 << (8 * bytes)).wrapping_sub(1) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undefined_bytes_are_counted_from_the_first_on() {
        let memory = Memory::default();
        assert_eq!(memory.undefined_in(0, 1 << 20), None);
        memory.undefine(3 * PAGE - 10, 3 * PAGE);
        let all = Some((3 * PAGE - 10, 3 * PAGE));
        assert_eq!(memory.undefined_in(0, 1 << 20), all);
        memory.define(3 * PAGE - 10, PAGE);
        memory.define(5 * PAGE + 7, 2);
        let left = Some((4 * PAGE - 10, 2 * PAGE - 2));
        assert_eq!(memory.undefined_in(0, 1 << 20), left);
        let some = Some((5 * PAGE + 5, 3));
        assert_eq!(memory.undefined_in(5 * PAGE + 5, 5), some);
    }

    #[test]
    fn bytes_keep_their_own_bits() {
        let memory = Memory::default();
        let mut view = View::new();
        memory.undefine(PAGE - 2, 3 * PAGE);
        let mut load = |address, bytes| {
            view.refresh(&memory);
            view.load(&memory, address, bytes)
        };
        assert_eq!(load(PAGE - 4, 4), 0xffff_0000);
        assert_eq!(load(2 * PAGE, 4), !0);
        assert_eq!(load(4 * PAGE - 4, 4), 0xffff);
        memory.define(2 * PAGE + 1, 2);
        assert_eq!(load(2 * PAGE, 4), 0xff00_00ff);
        memory.copy(9 * PAGE + 1, 2 * PAGE, 4);
        assert_eq!(load(9 * PAGE, 4), 0x0000_ff00);
        assert_eq!(load(9 * PAGE + 4, 4), 0xff);
        memory.define(0, 100 * PAGE);
        assert_eq!(load(3 * PAGE, 4), 0);
    }

    #[test]
    fn stores_that_are_not_aligned_touch_their_bytes_only() {
        let memory = Memory::default();
        let mut view = View::new();
        view.store(&memory, PAGE - 1, 4, 0x1234_5678);
        view.refresh(&memory);
        assert_eq!(view.load(&memory, PAGE - 4, 4), 0x7800_0000);
        assert_eq!(view.load(&memory, PAGE, 4), 0x0012_3456);
        view.store(&memory, PAGE, 1, 0);
        assert_eq!(view.load(&memory, PAGE - 1, 4), 0x1234_0078);
    }
}
