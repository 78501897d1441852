//! The sizes and kinds of accesses to LDS that races are looked for in.

use wave::inside::{Access, Swap, flat_bytes, flat_names, kind, swap};

#[test]
fn every_flat_instruction_has_a_size() {
    for name in flat_names() {
        let bytes = flat_bytes(name).unwrap_or_else(|| panic!("{name}"));
        assert!([1, 2, 4, 8, 12, 16].contains(&bytes), "{name}: {bytes}");
    }
    for (name, bytes, access) in [
        ("flat_load_ubyte_d16_hi", 1, Access::Read),
        ("flat_store_short", 2, Access::Write),
        ("flat_load_dword", 4, Access::Read),
        ("flat_store_dwordx3", 12, Access::Write),
        ("flat_atomic_add_x2", 8, Access::Atomic),
        ("flat_atomic_add_f64", 8, Access::Atomic),
        ("flat_atomic_cmpswap", 4, Access::Atomic),
    ] {
        assert_eq!(
            (flat_bytes(name), kind(name)),
            (Some(bytes), access),
            "{name}"
        );
    }
    assert_eq!(kind("ds_read2_b32"), Access::Read);
    assert_eq!(kind("ds_write_b8"), Access::Write);
    assert_eq!(kind("ds_add_rtn_u32"), Access::Atomic);
    for (name, expected) in [
        ("ds_cmpst_rtn_b32", Swap::CompareFirst),
        ("ds_cmpstore_rtn_b64", Swap::StoreFirst),
        ("ds_wrxchg_rtn_b32", Swap::Exchange),
        ("flat_atomic_cmpswap_x2", Swap::Tuple),
        ("ds_add_rtn_u32", Swap::No),
    ] {
        assert_eq!(swap(name), expected, "{name}");
    }
}
