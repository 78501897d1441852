//! The functions, each with its arguments in order. Their types for Python are in `python/luthier/_luthier.pyi`.

use std::{
    ffi::CStr,
    sync::{Mutex, MutexGuard},
    time::Duration,
};

use emulate::{Argument, Shape};
use pyo3::{
    BoundObject,
    buffer::PyBuffer,
    prelude::*,
    types::{PyAny, PyBytes, PyCapsule, PyCapsuleMethods, PyTuple},
};

use crate::{
    code,
    device::{Launch, Loaded},
    error::OrRaise,
    module::Function,
    reuse::Stack,
    touched::{Access, Touched},
};

/// Name and function.
pub const FUNCTIONS: &[(&CStr, Function)] = &[
    (c"version", version),
    (c"targets", targets),
    (c"report", report),
    (c"pieces", pieces),
    (c"chosen", chosen),
    (c"analysis", analysis),
    (c"open", open),
    (c"allocate", allocate),
    (c"free", free),
    (c"read", read),
    (c"write", write),
    (c"symbol", symbol),
    (c"launch", launch),
    (c"reuse_stack", reuse_stack),
    (c"reuse_distances", reuse_distances),
    (c"touched_lines", touched_lines),
    (c"touch", touch),
    (c"touched_totals", touched_totals),
    (c"touched_sharing", touched_sharing),
];

type Answer = PyResult<Py<PyAny>>;

fn answer<'py, T>(py: Python<'py>, value: T) -> Answer
where
    T: IntoPyObject<'py>,
{
    let object = value.into_pyobject(py).map_err(Into::into)?;
    Ok(object.into_bound().into_any().unbind())
}

/// The bytes of anything that has some (`bytes`, `memoryview` of bytes, arrays of `uint8`).
fn bytes(object: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    PyBuffer::<u8>::get(object)?.to_vec(object.py())
}

fn version(arguments: &Bound<'_, PyTuple>) -> Answer {
    answer(arguments.py(), env!("CARGO_PKG_VERSION"))
}

/// Names of the processors that can be emulated.
fn targets(arguments: &Bound<'_, PyTuple>) -> Answer {
    let names: Vec<&str> = gfx::TARGETS.iter().map(|target| target.name).collect();
    answer(arguments.py(), names)
}

/// `(data, name)`: JSON of all that is inside.
fn report(arguments: &Bound<'_, PyTuple>) -> Answer {
    let py = arguments.py();
    let (data, name): (Bound<'_, PyAny>, String) = arguments.extract()?;
    let data = bytes(&data)?;
    answer(py, py.detach(|| code::report(&data, &name)).or_raise(py)?)
}

/// `(data)`: identification, path and bytes of every code object inside.
fn pieces(arguments: &Bound<'_, PyTuple>) -> Answer {
    let py = arguments.py();
    let (data,): (Bound<'_, PyAny>,) = arguments.extract()?;
    let data = bytes(&data)?;
    let pieces = py.detach(|| code::pieces(&data)).or_raise(py)?;
    let pieces: Vec<_> = pieces
        .into_iter()
        .map(|piece| (piece.id, piece.path, PyBytes::new(py, &piece.bytes)))
        .collect();
    answer(py, pieces)
}

/// `(data, device)`: the bytes of the code object that the device runs.
fn chosen(arguments: &Bound<'_, PyTuple>) -> Answer {
    let py = arguments.py();
    let (data, device): (Bound<'_, PyAny>, String) = arguments.extract()?;
    let data = bytes(&data)?;
    let piece = py.detach(|| code::chosen(&data, &device)).or_raise(py)?;
    answer(py, PyBytes::new(py, &piece.bytes))
}

/// `(object, function)`: JSON of control flow and liveness.
fn analysis(arguments: &Bound<'_, PyTuple>) -> Answer {
    let py = arguments.py();
    let (object, name): (Bound<'_, PyAny>, String) = arguments.extract()?;
    let object = bytes(&object)?;
    let analysis = py.detach(|| code::analysis(&object, &name));
    answer(py, analysis.or_raise(py)?)
}

const CAPSULE: &CStr = c"luthier.device";

/// `(object, threads, exact)`: a device with the code object on it.
fn open(arguments: &Bound<'_, PyTuple>) -> Answer {
    let py = arguments.py();
    let (object, threads, exact): (Bound<'_, PyAny>, usize, bool) = arguments.extract()?;
    let loaded = Loaded::new(bytes(&object)?, threads, exact).or_raise(py)?;
    answer(py, PyCapsule::new_with_value(py, loaded, CAPSULE)?)
}

fn loaded<'a>(capsule: &'a Bound<'_, PyCapsule>) -> PyResult<&'a Loaded> {
    let pointer = capsule.pointer_checked(Some(CAPSULE))?;
    // SAFETY: only `open` makes capsules of this name, and the capsule, which owns the value, outlives the borrow.
    Ok(unsafe { pointer.cast::<Loaded>().as_ref() })
}

/// `(device, size)`: the address of so many zeros.
fn allocate(arguments: &Bound<'_, PyTuple>) -> Answer {
    let py = arguments.py();
    let (capsule, size): (Bound<'_, PyCapsule>, u64) = arguments.extract()?;
    let device = loaded(&capsule)?.device(py)?;
    answer(py, device.buffer(&[], size).or_raise(py)?)
}

/// `(device, address)`
fn free(arguments: &Bound<'_, PyTuple>) -> Answer {
    let py = arguments.py();
    let (capsule, address): (Bound<'_, PyCapsule>, u64) = arguments.extract()?;
    loaded(&capsule)?.device(py)?.free(address).or_raise(py)?;
    Ok(py.None())
}

/// `(device, address, size)`: the bytes there.
fn read(arguments: &Bound<'_, PyTuple>) -> Answer {
    let py = arguments.py();
    let (capsule, address, size): (Bound<'_, PyCapsule>, u64, usize) = arguments.extract()?;
    let device = loaded(&capsule)?.device(py)?;
    let contents = PyBytes::new_with(py, size, |contents| {
        device.read(address, contents).or_raise(py)
    })?;
    answer(py, contents)
}

/// `(device, address, data)`
fn write(arguments: &Bound<'_, PyTuple>) -> Answer {
    let py = arguments.py();
    let (capsule, address, data): (Bound<'_, PyCapsule>, u64, Bound<'_, PyAny>) =
        arguments.extract()?;
    let device = loaded(&capsule)?.device(py)?;
    device.write(address, &bytes(&data)?).or_raise(py)?;
    Ok(py.None())
}

/// `(device, name)`: the address of a global variable.
fn symbol(arguments: &Bound<'_, PyTuple>) -> Answer {
    let py = arguments.py();
    let (capsule, name): (Bound<'_, PyCapsule>, String) = arguments.extract()?;
    let device = loaded(&capsule)?.device(py)?;
    answer(py, device.global(&name).or_raise(py)?)
}

/// `(device, kernel, grid, block, lds, arguments, seconds, counted)`: JSON of what was counted.
fn launch(arguments: &Bound<'_, PyTuple>) -> Answer {
    type Given<'py> = (
        Bound<'py, PyCapsule>,
        String,
        [u32; 3],
        [u32; 3],
        u32,
        Vec<Vec<u8>>,
        Option<f64>,
        bool,
    );
    let py = arguments.py();
    let (capsule, kernel, grid, block, dynamic_lds, given, seconds, counted): Given<'_> =
        arguments.extract()?;
    let limit = seconds.map(Duration::try_from_secs_f64).transpose();
    let launch = Launch {
        kernel,
        shape: Shape {
            grid,
            block,
            dynamic_lds,
        },
        arguments: given.into_iter().map(Argument).collect(),
        limit: limit.or_raise(py)?,
        counted,
    };
    answer(py, loaded(&capsule)?.launch(py, &launch)?)
}

const STACK: &CStr = c"luthier.reuse_stack";

/// A memory of which no line was touched.
fn reuse_stack(arguments: &Bound<'_, PyTuple>) -> Answer {
    let py = arguments.py();
    answer(py, PyCapsule::new_with_value(py, Stack::new(), STACK)?)
}

/// `(stack, lines)`, each an integer of 8 bytes: as many distances, -1 for lines that were not touched before.
fn reuse_distances(arguments: &Bound<'_, PyTuple>) -> Answer {
    let py = arguments.py();
    let (capsule, lines): (Bound<'_, PyCapsule>, Bound<'_, PyAny>) = arguments.extract()?;
    let pointer = capsule.pointer_checked(Some(STACK))?;
    // SAFETY: only `reuse_stack` makes capsules of this name, and the capsule, which owns the value, outlives the borrow.
    let stack: &Stack = unsafe { pointer.cast::<Stack>().as_ref() };
    let lines = bytes(&lines)?;
    let told = py.detach(|| {
        let lines = lines.as_chunks::<8>().0.iter();
        let distances = stack.distances(lines.map(|line| u64::from_le_bytes(*line)));
        distances
            .into_iter()
            .flat_map(i64::to_le_bytes)
            .collect::<Vec<u8>>()
    });
    answer(py, PyBytes::new(py, &told))
}

const TOUCHED: &CStr = c"luthier.touched_lines";

/// True if the lines were told already, after which there are none.
type Lines = Mutex<Option<Touched>>;

/// `(line, memory)`: no lines of so many bytes, a power of two, of which so many bytes of rows are kept in memory.
fn touched_lines(arguments: &Bound<'_, PyTuple>) -> Answer {
    let py = arguments.py();
    let (line, memory): (u64, usize) = arguments.extract()?;
    let lines: Lines = Mutex::new(Some(Touched::new(line, memory)));
    answer(py, PyCapsule::new_with_value(py, lines, TOUCHED)?)
}

fn lines<'a>(capsule: &'a Bound<'_, PyCapsule>) -> PyResult<&'a Lines> {
    let pointer = capsule.pointer_checked(Some(TOUCHED))?;
    // SAFETY: only `touched_lines` makes capsules of this name, and the capsule, which owns the value, outlives the borrow.
    Ok(unsafe { pointer.cast::<Lines>().as_ref() })
}

fn locked(lines: &Lines) -> MutexGuard<'_, Option<Touched>> {
    lines.lock().unwrap_or_else(|poison| poison.into_inner())
}

fn told() -> PyErr {
    pyo3::exceptions::PyValueError::new_err("these lines were told already")
}

/// `(lines, kernels, dispatches, workgroups, addresses, sizes, stores)`, all but the first arrays of integers of 8 bytes.
fn touch(arguments: &Bound<'_, PyTuple>) -> Answer {
    type Given<'py> = (
        Bound<'py, PyCapsule>,
        Bound<'py, PyAny>,
        Bound<'py, PyAny>,
        Bound<'py, PyAny>,
        Bound<'py, PyAny>,
        Bound<'py, PyAny>,
        Bound<'py, PyAny>,
    );
    let py = arguments.py();
    let (capsule, kernels, dispatches, workgroups, addresses, sizes, stores): Given<'_> =
        arguments.extract()?;
    let columns = [kernels, dispatches, workgroups, addresses, sizes, stores]
        .iter()
        .map(bytes)
        .collect::<PyResult<Vec<_>>>()?;
    let lines = lines(&capsule)?;
    let done = py.detach(|| {
        let mut lines = locked(lines);
        let column = |number: usize| {
            let values = columns[number].as_chunks::<8>().0.iter();
            values.map(|value| u64::from_le_bytes(*value))
        };
        let owners = column(0).zip(column(1)).zip(column(2));
        let accesses = owners.zip(column(3)).zip(column(4)).zip(column(5));
        lines.as_mut().map(|lines| {
            accesses
                .map(
                    |(((((kernel, dispatch), workgroup), address), size), stored)| Access {
                        kernel: kernel as u32,
                        dispatch: dispatch as u32,
                        workgroup: workgroup as u32,
                        address,
                        size,
                        stored: stored != 0,
                    },
                )
                .try_for_each(|access| lines.add(access))
        })
    });
    done.ok_or_else(told)??;
    Ok(py.None())
}

/// `(lines)`: of each kernel its number, accesses, bytes, launches, lines, and those of the launch with most.
fn touched_totals(arguments: &Bound<'_, PyTuple>) -> Answer {
    let py = arguments.py();
    let (capsule,): (Bound<'_, PyCapsule>,) = arguments.extract()?;
    let lines = taken(&capsule)?;
    let totals: Vec<_> = py
        .detach(|| lines.totals())?
        .into_iter()
        .map(|(kernel, total)| {
            (
                kernel,
                total.accesses,
                total.bytes,
                total.launches,
                total.lines,
                total.most,
            )
        })
        .collect();
    answer(py, totals)
}

/// `(lines)`: of each kernel and number of workgroups the lines that so many touched, those stored to, and accesses.
fn touched_sharing(arguments: &Bound<'_, PyTuple>) -> Answer {
    let py = arguments.py();
    let (capsule,): (Bound<'_, PyCapsule>,) = arguments.extract()?;
    let lines = taken(&capsule)?;
    let shared: Vec<_> = py
        .detach(|| lines.sharing())?
        .into_iter()
        .map(|((kernel, workgroups), shared)| {
            (
                kernel,
                workgroups,
                shared.lines,
                shared.stored,
                shared.accesses,
            )
        })
        .collect();
    answer(py, shared)
}

fn taken(capsule: &Bound<'_, PyCapsule>) -> PyResult<Touched> {
    locked(lines(capsule)?).take().ok_or_else(told)
}
