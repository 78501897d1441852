//! Memory that is given and taken in the order of a stream.

use std::ffi::{c_int, c_uint};

use guest::contain;

use super::{Error, Opaque, SUCCESS, hip};
use crate::facts::{self, Kind};

/// Returns `true` if HIP records the work of this stream as a graph.
pub(super) fn is_recorded(stream: Opaque) -> bool {
    type IsCapturing = unsafe extern "C" fn(Opaque, *mut c_int) -> Error;
    let Some(is_capturing) = hip(c"hipStreamIsCapturing") else {
        return false;
    };
    let mut status = 0;
    // SAFETY: HIP's function of this name has this type; the caller's stream, and a variable.
    unsafe {
        let is_capturing = std::mem::transmute::<Opaque, IsCapturing>(is_capturing);
        is_capturing(stream, &raw mut status) != SUCCESS || status != 0
    }
}

/// Returns the kind of memory that the program asks this stream for.
pub(super) fn in_order_of(stream: Opaque) -> Kind {
    if is_recorded(stream) {
        Kind::Node
    } else {
        Kind::Stream
    }
}

/// Lets the stream say when it comes to where a block is freed. While a graph is recorded, nothing is freed.
pub(super) fn tell_in_order(address: u64, stream: Opaque) {
    type There = unsafe extern "C" fn(Opaque, Error, Opaque);
    type AddCallback = unsafe extern "C" fn(Opaque, There, Opaque, c_uint) -> Error;
    unsafe extern "C" fn there(_: Opaque, _: Error, id: Opaque) {
        let _ = contain(|| facts::left(id as u64), || ());
    }
    type Query = unsafe extern "C" fn(Opaque) -> Error;
    let functions = (hip(c"hipStreamQuery"), hip(c"hipStreamAddCallback"));
    let (Some(query), Some(add)) = functions else {
        return;
    };
    let Some(id) = facts::living_at(address).filter(|_| !is_recorded(stream)) else {
        return;
    };
    // SAFETY: HIP's functions of these names have these types.
    let (query, add) = unsafe {
        (
            std::mem::transmute::<Opaque, Query>(query),
            std::mem::transmute::<Opaque, AddCallback>(add),
        )
    };
    // SAFETY: the caller's stream, and a function that only takes the number.
    unsafe {
        // A stream that has nothing to do is there already. For another one, the query leaves an error of HIP's, which the next
        // call takes back.
        match query(stream) {
            SUCCESS => facts::left(id),
            _ => _ = add(stream, there, id as Opaque, 0),
        }
    }
}
