//! Bitcode to templates: one hook, one target, one variant.

use crate::{
    CompileError, Global, Port, RegisterFile, Relocation, SharedVariable, Template, VerifyError,
    derive::{Declared, DeclaredPort, derive_knowing},
    fields::{Known, register_of},
    flow::Flow,
};
use gfx::{Family, Feature, Target};
use isa::{Assembler, Decoder, RegKind};
use llvm_codegen::{Bitcode, Compiled, File, Job, Parameter};
use std::collections::BTreeSet;

/// The source of a hook parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Arg {
    /// The low bits of this value, the same at every place.
    Constant(u64),
    /// The value of scalar registers (or a value that is the same in all lanes).
    Scalar,
    /// The value of vector registers.
    Vector,
    /// A reference to so many scalar registers, which the hook may change.
    ScalarReference(u8),
    /// A reference to so many vector registers, which the hook may change.
    VectorReference(u8),
    /// 64 bits that are one number in all executions of a place: a literal where the hook reads it.
    Literal,
}

/// A hook to compile and the variant wanted.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    pub hook: &'a str,
    pub arguments: &'a [Arg],
    /// SCC is live where the template goes.
    pub preserve_scc: bool,
    /// VCC is live where the template goes.
    pub preserve_vcc: bool,
    /// Function attributes that say what MODE is: `denormal-fp-math-f32`, `amdgpu-ieee`, ...
    pub attributes: &'a [(String, String)],
}

/// The place of a per-site compilation: every register that is live there, and where the inputs are.
#[derive(Clone, Debug, Default)]
pub struct Site {
    pub live: BTreeSet<(RegisterFile, u16)>,
    /// Register of an input, by port name; the others get free registers.
    pub inputs: Vec<(String, u16)>,
    /// Let the compiler move and spill live registers: slower, succeeds under more pressure.
    pub copy: bool,
}

/// Compiles hooks for one target and wave size.
pub struct Compiler {
    target: &'static Target,
    features: String,
    decoder: Decoder,
    fields: Known,
}

/// Attributes for hooks that need more registers than LLVM gives to code of any workgroup: as if there was one wave in it.
const WHOLE_FILE: &[(&str, &str)] = &[("amdgpu-flat-work-group-size", "1,64")];

/// Tuples end at multiples of these; the next one is tried when a tuple mixes inputs with other registers.
const PADDINGS: [u32; 3] = [4, 8, 16];

impl Compiler {
    /// `features` are further LLVM features, as `+xnack,-sramecc`.
    pub fn new(
        target: &'static Target,
        wave_size: u8,
        features: &str,
    ) -> Result<Compiler, CompileError> {
        let decoder = Decoder::with_features(target, wave_size, features).map_err(|error| {
            CompileError::Decoder {
                target: target.name.to_owned(),
                reason: error.to_string(),
            }
        })?;
        // ROCm runs with unaligned access on; LLVM's default for the shader triple is off.
        let mut all = "+unaligned-access-mode".to_owned();
        if target.supports_wave32() && target.vgpr_granule[0] != 0 {
            all.push_str(&format!(",+wavefrontsize{wave_size}"));
        }
        // Code for these modes is right without them too, and what an object is built for is only known when it is met.
        for (feature, name) in [(target.xnack, "xnack"), (target.sramecc, "sramecc")] {
            if feature == Feature::Selectable {
                all.push_str(&format!(",+{name}"));
            }
        }
        if !features.is_empty() {
            all.push(',');
            all.push_str(features);
        }
        Ok(Compiler {
            target,
            features: all,
            decoder,
            fields: Known::default(),
        })
    }

    pub fn decoder(&self) -> &Decoder {
        &self.decoder
    }

    /// The template of a hook, bindable to any registers.
    pub fn template(
        &self,
        module: &mut Bitcode,
        request: &Request<'_>,
    ) -> Result<Template, CompileError> {
        let mut result = self.padded(module, request, &[], false);
        if lacks_registers(&result) {
            result = self.padded(module, request, WHOLE_FILE, false);
        }
        if lacks_registers(&result) {
            result = self.padded(module, request, &[], true);
        }
        result
    }

    /// The same hook for kernels whose waves cannot have as many VGPRs as `template`, because workgroups may be of any size; `None`
    /// where none is needed or possible. It keeps values in memory.
    pub fn small_template(
        &self,
        module: &mut Bitcode,
        request: &Request<'_>,
        template: &Template,
    ) -> Option<Template> {
        let most = self.target.least_vgprs(self.decoder.wave_size()) * 7 / 8;
        if template.vector_registers() <= most {
            return None;
        }
        let count = most.to_string();
        let small = self.padded(module, request, &[("amdgpu-num-vgpr", &count)], true);
        let small = small.ok()?;
        (small.vector_registers() < template.vector_registers()).then_some(small)
    }

    /// With as much padding as it takes, and these further attributes.
    fn padded(
        &self,
        module: &mut Bitcode,
        request: &Request<'_>,
        attributes: &[(&str, &str)],
        spill: bool,
    ) -> Result<Template, CompileError> {
        let kept = PADDINGS.map(|padding| (padding, false));
        let mut tried = None;
        // At last with inputs that are moved, which costs an instruction for each 32 bits.
        for (padding, move_inputs) in kept.into_iter().chain([(PADDINGS[0], true)]) {
            let mut job = Job {
                padding,
                move_inputs,
                spill,
                ..self.job(request)
            };
            let further = attributes.iter();
            let further = further.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            job.attributes.extend(further);
            let compiled = self.run(&job, module, request)?;
            match self.derive(&compiled, request, &Site::default()) {
                Err(error @ VerifyError::MixedGroup { .. }) => tried = Some((error, compiled)),
                result => return result.map_err(|source| self.refused(request, &compiled, source)),
            }
        }
        let (error, compiled) = tried.expect("there is a padding to try");
        Err(self.refused(request, &compiled, error))
    }

    /// A hook compiled for one place, around all registers that are live there. The template's groups stay where they are.
    pub fn for_site(
        &self,
        module: &mut Bitcode,
        request: &Request<'_>,
        site: &Site,
    ) -> Result<Template, CompileError> {
        let job = Job {
            pinned: site
                .live
                .iter()
                .map(|(file, index)| (file_of(*file), *index))
                .collect(),
            places: site.inputs.clone(),
            copy: site.copy,
            padding: 0,
            ..self.job(request)
        };
        let compiled = self.run(&job, module, request)?;
        self.derive(&compiled, request, site)
            .map_err(|source| self.refused(request, &compiled, source))
    }

    fn job(&self, request: &Request<'_>) -> Job {
        let parameters = request.arguments.iter().map(|argument| match *argument {
            Arg::Constant(value) => Parameter::Constant(value),
            Arg::Scalar => Parameter::Input(File::Scalar),
            Arg::Vector => Parameter::Input(File::Vector),
            Arg::ScalarReference(dwords) => Parameter::Reference {
                file: File::Scalar,
                dwords: dwords.into(),
            },
            Arg::VectorReference(dwords) => Parameter::Reference {
                file: File::Vector,
                dwords: dwords.into(),
            },
            Arg::Literal => Parameter::Literal,
        });
        Job {
            cpu: self.target.name.to_owned(),
            features: self.features.clone(),
            parameters: parameters.collect(),
            attributes: request.attributes.to_vec(),
            pin_scc: request.preserve_scc,
            pin_vcc: request.preserve_vcc,
            assume_tracked: self.target.family == Family::Gfx12,
            ..Job::default()
        }
    }

    fn run(
        &self,
        job: &Job,
        module: &mut Bitcode,
        request: &Request<'_>,
    ) -> Result<Compiled, CompileError> {
        job.compile(module, request.hook)
            .map_err(|source| CompileError::Codegen {
                hook: request.hook.to_owned(),
                target: self.target.name.to_owned(),
                source,
            })
    }

    fn derive(
        &self,
        compiled: &Compiled,
        request: &Request<'_>,
        site: &Site,
    ) -> Result<Template, VerifyError> {
        let literals = request.arguments.iter().enumerate();
        let literals = literals.filter(|(_, argument)| **argument == Arg::Literal);
        let literals = literals.map(|(index, _)| literal_port(index));
        let ports: Vec<DeclaredPort> = compiled
            .bindings
            .iter()
            .map(|binding| DeclaredPort {
                name: binding.name.clone(),
                file: match binding.file {
                    File::Scalar => RegisterFile::Sgpr,
                    File::Vector => RegisterFile::Vgpr,
                    File::Accumulation => RegisterFile::Agpr,
                },
                first: binding.first,
                dwords: binding.dwords as u16,
                read: binding.read,
                written: binding.written,
            })
            .collect();
        let mut preserved = if site.copy {
            BTreeSet::new()
        } else {
            site.live.clone()
        };
        for port in ports.iter().filter(|port| port.written) {
            for dword in 0..port.dwords {
                preserved.remove(&(port.file, port.first + dword));
            }
        }
        let relocations = compiled.relocations.iter().map(|relocation| Relocation {
            offset: relocation.offset as u32,
            kind: relocation.kind,
            symbol: relocation.symbol.clone(),
            addend: relocation.addend,
        });
        let shared = compiled.shared.iter().map(|variable| SharedVariable {
            name: variable.name.clone(),
            size: variable.size,
            alignment: variable.alignment,
        });
        let declared = Declared {
            ports,
            relocations: relocations.collect(),
            preserve_scc: request.preserve_scc,
            preserve_vcc: request.preserve_vcc,
            preserved,
            stack: compiled.stack,
            shared: shared.collect(),
        };
        let derive = |code: &[u8], declared: &Declared| {
            derive_knowing(&self.fields, &self.decoder, code, declared)
        };
        let derived = match derive(&compiled.code, &declared) {
            Err(VerifyError::ExecChanged) => {
                let (code, declared) = self.saving_exec(&compiled.code, declared, site)?;
                derive(&code, &declared)
            }
            result => result,
        };
        let constants = compiled.constants.iter().map(|constant| Global {
            name: constant.name.clone(),
            size: constant.size,
            alignment: constant.alignment,
            initial: constant.initial.clone(),
        });
        derived.map(|mut template| {
            template.ports.extend(literals);
            Template {
                constants: constants.collect(),
                counts_waves: compiled.counts_waves,
                ..template
            }
        })
    }

    /// LLVM gathers the lanes that leave a loop one by one, and that they add up to the first ones cannot be proved; so the
    /// code gets a copy of EXEC that can.
    fn saving_exec(
        &self,
        code: &[u8],
        mut declared: Declared,
        site: &Site,
    ) -> Result<(Vec<u8>, Declared), VerifyError> {
        let named: BTreeSet<u16> = Flow::new(&self.decoder, code)?
            .instructions
            .iter()
            .flat_map(|inst| inst.operands.iter().filter_map(register_of))
            .filter(|reg| reg.kind == RegKind::Sgpr)
            .flat_map(|reg| reg.index..reg.index + u16::from(reg.width))
            .collect();
        let port = |index: u16| {
            declared.ports.iter().any(|port| {
                port.file == RegisterFile::Sgpr
                    && (port.first..port.first + port.dwords).contains(&index)
            })
        };
        let free = |index: u16| {
            !named.contains(&index)
                && !port(index)
                && !site.live.contains(&(RegisterFile::Sgpr, index))
        };
        let pair = (0..self.target.sgpr_addressable - 1)
            .step_by(2)
            .find(|first| free(*first) && free(first + 1))
            .ok_or(VerifyError::ExecChanged)?;
        let (save, restore) = match self.decoder.wave_size() {
            64 => (
                format!("s_mov_b64 s[{pair}:{}], exec", pair + 1),
                format!("s_mov_b64 exec, s[{pair}:{}]", pair + 1),
            ),
            _ => (
                format!("s_mov_b32 s{pair}, exec_lo"),
                format!("s_mov_b32 exec_lo, s{pair}"),
            ),
        };
        let assembled = |text: &str| {
            Assembler::with_features(self.target, self.decoder.wave_size(), "")
                .map_err(|error| error.to_string())
                .and_then(|assembler| assembler.assemble(text).map_err(|error| error.to_string()))
                .map_err(|reason| VerifyError::Decoder {
                    target: self.target.name.to_owned(),
                    reason,
                })
        };
        let save = assembled(&save)?;
        for relocation in &mut declared.relocations {
            relocation.offset += save.len() as u32;
        }
        Ok(([&save, code, &assembled(&restore)?].concat(), declared))
    }

    fn refused(
        &self,
        request: &Request<'_>,
        compiled: &Compiled,
        source: VerifyError,
    ) -> CompileError {
        CompileError::Verify {
            place: compiled.place(),
            hook: request.hook.to_owned(),
            target: self.target.name.to_owned(),
            source: Box::new(source),
        }
    }
}

/// The port of a parameter that is a literal: no register is bound to it. It says that there is this parameter, and how wide it is.
fn literal_port(index: usize) -> Port {
    Port {
        name: template::parameter(index),
        file: RegisterFile::Sgpr,
        read: true,
        written: false,
        dwords: vec![None; 2],
    }
}

/// Returns `true` if LLVM found no registers for all values.
fn lacks_registers(result: &Result<Template, CompileError>) -> bool {
    let Err(CompileError::Verify { source, .. }) = result else {
        return false;
    };
    **source == VerifyError::Registers
}

fn file_of(file: RegisterFile) -> File {
    match file {
        RegisterFile::Sgpr => File::Scalar,
        RegisterFile::Vgpr => File::Vector,
        RegisterFile::Agpr => File::Accumulation,
    }
}
