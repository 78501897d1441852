//! Memory to the byte: what was asked for and not the pages behind it, and what was freed until its addresses are given away again.

use std::sync::atomic::Ordering;

use super::{Memory, MemoryError};

impl Memory {
    /// From now on the device reaches registered memory of the application by the byte and not by the page; allocations follow
    /// [`Memory::limit`] and [`Memory::retire`] in any case.
    pub fn be_exact(&self) {
        self.exact.store(true, Ordering::Release);
    }

    pub fn is_exact(&self) -> bool {
        self.exact.load(Ordering::Acquire)
    }

    /// Only the first `size` bytes of the allocation that begins at `address` are the device's from now on.
    pub fn limit(&self, address: u64, size: u64) -> Result<(), MemoryError> {
        let mut map = self.write();
        let region = map
            .allocations
            .get_mut(&address)
            .filter(|region| size <= region.end - address)
            .ok_or(MemoryError::UnknownAddress { address })?;
        region.limit = address + size;
        self.generation.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }

    /// Takes the allocation that begins at `address` from the device. It keeps its addresses until [`Memory::free`], so that kernels that
    /// still use them fault. Returns its size in bytes.
    pub fn retire(&self, address: u64) -> Result<u64, MemoryError> {
        let mut map = self.write();
        let region = map
            .allocations
            .get_mut(&address)
            .filter(|region| !region.retired)
            .ok_or(MemoryError::UnknownAddress { address })?;
        region.retired = true;
        self.generation.fetch_add(1, Ordering::SeqCst);
        Ok(region.end - address)
    }

    /// Returns `true` if `address` lies in an allocation that [`Memory::retire`] has taken from the device.
    pub fn is_retired(&self, address: u64) -> bool {
        let map = self.read();
        map.region(address)
            .is_some_and(|(_, region)| region.retired)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::memory::{AddressSpace, Request};

    fn memory_with(size: u64) -> (Memory, u64) {
        let memory = Memory::new(BTreeMap::new());
        let address = memory
            .allocate(Request {
                node: 1,
                size,
                flags: 0,
                writable: true,
                device_local: false,
                remote: false,
            })
            .unwrap();
        (memory, address)
    }

    #[test]
    fn allocations_end_with_the_byte_that_was_asked_for() {
        let (memory, address) = memory_with(100);
        assert_eq!(memory.covers(address, 4096, true), Ok(()));
        let generation = memory.generation();
        memory.limit(address, 100).unwrap();
        assert_ne!(memory.generation(), generation);
        assert_eq!(memory.covers(address, 100, true), Ok(()));
        assert_eq!(memory.covers(address + 97, 4, false), Err(address + 100));
        assert!(memory.link(address + 100).is_none());
        let said = memory.describe(address + 100);
        assert_eq!(
            said,
            format!("0 bytes past the end of 100 bytes at {address:#x}")
        );
        assert!(memory.limit(address, 5000).is_err());
        assert!(memory.limit(address + 1, 1).is_err());
    }

    #[test]
    fn freed_memory_is_nobodys_until_its_addresses_are() {
        let (memory, address) = memory_with(100);
        memory.limit(address, 100).unwrap();
        assert_eq!(memory.retire(address), Ok(4096));
        assert!(memory.retire(address).is_err());
        assert!(memory.is_retired(address + 8) && !memory.is_retired(address + 4096));
        assert_eq!(memory.covers(address, 1, false), Err(address));
        let said = memory.describe(address + 8);
        assert_eq!(
            said,
            format!("inside 100 bytes at {address:#x} that have been freed")
        );
        memory.free(address).unwrap();
        assert!(memory.find(address).is_none());
    }

    #[test]
    fn registered_memory_is_exact_if_the_device_is() {
        let memory = Memory::new(BTreeMap::new());
        memory.register_user(0x10_0010, 100, 0, false).unwrap();
        assert_eq!(memory.covers(0x10_0000, 0x1000, true), Ok(()));
        memory.be_exact();
        assert_eq!(memory.covers(0x10_0010, 100, true), Ok(()));
        assert_eq!(memory.covers(0x10_0010, 101, true), Err(0x10_0074));
        assert_eq!(memory.covers(0x10_000f, 1, true), Err(0x10_000f));
        let said = memory.describe(0x10_0074 | crate::memory::ALIAS);
        assert_eq!(
            said,
            "0 bytes past the end of 100 registered bytes at 0x100010"
        );
    }
}
