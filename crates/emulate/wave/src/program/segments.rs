//! The segments that a program has decoded: by the address that each was decoded from, and by the pages that its instructions are in.

use std::{collections::HashMap, sync::Arc};

use super::Segment;

/// A page has 4 KiB: a hundred to a thousand instructions.
const PAGE_BITS: u32 = 12;

#[derive(Default)]
pub(crate) struct Segments {
    by_entry: HashMap<u64, Arc<Segment>>,
    /// A segment stands in each page that one of its instructions begins in.
    by_page: HashMap<u64, Vec<Arc<Segment>>>,
    instructions: usize,
}

impl Segments {
    pub(crate) fn at(&self, entry: u64) -> Option<&Arc<Segment>> {
        self.by_entry.get(&entry)
    }

    /// A segment with an instruction at `pc`.
    pub(crate) fn around(&self, pc: u64) -> Option<&Arc<Segment>> {
        let page = self.by_page.get(&(pc >> PAGE_BITS))?;
        page.iter().find(|segment| segment.op_at(pc).is_some())
    }

    /// Adds a segment, unless another starts there. Returns the one that starts there now.
    pub(crate) fn add(&mut self, entry: u64, segment: Arc<Segment>) -> Arc<Segment> {
        if let Some(other) = self.by_entry.get(&entry) {
            return other.clone();
        }
        let mut last = None;
        for page in segment.addresses().map(|pc| pc >> PAGE_BITS) {
            if last.replace(page) != Some(page) {
                self.by_page.entry(page).or_default().push(segment.clone());
            }
        }
        self.instructions += segment.insts.len();
        self.by_entry.insert(entry, segment.clone());
        segment
    }

    pub(crate) fn len(&self) -> usize {
        self.by_entry.len()
    }

    /// The instructions of all segments; one that two have in common counts for each.
    pub(crate) fn instructions(&self) -> usize {
        self.instructions
    }

    pub(crate) fn clear(&mut self) {
        *self = Segments::default();
    }
}
