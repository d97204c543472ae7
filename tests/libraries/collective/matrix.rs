//! Collective operations, every algorithm on many groups, lengths, roots and operators, against what a loop over the
//! ranks gives.
//!
//! On lines of 1 to 33 nodes there is every operation with every algorithm; vectors of 0, 1, p - 1, p, p + 1 and
//! 1000 elements of 8 bytes and blocks of uneven lengths; roots at both ends and in the middle; a sum, a maximum,
//! and a product that does not commute. On some of them there are long vectors too. On 15 x 30 there is every
//! operation with every algorithm once for each of two lengths, with one root and one operator, and the paper's
//! strategies of more dimensions.
//!
//! That is so in full; see [`support::is_full`]. Otherwise there are half as many lines, those of [`support::sizes`], with
//! vectors of four of the six lengths; and 15 x 30 has only the longer of the two vectors.

use std::time::Duration;

use multicomputer::{
    Machine,
    collective::{Algorithm, Operation, Strategy},
    model::MachineSpec,
    prelude::*,
};

use crate::{
    conformance::collective::{Case, With, even, may_refuse},
    support,
};

const ALL_OPERATORS: [With; 3] = [With::Sum, With::Max, With::MatrixProduct];

/// All operations on vectors of these lengths, and on uneven blocks.
fn cases(size: usize, totals: &[usize], roots: &[Rank], operators: &[With]) -> Vec<Case> {
    let mut cases = Vec::new();
    for operation in Operation::ALL {
        let mut lengths: Vec<Vec<usize>> = totals.iter().map(|&total| even(total, size)).collect();
        if operation.has_blocks() {
            lengths.push((0..size).map(|rank| rank * rank * 7 % 5 * (rank % 3)).collect());
            // All with one rank.
            lengths.push((0..size).map(|rank| if rank == size / 2 { 5 } else { 0 }).collect());
        }
        let mut roots = if operation.has_root() { roots.to_vec() } else { vec![0] };
        roots.dedup();
        let operators = if operation.combines() { operators } else { &[With::Sum] };
        for blocks in lengths {
            for &root in &roots {
                for &with in operators {
                    cases.push(Case::new(operation, root, blocks.clone(), with));
                }
            }
        }
    }
    cases
}

/// Carries out all cases with the algorithms that `choose` gives for each.
fn check(machine: &Machine, cases: &[Case], choose: impl Fn(&Case) -> Vec<Algorithm> + Sync) -> usize {
    let all: Vec<(&Case, Vec<Algorithm>)> = cases.iter().map(|case| (case, choose(case))).collect();
    let run = machine.run(|node| {
        let mut done = 0;
        for (case, algorithms) in &all {
            for algorithm in algorithms {
                let works = case.check(node.world(), algorithm)?;
                assert!(works || may_refuse(algorithm, case), "{algorithm:?} does not do {case:?}");
                done += usize::from(works);
            }
        }
        Ok(done)
    });
    let run = run.unwrap_or_else(|error| panic!("{}: {error}", machine.spec().name()));
    assert!(run.outputs.iter().all(|&done| done == run.outputs[0]), "{:?}", run.outputs);
    run.outputs[0]
}

fn named(case: &Case) -> Vec<Algorithm> {
    Algorithm::of(case.operation)
}

fn build(spec: MachineSpec) -> Machine {
    Machine::builder(spec).wall_limit(Duration::from_secs(300)).deny_unreceived(true).build().unwrap()
}

#[test]
fn every_number_of_ranks_on_a_line() {
    for size in support::sizes(33) {
        // p elements meet nothing that p - 1 and p + 1 do not, and one element is met in `meshes` and `other_networks`.
        let totals: &[usize] = if support::is_full() {
            &[0, 1, size - 1, size, size + 1, 1000]
        } else {
            &[0, size - 1, size + 1, 1000]
        };
        let some = [0, size / 2, size - 1];
        let all: Vec<Rank> = (0..size).collect();
        let roots = if size < 10 { &all[..] } else { &some };
        let cases = cases(size, totals, roots, &ALL_OPERATORS);
        let done = check(&build(format!("line:{size}").parse().unwrap()), &cases, named);
        assert!(done > if support::is_full() { 600 } else { 400 }, "{size}: {done}");
    }
}

/// Of 50,000 elements, which are 400 kB.
#[test]
fn long_vectors() {
    for size in [1, 2, 3, 5, 8, 13, 16, 30, 33] {
        let cases = cases(size, &[50_000], &[size / 3], &[With::Sum, With::MatrixProduct]);
        check(&build(format!("line:{size}").parse().unwrap()), &cases, named);
    }
}

#[test]
fn meshes() {
    for (rows, columns) in [(2, 2), (3, 4), (5, 5), (4, 8), (6, 1)] {
        let size = rows * columns;
        let cases = cases(size, &[1, size + 1, 1000], &[0, size - 2], &ALL_OPERATORS);
        check(&build(format!("paragon:{rows}x{columns}").parse().unwrap()), &cases, named);
    }
}

/// With switches, links of their own, given routes, or no rows and columns.
#[test]
fn other_networks() {
    for machine in [
        "clos:9:4:3",
        "cluster:3x2:8000,1000:ring:6",
        "cm5:18",
        "complete:6",
        "delta:3x4",
        "dragonfly:3x2x2:40,10:valiant",
        "fat-tree:7:3:2,1",
        "file:examples/network.toml",
        "ipsc860:16",
        "mesh:2x2x3",
        "ring:9",
        "t3d:2x3x2",
        "torus:3x4",
        "tree:1",
        "tree:11",
    ] {
        let machine = build(machine.parse().unwrap());
        let size = machine.spec().nodes();
        let cases = cases(size, &[1, size + 1, 1000], &[0, size / 2], &ALL_OPERATORS);
        let done = check(&machine, &cases, named);
        assert!(done > 300, "{}: {done}", machine.spec().name());
    }
}

/// Every strategy of the paper's letters that 12 nodes on a line and on a mesh allow, and some of the others.
#[test]
fn strategies() {
    for machine in ["hockney:1x12", "paragon:3x4"] {
        let cases = cases(12, &[13, 100], &[0, 7], &[With::Sum]);
        let done = check(&build(machine.parse().unwrap()), &cases, |case| {
            let sides = ["12", "2x6", "6x2", "3x4", "4x3", "2x2x3", "2x3x2", "3x2x2"];
            let letters = |count: usize| -> Vec<String> {
                let (long, ring) = ("S".repeat(count), "C".repeat(count));
                let (most, rings) = ("S".repeat(count - 1), "C".repeat(count - 1));
                let circulant = "B".repeat(count - 1);
                match case.operation {
                    Operation::Broadcast | Operation::Reduce => vec![
                        format!("{long}{ring}"),
                        format!("{most}M{rings}"),
                        format!("{most}T{circulant}"),
                    ],
                    Operation::Scatter | Operation::Gather => vec![long, format!("{most}T")],
                    Operation::Scan => Vec::new(),
                    _ => vec![ring, format!("M{rings}"), format!("T{circulant}")],
                }
            };
            let mut strategies = Vec::new();
            for sides in sides {
                for letters in letters(sides.split('x').count()) {
                    for order in ["", ",columns", ",compact"] {
                        let text = format!("{sides}:{letters}{order}");
                        strategies.push(Algorithm::strategy(Strategy::parse(case.operation, &text).unwrap()));
                    }
                }
            }
            strategies
        });
        assert!(done > 1000, "{done}");
    }
}

/// *Alternating* works on every rectangle whose sides it can divide by turns, and each strategy of such a kind does.
#[test]
fn strategies_that_alternate() {
    for (machine, texts) in [
        ("paragon:4x4", &["2x2x2x2:4,rows-columns", "2x4x2:3,columns-rows", "2x2x2x2:4,columns-rows"][..]),
        ("mesh:2x6", &["3x2x2:3,rows-columns", "2x2x3:3,rows-columns"]),
        ("mesh:9x4", &["3x2x3x2:4,columns-rows", "2x9x2:3,rows-columns", "3x4x3:3,columns-rows"]),
        ("torus:3x4", &["2x3x2:3,rows-columns"]),
    ] {
        let machine = build(machine.parse().unwrap());
        let size = machine.spec().nodes();
        let cases = cases(size, &[1, size + 1, 1000], &[0, size / 2 + 1], &[With::Sum, With::Max]);
        let cases: Vec<Case> = cases.into_iter().filter(|case| case.operation != Operation::Scan).collect();
        let done = check(&machine, &cases, |case| {
            let mut algorithms = vec![Algorithm::ALTERNATING];
            for text in texts {
                let (sides, rest) = text.split_once(':').unwrap();
                let (count, order) = rest.split_once(',').unwrap();
                let count: usize = count.parse().unwrap();
                let (long, ring) = ("S".repeat(count), "C".repeat(count));
                let (most, rings) = ("S".repeat(count - 1), "C".repeat(count - 1));
                let letters = match case.operation {
                    Operation::Broadcast | Operation::Reduce => {
                        [format!("{long}{ring}"), format!("{most}M{rings}")]
                    }
                    Operation::Scatter | Operation::Gather => [long, format!("{most}T")],
                    _ => [ring, format!("M{rings}")],
                };
                algorithms.extend(letters.map(|letters| {
                    let text = format!("{sides}:{letters},{order}");
                    Algorithm::strategy(Strategy::parse(case.operation, &text).unwrap())
                }));
            }
            algorithms
        });
        assert_eq!(done, cases.len() * (1 + 2 * texts.len()), "{}", machine.spec().name());
    }
}

/// The trees of a hypercube, on hypercubes and on anything else with a power of two ranks, in groups of any order too.
#[test]
fn edge_disjoint_trees() {
    for machine in ["hypercube:4", "hypercube:8", "ipsc860:32", "hypercube:64", "mesh:4x4", "complete:8"] {
        let machine = build(machine.parse().unwrap());
        let size = machine.spec().nodes();
        let roots: Vec<Rank> = (0..size).step_by(size / 4 + 1).collect();
        let cases = cases(size, &[2, size - 1, 1000, 3001], &roots, &[With::Sum, With::Max]);
        let cases: Vec<Case> = cases
            .into_iter()
            .filter(|case| matches!(case.operation, Operation::Broadcast | Operation::Reduce))
            .collect();
        let done = check(&machine, &cases, |_| vec![Algorithm::EDST]);
        assert_eq!(done, cases.len(), "{}", machine.spec().name());
    }
}

/// Parts of blocks go several ways at once.
#[test]
fn several_ports() {
    for (machine, ports) in [("torus:4x4", 4), ("torus:2x8", 3), ("torus:3x9", 4), ("clos:9:4:1", 2)] {
        let machine = machine.parse::<MachineSpec>().unwrap().with_ports(ports).unwrap();
        let size = machine.nodes();
        let cases = cases(size, &[1, size + 1, 20_000], &[0, size - 2], &[With::Sum, With::MatrixProduct]);
        check(&build(machine), &cases, named);
    }
}

#[test]
fn fifteen_by_thirty() {
    let cases: Vec<Case> = Operation::ALL
        .into_iter()
        .enumerate()
        .flat_map(|(number, operation)| {
            let with = if number % 2 == 0 { With::Sum } else { With::MatrixProduct };
            let (short, long) = ((1, 0, With::Sum), (451, 217, with));
            let taken = if support::is_full() { vec![short, long] } else { vec![long] };
            taken
                .into_iter()
                .map(move |(total, root, with)| Case::new(operation, root, even(total, 450), with))
        })
        .collect();
    let done = check(&build("paragon:15x30".parse().unwrap()), &cases, named);
    assert!(done > 40 * (1 + usize::from(support::is_full())), "{done}");
}
