//! A table whose entries are made when they are asked for.

use std::cell::OnceCell;

const PAGE: usize = 64;
type Page<T> = Box<[OnceCell<T>; PAGE]>;

/// LLVM has tens of thousands of opcodes and registers, and code has few of them. An entry has no memory before one of its page is made.
pub(crate) struct Lazy<T> {
    pages: Box<[OnceCell<Page<T>>]>,
    entries: usize,
}

impl<T> Lazy<T> {
    pub fn new(entries: usize) -> Lazy<T> {
        let pages = std::iter::repeat_with(OnceCell::new).take(entries.div_ceil(PAGE));
        Lazy {
            pages: pages.collect(),
            entries,
        }
    }

    /// None: there is no such entry.
    pub fn get(&self, index: u32) -> Option<&OnceCell<T>> {
        let index = index as usize;
        if index >= self.entries {
            return None;
        }
        let page =
            self.pages[index / PAGE].get_or_init(|| Box::new([const { OnceCell::new() }; PAGE]));
        Some(&page[index % PAGE])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_made_once_and_end_where_the_table_ends() {
        let table = Lazy::<u32>::new(130);
        for index in [0, 63, 64, 129] {
            assert_eq!(*table.get(index).unwrap().get_or_init(|| index), index);
            assert_eq!(table.get(index).unwrap().get(), Some(&index));
        }
        assert_eq!(table.get(128).unwrap().get(), None);
        for index in [130, 191, 192, u32::MAX] {
            assert!(table.get(index).is_none(), "{index}");
        }
        assert!(Lazy::<u32>::new(0).get(0).is_none());
    }
}
