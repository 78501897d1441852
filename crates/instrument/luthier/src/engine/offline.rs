//! Code objects instrumented on disk.

use crate::{
    Engine, Error, Kernel, Result,
    engine::{
        build::{self, BuiltKernel, Source},
        built_in::{Manifest, SECTION, tools_in},
    },
};
use codeobj::{CodeObject, LineTables, SourceLines};
use lift::{FunctionKind, Module};
use regex::Regex;
use rewrite::Rewritten;
use session::{Refusal, Report};
use sha2::{Digest, Sha256};
use std::{
    collections::BTreeSet,
    panic::resume_unwind,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread::Builder,
};
use template::Global;

/// Bytes; what 64-bit atomics need.
const COUNTERS_ALIGNMENT: u64 = 8;
/// Bytes.
const STACK: usize = 64 << 20;

/// The result for one kernel.
pub struct KernelOutcome {
    /// Its name in the symbol table.
    pub name: String,
    /// The resources that instrumenting cost, or why the kernel was not instrumented.
    pub result: std::result::Result<Report, Refusal>,
}

/// An instrumented code object.
pub struct Offline {
    /// The object with the instrumented kernels in it.
    pub object: Vec<u8>,
    /// In the order of their code.
    pub kernels: Vec<KernelOutcome>,
    /// Kernels that were wanted and have no code of their own: the compiler left them without an instruction, or they share their
    /// code with another.
    pub without_code: usize,
}

impl Engine {
    /// Instruments one kernel of a lifted object; the second part is every variable that its code may refer to, and the third one what
    /// the user is told. `stack_size`: see [`session::Request::stack_size`].
    pub fn instrument_kernel(
        &self,
        object: &CodeObject<'_>,
        module: &Module,
        kernel: &str,
        stack_size: Option<u32>,
    ) -> Result<(Rewritten, Vec<Global>, Vec<String>)> {
        let lines = SourceLines::read(object).ok().flatten();
        let hash: [u8; 32] = Sha256::digest(object.elf().data).into();
        let kernels = build::kernels(object)?;
        let refused = build::relocated(object);
        let source = Source {
            refused: refused.as_deref(),
            kernels: &kernels,
            object,
            hash: &hash,
            module,
            lines: lines.as_ref(),
            variant: 0,
            stack_size,
        };
        let function = module
            .function(kernel)
            .ok_or_else(|| Error::NoKernel(kernel.to_owned()))?;
        let built = build::kernel(self, source, function)?;
        let mut globals = variables(self, &built, source);
        globals.extend(self.variables());
        Ok((built.rewritten, globals, built.notes))
    }

    /// Names of instructions in a kernel that are like those in the user's conditions.
    pub fn near(&self, object: &CodeObject<'_>, module: &Module, kernel: &str) -> BTreeSet<String> {
        let function = module.function(kernel);
        let near = function.map(|function| {
            let kernel = Kernel::new(object, module, None, function);
            self.filter.near(&kernel)
        });
        near.unwrap_or_default().into_iter().collect()
    }

    /// The variables of all tools.
    fn variables(&self) -> impl Iterator<Item = Global> + '_ {
        let files = self.tools.iter().map(|tool| tool.info().file);
        files.flat_map(|file| file.globals().iter().cloned())
    }

    /// Instruments all kernels of a linked code object whose name `wanted` matches. Tools' variables become exported
    /// symbols of the object, `TOOL/NAME`, and a section says what is in it, so that a run can deliver it.
    pub fn instrument_object(&self, bytes: &[u8], wanted: Option<&Regex>) -> Result<Offline> {
        let object = CodeObject::parse(bytes).map_err(Error::Object)?;
        let known = tools_in(bytes);
        if !known.is_empty() {
            let known = known.join(", ");
            let reason = format!(
                "it has tools in it already ({known}); name all tools at once for the original"
            );
            return Err(Error::Unsuitable(reason));
        }
        let aside = || {
            // Damaged line tables must not keep kernels from being instrumented.
            let tables = LineTables::read(&object).ok().flatten();
            if let Some(tables) = tables.as_ref().filter(|_| wanted.is_none()) {
                tables.prepare();
            }
            let hash = Sha256::digest(bytes);
            (hash, tables.map(Arc::new), build::kernels(&object))
        };
        let (module, (hash, tables, known)) = std::thread::scope(|scope| {
            let aside = match lift::processors() {
                1 => Err(aside),
                _ => Builder::new().spawn_scoped(scope, aside).map_err(|_| aside),
            };
            let module = Module::lift(&object);
            let found = match aside {
                Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
                // Where there can be no threads, or is no processor for them.
                Err(aside) => aside(),
            };
            (module, found)
        });
        let module = module.map_err(Error::Lift)?;
        let hash: [u8; 32] = hash.into();
        let known = known?;
        let refused = build::relocated(&object);
        let mut manifest = Manifest::new(self, hash)?;
        let (mut rewritten, mut kernels, mut globals) = (Vec::new(), Vec::new(), Vec::new());
        let chosen: Vec<_> = module
            .functions
            .iter()
            .enumerate()
            .filter(|(_, function)| {
                let named = wanted.is_none_or(|wanted| wanted.is_match(&function.name));
                function.kind == FunctionKind::Kernel && named
            })
            .collect();
        let named = known
            .names()
            .filter(|name| wanted.is_none_or(|wanted| wanted.is_match(name)));
        let without_code = named.count().saturating_sub(chosen.len());
        let lines = || tables.as_ref().map(SourceLines::sharing);
        let source = || Source {
            kernels: &known,
            object: &object,
            hash: &hash,
            module: &module,
            lines: None,
            refused: refused.as_deref(),
            variant: 0,
            stack_size: None,
        };
        let built = in_parallel(&chosen, lines, |lines, &(index, _)| {
            let source = Source {
                lines: lines.as_ref(),
                ..source()
            };
            let mut built = build::kernel(self, source, index)?;
            built.rewritten.encode_lines();
            rewrite::check_static(&built.rewritten)?;
            Ok(built)
        });
        for ((_, function), built) in chosen.into_iter().zip(built) {
            let mut data = Vec::new();
            let result = built.map(|mut built| {
                globals.extend(variables(self, &built, source()));
                let report = build::report(&mut built);
                data = built.data;
                rewritten.push(built.rewritten);
                report
            });
            let outcome = KernelOutcome {
                name: function.name.clone(),
                result: result.map_err(Refusal::from),
            };
            manifest.add(&outcome, data);
            kernels.push(outcome);
        }
        if !rewritten.is_empty() {
            globals.extend(self.variables());
        }
        let object = std::thread::scope(|scope| {
            // The module is not needed any more, and freeing it takes time.
            let _ = Builder::new().spawn_scoped(scope, || drop(module));
            if rewritten.is_empty() {
                return Ok(rewrite::static_object(&rewritten, &object, &globals)?);
            }
            let packed = Builder::new().spawn_scoped(scope, || manifest.pack());
            let mut failure = None;
            let section = || {
                let packed = match packed {
                    Ok(packed) => packed.join().unwrap_or_else(|panic| resume_unwind(panic)),
                    // The thread could not be started.
                    Err(_) => manifest.pack(),
                };
                let packed = packed.map_err(|error| failure = Some(error)).ok()?;
                Some((SECTION, packed))
            };
            let metadata = known.into_metadata();
            let object =
                rewrite::static_object_with(&rewritten, &object, &globals, metadata, section);
            match failure {
                Some(error) => Err(error),
                None => Ok(object?),
            }
        })?;
        Ok(Offline {
            object,
            kernels,
            without_code,
        })
    }
}

/// The results of `act` for every item, on all free processors, each of which has its own `state`.
fn in_parallel<T: Sync, S, R: Send>(
    items: &[T],
    state: impl Fn() -> S + Sync,
    act: impl Fn(&S, &T) -> Result<R> + Sync,
) -> Vec<Result<R>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        let state = state();
        while let Some((index, item)) = {
            let index = next.fetch_add(1, Ordering::Relaxed);
            items.get(index).map(|item| (index, item))
        } {
            done.push((index, act(&state, item)));
        }
        done
    };
    let workers = lift::processors();
    let mut done = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers.min(items.len()))
            .map(|_| {
                // Instrumenting may recurse over control flow.
                let thread = Builder::new().stack_size(STACK);
                thread.spawn_scoped(scope, work)
            })
            .collect();
        let mut done = Vec::with_capacity(items.len());
        for thread in threads.into_iter().flatten() {
            done.extend(thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        // Threads could not be started, so this thread does the rest.
        if done.len() < items.len() {
            done.extend(work());
        }
        done
    });
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

/// The variables of a kernel alone.
fn variables(engine: &Engine, built: &BuiltKernel, source: Source<'_>) -> Vec<Global> {
    let variables = built.variables(engine, source).into_iter();
    variables
        .map(|global| Global {
            name: global.name,
            size: global.size,
            alignment: COUNTERS_ALIGNMENT,
            initial: None,
        })
        .collect()
}
