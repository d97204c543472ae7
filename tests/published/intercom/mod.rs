//! What the InterCom paper publishes about collective operations, beside what comes out here.
//!
//! *The paper* is Barnett, Shuler, Gupta, Payne, van de Geijn, Watts, "Building a High-Performance Collective
//! Communication Library", Supercomputing 1994. Its formulas are compared on `hockney`, which is the model that
//! they are stated in: `alpha + n beta`, full duplex, messages that share a link. Its measurements are compared on
//! `paragon`, with the one set of parameters of the preset. Where something does not come out as published the
//! comment begins with **Does not hold**, and says why.
//!
//! Times are predictions, which are the times of runs in virtual time. The tables of `docs/collectives.md` are
//! checked row by row.

mod claims;
mod table_2;
mod table_3;

use multicomputer::{
    Span,
    collective::{Algorithm, Cost, Operation, Strategy, Task},
    model::{Description, Parameters},
    topology,
};

use crate::{paragon, support::assert_within};

/// A machine with the parameters of `hockney`, but links of `k` times the capacity of a port and `gamma` seconds an
/// element.
fn hockney(shape: &str, k: f64, gamma: f64) -> Description {
    let parameters = Parameters::hockney().to_builder().link_excess(k).gamma(gamma).build().unwrap();
    Description::new(shape, topology::parse(shape).unwrap(), parameters)
}

/// An operation of root 0 on so many elements of so many bytes.
fn task(machine: &Description, operation: Operation, elements: u64, element: u64) -> Task {
    Task::builder(machine, operation).elements(elements).element_bytes(element).build().unwrap()
}

fn modeled(algorithm: &Algorithm, task: &Task) -> Span {
    algorithm.plan(task).unwrap().prediction().modeled.since_start()
}

fn strategy(operation: Operation, text: &str) -> Strategy {
    Strategy::parse(operation, text).unwrap()
}

/// What a strategy costs in closed form, and what it takes.
fn cost_and_time(task: &Task, text: &str) -> (Cost, Span) {
    let strategy = strategy(task.operation(), text);
    (strategy.cost(task), modeled(&Algorithm::strategy(strategy), task))
}

fn log2_ceil(number: usize) -> f64 {
    f64::from(number.next_power_of_two().ilog2())
}
