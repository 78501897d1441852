//! llama.cpp generating text on the emulated GPU, with models made up here, as its CPU backend does.

use anyhow::{Context, Result, ensure};

use super::{
    limited::{self, Budget, End, Setting},
    tally::Tally,
};

/// Writes one model in full precision; `llama-quantize` makes the others of it.
const SCRIPT: &str = include_str!("models.py");
const QUANTISATIONS: &[&str] = &[
    "F16", "BF16", "Q8_0", "Q4_0", "Q5_1", "Q4_K", "Q6_K", "IQ4_XS",
];
const ARGUMENTS: &[&str] = &[
    "-p",
    "The quick brown fox",
    "-n",
    "24",
    "--temp",
    "0",
    "--seed",
    "1",
    "-no-cnv",
    "--no-warmup",
    "-c",
    "256",
];

/// Generates with every quantisation, on the CPU alone and with all layers on the GPU.
pub fn run(setting: &Setting<'_>, seconds: u64) -> Result<Tally> {
    let budget = Budget::new(seconds);
    let folder = crate::root().join(format!("target/rocm-models-{}", setting.environment.name));
    std::fs::create_dir_all(&folder)?;
    let script = folder.join("models.py");
    std::fs::write(&script, SCRIPT)?;
    let full = folder.join("F32.gguf");
    if !full.exists() {
        let made = setting
            .environment
            .command("python3")
            .arg(&script)
            .arg(&full)
            .output()?;
        let errors = String::from_utf8_lossy(&made.stderr);
        ensure!(made.status.success(), "models.py failed: {errors}");
    }
    let mut tally = Tally::default();
    for (number, quantisation) in QUANTISATIONS.iter().enumerate() {
        let Some(left) = budget.left() else {
            tally.not_run += QUANTISATIONS.len() - number;
            break;
        };
        let model = folder.join(format!("{quantisation}.gguf"));
        if !model.exists() {
            let mut command = setting.environment.command("llama-quantize");
            command.args([&full, &model]).arg(quantisation);
            let (_, errors) = limited::lines(command, |_| {})?;
            ensure!(
                model.exists(),
                "llama-quantize made no {quantisation}: {errors}"
            );
        }
        let model = model.to_str().context("the path is text")?;
        let mut alone = setting.environment.command("llama-completion");
        alone
            .args(["-m", model, "--device", "none", "-ngl", "0"])
            .args(ARGUMENTS);
        let mut gpu = setting.command(left, "llama-completion");
        gpu.args(["-m", model, "-ngl", "99"]).args(ARGUMENTS);
        let (expected, _, errors) = text(alone)?;
        ensure!(!expected.is_empty(), "the CPU says nothing: {errors}");
        let (found, end, errors) = text(gpu)?;
        match end {
            End::Late => tally.not_run += 1,
            End::Status(0) if found == expected => {
                tally.passed += 1;
                if !setting.options.is_empty() {
                    println!("{errors}");
                }
            }
            End::Status(code) => tally.failed.push((
                (*quantisation).to_owned(),
                format!("status {code}\n{found:?} instead of\n{expected:?}\n{errors}"),
            )),
        }
    }
    Ok(tally)
}

fn text(command: std::process::Command) -> Result<(String, End, String)> {
    let mut text = String::new();
    let (end, errors) = limited::lines(command, |line| {
        text.push_str(line);
        text.push('\n');
    })?;
    Ok((text, end, errors))
}
