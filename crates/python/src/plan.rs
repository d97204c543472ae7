//! Plans: an operation on a machine, the chosen algorithm, its predicted time, and the lower bound.

use multicomputer::{
    Rank, Span,
    all_to_all::{self, Matrix},
    collective::{self, Operation, Task},
    goal,
    model::MachineSpec,
    plan::{LowerBound, Prediction},
    s_to_p,
};
use pyo3::{
    prelude::*,
    pybacked::PyBackedStr,
    types::{PyDict, PyList},
};

use crate::{
    error::{exception, of_plan},
    run::PyMachine,
    schedule,
};

/// An algorithm of collective operations: of the library, of an MSCCL schedule, or a list of transfers.
#[pyclass(name = "Algorithm", module = "multicomputer", frozen)]
#[derive(Debug)]
pub(crate) struct PyAlgorithm {
    algorithm: collective::Algorithm,
}

impl PyAlgorithm {
    pub(crate) fn of(algorithm: collective::Algorithm) -> PyAlgorithm {
        PyAlgorithm { algorithm }
    }

    /// The given algorithm, or *Auto*.
    pub(crate) fn collective(given: Option<&PyAlgorithm>) -> collective::Algorithm {
        given.map_or(collective::Algorithm::AUTO, |given| given.algorithm.clone())
    }
}

#[pymethods]
impl PyAlgorithm {
    #[new]
    fn new(py: Python<'_>, name: &str) -> PyResult<PyAlgorithm> {
        let algorithm = name.parse::<collective::Algorithm>();
        Ok(PyAlgorithm::of(algorithm.map_err(|error| exception(py, "PlanError", &error.to_string()))?))
    }

    /// Makes an algorithm of a list of rounds of transfers `(from, to, blocks)`.
    #[staticmethod]
    #[pyo3(signature = (name, rounds, *, pieces=None, overlap="together", dual="none"))]
    fn transfers(
        py: Python<'_>,
        name: String,
        rounds: Vec<Vec<(Rank, Rank, Vec<u32>)>>,
        pieces: Option<usize>,
        overlap: &str,
        dual: &str,
    ) -> PyResult<PyAlgorithm> {
        let algorithm = schedule::algorithm(name, rounds, pieces, overlap, dual);
        Ok(PyAlgorithm::of(algorithm.map_err(|error| exception(py, "PlanError", &error))?))
    }

    /// The faster of two algorithms, for each problem.
    #[pyo3(name = "or_")]
    fn or(&self, other: &PyAlgorithm) -> PyAlgorithm {
        PyAlgorithm::of(self.algorithm.or(&other.algorithm))
    }

    #[getter]
    fn name(&self) -> String {
        self.algorithm.to_string()
    }

    /// One line on the algorithm.
    #[getter]
    fn about(&self) -> &'static str {
        self.algorithm.about()
    }

    #[getter]
    fn source(&self) -> &'static str {
        self.algorithm.source()
    }

    fn __repr__(&self) -> String {
        format!("Algorithm({:?})", self.algorithm.to_string())
    }
}

/// Returns the names of the algorithms of an operation.
#[pyfunction]
pub(crate) fn algorithms(py: Python<'_>, operation: &str) -> PyResult<Vec<String>> {
    match Kind::of(py, operation)? {
        Kind::Collective(operation) => {
            Ok(collective::Algorithm::of(operation).iter().map(ToString::to_string).collect())
        }
        Kind::AllToAll => Ok(all_to_all::Algorithm::ALL.iter().map(ToString::to_string).collect()),
        Kind::SToP => Ok(s_to_p::Algorithm::all().map(|algorithm| algorithm.to_string()).collect()),
    }
}

/// Returns the names of all operations that can be planned.
#[pyfunction]
pub(crate) fn operations() -> Vec<&'static str> {
    Operation::ALL.into_iter().map(Operation::name).chain(["all-to-all", "s-to-p"]).collect()
}

/// A library and its operation.
enum Kind {
    Collective(Operation),
    AllToAll,
    SToP,
}

impl Kind {
    fn of(py: Python<'_>, name: &str) -> PyResult<Kind> {
        let plain: String =
            name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
        match plain.as_str() {
            "alltoall" | "alltoallv" => Ok(Kind::AllToAll),
            "stop" => Ok(Kind::SToP),
            _ => Operation::named(name).map(Kind::Collective).ok_or_else(|| {
                let known = operations().join(", ");
                exception(py, "PlanError", &format!("unknown operation `{name}`: the operations are {known}"))
            }),
        }
    }
}

/// A plan of a library.
#[derive(Debug)]
enum Made {
    Collective(collective::Plan),
    AllToAll(all_to_all::Plan),
    SToP(s_to_p::Plan),
}

/// A plan: the chosen variant, its predicted time, its messages.
#[pyclass(name = "Plan", module = "multicomputer", frozen)]
#[derive(Debug)]
pub(crate) struct PyPlan {
    made: Made,
    operation: String,
}

/// The arguments of a plan beside the operation and the machine.
#[derive(FromPyObject)]
pub(crate) struct Arguments {
    #[pyo3(item)]
    bytes: Option<u64>,
    #[pyo3(item)]
    blocks: Option<Vec<u64>>,
    #[pyo3(item)]
    matrix: Option<Vec<Vec<u64>>>,
    #[pyo3(item)]
    sources: Option<Vec<Rank>>,
    #[pyo3(item)]
    root: Rank,
    #[pyo3(item)]
    element: Option<u64>,
    #[pyo3(item)]
    members: Option<Vec<Rank>>,
    #[pyo3(item)]
    in_order: bool,
}

/// Makes a plan of an operation on a machine.
#[pyfunction]
pub(crate) fn make_plan(
    py: Python<'_>,
    operation: &str,
    machine: &PyMachine,
    arguments: Arguments,
    algorithm: &Bound<'_, PyAny>,
) -> PyResult<PyPlan> {
    let spec = machine.machine.spec();
    let made = match Kind::of(py, operation)? {
        Kind::Collective(operation) => {
            let task = task(py, spec, operation, &arguments)?;
            let algorithm = match algorithm.cast::<PyAlgorithm>() {
                Ok(algorithm) => algorithm.get().algorithm.clone(),
                Err(_) => PyAlgorithm::new(py, &algorithm.extract::<PyBackedStr>()?)?.algorithm,
            };
            py.detach(|| algorithm.plan(&task)).map(Made::Collective)
        }
        Kind::AllToAll => {
            let wrong = |error: &dyn std::fmt::Display| exception(py, "PlanError", &error.to_string());
            let size = arguments.members.as_ref().map_or(spec.nodes(), Vec::len);
            let matrix = match (&arguments.matrix, arguments.bytes) {
                (Some(rows), None) => Matrix::new(rows),
                (None, Some(bytes)) => Matrix::of(size, |_, _| bytes),
                _ => return Err(wrong(&"an all-to-all needs `bytes` of each pair of ranks, or a `matrix`")),
            };
            let matrix = matrix.map_err(|error| wrong(&error))?;
            let members: Vec<Rank> = arguments.members.clone().unwrap_or_else(|| (0..size).collect());
            let instance =
                all_to_all::Instance::among(spec, members, matrix).map_err(|error| wrong(&error))?;
            let name: PyBackedStr = algorithm.extract()?;
            let algorithm: all_to_all::Algorithm = name.parse().map_err(|error| wrong(&error))?;
            py.detach(|| algorithm.plan(&instance)).map(Made::AllToAll)
        }
        Kind::SToP => {
            let wrong = |error: &dyn std::fmt::Display| exception(py, "PlanError", &error.to_string());
            let sources = arguments.sources.as_deref().unwrap_or_default();
            let lengths = match (&arguments.blocks, arguments.bytes) {
                (Some(lengths), None) => lengths.clone(),
                (None, Some(bytes)) => vec![bytes; sources.len()],
                _ => return Err(wrong(&"an s-to-p broadcast needs `bytes` of each source, or `blocks`")),
            };
            let members: Vec<Rank> = arguments.members.clone().unwrap_or_else(|| (0..spec.nodes()).collect());
            let instance = s_to_p::Instance::among(spec, members, sources, &lengths);
            let instance = instance.map_err(|error| wrong(&error))?;
            let name: PyBackedStr = algorithm.extract()?;
            let algorithm: s_to_p::Algorithm = name.parse().map_err(|error| wrong(&error))?;
            py.detach(|| algorithm.plan(&instance)).map(Made::SToP)
        }
    };
    Ok(PyPlan { made: made.map_err(|error| of_plan(py, &error))?, operation: operation.to_owned() })
}

fn task(
    py: Python<'_>,
    machine: &MachineSpec,
    operation: Operation,
    arguments: &Arguments,
) -> PyResult<Task> {
    let wrong = |text: &dyn std::fmt::Display| exception(py, "PlanError", &text.to_string());
    let element = arguments.element.unwrap_or(if operation.combines() { 8 } else { 1 });
    let elements = |bytes: u64| match bytes.checked_rem(element) {
        Some(0) => Ok(bytes / element),
        _ => Err(wrong(&format!("{bytes} bytes are not a multiple of the element, {element} bytes"))),
    };
    let mut builder = Task::builder(machine, operation)
        .root(arguments.root)
        .element_bytes(element)
        .in_order(arguments.in_order);
    if let Some(members) = &arguments.members {
        builder = builder.members(members.as_slice());
    }
    builder = match (arguments.bytes, &arguments.blocks) {
        (Some(bytes), None) => builder.elements(elements(bytes)?),
        (None, Some(blocks)) => {
            builder.blocks(blocks.iter().map(|&bytes| elements(bytes)).collect::<PyResult<Vec<u64>>>()?)
        }
        _ => return Err(wrong(&"give `bytes` of the whole vector, or `blocks` with the bytes of each rank")),
    };
    builder.build().map_err(|error| wrong(&error))
}

/// A lower bound as a dict: the time in seconds, the decisive reason, and the time of every reason.
fn bound<'py>(py: Python<'py>, bound: &LowerBound) -> PyResult<Bound<'py, PyDict>> {
    let reasons = PyDict::new(py);
    for (reason, time) in bound.reasons() {
        reasons.set_item(reason.name(), time.as_secs_f64())?;
    }
    let dict = PyDict::new(py);
    dict.set_item("time", bound.time().as_secs_f64())?;
    dict.set_item("decisive", bound.decisive().map(|reason| reason.name()))?;
    dict.set_item("reasons", reasons)?;
    Ok(dict)
}

impl PyPlan {
    fn prediction(&self) -> Option<&Prediction> {
        match &self.made {
            Made::Collective(plan) => Some(plan.prediction()),
            Made::AllToAll(plan) => plan.prediction(),
            Made::SToP(plan) => Some(plan.prediction()),
        }
    }

    fn bound(&self) -> LowerBound {
        match &self.made {
            Made::Collective(plan) => plan.problem().lower_bound(),
            Made::AllToAll(plan) => plan.problem().lower_bound(),
            Made::SToP(plan) => plan.problem().lower_bound(),
        }
    }

    fn seconds(span: Span) -> f64 {
        span.as_secs_f64()
    }
}

#[pymethods]
impl PyPlan {
    #[getter]
    fn operation(&self) -> &str {
        &self.operation
    }

    /// The algorithm and the variant, such as `tree, compact numbering`.
    #[getter]
    fn name(&self) -> &str {
        match &self.made {
            Made::Collective(plan) => plan.name(),
            Made::AllToAll(plan) => plan.name(),
            Made::SToP(plan) => plan.name(),
        }
    }

    #[getter]
    fn algorithm(&self) -> String {
        match &self.made {
            Made::Collective(plan) => plan.algorithm().to_string(),
            Made::AllToAll(plan) => plan.algorithm().to_string(),
            Made::SToP(plan) => plan.algorithm().to_string(),
        }
    }

    #[getter]
    fn variant(&self) -> &str {
        match &self.made {
            Made::Collective(plan) => plan.variant(),
            Made::AllToAll(plan) => plan.variant(),
            Made::SToP(plan) => plan.variant(),
        }
    }

    /// Predicted modeled time in seconds; `None` for an algorithm that has no prediction.
    #[getter]
    fn time(&self) -> Option<f64> {
        self.prediction().map(|prediction| PyPlan::seconds(prediction.modeled.since_start()))
    }

    /// Predicted modeled time in picoseconds.
    #[getter]
    fn time_ps(&self) -> Option<u64> {
        self.prediction().map(|prediction| prediction.modeled.as_picos())
    }

    /// The time at which each rank ends, in seconds.
    #[getter]
    fn finished(&self) -> Option<Vec<f64>> {
        let prediction = self.prediction()?;
        Some(prediction.finished.iter().map(|time| time.as_secs_f64()).collect())
    }

    /// The lower bound as a dict: `time` in seconds, `decisive` reason, `reasons` with their times.
    #[getter]
    fn lower_bound<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        bound(py, &py.detach(|| self.bound()))
    }

    /// The messages in the order of the schedule, as tuples `(iteration, from, to, bytes, blocks)`.
    fn transfers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let schedule = match &self.made {
            Made::Collective(plan) => plan.schedule(),
            Made::SToP(plan) => plan.schedule(),
            Made::AllToAll(_) => return Err(no_schedule(py)),
        };
        PyList::new(py, schedule::transfers(schedule))
    }

    /// The schedule as text in GOAL.
    fn to_goal(&self, py: Python<'_>) -> PyResult<String> {
        let (schedule, machine) = match &self.made {
            Made::Collective(plan) => (plan.schedule(), plan.problem().machine()),
            Made::SToP(plan) => (plan.schedule(), plan.problem().machine()),
            Made::AllToAll(_) => return Err(no_schedule(py)),
        };
        let mut text = Vec::new();
        let written = py.detach(|| goal::write(schedule, machine, &mut text));
        written.map_err(|error| exception(py, "FormatError", &error.to_string()))?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// The schedule as text in MSCCL's format.
    fn to_msccl(&self, py: Python<'_>) -> PyResult<String> {
        let program = match &self.made {
            Made::Collective(plan) => plan.msccl(),
            Made::AllToAll(plan) => plan.msccl(),
            Made::SToP(_) => {
                return Err(exception(
                    py,
                    "FormatError",
                    "MSCCL has no s-to-p broadcasts: plan an all-gather",
                ));
            }
        };
        Ok(program.map_err(|error| exception(py, "FormatError", &error.to_string()))?.to_string())
    }

    fn __repr__(&self) -> String {
        let time = self.prediction().map_or_else(|| "no prediction".into(), |it| it.modeled.to_string());
        format!("Plan({}: {}, {time})", self.operation, self.name())
    }
}

fn no_schedule(py: Python<'_>) -> PyErr {
    exception(py, "FormatError", "an all-to-all has rounds and not one schedule: use `to_msccl`")
}
