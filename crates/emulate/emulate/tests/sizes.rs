//! A launch larger than what packets can say is refused, and no smaller one runs in its place.

use crate::common::{SHAPE, compiled};
use codeobj::CodeObject;
use emulate::{Argument, Device, Shape};

/// Has LDS of its own, which a sum of sizes can overflow.
const OWN_LDS: &str = "kernel void own(global int *out) {
    local int words[64];
    int lane = __builtin_amdgcn_workitem_id_x();
    words[lane] = lane;
    __builtin_amdgcn_s_barrier();
    out[lane] = words[63 - lane];
}";

fn refusal(shape: &Shape) -> String {
    let bytes = compiled(OWN_LDS);
    let device = Device::new(CodeObject::parse(&bytes).unwrap(), 1).unwrap();
    let out = device.buffer(&[], 4 * 64).unwrap();
    let launched = device.launch("own", shape, &[Argument::pointer(out)]);
    launched.map(|_| ()).unwrap_err().to_string()
}

#[test]
fn lds_beyond_32_bits_is_refused() {
    for dynamic_lds in [u32::MAX, u32::MAX - 255, 65_536] {
        let text = refusal(&Shape {
            dynamic_lds,
            ..SHAPE
        });
        assert!(text.contains("the device has 65536"), "{text}");
    }
}

#[test]
fn grids_beyond_32_bits_are_refused() {
    for dimension in 0..3 {
        let mut shape = SHAPE;
        shape.block = [1; 3];
        (shape.grid[dimension], shape.block[dimension]) = (1 << 27, 32);
        let text = refusal(&shape);
        assert!(text.contains("134217728 workgroups of 32"), "{text}");
    }
}
