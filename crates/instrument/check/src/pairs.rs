//! Bugs of a program that ran, between two of its instructions.

use crate::code::Code;
use crate::listing::listing;
use crate::memory::around;
use crate::{Access, Finding, Grade, Kind, Options, Place, Sink, Unshown, fingerprint};
use codeobj::CodeObject;
use isa::Decoder;
use lift::{Function, Module};

/// A bug, as the emulated device tells of it.
pub trait Pair: Sized {
    fn kind(&self) -> Kind;
    fn grade(&self) -> Grade;
    /// The address of the earlier instruction, if the device knows one.
    fn first(&self) -> Option<u64>;
    /// The address of the later instruction.
    fn then(&self) -> u64;
    fn times(&self) -> u64;
    /// The parts of the fingerprint that tell the bug from others in its function.
    fn identity(&self, code: &Code<'_>) -> [String; 2];
    fn message(&self) -> String;
    fn remedy(&self) -> &'static str;
    /// The words beside both instructions.
    fn notes(&self) -> [&str; 2];
    fn access(self) -> Option<Access>;

    /// The later instruction is shown alone if the earlier one is in no function that is shown with it.
    fn is_shown_alone(&self) -> bool {
        true
    }

    /// Both instructions are in the object.
    fn is_in(&self, code: &Code<'_>) -> bool {
        self.first().is_none_or(|pc| code.find(pc).is_some())
    }
}

/// Tells of bugs, after `selected` was told of each in a selected kernel with its function's name. Returns those whose instructions are not in
/// the object.
pub fn tell<P: Pair>(
    object: &CodeObject<'_>,
    place: &str,
    found: Vec<P>,
    options: &Options<'_>,
    sink: &mut dyn Sink,
    mut selected: impl FnMut(&P, &Code<'_>, &str),
) -> Result<Vec<P>, lift::Error> {
    if found.is_empty() {
        return Ok(found);
    }
    let addresses = found.iter().flat_map(|one| [one.first(), Some(one.then())]);
    let module = Module::lift_around(object, &addresses.flatten().collect())?;
    let code = Code::new(object, &module);
    let mut lost = Vec::new();
    for one in found {
        let (Some((function, _)), Some(consumer), true) = (
            code.find(one.then()),
            code.place(one.then()),
            one.is_in(&code),
        ) else {
            lost.push(one);
            continue;
        };
        let readable = demangle::readable(&function.name);
        if !(options.selects)(&function.name) && !(options.selects)(&readable) {
            continue;
        }
        selected(&one, &code, &readable);
        let unshown = unshown(&one, &code, &readable, place);
        if !sink.count(&unshown) {
            continue;
        }
        let decoder = Decoder::with_features(module.target, function.wave_size, "")?;
        let producer = one.first().and_then(|pc| code.place(pc));
        let places = (producer, consumer);
        sink.show(finding(one, unshown, function, places, object, &decoder));
    }
    Ok(lost)
}

/// One bug for each two instructions, of which either one may come first. It is certain if it is for any two waves.
pub fn merged<P: Pair>(found: Vec<P>, times: fn(&mut P) -> &mut u64) -> Vec<P> {
    let both = |one: &P| {
        let (first, then) = (one.first().unwrap_or_else(|| one.then()), one.then());
        (first.min(then), first.max(then))
    };
    let mut all: Vec<P> = Vec::new();
    for one in found {
        match all.iter_mut().find(|known| both(known) == both(&one)) {
            Some(known) => {
                let sum = known.times() + one.times();
                if one.grade() < known.grade() {
                    *known = one;
                }
                *times(known) = sum;
            }
            None => all.push(one),
        }
    }
    all
}

fn finding<P: Pair>(
    one: P,
    unshown: Unshown,
    function: &Function,
    (producer, consumer): (Option<Place>, Place),
    object: &CodeObject<'_>,
    decoder: &Decoder,
) -> Finding {
    let [was, is] = one.notes();
    let first = one.first().and_then(|pc| function.inst_at(pc));
    let alone = one.is_shown_alone();
    let listing = match (first, function.inst_at(one.then())) {
        (Some(first), Some(then)) => listing(function, decoder, (first, was), (then, is)),
        (None, Some(then)) if alone => around(function, decoder, then, is),
        _ => Vec::new(),
    };
    Finding {
        fingerprint: unshown.fingerprint,
        kind: unshown.kind,
        grade: unshown.grade,
        message: one.message(),
        remedy: one.remedy().to_owned(),
        object: unshown.object,
        target: object.target().to_string(),
        symbol: function.name.clone(),
        function: unshown.function,
        register: None,
        producer,
        consumer,
        access: one.access(),
        meeting: None,
        free: None,
        read: None,
        leak: None,
        copies: None,
        further: 0,
        path: Vec::new(),
        listing,
    }
}

fn unshown<P: Pair>(one: &P, code: &Code<'_>, function: &str, place: &str) -> Unshown {
    let target = code.module.target.name;
    let kind = one.kind();
    let mut sources = code.source(one.then());
    sources.extend(one.first().into_iter().flat_map(|pc| code.source(pc)));
    let [first, second] = one.identity(code);
    Unshown {
        fingerprint: fingerprint::of(&[
            kind.checker().name(),
            kind.name(),
            target,
            fingerprint::stable(function),
            &first,
            &second,
        ]),
        kind,
        grade: one.grade(),
        function: function.to_owned(),
        target: target.to_owned(),
        sources,
        object: place.to_owned(),
        times: one.times(),
    }
}
