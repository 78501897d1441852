//! A device reaches memory that is mapped to it, and no other.
//!
//! Memory of the emulator itself, and what a runtime has said nothing about, is reached by every device.

use std::sync::atomic::Ordering;

use wave::{AddressSpace, Range};

use super::{Kind, Map, Memory, MemoryError, Region};

/// Memory as one device sees it.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub(super) memory: &'a Memory,
    node: u32,
    /// Reaches what is closed to the program.
    of_runtime: bool,
}

impl Region {
    pub(super) fn is_reached_by(&self, node: Option<u32>) -> bool {
        self.everywhere || node.is_none_or(|node| self.mapped_nodes.contains(&node))
    }
}

impl Map {
    /// Pages of shared virtual memory around `address` that the node may use.
    pub(super) fn find_shared(
        &self,
        address: u64,
        node: Option<u32>,
        pageable: bool,
    ) -> Option<Range> {
        let (&start, &end) = self.shared.range(..=address).next_back()?;
        if address >= end {
            return None;
        }
        let whole = Range {
            start,
            end,
            writable: true,
        };
        let Some(node) = node else { return Some(whole) };
        let (piece, allowed) = self.attributes.access_of(address, node, pageable);
        allowed.then(|| Range {
            start: piece.start.max(start),
            end: piece.end.min(end),
            ..whole
        })
    }

    /// A list that lives as long as the process: pointer queries hand it out without a lifetime, and distinct lists are few.
    fn intern(&mut self, nodes: &[u32]) -> &'static [u32] {
        if let Some(list) = self.node_lists.iter().find(|list| **list == nodes) {
            return list;
        }
        let list: &'static [u32] = Vec::leak(nodes.to_vec());
        self.node_lists.push(list);
        list
    }

    /// Changes the list of nodes of the range that contains `address`.
    fn remap(
        &mut self,
        address: u64,
        change: impl FnOnce(&mut Region) -> Option<Vec<u32>>,
    ) -> Result<(), MemoryError> {
        let unknown = MemoryError::UnknownAddress { address };
        let (_, region) = self.region_mut(address).ok_or(unknown)?;
        let Some(nodes) = change(region) else {
            return Ok(());
        };
        let list = self.intern(&nodes);
        if let Some((_, region)) = self.region_mut(address) {
            region.mapped_nodes = list;
            region.everywhere = false;
        }
        Ok(())
    }
}

impl Memory {
    /// The memory that this node's device reaches.
    pub fn seen_by(&self, node: u32) -> View<'_> {
        View {
            memory: self,
            node,
            of_runtime: false,
        }
    }

    /// Maps the range containing `address` to these nodes and no others. Memory of the program, which several users may have
    /// mapped, stays mapped to theirs as well.
    pub fn map_to_nodes(&self, address: u64, nodes: &[u32]) -> Result<(), MemoryError> {
        self.remap(address, |region| {
            let mut list = nodes.to_vec();
            if region.kind == Kind::User {
                region.mappings += 1;
                let before = region.mapped_nodes.iter().copied();
                list = before.collect();
                list.extend(
                    nodes
                        .iter()
                        .filter(|node| !region.mapped_nodes.contains(node)),
                );
            }
            Some(list)
        })
    }

    /// Undoes one [`Memory::map_to_nodes`]. Memory of the program stays mapped as long as another user has it mapped.
    pub fn unmap_from_all(&self, address: u64) -> Result<(), MemoryError> {
        self.remap(address, |region| {
            region.mappings = region.mappings.saturating_sub(1);
            (region.mappings == 0).then(Vec::new)
        })
    }

    /// Maps the range containing `address` to these nodes, too.
    pub fn grant(&self, address: u64, nodes: &[u32]) -> Result<(), MemoryError> {
        self.remap(address, |region| {
            let mut list = region.mapped_nodes.to_vec();
            list.extend(
                nodes
                    .iter()
                    .filter(|node| !region.mapped_nodes.contains(node)),
            );
            Some(list)
        })
    }

    /// Unmaps the range containing `address` from these nodes.
    pub fn revoke(&self, address: u64, nodes: &[u32]) -> Result<(), MemoryError> {
        self.remap(address, |region| {
            let left = region.mapped_nodes.iter().copied();
            Some(left.filter(|node| !nodes.contains(node)).collect())
        })
    }

    fn remap(
        &self,
        address: u64,
        change: impl FnOnce(&mut Region) -> Option<Vec<u32>>,
    ) -> Result<(), MemoryError> {
        self.write().remap(address, change)?;
        // Threads remember what they have reached.
        self.generation.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }
}

impl View<'_> {
    /// As the runtime's own kernels see it.
    pub fn as_runtime(self) -> Self {
        View {
            of_runtime: true,
            ..self
        }
    }

    /// Like [`Memory::reaches`], of what is mapped to this device.
    pub fn reaches(&self, address: u64, size: u64, write: bool) -> Result<(), u64> {
        // For the runtime's commands, which move whole rows and segments.
        let whole = self.as_runtime();
        super::span(address, size, write, |at| whole.find(at))
    }

    /// Copies bytes out of memory that the device reaches; the error is the first address that it does not.
    pub fn read_bytes(&self, address: u64, bytes: &mut [u8]) -> Result<(), u64> {
        self.reaches(address, bytes.len() as u64, false)?;
        self.memory.read_bytes(address, bytes)
    }

    /// Returns `true` if the device may read what is at `address`, but not write it.
    pub fn is_read_only(&self, address: u64) -> bool {
        if self
            .memory
            .closing(address)
            .is_some_and(|one| one.to_writes)
        {
            return true;
        }
        let reached = self.memory.known_to(Some(self.node), address).is_some();
        match self.memory.is_known(address) {
            true => reached,
            false => self.memory.is_read_only(address),
        }
    }

    /// One line on what is around `address`, for fault messages.
    pub fn describe(&self, address: u64) -> String {
        if let Some(closing) = self.memory.closing(address) {
            return match self.memory.describe_near(address) {
                Some(near) => format!("{}, {near}", closing.what),
                None => closing.what.to_owned(),
            };
        }
        let said = self.memory.describe(address);
        let elsewhere = self.memory.is_known(address)
            && self.memory.known_to(Some(self.node), address).is_none();
        match elsewhere {
            true => format!("{said}, not mapped to node {}", self.node),
            false => said,
        }
    }
}

impl AddressSpace for View<'_> {
    fn generation(&self) -> u64 {
        self.memory.generation()
    }

    fn find(&self, address: u64) -> Option<Range> {
        let found = match self.memory.known_to(Some(self.node), address) {
            None if self.memory.is_pageable() && !self.memory.is_known(address) => {
                self.memory.unknown(address)
            }
            known => known,
        };
        match self.of_runtime {
            true => found,
            false => self.memory.read().clip(address, found?),
        }
    }

    fn find_in_allocator(&self, address: u64) -> Option<Range> {
        self.as_runtime().find(address)
    }

    fn allocator(&self) -> Option<&dyn wave::Allocator> {
        let memory: &Memory = self.memory;
        memory.allocator.get().map(|one| &**one)
    }

    fn find_code(&self, address: u64) -> Option<Range> {
        self.memory.known_to(Some(self.node), address)
    }

    fn link(&self, address: u64) -> Option<(Range, bool)> {
        self.memory.link(address)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::memory::{PAGE, tests::request};

    fn reached(memory: &Memory, address: u64) -> [bool; 2] {
        [1, 2].map(|node| memory.seen_by(node).reaches(address, 4, true).is_ok())
    }

    #[test]
    fn devices_reach_what_is_mapped_to_them() {
        let memory = Memory::new(BTreeMap::new());
        let address = memory.allocate(request(PAGE)).unwrap();
        // The emulator's own.
        assert_eq!(reached(&memory, address), [true, true]);
        memory.map_to_nodes(address, &[]).unwrap();
        assert_eq!(reached(&memory, address), [false, false]);
        let generation = memory.generation();
        memory.grant(address, &[2]).unwrap();
        assert_eq!(reached(&memory, address), [false, true]);
        memory.grant(address + 8, &[1, 2]).unwrap();
        assert_eq!(reached(&memory, address), [true, true]);
        assert_eq!(memory.query(address).unwrap().mapped_nodes, [2, 1]);
        memory.revoke(address, &[2]).unwrap();
        assert_ne!(memory.generation(), generation);
        assert_eq!(reached(&memory, address), [true, false]);
        let said = memory.seen_by(2).describe(address);
        let expected =
            format!("inside a range of 4096 bytes at {address:#x}, not mapped to node 2");
        assert_eq!(said, expected);
        assert!(!memory.seen_by(1).describe(address).contains("mapped"));
        // It is not there, rather than there to be read.
        assert!(!memory.seen_by(2).is_read_only(address));
        // The host itself reaches all memory.
        assert_eq!(memory.covers(address, 4, true), Ok(()));
        assert!(memory.grant(1 << 46, &[1]).is_err());
    }

    #[test]
    fn memory_of_the_program_stays_mapped_as_long_as_anyone_has_it_mapped() {
        let memory = Memory::new(BTreeMap::new());
        for _ in 0..2 {
            memory.register_user(0x10_0000, 64, 0, false).unwrap();
        }
        memory.map_to_nodes(0x10_0000, &[1]).unwrap();
        memory.map_to_nodes(0x10_0000, &[2]).unwrap();
        assert_eq!(reached(&memory, 0x10_0000), [true, true]);
        memory.unmap_from_all(0x10_0000).unwrap();
        assert_eq!(reached(&memory, 0x10_0000), [true, true]);
        memory.unmap_from_all(0x10_0000).unwrap();
        assert_eq!(reached(&memory, 0x10_0000), [false, false]);
    }

    #[test]
    fn shared_memory_is_for_the_nodes_that_were_named() {
        const ACCESS_IN_PLACE: u32 = 3;
        const NO_ACCESS: u32 = 4;
        let memory = Memory::new(BTreeMap::new());
        memory.share(0x60_0000, 4 * PAGE, &[]).unwrap();
        assert_eq!(reached(&memory, 0x60_0000), [true, true]);
        memory
            .share(0x60_0000, PAGE, &[(ACCESS_IN_PLACE, 2)])
            .unwrap();
        assert_eq!(reached(&memory, 0x60_0000), [false, true]);
        assert_eq!(reached(&memory, 0x60_0000 + PAGE), [true, true]);
        memory
            .share(0x60_0000 + PAGE, PAGE, &[(NO_ACCESS, 1)])
            .unwrap();
        assert_eq!(reached(&memory, 0x60_0000 + PAGE), [false, true]);
        // Nodes that retry reach all memory that was not denied to them.
        memory.set_pageable(true);
        assert_eq!(reached(&memory, 0x60_0000), [true, true]);
        assert_eq!(reached(&memory, 0x60_0000 + PAGE), [false, true]);
    }

    #[test]
    fn what_is_not_mapped_is_no_memory_of_the_program_either() {
        let memory = Memory::new(BTreeMap::new());
        let address = memory.allocate(request(PAGE)).unwrap();
        memory.map_to_nodes(address, &[1]).unwrap();
        memory.set_pageable(true);
        assert_eq!(reached(&memory, address), [true, false]);
    }
}
