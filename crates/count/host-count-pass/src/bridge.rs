//! The Rust half of `shim/bridge.h`: C++ describes, Rust decides.
//!
//! Every function takes a session made by [`lc_open`]; C++ uses it from one thread at a time.

use crate::explain;
use host_count::module::FunctionPlan;
use host_count::place;
use host_count::{
    Arc, Block, Call, Callee, End, Flow, Function, Granularity, Item, Kind, Location, Module,
    Options, Placement, Plan, Point, Site, Successor, Tail, plan,
};
use std::collections::HashMap;
use std::ffi::c_void;

/// One module on its way through.
#[derive(Default)]
pub struct Session {
    options: Options,
    module: Module,
    location_numbers: HashMap<Location, u32>,
    plan: Plan,
    sites: Vec<Sites>,
    facts: String,
}

#[derive(Default)]
struct Sites {
    increments: Vec<SiteRecord>,
    checks: Vec<SiteRecord>,
}

/// A function by which Rust passes text to C++.
pub type TextSink = unsafe extern "C" fn(context: *mut c_void, text: *const u8, length: usize);

/// `Settings` in C++.
#[repr(C)]
pub struct Settings {
    count_last: bool,
    placement: u8,
    granularity: u8,
    budget: bool,
    unwind: bool,
    replace_late: bool,
    local_exec: bool,
    unoptimised: bool,
}

/// `Increment` in C++.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct SiteRecord {
    kind: u8,
    block: u32,
    index: u32,
    slot: u32,
    amount: i64,
}

/// `PlacedArc` in C++.
#[repr(C)]
pub struct PlacedArc {
    from: u32,
    to: u32,
    cost: i64,
    frequency: f64,
    holds_code: bool,
    needs_split: bool,
    amount: i64,
}

const NO_FUNCTION: u32 = u32::MAX;
const NO_SHIFT: u8 = u8::MAX;

/// # Safety
/// `text` must point to `length` readable bytes, or `length` be 0.
unsafe fn text<'a>(text: *const u8, length: usize) -> std::borrow::Cow<'a, str> {
    if length == 0 {
        return "".into();
    }
    // SAFETY: the caller's promise.
    String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(text, length) })
}

/// # Safety
/// `sink` must accept any bytes together with `context`.
unsafe fn send(sink: TextSink, context: *mut c_void, text: &str) {
    // SAFETY: the caller's promise; the bytes live during the call.
    unsafe { sink(context, text.as_ptr(), text.len()) }
}

/// # Safety
/// `options` must point to `length` bytes; `error` must accept text with `context`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lc_open(
    options: *const u8,
    length: usize,
    error: TextSink,
    context: *mut c_void,
) -> *mut Session {
    // SAFETY: the caller's promise.
    let line = unsafe { text(options, length) };
    match Options::parse(&line) {
        Ok(options) => {
            let mut session = Session {
                options,
                ..Session::default()
            };
            session.module.locations.push(Location::default());
            Box::into_raw(Box::new(session))
        }
        Err(reason) => {
            // SAFETY: the caller's promise.
            unsafe { send(error, context, &reason.to_string()) };
            std::ptr::null_mut()
        }
    }
}

/// # Safety
/// `session` comes from [`lc_open`] and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lc_close(session: *mut Session) {
    // SAFETY: the caller's promise.
    drop(unsafe { Box::from_raw(session) });
}

#[unsafe(no_mangle)]
pub extern "C" fn lc_settings(session: &Session, out: &mut Settings) {
    let options = &session.options;
    *out = Settings {
        count_last: options.point == Point::Last,
        placement: match options.placement {
            Placement::Article => 0,
            Placement::Segment => 1,
            Placement::Tree => 2,
            Placement::Least => 3,
        },
        granularity: match options.granularity {
            Granularity::Thread => 0,
            Granularity::Function => 1,
            Granularity::Line => 2,
        },
        budget: options.budget,
        unwind: options.unwind,
        replace_late: options.replace_late,
        local_exec: options.local_exec,
        unoptimised: options.unoptimised,
    };
}

/// # Safety
/// `out` must accept text with `context`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lc_contract(session: &Session, out: TextSink, context: *mut c_void) {
    // SAFETY: the caller's promise.
    unsafe { send(out, context, &session.options.contract()) }
}

/// # Safety
/// `file` must point to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lc_location(
    session: &mut Session,
    file: *const u8,
    length: usize,
    line: u32,
) -> u32 {
    // SAFETY: the caller's promise.
    let file = unsafe { text(file, length) }.into_owned();
    let location = Location { file, line };
    let locations = &mut session.module.locations;
    *session
        .location_numbers
        .entry(location.clone())
        .or_insert_with(|| {
            locations.push(location);
            (locations.len() - 1) as u32
        })
}

/// # Safety
/// `name` must point to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lc_function(
    session: &mut Session,
    name: *const u8,
    length: usize,
    only_called_here: bool,
    is_local: bool,
) {
    // SAFETY: the caller's promise.
    let name = unsafe { text(name, length) }.into_owned();
    session.module.functions.push(Function {
        name,
        only_called_here,
        is_local,
        ..Function::default()
    });
}

/// # Safety
/// `reason` must point to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lc_exempt(session: &mut Session, reason: *const u8, length: usize) {
    // SAFETY: the caller's promise.
    let reason = unsafe { text(reason, length) }.into_owned();
    session.function().exempt = Some(reason);
}

#[unsafe(no_mangle)]
pub extern "C" fn lc_block(session: &mut Session, frequency: f64, holds_code: bool) {
    session.function().blocks.push(Block {
        frequency,
        holds_code,
        ..Block::default()
    });
}

#[unsafe(no_mangle)]
pub extern "C" fn lc_instruction(session: &mut Session, kind: u8, bytes: u64, location: u32) -> u8 {
    let kind = Kind::from_number(kind).expect("bridge.h and host_count::Kind agree");
    let price = session.options.preset.price(kind, bytes);
    if price.bytes_shift.is_some() {
        session.function().priced_at_run_time.push(location);
    }
    let items = &mut session.block().items;
    match items.last_mut() {
        _ if price.fixed == 0 => {}
        Some(Item::Cost {
            cost,
            location: known,
        }) if *known == location => *cost += price.fixed,
        _ => items.push(Item::Cost {
            cost: price.fixed,
            location,
        }),
    }
    price.bytes_shift.unwrap_or(NO_SHIFT)
}

/// # Safety
/// `name` must point to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lc_call(
    session: &mut Session,
    function: u32,
    name: *const u8,
    length: usize,
    promised: bool,
    tail: u8,
    returns_again: bool,
) {
    // SAFETY: the caller's promise.
    let name = unsafe { text(name, length) };
    let callee = match function {
        NO_FUNCTION if name.is_empty() => Callee::Unknown,
        NO_FUNCTION => Callee::Declared(name.into_owned()),
        index => Callee::Function(index as usize),
    };
    // A promise says that the callee returns, not that it checks no budget on the way.
    let promised = promised && !session.options.budget;
    session.block().items.push(Item::Call(Call {
        callee,
        promised,
        tail: match tail {
            0 => Tail::No,
            1 => Tail::May,
            _ => Tail::Must,
        },
        returns_again,
    }));
}

#[unsafe(no_mangle)]
pub extern "C" fn lc_end(session: &mut Session, end: u8) {
    session.block().end = match end {
        0 => End::Jump,
        1 => End::Invoke,
        2 => End::Return,
        3 => End::Resume,
        _ => End::Unreachable,
    };
}

#[unsafe(no_mangle)]
pub extern "C" fn lc_successor(
    session: &mut Session,
    block: u32,
    frequency: f64,
    holds_code: bool,
) {
    session.block().successors.push(Successor {
        block: block as usize,
        frequency,
        holds_code,
    });
}

/// # Safety
/// `error` must accept text with `context`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lc_plan(
    session: &mut Session,
    error: TextSink,
    context: *mut c_void,
) -> bool {
    match plan(&session.module, &session.options) {
        Ok(plan) => {
            session.sites = plan.functions.iter().map(Sites::new).collect();
            session.plan = plan;
            true
        }
        Err(reason) => {
            // SAFETY: the caller's promise.
            unsafe { send(error, context, &reason.to_string()) };
            false
        }
    }
}

/// # Safety
/// `out` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lc_increments(
    session: &Session,
    function: u32,
    out: *mut *const SiteRecord,
) -> usize {
    let records = &session.sites[function as usize].increments;
    // SAFETY: the caller's promise.
    unsafe { *out = records.as_ptr() };
    records.len()
}

/// # Safety
/// `out` must be writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lc_checks(
    session: &Session,
    function: u32,
    out: *mut *const SiteRecord,
) -> usize {
    let records = &session.sites[function as usize].checks;
    // SAFETY: the caller's promise.
    unsafe { *out = records.as_ptr() };
    records.len()
}

#[unsafe(no_mangle)]
pub extern "C" fn lc_comes_back(session: &Session, function: u32, block: u32, call: u32) -> bool {
    let block = &session.module.functions[function as usize].blocks[block as usize];
    let calls = block.items.iter().filter_map(|item| match item {
        Item::Call(call) => Some(call),
        Item::Cost { .. } => None,
    });
    calls
        .skip(call as usize)
        .take(1)
        .any(|call| session.plan.comes_back(call))
}

#[unsafe(no_mangle)]
pub extern "C" fn lc_charged_by_callers(session: &Session, function: u32) -> bool {
    session.plan.functions[function as usize]
        .charged_by_callers
        .is_some()
}

/// The slot of a function's `index`-th operation priced at run time; only if there are slots.
#[unsafe(no_mangle)]
pub extern "C" fn lc_priced_slot(session: &Session, function: u32, index: usize) -> u32 {
    session.plan.functions[function as usize].priced_slots[index]
}

#[unsafe(no_mangle)]
pub extern "C" fn lc_slots(session: &Session) -> usize {
    session.plan.slots.len()
}

#[unsafe(no_mangle)]
pub extern "C" fn lc_slot_unit(session: &Session, slot: usize) -> u64 {
    session.plan.slots[slot].unit
}

/// # Safety
/// `out` must accept text with `context`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lc_slot_table(session: &Session, out: TextSink, context: *mut c_void) {
    // SAFETY: the caller's promise.
    unsafe {
        send(
            out,
            context,
            &explain::slot_table(&session.module, &session.plan),
        )
    }
}

/// # Safety
/// `out` must accept text with `context`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lc_explain(session: &Session, out: TextSink, context: *mut c_void) {
    let text = explain::blocks(&session.module, &session.plan) + &session.facts;
    // SAFETY: the caller's promise.
    unsafe { send(out, context, &text) }
}

/// Notes something that `luthier count lint` may want to judge.
///
/// # Safety
/// Every pointer must point to as many bytes as the length after it says.
#[allow(clippy::too_many_arguments)] // Three texts are six arguments in C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lc_fact(
    session: &mut Session,
    kind: *const u8,
    kind_length: usize,
    function: *const u8,
    function_length: usize,
    what: *const u8,
    what_length: usize,
    location: u32,
) {
    // SAFETY: the caller's promise.
    let (kind, function, what) = unsafe {
        (
            text(kind, kind_length),
            text(function, function_length),
            text(what, what_length),
        )
    };
    let line = explain::fact(
        &kind,
        &function,
        &what,
        &session.module.locations[location as usize],
    );
    session.facts.push_str(&line);
}

/// # Safety
/// `arcs` must point to `count` arcs whose vertices are less than `vertices`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lc_place(arcs: *mut PlacedArc, count: usize, vertices: usize, split: f64) {
    if count == 0 {
        return;
    }
    // SAFETY: the caller's promise.
    let arcs = unsafe { std::slice::from_raw_parts_mut(arcs, count) };
    let site = |index| Site::Edge {
        block: index,
        successor: 0,
    };
    let flow = Flow {
        vertices,
        arcs: (arcs.iter().enumerate())
            .map(|(index, arc)| Arc {
                from: arc.from as usize,
                to: arc.to as usize,
                cost: arc.cost,
                site: arc.holds_code.then(|| site(index)),
                frequency: arc.frequency,
                checked: false,
                needs_split: arc.needs_split,
            })
            .collect(),
        checks: Vec::new(),
    };
    match place::on_tree(&flow, split, None) {
        Ok(placed) => {
            for increment in placed.increments {
                let Site::Edge { block: index, .. } = increment.site else {
                    unreachable!("every site is an arc's number");
                };
                arcs[index].amount = increment.amount;
            }
        }
        // An arc with a cost can hold code where it is.
        Err(_) => arcs.iter_mut().for_each(|arc| arc.amount = arc.cost),
    }
}

impl Session {
    fn function(&mut self) -> &mut Function {
        self.module
            .functions
            .last_mut()
            .expect("lc_function comes first")
    }

    fn block(&mut self) -> &mut Block {
        self.function()
            .blocks
            .last_mut()
            .expect("lc_block comes first")
    }
}

impl Sites {
    fn new(plan: &FunctionPlan) -> Sites {
        Sites {
            increments: plan
                .increments
                .iter()
                .map(|i| SiteRecord::new(i.site, i.slot, i.amount))
                .collect(),
            checks: plan
                .checks
                .iter()
                .map(|check| SiteRecord::new(check.site, 0, check.owed))
                .collect(),
        }
    }
}

impl SiteRecord {
    fn new(site: Site, slot: u32, amount: i64) -> SiteRecord {
        let (kind, block, index) = match site {
            Site::Call { block, call } => (0, block, call),
            Site::End { block } => (1, block, 0),
            Site::Edge { block, successor } => (2, block, successor),
            Site::Start { block } => (3, block, 0),
        };
        SiteRecord {
            kind,
            block: block as u32,
            index: index as u32,
            slot,
            amount,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_numbers_kinds_as_rust_does() {
        let header = include_str!("../shim/bridge.h");
        let start = header.find("enum class Kind : uint8_t {").unwrap();
        let body = &header[start..][..header[start..].find('}').unwrap()];
        let names: Vec<&str> = body[body.find('{').unwrap() + 1..]
            .split(',')
            .map(str::trim)
            .filter(|n| !n.is_empty())
            .collect();
        let ours: Vec<String> = Kind::ALL.iter().map(|kind| format!("{kind:?}")).collect();
        assert_eq!(names, ours);
    }
}
