//! Tests of the order of simultaneous events, with programs in which nearly all events tie.
//!
//! Random programs use all calls on machines where nearly all costs are 0 or one round number. Each program is run many times, with
//! different orders in which the kernel learns of the calls: some before they are needed, others only when the kernel cannot continue
//! without them. All runs must have the same result, equal to that of the [reference](reference::Reference), an engine that follows the
//! lines of the timing model one by one.

mod cases;
mod programs;
mod reference;

use std::{collections::VecDeque, sync::Arc};

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub(crate) use self::{
    programs::{Runner, Step, random},
    reference::Reference,
};
use super::*;
use crate::{
    model::{Faults, Noise, Parameters},
    topology::{self, Network, Topology},
};

/// A source of calls from programs: the kernel learns of a call at a random time, or when it needs the call.
struct Programs<'a, R> {
    runners: Vec<Runner>,
    chance: &'a mut R,
    /// The probability that a call is known before it is needed.
    eagerness: f64,
    needed: Option<NodeId>,
    carried_out: Vec<MessageId>,
}

impl<R: Rng> Calls for Programs<'_, R> {
    fn fetch(&mut self, node: NodeId, _: &mut Vec<(NodeId, Reply)>, calls: &mut VecDeque<Call>) {
        let needed = self.needed == Some(node);
        while (needed && calls.is_empty()) || self.chance.random_bool(self.eagerness) {
            let runner = &mut self.runners[node as usize];
            let Some(op) = runner.next() else { break };
            let reply = runner.asked.is_some();
            calls.push_back(Call { op, reply });
        }
        if needed {
            self.needed = None;
        }
    }

    fn carry_out(&mut self, access: MessageId, at: Time) -> Time {
        self.carried_out.push(access);
        at
    }
}

/// The visible result of a run.
#[derive(Debug, PartialEq)]
pub(crate) struct RunResult {
    /// The replies to each program.
    pub(crate) replies: Vec<Vec<Reply>>,
    /// The time at which each program ended.
    pub(crate) finished: Vec<Time>,
    transfers: Vec<Transfer>,
    /// The remote memory accesses in the order in which they were carried out.
    carried_out: Vec<MessageId>,
}

/// Runs programs on a machine; the seed selects the order in which calls become known.
fn run(machine: &MachineSpec, programs: &[Vec<Step>], seed: u64) -> RunResult {
    let mut chance = ChaCha8Rng::seed_from_u64(seed);
    let eagerness = [0.0, 1.0 - 1e-9, 0.2, 0.5, 0.8][(seed % 5) as usize];
    let runners = programs.iter().map(|steps| Runner::new(steps)).collect();
    let mut calls =
        Programs { runners, chance: &mut chance, eagerness, needed: None, carried_out: Vec::new() };
    let mut kernel = Kernel::new(machine, true);
    loop {
        let progress = kernel.advance(Time::MAX, &mut calls);
        let mut has_progress = false;
        for (node, reply) in kernel.take_replies() {
            calls.runners[node as usize].answered(reply);
            has_progress = true;
        }
        match progress {
            Progress::Stalled(node) => calls.needed = Some(node),
            _ if has_progress => {}
            // A program with calls left can make its next call at any time; the kernel has only not fetched it.
            _ => {
                let idle = calls.runners.iter().zip(&kernel.nodes).position(|(runner, node)| {
                    let is_waiting = runner.finished || runner.asked.is_some();
                    !is_waiting
                        && node.calls.is_empty()
                        && matches!(node.state, NodeState::Idle | NodeState::Dead)
                });
                let Some(node) = idle else { break };
                calls.needed = Some(node as NodeId);
                kernel.runnable.push(node as NodeId);
            }
        }
    }
    let carried_out = calls.carried_out;
    let replies = calls.runners.into_iter().map(|runner| runner.replies).collect();
    let outcomes = kernel.outcomes();
    let finished = outcomes.nodes.into_iter().map(|node| node.finished).collect();
    RunResult { replies, finished, transfers: outcomes.trace.transfers, carried_out }
}

/// A machine, the unit of time intervals in its programs, and whether nodes die.
pub(crate) struct Case {
    pub(crate) machine: MachineSpec,
    pub(crate) unit: Span,
    pub(crate) has_deaths: bool,
}

/// The name of a ring of four nodes whose links have latencies of their own.
const LATENCIES: &str = "latencies";

fn topology_of(name: &str) -> Arc<dyn Topology> {
    if name != LATENCIES {
        return topology::parse(name).unwrap();
    }
    let links = [("0, 1", 65), ("1, 2", 0), ("2, 3", 50), ("3, 0", 65)];
    let table = |(between, micros)| format!("[[links]]\nbetween = [{between}]\nlatency = \"{micros} us\"\n");
    let text = links.into_iter().map(table).collect::<String>();
    Arc::new(Network::from_toml(name, &format!("nodes = 4\n{text}")).unwrap())
}

/// The machines of the tests, on which nearly all events tie.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, send, receive, active, latency, duplex, ports) in [
        ("line:4", 65, 65, 65, 0, 2.0, 1),
        ("line:6", 0, 0, 0, 0, 2.0, 1),
        ("line:3", 65, 0, 0, 0, 1.0, 1),
        ("ring:4", 0, 65, 65, 0, 2.0, 1),
        ("mesh:2x2", 0, 0, 0, 0, 2.0, 64),
        ("hypercube:4", 65, 65, 0, 65, 1.5, 1),
        ("complete:3", 1, 1, 1, 1, 2.0, 1),
        ("line:4", 65, 65, 65, 0, 2.0, 2),
        ("complete:4", 0, 65, 0, 0, 1.5, 3),
        ("line:5", 0, 0, 65, 65, 2.0, 2),
        (LATENCIES, 65, 0, 65, 0, 2.0, 1),
    ] {
        for (beta, exchange, unexpected) in [(0.0, 0, 0), (50e-9, 0, 0), (50e-9, 65, 0), (50e-9, 65, 50)] {
            let micros = Span::from_micros;
            let parameters = Parameters::builder()
                .send_overhead(f64::from(send) * 1e-6)
                .receive_overhead(f64::from(receive) * 1e-6)
                .active_overheads(f64::from(active) * 1e-6, f64::from(active) * 1e-6)
                .latency(f64::from(latency) * 1e-6)
                .duplex(duplex)
                .ports(ports)
                .exchange_overhead(f64::from(exchange) * 1e-6)
                .unexpected_overhead(f64::from(unexpected) * 1e-6)
                .unexpected_copy(f64::from(unexpected) * 1e-9)
                .barrier([0.0, 50e-6][usize::from(exchange > 0)])
                .beta(beta)
                .build()
                .unwrap();
            let unit = micros([1, 65, 50][cases.len() % 3]);
            let machine = MachineSpec::new(name, topology_of(name), parameters);
            let noise = Noise::new(micros(100), micros(50)).unwrap().first(micros(50));
            let fault = |text: &str| text.parse().unwrap();
            let links =
                Faults::new([fault("slow:0-1:0.5@50us"), fault("dead:1->0@100us"), fault("dead:0-1@130us")]);
            let first_death = ["node:1@65us", "node:1@100us", "node:1@0us"][cases.len() / 15 % 3];
            let deaths = Faults::new([fault(first_death), fault("node:0@130us")]);
            let faulty = |faults: Faults| machine.clone().with_faults(faults).unwrap();
            let disturbed = [
                machine.clone(),
                machine.clone().with_noise(noise),
                faulty(links.clone()),
                faulty(links.detours(false)),
                faulty(deaths),
            ];
            for (nth, machine) in disturbed.into_iter().enumerate() {
                let has_deaths = nth == 4;
                for from in [None, Some(0), Some(8)] {
                    let machine = match from {
                        Some(from) => machine.clone().with_rendezvous(from),
                        None => machine.clone(),
                    };
                    cases.push(Case { machine, unit, has_deaths });
                }
            }
        }
    }
    cases
}

/// Describes what is wrong with the results of programs on a machine, if anything.
fn wrong(case: &Case, programs: &[Vec<Step>], orders: u64) -> Option<String> {
    let result = run(&case.machine, programs, 0);
    if !case.has_deaths {
        let due = Reference::run(&case.machine, programs);
        if result != due {
            return Some(difference(("due", &due), ("kernel", &result)));
        }
    }
    let other = (1..orders).map(|seed| run(&case.machine, programs, seed)).find(|other| *other != result)?;
    Some(difference(("in one order", &result), ("in another", &other)))
}

/// Describes the first difference of two results.
fn difference((one, a): (&str, &RunResult), (other, b): (&str, &RunResult)) -> String {
    for (node, (ours, theirs)) in a.replies.iter().zip(&b.replies).enumerate() {
        if ours != theirs {
            let at = ours.iter().zip(theirs).take_while(|(ours, theirs)| ours == theirs).count();
            return format!(
                "reply {at} of node {node}: {one} {:?}, {other} {:?}",
                ours.get(at),
                theirs.get(at)
            );
        }
    }
    let text = |name: &str, result: &RunResult| {
        format!("{name} {:?} {:?} {:?}", result.finished, result.transfers, result.carried_out)
    };
    format!("{}, {}", text(one, a), text(other, b))
}

/// Removes the steps of programs that are not needed to reproduce a wrong result.
fn reduced(case: &Case, mut programs: Vec<Vec<Step>>, orders: u64) -> Vec<Vec<Step>> {
    loop {
        let places =
            programs.iter().enumerate().flat_map(|(node, steps)| (0..steps.len()).map(move |at| (node, at)));
        let smaller = places.collect::<Vec<_>>().into_iter().find_map(|(node, at)| {
            let mut fewer = programs.clone();
            fewer[node].remove(at);
            wrong(case, &fewer, orders).is_some().then_some(fewer)
        });
        match smaller {
            Some(fewer) => programs = fewer,
            None => return programs,
        }
    }
}

/// Runs random programs on each machine, each in several orders; returns the number of programs with a wrong result, and a description of
/// the first of them.
fn search(seeds: std::ops::Range<u64>, orders: u64) -> (u64, Option<String>) {
    let (mut found, mut first) = (0, None);
    for (at, case) in cases().iter().enumerate() {
        for seed in seeds.clone() {
            let mut chance = ChaCha8Rng::seed_from_u64(seed << 16 | at as u64);
            let programs = random(&mut chance, case.machine.nodes() as u32, case.unit);
            if wrong(case, &programs, orders).is_some() {
                found += 1;
                first.get_or_insert_with(|| {
                    let programs = reduced(case, programs, orders);
                    let programs_text: String =
                        programs.iter().map(|steps| format!("  {steps:?}\n")).collect();
                    let wrong = wrong(case, &programs, orders).unwrap_or_default();
                    format!("{:?}:\n{programs_text}{wrong}", case.machine)
                });
            }
        }
    }
    (found, first)
}

/// Returns the number of random programs for each machine. With `MULTICOMPUTER_TESTS=long` there are about three million programs in all.
fn programs_each() -> u64 {
    match std::env::var("MULTICOMPUTER_TESTS").as_deref() {
        Ok("long") => 7000,
        Ok("full") => 100,
        _ => 20,
    }
}

#[test]
fn results_follow_the_order_of_simultaneous_events() {
    let (found, first) = search(0..programs_each(), 10);
    assert_eq!(found, 0, "programs with a wrong result, the first of them: {}", first.unwrap_or_default());
}
