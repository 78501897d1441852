//! A launch's packet as it lies in a queue, which tools may change: HSA's `hsa_kernel_dispatch_packet_t`.

use crate::Dispatch;

/// The 64 bytes of a packet.
pub type PacketBytes = [u8; 64];

/// Kind of a dispatch packet: the low byte of its header.
const KERNEL_DISPATCH: u8 = 2;

impl Dispatch {
    /// A packet that says what is known of the launch.
    pub fn packet(&self) -> PacketBytes {
        let mut packet = [0; 64];
        packet[0] = KERNEL_DISPATCH;
        let mut put = |at: usize, bytes: &[u8]| packet[at..at + bytes.len()].copy_from_slice(bytes);
        for (index, (items, size)) in self.grid.iter().zip(self.workgroup).enumerate() {
            put(4 + 2 * index, &size.to_le_bytes());
            put(12 + 4 * index, &items.to_le_bytes());
        }
        put(24, &self.private_segment_size.to_le_bytes());
        put(28, &self.group_segment_size.to_le_bytes());
        put(32, &self.kernel_object.to_le_bytes());
        put(40, &self.kernarg.to_le_bytes());
        packet
    }

    /// The launch as the packet has it.
    pub(crate) fn with_packet(&self, packet: &PacketBytes) -> Dispatch {
        let half = |at: usize| u16::from_le_bytes([packet[at], packet[at + 1]]);
        let word = |at: usize| u32::from(half(at)) | u32::from(half(at + 2)) << 16;
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        Dispatch {
            workgroup: [half(4), half(6), half(8)],
            grid: [word(12), word(16), word(20)],
            private_segment_size: word(24),
            group_segment_size: word(28),
            kernel_object: long(32),
            kernarg: long(40),
            ..*self
        }
    }
}

/// Returns `true` if a changed packet still is the kind that the queue was given; if not, it gets its kind back.
pub(crate) fn keeps_kind(before: &PacketBytes, after: &mut PacketBytes) -> bool {
    std::mem::replace(&mut after[0], before[0]) == before[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AgentId;

    #[test]
    fn a_packet_says_what_the_launch_is() {
        let launch = Dispatch {
            agent: AgentId(1),
            queue: 1,
            kernel_object: 0x1234_5678_9abc,
            kernarg: 0xfedc_ba98_7654_3210,
            grid: [70_000, 3, 2],
            workgroup: [256, 1, 2],
            private_segment_size: 16,
            group_segment_size: 65_536,
            cooperative: true,
            enqueued: None,
        };
        let packet = launch.packet();
        // Places from the HSA Platform System Architecture Specification, 2.9.6.
        assert_eq!(packet[4..6], 256_u16.to_le_bytes());
        assert_eq!(packet[12..16], 70_000_u32.to_le_bytes());
        assert_eq!(packet[40..48], 0xfedc_ba98_7654_3210_u64.to_le_bytes());
        let other = Dispatch {
            grid: [0; 3],
            kernarg: 0,
            kernel_object: 0,
            workgroup: [0; 3],
            private_segment_size: 0,
            group_segment_size: 0,
            ..launch
        };
        assert_eq!(
            format!("{:?}", other.with_packet(&packet)),
            format!("{launch:?}")
        );
    }
}
