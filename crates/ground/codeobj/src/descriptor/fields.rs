//! The table of kernel descriptor fields. Source: "Kernel Descriptor" and "compute_pgm_rsrc1/2/3" in LLVM's AMDGPU
//! usage guide; names are the guide's, in lower case.

use gfx::{Family, Target};

/// The part of the descriptor a field is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// Bytes of LDS.
    GroupSegment,
    /// Bytes of scratch memory of a work-item.
    PrivateSegment,
    /// Bytes of arguments.
    Kernarg,
    /// 64-bit.
    EntryOffset,
    /// `COMPUTE_PGM_RSRC3`.
    Rsrc3,
    /// `COMPUTE_PGM_RSRC1`.
    Rsrc1,
    /// `COMPUTE_PGM_RSRC2`.
    Rsrc2,
    /// 16-bit kernel code properties.
    Properties,
    /// 16-bit kernarg preload specification.
    Preload,
}

impl Word {
    /// Byte offset and size in the descriptor.
    pub(crate) const fn place(self) -> (usize, usize) {
        match self {
            Word::GroupSegment => (0, 4),
            Word::PrivateSegment => (4, 4),
            Word::Kernarg => (8, 4),
            Word::EntryOffset => (16, 8),
            Word::Rsrc3 => (44, 4),
            Word::Rsrc1 => (48, 4),
            Word::Rsrc2 => (52, 4),
            Word::Properties => (56, 2),
            Word::Preload => (58, 2),
        }
    }
}

/// The targets on which a field exists.
#[derive(Clone, Copy, Debug)]
enum Availability {
    All,
    Gfx9,
    /// The unified register file: gfx90a, gfx942, gfx950.
    Unified,
    /// From this family on.
    Since(Family),
    /// From the first family up to, and without, the second.
    Between(Family, Family),
}

/// One bit field.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The name in the AMDGPU usage guide, without the register's name.
    pub name: &'static str,
    /// The word of the descriptor that contains it.
    pub word: Word,
    /// Position of its lowest bit.
    pub shift: u32,
    /// In bits.
    pub width: u32,
    on: Availability,
}

impl Field {
    /// Returns `true` if descriptors for `target` have it.
    pub fn exists_on(&self, target: &Target) -> bool {
        match self.on {
            Availability::All => true,
            Availability::Gfx9 => target.family == Family::Gfx9,
            Availability::Unified => target.unified_register_file,
            Availability::Since(family) => target.family >= family,
            Availability::Between(first, end) => (first..end).contains(&target.family),
        }
    }

    /// Fields of `target`, in descriptor order.
    pub fn all(target: &Target) -> impl Iterator<Item = &'static Field> {
        FIELDS.iter().filter(move |field| field.exists_on(target))
    }

    /// The field called `name` on `target`.
    pub fn find(name: &str, target: &Target) -> Option<&'static Field> {
        Field::all(target).find(|field| field.name == name)
    }

    /// The largest value that fits.
    pub fn max(&self) -> u64 {
        u64::MAX >> (64 - self.width)
    }
}

const fn field(word: Word, shift: u32, width: u32, on: Availability, name: &'static str) -> Field {
    Field {
        name,
        word,
        shift,
        width,
        on,
    }
}

use Availability::{All, Between, Gfx9, Since, Unified};
use Family::{Gfx9 as F9, Gfx10 as F10, Gfx11 as F11, Gfx12 as F12, Gfx12_5 as F125};
use Word::{
    EntryOffset, GroupSegment, Kernarg, Preload, PrivateSegment, Properties, Rsrc1, Rsrc2, Rsrc3,
};

#[rustfmt::skip]
static FIELDS: &[Field] = &[
    field(GroupSegment,   0,  32, All,                 "group_segment_fixed_size"),
    field(PrivateSegment, 0,  32, All,                 "private_segment_fixed_size"),
    field(Kernarg,        0,  32, All,                 "kernarg_size"),
    field(EntryOffset,    0,  64, All,                 "kernel_code_entry_byte_offset"),

    field(Rsrc1,          0,  6,  All,                 "granulated_workitem_vgpr_count"),
    field(Rsrc1,          6,  4,  Gfx9,                "granulated_wavefront_sgpr_count"),
    field(Rsrc1,          10, 2,  All,                 "priority"),
    field(Rsrc1,          12, 2,  All,                 "float_round_mode_32"),
    field(Rsrc1,          14, 2,  All,                 "float_round_mode_16_64"),
    field(Rsrc1,          16, 2,  All,                 "float_denorm_mode_32"),
    field(Rsrc1,          18, 2,  All,                 "float_denorm_mode_16_64"),
    field(Rsrc1,          20, 1,  All,                 "priv"),
    field(Rsrc1,          21, 1,  Between(F9, F12),    "enable_dx10_clamp"),
    field(Rsrc1,          21, 1,  Since(F12),          "enable_wg_rr_en"),
    field(Rsrc1,          22, 1,  All,                 "debug_mode"),
    field(Rsrc1,          23, 1,  Between(F9, F12),    "enable_ieee_mode"),
    field(Rsrc1,          23, 1,  Since(F12),          "disable_perf"),
    field(Rsrc1,          24, 1,  All,                 "bulky"),
    field(Rsrc1,          25, 1,  All,                 "cdbg_user"),
    field(Rsrc1,          26, 1,  All,                 "fp16_ovfl"),
    field(Rsrc1,          27, 1,  Since(F125),         "flat_scratch_is_nv"),
    field(Rsrc1,          29, 1,  Between(F10, F125),  "wgp_mode"),
    field(Rsrc1,          30, 1,  Since(F10),          "mem_ordered"),
    field(Rsrc1,          31, 1,  Since(F10),          "fwd_progress"),

    field(Rsrc2,          0,  1,  All,                 "enable_private_segment"),
    field(Rsrc2,          1,  5,  Between(F9, F125),   "user_sgpr_count"),
    field(Rsrc2,          1,  6,  Since(F125),         "user_sgpr_count"),
    field(Rsrc2,          6,  1,  Between(F9, F12),    "enable_trap_handler"),
    field(Rsrc2,          6,  1,  Between(F12, F125),  "enable_dynamic_vgpr"),
    field(Rsrc2,          7,  1,  All,                 "enable_sgpr_workgroup_id_x"),
    field(Rsrc2,          8,  1,  All,                 "enable_sgpr_workgroup_id_y"),
    field(Rsrc2,          9,  1,  All,                 "enable_sgpr_workgroup_id_z"),
    field(Rsrc2,          10, 1,  All,                 "enable_sgpr_workgroup_info"),
    field(Rsrc2,          11, 2,  All,                 "enable_vgpr_workitem_id"),
    field(Rsrc2,          13, 1,  All,                 "enable_exception_address_watch"),
    field(Rsrc2,          14, 1,  All,                 "enable_exception_memory"),
    field(Rsrc2,          15, 9,  All,                 "granulated_lds_size"),
    field(Rsrc2,          24, 1,  All,                 "enable_exception_ieee_754_fp_invalid_operation"),
    field(Rsrc2,          25, 1,  All,                 "enable_exception_fp_denormal_source"),
    field(Rsrc2,          26, 1,  All,                 "enable_exception_ieee_754_fp_division_by_zero"),
    field(Rsrc2,          27, 1,  All,                 "enable_exception_ieee_754_fp_overflow"),
    field(Rsrc2,          28, 1,  All,                 "enable_exception_ieee_754_fp_underflow"),
    field(Rsrc2,          29, 1,  All,                 "enable_exception_ieee_754_fp_inexact"),
    field(Rsrc2,          30, 1,  All,                 "enable_exception_int_divide_by_zero"),

    field(Rsrc3,          0,  6,  Unified,             "accum_offset"),
    field(Rsrc3,          16, 1,  Unified,             "tg_split"),
    field(Rsrc3,          0,  4,  Between(F10, F12),   "shared_vgpr_count"),
    field(Rsrc3,          4,  6,  Between(F11, F12),   "inst_pref_size"),
    field(Rsrc3,          4,  8,  Since(F12),          "inst_pref_size"),
    field(Rsrc3,          10, 1,  Between(F11, F12),   "trap_on_start"),
    field(Rsrc3,          11, 1,  Between(F11, F12),   "trap_on_end"),
    field(Rsrc3,          13, 1,  Since(F12),          "glg_en"),
    field(Rsrc3,          14, 3,  Since(F125),         "named_bar_cnt"),
    field(Rsrc3,          17, 1,  Since(F125),         "enable_dynamic_vgpr"),
    field(Rsrc3,          18, 3,  Since(F125),         "tcp_split"),
    field(Rsrc3,          21, 1,  Since(F125),         "enable_didt_throttle"),
    field(Rsrc3,          31, 1,  Since(F11),           "image_op"),

    field(Properties,     0,  1,  All,                 "enable_sgpr_private_segment_buffer"),
    field(Properties,     1,  1,  All,                 "enable_sgpr_dispatch_ptr"),
    field(Properties,     2,  1,  All,                 "enable_sgpr_queue_ptr"),
    field(Properties,     3,  1,  All,                 "enable_sgpr_kernarg_segment_ptr"),
    field(Properties,     4,  1,  All,                 "enable_sgpr_dispatch_id"),
    field(Properties,     5,  1,  All,                 "enable_sgpr_flat_scratch_init"),
    field(Properties,     6,  1,  All,                 "enable_sgpr_private_segment_size"),
    field(Properties,     10, 1,  Since(F10),          "enable_wavefront_size32"),
    field(Properties,     11, 1,  All,                 "uses_dynamic_stack"),

    field(Preload,        0,  7,  All,                 "kernarg_preload_spec_length"),
    field(Preload,        7,  9,  All,                 "kernarg_preload_spec_offset"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_a_target_have_distinct_names_and_disjoint_bits() {
        for target in gfx::TARGETS {
            let fields: Vec<_> = Field::all(target).collect();
            for (index, a) in fields.iter().enumerate() {
                assert!(
                    a.shift + a.width <= 8 * a.word.place().1 as u32,
                    "{}",
                    a.name
                );
                for b in &fields[index + 1..] {
                    assert_ne!(a.name, b.name, "{}", target.name);
                    let apart = a.shift + a.width <= b.shift || b.shift + b.width <= a.shift;
                    assert!(
                        a.word != b.word || apart,
                        "{}: {} and {}",
                        target.name,
                        a.name,
                        b.name
                    );
                }
            }
        }
    }
}
