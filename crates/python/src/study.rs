//! Studies: axes x algorithms -> columns of a frame, and the summary of repeats.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{RecvTimeoutError, channel},
    },
    thread,
};

use multicomputer_study::{Axis, Rows, Shard, Study, StudyError, Summary, groups};
use pyo3::{
    exceptions::PyTypeError,
    prelude::*,
    pybacked::PyBackedStr,
    types::{PyBool, PyDict},
};
use toml::Value;

use crate::{
    columns::{Columns, List, number_list, whole_list},
    error::exception,
    run::SIGNALS,
};

fn of_study(py: Python<'_>, error: &StudyError) -> PyErr {
    exception(py, "StudyError", &error.to_string())
}

/// Computes a study: returns it as TOML with its defaults filled in, and its rows by columns. `study` is a list of operations, the path of a
/// study file, or the text of one; `keys` replaces its values.
#[pyfunction]
pub(crate) fn study_rows<'py>(
    py: Python<'py>,
    study: &Bound<'py, PyAny>,
    keys: &Bound<'py, PyDict>,
    shard: Option<&str>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(String, Vec<List<'py>>)> {
    let mut read = read(py, study)?;
    for (key, value) in keys {
        set(py, &mut read, &key.extract::<PyBackedStr>()?, &value)?;
    }
    let shard = shard.map_or(Ok(Shard::WHOLE), str::parse);
    let shard = shard.map_err(|cause| exception(py, "StudyError", &format!("shard: {cause}")))?;
    let rows = read.rows(shard).map_err(|error| of_study(py, &error))?;
    let toml = rows.study().to_toml();
    Ok((toml, compute(py, rows, progress)?.to_lists(py)?))
}

/// Reads what a study is made of: the path of a study file, the text of one, or operations.
fn read(py: Python<'_>, study: &Bound<'_, PyAny>) -> PyResult<Study> {
    let text = study.extract::<PyBackedStr>().ok();
    let read = match text.as_deref() {
        Some(text) if text.contains('\n') => Study::from_toml(text),
        Some(path) if path.ends_with(".toml") => Study::from_file(path),
        _ => {
            let mut read = Study::default();
            set(py, &mut read, Axis::Operation.name(), study)?;
            Ok(read)
        }
    };
    read.map_err(|error| of_study(py, &error))
}

/// Sets the values of an axis, or a setting.
fn set(py: Python<'_>, study: &mut Study, key: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let unit = Axis::named(key).map_or("", Axis::unit);
    let value = to_toml(key, unit, value)?;
    study.set_key(key, &value).map_err(|error| of_study(py, &error))
}

/// Converts the value of a key to what a study file has. Numbers get the unit; `None` is the value `none`.
fn to_toml(key: &str, unit: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if value.is_none() {
        return Ok(Value::from("none"));
    }
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(Value::from(flag.is_true()));
    }
    if let Ok(text) = value.extract::<PyBackedStr>() {
        return Ok(Value::from(&*text));
    }
    if let Ok(items) = value.try_iter() {
        return items.map(|item| to_toml(key, unit, &item?)).collect::<PyResult<Vec<_>>>().map(Value::from);
    }
    // Whole numbers first: a float has no index.
    if let Ok(count) = value.call_method0("__index__") {
        return Ok(Value::from(format!("{count}{unit}")));
    }
    if let Ok(number) = value.extract::<f64>() {
        return Ok(Value::from(format!("{number}{unit}")));
    }
    if let Ok(path) = value.extract::<PathBuf>() {
        return Ok(Value::from(path.display().to_string()));
    }
    let kind = value.get_type().name()?;
    Err(PyTypeError::new_err(format!(
        "{key}: a value has the type {kind}: give a number, a text, a path, or a list of these"
    )))
}

/// What the thread that computes shares with the calling one.
#[derive(Debug, Default)]
struct Shared {
    /// The number of finished cases.
    finished: AtomicU64,
    is_stopped: AtomicBool,
}

/// Computes all rows on another thread. Meanwhile the calling thread handles signals and calls `progress`; only for this it has the lock. After Ctrl-C it returns
/// at once; the other thread ends after the case that it computes.
fn compute(py: Python<'_>, mut rows: Rows, progress: Option<Bound<'_, PyAny>>) -> PyResult<Columns> {
    let cases = rows.progress().0;
    let shared = Arc::new(Shared::default());
    let progress = progress.map(Bound::unbind);
    let tell = |py: Python<'_>, finished: u64| match &progress {
        Some(progress) => progress.call1(py, (finished, cases)).map(drop),
        None => Ok(()),
    };
    let computed = py.detach(|| {
        let (sender, receiver) = channel();
        let of_thread = Arc::clone(&shared);
        thread::spawn(move || {
            // Nobody waits for the result of a study that was stopped.
            let _ = sender.send(columns(&mut rows, &of_thread));
        });
        let mut told = 0;
        loop {
            match receiver.recv_timeout(SIGNALS) {
                Ok(computed) => return Ok(Some(computed)),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let finished = shared.finished.load(Ordering::Relaxed);
            let handled = Python::attach(|py| {
                py.check_signals()?;
                if finished > told { tell(py, finished) } else { Ok(()) }
            });
            told = finished;
            if let Err(error) = handled {
                shared.is_stopped.store(true, Ordering::Relaxed);
                return Err(error);
            }
        }
    });
    let computed = computed?
        .ok_or_else(|| exception(py, "StudyError", "the thread of the study ended without a result"))?;
    let columns = computed.map_err(|error| of_study(py, &error))?;
    tell(py, cases)?;
    Ok(columns)
}

/// Computes the rows until the study is stopped.
fn columns(rows: &mut Rows, shared: &Shared) -> Result<Columns, StudyError> {
    let mut columns = Columns::new();
    while !shared.is_stopped.load(Ordering::Relaxed)
        && let Some(row) = rows.next()
    {
        columns.push(&row?);
        shared.finished.store(rows.progress().1, Ordering::Relaxed);
    }
    Ok(columns)
}

/// Summarizes the times of rows that differ in their seed only, for a study in TOML: returns the index of the first row of each group, and the
/// columns of the summaries, in the unit of the times.
#[pyfunction]
pub(crate) fn study_repeats<'py>(
    py: Python<'py>,
    study: &str,
    cases: Vec<u64>,
    algorithms: Vec<PyBackedStr>,
    times: Vec<Option<f64>>,
) -> PyResult<(Vec<usize>, Vec<List<'py>>)> {
    let study = Study::from_toml(study).map_err(|error| of_study(py, &error))?;
    let seeds = study.values(Axis::Seed).map_or(1, <[String]>::len);
    let keys = cases.into_iter().zip(algorithms.iter().map(|name| &**name));
    let summarized = |group: Vec<usize>| {
        let times: Vec<f64> = group.iter().filter_map(|&row| times[row]).collect();
        (group[0], Summary::of(&times))
    };
    let groups: Vec<(usize, Option<Summary>)> =
        py.detach(|| groups(keys, seeds).into_iter().map(summarized).collect());
    let number = |name: &'static str, of: fn(&Summary) -> f64| {
        let values: Vec<Option<f64>> = groups.iter().map(|(_, summary)| summary.as_ref().map(of)).collect();
        number_list(py, name, &values)
    };
    let repeats = |summary: &Option<Summary>| summary.as_ref().map_or(0, |summary| summary.repeats as u64);
    let repeats: Vec<Option<u64>> = groups.iter().map(|(_, summary)| Some(repeats(summary))).collect();
    let columns = vec![
        whole_list(py, "repeats", &repeats),
        number("mean", |summary| summary.mean),
        number("median", |summary| summary.median),
        number("min", |summary| summary.min),
        number("max", |summary| summary.max),
        number("lower", |summary| summary.interval[0]),
        number("upper", |summary| summary.interval[1]),
    ];
    Ok((groups.iter().map(|&(row, _)| row).collect(), columns))
}
