//! Tests that are compiled here from a package's sources, for devices that the release's packages of tests have no code for.

use anyhow::{Result, bail};

use super::{google_test::Shard, known, limited::Setting};

/// Tests in the sources of one package, each file a program.
pub struct Sources {
    /// Debian's name of the sources.
    pub package: &'static str,
    /// The files, from the folder of the sources; `*` in the last part stands for anything.
    pub files: &'static str,
    pub flags: &'static [&'static str],
    /// Folders of headers, from the folder of the sources.
    pub include: &'static [&'static str],
    pub libraries: &'static [&'static str],
    /// Devices that the headers do not know, and the macro by which they take them for a relative.
    pub macros: &'static [(&'static str, &'static str)],
}

/// Executables for the device: the shard's part of the programs whose name matches. A program that was compiled before is not compiled
/// again.
pub fn programs(
    setting: &Setting<'_>,
    sources: &Sources,
    pattern: &str,
    shard: Shard,
) -> Result<Vec<String>> {
    let environment = setting.environment;
    let folder = environment.sources(sources.package)?;
    let executables = format!("{folder}/compiled/{}", setting.device);
    std::fs::create_dir_all(environment.inside(&executables))?;
    let files = environment.files(&format!("{folder}/{}", sources.files))?;
    let name_of = |file: &str| -> String {
        let name = file.rsplit('/').next().unwrap_or(file);
        name.split('.').next().unwrap_or(name).to_owned()
    };
    let chosen = files
        .iter()
        .filter(|file| known::matches(pattern, &name_of(file)))
        .skip(shard.index)
        .step_by(shard.count);
    let macros = sources.macros.iter();
    let macros: Vec<String> = macros
        .filter(|(device, _)| *device == setting.device)
        .map(|(_, name)| format!("-D{name}"))
        .collect();
    let mut programs = Vec::new();
    for file in chosen {
        let executable = format!("{executables}/{}", name_of(file));
        if !environment.inside(&executable).exists() {
            eprintln!("Compiling {file} for {}", setting.device);
            let unfinished = format!("{executable}.unfinished");
            let includes = sources.include.iter();
            let output = environment
                .command("hipcc")
                .arg(format!("--offload-arch={}", setting.device))
                .args(sources.flags)
                .args(&macros)
                .args(includes.map(|include| format!("-I{folder}/{include}")))
                .args([file, "-o", &unfinished])
                .args(sources.libraries)
                .output()?;
            if !output.status.success() {
                let errors = String::from_utf8_lossy(&output.stderr);
                let first: Vec<&str> = errors.lines().take(12).collect();
                // One file that a compiler refuses says nothing of the others.
                println!("    {file} does not compile:\n{}", first.join("\n"));
                continue;
            }
            std::fs::rename(
                environment.inside(&unfinished),
                environment.inside(&executable),
            )?;
        }
        programs.push(executable);
    }
    if programs.is_empty() {
        bail!(
            "no test of {} with a name like {pattern} compiles",
            sources.package
        );
    }
    Ok(programs)
}
