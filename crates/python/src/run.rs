//! Machines, and their runs of Python programs.

use std::{
    sync::mpsc::{RecvTimeoutError, channel},
    thread,
    time::Duration,
};

use multicomputer::{
    Clock, Dilation, Machine, Pinning,
    error::{Failure, RunError},
    model::{Faults, MachineSpec},
    plan::Effort,
};
use pyo3::prelude::*;

use crate::{
    calls,
    context::Context,
    error::{exception, of_deadlock, of_node, of_run},
    report::PyRun,
};

/// Interval at which a thread that waits for a run or a study lets Python handle signals.
pub(crate) const SIGNALS: Duration = Duration::from_millis(20);

/// A machine.
#[pyclass(name = "Machine", module = "multicomputer._native", frozen, subclass)]
#[derive(Debug)]
pub(crate) struct PyMachine {
    pub(crate) machine: Machine,
}

impl PyMachine {
    /// The machine of an object of `multicomputer.Machine`.
    pub(crate) fn of<'py>(machine: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyMachine>> {
        Ok(machine.getattr("_native")?.cast_into::<PyMachine>()?)
    }
}

fn config(py: Python<'_>, error: &dyn std::fmt::Display) -> PyErr {
    exception(py, "ConfigError", &error.to_string())
}

/// Reads a machine: a name such as `paragon:4x4`, a machine file (`.toml`), or the text of one.
fn read(py: Python<'_>, machine: &str) -> PyResult<MachineSpec> {
    if machine.contains('\n') {
        return MachineSpec::from_toml(machine).map_err(|error| config(py, &error));
    }
    if machine.ends_with(".toml") && !machine.starts_with("file:") {
        return MachineSpec::from_file(machine).map_err(|error| config(py, &error));
    }
    machine.parse().map_err(|error| config(py, &error))
}

#[pymethods]
impl PyMachine {
    #[new]
    #[pyo3(signature = (machine, clock, dilation, trace, rendezvous, noise, faults, placement, ports, effort, wall_limit,
        stack_size, deny_unreceived, pinning))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        machine: &str,
        clock: &str,
        dilation: Option<f64>,
        trace: bool,
        rendezvous: Option<u64>,
        noise: Option<&str>,
        faults: Vec<String>,
        placement: Option<&str>,
        ports: Option<u32>,
        effort: &str,
        wall_limit: Option<f64>,
        stack_size: usize,
        deny_unreceived: bool,
        pinning: &str,
    ) -> PyResult<PyMachine> {
        let wrong = |error: &dyn std::fmt::Display| config(py, error);
        let mut spec = read(py, machine)?;
        if let Some(ports) = ports {
            spec = spec.with_ports(ports).map_err(|error| wrong(&error))?;
        }
        if let Some(placement) = placement {
            let placement = placement.parse().map_err(|error| wrong(&error))?;
            spec = spec.with_placement(placement).map_err(|error| wrong(&error))?;
        }
        if let Some(noise) = noise {
            spec = spec.with_noise(noise.parse().map_err(|error| wrong(&error))?);
        }
        if !faults.is_empty() {
            let faults = faults.iter().map(|fault| fault.parse()).collect::<Result<Vec<_>, _>>();
            let faults = Faults::new(faults.map_err(|error| wrong(&error))?);
            spec = spec.with_faults(faults).map_err(|error| wrong(&error))?;
        }
        let clock = match (clock, dilation) {
            ("virtual", None) => Clock::Virtual,
            ("real", None) => Clock::RealTime { dilation: Dilation::Auto },
            ("real", Some(dilation)) => Clock::RealTime { dilation: Dilation::Fixed(dilation) },
            ("host", None) => Clock::Host,
            ("virtual" | "host", Some(_)) => {
                return Err(wrong(&"a dilation is for clock=\"real\": leave it out, or set the clock"));
            }
            (other, _) => {
                return Err(wrong(&format!(
                    "unknown clock `{other}`: use \"virtual\", \"real\" or \"host\""
                )));
            }
        };
        let effort = Effort::ALL.into_iter().find(|known| known.name() == effort).ok_or_else(|| {
            wrong(&format!(
                "unknown effort `{effort}`: use \"estimate\", \"quick\", \"normal\" or \"thorough\""
            ))
        })?;
        let pinning = match pinning {
            "auto" => Pinning::Auto,
            "none" => Pinning::None,
            "one-core" => Pinning::OneCore,
            "spread" => Pinning::Spread,
            other => {
                let text = "use \"auto\", \"none\", \"one-core\" or \"spread\"";
                return Err(wrong(&format!("unknown pinning `{other}`: {text}")));
            }
        };
        let mut builder = Machine::builder(spec)
            .clock(clock)
            .effort(effort)
            .trace(trace)
            .stack_size(stack_size)
            .pinning(pinning)
            .deny_unreceived(deny_unreceived);
        if let Some(bytes) = rendezvous {
            builder = builder.rendezvous(bytes);
        }
        if let Some(seconds) = wall_limit {
            let limit = Duration::try_from_secs_f64(seconds).map_err(|error| wrong(&error))?;
            builder = builder.wall_limit(limit);
        }
        Ok(PyMachine { machine: builder.build().map_err(|error| wrong(&error))? })
    }

    #[getter]
    fn name(&self) -> &str {
        self.machine.spec().name()
    }

    #[getter]
    fn nodes(&self) -> usize {
        self.machine.spec().nodes()
    }

    #[getter]
    fn topology(&self) -> String {
        self.machine.spec().topology().name().to_string()
    }

    /// Rows and columns; `None` if the machine is not a grid.
    #[getter]
    fn grid(&self) -> Option<(usize, usize)> {
        self.machine.spec().topology().grid().map(|grid| (grid.rows, grid.columns))
    }

    fn to_toml(&self) -> String {
        self.machine.spec().to_toml()
    }

    /// Runs `program(rank)` on every node. `interrupt()` is called if Ctrl-C is pressed.
    fn _run(&self, py: Python<'_>, program: Py<PyAny>, interrupt: &Bound<'_, PyAny>) -> PyResult<PyRun> {
        let call = |py: Python<'_>, node: &multicomputer::comm::Node<'_>| program.call1(py, (node.rank(),));
        run(py, &self.machine, &call, Some(interrupt))
    }
}

/// What a node runs, with the lock.
type Program<'a> = dyn Fn(Python<'_>, &multicomputer::comm::Node<'_>) -> PyResult<Py<PyAny>> + Sync + 'a;

/// Runs a program on every node. The calling thread handles signals meanwhile, without the lock.
pub(crate) fn run(
    py: Python<'_>,
    machine: &Machine,
    program: &Program<'_>,
    interrupt: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyRun> {
    let context = Context::new(machine.spec().nodes());
    let interrupt = interrupt.map(|interrupt| interrupt.clone().unbind());
    let (result, signal) = py.detach(|| {
        let on_node = |node: &multicomputer::comm::Node<'_>| -> Result<Py<PyAny>, Failure> {
            let result = Python::attach(|py| calls::set(node, &context, || program(py, node)));
            result.map_err(Failure::from)
        };
        let (sender, receiver) = channel();
        thread::scope(|scope| {
            scope.spawn(|| {
                // The receiver waits for the result as long as this scope lasts.
                let _ = sender.send(machine.run(on_node));
            });
            let mut signal = None;
            loop {
                match receiver.recv_timeout(SIGNALS) {
                    Ok(result) => return (Some(result), signal),
                    Err(RecvTimeoutError::Disconnected) => return (None, signal),
                    Err(RecvTimeoutError::Timeout) if signal.is_some() => {}
                    Err(RecvTimeoutError::Timeout) => Python::attach(|py| {
                        if let Err(error) = py.check_signals() {
                            signal = Some(error);
                            context.interrupt();
                            if let Some(interrupt) = &interrupt
                                && let Err(error) = interrupt.call0(py)
                            {
                                error.print(py);
                            }
                        }
                    }),
                }
            }
        })
    });
    if let Some(signal) = signal {
        return Err(signal);
    }
    let places = context.into_places();
    match result {
        Some(Ok(run)) => PyRun::new(py, run),
        Some(Err(RunError::Node { rank, source, .. })) => match source.downcast::<PyErr>() {
            Ok(cause) => Err(of_node(py, rank, &cause)),
            Err(source) => Err(of_run(py, RunError::Node { rank, source, last_call: None }, &places)),
        },
        Some(Err(RunError::Deadlock(report))) => Err(of_deadlock(py, report, &places)),
        Some(Err(error)) => Err(of_run(py, error, &places)),
        None => Err(exception(py, "RunError", "the thread of the run ended without a result")),
    }
}
