//! Operators that are associative and not commutative: the book allows them for all-to-one reductions, where operands
//! meet in rank order, and nowhere else.

use multicomputer::collective::{CollectiveError, associative};

use super::*;

/// What is combined.
type Pair = [u64; 2];

const PRIME: u64 = 2_147_483_647;

/// The maps x -> a x + b modulo a prime, the left one first.
fn then([a, b]: Pair, [c, d]: Pair) -> Pair {
    [a * c % PRIME, (c * b + d) % PRIME]
}

/// The text of both, as a hash and the power of the base that belongs to its length.
fn text([hash, power]: Pair, [next, its_power]: Pair) -> Pair {
    [(hash * its_power + next) % PRIME, power * its_power % PRIME]
}

/// The first and the last number of a run: only neighbours fit together.
fn joined([first, last]: Pair, [next, end]: Pair) -> Pair {
    if last + 1 == next { [first, end] } else { [u64::MAX, u64::MAX - 7] }
}

const OPERATORS: [fn(Pair, Pair) -> Pair; 3] = [then, text, joined];

/// What a rank has: an element for each operator.
fn own(rank: Rank) -> [Pair; 3] {
    let rank = rank as u64;
    [[rank + 2, 3 * rank + 1], [rank + 97, 257], [rank, rank]]
}

/// All ranks' elements, one after the other.
fn folded(size: usize) -> [Pair; 3] {
    let mut sum = own(0);
    for rank in 1..size {
        let next = own(rank);
        sum = [0, 1, 2].map(|number| OPERATORS[number](sum[number], next[number]));
    }
    sum
}

fn task(machine: &MachineSpec, operation: Operation, members: &[Rank]) -> TaskBuilder {
    Task::builder(machine, operation).members(members).elements(1).element_bytes(16).in_order(true)
}

/// Every root of both all-to-one reductions, each with every operator, in one run.
fn check(machine: &MachineSpec, members: &[Rank]) {
    let mut plans = Vec::new();
    for algorithm in [Algorithm::ALL_TO_ONE, Algorithm::MESH_ALL_TO_ONE] {
        for root in 0..members.len() {
            let task = task(machine, Operation::Reduce, members).root(root).build().unwrap();
            plans.push((algorithm.plan(&task).unwrap(), root));
        }
    }
    let expected = folded(members.len());
    run(machine, |node| {
        if !members.contains(&node.rank()) {
            return Ok(());
        }
        let group = node.world().subgroup(members)?;
        let mine = own(group.rank());
        for (plan, root) in &plans {
            for (number, operator) in OPERATORS.into_iter().enumerate() {
                let got = plan.combine(&group, &[mine[number]], &associative(operator))?;
                let wanted = if group.rank() == *root { vec![expected[number]] } else { Vec::new() };
                assert_eq!(got, wanted, "{} to {root} of {members:?}, operator {number}", plan.name());
            }
        }
        Ok(())
    });
}

#[test]
fn reductions_to_one_keep_the_order_of_ranks() {
    for size in 1..=33 {
        let all: Vec<Rank> = (0..size).collect();
        let rows = (1..=size).rev().find(|rows| rows * rows <= size && size.is_multiple_of(*rows)).unwrap();
        check(&hockney(&format!("mesh:{rows}x{}", size / rows)), &all);
    }
}

#[test]
fn the_order_is_that_of_the_ranks_wherever_the_nodes_are() {
    let backwards: Vec<Rank> = (0..24).rev().collect();
    let stirred: Vec<Rank> = (0..24).map(|rank| rank * 7 % 24).collect();
    for network in ["mesh:4x6", "torus:4x6", "mesh:2x3x4", "tree:24", "ring:24"] {
        for members in [&backwards, &stirred] {
            check(&hockney(network), members);
        }
        // Every second column, from the right; a part of no shape at all.
        check(&hockney(network), &[5, 3, 1, 11, 9, 7, 23, 21, 19]);
        check(&hockney(network), &[20, 2, 3, 17, 11]);
    }
    check(&hockney("hypercube:16"), &[8, 9, 1, 0, 4, 15, 7]);
}

#[test]
fn reductions_to_all_refuse_what_has_an_order() {
    let machine = hockney("mesh:4x4");
    let all: Vec<Rank> = (0..16).collect();
    for algorithm in [Algorithm::RING_REDUCTION, Algorithm::MESH_REDUCTION, Algorithm::HYPERCUBE_REDUCTION] {
        let task = task(&machine, algorithm.operation(), &all).build().unwrap();
        let refusal = algorithm.plan(&task).unwrap_err();
        assert_eq!(
            refusal,
            PlanError::Restricted {
                algorithm: algorithm.to_string(),
                text: format!(
                    "`{algorithm}` does not apply to this reduce-scatter: it needs a commutative operator, because it does not combine in rank order"
                ),
                found: String::new(),
            }
        );
    }
}

/// Why they do: with operands in the order in which they meet, the result is another one. So a plan that was made for
/// an operator without an order refuses one with an order when it is carried out.
#[test]
fn a_plan_for_commutative_operators_refuses_others() {
    for algorithm in [Algorithm::ALL_TO_ONE, Algorithm::RING_REDUCTION] {
        let machine = hockney("ring:5");
        let task =
            Task::builder(&machine, algorithm.operation()).elements(5).element_bytes(16).build().unwrap();
        let plan = algorithm.plan(&task).unwrap();
        run(&machine, |node| {
            let refusal = plan.combine(node.world(), &[own(node.rank())[0]; 5], &associative(then));
            assert!(
                matches!(refusal, Err(CollectiveError::Order { operation }) if operation == algorithm.operation())
            );
            Ok(())
        });
    }
}

/// The operators tell orders apart, and are associative.
#[test]
fn the_operators_tell_orders_apart() {
    let [a, b, c] = [4, 5, 6].map(own);
    for (number, operator) in OPERATORS.into_iter().enumerate() {
        let (a, b, c) = (a[number], b[number], c[number]);
        assert_ne!(operator(a, b), operator(b, a), "{number}");
        assert_eq!(operator(operator(a, b), c), operator(a, operator(b, c)), "{number}");
    }
}
