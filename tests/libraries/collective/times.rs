//! What operations take: a run takes what its plan says, to the last picosecond, and never less than the lower bound.

use std::sync::Arc;

use multicomputer::{
    Payload,
    collective::{Algorithm, Collective, CollectiveError, Job, Operation, Sum, Task, associative},
    model::{MachineSpec, Parameters},
    topology::Mesh,
};
use proptest::prelude::*;

use super::*;

/// An operation among some nodes of a machine.
#[derive(Clone, Debug)]
struct Call {
    machine: MachineSpec,
    members: Vec<Rank>,
    operation: Operation,
    root: Rank,
    blocks: Vec<u64>,
    element: u64,
    in_order: bool,
}

fn parameters() -> impl Strategy<Value = Parameters> {
    let time = || prop_oneof![Just(0.0), 1e-6..100e-6];
    let times = (time(), time(), time(), time(), time(), time());
    let ports = (1.0..=2.0, prop_oneof![2 => Just(1), 1 => 2..5_u32]);
    (times, prop_oneof![Just(0.0), 1e-9..100e-9], ports, 0.3..8.0, 0.0..1e-6, 0.0..10e-9).prop_map(
        |((send, receive, latency, hop, exchange, call), beta, (duplex, ports), excess, gamma, copy)| {
            let parameters = Parameters::builder()
                .send_overhead(send)
                .receive_overhead(receive)
                .latency(latency)
                .hop(hop / 50.0)
                .exchange_overhead(exchange)
                .call_overhead(call)
                .beta(beta)
                .duplex(duplex)
                .ports(ports)
                .link_excess(excess)
                .gamma(gamma)
                .copy(copy);
            parameters.build().unwrap()
        },
    )
}

fn calls() -> impl Strategy<Value = Call> {
    let grid = (1..5_usize, 1..6_usize);
    let presets = prop_oneof![Just(Parameters::paragon()), Just(Parameters::hockney()), parameters()];
    (grid, presets, prop::sample::select(&Operation::ALL[..]), any::<prop::sample::Index>()).prop_flat_map(
        |((rows, columns), parameters, operation, root)| {
            let mesh = Arc::new(Mesh::new(rows, columns).unwrap());
            let machine = MachineSpec::new("a mesh", mesh, parameters);
            let nodes: Vec<Rank> = (0..rows * columns).collect();
            let members = prop_oneof![
                Just(nodes.clone()),
                prop::sample::subsequence(nodes, 1..=rows * columns).prop_shuffle()
            ];
            members.prop_flat_map(move |members| {
                let length = prop_oneof![Just(0_u64), Just(1), 0..50_u64, 0..4000_u64];
                let block = prop_oneof![Just(0_u64), Just(1), 0..300_u64];
                let size = members.len();
                let blocks = prop_oneof![
                    length.prop_map(move |n| {
                        (0..size as u64)
                            .map(|rank| n * (rank + 1) / size as u64 - n * rank / size as u64)
                            .collect()
                    }),
                    prop::collection::vec(block, size)
                ];
                let rest = (blocks, prop::sample::select(&[1_u64, 8][..]), any::<bool>());
                let (machine, root) = (machine.clone(), root.index(size));
                rest.prop_map(move |(blocks, element, in_order): (Vec<u64>, u64, bool)| Call {
                    machine: machine.clone(),
                    members: members.clone(),
                    operation,
                    root,
                    blocks,
                    element,
                    in_order,
                })
            })
        },
    )
}

impl Call {
    fn total(&self) -> u64 {
        self.blocks.iter().sum()
    }

    fn task(&self) -> Task {
        let task = Task::builder(&self.machine, self.operation)
            .members(&self.members[..])
            .root(self.root)
            .element_bytes(self.element)
            .in_order(self.in_order);
        let task = if self.operation.has_blocks() {
            task.blocks(&self.blocks[..])
        } else {
            task.elements(self.total())
        };
        task.build().unwrap()
    }

    /// Carries it out on phantom payloads and nothing else, and returns when each member is done.
    fn run(&self, algorithm: &Algorithm) -> (Run<()>, Vec<Time>) {
        let machine = Machine::builder(self.machine.clone())
            .wall_limit(PATIENCE)
            .deny_unreceived(true)
            .build()
            .unwrap();
        let run = machine.run(|node| {
            let Some(rank) = self.members.iter().position(|&member| member == node.rank()) else {
                return Ok(());
            };
            let group = node.world().subgroup(&self.members)?;
            let got = match self.element {
                1 => self.on::<u8>(&group.using(algorithm), rank),
                _ => self.on::<u64>(&group.using(algorithm), rank),
            };
            Ok(drop(got?))
        });
        let run = run.unwrap();
        let finished = self.members.iter().map(|&node| run.report.nodes[node].finished).collect();
        (run, finished)
    }

    fn on<T>(&self, group: &impl Collective, rank: Rank) -> Result<Payload, CollectiveError>
    where
        T: multicomputer::Element + Send + std::ops::Add<Output = T>,
    {
        let request = if self.operation.has_blocks() {
            let blocks: Vec<usize> = self.blocks.iter().map(|&block| block as usize).collect();
            Job::of::<T>(self.operation, self.root, &blocks)
        } else {
            Job::of::<T>(self.operation, self.root, self.total() as usize)
        };
        let elements = match self.operation {
            Operation::Broadcast | Operation::Scatter if rank != self.root => 0,
            Operation::Gather | Operation::AllGather => self.blocks[rank],
            _ => self.total(),
        };
        let mine = Payload::phantom(elements * self.element);
        match (self.operation.combines(), self.in_order) {
            (false, _) => group.carry_out(&request, mine),
            (true, false) => group.combine::<T>(&request, mine, &Sum),
            (true, true) => group.combine::<T>(&request, mine, &associative(|left: T, _: T| left)),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    /// With every named algorithm that works, the run ends when the plan says, on every member; and none ends
    /// before the lower bound, but for the rounding of each message.
    #[test]
    fn a_run_takes_what_its_plan_says_and_no_less_than_the_bound(call in calls()) {
        let task = call.task();
        let bound = task.lower_bound().time();
        for algorithm in &Algorithm::of(call.operation) {
            let Ok(plan) = algorithm.plan(&task) else {
                // There is nothing to pipeline for less than three ranks, nor with less than two elements. Some members
                // are no hypercube, or no rectangle.
                let is_cut = call.members.len() > 2 && call.total() > 1;
                let is_pipelined = [Algorithm::BLOCKS, Algorithm::PIPELINE].contains(algorithm);
                let is_cube = call.members.len().is_power_of_two();
                let may_refuse = match algorithm.name() {
                    "edst" => !is_cut || !is_cube,
                    "swing" | "bine" => !is_cube || call.members.len() < 4,
                    "trivance" => ![9, 27].contains(&call.members.len()),
                    "multiplying" => call.members.len() < 3,
                    "alternating" => true,
                    // Blocks may be about as long as each other.
                    "apart" => true,
                    "sources" => call.total() == 0,
                    // There is nothing to compose for one rank, nor of blocks that are all empty but one.
                    "composed" => call.members.len() < 2 || call.operation.has_blocks(),
                    "chains" => call.members.len() < 2 || call.total() < 2,
                    // It is for long vectors on networks that are no grid.
                    "forest" => true,
                    _ => is_pipelined && !is_cut,
                };
                prop_assert!(call.in_order || may_refuse, "{algorithm:?}");
                continue;
            };
            let prediction = plan.prediction();
            let (run, finished) = call.run(algorithm);
            prop_assert_eq!(&finished, &prediction.finished, "{} by {}", call.operation, plan.name());
            prop_assert_eq!(run.report.makespan, prediction.modeled);
            let modeled = run.report.makespan.since_start() + Span::from_picos(run.report.messages);
            prop_assert!(modeled >= bound, "{} by {}: {modeled} < {bound}", call.operation, plan.name());
        }
    }
}

#[test]
fn a_plan_is_used_again_and_takes_the_same_time_every_run() {
    for operation in Operation::ALL {
        let machine: MachineSpec = "paragon:3x5".parse().unwrap();
        let blocks: Vec<u64> = (0..15).map(|rank| rank * 37 % 64).collect();
        let members = (0..15).collect();
        let call = Call { machine, members, operation, root: 7, blocks, element: 8, in_order: false };
        let plan = Algorithm::AUTO.plan(&call.task()).unwrap();
        let times = || call.run(&Algorithm::AUTO).1;
        assert_eq!(
            (times(), times()),
            (plan.prediction().finished.clone(), plan.prediction().finished.clone())
        );

        // One machine: the first run makes the plan, the others find it.
        let machine = Machine::builder(call.machine.clone()).build().unwrap();
        let program = |node: &Node<'_>| {
            let mut ends = Vec::new();
            for _ in 0..3 {
                call.on::<u64>(node.world(), node.rank())?;
                node.world().barrier()?;
                ends.push(node.now()?);
            }
            Ok(ends)
        };
        let (first, second) = (machine.run(program).unwrap(), machine.run(program).unwrap());
        assert_eq!(first.outputs, second.outputs, "{operation}");
        assert_eq!(first.report.makespan, second.report.makespan);
    }
}
