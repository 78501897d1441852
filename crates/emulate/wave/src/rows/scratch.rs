//! SCRATCH: loads and stores of private memory.

use super::{Row, global, loads_and_stores::load_and_store_rows};
use crate::{
    access::scratch::Scratch,
    micro_op::{Data, Handler},
};

fn push(rows: &mut Vec<Row>, mnemonic: &'static str, data: Data, handler: fn() -> Handler) {
    global::push(rows, mnemonic, data, handler, true);
}

/// Appends this file's rows.
pub(super) fn rows(rows: &mut Vec<Row>) {
    load_and_store_rows!(push, &mut *rows, "scratch", Scratch);
}
