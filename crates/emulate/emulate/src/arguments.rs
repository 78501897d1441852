//! The kernarg segment: explicit arguments as given, hidden ones as the runtime would set them.

use codeobj::metadata::{ArgumentKind, KernelMetadata};

use crate::{Error, Result, Shape};

/// One explicit kernel argument, as the bytes that go into the kernarg segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument(pub Vec<u8>);

impl Argument {
    /// A pointer to device memory.
    pub fn pointer(address: u64) -> Argument {
        Argument(address.to_le_bytes().to_vec())
    }
}

/// Builds the segment. Without metadata the arguments are packed at their natural alignment.
pub(crate) fn segment(
    kernel: &str,
    metadata: Option<&KernelMetadata>,
    shape: &Shape,
    arguments: &[Argument],
) -> Result<Vec<u8>> {
    let Some(metadata) = metadata else {
        return Ok(packed(arguments));
    };
    let mut bytes = vec![0; metadata.kernarg_segment_size as usize];
    let explicit: Vec<_> = metadata.explicit_arguments().collect();
    if explicit.len() != arguments.len() {
        let signature: Vec<_> = explicit
            .iter()
            .map(|argument| {
                argument
                    .name
                    .clone()
                    .unwrap_or_else(|| format!("{} bytes", argument.size))
            })
            .collect();
        return Err(Error::ArgumentCount {
            kernel: kernel.to_owned(),
            expected: explicit.len(),
            given: arguments.len(),
            signature: signature.join(", "),
        });
    }
    for (index, (expected, given)) in explicit.iter().zip(arguments).enumerate() {
        if expected.size != given.0.len() as u64 {
            return Err(Error::ArgumentSize {
                kernel: kernel.to_owned(),
                index,
                expected: expected.size,
                given: given.0.len(),
            });
        }
        put(&mut bytes, expected.offset, &given.0);
    }
    for argument in &metadata.arguments {
        if let ArgumentKind::Hidden(name) = &argument.kind {
            let value = hidden(name, shape).to_le_bytes();
            put(
                &mut bytes,
                argument.offset,
                &value[..(argument.size as usize).min(8)],
            );
        }
    }
    Ok(bytes)
}

fn put(bytes: &mut [u8], offset: u64, value: &[u8]) {
    let start = offset as usize;
    if let Some(room) = bytes.get_mut(start..start.saturating_add(value.len())) {
        room.copy_from_slice(value);
    }
}

/// Value of the hidden argument `name`; services that need a runtime (hostcall, heap, queues) are absent and read zero.
fn hidden(name: &str, shape: &Shape) -> u64 {
    let dimension = match name.as_bytes().last() {
        Some(b'x') => 0,
        Some(b'y') => 1,
        _ => 2,
    };
    match name {
        "block_count_x" | "block_count_y" | "block_count_z" => u64::from(shape.grid[dimension]),
        "group_size_x" | "group_size_y" | "group_size_z" => u64::from(shape.block[dimension]),
        "grid_dims" => 3,
        "dynamic_lds_size" => u64::from(shape.dynamic_lds),
        "private_base" => gpu::dispatch::SCRATCH_APERTURE_BASE >> 32,
        "shared_base" => gpu::dispatch::LDS_APERTURE_BASE >> 32,
        _ => 0,
    }
}

fn packed(arguments: &[Argument]) -> Vec<u8> {
    let mut bytes: Vec<u8> = Vec::new();
    for Argument(value) in arguments {
        let align = value.len().next_power_of_two().clamp(1, 16);
        bytes.resize(bytes.len().next_multiple_of(align), 0);
        bytes.extend(value);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_without_metadata_are_naturally_aligned() {
        let arguments = [
            Argument(vec![1]),
            Argument::pointer(0x1122),
            Argument(vec![2, 0]),
        ];
        let expected = [1, 0, 0, 0, 0, 0, 0, 0, 0x22, 0x11, 0, 0, 0, 0, 0, 0, 2, 0];
        assert_eq!(packed(&arguments), expected);
    }

    #[test]
    fn hidden_sizes_come_from_the_shape() {
        let shape = Shape {
            grid: [3, 5, 7],
            block: [64, 2, 1],
            dynamic_lds: 96,
        };
        let read = |name| hidden(name, &shape);
        assert_eq!(
            [
                read("block_count_x"),
                read("block_count_y"),
                read("block_count_z")
            ],
            [3, 5, 7]
        );
        assert_eq!(
            [
                read("group_size_x"),
                read("group_size_y"),
                read("remainder_x")
            ],
            [64, 2, 0]
        );
        assert_eq!(read("dynamic_lds_size"), 96);
    }
}
