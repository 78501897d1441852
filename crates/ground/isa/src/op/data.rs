//! The data that an instruction moves between registers and memory, by the naming rules of the manuals.

/// The data that is moved at one place of each lane, or of the wave for scalar memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data {
    /// Bytes in memory, those at both addresses together.
    pub bytes: u32,
    /// There are two addresses, each with an offset that counts elements.
    pub two_addresses: bool,
    /// The offsets count so many elements.
    pub stride: u32,
    /// Converted as a descriptor says, or as the instruction does.
    pub formatted: bool,
    /// How many components are converted as a descriptor says; each has 16 or 32 bits in registers.
    pub components: u32,
    /// A value of at most 16 bits that fills or comes from one half of a register: `Some(true)` is the upper one.
    pub half: Option<bool>,
    /// The number of the lane is a part of the address.
    pub by_lane: bool,
}

/// Bytes by the last part of a mnemonic that says how many.
#[rustfmt::skip]
const SIZES: &[(&str, u32)] = &[
    ("dwordx16", 64), ("dwordx8", 32), ("dwordx4", 16), ("dwordx3", 12), ("dwordx2", 8), ("dword", 4),
    ("b512", 64), ("b256", 32), ("b128", 16), ("b96", 12), ("b64", 8), ("b32", 4), ("b16", 2), ("b8", 1),
    ("u64", 8), ("i64", 8), ("f64", 8), ("u32", 4), ("i32", 4), ("f32", 4), ("u16", 2), ("i16", 2),
    ("ubyte", 1), ("sbyte", 1), ("byte", 1), ("ushort", 2), ("sshort", 2), ("short", 2), ("u8", 1), ("i8", 1),
    // Packed, two of them.
    ("f16", 4), ("bf16", 4), ("x2", 8),
];

/// Ends of names of instructions that convert.
const COMPONENTS: &[(&str, u32)] = &[("_x", 1), ("_xy", 2), ("_xyz", 3), ("_xyzw", 4)];

/// Parts of first names of instructions with two addresses.
const TWO_ADDRESSES: &[&str] = &["read2", "write2", "wrxchg2"];

impl Data {
    /// `first_name`: later names have the parts in another order.
    pub(super) fn of(first_name: &str) -> Data {
        // A conversion names its result, not what is in memory: `ds_read_u8_d16`, `global_load_ubyte_d16`.
        let bare = first_name.trim_end_matches("_hi").trim_end_matches("_d16");
        let size = |name: &str| {
            let mut parts = name.rsplit('_');
            parts.find_map(|part| SIZES.iter().find(|row| row.0 == part))
        };
        // A transposing load names the size of its elements behind its own: `ds_read_b64_tr_b8`, but
        // `global_load_tr_b64`.
        let transposed = bare.split_once("_tr_").and_then(|(before, _)| size(before));
        let element = transposed.or_else(|| size(bare)).map_or(4, |row| row.1);
        let mut parts = first_name.split('_');
        let two_addresses = parts.any(|part| TWO_ADDRESSES.iter().any(|two| part.starts_with(two)));
        // One component takes half a register, two components take a whole one.
        let whole = first_name.contains("format_d16") && !first_name.ends_with("_x");
        let is_half = first_name.contains("d16") && !whole;
        Data {
            bytes: if two_addresses { 2 * element } else { element },
            two_addresses,
            stride: if first_name.contains("st64") { 64 } else { 1 },
            formatted: first_name.contains("_format_"),
            components: COMPONENTS
                .iter()
                .find(|(end, _)| first_name.contains("_format_") && first_name.ends_with(end))
                .map_or(0, |row| row.1),
            half: is_half.then(|| first_name.contains("d16_hi")),
            by_lane: first_name.contains("addtid"),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Op;

    #[test]
    fn two_addresses_by_every_name() {
        for (name, bytes, stride) in [
            ("ds_read2_b32", 8, 1),
            ("ds_load_2addr_b64", 16, 1),
            ("ds_write2st64_b64", 16, 64),
            ("ds_load_2addr_stride64_b32", 8, 64),
            ("ds_wrxchg2_rtn_b32", 8, 1),
            ("ds_storexchg_2addr_stride64_rtn_b64", 16, 64),
        ] {
            let data = Op::of(name).data();
            let found = (data.two_addresses, data.bytes, data.stride);
            assert_eq!(found, (true, bytes, stride), "{name}");
        }
        for name in ["ds_read_b64", "ds_write_src2_b32", "global_load_dwordx2"] {
            assert!(!Op::of(name).data().two_addresses, "{name}");
        }
    }

    #[test]
    fn what_is_transposed_is_as_long_as_the_register() {
        for (name, bytes) in [
            ("ds_read_b64_tr_b8", 8),
            ("ds_read_b96_tr_b6", 12),
            ("ds_load_tr16_b128", 16),
            ("global_load_tr_b64", 8),
        ] {
            assert_eq!(Op::of(name).data().bytes, bytes, "{name}");
        }
    }

    #[test]
    fn halves_by_every_name() {
        for (name, half) in [
            ("global_load_short_d16", Some(false)),
            ("global_load_d16_b16", Some(false)),
            ("global_load_d16_hi_u8", Some(true)),
            ("ds_write_b16_d16_hi", Some(true)),
            ("buffer_load_format_d16_x", Some(false)),
            ("buffer_load_d16_hi_format_x", Some(true)),
            // Two components fill a register.
            ("buffer_load_format_d16_xy", None),
            ("tbuffer_load_d16_format_xyzw", None),
            ("global_load_ushort", None),
        ] {
            assert_eq!(Op::of(name).data().half, half, "{name}");
        }
    }
}
