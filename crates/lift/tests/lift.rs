//! Lifting against hand-written expectations, against a concrete machine, and over real code objects.

#[path = "lift/flow.rs"]
mod flow;
#[path = "lift/machine.rs"]
mod machine;
#[path = "lift/objects.rs"]
mod objects;
