//! `luthier run --pmc`: counters by the names that AMD's profilers give them.

use anyhow::{Result, bail};
use command::grouped;
use compute::counters::{COUNTERS, Counter, REFUSED, fits};
use counts::Run;

/// The counters of these names, each once. `_sum` at the end is what rocprof calls the sum over parts of the GPU, which is all there is here.
pub fn chosen(names: &[String]) -> Result<Vec<&'static Counter>> {
    let mut all: Vec<&'static Counter> = Vec::new();
    for name in names {
        let counter = find(name)?;
        if !all.iter().any(|known| known.name == counter.name) {
            all.push(counter);
        }
    }
    Ok(all)
}

fn find(name: &str) -> Result<&'static Counter> {
    let plain = name.strip_suffix("_sum").unwrap_or(name);
    if let Some(counter) = COUNTERS.iter().find(|counter| counter.name == plain) {
        return Ok(counter);
    }
    if let Some(refusal) = REFUSED.iter().find(|row| fits(row.pattern, plain)) {
        bail!("--pmc {name}: {}", refusal.reason);
    }
    let names: Vec<&str> = COUNTERS.iter().map(|counter| counter.name).collect();
    let meant = match tools::nearest(plain, &names) {
        Some(near) => format!(", did you mean `{near}`?"),
        None => "; docs/emulator/counters.md lists them".to_owned(),
    };
    bail!("--pmc: unknown counter `{name}`{meant}");
}

/// A table for each kernel.
pub fn text(summary: &Run, counters: &[&Counter]) -> String {
    let mut text = String::new();
    let width = counters.iter().map(|counter| counter.name.len()).max();
    let width = width.unwrap_or(0);
    // Copies that the runtime would do with a kernel, and the emulated GPU does without one, start no waves.
    let ran = || {
        summary
            .kernels
            .iter()
            .filter(|kernel| kernel.executed.waves > 0)
    };
    for kernel in ran() {
        text += &format!("luthier: counters of {}\n", kernel.kernel);
        for counter in counters {
            let count = kernel.counters.get(counter.name).copied().unwrap_or(0);
            let (name, meaning) = (counter.name, counter.definition);
            text += &format!("  {name:<width$} {:>18}  {meaning}\n", grouped(count));
        }
    }
    if ran().next().is_none() {
        text += "luthier: no counters: the program ran no kernel\n";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(name: &str) -> String {
        match chosen(&[name.to_owned()]) {
            Ok(counters) => counters[0].name.to_owned(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn names_are_known_refused_or_nearly_known() {
        assert_eq!(said("SQ_WAVES"), "SQ_WAVES");
        assert_eq!(said("SQ_WAVES_sum"), "SQ_WAVES");
        assert_eq!(said("TA_FLAT_WAVEFRONTS_sum"), "TA_FLAT_WAVEFRONTS");
        for (name, part) in [
            ("SQ_INSTS_VALUE", "did you mean `SQ_INSTS_VALU`?"),
            ("GRBM_COUNT", "--pmc GRBM_COUNT: it counts cycles"),
            ("SQ_BUSY_CYCLES", "counts cycles"),
            ("TCC_HIT_sum", "L2 cache, which is not emulated"),
            ("SQ_LDS_BANK_CONFLICT", "-t lds-conflicts"),
            ("nonsense", "docs/emulator/counters.md"),
        ] {
            assert!(said(name).contains(part), "{name}: {}", said(name));
        }
    }

    #[test]
    fn a_counter_that_is_named_twice_is_shown_once() {
        let names = ["SQ_WAVES", "SQ_INSTS", "SQ_WAVES_sum"].map(str::to_owned);
        assert_eq!(chosen(&names).unwrap().len(), 2);
    }
}
