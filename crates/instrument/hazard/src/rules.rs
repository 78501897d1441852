//! The hazards, one row each. Wait states as in the "manually inserted wait states" tables of the ISA manuals (Vega 7.6,
//! CDNA3 4.5) and in what LLVM pads.

use crate::Node;
use gfx::{Family, Matrix, Target};
use isa::{Effects, Format, Known, Product, Traits};

/// How the distance between two instructions is counted.
#[derive(Clone, Copy, Debug)]
pub enum Unit {
    /// Issued instructions; `s_nop` counts what it says.
    States,
    /// VALU instructions; two transcendental ones, or a wait for vector results, end the hazard.
    Vector,
    /// No distance is enough, but an instruction of some kind in between. The text names one.
    Until(fn(&Node) -> bool, &'static str),
    /// As `Until`, and the two conflict only across a branch. A producer before the branch ends the hazard, and a
    /// consumer everywhere.
    AcrossBranch(fn(&Node) -> bool, &'static str),
}

impl Unit {
    /// Returns `true` if padding of a known length ends the hazard.
    pub fn is_distance(self) -> bool {
        matches!(self, Unit::States | Unit::Vector)
    }

    /// The remedy of a hazard that no distance ends.
    pub fn remedy(self) -> Option<&'static str> {
        match self {
            Unit::States | Unit::Vector => None,
            Unit::Until(_, remedy) | Unit::AcrossBranch(_, remedy) => Some(remedy),
        }
    }
}

/// A hazard: `consumer` needs at least `distance` between itself and a `producer` that conflicts.
pub struct Rule {
    pub name: &'static str,
    pub applies: fn(&Target) -> bool,
    pub producer: fn(&Node) -> bool,
    pub consumer: fn(&Node) -> bool,
    /// Given consumer and producer: whether they meet in a register. `None`: any two conflict.
    pub conflict: Option<fn(&Node, &Node) -> bool>,
    pub distance: u32,
    pub unit: Unit,
}

type Test = fn(&Node) -> bool;
type Conflict = fn(&Node, &Node) -> bool;

impl Rule {
    /// Returns `true` if two instructions of the rule's kinds conflict.
    pub fn conflicts(&self, consumer: &Node, producer: &Node) -> bool {
        self.conflict
            .is_none_or(|conflict| conflict(consumer, producer))
    }
}

const fn states(
    name: &'static str,
    applies: fn(&Target) -> bool,
    producer: Test,
    consumer: Test,
    conflict: Option<Conflict>,
    distance: u32,
) -> Rule {
    Rule {
        name,
        applies,
        producer,
        consumer,
        conflict,
        distance,
        unit: Unit::States,
    }
}

const fn until(
    name: &'static str,
    applies: fn(&Target) -> bool,
    producer: Test,
    consumer: Test,
    conflict: Option<Conflict>,
    (ends, remedy): (Test, &'static str),
) -> Rule {
    Rule {
        name,
        applies,
        producer,
        consumer,
        conflict,
        distance: 1,
        unit: Unit::Until(ends, remedy),
    }
}

fn gfx9(target: &Target) -> bool {
    target.family == Family::Gfx9
}

fn gfx908(target: &Target) -> bool {
    target.matrix == Matrix::Mfma1
}

fn gfx90a(target: &Target) -> bool {
    target.matrix == Matrix::Mfma2
}

fn gfx90a_up(target: &Target) -> bool {
    matches!(target.matrix, Matrix::Mfma2 | Matrix::Mfma3 | Matrix::Mfma4)
}

fn gfx940_up(target: &Target) -> bool {
    matches!(target.matrix, Matrix::Mfma3 | Matrix::Mfma4)
}

fn gfx9_before_940(target: &Target) -> bool {
    gfx9(target) && !gfx940_up(target)
}

/// The targets with WMMA for which LLVM adds padding.
fn gfx11_up(target: &Target) -> bool {
    matches!(target.family, Family::Gfx11 | Family::Gfx12)
}

/// Repaired in gfx1150.
fn gfx110x(target: &Target) -> bool {
    target.family == Family::Gfx11 && target.version.1 == 0
}

fn gfx10_1(target: &Target) -> bool {
    target.family == Family::Gfx10
}

fn gfx10(target: &Target) -> bool {
    matches!(target.family, Family::Gfx10 | Family::Gfx10_3)
}

fn gfx10_and_11(target: &Target) -> bool {
    gfx10(target) || target.family == Family::Gfx11
}

/// Returns `true` if a scalar instruction or load overwrites scalar registers.
fn writes_scalars(node: &Node) -> bool {
    (node.is_salu() || node.is_smem()) && node.defines_any_scalar()
}

fn vector_memory(node: &Node) -> bool {
    node.is_vmem() || node.is_lds()
}

fn ends_vector_reads(node: &Node) -> bool {
    node.is_valu() || node.waits_for_everything() || node.waits_for_vector_sources()
}

fn valu_writes_scalars(node: &Node) -> bool {
    node.is_valu() && node.writes_any_scalar()
}

/// Scalar instructions other than waits and the like: what they read of loads was waited for.
fn ends_scalar_reads(node: &Node) -> bool {
    node.is_salu()
        && node.inst.format != Format::Sopp
        && !node.inst.effects.contains(Effects::WAIT)
        && !node.is(Known::SVersion)
        || node.waits_for_scalar_loads()
}

/// EXEC is read by all memory instructions, and by scalar ones that name it.
fn reads_exec_outside_valu(node: &Node) -> bool {
    !node.is_valu() && (node.is_vmem() || node.is_lds() || node.reads_exec())
}

fn ends_exec_reads(node: &Node) -> bool {
    valu_writes_scalars(node) || node.waits_for_scalar_results()
}

fn permutes_lanes(node: &Node) -> bool {
    node.is_of(Traits::PERMUTES)
}

/// The vector unit drops `v_nop`.
fn valu_but_nop(node: &Node) -> bool {
    node.is_valu() && !node.is(Known::VNop)
}

fn compares_to_exec(node: &Node) -> bool {
    node.is_valu() && node.is_of(Traits::COMPARES_TO_EXEC)
}

fn float_atomic(node: &Node) -> bool {
    node.is_vmem() && node.is_of(Traits::FLOAT_ATOMIC)
}

fn waits_or_valu(node: &Node) -> bool {
    node.is_valu() || node.waits()
}

fn denorm_mode(node: &Node) -> bool {
    node.is(Known::SDenormMode)
}

/// Images that name their addresses one by one, in four dwords or more.
fn long_image(node: &Node) -> bool {
    node.inst.format == Format::Mimg && node.inst.size >= 16
}

fn buffer_with_offset(node: &Node) -> bool {
    const BITS: u32 = 6;
    let address = node.inst.buffer(node.target.family);
    address.is_some_and(|address| address.offset & BITS != 0)
}

fn local_memory(node: &Node) -> bool {
    node.inst.format == Format::Ds
}

/// Invalidations of caches count, too.
fn global_memory(node: &Node) -> bool {
    use Format::{Global, Mimg, Mtbuf, Mubuf, Scratch};
    matches!(node.inst.format, Mubuf | Mtbuf | Mimg | Global | Scratch)
}

/// FLAT may be either; LLVM's releases disagree on which it is.
fn waits_for_stores(node: &Node) -> bool {
    node.waits_for_all_stores() || node.inst.format == Format::Flat
}

fn valu_writes_exec(node: &Node) -> bool {
    node.is_valu() && node.writes_exec()
}

fn valu_writes_vcc(node: &Node) -> bool {
    node.is_valu() && node.writes_vcc()
}

fn lane_access(node: &Node) -> bool {
    node.is_of(Traits::SELECTS_LANE)
}

fn lane_read(node: &Node) -> bool {
    node.is_of(Traits::LANE_TO_SCALAR)
}

fn any_lane(node: &Node) -> bool {
    lane_access(node) || lane_read(node)
}

fn salu_writes_m0(node: &Node) -> bool {
    node.is_salu() && node.writes_m0()
}

fn needs_m0(node: &Node) -> bool {
    node.is_of(Traits::NEEDS_M0) || node.is_gds() || node.loads_to_lds()
}

fn setreg(node: &Node) -> bool {
    node.is_of(Traits::WRITES_HARDWARE)
}

fn hardware_register(node: &Node) -> bool {
    node.is_of(Traits::READS_HARDWARE | Traits::WRITES_HARDWARE)
}

fn same_hardware_register(consumer: &Node, producer: &Node) -> bool {
    consumer.hardware_register() == producer.hardware_register()
}

fn valu_reads_scalar(consumer: &Node, producer: &Node) -> bool {
    consumer.names_scalar_of(producer) || producer.writes_vcc() && consumer.reads_vcc()
}

fn plain_valu(node: &Node) -> bool {
    node.is_valu() && !node.is_transcendental()
}

fn divides_by_vcc(node: &Node) -> bool {
    node.is_of(Traits::DIVIDES_BY_VCC)
}

/// A matrix instruction whose product is so.
fn multiplies(node: &Node, is_so: impl Fn(Product) -> bool) -> bool {
    node.is_matrix() && node.inst.op.product().is_some_and(is_so)
}

/// Products of singles and of narrower numbers.
fn single_precision_matrix(node: &Node, tile: u8) -> bool {
    multiplies(node, |product| !product.doubles && product.tile == tile)
}

fn matrix_2_passes(node: &Node) -> bool {
    single_precision_matrix(node, 4)
}

fn matrix_8_passes(node: &Node) -> bool {
    single_precision_matrix(node, 16)
}

fn matrix_16_passes(node: &Node) -> bool {
    single_precision_matrix(node, 32)
}

fn gfx942(target: &Target) -> bool {
    target.matrix == Matrix::Mfma3
}

fn gfx950(target: &Target) -> bool {
    target.matrix == Matrix::Mfma4
}

/// From gfx94x on, products of singles end one state sooner than others of as many passes.
fn of_singles(node: &Node, tile: u8) -> bool {
    single_precision_matrix(node, tile) && multiplies(node, |product| product.of_singles)
}

fn singles_2_passes(node: &Node) -> bool {
    of_singles(node, 4)
}

fn singles_8_passes(node: &Node) -> bool {
    of_singles(node, 16)
}

fn singles_16_passes(node: &Node) -> bool {
    of_singles(node, 32)
}

/// Products of narrower numbers, with several blocks or one.
fn of_narrow(node: &Node, tile: u8, several: bool) -> bool {
    let is_so = |product: Product| !product.of_singles && product.blocks == several;
    single_precision_matrix(node, tile) && multiplies(node, is_so)
}

fn narrow_2_passes(node: &Node) -> bool {
    of_narrow(node, 4, true)
}

fn narrow_4_passes(node: &Node) -> bool {
    of_narrow(node, 16, false)
}

fn narrow_8_passes(node: &Node) -> bool {
    of_narrow(node, 16, true) || of_narrow(node, 32, false)
}

fn narrow_16_passes(node: &Node) -> bool {
    of_narrow(node, 32, true)
}

fn matrix_or_accumulator_write(node: &Node) -> bool {
    node.is_matrix() || writes_accumulator(node)
}

fn writes_accumulator(node: &Node) -> bool {
    node.is(Known::VAccvgprWriteB32)
}

fn double_precision_matrix(node: &Node, tile: u8) -> bool {
    multiplies(node, |product| product.doubles && product.tile == tile)
}

fn doubles_4x4(node: &Node) -> bool {
    double_precision_matrix(node, 4)
}

fn doubles_16x16(node: &Node) -> bool {
    double_precision_matrix(node, 16)
}

fn any_doubles(node: &Node) -> bool {
    multiplies(node, |product| product.doubles)
}

/// From gfx94x on: products of narrower numbers, which run on another unit than products of singles.
fn narrow_sum(node: &Node) -> bool {
    multiplies(node, |product| !product.doubles && !product.of_singles)
}

fn any_sum_of_singles(node: &Node) -> bool {
    node.is_matrix() && !any_doubles(node) && !narrow_sum(node)
}

fn double_fma(node: &Node) -> bool {
    node.is(Known::VFmaF64) || node.is(Known::VFmacF64)
}

fn valu_or_matrix(node: &Node) -> bool {
    node.is_valu() || node.is_matrix()
}

fn memory_or_export(node: &Node) -> bool {
    node.uses_vectors() && !node.is_valu()
}

fn reads_multiplies_or_overwrites(consumer: &Node, producer: &Node) -> bool {
    match consumer.is_matrix() {
        true => consumer.multiplies_result_of(producer),
        false => reads_or_overwrites(consumer, producer),
    }
}

fn reads_accumulator(node: &Node) -> bool {
    node.is(Known::VAccvgprReadB32)
}

fn memory(node: &Node) -> bool {
    node.is_vmem() || node.is_lds()
}

fn uses_or_matrix(node: &Node) -> bool {
    node.uses_vectors() || node.is_matrix()
}

fn reads_or_overwrites(consumer: &Node, producer: &Node) -> bool {
    consumer.reads_vector_of(producer)
        || consumer.is_valu() && consumer.overwrites_vector_of(producer)
}

/// All of them, but for those of scalar registers that [`crate::check_scalars`] finds.
#[rustfmt::skip]
pub static RULES: &[Rule] = &[
    states("VALU writes SGPR, VMEM reads it",                 gfx9,      Node::is_valu,           Node::is_vmem,           Some(Node::names_scalar_of),          5),
    states("VALU writes EXEC, DPP",                           gfx9,      valu_writes_exec,        Node::is_dpp,            None,                         5),
    states("VALU writes VGPR, DPP reads it",                  gfx9,      Node::is_valu,           Node::is_dpp,            Some(Node::reads_vector_of),          2),
    states("VALU writes VCC, v_div_fmas",                     gfx9,      valu_writes_vcc,         divides_by_vcc,          None,                         4),
    states("VALU writes SGPR, lane select reads it",          gfx9,      Node::is_valu,           lane_access,             Some(Node::selects_lane_by),          4),
    states("s_setreg, access to the same register",           gfx9,      setreg,                  hardware_register,       Some(same_hardware_register),         2),
    states("SALU writes M0, instruction uses it",             gfx9,      salu_writes_m0,          needs_m0,                None,                         1),
    states("store of more than 64 bits, VALU overwrites data", gfx9_before_940, Node::is_wide_store, Node::is_valu,        Some(Node::overwrites_store_data_of), 1),
    states("store of more than 64 bits, VALU overwrites data", gfx940_up, Node::is_wide_store,    Node::is_valu,           Some(Node::overwrites_store_data_of), 2),
    states("VALU writes SGPR or VCC, VALU reads it",          gfx940_up, Node::is_valu,           Node::is_valu,           Some(valu_reads_scalar),              2),
    states("VALU writes VGPR, lane read",                     gfx940_up, Node::is_valu,           lane_read,               Some(Node::reads_lanes_of),           1),
    states("VALU writes EXEC, lane access",                   gfx940_up, valu_writes_exec,        any_lane,                None,                         4),
    states("transcendental result, VALU reads it",            gfx940_up, Node::is_transcendental, plain_valu,              Some(Node::reads_vector_of),          1),
    states("SDWA writes part of a VGPR, VALU reads it",       gfx940_up, Node::writes_part_by_sdwa, Node::is_valu,         Some(Node::reads_vector_of),          1),
    states("v_accvgpr_read writes VGPR, memory instruction reads it", gfx908, reads_accumulator, memory,                   Some(Node::reads_vector_of),          2),
    states("VALU writes VGPR, matrix instruction reads it",   gfx90a_up, Node::is_valu,           Node::is_matrix,         Some(Node::reads_vector_of),          2),
    states("VALU writes EXEC, matrix instruction",            gfx90a_up, valu_writes_exec,        Node::is_matrix,         None,                         4),
    states("4x4 matrix result, read, multiplied or overwritten",          gfx90a,    matrix_2_passes,         uses_or_matrix,      Some(reads_multiplies_or_overwrites),            5),
    states("16x16 matrix result, read, multiplied or overwritten",        gfx90a,    matrix_8_passes,         uses_or_matrix,      Some(reads_multiplies_or_overwrites),           11),
    states("32x32 matrix result, read, multiplied or overwritten",        gfx90a,    matrix_16_passes,        uses_or_matrix,      Some(reads_multiplies_or_overwrites),           19),
    states("4x4 matrix result, read, multiplied or overwritten",          gfx940_up, singles_2_passes,        uses_or_matrix,      Some(reads_multiplies_or_overwrites),            4),
    states("16x16 matrix result, read, multiplied or overwritten",        gfx940_up, singles_8_passes,        uses_or_matrix,      Some(reads_multiplies_or_overwrites),           10),
    states("32x32 matrix result, read, multiplied or overwritten",        gfx940_up, singles_16_passes,       uses_or_matrix,      Some(reads_multiplies_or_overwrites),           18),
    states("matrix result of 2 passes, read, multiplied or overwritten",  gfx940_up, narrow_2_passes,         uses_or_matrix,      Some(reads_multiplies_or_overwrites),            5),
    states("matrix result of 4 passes, read, multiplied or overwritten",  gfx942,    narrow_4_passes,         uses_or_matrix,      Some(reads_multiplies_or_overwrites),            7),
    states("matrix result of 8 passes, read, multiplied or overwritten",  gfx942,    narrow_8_passes,         uses_or_matrix,      Some(reads_multiplies_or_overwrites),           11),
    states("matrix result of 16 passes, read, multiplied or overwritten", gfx942,    narrow_16_passes,        uses_or_matrix,      Some(reads_multiplies_or_overwrites),           19),
    states("matrix result of 4 passes, read, multiplied or overwritten",  gfx950,    narrow_4_passes,         uses_or_matrix,      Some(reads_multiplies_or_overwrites),            8),
    states("matrix result of 8 passes, read, multiplied or overwritten",  gfx950,    narrow_8_passes,         uses_or_matrix,      Some(reads_multiplies_or_overwrites),           12),
    states("matrix result of 16 passes, read, multiplied or overwritten", gfx950,    narrow_16_passes,        uses_or_matrix,      Some(reads_multiplies_or_overwrites),           20),
    states("VALU writes EXEC, matrix instruction or v_accvgpr_write", gfx908, valu_writes_exec,   matrix_or_accumulator_write, None,                     4),
    states("VALU writes VGPR, matrix instruction or v_accvgpr_write reads it", gfx908, Node::is_valu, matrix_or_accumulator_write, Some(Node::reads_vgpr_of), 2),
    states("4x4 matrix result, v_accvgpr_read",               gfx908,    matrix_2_passes,         reads_accumulator,       Some(Node::reads_vector_of),          4),
    states("16x16 matrix result, v_accvgpr_read",             gfx908,    matrix_8_passes,         reads_accumulator,       Some(Node::reads_vector_of),         10),
    states("32x32 matrix result, v_accvgpr_read",             gfx908,    matrix_16_passes,        reads_accumulator,       Some(Node::reads_vector_of),         18),
    states("4x4 matrix result, v_accvgpr_write",              gfx908,    matrix_2_passes,         writes_accumulator,      Some(Node::overwrites_vector_of),     1),
    states("16x16 matrix result, v_accvgpr_write",            gfx908,    matrix_8_passes,         writes_accumulator,      Some(Node::overwrites_vector_of),     7),
    states("32x32 matrix result, v_accvgpr_write",            gfx908,    matrix_16_passes,        writes_accumulator,      Some(Node::overwrites_vector_of),    15),
    states("matrix result, multiplied",                       gfx908,    Node::is_matrix,         Node::is_matrix,         Some(Node::multiplies_result_of),     4),
    states("matrix result, a part of it added",               gfx908,    Node::is_matrix,         Node::is_matrix,         Some(Node::adds_part_of_result_of),   2),
    states("v_accvgpr_write, matrix instruction multiplies it", gfx908,  writes_accumulator,      Node::is_matrix,         Some(Node::multiplies_result_of),     3),
    states("v_accvgpr_write, matrix instruction adds it",     gfx908,    writes_accumulator,      Node::is_matrix,         Some(Node::adds_result_of),           1),
    states("v_accvgpr_write, v_accvgpr_read",                 gfx908,    writes_accumulator,      reads_accumulator,       Some(Node::reads_vector_of),          3),
    states("16x16 matrix instruction adds it, v_accvgpr_write", gfx908,  matrix_8_passes,         writes_accumulator,      Some(Node::overwrites_summand_of),    5),
    states("32x32 matrix instruction adds it, v_accvgpr_write", gfx908,  matrix_16_passes,        writes_accumulator,      Some(Node::overwrites_summand_of),   13),
    states("4x4 matrix result, a part of it added",           gfx90a,    matrix_2_passes,         Node::is_matrix,         Some(Node::adds_part_of_result_of),   2),
    states("16x16 matrix result, a part of it added",         gfx90a,    matrix_8_passes,         Node::is_matrix,         Some(Node::adds_part_of_result_of),   8),
    states("32x32 matrix result, a part of it added",         gfx90a,    matrix_16_passes,        Node::is_matrix,         Some(Node::adds_part_of_result_of),  16),
    states("4x4 matrix instruction adds it, VALU overwrites it",   gfx90a, matrix_2_passes,       Node::is_valu,           Some(Node::overwrites_summand_of),    1),
    states("16x16 matrix instruction adds it, VALU overwrites it", gfx90a, matrix_8_passes,       Node::is_valu,           Some(Node::overwrites_summand_of),    7),
    states("32x32 matrix instruction adds it, VALU overwrites it", gfx90a, matrix_16_passes,      Node::is_valu,           Some(Node::overwrites_summand_of),   15),
    states("4x4 matrix result, added",                        gfx940_up, singles_2_passes,        any_sum_of_singles,      Some(Node::adds_result_of),           2),
    states("16x16 matrix result, a part of it added",         gfx940_up, singles_8_passes,        any_sum_of_singles,      Some(Node::adds_part_of_result_of),   8),
    states("32x32 matrix result, a part of it added",         gfx940_up, singles_16_passes,       any_sum_of_singles,      Some(Node::adds_part_of_result_of),  16),
    states("matrix result of 2 passes, added",                gfx940_up, narrow_2_passes,         Node::is_matrix,         Some(Node::adds_result_of),           2),
    states("matrix result of 2 passes, a part of it added",   gfx940_up, narrow_2_passes,         Node::is_matrix,         Some(Node::adds_part_of_result_of),   3),
    states("matrix result of 4 passes, a part of it added",   gfx940_up, narrow_4_passes,         Node::is_matrix,         Some(Node::adds_part_of_result_of),   5),
    states("matrix result of 8 passes, a part of it added",   gfx940_up, narrow_8_passes,         Node::is_matrix,         Some(Node::adds_part_of_result_of),   9),
    states("matrix result of 16 passes, a part of it added",  gfx940_up, narrow_16_passes,        Node::is_matrix,         Some(Node::adds_part_of_result_of),  17),
    states("matrix instruction of 2 passes adds it, VALU overwrites it",  gfx940_up, narrow_2_passes,  Node::is_valu,       Some(Node::overwrites_summand_of),    1),
    states("matrix instruction of 4 passes adds it, VALU overwrites it",  gfx940_up, narrow_4_passes,  Node::is_valu,       Some(Node::overwrites_summand_of),    3),
    states("matrix instruction of 8 passes adds it, VALU overwrites it",  gfx940_up, narrow_8_passes,  Node::is_valu,       Some(Node::overwrites_summand_of),    7),
    states("matrix instruction of 16 passes adds it, VALU overwrites it", gfx940_up, narrow_16_passes, Node::is_valu,       Some(Node::overwrites_summand_of),   15),
    states("4x4 matrix result of doubles, VALU touches it or it is multiplied",   gfx90a_up, doubles_4x4,   valu_or_matrix,   Some(reads_multiplies_or_overwrites),  6),
    states("16x16 matrix result of doubles, VALU touches it or it is multiplied", gfx90a_up, doubles_16x16, valu_or_matrix,   Some(reads_multiplies_or_overwrites), 11),
    states("4x4 matrix result of doubles, memory instruction reads it",   gfx90a_up, doubles_4x4,   memory_or_export, Some(Node::reads_vector_of),           9),
    states("16x16 matrix result of doubles, memory instruction reads it", gfx90a_up, doubles_16x16, memory_or_export, Some(Node::reads_vector_of),          18),
    states("4x4 matrix result of doubles, added",             gfx90a_up, doubles_4x4,             doubles_4x4,             Some(Node::adds_result_of),           4),
    states("4x4 matrix result of doubles, a part of it added", gfx90a_up, doubles_4x4,            any_doubles,             Some(Node::adds_part_of_result_of),   4),
    states("16x16 matrix result of doubles, a part of it added", gfx90a_up, doubles_16x16,        any_doubles,             Some(Node::adds_part_of_result_of),   9),
    states("matrix product of doubles, v_fma_f64",            gfx90a_up, any_doubles,             double_fma,              None,                                 2),
    until("memory instruction reads SGPR, scalar instruction overwrites it", gfx10_1, vector_memory, writes_scalars,        Some(Node::redefines_scalar_source_of), (ends_vector_reads, "s_waitcnt_depctr vm_vsrc(0)")),
    until("scalar load reads SGPR, VALU overwrites it",       gfx10_1,   Node::is_smem,           valu_writes_scalars,     Some(Node::overwrites_scalar_source_of), (ends_scalar_reads, "s_waitcnt lgkmcnt(0) or s_mov_b32 null, 0")),
    until("instruction reads EXEC, VALU overwrites it",       gfx10_1,   reads_exec_outside_valu, valu_writes_exec,        None,                                 (ends_exec_reads, "s_waitcnt_depctr sa_sdst(0)")),
    until("v_cmpx, lanes are permuted",                       gfx10_and_11, compares_to_exec,     permutes_lanes,          None,                                 (valu_but_nop, "another VALU instruction, not v_nop,")),
    until("atomic of floats, s_denorm_mode",                  gfx10,     float_atomic,            denorm_mode,             None,                                 (waits_or_valu, "s_nop 2 or a wait")),
    states("image with many addresses, buffer access with an offset", gfx10_1, long_image,        buffer_with_offset,      None,                                 1),
    Rule {
        name: "LDS access, branch, access to memory",
        applies: gfx10_1,
        producer: local_memory,
        consumer: global_memory,
        conflict: None,
        distance: 1,
        unit: Unit::AcrossBranch(waits_for_stores, "s_waitcnt_vscnt null, 0"),
    },
    Rule {
        name: "access to memory, branch, LDS access",
        applies: gfx10_1,
        producer: global_memory,
        consumer: local_memory,
        conflict: None,
        distance: 1,
        unit: Unit::AcrossBranch(waits_for_stores, "s_waitcnt_vscnt null, 0"),
    },
    Rule {
        name: "transcendental result, VALU reads it too soon",
        applies: gfx110x,
        producer: Node::is_transcendental,
        consumer: Node::is_valu,
        conflict: Some(Node::reads_vector_of),
        distance: 6,
        unit: Unit::Vector,
    },
    Rule {
        name: "matrix result, factor of the next product",
        applies: gfx11_up,
        producer: Node::is_matrix,
        consumer: Node::is_matrix,
        conflict: Some(Node::multiplies_result_of),
        distance: 1,
        unit: Unit::Vector,
    },
];
