//! Typed buffer accesses: `buffer_*_format_*` (format in the descriptor) and `tbuffer_*` (format in the instruction).

use super::{Row, Shape};
use crate::{
    access::{
        buffer::Buffer,
        components::Components,
        lanes::{GROUP, Lanes},
        space::{self, Access, Checked, Space, unsupported},
        texel::{self, Format},
    },
    engine::Env,
    memory::Fault,
    micro_op::{Data, Generation, Handler, MicroOp},
    shell::{self, Body},
    state::Wave,
};

/// The format that instruction or descriptor name, and the descriptor's destination selects. `None`: no such format.
fn format(wave: &Wave, op: &MicroOp) -> Option<(Format, u32)> {
    let w3 = wave.sgpr(op.src[1].index as usize + 3);
    let named = op.vector_memory().format;
    let typed = op.vector_memory().is_typed();
    let since_gfx11 = op.vector_memory().generation >= Generation::GFX11;
    let format = if op.vector_memory().generation < Generation::GFX10 {
        let (data, number) = if typed {
            (named & 15, named >> 4 & 7)
        } else {
            (w3 >> 15 & 15, w3 >> 12 & 7)
        };
        Format::of_pair(data, number)
    } else if typed {
        Format::of_unified(named & 0x7f, since_gfx11)
    } else {
        Format::of_unified(
            w3 >> 12 & if since_gfx11 { 0x3f } else { 0x7f },
            since_gfx11,
        )
    };
    Some((format?, w3 & 0xfff))
}

/// The registers that hold the components.
fn registers(op: &MicroOp) -> Components {
    Components {
        row: op.dst as usize,
        packed: op.vector_memory().d16(),
        high: op.vector_memory().is_upper(),
    }
}

/// The parts of an element that are resolved separately: (offset, bytes).
fn parts(bytes: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..bytes.div_ceil(4)).map(move |word| (4 * word, (bytes - 4 * word).min(4)))
}

/// Raw words of the element of every lane.
fn read(
    wave: &Wave,
    op: &MicroOp,
    env: &mut Env<'_>,
    access: &Access,
) -> Result<[[u32; GROUP]; 4], Box<Fault>> {
    let mut words = [[0; GROUP]; 4];
    for (extra, bytes) in parts(access.bytes) {
        let part = Access {
            extra,
            bytes,
            ..*access
        };
        let mut lanes = Lanes::NONE;
        Buffer::resolve(wave, op, env, &part, &mut lanes)?;
        lanes.each(|i, pointer| {
            for byte in 0..bytes {
                // SAFETY: resolved for `bytes` bytes.
                let value = unsafe { pointer.add(byte as usize).read() };
                words[extra as usize / 4][i] |= u32::from(value) << (8 * byte);
            }
        });
    }
    Ok(words)
}

fn write(
    wave: &Wave,
    op: &MicroOp,
    env: &mut Env<'_>,
    access: &Access,
    words: &[[u32; GROUP]; 4],
) -> Checked {
    for (extra, bytes) in parts(access.bytes) {
        let part = Access {
            extra,
            bytes,
            ..*access
        };
        let mut lanes = Lanes::NONE;
        Buffer::resolve(wave, op, env, &part, &mut lanes)?;
        lanes.each(|i, pointer| {
            for byte in 0..bytes {
                let value = (words[extra as usize / 4][i] >> (8 * byte)) as u8;
                // SAFETY: resolved for writing `bytes` bytes.
                unsafe { pointer.add(byte as usize).write(value) };
            }
        });
    }
    Ok(())
}

struct Load;

impl Body for Load {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let Some((format, selects)) = format(wave, op) else {
            return unsupported(wave, "buffer format reserved");
        };
        let components = usize::from(op.vector_memory().components);
        space::each_group(wave, format.bytes(), false, |wave, access| {
            let words = read(wave, op, env, &access)?;
            let mut values = [[0; GROUP]; 4];
            for lane in 0..GROUP {
                let colour = format.load(words.map(|word| word[lane]));
                let selected = texel::select(selects, colour, format.one());
                for (values, selected) in values.iter_mut().zip(selected) {
                    values[lane] = selected;
                }
            }
            let values = &values[..components];
            registers(op).write(wave, access.group, values, format.is_integer());
            Ok(())
        })
    }
}

struct Store;

impl Body for Store {
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let Some((format, _)) = format(wave, op) else {
            return unsupported(wave, "buffer format reserved");
        };
        if !format.can_store() {
            return unsupported(
                wave,
                "buffer format conversion of a scaled or small float store",
            );
        }
        let components = usize::from(op.vector_memory().components);
        let registers = registers(op);
        space::each_group(wave, format.bytes(), true, |wave, access| {
            let mut words = [[0u32; GROUP]; 4];
            for lane in 0..GROUP {
                // Components that the instruction lacks repeat its first.
                let colour = std::array::from_fn(|component| {
                    let source = if component < components { component } else { 0 };
                    registers.read(wave, access.group, source, lane, format.is_integer())
                });
                for (words, word) in words.iter_mut().zip(format.store(colour)) {
                    words[lane] = word;
                }
            }
            write(wave, op, env, &access, &words)
        })
    }
}

/// Appends this file's rows.
#[rustfmt::skip]
pub(super) fn rows(rows: &mut Vec<Row>) {
    fn push(rows: &mut Vec<Row>, mnemonic: &'static str, data: Data, handler: fn() -> Handler) {
        rows.push(Row { mnemonic, shape: Shape::Buffer { data }, handler, changes_exec: false });
    }
    let words = |typed, components| Data::Converted { components, typed, d16: false, upper: false };
    let halves = |typed, components| Data::Converted { components, typed, d16: true, upper: false };
    let upper = Data::Converted { components: 1, typed: false, d16: true, upper: true };
    macro_rules! formats {
        ($prefix:literal, $typed:expr) => {
            formats!($prefix, $typed, "x", 1, "xy", 2, "xyz", 3, "xyzw", 4);
        };
        ($prefix:literal, $typed:expr, $($suffix:literal, $components:literal),*) => {$(
            push(rows, concat!($prefix, "_load_format_", $suffix), words($typed, $components), shell::scalar_handler::<Load>);
            push(rows, concat!($prefix, "_store_format_", $suffix), words($typed, $components), shell::scalar_handler::<Store>);
            push(rows, concat!($prefix, "_load_format_d16_", $suffix), halves($typed, $components), shell::scalar_handler::<Load>);
            push(rows, concat!($prefix, "_store_format_d16_", $suffix), halves($typed, $components), shell::scalar_handler::<Store>);
        )*};
    }
    formats!("buffer", false);
    formats!("tbuffer", true);
    push(rows, "buffer_load_format_d16_hi_x",  upper, shell::scalar_handler::<Load>);
    push(rows, "buffer_store_format_d16_hi_x", upper, shell::scalar_handler::<Store>);
}
