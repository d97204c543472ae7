//! Example 4.1: a matrix times a vector on a mesh of nodes.

use multicomputer::{
    error::CommError,
    textbook::{Block, MatrixError, matrix_vector},
    topology::Grid,
};

use super::*;
use crate::conformance::textbook::{element, plain, x};

/// A matrix of this shape on a grid of nodes: the vector that the leftmost column has, and the modeled time.
fn product(machine: &MachineSpec, (rows, columns): (usize, usize)) -> (Vec<f64>, Span) {
    let grid = machine.topology().grid().unwrap();
    let run = run(machine, |node| {
        let block = Block::of(grid, node.rank(), (rows, columns), element);
        let top = node.rank() < grid.columns;
        let x: Vec<f64> = if top { block.columns().map(x).collect() } else { Vec::new() };
        let y = matrix_vector(node, &block, &x)?;
        let is_left = node.rank().is_multiple_of(grid.columns);
        assert_eq!(y.len(), if is_left { block.rows().len() } else { 0 });
        Ok(y)
    });
    (run.outputs.concat(), run.report.makespan.since_start())
}

/// Smaller than the mesh, so that some blocks are empty; one element to a node; larger; and not square.
#[test]
fn products_are_those_of_a_plain_loop() {
    for mesh in ["4x4", "2x7", "5x3", "1x4", "4x1", "1x1", "3x3", "8x2"] {
        let machine = hockney(&format!("mesh:{mesh}"));
        let sides = [1, 2, 3, 4, 5, 8, 13, 30].map(|side| (side, side));
        for shape in sides.into_iter().chain([(0, 0), (3, 10), (11, 2), (7, 0), (0, 5)]) {
            assert_eq!(product(&machine, shape).0, plain(shape), "{shape:?} on {mesh}");
        }
    }
    assert_eq!(product(&hockney("torus:3x4"), (9, 9)).0, plain((9, 9)));
    assert_eq!(product(&hockney("line:6"), (9, 9)).0, plain((9, 9)), "a line is one row");
}

/// Figure 4.4: P9 gets x[1] from P1, multiplies it with A[2, 1], and has a part in what P8 adds up.
#[test]
fn figure_4_4_one_element_to_a_node() {
    let machine = hockney("mesh:4x4");
    let grid: Grid = "4x4".parse().unwrap();
    let block = Block::of(grid, 9, (4, 4), element);
    assert_eq!((block.rows(), block.columns()), (2..3, 1..2));
    let (y, time) = product(&machine, (4, 4));
    assert_eq!(y[2], (0..4).map(|j| element(2, j) * x(j)).sum::<f64>());
    assert_eq!(time.to_string(), "521.6 us", "four transfers of one number: 4 (alpha + 8 beta)");
}

/// `ceil(log2 r) (alpha + N/c w beta) + N^2/(r c) gamma + ceil(log2 c) (alpha + N/r w beta + N/r gamma)`.
#[test]
fn the_time_is_that_of_a_broadcast_a_product_and_a_reduction() {
    for [send, latency, receive] in [[130.0, 0.0, 0.0], [65.0, 0.0, 65.0], [20.0, 70.0, 40.0]] {
        let parameters = split(send, latency, receive);
        for (rows, columns, n) in
            [(4_usize, 4_usize, 4), (4, 4, 64), (2, 8, 48), (8, 2, 48), (1, 4, 12), (4, 1, 12), (8, 8, 8)]
        {
            let (_, time) = product(&machine(&format!("mesh:{rows}x{columns}"), &parameters), (n, n));
            let transfer = |elements: usize| parameters.alpha() + parameters.transfer(8 * elements as u64);
            let gamma = |elements: usize| parameters.combining(elements as u64);
            let down = transfer(n / columns).times(u64::from(rows.ilog2()));
            let across = (transfer(n / rows) + gamma(n / rows)).times(u64::from(columns.ilog2()));
            let expected = down + gamma(n * n / (rows * columns)) + across;
            assert!(is_equal(time, expected), "{n} on {rows}x{columns}: {time}, not {expected}");
        }
    }
}

#[test]
fn vectors_of_another_length_are_refused() {
    let grid: Grid = "2x3".parse().unwrap();
    // One element too many in the top row, none at all there, and one below it.
    for (top, below) in [(3, 0), (1, 0), (0, 0), (2, 1)] {
        run(&hockney("mesh:2x3"), |node| {
            let block = Block::of(grid, node.rank(), (4, 6), element);
            let is_top = node.rank() < 3;
            let (given, expected) = if is_top { (top, 2) } else { (below, 0) };
            if given == expected {
                // The others are not there to answer.
                return Ok(());
            }
            let refusal = matrix_vector(node, &block, &vec![1.0; given]).unwrap_err();
            assert_eq!(refusal, MatrixError::Vector { given, expected });
            let elements = if given == 1 { "element" } else { "elements" };
            assert_eq!(
                refusal.to_string(),
                format!("this node gives {given} {elements} of the vector: it must give {expected}")
            );
            Ok(())
        });
    }
}

#[test]
fn a_machine_without_rows_and_columns_is_refused() {
    let grid: Grid = "2x4".parse().unwrap();
    run(&hockney("hypercube:8"), |node| {
        let block = Block::of(grid, node.rank(), (4, 4), element);
        let refusal = matrix_vector(node, &block, &[1.0]).unwrap_err();
        assert!(matches!(refusal, MatrixError::Comm(CommError::NoGrid(_))), "{refusal:?}");
        Ok(())
    });
}
