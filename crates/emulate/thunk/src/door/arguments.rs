//! Arguments of commands, which callers of different versions pass in different lengths.

use std::ffi::c_void;

use super::{Result, refuse};

/// Memory of the caller's: as much as the request says.
#[derive(Clone, Copy)]
pub struct Arguments {
    pointer: *mut u8,
    size: usize,
}

impl Arguments {
    /// `request` has the size in bits 16 to 29, as all commands have.
    pub fn new(request: u64, pointer: *mut c_void) -> Arguments {
        Arguments {
            pointer: pointer.cast(),
            size: (request >> 16 & 0x3fff) as usize,
        }
    }

    /// The arguments; what an older caller does not pass is zero.
    pub fn get<T: Copy>(self) -> Result<T> {
        if self.pointer.is_null() {
            return refuse(libc::EFAULT);
        }
        let mut value = std::mem::MaybeUninit::<T>::zeroed();
        let size = self.size.min(size_of::<T>());
        // SAFETY: the caller says that there are `self.size` bytes. The types of arguments are made of integers, for which any
        // bytes are valid.
        unsafe {
            std::ptr::copy_nonoverlapping(self.pointer, value.as_mut_ptr().cast(), size);
            Ok(value.assume_init())
        }
    }

    /// Gives the arguments back, as far as the caller knows them.
    pub fn put<T: Copy>(self, value: T) -> Result {
        if self.pointer.is_null() {
            return refuse(libc::EFAULT);
        }
        let size = self.size.min(size_of::<T>());
        // SAFETY: the caller says that there are `self.size` bytes, and at most that many are written.
        unsafe { std::ptr::copy_nonoverlapping((&raw const value).cast(), self.pointer, size) };
        Ok(())
    }

    /// The arguments where they are.
    pub fn bytes(&mut self) -> Result<&mut [u8]> {
        if self.pointer.is_null() {
            return refuse(libc::EFAULT);
        }
        // SAFETY: the caller says that there are so many bytes, and uses them for nothing else during the command.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.pointer, self.size) })
    }

    /// `count` elements of a list that follows `behind` bytes of arguments.
    pub fn list<T: Copy>(self, behind: usize, count: usize) -> Result<List<T>> {
        let bytes = count.checked_mul(size_of::<T>());
        match bytes.and_then(|bytes| bytes.checked_add(behind)) {
            Some(end) if end <= self.size => List::new(self.pointer as u64 + behind as u64, count),
            _ => refuse(libc::EINVAL),
        }
    }
}

/// A list in the caller's memory.
#[derive(Clone, Copy)]
pub struct List<T> {
    pointer: *mut T,
    count: usize,
}

impl<T: Copy> List<T> {
    /// `count` elements at an address that the caller passed.
    pub fn new(address: u64, count: usize) -> Result<List<T>> {
        if count > 1 << 20 {
            return refuse(libc::EINVAL);
        }
        if address == 0 && count != 0 {
            return refuse(libc::EFAULT);
        }
        let pointer = address as *mut T;
        Ok(List { pointer, count })
    }

    pub fn get(self) -> Vec<T> {
        // SAFETY: the caller says that there are so many elements; misalignment is allowed for.
        (0..self.count)
            .map(|index| unsafe { self.pointer.add(index).read_unaligned() })
            .collect()
    }

    /// Stores as many elements as fit.
    pub fn put(self, values: &[T]) {
        for (index, value) in values.iter().enumerate().take(self.count) {
            // SAFETY: the caller says that there are so many elements, and only as many are written; misalignment is allowed for.
            unsafe { self.pointer.add(index).write_unaligned(*value) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[repr(C)]
    struct Long(u32, u32);

    #[test]
    fn callers_of_all_lengths_are_understood() {
        let mut memory = [1_u32, 2, 3, 4];
        let pointer = memory.as_mut_ptr().cast();
        let of = |size: u64| Arguments::new(size << 16, pointer);
        assert_eq!(of(4).get(), Ok(Long(1, 0)));
        assert_eq!(of(16).get(), Ok(Long(1, 2)));
        of(4).put(Long(8, 9)).unwrap();
        assert_eq!(of(16).get(), Ok([8_u32, 2, 3, 4]));
        let list: List<u32> = of(16).list(8, 2).unwrap();
        assert_eq!(list.get(), [3, 4]);
        list.put(&[5, 6, 7]);
        assert_eq!(of(16).get(), Ok([8_u32, 2, 5, 6]));
        assert!(of(16).list::<u32>(8, 3).is_err());
        let nothing = Arguments::new(8 << 16, std::ptr::null_mut());
        assert_eq!(nothing.get::<Long>(), refuse(libc::EFAULT));
    }
}
