//! FLAT and GLOBAL: their loads and stores.

use super::{Row, Shape, loads_and_stores::load_and_store_rows};
#[cfg(all(target_arch = "x86_64", wide))]
use crate::{
    access::block::{LoadBlock, StoreBlock},
    shell::wide_or,
};
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
    let mut quick = QUICK.iter().filter(|(name, _)| *name == mnemonic);
    let handler = quick.next().map_or(handler, |(_, quick)| *quick);
    push(rows, mnemonic, data, handler, true);
}

/// A mnemonic, and what gives its handler.
type Quick = (&'static str, fn() -> Handler);

/// Handlers in the place of those of the table.
const QUICK: &[Quick] = &[
    #[cfg(all(target_arch = "x86_64", wide))]
    ("global_load_dword", load_dword),
    #[cfg(all(target_arch = "x86_64", wide))]
    ("global_store_dword", store_dword),
];

#[cfg(all(target_arch = "x86_64", wide))]
fn load_dword() -> Handler {
    wide_or::<LoadBlock, LoadWords<Global, 1>>()
}

#[cfg(all(target_arch = "x86_64", wide))]
fn store_dword() -> Handler {
    wide_or::<StoreBlock, StoreWords<Global, 1>>()
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
