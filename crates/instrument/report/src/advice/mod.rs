//! Finds what stands out in a run: rules look at the code of a kernel and at what tools counted there, each with evidence and a place.
//!
//! A rule says what is the case and how it knows. It never says how much time a change would save: nothing measured that.

mod access;
mod arithmetic;
mod flow;
mod operand;
mod resources;
mod view;
mod waits;

use crate::model::{Code, KernelRow, Remark};
use view::View;

/// A rule's finding at one place.
struct Found {
    /// Position of the instruction; none if it is about the whole kernel.
    at: Option<usize>,
    evidence: String,
    /// By which places are sorted: instructions, cache lines or turns of waves, as far as a tool counted.
    weight: u64,
    /// Wave instructions that were executed there.
    executed: u64,
}

struct Rule {
    /// Also the name of its page in `docs/report/rules`.
    name: &'static str,
    title: &'static str,
    look: fn(&View<'_>) -> Vec<Found>,
}

/// Every rule. Each has a page, a kernel that breaks it and a twin that does not (`crates/rim/cli/tests/advice.rs`).
#[rustfmt::skip]
const RULES: &[Rule] = &[
    Rule { name: "uncoalesced-access", title: "lanes of an access lie in many cache lines", look: access::uncoalesced },
    Rule { name: "lds-bank-conflicts", title: "LDS accesses wait for banks", look: access::bank_conflicts },
    Rule { name: "repeated-load", title: "a value is loaded again", look: access::repeated },
    Rule { name: "divergent-branch", title: "waves part at a branch", look: flow::divergent },
    Rule { name: "idle-lanes", title: "many lanes are off", look: flow::idle },
    Rule { name: "barrier-without-work", title: "little work lies between barriers", look: flow::barriers },
    Rule { name: "spilled-registers", title: "registers are kept in scratch memory", look: resources::spills },
    Rule { name: "occupancy", title: "few waves fit on a SIMD", look: resources::occupancy },
    Rule { name: "promoted-to-double", title: "single-precision values are computed in double precision", look: arithmetic::promoted },
    Rule { name: "wait-behind-load", title: "the wave waits for each load at once", look: waits::behind_loads },
];

/// Places of one rule in one kernel that are told; the rest are counted.
const TOLD: usize = 3;

/// The findings of a kernel, the most important first.
pub(crate) fn of(row: &KernelRow, code: &Code) -> Vec<Remark> {
    let view = View::new(row, code);
    let mut remarks: Vec<(u64, Remark)> = Vec::new();
    for rule in RULES {
        let mut found = (rule.look)(&view);
        found.sort_by_key(|found| std::cmp::Reverse(found.weight));
        let more = found.len().saturating_sub(TOLD) as u64;
        for (number, found) in found.into_iter().take(TOLD).enumerate() {
            let remark = Remark {
                rule: rule.name.to_owned(),
                title: rule.title.to_owned(),
                evidence: found.evidence,
                at: found.at.map(|at| at as u32),
                place: found.at.and_then(|at| view.source(at)).unwrap_or_default(),
                instruction: found.at.map_or(String::new(), |at| code.text[at].clone()),
                share: view.share(found.executed),
                more: if number == 0 { more } else { 0 },
                ..Remark::default()
            };
            remarks.push((found.weight, remark));
        }
    }
    remarks.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
    remarks.into_iter().map(|(_, remark)| remark).collect()
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Names of all rules.
pub fn rules() -> impl Iterator<Item = &'static str> {
    RULES.iter().map(|rule| rule.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names are those of pages.
    #[test]
    fn each_rule_has_a_page() {
        let pages = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/report/rules");
        let mut names: Vec<_> = rules().map(|name| format!("{name}.md")).collect();
        names.push("README.md".to_owned());
        names.sort();
        let mut found: Vec<_> = std::fs::read_dir(pages)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        found.sort();
        assert_eq!(names, found);
    }
}
