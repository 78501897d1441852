//! (reserved)
