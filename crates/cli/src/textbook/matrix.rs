//! Example 4.1 with data: a matrix and a vector generated from a seed, and their sequential product.

use multicomputer::{
    Machine,
    collective::Cost,
    model::MachineSpec,
    prelude::*,
    textbook::{Block, Figure, equation, matrix_vector, matrix_vector_figures},
    topology::Grid,
};

use multicomputer_study::checked::Runner;

use super::{
    super::{
        compare::{Execution, Ran},
        data::{self, MAX_DATA},
        error::Error,
    },
    Arguments,
    case::Case,
};

/// Length of an element, in bytes.
const ELEMENT: u64 = size_of::<f64>() as u64;

/// A matrix-vector product.
#[derive(Debug)]
pub(super) struct Matrix {
    grid: Grid,
    elements: usize,
    blocks: Vec<Block>,
    /// Part of the vector on each node.
    parts: Vec<Vec<f64>>,
    /// Expected part of the result on each node.
    expected: Vec<Vec<f64>>,
    /// Figures of the broadcasts and of the sums.
    pub(super) figures: [Figure; 2],
}

impl Matrix {
    /// Creates the product of a case. The elements are small whole numbers, so that sums are exact in any order.
    pub(super) fn of(arguments: &Arguments, case: &Case) -> Result<Matrix, String> {
        let most = (MAX_DATA / ELEMENT).isqrt();
        let no_grid = || {
            let machine = case.machine.name();
            format!(
                "{machine} has no rows and columns: example-4.1 needs a machine such as mesh:4x4 or torus:4x4"
            )
        };
        let grid = case.machine.topology().grid().ok_or_else(no_grid)?;
        match (arguments.word_bytes, usize::try_from(case.words)) {
            (ELEMENT, _) if arguments.phantom => {
                Err("example-4.1 multiplies numbers: it cannot be run without data (--phantom)".to_owned())
            }
            (ELEMENT, Ok(elements)) if case.words <= most => {
                let figures = matrix_vector_figures(&case.machine, elements).map_err(|_| no_grid())?;
                Ok(Matrix::seeded(grid, elements, arguments.options.seed, figures))
            }
            (ELEMENT, _) => Err(format!(
                "a matrix of {0} x {0} elements is too large: use at most {most} x {most}",
                case.words
            )),
            (bytes, _) => {
                Err(format!("--word-bytes {bytes} is not for example-4.1: its elements have 8 bytes"))
            }
        }
    }

    fn seeded(grid: Grid, elements: usize, seed: u64, figures: [Figure; 2]) -> Matrix {
        // The rows of the matrix, then the vector.
        let rows: Vec<Vec<u8>> =
            (0..=elements).map(|row| data::message(seed, row, elements as u64)).collect();
        let number = |byte: u8| f64::from(byte) - 128.0;
        let vector: Vec<f64> = rows[elements].iter().copied().map(number).collect();
        let plain: Vec<f64> = rows[..elements]
            .iter()
            .map(|row| row.iter().zip(&vector).map(|(&byte, x)| number(byte) * x).sum())
            .collect();
        let block = |rank| Block::of(grid, rank, (elements, elements), |i, j| number(rows[i][j]));
        let blocks: Vec<Block> = (0..grid.nodes()).map(block).collect();
        let part = |(rank, block): (Rank, &Block)| {
            if rank < grid.columns { vector[block.columns()].to_vec() } else { Vec::new() }
        };
        let result = |(rank, block): (Rank, &Block)| {
            if rank.is_multiple_of(grid.columns) { plain[block.rows()].to_vec() } else { Vec::new() }
        };
        Matrix {
            parts: blocks.iter().enumerate().map(part).collect(),
            expected: blocks.iter().enumerate().map(result).collect(),
            grid,
            elements,
            blocks,
            figures,
        }
    }

    /// Returns the modeled time on a machine, if the product can be run there.
    pub(super) fn modeled(&self, machine: &MachineSpec) -> Option<Span> {
        let machine = Machine::builder(machine.clone()).build().ok()?;
        let run = machine.run(|node| self.product(node)).ok()?;
        self.fault(run.outputs.iter().enumerate()).is_none().then_some(run.report.makespan.since_start())
    }

    /// Returns the closed form of the equation.
    pub(super) fn equation(&self) -> Cost {
        equation::matrix_vector(self.grid, self.elements, ELEMENT)
    }

    /// Returns the maximum number of multiply-adds on a node.
    pub(super) fn products(&self) -> u64 {
        self.blocks.iter().map(|block| block.elements().len() as u64).max().unwrap_or(0)
    }

    /// Computes a node's part of the result.
    fn product(&self, node: &Node<'_>) -> Result<Vec<f64>, Failure> {
        Ok(matrix_vector(node, &self.blocks[node.rank()], &self.parts[node.rank()])?)
    }

    /// Returns the first difference from the sequential product.
    fn fault<'o>(&self, mut outputs: impl Iterator<Item = (Rank, &'o Vec<f64>)>) -> Option<String> {
        let (rank, _) = outputs.find(|&(rank, output)| *output != self.expected[rank])?;
        let (elements, grid) = (self.elements, self.grid);
        Some(format!(
            "node {rank} has a wrong part of the product ({elements} x {elements} elements on {grid} nodes)"
        ))
    }

    /// Runs the product, and compares the result with the sequential product.
    pub(super) fn run(&self, execution: Execution<'_>) -> Result<Ran, Error> {
        execution.run(|node| self.product(node), |outputs| self.fault(outputs.iter().copied()))
    }
}
