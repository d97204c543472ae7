//! Tests that a run has one result under every schedule of the threads, on programs where nearly everything ties.
//!
//! Random programs on machines without latency, and with no start-ups or equal ones, send empty messages and messages
//! of one length to each other and to themselves, and use all calls that look at messages. The next step of a program
//! may depend on the source of its last message. Each program is run many times, and every time the kernel learns of
//! the calls in another order: some calls before it asks for them, others only when it cannot go on without them. The same
//! goes for machines with rendezvous, where what a node receives decides when others go on.

use std::collections::VecDeque;

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::wire::{Parcel, RequestId, Selector};
use crate::{model::Parameters, rank::Tag, topology};

/// One step of a node's program.
#[derive(Clone, Debug)]
enum Step {
    Send {
        to: NodeId,
        bytes: u64,
    },
    Isend {
        to: NodeId,
        bytes: u64,
    },
    Active {
        to: NodeId,
    },
    SendRecv {
        to: NodeId,
        bytes: u64,
        from: Option<NodeId>,
    },
    Recv {
        from: Option<NodeId>,
    },
    Irecv {
        from: Option<NodeId>,
    },
    RecvUntil {
        from: Option<NodeId>,
        after: Span,
    },
    Probe {
        from: Option<NodeId>,
        blocking: bool,
    },
    /// Waits for the oldest request that has not been waited for.
    Wait,
    /// Waits for the first of all such requests.
    WaitAny {
        after: Option<Span>,
    },
    /// Tests the newest of them.
    Test,
    /// Withdraws the oldest receive among them.
    Withdraw,
    /// Forgets the newest receive among them.
    Forget,
    Compute(Span),
    Now,
    /// Sends to the source of the last message.
    Answer {
        bytes: u64,
    },
}

/// A random program for each node.
fn programs(random: &mut impl Rng, nodes: u32, unit: Span) -> Vec<Vec<Step>> {
    let step = |random: &mut dyn Rng| {
        let to = random.random_range(0..nodes);
        let from = random.random_bool(0.3).then(|| random.random_range(0..nodes));
        let bytes = if random.random_bool(0.8) { 0 } else { 8 };
        let after = unit.times(random.random_range(0..4));
        match random.random_range(0..24) {
            0..4 => Step::Send { to, bytes },
            4..8 => Step::Isend { to, bytes },
            8 => Step::Active { to },
            9 => Step::SendRecv { to, bytes, from },
            10 => Step::Recv { from },
            11..14 => Step::Irecv { from },
            14 => Step::RecvUntil { from, after },
            15 => Step::Probe { from, blocking: random.random_bool(0.3) },
            16 => Step::Wait,
            17 => Step::WaitAny { after: random.random_bool(0.6).then_some(after) },
            18 => Step::Test,
            19 => {
                if random.random_bool(0.6) {
                    Step::Withdraw
                } else {
                    Step::Forget
                }
            }
            20 => Step::Compute(after),
            21 => Step::Now,
            _ => Step::Answer { bytes: if random.random_bool(0.5) { 0 } else { 8 } },
        }
    };
    (0..nodes)
        .map(|_| {
            let length = random.random_range(1..9);
            (0..length).map(|_| step(random)).collect()
        })
        .collect()
}

/// A node in the middle of its program.
#[derive(Default)]
struct Runner {
    steps: VecDeque<Step>,
    /// The requests that have not been waited for, and for each whether it is a receive.
    open: Vec<(RequestId, bool)>,
    /// The last call, while its reply is missing.
    asked: Option<Asked>,
    next_request: RequestId,
    clock: Time,
    last_source: NodeId,
    finished: bool,
    story: Vec<Reply>,
}

/// A call whose reply the program needs before it goes on.
struct Asked {
    requests: Vec<RequestId>,
}

impl Runner {
    /// The next call, if the program can make one without a missing reply.
    fn next(&mut self) -> Option<Op> {
        if self.finished || self.asked.is_some() {
            return None;
        }
        let select = |from: Option<NodeId>| Selector { context: 0, source: from, tag: None };
        let parcel = |target: NodeId, bytes: u64, active: bool| Parcel {
            target,
            context: u32::from(active),
            tag: Tag(0),
            bytes,
            active,
        };
        let mut requests = Vec::new();
        let op = loop {
            let Some(step) = self.steps.pop_front() else {
                self.finished = true;
                return Some(Op::Finish);
            };
            break match step {
                Step::Send { to, bytes } => Op::Send { parcel: parcel(to, bytes, false), request: None },
                Step::Answer { bytes } => {
                    Op::Send { parcel: parcel(self.last_source, bytes, false), request: None }
                }
                Step::Active { to } => Op::Send { parcel: parcel(to, 16, true), request: None },
                Step::Isend { to, bytes } => {
                    let request = self.open(false);
                    Op::Send { parcel: parcel(to, bytes, false), request: Some(request) }
                }
                Step::SendRecv { to, bytes, from } => {
                    Op::SendRecv { parcel: parcel(to, bytes, false), select: select(from) }
                }
                Step::Recv { from } => Op::Recv { select: select(from), request: None },
                Step::Irecv { from } => {
                    let request = self.open(true);
                    Op::Recv { select: select(from), request: Some(request) }
                }
                Step::RecvUntil { from, after } => {
                    Op::RecvUntil { select: select(from), deadline: self.clock + after }
                }
                Step::Probe { from, blocking } => Op::Probe { select: select(from), blocking },
                Step::Wait if !self.open.is_empty() => Op::Wait { request: self.open.remove(0).0 },
                Step::WaitAny { after } if !self.open.is_empty() => {
                    requests = self.open.iter().map(|&(request, _)| request).collect();
                    let deadline = after.map_or(Time::MAX, |after| self.clock + after);
                    Op::WaitAny(AnyOf { requests: requests.clone().into(), deadline, computing: false })
                }
                Step::Test if !self.open.is_empty() => {
                    let newest = self.open[self.open.len() - 1].0;
                    requests.push(newest);
                    Op::Test { request: newest }
                }
                Step::Withdraw => match self.open.iter().position(|&(_, receives)| receives) {
                    Some(at) => Op::Withdraw { request: self.open.remove(at).0 },
                    None => continue,
                },
                Step::Forget => match self.open.iter().rposition(|&(_, receives)| receives) {
                    Some(at) => Op::Forget { request: self.open.remove(at).0 },
                    None => continue,
                },
                Step::Compute(span) => Op::Compute { span },
                Step::Now => Op::Now,
                Step::Wait | Step::WaitAny { .. } | Step::Test => continue,
            };
        };
        // As on node threads: the program does not wait for replies that do not depend on time. The source of a
        // message is a reply, too.
        let told = matches!(
            op,
            Op::Send { .. }
                | Op::Compute { .. }
                | Op::Withdraw { .. }
                | Op::Forget { .. }
                | Op::Recv { request: Some(_), .. }
        );
        if !told {
            self.asked = Some(Asked { requests });
        }
        Some(op)
    }

    fn open(&mut self, receives: bool) -> RequestId {
        let request = self.next_request;
        self.next_request += 1;
        self.open.push((request, receives));
        request
    }

    fn answered(&mut self, reply: Reply) {
        let Some(Asked { requests }) = self.asked.take() else { return };
        self.clock = reply.clock;
        self.story.push(reply);
        let received = match reply.outcome {
            Outcome::Received(id) => Some(id),
            Outcome::Completed { index, received } => {
                self.open.retain(|&(request, _)| request != requests[index]);
                received
            }
            _ => None,
        };
        if let Some(id) = received {
            self.last_source = id.source;
        }
    }
}

/// The programs as a source of calls: the kernel learns of a call at random, or when it needs it.
struct Programs<'a, R> {
    runners: Vec<Runner>,
    chance: &'a mut R,
    /// The probability that a call is known before it is needed.
    eagerness: f64,
    needed: Option<NodeId>,
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
}

/// The visible result of a run: the replies that each program got, the times at which the programs ended, and the messages.
type Story = (Vec<Vec<Reply>>, Vec<Time>, Vec<Transfer>);

fn run(machine: &Description, programs: &[Vec<Step>], seed: u64) -> Story {
    let mut chance = ChaCha8Rng::seed_from_u64(seed);
    let eagerness = [0.0, 0.2, 0.5, 0.8, 1.0 - 1e-9][(seed % 5) as usize];
    let runner = |steps: &Vec<Step>| Runner { steps: steps.iter().cloned().collect(), ..Runner::default() };
    let runners = programs.iter().map(runner).collect();
    let mut calls = Programs { runners, chance: &mut chance, eagerness, needed: None };
    let mut kernel = Kernel::new(machine, true);
    loop {
        let progress = kernel.advance(Time::MAX, &mut calls);
        let mut news = false;
        for (node, reply) in kernel.take_replies() {
            calls.runners[node as usize].answered(reply);
            news = true;
        }
        match progress {
            Progress::Stalled(node) => calls.needed = Some(node),
            _ if news => {}
            // Programs that have calls left can make them any time: the kernel has only not asked again.
            _ => {
                let idle = (0..calls.runners.len()).find(|&node| {
                    kernel.nodes[node].calls.is_empty() && matches!(kernel.nodes[node].doing, Doing::Idle)
                });
                let Some(node) = idle else { break };
                calls.needed = Some(node as NodeId);
                kernel.runnable.push(node as NodeId);
            }
        }
    }
    let stories = calls.runners.into_iter().map(|runner| runner.story).collect();
    let outcomes = kernel.outcomes();
    (stories, outcomes.nodes.into_iter().map(|node| node.finished).collect(), outcomes.trace.transfers)
}

/// The machines, on which nearly everything ties.
fn machines() -> Vec<Description> {
    let mut machines = Vec::new();
    for (name, send, receive, latency, duplex, ports) in [
        ("line:4", 65e-6, 65e-6, 0.0, 2.0, 1),
        ("line:4", 0.0, 0.0, 0.0, 2.0, 1),
        ("line:3", 65e-6, 0.0, 0.0, 1.0, 1),
        ("ring:4", 0.0, 65e-6, 0.0, 2.0, 1),
        ("hypercube:4", 65e-6, 65e-6, 65e-6, 1.5, 1),
        ("complete:3", 1e-6, 1e-6, 1e-6, 2.0, 1),
        ("line:4", 65e-6, 65e-6, 0.0, 2.0, 2),
        ("complete:4", 0.0, 65e-6, 0.0, 1.5, 3),
    ] {
        for beta in [0.0, 50e-9] {
            for exchange in [0.0, 65e-6] {
                let parameters = Parameters::builder()
                    .send_overhead(send)
                    .receive_overhead(receive)
                    .latency(latency)
                    .duplex(duplex)
                    .ports(ports)
                    .exchange_overhead(exchange)
                    .beta(beta)
                    .build()
                    .unwrap();
                let machine = Description::new(name, topology::parse(name).unwrap(), parameters);
                machines.extend([
                    machine.clone(),
                    machine.clone().with_rendezvous(0),
                    machine.with_rendezvous(8),
                ]);
            }
        }
    }
    machines
}

/// Runs `programs_each` random programs on each machine, each `runs_each` times; returns the number of programs with
/// more than one result, and a description of the first of them.
fn search(programs_each: u64, runs_each: u64) -> (u64, Option<String>) {
    let (mut torn, mut first) = (0, None);
    for (at, machine) in machines().iter().enumerate() {
        let unit = Span::from_secs_f64(machine.parameters().send_overhead().as_secs_f64().max(1e-6));
        for seed in 0..programs_each {
            let mut random = ChaCha8Rng::seed_from_u64(seed << 8 | at as u64);
            let programs = programs(&mut random, machine.nodes() as u32, unit);
            let story = run(machine, &programs, 0);
            let other = (1..runs_each)
                .map(|run_seed| run(machine, &programs, run_seed))
                .find(|other| *other != story);
            if let Some(other) = other {
                torn += 1;
                first.get_or_insert_with(|| {
                    format!(
                        "{} {:?}: {programs:#?}\n{story:#?}\n{other:#?}",
                        machine.name(),
                        machine.parameters()
                    )
                });
            }
        }
    }
    (torn, first)
}

#[test]
fn ties_do_not_depend_on_when_calls_become_known() {
    let (torn, first) = search(300, 20);
    assert_eq!(torn, 0, "programs with several stories, the first of them: {}", first.unwrap_or_default());
}
