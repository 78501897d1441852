//! Results of a run that a GPU may compute otherwise, and counts that may differ next time: parts of `luthier run --stats`.

use std::collections::BTreeMap;

use command::grouped;
use compute::fidelity::REASONS;
use counts::{Reached, Run};

/// For each reason its meaning, and the kernels that executed such instructions, by name.
pub fn text(summary: &Run, measured: bool) -> String {
    let all: u64 = summary
        .kernels
        .iter()
        .flat_map(|kernel| kernel.inexact())
        .map(|inexact| inexact.waves)
        .sum();
    if all == 0 {
        return "  exactness: every executed instruction is one whose result is specified\n"
            .to_owned();
    }
    let mut text = format!(
        "  exactness: {} of {} wave instructions are of kinds whose results a GPU may compute otherwise\n",
        grouped(all),
        grouped(summary.wave_instructions)
    );
    for reason in REASONS {
        let mut kernels: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
        for kernel in &summary.kernels {
            for inexact in kernel
                .inexact()
                .iter()
                .filter(|one| one.reason == reason.name)
            {
                let ops = kernels.entry(&kernel.kernel).or_default();
                *ops.entry(&inexact.op).or_default() += inexact.waves;
            }
        }
        if kernels.is_empty() {
            continue;
        }
        let meaning = match measured && reason.name == "approximate" {
            true => "as measured on a GPU, where --numerics has the function",
            false => reason.meaning,
        };
        text += &format!("    {}: {meaning}\n", reason.name);
        for (kernel, ops) in kernels {
            let mut ops: Vec<_> = ops.into_iter().collect();
            ops.sort_by_key(|(_, waves)| std::cmp::Reverse(*waves));
            let ops = ops
                .iter()
                .map(|(op, waves)| format!("{op} {}", grouped(*waves)));
            let kernel = demangle::readable(kernel);
            text += &format!("      {kernel}: {}\n", ops.collect::<Vec<_>>().join(", "));
        }
    }
    text
}

/// Uses of such results, by kernel; nothing if they were not followed.
pub fn reached(summary: &Run) -> String {
    let mut followed = summary.kernels.iter().filter(|one| one.reached.is_some());
    let mut kernels: BTreeMap<&str, Vec<Reached>> = BTreeMap::new();
    let Some(first) = followed.next() else {
        return String::new();
    };
    for kernel in std::iter::once(first).chain(followed) {
        for one in kernel.reached.iter().flatten() {
            let of_kernel = kernels.entry(&kernel.kernel).or_default();
            let same = |known: &&mut Reached| {
                (&known.what, &known.by, &known.from) == (&one.what, &one.by, &one.from)
            };
            match of_kernel.iter_mut().find(same) {
                Some(known) => known.times += one.times,
                None => of_kernel.push(one.clone()),
            }
        }
    }
    if kernels.is_empty() {
        return "  reached: no address, no branch and no output depends on such results\n"
            .to_owned();
    }
    let mut text =
        "  reached: uses of such results, and of what was computed from them\n".to_owned();
    for (kernel, uses) in kernels {
        text += &format!("    {}:\n", demangle::readable(kernel));
        for one in uses {
            let times = match one.times {
                1 => "once".to_owned(),
                times => format!("{} times", grouped(times)),
            };
            let (what, by, from) = (&one.what, &one.by, &one.from);
            text += &format!("      {what}: {by}, from {from}, {times}\n");
        }
    }
    text
}

/// Kernels whose counts depend on when another wave or the host wrote memory, by name; nothing if there are none.
pub fn waits(run: &Run) -> String {
    let waited = run.kernels.iter().filter(|kernel| kernel.waited > 0);
    let mut names: Vec<String> = waited
        .map(|kernel| demangle::readable(&kernel.kernel))
        .collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        return String::new();
    }
    format!(
        "  waits: waves of these kernels waited for memory to change, so their counts may differ from run to run: {}\n",
        names.join(", ")
    )
}
