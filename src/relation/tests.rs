//! Tests that every schedule from a related problem solves the original problem.

use proptest::{prelude::*, sample::Index};

use crate::{
    collective::{Operation, Task},
    model::{
        MachineSpec,
        arbitrary::{parameters, topologies},
    },
    plan::Related,
    s_to_p::Instance,
};

fn machines() -> impl Strategy<Value = MachineSpec> {
    (topologies(4), parameters(0.3))
        .prop_map(|(topology, parameters)| MachineSpec::new("any", topology, parameters))
}

fn lengths() -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec(prop_oneof![2 => Just(0_u64), 1 => 1..100_u64, 1 => 100..30_000_u64], 1..6)
}

/// Checks some of the variants from related problems.
fn check<P: Related>(problem: &P, which: &[Index]) -> Result<(), TestCaseError> {
    let mut variants = problem.equal();
    variants.extend(problem.wider());
    if variants.is_empty() {
        return Ok(());
    }
    for which in which {
        let variant = which.get(&variants);
        let Ok(draft) = variant.draft(problem) else { continue };
        let delivered = problem.check_delivery(&draft);
        prop_assert!(delivered.is_ok(), "{}: {}", variant.name(), delivered.unwrap_err());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn collective_operations_are_delivered(
        machine in machines(),
        operation in prop::sample::select(Operation::ALL.to_vec()),
        (root, lengths, is_single) in (any::<Index>(), lengths(), any::<bool>()),
        (element, is_in_order) in (prop::sample::select(vec![1_u64, 8]), any::<bool>()),
        which in prop::collection::vec(any::<Index>(), 8),
    ) {
        let nodes = machine.nodes();
        let root = root.index(nodes);
        let length = |rank: usize| if is_single && rank != root { 0 } else { lengths[rank % lengths.len()] };
        let task = Task::builder(&machine, operation)
            .element_bytes(element)
            .in_order(is_in_order)
            .root(if operation.has_root() { root } else { 0 })
            .blocks((0..nodes).map(length).collect::<Vec<u64>>());
        check(&task.build().expect("a task"), &which)?;
    }

    #[test]
    fn s_to_p_broadcasts_are_delivered(
        machine in machines(),
        (sources, lengths) in (prop::collection::vec(any::<Index>(), 1..12), lengths()),
        which in prop::collection::vec(any::<Index>(), 8),
    ) {
        let mut sources: Vec<usize> = sources.iter().map(|source| source.index(machine.nodes())).collect();
        sources.sort_unstable();
        sources.dedup();
        sources.reverse();
        let lengths: Vec<u64> = (0..sources.len()).map(|source| lengths[source % lengths.len()]).collect();
        check(&Instance::new(&machine, &sources, &lengths).expect("an instance"), &which)?;
    }
}
