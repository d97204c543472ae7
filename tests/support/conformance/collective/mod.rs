//! Collective operations: every algorithm on vectors of many lengths, from several roots, with operators that commute and one
//! that does not; in parts of the machine too; and the calls on elements of many types.

mod case;
pub(crate) mod operators;

use multicomputer::{
    Pair,
    collective::{Algorithm, MaxLoc, Operation, Sum, associative},
    error::Failure,
    prelude::*,
};

pub(crate) use self::{
    case::{Case, With, even},
    operators::{check as check_operator, vectors},
};
use super::{Runner, case, same, same_all};

pub(crate) fn collective(runner: &dyn Runner) {
    let size = runner.nodes();
    let whole = cases(size);
    // Of the ranks that are odd and of those that are even.
    let halves = [size.div_ceil(2), size / 2].map(|size| if size == 0 { Vec::new() } else { few(size, 0) });
    let stirred: Vec<Rank> = (0..size).rev().map(|rank| rank ^ usize::from(rank ^ 1 < size)).collect();
    let others = few(size, 1);
    runner.run("collective operations", &|node| {
        let world = node.world();
        check(world, &whole)?;
        let half = world.split_by(|rank| rank % 2)?;
        check(&half, &halves[world.rank() % 2])?;
        check(&world.subgroup(&stirred)?, &others)?;
        if let (Ok(row), Ok(column)) = (node.row(), node.column()) {
            // No two rows are at the same operation.
            let mut cases = few(row.size(), 2);
            cases.rotate_left(column.rank() % 5);
            check(row, &cases)?;
            check(column, &few(column.size(), 3))?;
        }
        case(world, "calls on elements", || calls(world))?;
        operators(world)
    });
}

/// Carries out all cases with all algorithms; each does what it says that it does. *Auto* has every third case: it does what
/// one of the others does, and every process would have to find out by itself which.
fn check(group: &Group<'_>, cases: &[Case]) -> Result<(), Failure> {
    for (nth, case) in cases.iter().enumerate() {
        let algorithms = Algorithm::of(case.operation);
        // Those that search among all others take the longest.
        let searches = [Algorithm::AUTO, Algorithm::COMPOSED];
        for algorithm in algorithms.iter().filter(|&by| nth % 3 == 0 || !searches.contains(by)) {
            if !case.check(group, algorithm)? && !may_refuse(algorithm, case) {
                return Err(format!("{algorithm:?} does not do {case:?}").into());
            }
        }
    }
    Ok(())
}

/// Whether an algorithm may say that it does not work: pipelines need three ranks and two elements; *edst*, *swing* and *bine* need
/// a power of two ranks, *trivance* one of three, *multiplying* three or more, here at most 64; what alternates between rows and columns
/// needs both; what is made for unequal blocks needs some; and most need an operator that commutes.
pub(crate) fn may_refuse(algorithm: &Algorithm, case: &Case) -> bool {
    let in_order = case.operation.combines() && case.with == With::MatrixProduct;
    match algorithm.name() {
        _ if case.operation == Operation::Scan => false,
        "auto" | "short" => false,
        "blocks" | "pipeline" => in_order || case.blocks.len() < 3 || case.total() < 2,
        "edst" => {
            in_order || case.blocks.len() < 3 || case.total() < 2 || !case.blocks.len().is_power_of_two()
        }
        "swing" | "bine" => in_order || case.blocks.len() < 4 || !case.blocks.len().is_power_of_two(),
        "trivance" => in_order || ![9, 27, 81, 243].contains(&case.blocks.len()),
        "multiplying" => in_order || case.blocks.len() < 3 || case.blocks.len() > 64,
        // On rectangles whose sides it can divide by turns.
        "alternating" => true,
        // Where lengths of blocks differ.
        "apart" => true,
        // Where there is something, and an operator that is not commutative leaves it with a single rank.
        "sources" => case.total() == 0 || in_order,
        // Where vectors are long, and the network is no grid or nodes have several ports.
        "forest" => true,
        "wider" => false,
        // Where one of the two operations would be the whole.
        "composed" => true,
        // Where there are two ranks and two elements.
        "chains" => case.blocks.len() < 2 || case.total() < 2,
        _ => in_order,
    }
}

/// Blocks of these lengths, or vectors that are as long in all.
fn lengths(size: usize) -> Vec<Vec<usize>> {
    let mut lengths: Vec<Vec<usize>> =
        [0, 1, size - 1, size + 1, 1000].into_iter().map(|total| even(total, size)).collect();
    lengths.push((0..size).map(|rank| rank * rank * 7 % 5 * (rank % 3)).collect());
    lengths.push((0..size).map(|rank| if rank == size / 2 { 5 } else { 0 }).collect());
    lengths
}

/// All operations among so many ranks.
fn cases(size: usize) -> Vec<Case> {
    let mut cases = Vec::new();
    let roots = [0, size / 2, size - 1];
    for (number, operation) in Operation::ALL.into_iter().enumerate() {
        for (nth, blocks) in lengths(size).into_iter().enumerate() {
            let root = if operation.has_root() { roots[(nth + number) % 3] } else { 0 };
            let with = [With::Sum, With::Max][nth % 2];
            cases.push(Case::seeded(operation, root, blocks.clone(), with, nth as u64));
            if operation.combines() && nth % 2 == 0 {
                cases.push(Case::seeded(operation, root, blocks, With::MatrixProduct, nth as u64));
            }
        }
        let root = if operation.has_root() { size / 3 } else { 0 };
        cases.push(Case::new(operation, root, even(20_000, size), With::Sum));
    }
    cases
}

/// Each operation once.
fn few(size: usize, seed: usize) -> Vec<Case> {
    let all = Operation::ALL.into_iter().enumerate();
    let one = |(number, operation): (usize, Operation)| {
        let root = if operation.has_root() { (seed + number) % size } else { 0 };
        let blocks = match (seed + number) % 2 {
            0 => even(2 * size + 3, size),
            _ => (0..size).map(|rank| (rank * 5 + number) % 4).collect(),
        };
        let with = [With::Sum, With::Max, With::MatrixProduct][(seed + number) % 3];
        Case::seeded(operation, root, blocks, with, seed as u64)
    };
    all.map(one).collect()
}

/// The calls that give and take slices.
fn calls(group: &Group<'_>) -> Result<(), Failure> {
    let (rank, size) = (group.rank(), group.size());
    let root = size - 1;
    let mut text: [char; 5] = if rank == root { ['g', 'r', '\u{f6}', '\u{df}', 'e'] } else { ['x'; 5] };
    group.broadcast(root, &mut text)?;
    same_all(&text, &['g', 'r', '\u{f6}', '\u{df}', 'e'])?;

    let blocks: Vec<usize> = (0..size).map(|rank| rank * 3 % 4).collect();
    let total: usize = blocks.iter().sum();
    let start: usize = blocks[..rank].iter().sum();
    let all: Vec<f32> = (0..total).map(|at| at as f32 - 0.5).collect();
    let own = &all[start..start + blocks[rank]];
    let mine = group.scatter(root, if rank == root { &all } else { &[] }, &blocks)?;
    same_all(&mine, own)?;
    same_all(&group.gather(0, own, &blocks)?, if rank == 0 { &all } else { &[] })?;
    same_all(&group.all_gather(own, &blocks)?, &all)?;
    let flags: Vec<bool> = group.all_gather(&(rank % 3 == 1), size)?;
    same_all(&flags, &(0..size).map(|rank| rank % 3 == 1).collect::<Vec<bool>>())?;

    // Halves add up to the same in any order.
    let halves = |rank: Rank| [rank as f64 / 2.0, -1.5, rank as f64];
    let sum = (0..size).map(halves).fold([0.0; 3], |sum, own| [0, 1, 2].map(|at| sum[at] + own[at]));
    let mut x = halves(rank);
    group.reduce(root, &mut x, Sum)?;
    same("sum at one", x, if rank == root { sum } else { halves(rank) })?;
    let mut x = halves(rank);
    group.all_reduce(&mut x, Sum)?;
    same("sum at all", x, sum)?;
    let mut x = rank as i16 + 1;
    group.scan(&mut x, Sum)?;
    same("sum so far", x, ((rank + 1) * (rank + 2) / 2) as i16)?;
    exclusive_scans(group)?;
    let mut largest = Pair::new((rank * 3 % 5) as f32, rank as u16);
    group.all_reduce(&mut largest, MaxLoc)?;
    let first = |most: usize| (0..size).find(|other| other * 3 % 5 == most);
    let expected = (0..5).rev().find_map(|most| Some((most as f32, first(most)? as u16)));
    same("largest and its rank", Some(largest.into()), expected)?;
    let y: Vec<u16> = (0..total).map(|at| (rank * 100 + at) as u16).collect();
    let sums = group.reduce_scatter(&y, &blocks, Sum)?;
    let added = |at: usize| (size * (size - 1) / 2 * 100 + size * at) as u16;
    same_all(&sums, &(start..start + blocks[rank]).map(added).collect::<Vec<u16>>())
}

/// By every algorithm of scans, with an operator that is not commutative: maps x -> a x + b, one after the other.
fn exclusive_scans(group: &Group<'_>) -> Result<(), Failure> {
    let after = |[a, b]: [u32; 2], [c, d]: [u32; 2]| [a.wrapping_mul(c), c.wrapping_mul(b).wrapping_add(d)];
    let map = |rank: Rank, index: usize| [(rank * 7 + index) as u32 % 5 + 1, (rank + 3 * index) as u32];
    for algorithm in Algorithm::of(Operation::Scan) {
        for length in [0, 1, 5, 700] {
            let mut x: Vec<[u32; 2]> = (0..length).map(|index| map(group.rank(), index)).collect();
            group.using(algorithm.clone()).exclusive_scan(&mut x, associative(after))?;
            let before = |index: usize| {
                (1..group.rank()).fold(map(0, index), |all, rank| after(all, map(rank, index)))
            };
            same_all(&x, &(0..length).map(before).collect::<Vec<_>>())?;
        }
    }
    Ok(())
}

/// Operators on several types, by every algorithm that combines.
fn operators(group: &Group<'_>) -> Result<(), Failure> {
    use multicomputer::collective::{LogicalXor, Min, commutative};
    let size = group.size();
    check_operator(group, &vectors(size, |x| f64::from(x) - 1.0), &Sum)?;
    check_operator(group, &vectors(size, |x| i16::from(x) - 1), &Min)?;
    check_operator(group, &vectors(size, |x| x % 2 == 1), &LogicalXor)?;
    let sum = |a: [u8; 3], b: [u8; 3]| [0, 1, 2].map(|place| a[place].wrapping_add(b[place]));
    check_operator(group, &vectors(size, |x| [x, 7 * x, 255 - x]), &commutative(sum))?;
    // Maps x -> a x + b, one after the other.
    let after = |[a, b]: [u32; 2], [c, d]: [u32; 2]| [a.wrapping_mul(c), c.wrapping_mul(b).wrapping_add(d)];
    check_operator(group, &vectors(size, |x| [u32::from(x) + 1, u32::from(x) * 3 + 1]), &associative(after))
}
