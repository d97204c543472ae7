//! Every algorithm on 1 to 33 nodes, with all roots and odd lengths, against what a loop over all ranks gives.

use super::*;
use crate::conformance::textbook::is_refused;

/// Bytes of a vector.
const LENGTHS: [u64; 4] = [0, 1, 7, 129];

/// Bytes of each rank's block: none, all the same, all different, some empty, all at one rank.
fn blocks(size: usize) -> [Vec<u64>; 6] {
    let ranks = 0..size as u64;
    [
        vec![0; size],
        vec![1; size],
        vec![9; size],
        ranks.clone().map(|rank| rank * 5 % 11 + 1).collect(),
        ranks.clone().map(|rank| if rank % 3 == 1 { 0 } else { rank * 7 % 17 }).collect(),
        ranks.map(|rank| if rank == size as u64 / 2 { 129 } else { 0 }).collect(),
    ]
}

/// The network that `size` nodes are on: all kinds take turns.
fn network(size: usize) -> MachineSpec {
    let rows = (1..=size).rev().find(|rows| rows * rows <= size && size.is_multiple_of(*rows)).unwrap();
    let columns = size / rows;
    match size % 6 {
        _ if size.is_power_of_two() => hockney(&format!("hypercube:{size}")),
        0 => hockney(&format!("mesh:{rows}x{columns}")),
        1 => hockney(&format!("ring:{size}")),
        2 => hockney(&format!("tree:{size}")),
        3 => hockney(&format!("torus:{rows}x{columns}")),
        4 => hockney(&format!("mesh:{columns}x{rows}")),
        _ => hockney(&format!("line:{size}")),
    }
}

/// The tasks of an algorithm among so many nodes: every root and length, or every choice of blocks.
fn tasks(algorithm: Algorithm, machine: &MachineSpec) -> Vec<Task> {
    let (size, operation) = (machine.nodes(), algorithm.operation());
    let builder = || Task::builder(machine, operation);
    if operation.has_blocks() {
        return blocks(size).map(|blocks| builder().blocks(blocks).build().unwrap()).into();
    }
    let roots = 0..size;
    let lengths = |root| LENGTHS.map(|bytes| builder().root(root).elements(bytes).build().unwrap());
    roots.flat_map(lengths).collect()
}

/// All cases among so many nodes are one run. What an algorithm does not do is refused, and only that.
fn check(sizes: impl Iterator<Item = usize>) {
    for size in sizes {
        let machine = network(size);
        assert_eq!(machine.nodes(), size);
        let mut cases = Vec::new();
        for &algorithm in Algorithm::ALL {
            for task in tasks(algorithm, &machine) {
                match Case::new(algorithm, &task, cases.len()) {
                    Ok(case) => {
                        assert!(!is_refused(algorithm, task.root(), size), "{algorithm} among {size}");
                        cases.push(case);
                    }
                    Err(PlanError::Restricted { algorithm: refusing, text, .. }) => {
                        assert!(is_refused(algorithm, task.root(), size), "{algorithm} among {size}: {text}");
                        assert_eq!(refusing, algorithm.to_string());
                    }
                    Err(other) => panic!("{algorithm} among {size}: {other}"),
                }
            }
        }
        run(&machine, |node| cases.iter().try_for_each(|case| case.check(node.world())));
    }
}

#[test]
fn all_algorithms_on_1_to_16_nodes() {
    check(1..=16);
}

#[test]
fn all_algorithms_on_17_to_25_nodes() {
    check(17..=25);
}

#[test]
fn all_algorithms_on_26_to_33_nodes() {
    check(26..=33);
}

#[test]
fn refusals_say_what_is_needed() {
    let refusal = |algorithm: Algorithm, network: &str, root: Rank| {
        let task = task(algorithm, &hockney(network), 8).root(root).build().unwrap();
        algorithm.plan(&task).unwrap_err().to_string()
    };
    assert_eq!(
        refusal(Algorithm::ONE_TO_ALL, "ring:8", 3),
        "`algorithm 4.1` does not apply to this broadcast: it needs rank 0 as the root (algorithm 4.2 takes any root)"
    );
    assert_eq!(
        refusal(Algorithm::HYPERCUBE_ALL_TO_ALL, "ring:12", 0),
        "`algorithm 4.7` does not apply to this all-gather: it needs a number of ranks that is a power of two (here: 12 ranks)"
    );
    assert_eq!(
        refusal(Algorithm::HYPERCUBE_REDUCTION, "ring:9", 0),
        "`algorithm 4.8` does not apply to this reduce-scatter: it needs a number of ranks that is a power of two (here: 9 ranks)"
    );
    // Every algorithm is one for its own operation.
    for &algorithm in Algorithm::ALL {
        for operation in Operation::ALL.into_iter().filter(|&operation| operation != algorithm.operation()) {
            let task = Task::builder(&hockney("ring:8"), operation).elements(8).build().unwrap();
            let refusal = algorithm.plan(&task).unwrap_err();
            let known = multicomputer::collective::Algorithm::of(operation)
                .iter()
                .map(|known| known.name().to_owned())
                .collect();
            let (algorithm, kind) = (algorithm.to_string(), operation.to_string());
            assert_eq!(refusal, PlanError::OtherKind { algorithm, kind, known });
        }
    }
}

#[test]
fn algorithms_are_found_by_their_names() {
    for &algorithm in Algorithm::ALL {
        assert_eq!(algorithm.name().parse(), Ok(algorithm));
        assert!(algorithm.section().starts_with("4.") && !algorithm.about().is_empty());
    }
    let numbered: Vec<&str> = Algorithm::ALL
        .iter()
        .map(|algorithm| algorithm.name())
        .filter(|name| name.starts_with('4'))
        .collect();
    assert_eq!(numbered, ["4.1", "4.2", "4.3", "4.4", "4.5", "4.6", "4.7", "4.8"], "all of the chapter");
}
