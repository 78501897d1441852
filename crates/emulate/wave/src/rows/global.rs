//! FLAT and GLOBAL: their loads and stores.

use super::{Row, Shape, loads_and_stores::load_and_store_rows};
use crate::{
    access::{
        flat::{Flat, Global, LaneIndexed},
        space::{LoadWords, StoreWords},
    },
    micro_op::{Data, Handler},
    shell::handler,
};

fn push_flat(rows: &mut Vec<Row>, mnemonic: &'static str, data: Data, handler: fn() -> Handler) {
    push(rows, mnemonic, data, handler, false);
}

fn push_global(rows: &mut Vec<Row>, mnemonic: &'static str, data: Data, handler: fn() -> Handler) {
    push(rows, mnemonic, data, handler, true);
}

pub(super) fn push(
    rows: &mut Vec<Row>,
    mnemonic: &'static str,
    data: Data,
    handler: fn() -> Handler,
    segment_relative: bool,
) {
    rows.push(Row {
        mnemonic,
        shape: Shape::Flat {
            segment_relative,
            data,
        },
        handler,
        changes_exec: false,
    });
}

/// Appends this file's rows.
pub(super) fn rows(rows: &mut Vec<Row>) {
    load_and_store_rows!(push_global, &mut *rows, "global", Global);
    load_and_store_rows!(push_flat, &mut *rows, "flat", Flat);
    add_tid_rows(rows);
}

fn add_tid_rows(rows: &mut Vec<Row>) {
    push_global(
        rows,
        "global_load_dword_addtid",
        Data::Plain,
        handler::<LoadWords<LaneIndexed, 1>>,
    );
    push_global(
        rows,
        "global_store_dword_addtid",
        Data::Plain,
        handler::<StoreWords<LaneIndexed, 1>>,
    );
}
