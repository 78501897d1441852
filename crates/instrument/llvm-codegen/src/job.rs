//! One compilation: a hook, where its arguments come from, and which registers must survive.

use crate::{
    Bitcode, Diagnostic, Error, Global, Relocation, ffi,
    library::{collect, entry_points, text},
    object,
};
use std::{collections::BTreeSet, mem::MaybeUninit, ptr::NonNull};

/// Register files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum File {
    Scalar,
    Vector,
    Accumulation,
}

/// The source of a hook parameter's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Parameter {
    /// The low bits of this value.
    Constant(u64),
    /// By value from registers of this file; as many as the parameter's type needs.
    Input(File),
    /// A pointer or reference to `dwords` registers, which the hook may change.
    Reference { file: File, dwords: u32 },
    /// 64 bits that are one number in all executions of a place: literals, by relocations of a symbol that names the parameter.
    Literal,
}

/// The code to compile, and its target.
#[derive(Clone, Debug, Default)]
pub struct Job {
    /// Processor as LLVM spells it.
    pub cpu: String,
    /// LLVM features, e.g. `+wavefrontsize64,-xnack`.
    pub features: String,
    pub parameters: Vec<Parameter>,
    /// Function attributes, e.g. `("denormal-fp-math-f32", "preserve-sign")`.
    pub attributes: Vec<(String, String)>,
    /// Registers whose value must survive.
    pub pinned: BTreeSet<(File, u16)>,
    /// Registers of bindings, by binding name; the others get the lowest free ones.
    pub places: Vec<(String, u16)>,
    pub pin_scc: bool,
    pub pin_vcc: bool,
    /// Hold pinned registers in virtual ones, so that LLVM may move and spill them.
    pub copy: bool,
    /// Registers after the bindings are kept free up to a multiple of this, so that no tuple mixes both.
    pub padding: u32,
    /// Assume that every scalar register was read by a vector instruction before (gfx12).
    pub assume_tracked: bool,
    /// Move inputs of one or two dwords to registers of their own first: LLVM takes an input for the low half of a pair.
    pub move_inputs: bool,
    /// Vector values that are kept for long wait in memory, as variables do: slower, and with fewer registers.
    pub spill: bool,
}

/// A value that crosses the border between application and hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// `parameter:0`, `vgpr:5`, `exec`, `effective_address`, `result`, ...
    pub name: String,
    pub file: File,
    pub dwords: u32,
    /// Register index of the first dword.
    pub first: u16,
    /// The hook wants the application's value.
    pub read: bool,
    /// The hook leaves a new value.
    pub written: bool,
}

/// An LDS variable of a hook. The hook gets its address in the binding `lds:NAME`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared {
    pub name: String,
    /// Bytes.
    pub size: u32,
    /// Bytes.
    pub alignment: u32,
}

/// Machine code of a hook.
#[derive(Clone, Debug)]
pub struct Compiled {
    pub code: Vec<u8>,
    pub relocations: Vec<Relocation>,
    pub bindings: Vec<Binding>,
    /// Bytes per lane of variables in memory, a multiple of 16; the binding `stack` is where lane 0's are, in global memory.
    pub stack: u32,
    pub shared: Vec<Shared>,
    /// Constant tables, to which relocations refer by name. Tables of one name are alike.
    pub constants: Vec<Global>,
    /// It says of itself that it counts waves ([`object::COUNTS_WAVES`]).
    pub counts_waves: bool,
    /// Warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// Source file and line where the hook begins, by the debug information.
    pub source: Option<(String, u32)>,
}

impl Compiled {
    /// The line where the hook begins as messages begin with it: `FILE:LINE: `, or nothing.
    pub fn place(&self) -> String {
        let source = self.source.as_ref();
        source.map_or_else(String::new, |(file, line)| format!("{file}:{line}: "))
    }
}

struct Handle {
    shim: &'static ffi::EntryPoints,
    job: NonNull<ffi::Job>,
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: the handle came from `job_create` and is dropped once.
        unsafe { (self.shim.job_destroy)(self.job.as_ptr()) }
    }
}

impl File {
    fn number(self) -> u32 {
        match self {
            File::Scalar => 0,
            File::Vector => 1,
            File::Accumulation => 2,
        }
    }

    fn from_number(number: u32) -> Option<File> {
        [File::Scalar, File::Vector, File::Accumulation]
            .into_iter()
            .find(|file| file.number() == number)
    }
}

impl Job {
    /// Compiles `hook`: a symbol, or a function's name when only one has it.
    pub fn compile(&self, module: &mut Bitcode, hook: &str) -> Result<Compiled, Error> {
        let shim = entry_points()?;
        let handle = self.handle(shim)?;
        let mut diagnostics: Vec<Diagnostic> = Vec::new();
        // SAFETY: both handles are live and used by this thread alone; `collect` matches the vector behind `user`.
        let compiled = unsafe {
            (shim.compile)(
                module.handle(),
                handle.job.as_ptr(),
                hook.as_ptr().cast(),
                hook.len(),
                collect,
                (&raw mut diagnostics).cast(),
            )
        };
        if compiled == 0 {
            return Err(Error::Refused(diagnostics));
        }
        let mut length = 0;
        // SAFETY: the job compiled, so it lends an object of `length` bytes until it changes.
        let object = unsafe {
            let bytes = (shim.object)(handle.job.as_ptr(), &raw mut length);
            std::slice::from_raw_parts(bytes, length)
        };
        let object::Function {
            code,
            relocations,
            counts_waves,
        } = object::read(object)?;
        Ok(Compiled {
            code,
            relocations,
            counts_waves,
            bindings: bindings(shim, &handle),
            // SAFETY: the handle is live.
            stack: unsafe { (shim.stack)(handle.job.as_ptr()) } as u32,
            shared: shared(shim, &handle),
            constants: constants(shim, &handle),
            diagnostics,
            source: source(shim, &handle),
        })
    }

    fn handle(&self, shim: &'static ffi::EntryPoints) -> Result<Handle, Error> {
        // SAFETY: pointers and lengths describe live strings throughout; the job is not shared yet.
        unsafe {
            let job = (shim.job_create)(
                self.cpu.as_ptr().cast(),
                self.cpu.len(),
                self.features.as_ptr().cast(),
                self.features.len(),
            );
            let job = NonNull::new(job).ok_or(Error::Library {
                reason: "out of memory".to_owned(),
            })?;
            let handle = Handle { shim, job };
            let job = job.as_ptr();
            for parameter in &self.parameters {
                let (kind, file, dwords, value) = match *parameter {
                    Parameter::Constant(value) => (ffi::CONSTANT, File::Scalar, 0, value),
                    Parameter::Input(file) => (ffi::INPUT, file, 0, 0),
                    Parameter::Reference { file, dwords } => (ffi::REFERENCE, file, dwords, 0),
                    Parameter::Literal => (ffi::LITERAL, File::Scalar, 2, 0),
                };
                (shim.job_parameter)(job, kind, file.number(), dwords, value);
            }
            for (key, value) in &self.attributes {
                (shim.job_attribute)(
                    job,
                    key.as_ptr().cast(),
                    key.len(),
                    value.as_ptr().cast(),
                    value.len(),
                );
            }
            for (file, index) in &self.pinned {
                (shim.job_pin)(job, file.number(), u32::from(*index));
            }
            for (name, first) in &self.places {
                (shim.job_place)(job, name.as_ptr().cast(), name.len(), u32::from(*first));
            }
            (shim.job_options)(
                job,
                self.pin_scc.into(),
                self.pin_vcc.into(),
                self.copy.into(),
                self.padding,
                self.assume_tracked.into(),
                self.move_inputs.into(),
                self.spill.into(),
            );
            Ok(handle)
        }
    }
}

fn bindings(shim: &ffi::EntryPoints, handle: &Handle) -> Vec<Binding> {
    // SAFETY: the handle is live.
    let count = unsafe { (shim.binding_count)(handle.job.as_ptr()) };
    let mut bindings = Vec::new();
    for index in 0..count {
        let mut binding = MaybeUninit::<ffi::Binding>::uninit();
        // SAFETY: the handle is live; on success the structure is filled.
        let binding = unsafe {
            if (shim.binding_at)(handle.job.as_ptr(), index, binding.as_mut_ptr()) == 0 {
                break;
            }
            binding.assume_init()
        };
        bindings.push(Binding {
            // SAFETY: the job owns the name.
            name: unsafe { text(binding.name, binding.name_length) },
            file: File::from_number(binding.file).expect("the shim knows three files"),
            dwords: binding.dwords,
            first: binding.first as u16,
            read: binding.read != 0,
            written: binding.written != 0,
        });
    }
    bindings
}

fn constants(shim: &ffi::EntryPoints, handle: &Handle) -> Vec<Global> {
    // SAFETY: the handle is live.
    let count = unsafe { (shim.constant_count)(handle.job.as_ptr()) };
    let mut constants = Vec::new();
    for index in 0..count {
        let mut constant = MaybeUninit::<ffi::Global>::uninit();
        // SAFETY: the handle is live; on success the structure is filled, its name is the job's, and so are as many bytes as
        // it says.
        unsafe {
            if (shim.constant_at)(handle.job.as_ptr(), index, constant.as_mut_ptr()) == 0 {
                break;
            }
            let constant = constant.assume_init();
            let bytes = std::slice::from_raw_parts(constant.initial, constant.size as usize);
            constants.push(Global {
                name: text(constant.name, constant.name_length),
                size: constant.size,
                alignment: constant.alignment,
                initial: Some(bytes.to_vec()),
                defined: true,
            });
        }
    }
    constants
}

fn source(shim: &ffi::EntryPoints, handle: &Handle) -> Option<(String, u32)> {
    let (mut length, mut line) = (0, 0);
    // SAFETY: the handle is live; the job owns a name of `length` bytes.
    let file = unsafe {
        let file = (shim.source)(handle.job.as_ptr(), &raw mut length, &raw mut line);
        text(file, length)
    };
    (line != 0).then_some((file, line))
}

fn shared(shim: &ffi::EntryPoints, handle: &Handle) -> Vec<Shared> {
    // SAFETY: the handle is live.
    let count = unsafe { (shim.shared_count)(handle.job.as_ptr()) };
    let mut variables = Vec::new();
    for index in 0..count {
        let mut variable = MaybeUninit::<ffi::Shared>::uninit();
        // SAFETY: the handle is live; on success the structure is filled.
        let variable = unsafe {
            if (shim.shared_at)(handle.job.as_ptr(), index, variable.as_mut_ptr()) == 0 {
                break;
            }
            variable.assume_init()
        };
        variables.push(Shared {
            // SAFETY: the job owns the name.
            name: unsafe { text(variable.name, variable.name_length) },
            size: u32::try_from(variable.size).unwrap_or(u32::MAX),
            alignment: variable.alignment as u32,
        });
    }
    variables
}
