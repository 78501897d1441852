//! Contents of files, and analyses of code, as JSON.

use codeobj::{CodeObject, Found, TargetId, container::EntryKind, select::SelectError};
use isa::{Reg, RegKind};
use lift::{Callee, Function, LiveSet, Module};
use serde_json::{Value, json};

/// Identification, containers around it and bytes of a code object.
pub struct Piece {
    pub id: String,
    pub path: Vec<String>,
    pub bytes: Vec<u8>,
}

/// All code objects in a file's bytes.
pub fn pieces(data: &[u8]) -> Result<Vec<Piece>, codeobj::Error> {
    let (mut pieces, mut problem) = (Vec::new(), None);
    codeobj::each(data, &mut |found| match found {
        Found::Entry(entry) if entry.kind == EntryKind::CodeObject => pieces.push(Piece {
            id: entry.id,
            path: entry.path,
            bytes: entry.bytes.into_owned(),
        }),
        Found::Problem(_, error) => _ = problem.get_or_insert(error),
        Found::Entry(_) | Found::Reached(_) => {}
    });
    match problem {
        Some(error) if pieces.is_empty() => Err(error),
        _ => Ok(pieces),
    }
}

/// The code object that a device runs, as the runtime would choose it.
pub fn chosen(data: &[u8], device: &str) -> Result<Piece, String> {
    let mut pieces = pieces(data).map_err(|error| error.to_string())?;
    let processor = gfx::target_of_product(device).unwrap_or(device);
    let device = TargetId::parse(processor).map_err(|error| error.to_string())?;
    let (mut targets, mut fitting) = (Vec::new(), Vec::new());
    for (index, piece) in pieces.iter().enumerate() {
        if let Ok(object) = CodeObject::parse(&piece.bytes) {
            targets.push(object.target());
            fitting.push(index);
        }
    }
    let index = codeobj::select::select(&targets, &device).map_err(unfit)?;
    Ok(pieces.swap_remove(fitting[index]))
}

/// Why no code object runs on the device, for someone who has no command line.
fn unfit(error: SelectError) -> String {
    match error {
        SelectError::Empty { device } => {
            format!("has no code for AMD GPUs: compile it for {device}")
        }
        SelectError::NoMatch {
            available,
            device,
            alternative,
        } => {
            let other = alternative.map(|name| format!(", or name the device {name}"));
            let other = other.unwrap_or_default();
            format!(
                "has code for {available} and none for {device}: compile it for {device}{other}"
            )
        }
    }
}

/// Everything that `luthier inspect` tells.
pub fn report(data: &[u8], name: &str) -> Result<String, String> {
    let report = inspect::inspect(data, name, &inspect::Options::all());
    let report = report.map_err(|error| error.to_string())?;
    serde_json::to_string(&report).map_err(|error| error.to_string())
}

/// Control flow and liveness of a kernel or function; empty if the object has none that is called so.
pub fn analysis(object: &[u8], name: &str) -> Result<String, String> {
    let object = CodeObject::parse(object).map_err(|error| error.to_string())?;
    // Other kernels make no difference for this one.
    let module = match object.kernel(name) {
        Ok(_) => Module::lift_kernel(&object, name),
        Err(_) => Module::lift(&object),
    };
    let module = module.map_err(|error| error.to_string())?;
    let index = module
        .function(name)
        .ok_or_else(|| format!("no kernel or function {name}"))?;
    let function = &module.functions[index];
    let liveness = module.liveness(index);
    let mut live = vec![LiveSet::default(); function.insts.len()];
    let blocks: Vec<Value> = (0..function.blocks.len())
        .map(|block| {
            liveness.walk(function, block, |inst, _, before| live[inst] = *before);
            self::block(&module, function, block)
        })
        .collect();
    let instructions: Vec<Value> = live
        .iter()
        .enumerate()
        .map(|(inst, live)| json!([function.insts.pc(inst), names(live)]))
        .collect();
    let unresolved = function.unresolved.iter();
    let unresolved: Vec<Value> = unresolved
        .map(|one| json!([one.pc, one.reason.to_string()]))
        .collect();
    let analysis = json!({
        "name": function.name,
        "entry": function.entry,
        "wave_size": function.wave_size,
        "blocks": blocks,
        "live_before": instructions,
        "unresolved": unresolved,
    });
    Ok(analysis.to_string())
}

fn block(module: &Module, function: &Function, index: usize) -> Value {
    let block = &function.blocks[index];
    let called = |callee: &Callee| match callee {
        Callee::Known(index) => module.functions[*index].name.clone(),
        Callee::Unknown => "?".to_owned(),
    };
    let liveness = module
        .function(&function.name)
        .map(|at| module.liveness(at));
    let edges: Vec<Value> = block
        .successors
        .iter()
        .map(|edge| json!([edge.to, format!("{:?}", edge.kind).to_lowercase()]))
        .collect();
    json!({
        "start": function.insts.pc(block.first),
        "end": function.insts.end(block.end - 1),
        "successors": edges,
        "predecessors": block.predecessors.to_vec(),
        "calls": block.call.as_ref().map(called),
        "reachable": block.reachable,
        "live_in": liveness.map(|live| names(live.live_in(index))),
        "live_out": liveness.map(|live| names(live.live_out(index))),
    })
}

fn names(live: &LiveSet) -> Vec<String> {
    live.registers().iter().map(name).collect()
}

/// A register of one dword as assembly writes it.
fn name(reg: Reg) -> String {
    let word = ["lo", "hi"][usize::from(reg.index.min(1))];
    match reg.kind {
        RegKind::Sgpr => format!("s{}", reg.index),
        RegKind::Vgpr => format!("v{}", reg.index),
        RegKind::Agpr => format!("a{}", reg.index),
        RegKind::Ttmp => format!("ttmp{}", reg.index),
        RegKind::Vcc => format!("vcc_{word}"),
        RegKind::Exec => format!("exec_{word}"),
        RegKind::FlatScratch => format!("flat_scratch_{word}"),
        RegKind::XnackMask => format!("xnack_mask_{word}"),
        RegKind::Scc => "scc".to_owned(),
        RegKind::M0 => "m0".to_owned(),
        RegKind::Mode => "mode".to_owned(),
        RegKind::Null => "null".to_owned(),
        // No liveness is kept of these.
        RegKind::Source | RegKind::Other => format!("other{}", reg.index),
    }
}
