//! Structures whose first member says how long the other side believes them to be.

use std::mem::MaybeUninit;

/// The smallest size of a structure.
const LEAST: usize = size_of::<usize>();

/// Fills as much of the caller's structure as it has.
///
/// # Safety
/// `into` is null, or a structure as long as its first member says.
pub unsafe fn fill<T>(into: *mut T, from: &T) -> Result<(), String> {
    if into.is_null() {
        return Err("a pointer is null".to_owned());
    }
    // SAFETY: the caller's promise; the first member of all these structures is their size.
    unsafe {
        let size = *into.cast::<usize>();
        if !(LEAST..=1 << 12).contains(&size) {
            return Err(format!(
                "struct_size is {size}, and must be set to the structure's size"
            ));
        }
        let more = size.min(size_of::<T>()) - LEAST;
        let (from, to) = (std::ptr::from_ref(from).cast::<u8>(), into.cast::<u8>());
        std::ptr::copy_nonoverlapping(from.add(LEAST), to.add(LEAST), more);
    }
    Ok(())
}

/// A structure of the caller's; what an older one lacks is zero.
///
/// # Safety
/// As [`fill`]; zero must be a value that all members may have which the structure is too short for.
pub unsafe fn read<T>(from: *const T) -> Result<T, String> {
    if from.is_null() {
        return Err("a pointer is null".to_owned());
    }
    // SAFETY: the caller's promise.
    unsafe {
        let size = (*from.cast::<usize>()).min(size_of::<T>());
        let mut copy = MaybeUninit::<T>::zeroed();
        let to = copy.as_mut_ptr().cast::<u8>();
        std::ptr::copy_nonoverlapping(from.cast::<u8>(), to, size);
        Ok(copy.assume_init())
    }
}
