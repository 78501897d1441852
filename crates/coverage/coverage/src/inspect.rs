//! `inspect`: what a profile file holds.

use std::{
    collections::HashMap,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result, bail};
use clap::Args;
use rawprof::{Profile, layout::MAGIC, names};
use serde::Serialize;

use crate::{llvm::Tools, report::INDEXED_MAGIC};

/// Arguments of `inspect`.
#[derive(Debug, Args)]
pub struct Inspect {
    /// `.profraw` or `.profdata` files
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// `text` or `json`
    #[arg(long, default_value = "text", value_parser = ["text", "json"])]
    format: String,
}

#[derive(Serialize)]
struct ProfileView {
    version: u64,
    variants: Vec<&'static str>,
    binary_ids: Vec<String>,
    functions: Vec<FunctionView>,
}

#[derive(Serialize)]
struct FunctionView {
    name: String,
    hash: String,
    counters: Vec<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    uniform: Vec<u64>,
    #[serde(skip_serializing_if = "String::is_empty")]
    bitmap: String,
}

impl Inspect {
    pub fn run(self) -> Result<ExitCode> {
        let mut all = Vec::new();
        for file in &self.files {
            if self.files.len() > 1 && self.format == "text" {
                crate::print(&format!("{}\n", file.display()))?;
            }
            all.extend(self.one(file)?);
        }
        if self.format == "json" {
            crate::print(&format!("{}\n", serde_json::to_string_pretty(&all)?))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Prints one file as text, or returns what is to be printed of it as JSON.
    fn one(&self, file: &Path) -> Result<Vec<ProfileView>> {
        let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
        let magic = bytes
            .get(..8)
            .map(|word| u64::from_le_bytes(word.try_into().unwrap_or_default()));
        match magic {
            Some(INDEXED_MAGIC) => self.indexed(file, &bytes).map(|()| Vec::new()),
            Some(MAGIC) => self.raw(file, &bytes),
            _ => {
                rawprof::parse(&bytes).with_context(|| file.display().to_string())?;
                bail!("{} is not a profile", file.display())
            }
        }
    }

    fn raw(&self, file: &Path, bytes: &[u8]) -> Result<Vec<ProfileView>> {
        let profiles = rawprof::parse(bytes).with_context(|| file.display().to_string())?;
        let views: Vec<_> = profiles.iter().map(view).collect::<Result<_>>()?;
        if self.format == "json" {
            return Ok(views);
        }
        let mut text = String::new();
        for (index, profile) in views.iter().enumerate() {
            let variants = if profile.variants.is_empty() {
                "source level".into()
            } else {
                profile.variants.join(", ")
            };
            writeln!(
                text,
                "profile {}: raw version {} ({variants})",
                index + 1,
                profile.version
            )?;
            for id in &profile.binary_ids {
                writeln!(text, "  image {id}")?;
            }
            for function in &profile.functions {
                let counts: Vec<_> = function.counters.iter().map(u64::to_string).collect();
                writeln!(
                    text,
                    "  {}  hash {}  counts [{}]",
                    function.name,
                    function.hash,
                    counts.join(", ")
                )?;
                if !function.uniform.is_empty() {
                    let counts: Vec<_> = function.uniform.iter().map(u64::to_string).collect();
                    writeln!(text, "    uniform [{}]", counts.join(", "))?;
                }
                if !function.bitmap.is_empty() {
                    writeln!(text, "    MC/DC bitmap {}", function.bitmap)?;
                }
            }
        }
        crate::print(&text)?;
        Ok(Vec::new())
    }

    fn indexed(&self, file: &Path, bytes: &[u8]) -> Result<()> {
        let version = bytes.get(8..16).map_or(0, |word| {
            u64::from_le_bytes(word.try_into().unwrap_or_default())
        });
        let tools = Tools::find(None)?;
        let mut command = tools.command("llvm-profdata");
        command.args(["show", "-all-functions", "-counts", "-binary-ids"]);
        if self.format == "json" {
            bail!("indexed profiles are shown as text only; inspect the .profraw files for JSON");
        }
        command.arg(file);
        let (text, _) = tools.output(command).with_context(|| {
            format!(
                "{} has indexed version {}, made by another LLVM release?",
                file.display(),
                version & 0xffff_ffff
            )
        })?;
        let header = format!("indexed profile, version {}\n", version & 0xffff_ffff);
        crate::print(&(header + &String::from_utf8_lossy(&text)))
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn view(profile: &Profile) -> Result<ProfileView> {
    let names: HashMap<u64, String> = names::index(&profile.names)?;
    let functions = profile.records.iter().map(|record| FunctionView {
        name: names
            .get(&record.name_ref)
            .cloned()
            .unwrap_or_else(|| format!("<unnamed {:#018x}>", record.name_ref)),
        hash: format!("{:#x}", record.function_hash),
        counters: record.counters.clone(),
        uniform: record.uniform.clone(),
        bitmap: hex(&record.bitmap),
    });
    Ok(ProfileView {
        version: profile.version.number(),
        variants: profile.version.variants().collect(),
        binary_ids: profile.binary_ids.iter().map(|id| hex(id)).collect(),
        functions: functions.collect(),
    })
}
