//! Runs: outputs, counters, traces, explanations, pictures.

use std::{fs::File, io::BufWriter};

use multicomputer::Run;
use multicomputer_picture::{Heat, Replay, SpaceTime};
use pyo3::prelude::*;

use crate::error::exception;

/// The results of a run.
#[pyclass(name = "Run", module = "multicomputer._native", frozen, subclass)]
#[derive(Debug)]
pub(crate) struct PyRun {
    run: Run<Py<PyAny>>,
}

/// Converts a value to dicts and lists by way of JSON.
pub(crate) fn to_python(py: Python<'_>, json: &str) -> PyResult<Py<PyAny>> {
    Ok(py.import("json")?.call_method1("loads", (json,))?.unbind())
}

fn picture_error(py: Python<'_>, error: &dyn std::fmt::Display) -> PyErr {
    exception(py, "PictureError", &error.to_string())
}

impl PyRun {
    pub(crate) fn new(_: Python<'_>, run: Run<Py<PyAny>>) -> PyResult<PyRun> {
        Ok(PyRun { run })
    }
}

#[pymethods]
impl PyRun {
    #[getter]
    fn outputs(&self, py: Python<'_>) -> Vec<Py<PyAny>> {
        self.run.outputs.iter().map(|output| output.clone_ref(py)).collect()
    }

    #[getter]
    fn makespan(&self) -> f64 {
        self.run.report.makespan.as_secs_f64()
    }

    #[getter]
    fn makespan_ps(&self) -> u64 {
        self.run.report.makespan.as_picos()
    }

    #[getter]
    fn messages(&self) -> u64 {
        self.run.report.messages
    }

    #[getter]
    fn bytes(&self) -> u64 {
        self.run.report.bytes
    }

    #[getter]
    fn wall(&self) -> f64 {
        self.run.wall.as_secs_f64()
    }

    #[getter]
    fn machine(&self) -> &str {
        self.run.machine().name()
    }

    #[getter]
    fn is_traced(&self) -> bool {
        self.run.is_traced()
    }

    #[getter]
    fn is_modeled(&self) -> bool {
        self.run.report.is_modeled
    }

    /// All counters as dicts and lists; times in seconds.
    fn report(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let json = serde_json::to_string(&self.run.report);
        to_python(py, &json.map_err(|error| exception(py, "Error", &error.to_string()))?)
    }

    fn __str__(&self) -> String {
        self.run.report.to_string()
    }

    fn _explain(&self, py: Python<'_>) -> PyResult<(Py<PyAny>, String)> {
        let explanation = py
            .detach(|| self.run.explain())
            .map_err(|error| exception(py, "AnalysisError", &error.to_string()))?;
        let json = serde_json::to_string(&explanation);
        let json = json.map_err(|error| exception(py, "AnalysisError", &error.to_string()))?;
        Ok((to_python(py, &json)?, explanation.to_string()))
    }

    fn write_trace(&self, py: Python<'_>, path: std::path::PathBuf) -> PyResult<()> {
        Ok(py.detach(|| self.run.write_trace(BufWriter::new(File::create(path)?)))?)
    }

    #[pyo3(signature = (title=None, width=None, rows=None))]
    fn space_time(
        &self,
        py: Python<'_>,
        title: Option<&str>,
        width: Option<u32>,
        rows: Option<usize>,
    ) -> PyResult<String> {
        let drawn = py.detach(|| {
            let mut picture = SpaceTime::of(&self.run);
            if let Some(title) = title {
                picture = picture.title(title);
            }
            if let Some(width) = width {
                picture = picture.width(width);
            }
            if let Some(rows) = rows {
                picture = picture.rows(rows);
            }
            picture.to_svg()
        });
        drawn.map_err(|error| picture_error(py, &error))
    }

    #[pyo3(signature = (title=None))]
    fn heat(&self, py: Python<'_>, title: Option<&str>) -> PyResult<String> {
        let drawn = py.detach(|| {
            let picture = Heat::of(&self.run);
            title.map_or_else(|| Heat::of(&self.run), |title| picture.title(title)).to_svg()
        });
        drawn.map_err(|error| picture_error(py, &error))
    }
}

/// Writes the page that replays runs, each with its title.
#[pyfunction]
pub(crate) fn replay_page(
    py: Python<'_>,
    title: String,
    runs: Vec<(String, PyRef<'_, PyRun>)>,
) -> PyResult<String> {
    let mut page = Replay::new(title);
    for (title, run) in &runs {
        page.add(title.as_str(), &run.run).map_err(|error| picture_error(py, &error))?;
    }
    py.detach(|| page.to_html()).map_err(|error| picture_error(py, &error))
}
