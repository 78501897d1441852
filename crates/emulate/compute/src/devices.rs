//! The device-wide barriers of each device: a pool runs the kernels of all devices.

use std::sync::OnceLock;

use crate::barriers::Barriers;

/// A process has fewer nodes: one for each device, and the host's, which has no device.
const NODES: usize = 256;

/// The barriers of all devices, made when a kernel first uses one.
#[derive(Debug)]
pub(crate) struct Devices {
    nodes: [OnceLock<Box<Barriers>>; NODES],
}

impl Default for Devices {
    fn default() -> Devices {
        Devices {
            nodes: [const { OnceLock::new() }; NODES],
        }
    }
}

impl Devices {
    /// The barriers of the device at this node.
    pub fn barriers(&self, node: u32) -> &Barriers {
        self.nodes[node as usize % NODES].get_or_init(Box::default)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_does_not_open_the_barrier_of_another() {
        let devices = Devices::default();
        for node in [1, 2] {
            devices.barriers(node).init(0, 1);
        }
        let first = devices.barriers(1).arrive(0, 1);
        let second = devices.barriers(2).arrive(0, 1);
        let passed = |node, ticket| devices.barriers(node).passed(0, ticket);
        assert!(!passed(1, first) && !passed(2, second));
        devices.barriers(2).arrive(0, 1);
        assert!(!passed(1, first) && passed(2, second));
    }
}
