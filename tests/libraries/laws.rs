//! Laws of *Auto*: equal problems take the same time in other words, and what wants less takes no longer than what wants more
//! (Träff, Gropp, Thakur, "Self-consistent MPI performance guidelines", IEEE TPDS 21(5), 2010).

use multicomputer::{
    Time,
    collective::{self, Operation, Task},
    model::Description,
    stop::{self, Instance},
};
use proptest::{prelude::*, sample::Index};

use crate::support;

/// By so much times may differ: parts of a split are searched in an order that depends on lower bounds.
const EXACT: f64 = 1.0;
const SPLIT: f64 = 1.01;

fn machines() -> impl Strategy<Value = Description> {
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
        let machine: Description = name.parse().unwrap();
        let machine = if ports > 0 { machine.with_ports(ports).unwrap() } else { machine };
        machine.with_placement(placement.parse().unwrap()).unwrap()
    })
}

fn lengths() -> impl Strategy<Value = u64> {
    prop_oneof![1..64_u64, 64..4096_u64, 4096..200_000_u64]
}

fn collective(machine: &Description, operation: Operation, root: usize, blocks: Vec<u64>) -> Time {
    let task = Task::builder(machine, operation).root(root).blocks(blocks).build().unwrap();
    collective::Algorithm::AUTO.plan(&task).unwrap().prediction().modeled
}

fn s_to_p(machine: &Description, sources: &[usize], lengths: &[u64]) -> Time {
    let instance = Instance::new(machine, sources, lengths).unwrap();
    stop::Algorithm::AUTO.plan(&instance).unwrap().prediction().modeled
}

fn ratio(one: Time, other: Time) -> f64 {
    one.as_secs_f64() / other.as_secs_f64()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if support::is_long() { 250 } else { 15 }))]

    #[test]
    fn one_source_is_a_broadcast(machine in machines(), root in any::<Index>(), length in lengths()) {
        let (nodes, root) = (machine.nodes(), root.index(machine.nodes()));
        let broadcast = collective(&machine, Operation::Broadcast, root, vec![length; nodes]);
        let bytes = length * nodes as u64;
        let single = ratio(s_to_p(&machine, &[root], &[bytes]), broadcast);
        prop_assert!(single == EXACT, "s-to-p takes {single} times as long");
        let blocks = (0..nodes).map(|rank| if rank == root { bytes } else { 0 }).collect();
        let collect = ratio(collective(&machine, Operation::Collect, 0, blocks), broadcast);
        prop_assert!(collect == EXACT, "a collect takes {collect} times as long");
    }

    #[test]
    fn all_sources_are_a_collect(
        machine in machines(),
        lengths in prop::collection::vec(lengths(), 1..4),
    ) {
        let blocks: Vec<u64> = (0..machine.nodes()).map(|rank| lengths[rank % lengths.len()]).collect();
        let sources: Vec<usize> = (0..machine.nodes()).collect();
        let collect = collective(&machine, Operation::Collect, 0, blocks.clone());
        let ratio = ratio(s_to_p(&machine, &sources, &blocks), collect);
        let most = if lengths.len() == 1 { EXACT } else { SPLIT };
        prop_assert!((1.0 / most..=most).contains(&ratio), "s-to-p takes {ratio} times as long");
    }

    #[test]
    fn less_takes_no_longer(machine in machines(), root in any::<Index>(), length in lengths()) {
        let (nodes, root) = (machine.nodes(), root.index(machine.nodes()));
        for (less, more) in [
            (Operation::Gather, Operation::Collect),
            (Operation::CombineToOne, Operation::CombineToAll),
        ] {
            let [of_less, of_more] = [(less, root), (more, 0)]
                .map(|(operation, root)| collective(&machine, operation, root, vec![length; nodes]));
            prop_assert!(of_less <= of_more, "{less} takes {of_less}, {more} {of_more}");
        }
    }
}
