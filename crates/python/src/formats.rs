//! Schedules in GOAL and MSCCL.

use multicomputer::{
    goal::{self, Sends},
    msccl,
};
use pyo3::prelude::*;

use crate::{
    calls,
    error::exception,
    plan::PyAlgorithm,
    report::PyRun,
    run::{PyMachine, run},
};

/// A program in GOAL, the format of LogGOPSim.
#[pyclass(name = "Goal", module = "multicomputer", frozen)]
#[derive(Debug)]
pub(crate) struct PyGoal {
    pub(crate) program: goal::Program,
    pub(crate) sends: Sends,
}

fn goal_error(py: Python<'_>, error: &dyn std::fmt::Display) -> PyErr {
    exception(py, "FormatError", &error.to_string())
}

#[pymethods]
impl PyGoal {
    #[new]
    #[pyo3(signature = (text, *, blocking=false))]
    fn new(py: Python<'_>, text: &str, blocking: bool) -> PyResult<PyGoal> {
        let program = py.detach(|| goal::Program::read(text.as_bytes()));
        let sends = if blocking { Sends::Blocking } else { Sends::Eager };
        Ok(PyGoal { program: program.map_err(|error| goal_error(py, &error))?, sends })
    }

    #[getter]
    fn ranks(&self) -> usize {
        self.program.ranks()
    }

    #[getter]
    fn messages(&self) -> u64 {
        self.program.messages()
    }

    #[getter]
    fn bytes(&self) -> u64 {
        self.program.bytes()
    }

    /// Returns the predicted time on a machine in seconds.
    fn predict(&self, py: Python<'_>, machine: &Bound<'_, PyAny>) -> PyResult<f64> {
        let machine = PyMachine::of(machine)?;
        let machine = machine.get();
        let predicted = py.detach(|| goal::predict(machine.machine.spec(), &self.program, self.sends));
        Ok(predicted.map_err(|error| goal_error(py, &error))?.modeled.as_secs_f64())
    }

    /// Plays the program, a rank on each node of a machine.
    fn _play(&self, py: Python<'_>, machine: &PyMachine) -> PyResult<PyRun> {
        let call = |py: Python<'_>, _: &multicomputer::comm::Node<'_>| {
            py.detach(|| calls::with(|calls| calls.play(&self.program, self.sends)))
                .map_err(|error| error.raise(py))?;
            Ok(py.None())
        };
        run(py, &machine.machine, &call, None)
    }
}

/// A schedule of MSCCL, verified.
#[pyclass(name = "Msccl", module = "multicomputer", frozen)]
#[derive(Debug)]
pub(crate) struct PyMsccl {
    pub(crate) program: msccl::Program,
}

#[pymethods]
impl PyMsccl {
    #[new]
    fn new(py: Python<'_>, text: &str) -> PyResult<PyMsccl> {
        let program = py.detach(|| msccl::Program::read(text));
        Ok(PyMsccl { program: program.map_err(|error| goal_error(py, &error))? })
    }

    #[getter]
    fn name(&self) -> &str {
        self.program.name()
    }

    #[getter]
    fn operation(&self) -> &'static str {
        self.program.collective().name()
    }

    #[getter]
    fn ranks(&self) -> usize {
        self.program.ranks()
    }

    #[getter]
    fn chunks(&self) -> u32 {
        self.program.chunks()
    }

    /// Returns the schedule as an algorithm.
    fn algorithm(&self) -> PyAlgorithm {
        PyAlgorithm::of(self.program.clone().into())
    }

    /// Returns the schedule as a GOAL program for a vector of `bytes` bytes.
    #[pyo3(signature = (bytes, machine, *, element=1))]
    fn goal(&self, py: Python<'_>, bytes: u64, machine: &Bound<'_, PyAny>, element: u64) -> PyResult<PyGoal> {
        let machine = PyMachine::of(machine)?;
        let program = self.program.goal(bytes, element, machine.get().machine.spec());
        Ok(PyGoal { program: program.map_err(|error| goal_error(py, &error))?, sends: Sends::Blocking })
    }

    fn __str__(&self) -> String {
        self.program.to_string()
    }
}
