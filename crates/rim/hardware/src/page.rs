//! Reports in words: a text for the terminal and a page for a browser.

use std::fmt::Write;

use crate::report::{Approximation, Differences, Example, Instruction, Outcome, Report};
pub use crate::side_by_side::table;

/// Rows of a list in the text; the page has all.
const MOST: usize = 20;

/// Everything that is worth a line on a terminal.
pub fn text(report: &Report) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}", headline(report));
    for (count, what) in counts(report) {
        if count > 0 {
            let _ = writeln!(text, "{count:>6}  {what}");
        }
    }
    let manuals = &report.from_manuals;
    if manuals.all() > 0 {
        let left = manuals.left.iter();
        let left: Vec<String> = left.map(|(why, count)| format!("{count} {why}")).collect();
        let left = match left.is_empty() {
            true => String::new(),
            false => format!(" (left out: {})", left.join(", ")),
        };
        let _ = writeln!(
            text,
            "of them {} of {} cases with values from manuals{left}",
            manuals.run,
            manuals.all()
        );
    }
    let mut list = |title: &str, lines: Vec<String>| {
        if lines.is_empty() {
            return;
        }
        let _ = writeln!(text, "\n{title}");
        for line in lines.iter().take(MOST) {
            let _ = writeln!(text, "  {line}");
        }
        if lines.len() > MOST {
            let _ = writeln!(
                text,
                "  and {} more, which the page has",
                lines.len() - MOST
            );
        }
    };
    list("Instructions that differ:", differing(report));
    list("Instructions that did not run:", failing(report));
    let functions = report.approximations.iter().map(approximation);
    list(
        "Approximate functions, against the correctly rounded result:",
        functions.collect(),
    );
    let programs = report.programs.iter().flat_map(|program| {
        program.runs.iter().map(|run| {
            let passed = if run.passed { "passed" } else { "FAILED" };
            let tool = match run.tool.as_str() {
                "" => "alone",
                tool => tool,
            };
            let ended = run.ended.as_deref().unwrap_or_default();
            format!(
                "{:<24} {tool:<16} {passed} {:>9.3} s  {ended}",
                program.name, run.seconds
            )
        })
    });
    list("Programs:", programs.collect());
    list("Not tried yet:", report.notes.clone());
    text
}

/// One line about the device.
fn headline(report: &Report) -> String {
    let device = &report.device;
    let product = match device.product.as_str() {
        "" => String::new(),
        product => format!("{product}, "),
    };
    format!(
        "{product}{}, {} compute units, {}; {:.0} s",
        device.target, device.compute_units, device.runtime, report.seconds
    )
}

fn counts(report: &Report) -> [(usize, &'static str); 6] {
    let count = |is: fn(&Outcome) -> bool| {
        let all = report.instructions.iter();
        all.filter(|instruction| is(&instruction.outcome)).count()
    };
    [
        (
            count(|outcome| matches!(outcome, Outcome::Agrees { .. })),
            "instructions agree with the emulated device in every bit",
        ),
        (
            count(|outcome| matches!(outcome, Outcome::Differs(_))),
            "differ",
        ),
        (
            count(|outcome| matches!(outcome, Outcome::GpuFailed { .. })),
            "failed on the GPU",
        ),
        (
            count(|outcome| matches!(outcome, Outcome::EmulatorFailed { .. })),
            "are not executed by the emulated device",
        ),
        (
            report.approximations.len(),
            "are approximate and were measured",
        ),
        (
            report.not_tried.len(),
            "were not tried, each with a reason on the page",
        ),
    ]
}

fn differing(report: &Report) -> Vec<String> {
    let all = report.instructions.iter();
    all.filter_map(|instruction| match &instruction.outcome {
        Outcome::Differs(found) => Some(difference(instruction, found)),
        _ => None,
    })
    .collect()
}

fn name(instruction: &Instruction) -> String {
    format!("{} (wave{})", instruction.text, instruction.wave_size)
}

/// The difference in few words, and an example.
fn difference(instruction: &Instruction, found: &Differences) -> String {
    let Differences {
        registers,
        only_nan_bits,
        only_flushed,
        elsewhere,
        ..
    } = *found;
    let mut kinds = Vec::new();
    if only_nan_bits > 0 {
        kinds.push(format!("{only_nan_bits} in bits of NaNs"));
    }
    if only_flushed > 0 {
        kinds.push(format!("{only_flushed} by a flushed denormal"));
    }
    if let Some(worst) = found.worst_ulp {
        kinds.push(format!("up to {worst} units of the last place"));
    }
    if elsewhere > 0 {
        kinds.push(format!("{elsewhere} outside the result"));
    }
    let kinds = match kinds.is_empty() {
        true => String::new(),
        false => format!(" ({})", kinds.join(", ")),
    };
    let example = found.examples.first().map(example).unwrap_or_default();
    format!(
        "{}: {registers} registers in {} of {} waves{kinds}; {example}",
        name(instruction),
        found.differing_waves,
        found.waves
    )
}

fn example(example: &Example) -> String {
    let sources: Vec<String> = example
        .sources
        .iter()
        .map(|(register, value)| format!("{register}={value}"))
        .collect();
    let lane = example.lane.map(|lane| format!(" lane {lane}"));
    format!(
        "{}{} from {} with MODE {}: GPU {}, emulated {}",
        example.register,
        lane.unwrap_or_default(),
        sources.join(" "),
        example.mode,
        example.gpu,
        example.emulator
    )
}

fn failing(report: &Report) -> Vec<String> {
    let all = report.instructions.iter();
    all.filter_map(|instruction| {
        let (place, reason) = match &instruction.outcome {
            Outcome::GpuFailed { reason } => ("GPU", reason),
            Outcome::EmulatorFailed { reason } => ("emulated device", reason),
            _ => return None,
        };
        Some(format!("{} on the {place}: {reason}", name(instruction)))
    })
    .collect()
}

fn approximation(found: &Approximation) -> String {
    let name = format!("{} (wave{})", found.mnemonic, found.wave_size);
    if let Some(why) = &found.failed {
        return format!("{name:<28} {why}");
    }
    format!(
        "{name:<28} {:>9} inputs, {:>7.3} % the same, farthest {} ulp, {} special, {} flushed, {} NaN bits",
        found.inputs,
        100.0 * found.same(),
        distance(found.worst()),
        found.special,
        found.flushed,
        found.nan_bits
    )
}

pub(crate) fn distance(ulp: u64) -> String {
    match ulp > Approximation::FAR as u64 {
        true => format!("over {}", Approximation::FAR),
        false => ulp.to_string(),
    }
}

/// A page that any browser opens, of one report or several.
pub fn html(reports: &[Report]) -> String {
    let mut page = String::from(HEAD);
    for report in reports {
        let _ = write!(page, "<h1>{}</h1><ul>", outputs::html(&headline(report)));
        for (count, what) in counts(report) {
            let _ = write!(page, "<li><b>{count}</b> {what}</li>");
        }
        page += "</ul>";
        section(&mut page, "Instructions that differ", &differing(report));
        section(&mut page, "Instructions that did not run", &failing(report));
        histograms(&mut page, &report.approximations);
        programs(&mut page, report);
        section(&mut page, "Not tried yet", &report.notes);
        let reasons = report.not_tried.iter();
        let reasons = reasons.map(|left| format!("{}: {}", left.mnemonic, left.reason));
        section(
            &mut page,
            "Not tried, with the reason",
            &reasons.collect::<Vec<_>>(),
        );
        let agreeing = report.instructions.iter().filter_map(|instruction| {
            let Outcome::Agrees { waves } = instruction.outcome else {
                return None;
            };
            Some(format!("{}: {waves} waves", name(instruction)))
        });
        section(
            &mut page,
            "Instructions that agree",
            &agreeing.collect::<Vec<_>>(),
        );
    }
    if reports.len() > 1 {
        let table = outputs::html(&table(reports));
        let _ = write!(
            page,
            "<h1>Approximate functions side by side</h1><pre>{table}</pre>"
        );
    }
    page + "</body></html>\n"
}

const HEAD: &str = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
<meta name=\"viewport\" content=\"width=device-width\"><title>Luthier: hardware check</title><style>\
:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:75em;margin:2em auto;padding:0 1em}\
td,th{text-align:right;padding:0 .8em}td:first-child,th:first-child{text-align:left}li,td,pre{font-variant-numeric:tabular-nums}\
li{overflow-wrap:anywhere}summary{font-size:1.2em;cursor:pointer}</style></head><body>\n";

fn section(page: &mut String, title: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    let open = if lines.len() <= MOST { " open" } else { "" };
    let count = lines.len();
    let _ = write!(
        page,
        "<details{open}><summary>{title} ({count})</summary><ul>"
    );
    for line in lines {
        let _ = write!(page, "<li>{}</li>", outputs::html(line));
    }
    *page += "</ul></details>\n";
}

/// A row per function, a column per distance.
fn histograms(page: &mut String, functions: &[Approximation]) {
    if functions.is_empty() {
        return;
    }
    *page += "<h2>Approximate functions</h2><p>Results by their distance from the correctly rounded ones, in units of the last \
              place; positive is above. Zeros, infinities and NaNs that agree are in none of the columns.</p><table><tr><th>function<th>inputs";
    let columns = [
        "&lt; -2", "-2", "-1", "0", "1", "2", "&gt; 2", "special", "flushed", "NaN bits",
        "farthest",
    ];
    for column in columns {
        let _ = write!(page, "<th>{column}");
    }
    for found in functions {
        let _ = write!(
            page,
            "<tr><td>{} (wave{})<td>{}",
            outputs::html(&found.mnemonic),
            found.wave_size,
            found.inputs
        );
        let mut cells = [0_u64; 7];
        for (distance, count) in &found.histogram {
            cells[(distance.clamp(&-3, &3) + 3) as usize] += count;
        }
        for cell in cells
            .into_iter()
            .chain([found.special, found.flushed, found.nan_bits])
        {
            let _ = write!(page, "<td>{cell}");
        }
        let _ = write!(page, "<td>{}", distance(found.worst()));
        if let Some(why) = &found.failed {
            let _ = write!(page, "<td>{}", outputs::html(why));
        }
    }
    *page += "</table>\n";
    for found in functions.iter().filter(|found| !found.examples.is_empty()) {
        let lines: Vec<String> = found.examples.iter().map(example).collect();
        section(
            page,
            &format!(
                "{} (wave{}): farthest and special results",
                outputs::html(&found.mnemonic),
                found.wave_size
            ),
            &lines,
        );
    }
}

/// A row per program, a column per tool: how much longer it took.
fn programs(page: &mut String, report: &Report) {
    if report.programs.is_empty() {
        return;
    }
    *page += "<h2>Programs</h2><table><tr><th>program<th>run<th>result<th>seconds<th>times the program alone";
    for program in &report.programs {
        let alone = program.runs.iter().find(|run| run.tool.is_empty());
        for run in &program.runs {
            let tool = if run.tool.is_empty() {
                "alone"
            } else {
                &run.tool
            };
            let result = match (run.passed, &run.ended) {
                (true, _) => "passed",
                (false, None) => "failed",
                (false, Some(ended)) => ended,
            };
            let times = alone.map_or(0.0, |alone| run.seconds / alone.seconds.max(1e-9));
            let _ = write!(
                page,
                "<tr><td>{}<td>{}<td>{}<td>{:.3}<td>{times:.2}",
                outputs::html(&program.name),
                outputs::html(tool),
                outputs::html(result),
                run.seconds
            );
        }
    }
    *page += "</table>\n";
}
