//! Where a memory instruction's lanes point, and loads and stores written once for every such space.

use std::marker::PhantomData;

use super::{
    lanes::{self, GROUP, Lanes},
    spread::{Column, Spread},
};
use crate::{
    LANES,
    engine::{Env, Stop},
    memory::Fault,
    micro_op::{MicroOp, flow},
    shell::Body,
    state::Wave,
};

/// The outcome of a check; boxed to keep the usual one in one register.
pub(crate) type Checked = Result<(), Box<Fault>>;

/// One access of a group of lanes.
#[derive(Clone, Copy)]
pub(crate) struct Access {
    pub group: usize,
    /// Lanes that execute, never 0.
    pub active: u16,
    /// Byte offset added to every lane's address: later parts of elements that are not in one piece.
    pub extra: u32,
    /// Bytes per lane.
    pub bytes: u32,
    pub write: bool,
}

/// A way of forming and checking addresses.
pub(crate) trait Space {
    /// Returns `true` if each lane's bytes lie next to each other and can be resolved at once.
    fn contiguous(wave: &Wave, op: &MicroOp, env: &Env<'_>, access: &Access) -> bool;

    /// For accesses that are not contiguous: whether even single dwords are torn, because some address is not a multiple of
    /// their size.
    fn torn(wave: &Wave, op: &MicroOp, access: &Access) -> bool;

    /// Host addresses of the lanes, checked. The fault names the first lane that faults.
    ///
    /// The result goes through a reference: as one value with the fault it would be copied in pieces that stall the
    /// processor (measured: half the speed of a strided load).
    fn resolve(
        wave: &Wave,
        op: &MicroOp,
        env: &mut Env<'_>,
        access: &Access,
        lanes: &mut Lanes,
    ) -> Checked;

    /// The whole wave's lanes at once, if that is possible. Some lane is active.
    #[inline(always)]
    fn spread(
        _: &mut Wave,
        _: &MicroOp,
        _: &mut Env<'_>,
        _bytes: u32,
        _write: bool,
    ) -> Option<Spread> {
        None
    }

    /// The whole wave's private memory at one address, if it is that: whole dwords, or bytes of one.
    #[inline(always)]
    fn column(
        _: &mut Wave,
        _: &MicroOp,
        _: &mut Env<'_>,
        _bytes: u32,
        _write: bool,
    ) -> Option<Column> {
        None
    }

    /// Row of the data that stores and atomics read.
    #[inline(always)]
    fn data_row(op: &MicroOp) -> usize {
        op.src[1].index as usize
    }
}

/// Resolves lanes that must all exist: one check for the whole group if it lies in one allocation used before.
#[inline(always)]
pub(crate) fn resolve_checked(
    env: &mut Env<'_>,
    wave: &Wave,
    at: [u64; GROUP],
    valid: u16,
    access: &Access,
    lanes: &mut Lanes,
) -> Checked {
    // SAFETY: what is in `lanes` is only used if one of the checks below passes for all valid lanes.
    *lanes = unsafe { Lanes::new(at, valid, access.active) };
    if valid == access.active {
        let exec: &[u32] = &wave.exec_lanes.0[GROUP * access.group..GROUP * access.group + GROUP];
        let first = at[valid.trailing_zeros() as usize & (GROUP - 1)];
        if let Some((start, last)) = env.memory.window(first, access.bytes, access.write) {
            // The sign of either difference is set for a lane outside of start..=last; both ends are below 2^63.
            let mut outside = 0;
            for i in 0..GROUP {
                let mask = exec[i] as i32 as i64 as u64;
                outside |= (at[i].wrapping_sub(start) | last.wrapping_sub(at[i])) & mask;
            }
            if outside >> 63 == 0 {
                return Ok(());
            }
        }
    }
    check_each(env, &at, valid, access)
}

/// Checks lane by lane. Also makes the allocation known for the next time.
#[cold]
#[inline(never)]
fn check_each(env: &mut Env<'_>, at: &[u64; GROUP], valid: u16, access: &Access) -> Checked {
    for i in (0..GROUP).filter(|i| valid >> i & 1 != 0) {
        let lane = (GROUP * access.group + i) as u32;
        env.memory
            .pointer(at[i], access.bytes, access.write, lane)
            .map_err(Box::new)?;
    }
    Ok(())
}

/// Stops the wave at an access that is not executed, because of `what`.
pub(crate) fn unsupported(wave: &mut Wave, what: &str) -> u32 {
    let pc = wave.pc();
    wave.stop(Stop::Unsupported(format!("{what} near {pc:#x}")))
}

/// Calls `visit` for every group with active lanes until one faults.
#[inline(always)]
pub(crate) fn each_group(
    wave: &mut Wave,
    bytes: u32,
    write: bool,
    mut visit: impl FnMut(&mut Wave, Access) -> Checked,
) -> u32 {
    let exec = wave.exec();
    for group in 0..wave.groups {
        let active = (exec >> (GROUP * group)) as u16;
        if active == 0 {
            continue;
        }
        let access = Access {
            group,
            active,
            extra: 0,
            bytes,
            write,
        };
        if let Err(fault) = visit(wave, access) {
            return wave.stop(Stop::Fault(*fault));
        }
    }
    flow::NEXT
}

/// Loads `BYTES` (1, 2 or a multiple of 4) per lane into values, byte by byte.
#[cold]
#[inline(never)]
fn gather_torn<S: Space>(
    wave: &mut Wave,
    op: &MicroOp,
    env: &mut Env<'_>,
    access: &Access,
    extra: u32,
    bytes: u32,
) -> Result<[u32; GROUP], Box<Fault>> {
    let mut values = [0; GROUP];
    for byte in 0..bytes {
        let access = Access {
            extra: extra + byte,
            bytes: 1,
            ..*access
        };
        let mut lanes = Lanes::NONE;
        S::resolve(wave, op, env, &access, &mut lanes)?;
        lanes.each(|i, pointer| {
            // SAFETY: resolved for one byte.
            values[i] |= u32::from(unsafe { pointer.read() }) << (8 * byte);
        });
    }
    Ok(values)
}

#[cold]
#[inline(never)]
fn scatter_torn<S: Space>(
    wave: &Wave,
    op: &MicroOp,
    env: &mut Env<'_>,
    access: &Access,
    extra: u32,
    bytes: u32,
    values: [u32; GROUP],
) -> Checked {
    for byte in 0..bytes {
        let access = Access {
            extra: extra + byte,
            bytes: 1,
            ..*access
        };
        let mut lanes = Lanes::NONE;
        S::resolve(wave, op, env, &access, &mut lanes)?;
        lanes.each(|i, pointer| {
            // SAFETY: resolved for writing one byte.
            unsafe { pointer.write((values[i] >> (8 * byte)) as u8) };
        });
    }
    Ok(())
}

/// Loads `WORDS` dwords per lane.
pub(crate) struct LoadWords<S, const WORDS: usize>(PhantomData<S>);

impl<S: Space, const WORDS: usize> LoadWords<S, WORDS> {
    /// The accesses that [`Spread`] cannot do.
    #[inline(never)]
    fn by_groups(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let dst = op.dst as usize;
        each_group(
            wave,
            4 * WORDS as u32,
            false,
            #[inline(always)]
            |wave, access| {
                if S::contiguous(wave, op, env, &access) {
                    let mut lanes = Lanes::NONE;
                    S::resolve(wave, op, env, &access, &mut lanes)?;
                    lanes::load_words::<WORDS>(wave, dst, access.group, &lanes);
                    return Ok(());
                }
                // All addresses before the first result: the result may lie over the address.
                if S::torn(wave, op, &access) {
                    let mut values = [[0; GROUP]; WORDS];
                    for (word, values) in values.iter_mut().enumerate() {
                        *values = gather_torn::<S>(wave, op, env, &access, 4 * word as u32, 4)?;
                    }
                    for (word, values) in values.into_iter().enumerate() {
                        lanes::write_active(wave, dst + word, access.group, values);
                    }
                    return Ok(());
                }
                let mut parts = [Lanes::NONE; WORDS];
                for (word, part) in parts.iter_mut().enumerate() {
                    S::resolve(wave, op, env, &dword(&access, word), part)?;
                }
                for (word, part) in parts.iter().enumerate() {
                    lanes::load_words::<1>(wave, dst + word, access.group, part);
                }
                Ok(())
            },
        )
    }
}

impl<S: Space, const WORDS: usize> Body for LoadWords<S, WORDS> {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let dst = op.dst as usize;
        if let Some(column) = S::column(wave, op, env, 4 * WORDS as u32, false) {
            column.load_words::<WORDS>(wave, dst);
            return flow::NEXT;
        }
        if let Some(spread) = S::spread(wave, op, env, 4 * WORDS as u32, false) {
            if WORDS == 1
                && let Some(first) = spread.block(wave)
            {
                let key = std::ptr::from_ref(op).addr() / size_of::<MicroOp>();
                env.memory.look_ahead(key, first, 4 * LANES);
            }
            spread.load_words::<WORDS>(wave, dst);
            return flow::NEXT;
        }
        Self::by_groups(wave, op, env)
    }
}

/// Dword number `word` of an access.
#[inline(always)]
fn dword(access: &Access, word: usize) -> Access {
    Access {
        extra: 4 * word as u32,
        bytes: 4,
        ..*access
    }
}

/// Stores `WORDS` dwords per lane.
pub(crate) struct StoreWords<S, const WORDS: usize>(PhantomData<S>);

impl<S: Space, const WORDS: usize> StoreWords<S, WORDS> {
    /// The accesses that [`Spread`] cannot do.
    #[inline(never)]
    fn by_groups(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let data = S::data_row(op);
        each_group(
            wave,
            4 * WORDS as u32,
            true,
            #[inline(always)]
            |wave, access| {
                if S::contiguous(wave, op, env, &access) {
                    let mut lanes = Lanes::NONE;
                    S::resolve(wave, op, env, &access, &mut lanes)?;
                    lanes::store_words::<WORDS>(wave, data, access.group, &lanes);
                    return Ok(());
                }
                let torn = S::torn(wave, op, &access);
                for word in 0..WORDS {
                    if torn {
                        let values = *lanes::words(wave, data + word, access.group);
                        scatter_torn::<S>(wave, op, env, &access, 4 * word as u32, 4, values)?;
                    } else {
                        let mut lanes = Lanes::NONE;
                        S::resolve(wave, op, env, &dword(&access, word), &mut lanes)?;
                        lanes::store_words::<1>(wave, data + word, access.group, &lanes);
                    }
                }
                Ok(())
            },
        )
    }
}

impl<S: Space, const WORDS: usize> Body for StoreWords<S, WORDS> {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let data = S::data_row(op);
        if let Some(column) = S::column(wave, op, env, 4 * WORDS as u32, true) {
            column.store_words::<WORDS>(wave, data);
            return flow::NEXT;
        }
        if let Some(spread) = S::spread(wave, op, env, 4 * WORDS as u32, true) {
            spread.store_words::<WORDS>(wave, data);
            return flow::NEXT;
        }
        Self::by_groups(wave, op, env)
    }
}

/// Loads 1 or 2 bytes per lane, which fill the register as the row says.
pub(crate) struct LoadBytes<S, const BYTES: usize>(PhantomData<S>);

impl<S: Space, const BYTES: usize> LoadBytes<S, BYTES> {
    /// The accesses that [`Spread`] cannot do.
    #[inline(never)]
    fn by_groups(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let fill = op.vector_memory().fill();
        let dst = op.dst as usize;
        each_group(
            wave,
            BYTES as u32,
            false,
            #[inline(always)]
            |wave, access| {
                if BYTES > 1 && !S::contiguous(wave, op, env, &access) && S::torn(wave, op, &access)
                {
                    let values = gather_torn::<S>(wave, op, env, &access, 0, BYTES as u32)?;
                    let old = *lanes::words(wave, dst, access.group);
                    let filled = std::array::from_fn(|i| fill.apply(old[i], values[i]));
                    lanes::write_active(wave, dst, access.group, filled);
                    return Ok(());
                }
                let mut lanes = Lanes::NONE;
                S::resolve(wave, op, env, &access, &mut lanes)?;
                lanes::load_bytes::<BYTES>(wave, dst, access.group, &lanes, fill);
                Ok(())
            },
        )
    }
}

impl<S: Space, const BYTES: usize> Body for LoadBytes<S, BYTES> {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let fill = op.vector_memory().fill();
        let dst = op.dst as usize;
        if let Some(column) = S::column(wave, op, env, BYTES as u32, false) {
            column.load_bytes::<BYTES>(wave, dst, fill);
            return flow::NEXT;
        }
        if let Some(spread) = S::spread(wave, op, env, BYTES as u32, false) {
            spread.load_bytes::<BYTES>(wave, dst, fill);
            return flow::NEXT;
        }
        Self::by_groups(wave, op, env)
    }
}

/// Stores the low 1 or 2 bytes of the low or of the high half.
pub(crate) struct StoreBytes<S, const BYTES: usize>(PhantomData<S>);

impl<S: Space, const BYTES: usize> StoreBytes<S, BYTES> {
    /// The accesses that [`Spread`] cannot do.
    #[inline(never)]
    fn by_groups(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let shift = op.vector_memory().store_shift();
        let data = S::data_row(op);
        each_group(
            wave,
            BYTES as u32,
            true,
            #[inline(always)]
            |wave, access| {
                if BYTES > 1 && !S::contiguous(wave, op, env, &access) && S::torn(wave, op, &access)
                {
                    let values = lanes::words(wave, data, access.group).map(|value| value >> shift);
                    return scatter_torn::<S>(wave, op, env, &access, 0, BYTES as u32, values);
                }
                let mut lanes = Lanes::NONE;
                S::resolve(wave, op, env, &access, &mut lanes)?;
                lanes::store_bytes::<BYTES>(wave, data, access.group, &lanes, shift);
                Ok(())
            },
        )
    }
}

impl<S: Space, const BYTES: usize> Body for StoreBytes<S, BYTES> {
    #[inline(always)]
    fn run(wave: &mut Wave, op: &MicroOp, env: &mut Env<'_>) -> u32 {
        let shift = op.vector_memory().store_shift();
        let data = S::data_row(op);
        if let Some(column) = S::column(wave, op, env, BYTES as u32, true) {
            column.store_bytes::<BYTES>(wave, data, shift);
            return flow::NEXT;
        }
        if let Some(spread) = S::spread(wave, op, env, BYTES as u32, true) {
            spread.store_bytes::<BYTES>(wave, data, shift);
            return flow::NEXT;
        }
        Self::by_groups(wave, op, env)
    }
}
