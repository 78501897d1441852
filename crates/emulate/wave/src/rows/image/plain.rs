//! Loads, stores and atomics of single texels, and what a level has of them.

use std::marker::PhantomData;

use crate::{
    access::{
        image::{
            descriptor::Shape,
            operands::{
                Executed, Instruction, Operands, components_of, fetch, lane_number, lanes_of,
            },
        },
        lanes::{GROUP, operand, write_result},
        modify::{Modify, Word},
        space,
    },
    engine::Env,
    memory::{Fault, FaultKind},
    micro_op::MicroOp,
    state::Wave,
};

pub(super) struct Load;

impl Instruction for Load {
    #[inline(always)]
    fn execute(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>, operands: Operands) -> Executed {
        let image = operands.image;
        Ok(space::each_group(
            wave,
            image.format.bytes(),
            false,
            #[inline(always)]
            |wave, access| {
                let mut colours = [[0; 4]; GROUP];
                let (addresses, inside) = operands.texels(wave, op, access.group);
                for (lane, result) in colours.iter_mut().enumerate() {
                    let mut colour = [0; 4];
                    if access.active & inside & 1 << lane != 0 {
                        colour = fetch(&image, env, addresses[lane], lane_number(&access, lane))?;
                    }
                    *result = operands.select(colour);
                }
                operands.write_masked(wave, access.group, &colours);
                Ok(())
            },
        ))
    }
}

pub(super) struct Store;

impl Instruction for Store {
    #[inline(always)]
    fn execute(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>, operands: Operands) -> Executed {
        let image = operands.image;
        let format = image.format;
        if !format.can_store() {
            return Err("stores to images of this format");
        }
        Ok(space::each_group(
            wave,
            format.bytes(),
            true,
            #[inline(always)]
            |wave, access| {
                let (addresses, inside) = operands.texels(wave, op, access.group);
                for lane in lanes_of(access.active & inside) {
                    let mut data = [0; 4];
                    for (index, component) in components_of(operands.mask).enumerate() {
                        let integer = format.is_integer();
                        data[component] =
                            operands.data.read(wave, access.group, index, lane, integer);
                    }
                    let words = format.store(unselect(image.selects, data));
                    let number = lane_number(&access, lane);
                    let pointer = env
                        .memory
                        .pointer(addresses[lane], access.bytes, true, number)
                        .map_err(Box::new)?;
                    let words = words.map(u32::to_le);
                    // SAFETY: checked for writing `bytes` bytes, and an element has no more than `words`.
                    unsafe {
                        let words = words.as_ptr().cast::<u8>();
                        pointer.copy_from_nonoverlapping(words, access.bytes as usize);
                    }
                }
                Ok(())
            },
        ))
    }
}

/// The format's components from which destination selects would make `data`.
#[inline(always)]
fn unselect(selects: u32, data: [u32; 4]) -> [u32; 4] {
    std::array::from_fn(|component| {
        (0..4)
            .find(|place| selects >> (3 * place) & 7 == 4 + component as u32)
            .map_or(0, |place| data[place as usize])
    })
}

/// An atomic on texels that are words: one or two dwords, as the data mask says.
pub(super) struct Atomic<Single, Double>(PhantomData<(Single, Double)>);

impl<Single: Modify<u32>, Double: Modify<u64>> Instruction for Atomic<Single, Double> {
    #[inline(always)]
    fn execute(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>, operands: Operands) -> Executed {
        let words = 1 + usize::from(Single::TWO);
        match operands.mask.count_ones() as usize {
            count if count == words => modify::<u32, Single>(wave, op, env, &operands),
            count if count == 2 * words => modify::<u64, Double>(wave, op, env, &operands),
            _ => Err("an image atomic whose data mask is not one of a word"),
        }
    }
}

/// An atomic of gfx12 on texels of one dword, whatever its format makes of it.
pub(super) struct AtomicDword<M>(PhantomData<M>);

impl<M: Modify<u32>> Instruction for AtomicDword<M> {
    #[inline(always)]
    fn execute(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>, operands: Operands) -> Executed {
        if operands.mask.count_ones() != 1 {
            return Err("an image atomic whose data mask is not one of a word");
        }
        modify::<u32, M>(wave, op, env, &operands)
    }
}

#[inline(always)]
fn modify<W: Word, M: Modify<W>>(
    wave: &mut Wave,
    op: &MicroOp,
    env: &mut Env<'_>,
    operands: &Operands,
) -> Executed {
    let format = operands.image.format;
    let bytes = 4 * W::WORDS as u32;
    if format.bytes() != bytes || format.widths[0] != 32 {
        return Err("atomics on images of this format");
    }
    let returns = op.image().returns();
    let context = wave.mode.context();
    let row = operands.data.row;
    Ok(space::each_group(
        wave,
        bytes,
        true,
        #[inline(always)]
        |wave, access| {
            let data = operand::<W>(wave, row, access.group);
            let second = if M::TWO {
                operand::<W>(wave, row + W::WORDS, access.group)
            } else {
                [W::default(); GROUP]
            };
            let (addresses, inside) = operands.texels(wave, op, access.group);
            // Texels outside load as zero.
            let mut before = [W::default(); GROUP];
            for lane in lanes_of(access.active & inside) {
                let (address, number) = (addresses[lane], lane_number(&access, lane));
                if !address.is_multiple_of(u64::from(bytes)) {
                    return Err(Box::new(Fault {
                        kind: FaultKind::Unaligned,
                        address,
                        bytes,
                        lane: number,
                    }));
                }
                let pointer = env
                    .memory
                    .pointer(address, bytes, true, number)
                    .map_err(Box::new)?;
                // SAFETY: checked for writing, and aligned.
                before[lane] = unsafe {
                    W::exchange(pointer, |old| {
                        M::apply(context, old, data[lane], second[lane])
                    })
                };
            }
            if returns {
                write_result(wave, row, access.group, &before);
            }
            Ok(())
        },
    ))
}

/// Size of a level, and how many levels there are.
pub(super) struct Query;

impl Instruction for Query {
    #[inline(always)]
    fn execute(wave: &mut Wave, op: &MicroOp, _: &mut Env<'_>, operands: Operands) -> Executed {
        let image = operands.image;
        let extents = match image.shape {
            Shape::D1 => 0b0001,
            Shape::D2 => 0b0011,
            Shape::D1Array => 0b0101,
            Shape::D3 | Shape::D2Array | Shape::Cube => 0b0111,
        };
        if operands.mask & !(extents | 0b1000) != 0 {
            return Err("the extent of an image along an axis that it does not have");
        }
        if operands.data.packed {
            return Err("sizes of images in halves");
        }
        for group in 0..wave.groups {
            let active = (wave.exec() >> (GROUP * group)) as u16;
            let levels = operands.coordinate(wave, op, group, 0, false);
            let mut answers = [[0; 4]; GROUP];
            for lane in lanes_of(active) {
                if levels[lane] >= image.levels {
                    return Err("the size of a level that is not there");
                }
                let [width, height, depth] = image.level(levels[lane]).size;
                answers[lane] = [width, height, depth, image.levels];
            }
            operands.write_masked(wave, group, &answers);
        }
        Ok(crate::micro_op::flow::NEXT)
    }
}
