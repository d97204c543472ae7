//! Tests that the lower bounds of a schedule, before and during its prediction, never exceed its time.

use proptest::{prelude::*, sample::Index};

use super::super::{Operation, Task};
use crate::{
    model::{
        MachineSpec,
        arbitrary::{parameters, topologies},
    },
    plan::{Draft, predict::predict_among, split::Divisible},
    s_to_p::Instance,
    time::Time,
};

/// Machines of a few nodes, some of which use a rendezvous protocol.
fn machines() -> impl Strategy<Value = MachineSpec> {
    let presets = prop::sample::select(vec![
        "paragon:3x5",
        "delta:4x4",
        "ipsc860:16",
        "cm5:13",
        "t3d:2x3x2",
        "tpu-v5p:2x2x4",
        "h100-cluster:2",
        "lumi:1x1",
    ]);
    let preset = presets.prop_map(|name| name.parse::<MachineSpec>().expect("a machine"));
    let any = (topologies(5), parameters(0.3))
        .prop_map(|(topology, parameters)| MachineSpec::new("any", topology, parameters));
    let rendezvous = prop_oneof![3 => Just(None), 1 => Just(Some(0)), 1 => Just(Some(1000))];
    (prop_oneof![preset, any], rendezvous).prop_map(|(machine, rendezvous)| match rendezvous {
        Some(bytes) => machine.with_rendezvous(bytes),
        None => machine,
    })
}

/// Lengths that are all equal, or arbitrary.
fn lengths() -> impl Strategy<Value = Vec<u64>> {
    let length = || prop_oneof![Just(0_u64), 1..100_u64, 100..30_000_u64];
    prop_oneof![length().prop_map(|length| vec![length]), prop::collection::vec(length(), 2..9)]
}

/// Checks some of the variants: none is faster than its lower bound, and none is pruned when its own time is the limit.
fn check<P: Divisible>(problem: &P, which: &[Index]) -> Result<(), TestCaseError> {
    let variants = problem.unsplit_variants().expect("some work");
    for which in which {
        let variant = which.get(&variants);
        let Ok(draft) = variant.draft(problem) else { continue };
        let Some(schedule) = draft.schedule() else { continue };
        let predicted = |limit| predict_among(problem.machine(), problem.members(), schedule, limit);
        let whole = predicted(Time::MAX).expect("it ends");
        prop_assert!(
            variant.floor() <= whole.modeled.since_start(),
            "{}: {}, at least {}",
            variant.name(),
            whole.modeled,
            variant.floor()
        );
        prop_assert_eq!(predicted(whole.modeled), Some(whole), "{}", variant.name());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_bound_exceeds_the_time_of_a_collective(
        machine in machines(),
        operation in prop::sample::select(Operation::ALL.to_vec()),
        (root, lengths) in (any::<Index>(), lengths()),
        (element, is_in_order) in (prop::sample::select(vec![1_u64, 8]), any::<bool>()),
        which in prop::collection::vec(any::<Index>(), 6),
    ) {
        let nodes = machine.nodes();
        let task = Task::builder(&machine, operation).element_bytes(element).in_order(is_in_order);
        let task = if operation.has_root() { task.root(root.index(nodes)) } else { task };
        let task = if operation.has_blocks() {
            task.blocks((0..nodes).map(|rank| lengths[rank % lengths.len()]).collect::<Vec<u64>>())
        } else {
            task.elements(lengths.iter().sum())
        };
        check(&task.build().expect("a task"), &which)?;
    }

    #[test]
    fn no_bound_exceeds_the_time_of_an_s_to_p_broadcast(
        machine in machines(),
        (sources, lengths) in (prop::collection::vec(any::<Index>(), 1..20), lengths()),
        which in prop::collection::vec(any::<Index>(), 6),
    ) {
        let mut sources: Vec<usize> = sources.iter().map(|source| source.index(machine.nodes())).collect();
        sources.sort_unstable();
        sources.dedup();
        let lengths: Vec<u64> = (0..sources.len()).map(|source| lengths[source % lengths.len()]).collect();
        check(&Instance::new(&machine, &sources, &lengths).expect("an instance"), &which)?;
    }
}
