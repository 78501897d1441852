//! MUBUF: loads and stores through a buffer descriptor.

use super::{Row, Shape, loads_and_stores::load_and_store_rows};
use crate::{
    access::buffer::Buffer,
    micro_op::{Data, Handler},
};

pub(super) fn push(
    rows: &mut Vec<Row>,
    mnemonic: &'static str,
    data: Data,
    handler: fn() -> Handler,
) {
    rows.push(Row {
        mnemonic,
        shape: Shape::Buffer { data },
        handler,
        changes_exec: false,
    });
}

/// Appends this file's rows.
pub(super) fn rows(rows: &mut Vec<Row>) {
    load_and_store_rows!(push, &mut *rows, "buffer", Buffer);
}
