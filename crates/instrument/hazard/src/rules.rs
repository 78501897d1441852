//! The hazards, one row each. Wait states as in the "manually inserted wait states" tables of the ISA manuals (Vega 7.6,
//! CDNA3 4.5) and in what LLVM pads.

use crate::Node;
use gfx::{Family, Matrix, Target};
use isa::{Product, Traits};

/// How the distance between two instructions is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Issued instructions; `s_nop` counts what it says.
    States,
    /// VALU instructions; two transcendental ones, or a wait for vector results, end the hazard.
    Vector,
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
    /// Whether two instructions of the rule's kinds conflict.
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

/// Those with WMMA that LLVM pads.
fn gfx11_up(target: &Target) -> bool {
    matches!(target.family, Family::Gfx11 | Family::Gfx12)
}

/// Repaired in gfx1150.
fn gfx110x(target: &Target) -> bool {
    target.family == Family::Gfx11 && target.version.1 == 0
}

fn valu_writes_exec(node: &Node) -> bool {
    node.is_valu() && node.writes_exec()
}

fn valu_writes_vcc(node: &Node) -> bool {
    node.is_valu() && node.writes_vcc()
}

fn lane_access(node: &Node) -> bool {
    node.is_any(Traits::SELECTS_LANE)
}

fn lane_read(node: &Node) -> bool {
    node.is_any(Traits::LANE_TO_SCALAR)
}

fn any_lane(node: &Node) -> bool {
    lane_access(node) || lane_read(node)
}

fn salu_writes_m0(node: &Node) -> bool {
    node.is_salu() && node.writes_m0()
}

fn needs_m0(node: &Node) -> bool {
    node.is_any(Traits::NEEDS_M0) || node.is_gds() || node.loads_to_lds()
}

fn setreg(node: &Node) -> bool {
    node.is_any(Traits::WRITES_HARDWARE)
}

fn hardware_register(node: &Node) -> bool {
    node.is_any(Traits::WRITES_HARDWARE | Traits::READS_HARDWARE)
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

/// A product, not of doubles, whose result has so many rows and columns.
fn single_precision_matrix(node: &Node, tile: u8) -> Option<Product> {
    let product = node.inst.op.product()?;
    (product.tile == tile && !product.doubles).then_some(product)
}

fn matrix_2_passes(node: &Node) -> bool {
    single_precision_matrix(node, 4).is_some()
}

fn matrix_8_passes(node: &Node) -> bool {
    single_precision_matrix(node, 16).is_some()
}

fn matrix_16_passes(node: &Node) -> bool {
    single_precision_matrix(node, 32).is_some()
}

fn gfx942(target: &Target) -> bool {
    target.matrix == Matrix::Mfma3
}

fn gfx950(target: &Target) -> bool {
    target.matrix == Matrix::Mfma4
}

/// From gfx94x on, products of singles end one state sooner than others of as many passes.
fn of_singles(node: &Node, tile: u8) -> bool {
    single_precision_matrix(node, tile).is_some_and(|product| product.of_singles)
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
    single_precision_matrix(node, tile)
        .is_some_and(|product| !product.of_singles && product.blocks == several)
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

fn reads_accumulator(node: &Node) -> bool {
    node.is_any(Traits::READS_ACCUMULATOR)
}

fn memory(node: &Node) -> bool {
    node.is_vmem() || node.is_lds()
}

fn reads_or_overwrites(consumer: &Node, producer: &Node) -> bool {
    consumer.reads_vector_of(producer)
        || consumer.is_valu() && consumer.overwrites_vector_of(producer)
}

/// All of them. Targets without a row have no hazard known here (gfx10.3), or none that is checked yet (gfx12: the scalar
/// read hazard with its unlimited memory).
#[rustfmt::skip]
pub static RULES: &[Rule] = &[
    states("VALU writes SGPR, VMEM reads it",                 gfx9,      Node::is_valu,           Node::is_vmem,           Some(Node::names_scalar_of),          5),
    states("VALU writes EXEC, DPP",                           gfx9,      valu_writes_exec,        Node::is_dpp,            None,                         5),
    states("VALU writes VGPR, DPP reads it",                  gfx9,      Node::is_valu,           Node::is_dpp,            Some(Node::reads_vector_of),          2),
    states("VALU writes VCC, v_div_fmas",                     gfx9,      valu_writes_vcc,         |node| node.is_any(Traits::DIVIDES_BY_VCC), None,           4),
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
    states("4x4 matrix result, read or overwritten",          gfx90a,    matrix_2_passes,         Node::uses_vectors,      Some(reads_or_overwrites),            5),
    states("16x16 matrix result, read or overwritten",        gfx90a,    matrix_8_passes,         Node::uses_vectors,      Some(reads_or_overwrites),           11),
    states("32x32 matrix result, read or overwritten",        gfx90a,    matrix_16_passes,        Node::uses_vectors,      Some(reads_or_overwrites),           19),
    states("4x4 matrix result, read or overwritten",          gfx940_up, singles_2_passes,        Node::uses_vectors,      Some(reads_or_overwrites),            4),
    states("16x16 matrix result, read or overwritten",        gfx940_up, singles_8_passes,        Node::uses_vectors,      Some(reads_or_overwrites),           10),
    states("32x32 matrix result, read or overwritten",        gfx940_up, singles_16_passes,       Node::uses_vectors,      Some(reads_or_overwrites),           18),
    states("matrix result of 2 passes, read or overwritten",  gfx940_up, narrow_2_passes,         Node::uses_vectors,      Some(reads_or_overwrites),            5),
    states("matrix result of 4 passes, read or overwritten",  gfx942,    narrow_4_passes,         Node::uses_vectors,      Some(reads_or_overwrites),            7),
    states("matrix result of 8 passes, read or overwritten",  gfx942,    narrow_8_passes,         Node::uses_vectors,      Some(reads_or_overwrites),           11),
    states("matrix result of 16 passes, read or overwritten", gfx942,    narrow_16_passes,        Node::uses_vectors,      Some(reads_or_overwrites),           19),
    states("matrix result of 4 passes, read or overwritten",  gfx950,    narrow_4_passes,         Node::uses_vectors,      Some(reads_or_overwrites),            8),
    states("matrix result of 8 passes, read or overwritten",  gfx950,    narrow_8_passes,         Node::uses_vectors,      Some(reads_or_overwrites),           12),
    states("matrix result of 16 passes, read or overwritten", gfx950,    narrow_16_passes,        Node::uses_vectors,      Some(reads_or_overwrites),           20),
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
