//! The algorithms of the textbook that a number of nodes allows, as algorithms for collective operations, and the product of
//! a matrix and a vector.

use multicomputer::{
    collective::Operation,
    error::Failure,
    prelude::*,
    textbook::{Algorithm, Block, matrix_vector},
};

use super::{
    Runner, case,
    collective::{Case, With, even},
    same_all,
};

pub(crate) fn textbook(runner: &dyn Runner) {
    let size = runner.nodes();
    let (whole, half) = (cases(size, 0), [size.div_ceil(2), size / 2].map(|size| cases(size, 5)));
    runner.run("the textbook", &|node| {
        let world = node.world();
        check(world, &whole)?;
        check(&world.split_by(|rank| rank % 2)?, &half[world.rank() % 2])?;
        if node.machine().topology().grid().is_some() {
            for shape in [(1, 1), (3, 2), (8, 8), (30, 17), (0, 5)] {
                case(world, format_args!("a matrix of {shape:?} and a vector"), || product(node, shape))?;
            }
        }
        Ok(())
    });
}

/// All algorithms among so many ranks: vectors of several lengths, from several roots.
fn cases(size: usize, seed: usize) -> Vec<(Algorithm, Case)> {
    let mut cases = Vec::new();
    if size == 0 {
        return cases;
    }
    for (number, &algorithm) in Algorithm::ALL.iter().enumerate() {
        let operation = algorithm.operation();
        let blocks = (0..size).map(|rank| if rank % 3 == 1 { 0 } else { rank * 7 % 17 }).collect();
        let one = (0..size).map(|rank| if rank == size / 2 { 129 } else { 0 }).collect();
        let lengths = [even(0, size), even(7, size), vec![9; size], blocks, one, even(10_000, size)];
        for (nth, blocks) in lengths.into_iter().enumerate() {
            let root = if operation.has_root() { [0, size / 2, size - 1][(nth + seed) % 3] } else { 0 };
            let with = match operation {
                Operation::Reduce if nth % 2 == 1 => With::MatrixProduct,
                _ => With::Sum,
            };
            let case = Case::seeded(operation, root, blocks, with, (number + seed) as u64);
            cases.push((algorithm, case));
        }
    }
    cases
}

/// Whether an algorithm does without: 4.1 starts at rank 0, and a hypercube has a power of two nodes.
pub(crate) fn is_refused(algorithm: Algorithm, root: Rank, size: usize) -> bool {
    match algorithm.name() {
        "4.1" => root != 0,
        "4.7" | "4.8" => !size.is_power_of_two(),
        _ => false,
    }
}

fn check(group: &Group<'_>, cases: &[(Algorithm, Case)]) -> Result<(), Failure> {
    for (algorithm, case) in cases {
        let works = case.check(group, &(*algorithm).into())?;
        if works == is_refused(*algorithm, case.root, group.size()) {
            return Err(format!("{algorithm} among {}: {works}, {case:?}", group.size()).into());
        }
    }
    Ok(())
}

/// Whole numbers, so that sums are exact in any order.
pub(crate) fn element(row: usize, column: usize) -> f64 {
    ((row * 31 + column * 17 + row * column) % 23) as f64 - 11.0
}

/// The vector's.
pub(crate) fn x(column: usize) -> f64 {
    ((column * 7) % 13) as f64 - 6.0
}

/// What a plain loop gives.
pub(crate) fn plain((rows, columns): (usize, usize)) -> Vec<f64> {
    (0..rows).map(|row| (0..columns).map(|column| element(row, column) * x(column)).sum()).collect()
}

/// A matrix of this shape on a grid of nodes; nodes that are not of the leftmost column get nothing.
pub(crate) fn product(node: &Node<'_>, shape: (usize, usize)) -> Result<(), Failure> {
    let grid = node.machine().topology().grid().ok_or("no grid")?;
    let block = Block::of(grid, node.rank(), shape, element);
    let top = node.rank() < grid.columns;
    let x: Vec<f64> = if top { block.columns().map(x).collect() } else { Vec::new() };
    let y = matrix_vector(node, &block, &x)?;
    let is_left = node.rank().is_multiple_of(grid.columns);
    let own = if is_left { &plain(shape)[block.rows()] } else { &[] };
    same_all(&y, own)
}
