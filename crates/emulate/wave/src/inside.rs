//! Parts that tests look at by themselves. (Unit tests would compile the whole engine a second time.)

use crate::rows::Shape;
pub use crate::{
    access::image::cube::beyond,
    hwreg::registers,
    races::Access,
    row_set::RowSet,
    rows::lds_noted::{Swap, flat_bytes, kind, swap},
};

/// Names of the instructions that access memory by a FLAT address.
pub fn flat_names() -> impl Iterator<Item = &'static str> {
    let rows = crate::all_rows().iter();
    rows.filter(|row| matches!(row.shape, Shape::Flat { .. }))
        .map(|row| row.mnemonic)
        .filter(|name| name.starts_with("flat_"))
}
