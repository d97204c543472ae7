//! Laws of *Auto*: equal problems take the same time in other words, and what wants less takes no longer than what wants more
//! (Träff, Gropp, Thakur, "Self-consistent MPI performance guidelines", IEEE TPDS 21(5), 2010).

use multicomputer::{
    Machine, Time,
    collective::{self, Operation, Task, TaskBuilder, associative, commutative},
    comm::Node,
    model::MachineSpec,
    plan::Plan,
    s_to_p::{self, Instance},
};
use proptest::{prelude::*, sample::Index};

use crate::support;

/// Maximum ratio of two times that should be equal, or of the time of less to the time of more.
const EXACT: f64 = 1.0;
/// Parts of a split, and of two operations in a row, are searched in an order that depends on lower bounds.
const SPLIT: f64 = 1.01;

fn machines() -> impl Strategy<Value = MachineSpec> {
    let networks = prop::sample::select(vec![
        "line:7",
        "ring:9",
        "complete:12",
        "hypercube:16",
        "mesh:3x5",
        "torus:4x4",
        "paragon:3x4",
        "cm5:10",
        "tpu-v5p:2x2x4",
        "h100-cluster:2",
        "dragonfly:3x2x2",
        "tree:7",
    ]);
    let placement = prop_oneof![2 => Just("identity"), 1 => Just("random:7")];
    (networks, prop::sample::select(vec![0_u32, 2, 4]), placement).prop_map(|(name, ports, placement)| {
        let machine: MachineSpec = name.parse().unwrap();
        let machine = if ports > 0 { machine.with_ports(ports).unwrap() } else { machine };
        machine.with_placement(placement.parse().unwrap()).unwrap()
    })
}

fn lengths() -> impl Strategy<Value = u64> {
    prop_oneof![1..64_u64, 64..4096_u64, 4096..200_000_u64]
}

fn task(machine: &MachineSpec, operation: Operation, root: usize, blocks: &[u64]) -> TaskBuilder {
    Task::builder(machine, operation).root(root).blocks(blocks)
}

fn planned(task: TaskBuilder) -> Plan<Task> {
    collective::Algorithm::AUTO.plan(&task.build().unwrap()).unwrap()
}

fn collective(machine: &MachineSpec, operation: Operation, root: usize, blocks: &[u64]) -> Time {
    planned(task(machine, operation, root, blocks)).prediction().modeled
}

fn s_to_p(machine: &MachineSpec, sources: &[usize], lengths: &[u64]) -> Time {
    let instance = Instance::new(machine, sources, lengths).unwrap();
    s_to_p::Algorithm::AUTO.plan(&instance).unwrap().prediction().modeled
}

fn ratio(one: Time, other: Time) -> f64 {
    one.as_secs_f64() / other.as_secs_f64()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if support::is_long() { 250 } else { 15 }))]

    #[test]
    fn one_source_is_a_broadcast(machine in machines(), root in any::<Index>(), length in lengths()) {
        let (nodes, root) = (machine.nodes(), root.index(machine.nodes()));
        let broadcast = collective(&machine, Operation::Broadcast, root, &vec![length; nodes]);
        let bytes = length * nodes as u64;
        let single = ratio(s_to_p(&machine, &[root], &[bytes]), broadcast);
        prop_assert!(single == EXACT, "s-to-p takes {single} times as long");
        let blocks: Vec<u64> = (0..nodes).map(|rank| if rank == root { bytes } else { 0 }).collect();
        let all_gather = ratio(collective(&machine, Operation::AllGather, 0, &blocks), broadcast);
        prop_assert!(all_gather == EXACT, "an all-gather takes {all_gather} times as long");
    }

    #[test]
    fn all_sources_are_a_collect(
        machine in machines(),
        lengths in prop::collection::vec(lengths(), 1..4),
    ) {
        let blocks: Vec<u64> = (0..machine.nodes()).map(|rank| lengths[rank % lengths.len()]).collect();
        let sources: Vec<usize> = (0..machine.nodes()).collect();
        let all_gather = collective(&machine, Operation::AllGather, 0, &blocks);
        let ratio = ratio(s_to_p(&machine, &sources, &blocks), all_gather);
        let most = if lengths.len() == 1 { EXACT } else { SPLIT };
        prop_assert!((1.0 / most..=most).contains(&ratio), "s-to-p takes {ratio} times as long");
    }

    #[test]
    fn less_takes_no_longer(
        machine in machines(),
        root in any::<Index>(),
        lengths in prop::collection::vec(lengths(), 1..4),
        is_in_order in any::<bool>(),
    ) {
        use Operation::{
            Broadcast, AllGather, AllReduce, Reduce, ReduceScatter, Gather, Scatter,
        };
        let root = root.index(machine.nodes());
        let blocks: Vec<u64> = (0..machine.nodes()).map(|rank| lengths[rank % lengths.len()]).collect();
        for (less, more) in [
            (Gather, AllGather),
            (Scatter, Broadcast),
            (Reduce, AllReduce),
            (ReduceScatter, AllReduce),
        ] {
            let [of_less, of_more] = [less, more].map(|operation| {
                let task = task(&machine, operation, root, &blocks).in_order(is_in_order);
                planned(task).prediction().modeled
            });
            prop_assert!(ratio(of_less, of_more) <= SPLIT, "{less} takes {of_less}, {more} {of_more}");
        }
    }

    #[test]
    fn one_operation_takes_no_longer_than_two_that_make_it(
        machine in machines(),
        root in any::<Index>(),
        length in lengths(),
        is_in_order in any::<bool>(),
    ) {
        use Operation::{
            Broadcast, AllGather, AllReduce, Reduce, ReduceScatter, Gather, Scatter,
        };
        let root = root.index(machine.nodes());
        for (product, first, next) in [
            (Broadcast, Scatter, AllGather),
            (Reduce, ReduceScatter, Gather),
            (AllReduce, ReduceScatter, AllGather),
        ] {
            let [product, first, next] = [product, first, next].map(|operation| {
                planned(Task::builder(&machine, operation).root(root).elements(length).in_order(is_in_order))
            });
            let left: fn(u8, u8) -> u8 = |left, _| left;
            let operator = if is_in_order { associative(left) } else { commutative(left) };
            let program = |node: &Node<'_>| {
                let world = node.world();
                let has_all = product.problem().operation() != Broadcast || node.rank() == root;
                let mine = vec![0_u8; if has_all { length as usize } else { 0 }];
                let block = match product.problem().operation() {
                    Broadcast => first.call(world, &mine)?,
                    _ => first.combine(world, &mine, &operator)?,
                };
                Ok(next.call(world, &block)?.len())
            };
            let run = Machine::builder(machine.clone()).build().unwrap().run(program).unwrap();
            let ratio = ratio(product.prediction().modeled, run.report.makespan);
            let [product, first, next] = [product, first, next].map(|plan| {
                format!("{} by {}", plan.problem().operation(), plan.name())
            });
            prop_assert!(ratio <= SPLIT, "{product} takes {ratio} times as long as {first}, then {next}");
        }
    }
}
