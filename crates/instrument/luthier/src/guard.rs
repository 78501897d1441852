//! A hook behind another one that says whether it runs at all, as one template.
//!
//! The first hook leaves its answer in its parameter 0. The registers that both hooks need, and those to save around them, are found for
//! the two together: ports, groups and patches are those of both.

use crate::{Error, executions::Executions};
use gfx::Target;
use isa::Assembler;
use std::collections::BTreeMap;
use template::{Bundle, Clobbers, Entry, Group, Patch, Port, Template};

/// Hooks that `luthier_device.h` defines: whether the wave is of a workgroup.
pub(crate) const OF_WORKGROUP: &str = "__luthier_of_workgroup";
/// Whether it is one of the executions of the place that are to be seen.
pub(crate) const OF_EXECUTIONS: &str = "__luthier_of_executions";

/// All hooks of a tool, kept to some executions. Without those whose target has no such guard: the tool was built before there were any.
pub(crate) fn bundle(tool: &Bundle, executions: &Executions) -> Bundle {
    let mut glues = BTreeMap::new();
    let mut made = Bundle::default();
    for entry in &tool.entries {
        if [OF_WORKGROUP, OF_EXECUTIONS].contains(&&*entry.hook) {
            continue;
        }
        let template = &entry.template;
        let key = (&template.target, template.wave_size);
        let glue = glues
            .entry(key)
            .or_insert_with(|| Glue::new(&template.target, template.wave_size));
        let template = glue
            .as_ref()
            .and_then(|glue| glue.kept(tool, entry, executions));
        made.entries.extend(template.map(|template| Entry {
            template,
            ..entry.clone()
        }));
    }
    made
}

/// Says why a hook is not in the [`bundle`].
pub(crate) fn missing(tool: &str, hook: &str) -> Error {
    Error::Guard {
        tool: tool.to_owned(),
        hook: hook.to_owned(),
        reason: "the tool was built before hooks could be; build it again".to_owned(),
    }
}

/// A scalar register's number in these instructions has 7 bits, here.
const COMPARED: u32 = 0;
const SELECTED: u32 = 16;

/// The instructions between the two.
struct Glue {
    /// A scalar register against 0.
    compare: Vec<u8>,
    /// SCC into a scalar register.
    select: Vec<u8>,
    /// Past the next one.
    branch: Vec<u8>,
    /// Vector instructions have written the scalar registers that they write.
    wait: Vec<u8>,
}

impl Glue {
    fn new(target: &str, wave_size: u8) -> Option<Glue> {
        let assembler = Assembler::with_features(Target::find(target)?, wave_size, "").ok()?;
        let assemble = |text| assembler.assemble(text).ok();
        Some(Glue {
            compare: assemble("s_cmp_lg_u32 s0, 0")?,
            select: assemble("s_cselect_b32 s0, 1, 0")?,
            branch: assemble("s_cbranch_scc0 0")?,
            // Targets without it wait themselves.
            wait: assemble("s_wait_alu 0x0").unwrap_or_default(),
        })
    }

    /// A hook behind all the guards that it needs.
    fn kept(&self, tool: &Bundle, entry: &Entry, executions: &Executions) -> Option<Template> {
        let (target, wave_size) = (&entry.template.target, entry.template.wave_size);
        let variant = |hook: &str| tool.find(hook, target, wave_size, false, entry.preserve_vcc);
        // The smaller one of two.
        let smallest = Target::find(target).map_or(0, |target| target.least_vgprs(wave_size));
        let most = match entry.template.vector_registers() {
            few if few <= smallest => smallest,
            _ => u16::MAX,
        };
        let like = &entry.template;
        let hook = tool.sized(&entry.hook, like, false, entry.preserve_vcc, most);
        let guards = [
            (OF_EXECUTIONS, executions.are_counted()),
            (OF_WORKGROUP, executions.workgroup.is_some()),
        ];
        let mut guards = guards.into_iter().filter(|(_, wanted)| *wanted).peekable();
        let mut made = hook.or_else(|| variant(&entry.hook))?.clone();
        while let Some((name, _)) = guards.next() {
            // The outermost keeps SCC for all.
            let keep_scc = entry.preserve_scc && guards.peek().is_none();
            made = self.guarded(name, variant(name)?, &made, keep_scc)?;
        }
        Some(made)
    }

    /// `hook` behind `guard`, whose parameters are called `NAME:1` and so on; neither keeps SCC. `keep_scc`: both together do.
    /// `None` if the guard does not answer, or the hook is too long to be jumped over.
    fn guarded(
        &self,
        name: &str,
        guard: &Template,
        hook: &Template,
        keep_scc: bool,
    ) -> Option<Template> {
        if hook.code.is_empty() {
            return Some(hook.clone());
        }
        let answer = guard.ports.iter().find(|port| port.parameter() == Some(0));
        let (answer, offset) = answer.and_then(|port| *port.dwords.first()?)?;
        let mut made = Template {
            code: Vec::new(),
            patches: Vec::new(),
            relocations: Vec::new(),
            ports: inputs(name, guard),
            groups: guard.groups.clone(),
            clobbers: guard.clobbers | hook.clobbers | Clobbers::SCC,
            instructions: guard.instructions + hook.instructions + 2,
            reads_mode: guard.reads_mode || hook.reads_mode,
            counts_waves: guard.counts_waves || hook.counts_waves,
            ..hook.clone()
        };
        // The place of the hook's groups among those of both, and of SCC behind them.
        let first = u16::try_from(guard.groups.len()).ok()?;
        made.groups.extend(hook.groups.iter().cloned());
        let scc = u16::try_from(made.groups.len()).ok()?;
        made.ports
            .extend(hook.ports.iter().cloned().map(|mut port| {
                // Skipped code leaves all registers as they were.
                port.read |= port.written;
                let dwords = port.dwords.iter_mut().flatten();
                dwords.for_each(|(group, _)| *group += first);
                port
            }));

        if keep_scc {
            made.register(&self.select, SELECTED, scc, 0);
        }
        made.append(guard, 0..guard.code.len(), 0);
        made.code.extend(&self.wait);
        made.register(&self.compare, COMPARED, answer, offset);
        let body = hook.code.len() - hook.droppable_tail as usize;
        let distance = i16::try_from(body / 4).ok()?.to_le_bytes();
        made.code.extend(distance);
        made.code.extend(self.branch.get(2..)?);
        made.append(hook, 0..body, first);
        if keep_scc {
            made.register(&self.compare, COMPARED, scc, 0);
            made.groups.push(Group {
                first: 0,
                width: 1,
                alignment: 1,
                written: true,
                preserved: false,
                all_lanes: false,
                ..*guard.groups.get(usize::from(answer))?
            });
            made.clobbers.remove(Clobbers::SCC);
            made.instructions += 2;
        }
        made.append(hook, body..hook.code.len(), first);
        Some(made)
    }
}

/// The inputs of a guard. The answer is not among them.
fn inputs(name: &str, guard: &Template) -> Vec<Port> {
    let named = guard.ports.iter().filter_map(|port| {
        let mut port = port.clone();
        match port.parameter() {
            Some(0) => return None,
            Some(index) => port.name = parameter(name, index),
            None => {}
        }
        Some(port)
    });
    named.collect()
}

/// The port that is a guard's parameter with this number, from 1.
pub(crate) fn parameter(guard: &str, index: usize) -> String {
    format!("{guard}:{index}")
}

trait Extend {
    fn register(&mut self, instruction: &[u8], bit: u32, group: u16, offset: u16);
    fn append(&mut self, other: &Template, bytes: std::ops::Range<usize>, groups: u16);
}

impl Extend for Template {
    /// An instruction with a scalar register in it.
    fn register(&mut self, instruction: &[u8], bit: u32, group: u16, offset: u16) {
        self.patches.push(Patch {
            bit: self.code.len() as u32 * 8 + bit,
            group,
            offset,
            shift: 0,
            length: 7,
        });
        self.code.extend(instruction);
    }

    /// A part of another template, whose groups begin at number `groups` here.
    fn append(&mut self, other: &Template, bytes: std::ops::Range<usize>, groups: u16) {
        let moved = self.code.len() as u32 - bytes.start as u32;
        let within = |bit: u32| bytes.contains(&(bit as usize / 8));
        let patches = other.patches.iter().filter(|patch| within(patch.bit));
        self.patches.extend(patches.map(|patch| Patch {
            bit: patch.bit + moved * 8,
            group: patch.group + groups,
            ..*patch
        }));
        let relocations = other.relocations.iter().cloned();
        let relocations = relocations.filter(|relocation| within(relocation.offset * 8));
        self.relocations.extend(relocations.map(|mut relocation| {
            relocation.offset += moved;
            relocation
        }));
        self.code.extend(&other.code[bytes]);
    }
}
