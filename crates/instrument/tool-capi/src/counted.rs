//! Counters of kernels: entries of the table through which tools count, and through which they read what was counted.

use crate::{
    sized,
    table::{NULL, status, visit},
};
use luthier::Results;
use std::{
    cell::RefCell,
    collections::BTreeMap,
    ffi::{CString, c_int},
};
use tool_abi::structures::{RawCount, RawCounted};

thread_local! {
    /// The counts, while the tool is told on this thread that the application has ended.
    pub static RESULTS: RefCell<Option<Counted>> = const { RefCell::new(None) };
}

/// Counters of all kernels.
pub struct Counted(Vec<Row>);

struct Row {
    kernel: CString,
    demangled: CString,
    launches: u64,
    counters: Vec<u64>,
}

impl Counted {
    /// Variants of a kernel in one row.
    pub fn collect(results: &Results<'_>) -> Counted {
        let mut rows: BTreeMap<(&str, &[u8; 32]), Row> = BTreeMap::new();
        for kernel in results.kernels() {
            let key = (kernel.name(), kernel.object_hash());
            let row = rows.entry(key).or_insert_with(|| Row {
                kernel: CString::new(kernel.name()).unwrap_or_default(),
                demangled: CString::new(kernel.demangled()).unwrap_or_default(),
                // (The same for all variants: those of the kernel.)
                launches: kernel.launches(),
                counters: Vec::new(),
            });
            let counters = kernel.counters();
            let length = row.counters.len().max(counters.len());
            row.counters.resize(length, 0);
            for (sum, more) in row.counters.iter_mut().zip(counters) {
                *sum = sum.wrapping_add(*more);
            }
        }
        Counted(rows.into_values().collect())
    }
}

pub unsafe extern "C" fn count(kernel_object: u64, count: *const RawCount) -> c_int {
    visit(kernel_object, |visit| {
        // SAFETY: null, or the caller's structure of the size that it says.
        let wanted = unsafe { sized::read(count)? };
        let place = visit.point(wanted.point, wanted.place, wanted.to)?;
        visit.count(place, wanted.counter, wanted.amount)
    })
}

fn with<T>(act: impl FnOnce(&Counted) -> Result<T, String>) -> Result<T, String> {
    RESULTS.with_borrow(|results| {
        let results = results.as_ref();
        act(results.ok_or("counters are read in luthier_at_term")?)
    })
}

pub unsafe extern "C" fn count_kernels(count: *mut usize) -> c_int {
    status(|| {
        // SAFETY: null, or the caller's.
        let count = unsafe { count.as_mut() }.ok_or(NULL)?;
        *count = with(|counted| Ok(counted.0.len()))?;
        Ok(())
    })
}

pub unsafe extern "C" fn get_counted(index: usize, into: *mut RawCounted) -> c_int {
    status(|| {
        with(|counted| {
            let row = counted.0.get(index).ok_or("there is no such kernel")?;
            let raw = RawCounted {
                struct_size: size_of::<RawCounted>(),
                kernel: row.kernel.as_ptr(),
                demangled: row.demangled.as_ptr(),
                launches: row.launches,
                counters: row.counters.as_ptr(),
                count: row.counters.len(),
            };
            // SAFETY: null, or the caller's structure of the size that it says.
            unsafe { sized::fill(into, &raw) }
        })
    })
}
