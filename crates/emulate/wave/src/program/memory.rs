//! Lowers what accesses memory: SMEM, FLAT with GLOBAL and SCRATCH, DS, buffers and images.

use isa::{Format, Inst};

use super::{
    Config,
    lowering::is_half_load,
    operands::{data_row, exec_after, scalar_destination, scalar_slot, source, vgpr},
};
use isa::fields::{self, Buffer, Ds, Flat, Smem};

use crate::{
    micro_op::{
        Data, Generation, Image, ImageOperands, Lds, MicroOp, ScalarMemory, Src, VectorMemory,
    },
    ports::Type,
    rows::{Row, to_lds},
};

/// SMEM with `words` registers of data.
pub(super) fn scalar(
    config: &Config,
    inst: &Inst,
    words: u8,
    buffer: bool,
    op: &mut MicroOp,
) -> Result<(), String> {
    let fields = Smem::decode(inst, config.target.family);
    let words = usize::from(words);
    op.src[0] = Src::scalar(fields.sbase);
    if let Some(soffset) = fields.soffset {
        op.src[1] = source(config, u32::from(soffset), Type::B32, 0)?;
    }
    op.src[2] = Src::scalar(fields.sdata);
    op.dst = scalar_destination(config, u32::from(fields.sdata), words)?;
    op.after = exec_after(op.dst, words);
    op.set(ScalarMemory::new(fields.offset, buffer, fields.glc));
    Ok(())
}

/// The row's description of the data, as it is on the target.
fn on_target(config: &Config, inst: &Inst, data: Data) -> Data {
    if config.target.has_sramecc_by_default() && is_half_load(inst) {
        data.with_ecc()
    } else {
        data
    }
}

/// FLAT, GLOBAL and SCRATCH.
pub(super) fn flat(
    config: &Config,
    inst: &Inst,
    segment_relative: bool,
    data: Data,
    op: &mut MicroOp,
) -> Result<(), String> {
    let fields = Flat::decode(inst, config.target, segment_relative);
    let data_row = |index| data_row(config, fields.acc, index);
    op.src[0] = Src::vector(vgpr(config, fields.addr)?);
    op.src[1] = Src::vector(data_row(fields.data)?);
    if let Some(saddr) = fields.saddr {
        op.src[2] = Src::scalar(scalar_slot(config, u32::from(saddr)));
    }
    op.dst = data_row(fields.vdst)?;
    let generation = Generation::new(config.target.family);
    let vector_address = inst.format != Format::Scratch || !fields.no_vector_address;
    op.set(
        VectorMemory::new(generation, on_target(config, inst, data), fields.glc).flat(
            fields.offset,
            fields.saddr.is_some(),
            vector_address,
        ),
    );
    Ok(())
}

/// DS. `gds`: the bit for GDS may be set.
pub(super) fn lds(
    config: &Config,
    inst: &Inst,
    data: Data,
    gds: bool,
    op: &mut MicroOp,
) -> Result<(), String> {
    let fields = Ds::decode(inst, config.target.family);
    if fields.gds && !gds {
        return Err("GDS does not exist on the emulated device".into());
    }
    let data_row = |index| data_row(config, fields.acc, index);
    op.src[0] = Src::vector(vgpr(config, fields.addr)?);
    op.src[1] = Src::vector(data_row(fields.data0)?);
    op.src[2] = Src::vector(data_row(fields.data1)?);
    op.dst = data_row(fields.vdst)?;
    let generation = Generation::new(config.target.family);
    op.set(Lds::new(
        generation,
        on_target(config, inst, data),
        fields.offset(),
    ));
    Ok(())
}

/// MUBUF, MTBUF and their successors.
pub(super) fn buffer(
    config: &Config,
    inst: &Inst,
    row: &Row,
    data: Data,
    op: &mut MicroOp,
) -> Result<(), String> {
    let typed = matches!(data, Data::Converted { typed: true, .. });
    let fields = Buffer::decode(inst, config.target.family, typed);
    op.src[0] = Src::vector(vgpr(config, fields.vaddr)?);
    op.src[1] = Src::scalar(fields.srsrc);
    op.src[2] = source(config, u32::from(fields.soffset), Type::B32, 0)?;
    op.dst = data_row(config, fields.acc, fields.vdata)?;
    let generation = Generation::new(config.target.family);
    op.set(
        VectorMemory::new(generation, on_target(config, inst, data), fields.glc).buffer(
            fields.offset,
            fields.offen,
            fields.idxen,
            fields.format,
        ),
    );
    if fields.lds {
        op.handler = to_lds(row.mnemonic).ok_or_else(|| "no such load to LDS".to_owned())?;
    }
    Ok(())
}

/// MIMG, VIMAGE and VSAMPLE.
pub(super) fn image(
    config: &Config,
    inst: &Inst,
    operands: ImageOperands,
    words: u8,
    op: &mut MicroOp,
) -> Result<(), String> {
    let fields = fields::Image::decode(inst, config.target);
    if fields.r128 || fields.status {
        return Err("half a descriptor, or a status behind the data".into());
    }
    op.src[0] = Src::vector(vgpr(config, u16::from(fields.addresses[0]))?);
    op.src[1] = Src::scalar(fields.srsrc);
    op.src[2] = Src::scalar(fields.ssamp);
    let data_row = |index| data_row(config, fields.acc, index);
    let components = u16::from(words).max(fields.dmask.count_ones() as u16);
    let registers = if fields.d16 {
        components.div_ceil(2)
    } else {
        components
    };
    op.dst = data_row(fields.vdata)?;
    data_row(fields.vdata + registers.max(1) - 1)?;
    let generation = Generation::new(config.target.family);
    op.set(Image::new(generation, operands, &fields));
    Ok(())
}
