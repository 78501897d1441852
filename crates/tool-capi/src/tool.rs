//! A [`Tool`] whose host code is a library: its callbacks collect what to insert, which goes to the kernel afterwards.

use crate::{
    LibraryError,
    library::Library,
    table::{CURRENT, RawArgument},
};
use isa::{Reg, RegKind};
use kmt_sys::aql::KernelDispatchPacket;
use luthier::{Argument, Edit, Error, Kernel, Launch, Result, Results, Tool, ToolFile};
use std::{
    collections::HashMap,
    ffi::CString,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// `luthier_ipoint_t`.
const AFTER: i32 = 1;

/// An instruction as the tool sees it.
pub struct Seen {
    pub pc: u64,
    pub size: u32,
    pub mnemonic: CString,
    pub text: CString,
}

struct Call {
    index: usize,
    hook: String,
    after: bool,
    arguments: Vec<Argument>,
}

/// One call of `luthier_at_hsa_event`.
#[derive(Default)]
pub struct Visit {
    pub kernel_object: u64,
    pub instrumented: bool,
    pub overridden: bool,
    /// None if the kernel is instrumented already.
    pub instructions: Vec<Seen>,
    hooks: Vec<String>,
    calls: Vec<Call>,
}

impl Visit {
    pub fn insert(
        &mut self,
        index: usize,
        hook: String,
        point: i32,
        arguments: &[RawArgument],
    ) -> std::result::Result<(), String> {
        if self.instrumented {
            return Err("the kernel is instrumented already".to_owned());
        }
        if index >= self.instructions.len() {
            return Err("there is no such instruction".to_owned());
        }
        if !self.hooks.contains(&hook) {
            let known = self.hooks.join(", ");
            return Err(format!("there is no hook {hook} (exported: {known})"));
        }
        let arguments = arguments.iter().map(argument);
        self.calls.push(Call {
            index,
            hook,
            after: point == AFTER,
            arguments: arguments.collect::<std::result::Result<_, _>>()?,
        });
        Ok(())
    }
}

/// `luthier_arg_kind`.
fn argument(raw: &RawArgument) -> std::result::Result<Argument, String> {
    let register = |kind| {
        Argument::Register(Reg {
            kind,
            index: raw.value as u16,
            width: 1,
            half: None,
        })
    };
    Ok(match raw.kind {
        0 => Argument::Constant(raw.value),
        1 => register(RegKind::Sgpr),
        2 => register(RegKind::Vgpr),
        3 => Argument::Exec,
        4 => Argument::Pc,
        5 => Argument::Site,
        kind => return Err(format!("there are no arguments of kind {kind}")),
    })
}

/// What is known of kernels, by name.
#[derive(Default)]
struct Kernels {
    objects: HashMap<String, u64>,
    /// Instrumented just now: the launch for which that happened has been told to the tool.
    told: Vec<String>,
}

impl Kernels {
    /// A number for the kernel, which stands for the address of its descriptor.
    fn object(&mut self, name: &str) -> u64 {
        let next = self.objects.len() as u64 + 1;
        *self.objects.entry(name.to_owned()).or_insert(next)
    }
}

/// See the module.
pub struct LibraryTool {
    file: ToolFile,
    library: Library,
    /// Also keeps the tool's callbacks from running at the same time.
    kernels: Mutex<Kernels>,
    problems: Mutex<Vec<String>>,
}

impl LibraryTool {
    pub fn new(file: ToolFile, library: Library) -> std::result::Result<LibraryTool, LibraryError> {
        Ok(LibraryTool {
            file,
            library,
            kernels: Mutex::default(),
            problems: Mutex::default(),
        })
    }

    /// Tells the tool about a launch, and returns what it asked for.
    fn tell(
        &self,
        visit: Visit,
        mut packet: KernelDispatchPacket,
        name: &str,
    ) -> (Visit, Option<String>) {
        packet.kernel_object = visit.kernel_object;
        CURRENT.set(Some(visit));
        let told = self.library.launched(&mut packet, name);
        (CURRENT.take().unwrap_or_default(), told.err())
    }
}

pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Tool for LibraryTool {
    fn name(&self) -> &str {
        self.file.name()
    }

    fn file(&self) -> &ToolFile {
        &self.file
    }

    fn instrument(&self, kernel: &Kernel<'_>, edit: &mut Edit<'_>) -> Result<()> {
        let instructions: Vec<_> = kernel.instructions().collect();
        let text = |text: String| CString::new(text).unwrap_or_default();
        let seen = instructions.iter().map(|instruction| Seen {
            pc: instruction.pc(),
            size: instruction.decoded().size.into(),
            mnemonic: text(instruction.mnemonic().to_owned()),
            text: text(instruction.text()),
        });
        let mut kernels = lock(&self.kernels);
        let visit = Visit {
            kernel_object: kernels.object(kernel.name()),
            instructions: seen.collect(),
            hooks: self.file.exports(),
            ..Visit::default()
        };
        let (visit, problem) = self.tell(visit, KernelDispatchPacket::default(), kernel.name());
        kernels.told.push(kernel.name().to_owned());
        drop(kernels);
        if let Some(problem) = problem {
            return Err(Error::Tool(format!("{}: {problem}", self.name())));
        }
        if visit.overridden {
            for call in visit.calls {
                let instruction = &instructions[call.index];
                let place = match call.after {
                    true => edit.after(instruction),
                    false => edit.before(instruction),
                };
                place.call(&call.hook, call.arguments)?;
            }
        }
        Ok(())
    }

    fn launch(&self, launch: &Launch<'_>) {
        let mut kernels = lock(&self.kernels);
        let told = kernels.told.iter().position(|name| name == launch.kernel);
        if let Some(index) = told {
            kernels.told.swap_remove(index);
            return;
        }
        let visit = Visit {
            kernel_object: kernels.object(launch.kernel),
            instrumented: true,
            ..Visit::default()
        };
        let packet = KernelDispatchPacket {
            grid_size: launch.grid,
            workgroup_size: launch.workgroup,
            ..KernelDispatchPacket::default()
        };
        if let (_, Some(problem)) = self.tell(visit, packet, launch.kernel) {
            let mut problems = lock(&self.problems);
            if !problems.contains(&problem) {
                problems.push(problem);
            }
        }
    }

    fn finish(&self, results: &Results<'_>) -> Result<String> {
        for (name, size) in self.file.variables() {
            let copies = results.variable(&name)?;
            if size <= 8 {
                let sum = results.sum(&name)?.to_le_bytes();
                self.library.write(&name, &sum[..size as usize]);
            } else if let Some(first) = copies.first() {
                self.library.write(&name, first);
            }
        }
        let _one_at_a_time = lock(&self.kernels);
        let mut problems = std::mem::take(&mut *lock(&self.problems));
        problems.extend(self.library.end().err());
        let file = self.library.file();
        let lines = problems
            .iter()
            .map(|problem| format!("{file}: {problem}\n"));
        Ok(lines.collect())
    }
}
