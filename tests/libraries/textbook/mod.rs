//! The algorithms of the textbook on real threads: what they do against a sequential oracle, what they take against the
//! equations, and where links are in the way.

mod congestion;
mod document;
mod equations;
mod groups;
mod matrix;
mod operators;
mod oracle;
mod pipelined;
mod properties;

use std::ops::Range;

use multicomputer::{
    Run,
    collective::{Operation, Plan, Task, TaskBuilder, commutative},
    error::Failure,
    model::{MachineSpec, Parameters},
    plan::PlanError,
    prelude::*,
    textbook::Algorithm,
    topology,
};

use crate::support::{self, PATIENCE};

/// Runs a program on a machine; messages that nobody receives are an error.
fn run<T: Send>(machine: &MachineSpec, program: impl Fn(&Node<'_>) -> Result<T, Failure> + Sync) -> Run<T> {
    let machine =
        Machine::builder(machine.clone()).wall_limit(PATIENCE).deny_unreceived(true).build().unwrap();
    support::run(&machine, program)
}

/// A network with these parameters.
fn machine(network: &str, parameters: &Parameters) -> MachineSpec {
    MachineSpec::new(network, topology::parse(network).unwrap(), parameters.clone())
}

/// A network with Hockney's parameters: 130 us, half of it at either end, and 50 ns a byte.
fn hockney(network: &str) -> MachineSpec {
    machine(network, &Parameters::hockney())
}

/// Hockney's, with all of alpha at the sender: the strict model of the book, where a send takes as long as its
/// transfer.
fn strict() -> Parameters {
    split(130.0, 0.0, 0.0)
}

/// Alpha cut into microseconds at the sender, in the network and at the receiver.
fn split(send: f64, latency: f64, receive: f64) -> Parameters {
    let parameters = Parameters::builder().send_overhead(send * 1e-6).latency(latency * 1e-6);
    parameters.receive_overhead(receive * 1e-6).beta(50e-9).gamma(120e-9).build().unwrap()
}

/// What an algorithm is for, with so many bytes of the vector, or of each block where there are blocks.
fn task(algorithm: Algorithm, machine: &MachineSpec, bytes: u64) -> TaskBuilder {
    let task = Task::builder(machine, algorithm.operation());
    if algorithm.operation().has_blocks() {
        task.blocks(vec![bytes; machine.nodes()])
    } else {
        task.elements(bytes)
    }
}

/// The plan for [`task`], from rank 0.
fn plan(algorithm: Algorithm, machine: &MachineSpec, bytes: u64) -> Plan {
    algorithm.plan(&task(algorithm, machine, bytes).build().unwrap()).unwrap()
}

/// An algorithm planned for a group, with data of which each byte depends on its rank and its place.
struct Case {
    plan: Plan,
    seed: usize,
    /// All ranks' vectors added up, if they are.
    sum: Vec<u8>,
}

impl Case {
    fn new(algorithm: Algorithm, task: &Task, seed: usize) -> Result<Case, PlanError> {
        let plan = algorithm.plan(task)?;
        let mut sum = Vec::new();
        if task.operation().combines() {
            let bytes = task.bytes() as usize;
            let add =
                |place| (0..task.size()).fold(0, |sum: u8, rank| sum.wrapping_add(byte(rank, place, seed)));
            sum = (0..bytes).map(add).collect();
        }
        Ok(Case { plan, seed, sum })
    }

    fn own(&self, rank: Rank, range: Range<u64>) -> Vec<u8> {
        range.map(|place| byte(rank, place as usize, self.seed)).collect()
    }

    /// What a rank gives and what it must get.
    fn before_and_after(&self, rank: Rank) -> [Vec<u8>; 2] {
        let task = self.plan.task();
        let (all, root) = (0..task.bytes(), task.root());
        let if_root = |vector: Vec<u8>| if rank == root { vector } else { Vec::new() };
        match task.operation() {
            Operation::Broadcast => [if_root(self.own(root, all.clone())), self.own(root, all)],
            Operation::AllGather => {
                let blocks = (0..task.size()).flat_map(|rank| self.own(rank, task.block(rank)));
                [self.own(rank, task.block(rank)), blocks.collect()]
            }
            Operation::Reduce => [self.own(rank, all), if_root(self.sum.clone())],
            Operation::ReduceScatter => {
                let Range { start, end } = task.block(rank);
                [self.own(rank, all), self.sum[start as usize..end as usize].to_vec()]
            }
            other => panic!("no algorithm of the chapter is a {other}"),
        }
    }

    /// Carries it out on this member.
    fn check(&self, group: &Group<'_>) -> Result<(), Failure> {
        let [before, after] = self.before_and_after(group.rank());
        let got = if self.plan.task().operation().combines() {
            self.plan.combine(group, &before, &commutative(u8::wrapping_add))?
        } else {
            self.plan.call(group, &before)?
        };
        if got == after {
            return Ok(());
        }
        let (name, task) = (self.plan.name(), self.plan.task());
        let (rank, size, root, bytes) = (group.rank(), task.size(), task.root(), task.bytes());
        Err(format!("{name}: rank {rank} of {size}, root {root}, {bytes} bytes: {got:?}, not {after:?}")
            .into())
    }
}

/// A byte of a rank's vector.
fn byte(rank: Rank, place: usize, seed: usize) -> u8 {
    let mixed = (rank * 0x9E37 + place * 0x85EB + seed * 0xC2B3 + 1).wrapping_mul(0x27D4_EB2F_1656_67C5);
    (mixed >> 29) as u8
}

/// The modeled time of a plan on threads, which is that of its prediction.
fn modeled(plan: &Plan) -> Time {
    let case = Case::new(named(plan), plan.task(), 5).unwrap();
    let run = run(plan.task().machine(), |node| case.check(node.world()));
    let finished: Vec<Time> = run.report.nodes.iter().map(|node| node.finished).collect();
    assert_eq!(finished, plan.prediction().finished, "{} on {}", plan.name(), run.report.machine);
    assert_eq!(run.report.makespan, plan.prediction().modeled);
    run.report.makespan
}

/// The algorithm that a plan is by.
fn named(plan: &Plan) -> Algorithm {
    let name = plan.name().trim_start_matches("algorithm ");
    name.parse().unwrap()
}

/// Whether two times are the same to a nanosecond.
fn is_equal(one: Span, other: Span) -> bool {
    one.as_picos().abs_diff(other.as_picos()) <= 1000
}
