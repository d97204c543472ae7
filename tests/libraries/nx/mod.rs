//! The calls of NX: what they do, what they cost, and how they fail.

#![allow(clippy::unit_arg, reason = "programs that end with a call")]

use multicomputer::{
    Payload, Run,
    error::Failure,
    model::{Parameters, ParametersBuilder},
    nx::{Nx, NxError},
    prelude::*,
};

use crate::support::{self, PATIENCE};

mod global;
mod messages;

/// o_s = 10 us, o_r = 20 us, L = 5 us, beta = 10 ns/byte: 1000 bytes sent at 0 leave at 20 and are received at 45.
fn parameters() -> ParametersBuilder {
    Parameters::builder()
        .send_overhead(10e-6)
        .receive_overhead(20e-6)
        .latency(5e-6)
        .beta(10e-9)
        .link_excess(64.0)
}

fn run_on<T: Send>(
    (rows, columns): (usize, usize),
    parameters: ParametersBuilder,
    program: impl Fn(&Nx<'_, '_>, &Node<'_>) -> Result<T, Failure> + Sync,
) -> Run<T> {
    let machine = Machine::mesh(rows, columns).parameters(parameters.build().unwrap());
    let machine = machine.wall_limit(PATIENCE).build().unwrap();
    support::run(&machine, |node| program(&Nx::new(node)?, node))
}

fn run<T: Send>(
    nodes: usize,
    program: impl Fn(&Nx<'_, '_>, &Node<'_>) -> Result<T, Failure> + Sync,
) -> Run<T> {
    run_on((1, nodes), parameters(), program)
}

type Program = fn(&Nx<'_, '_>) -> Result<(), NxError>;

/// One to seventeen nodes in a row, and 4 x 5.
fn shapes() -> impl Iterator<Item = (usize, usize)> {
    (1..=17).map(|nodes| (1, nodes)).chain([(4, 5)])
}

fn micros(nx: &Nx<'_, '_>) -> Result<f64, NxError> {
    Ok((nx.dclock()? * 1e9).round() / 1e3)
}

fn kilobyte() -> Payload {
    Payload::from(vec![0_u8; 1000])
}
