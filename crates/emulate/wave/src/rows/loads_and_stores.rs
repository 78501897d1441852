//! The loads and stores that every encoding of memory instructions has.

/// The loads and stores of one format: `push(mnemonic suffix, data, handler)` for each.
#[rustfmt::skip]
macro_rules! load_and_store_rows {
    ($push:ident, $rows:expr, $prefix:literal, $space:ty) => {{
        use $crate::{access::{lanes::Fill, space::*}, shell::handler};
        let rows = $rows;
        $push(rows, concat!($prefix, "_load_dword"),            Data::Plain, handler::<LoadWords<$space, 1>>);
        $push(rows, concat!($prefix, "_load_dwordx2"),          Data::Plain, handler::<LoadWords<$space, 2>>);
        $push(rows, concat!($prefix, "_load_dwordx3"),          Data::Plain, handler::<LoadWords<$space, 3>>);
        $push(rows, concat!($prefix, "_load_dwordx4"),          Data::Plain, handler::<LoadWords<$space, 4>>);
        $push(rows, concat!($prefix, "_store_dword"),           Data::Plain, handler::<StoreWords<$space, 1>>);
        $push(rows, concat!($prefix, "_store_dwordx2"),         Data::Plain, handler::<StoreWords<$space, 2>>);
        $push(rows, concat!($prefix, "_store_dwordx3"),         Data::Plain, handler::<StoreWords<$space, 3>>);
        $push(rows, concat!($prefix, "_store_dwordx4"),         Data::Plain, handler::<StoreWords<$space, 4>>);
        $push(rows, concat!($prefix, "_load_ubyte"),            Data::Fill(Fill::Zero), handler::<LoadBytes<$space, 1>>);
        $push(rows, concat!($prefix, "_load_sbyte"),            Data::Fill(Fill::Sign8), handler::<LoadBytes<$space, 1>>);
        $push(rows, concat!($prefix, "_load_ushort"),           Data::Fill(Fill::Zero), handler::<LoadBytes<$space, 2>>);
        $push(rows, concat!($prefix, "_load_sshort"),           Data::Fill(Fill::Sign16), handler::<LoadBytes<$space, 2>>);
        $push(rows, concat!($prefix, "_load_ubyte_d16"),        Data::Fill(Fill::Low), handler::<LoadBytes<$space, 1>>);
        $push(rows, concat!($prefix, "_load_ubyte_d16_hi"),     Data::Fill(Fill::High), handler::<LoadBytes<$space, 1>>);
        $push(rows, concat!($prefix, "_load_sbyte_d16"),        Data::Fill(Fill::LowSign8), handler::<LoadBytes<$space, 1>>);
        $push(rows, concat!($prefix, "_load_sbyte_d16_hi"),     Data::Fill(Fill::HighSign8), handler::<LoadBytes<$space, 1>>);
        $push(rows, concat!($prefix, "_load_short_d16"),        Data::Fill(Fill::Low), handler::<LoadBytes<$space, 2>>);
        $push(rows, concat!($prefix, "_load_short_d16_hi"),     Data::Fill(Fill::High), handler::<LoadBytes<$space, 2>>);
        $push(rows, concat!($prefix, "_store_byte"),            Data::Plain, handler::<StoreBytes<$space, 1>>);
        $push(rows, concat!($prefix, "_store_short"),           Data::Plain, handler::<StoreBytes<$space, 2>>);
        $push(rows, concat!($prefix, "_store_byte_d16_hi"),     Data::Upper, handler::<StoreBytes<$space, 1>>);
        $push(rows, concat!($prefix, "_store_short_d16_hi"),    Data::Upper, handler::<StoreBytes<$space, 2>>);
    }};
}

pub(super) use load_and_store_rows;
