//! Kernels with runs of instructions as host code, against the same kernels interpreted.

use codeobj::CodeObject;
use emulate::{Argument, Counts, Device, HostCode};

use crate::common::{SHAPE, compiled_for};

/// Integers and singles in a loop that ends at another turn for each lane; some lanes come to infinities and NaNs.
const MIXED: &str = "kernel void mixed(global uint *words, global float *numbers) {
    int at = 64 * __builtin_amdgcn_workgroup_id_x() + __builtin_amdgcn_workitem_id_x();
    uint word = at * 2654435761u;
    float number = at * 0.01f - 20.0f, other = 1.5f;
    for (uint turn = 0; turn < 20 + (word >> 28); turn++) {
        word = (word ^ (word << 13)) + turn;
        word ^= word >> 17;
        word = (word * 5u + 0xe6546b64u) & ~(turn << 3);
        float next = number * number - other;
        other = __builtin_fmaf(-number, other, 0.25f) + (float)(word & 7);
        number = at & 32 ? next : next * 0.001f;
    }
    words[at] = word;
    numbers[at] = number + other;
}";

const ITEMS: usize = 6400;

/// The bytes that the kernel leaves behind, and its counts.
fn result(object: &[u8], least: Option<usize>) -> (Vec<u8>, Counts) {
    let device = Device::new(CodeObject::parse(object).unwrap(), 2).unwrap();
    if let Some(least) = least
        && let Err(why) = device.translate(HostCode::at_once(least))
    {
        println!("no host code: {why}");
    }
    let [words, numbers] = [(); 2].map(|()| device.buffer(&[], ITEMS as u64 * 4).unwrap());
    let arguments = [words, numbers].map(Argument::pointer);
    let mut prepared = device.prepare("mixed", &SHAPE, &arguments).unwrap();
    prepared.count_instructions();
    let counts = device.run(&prepared).unwrap();
    let mut bytes = vec![0; ITEMS * 8];
    let (first, second) = bytes.split_at_mut(ITEMS * 4);
    device.read(words, first).unwrap();
    device.read(numbers, second).unwrap();
    (bytes, counts)
}

#[test]
fn results_and_counts_are_the_same() {
    for target in ["gfx90a", "gfx942", "gfx1100", "gfx1201"] {
        let object = compiled_for(target, MIXED);
        let (expected, counts) = result(&object, None);
        assert!(
            expected
                .chunks(4)
                .skip(ITEMS)
                .any(|word| word[3] & 0x7f == 0x7f)
        );
        for least in [1, 4] {
            let (found, of_native) = result(&object, Some(least));
            assert!(found == expected, "{target}, runs of {least}");
            assert_eq!(of_native.wave_instructions, counts.wave_instructions);
            assert_eq!(of_native.lane_instructions, counts.lane_instructions);
            let counted = |counts: &Counts| {
                let numbers = counts.instructions.iter();
                let numbers = numbers.map(|one| (one.wave_instructions, one.lane_instructions));
                numbers.collect::<Vec<_>>()
            };
            assert_eq!(counted(&of_native), counted(&counts), "{target}");
        }
    }
}
