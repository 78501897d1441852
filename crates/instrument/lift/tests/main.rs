//! Lifting against hand-written expectations, against a concrete machine, and over real code objects.

#[path = "lift/calls.rs"]
mod calls;
#[path = "lift/flow.rs"]
mod flow;
mod halves;
#[path = "lift/hostile.rs"]
mod hostile;
#[path = "lift/machine.rs"]
mod machine;
#[path = "lift/objects.rs"]
mod objects;
#[path = "lift/scc.rs"]
mod scc;
