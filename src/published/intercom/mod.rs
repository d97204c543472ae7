//! InterCom: collective operations, by formula and as measured.
//!
//! Formulas are compared on `hockney`, which is the model that they are stated in: `alpha + n beta`, full duplex, messages that
//! share a link. Measurements are compared on `paragon`, with the one set of parameters of the preset. Times are
//! predictions, which are the times of runs in virtual time; those of NX are of runs.

mod alternating;
mod edst;
mod figures;
mod formulas;
mod noise;
mod nx;
mod table_2;
mod table_3;

use super::{Axis, Chart, Claim, Job, Outcome, Paper, Series, Timed, Value, least, most, paragon, percent};
use crate::{
    collective::{Algorithm, Cost, Operation, Strategy, Task},
    model::{Description, Parameters},
    time::Span,
    topology,
};

/// The jobs of the paper.
pub(super) const JOBS: &[Job] = &[
    figures::FIGURE_1,
    formulas::PRIMITIVES,
    formulas::CONFLICTS,
    table_2::TABLE_2,
    figures::FIGURE_2,
    formulas::ROWS_AND_COLUMNS,
    alternating::ALTERNATING,
    table_3::TABLE_3,
    figures::FIGURE_4,
    edst::EDST,
    noise::IRREGULAR,
];

/// A machine with the parameters of `hockney`, but links of `k` times the capacity of a port and `gamma` seconds an
/// element.
fn hockney(shape: &str, k: f64, gamma: f64) -> Description {
    let parameters = Parameters::hockney().to_builder().link_excess(k).gamma(gamma).build();
    network(shape, parameters.expect("links may be faster than ports"))
}

fn network(shape: &str, parameters: Parameters) -> Description {
    let topology = topology::parse(shape).expect("the network of a published result exists");
    Description::new(shape, topology, parameters)
}

/// An operation of root 0 on so many elements of so many bytes.
fn task(machine: &Description, operation: Operation, elements: u64, element: u64) -> Task {
    let task = Task::builder(machine, operation).elements(elements).element_bytes(element).build();
    task.expect("a published operation is one")
}

fn modeled(algorithm: &Algorithm, task: &Task) -> Span {
    let plan = algorithm.plan(task).expect("a published operation can be planned");
    plan.prediction().modeled.since_start()
}

fn strategy(operation: Operation, text: &str) -> Strategy {
    Strategy::parse(operation, text).expect("a published strategy is one")
}

/// The cost of a strategy in closed form, and its time.
fn cost_and_time(task: &Task, text: &str) -> (Cost, Span) {
    let strategy = strategy(task.operation(), text);
    (strategy.cost(task), modeled(&Algorithm::strategy(strategy), task))
}

fn log2_ceil(number: usize) -> f64 {
    f64::from(number.next_power_of_two().ilog2())
}

/// By how many nanoseconds two times differ.
fn apart(modeled: Span, formula: Span) -> f64 {
    modeled.as_picos().abs_diff(formula.as_picos()) as f64 / 1e3
}

/// One time as a multiple of another.
fn ratio(modeled: Span, formula: Span) -> f64 {
    modeled.as_secs_f64() / formula.as_secs_f64()
}
