//! Compiles one hook and prints its machine code: `compile_hook FILE.bc HOOK CPU FEATURES [ARGUMENT...]`, an argument being
//! a number (constant), `s` or `v` (input) or `s&1`, `v&2` (a reference to that many registers).

use anyhow::Context;
use llvm_codegen::{Bitcode, File, Job, Parameter};

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, hook, cpu, features, parameters @ ..] = &arguments[..] else {
        anyhow::bail!("usage: compile_hook FILE.bc HOOK CPU FEATURES [ARGUMENT...]");
    };
    let bytes = std::fs::read(file).with_context(|| format!("cannot read {file}"))?;
    let mut module = Bitcode::parse(&bytes)?;
    let set = |name: &str| std::env::var(name).is_ok();
    let mut job = Job {
        cpu: cpu.clone(),
        features: features.clone(),
        pin_scc: set("PIN_SCC"),
        pin_vcc: set("PIN_VCC"),
        padding: 4,
        assume_tracked: cpu.starts_with("gfx12"),
        ..Job::default()
    };
    for parameter in parameters {
        job.parameters.push(parse(parameter)?);
    }
    let compiled = job.compile(&mut module, hook)?;
    println!("{:#?} {:#?}", compiled.bindings, compiled.relocations);
    for word in compiled.code.chunks_exact(4) {
        let bytes: Vec<String> = word.iter().map(|byte| format!("0x{byte:02x}")).collect();
        println!("{}", bytes.join(","));
    }
    Ok(())
}

fn parse(text: &str) -> anyhow::Result<Parameter> {
    let file = match text.as_bytes().first() {
        Some(b's') => File::Scalar,
        Some(b'v') => File::Vector,
        _ => return Ok(Parameter::Constant(text.parse().context("argument")?)),
    };
    Ok(match text[1..].strip_prefix('&') {
        Some(dwords) => Parameter::Reference {
            file,
            dwords: dwords.parse().context("dwords")?,
        },
        None => Parameter::Input(file),
    })
}
