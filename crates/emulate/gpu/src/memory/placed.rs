//! Memory whose address the runtime chooses, as it does towards the kernel driver: it reserves addresses, asks for memory
//! there, and unmaps them itself after the memory is freed.

use std::{
    fs::File,
    os::{fd::AsRawFd, unix::fs::MetadataExt},
    sync::atomic::Ordering,
};

use super::{Backing, Kind, Memory, MemoryError, PAGE, Region, Request};

/// The place for memory, and what holds it.
#[derive(Debug)]
pub enum Placement {
    /// Fresh zeroed memory replaces whatever is at this address.
    Fresh(u64),
    /// The pages that are mapped at this address already become the device's too.
    Mapped(u64),
    /// A file in memory, from this offset on, replaces whatever is at this address.
    File {
        address: u64,
        file: File,
        offset: u64,
    },
}

impl Memory {
    /// Makes `request.size` bytes at a chosen address the device's.
    pub fn put(&self, place: Placement, request: Request) -> Result<(), MemoryError> {
        let address = match place {
            Placement::Fresh(address)
            | Placement::Mapped(address)
            | Placement::File { address, .. } => address,
        };
        let size = request.size;
        let end = address.checked_add(size).filter(|end| *end <= 1 << 47);
        let (Some(end), true) = (
            end,
            size != 0 && address != 0 && address.is_multiple_of(PAGE),
        ) else {
            return Err(MemoryError::BadSize { size });
        };
        let end = end.next_multiple_of(PAGE);
        let mut map = self.write();
        let below = map.allocations.range(..end).next_back();
        if below.is_some_and(|(_, region)| region.end > address) {
            return Err(MemoryError::Occupied { address, size });
        }
        if request.device_local {
            self.account(&mut map, request.node, end - address)?;
        }
        let refused = MemoryError::NoHostMemory { size };
        let (backing, file) = match place {
            Placement::Fresh(_) => (
                map_over(address, end - address, None).then_some(Backing::Placed),
                None,
            ),
            Placement::Mapped(_) => (Some(Backing::Foreign), None),
            Placement::File { file, offset, .. } => {
                let mapped = map_over(address, end - address, Some((&file, offset)));
                (mapped.then_some(Backing::Placed), Some(file))
            }
        };
        let Some(backing) = backing else {
            if request.device_local {
                map.release(request.node, end - address);
            }
            return Err(refused);
        };
        map.allocations.insert(
            address,
            Region {
                node: request.node,
                flags: request.flags,
                writable: request.writable,
                device_local: request.device_local,
                remote: request.remote,
                backing,
                file,
                ..Region::new(Kind::Allocated, end, size)
            },
        );
        self.grown();
        Ok(())
    }

    /// Device and number of the file that holds the allocation at `address`, if there is one.
    pub fn file_identity(&self, address: u64) -> Option<(u64, u64)> {
        let map = self.read();
        let file = map.allocations.get(&address)?.file.as_ref()?;
        let metadata = file.metadata().ok()?;
        Some((metadata.dev(), metadata.ino()))
    }

    /// Counts `size` bytes of a node's memory as used that have no address yet.
    pub fn claim(&self, node: u32, size: u64) -> Result<(), MemoryError> {
        self.account(&mut self.write(), node, size)
    }

    /// Undoes [`Memory::claim`].
    pub fn give_up(&self, node: u32, size: u64) {
        self.write().release(node, size);
    }

    /// Takes away what [`Memory::put`] put there. Fresh memory leaves a reservation, which the runtime unmaps: another thread
    /// could get the addresses in between.
    pub fn take_away(&self, address: u64) -> Result<(), MemoryError> {
        let mut map = self.write();
        let unknown = MemoryError::UnknownAddress { address };
        let region = map.allocations.get(&address).ok_or(unknown)?;
        if region.backing == Backing::Own {
            return Err(MemoryError::UnknownAddress { address });
        }
        let Some(region) = map.allocations.remove(&address) else {
            return Err(MemoryError::UnknownAddress { address });
        };
        if region.device_local {
            map.release(region.node, region.end - address);
        }
        map.closed.open(address, region.end);
        self.generation.fetch_add(1, Ordering::SeqCst);
        if region.backing == Backing::Placed {
            reserve(address, region.end - address);
        }
        Ok(())
    }
}

/// Maps zeroed memory, or a file from an offset on, over whatever is there.
fn map_over(address: u64, size: u64, file: Option<(&File, u64)>) -> bool {
    let (kind, descriptor, offset) = match file {
        Some((file, offset)) => (libc::MAP_SHARED, file.as_raw_fd(), offset),
        None => (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0),
    };
    // SAFETY: the runtime has reserved these addresses and gives them up to the device.
    let mapped = unsafe {
        libc::mmap(
            address as *mut libc::c_void,
            size as usize,
            libc::PROT_READ | libc::PROT_WRITE,
            kind | libc::MAP_NORESERVE | libc::MAP_FIXED,
            descriptor,
            offset as libc::off_t,
        )
    };
    if mapped as u64 != address {
        return false;
    }
    if file.is_none() {
        super::prefer_large_pages(address, size);
    }
    true
}

/// Leaves only reserved addresses, which no other mapping gets.
fn reserve(address: u64, size: u64) {
    // SAFETY: the range was mapped by `map_over`, and the device has lost it.
    unsafe {
        libc::mmap(
            address as *mut libc::c_void,
            size as usize,
            libc::PROT_NONE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED,
            -1,
            0,
        )
    };
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use wave::AddressSpace;

    use super::*;
    use crate::memory::tests::request;

    /// Addresses that nothing else in the test uses.
    fn reserved(size: u64) -> u64 {
        // SAFETY: a fresh mapping at an address of the kernel's choice.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                size as usize,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        assert_ne!(base, libc::MAP_FAILED);
        base as u64
    }

    #[test]
    fn memory_comes_to_where_it_is_wanted_and_leaves_a_reservation() {
        let memory = Memory::new(BTreeMap::from([(1, 8 * PAGE)]));
        let address = reserved(8 * PAGE);
        memory
            .put(Placement::Fresh(address), request(3 * PAGE - 8))
            .unwrap();
        assert_eq!(memory.available(1), 5 * PAGE);
        memory.write_bytes(address + 2 * PAGE, &[1]).unwrap();
        let occupied = memory.put(Placement::Fresh(address + 2 * PAGE), request(PAGE));
        assert!(matches!(occupied, Err(MemoryError::Occupied { .. })));
        let full = memory.put(Placement::Fresh(address + 3 * PAGE), request(6 * PAGE));
        assert!(matches!(full, Err(MemoryError::NoDeviceMemory { .. })));
        let generation = memory.generation();
        memory.take_away(address).unwrap();
        assert_ne!(memory.generation(), generation);
        assert_eq!(
            (memory.available(1), memory.find(address)),
            (8 * PAGE, None)
        );
        memory
            .put(Placement::Fresh(address), request(PAGE))
            .unwrap();
        let mut byte = [9];
        memory.read_bytes(address, &mut byte).unwrap();
        assert_eq!(byte, [0]);
        for bad in [address + 8, 0, 1 << 47] {
            let refused = memory.put(Placement::Fresh(bad), request(PAGE));
            assert!(
                matches!(refused, Err(MemoryError::BadSize { .. })),
                "{bad:#x}"
            );
        }
    }

    #[test]
    fn what_is_there_already_stays_when_it_is_taken_away() {
        let memory = Memory::new(BTreeMap::new());
        let address = memory.allocate(request(PAGE)).unwrap();
        // The runtime's own memory, as far as another machine is concerned.
        let other = Memory::new(BTreeMap::new());
        other
            .put(Placement::Mapped(address), request(PAGE))
            .unwrap();
        other.write_bytes(address, b"kept").unwrap();
        other.take_away(address).unwrap();
        let mut seen = [0; 4];
        memory.read_bytes(address, &mut seen).unwrap();
        assert_eq!(&seen, b"kept");
        assert!(
            memory.take_away(address).is_err(),
            "the block was taken away"
        );
    }

    #[test]
    fn a_file_can_be_at_two_places() {
        let memory = Memory::new(BTreeMap::new());
        let file = crate::memory::new_file(2 * PAGE).unwrap();
        let address = reserved(4 * PAGE);
        for (address, offset) in [(address, 0), (address + 3 * PAGE, PAGE)] {
            let file = file.try_clone().unwrap();
            let place = Placement::File {
                address,
                file,
                offset,
            };
            memory.put(place, request(PAGE)).unwrap();
        }
        memory
            .write_bytes(address + 3 * PAGE, b"second page")
            .unwrap();
        let mut seen = [0; 11];
        std::os::unix::fs::FileExt::read_exact_at(&file, &mut seen, PAGE).unwrap();
        assert_eq!(&seen, b"second page");
    }
}
