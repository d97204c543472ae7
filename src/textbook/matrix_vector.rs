//! Example 4.1: multiplication of a matrix with a vector on a mesh of nodes.
//!
//! **What it does.** The matrix is distributed over all nodes, one block each; the vector is distributed over the top row. Each column
//! broadcasts its part of the vector from its topmost node, every node multiplies its block with this part, and each row adds the products,
//! so that the leftmost column holds the result.
//!
//! **Cost.** See [`equation::matrix_vector`](super::equation::matrix_vector). With `r` rows and `c` columns of nodes and `N x N` elements
//! of `w` bytes: `ceil(log2 r) (alpha + N/c w beta)` for the broadcasts, `N^2 / (r c) gamma` for the products (a multiplication with an
//! addition counts as combining one element), and `ceil(log2 c) (alpha + N/r w beta + N/r gamma)` for the sums.
//!
//! **Source.** Kumar, Grama, Gupta, Karypis, "Introduction to Parallel Computing", example 4.1 and figure 4.4.

use std::{ops::Range, sync::Arc};

use thiserror::Error;

use super::{Algorithm, Figure};
use crate::{
    collective::{CollectiveError, Plan, Sum, Task, TaskError},
    comm::{Group, Node},
    error::CommError,
    model::MachineSpec,
    plan::PlanError,
    rank::Rank,
    text::count,
    topology::Grid,
};

/// The block of a matrix that a node holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    rows: Range<usize>,
    columns: Range<usize>,
    /// The elements in row-major order.
    elements: Vec<f64>,
}

impl Block {
    /// Returns the block of a node, if a matrix of `rows` by `columns` elements is cut evenly over a grid of nodes; `element` returns the
    /// element at a row and column. Blocks may differ by one row and one column, and may be empty.
    ///
    /// ```
    /// use multicomputer::textbook::Block;
    ///
    /// // Node 4 of 2 x 3 nodes, of a matrix of 5 x 6: its second half of rows and its middle third of columns.
    /// let block = Block::of("2x3".parse()?, 4, (5, 6), |i, j| (10 * i + j) as f64);
    /// assert_eq!((block.rows(), block.columns()), (2..5, 2..4));
    /// assert_eq!(block.elements(), [22.0, 23.0, 32.0, 33.0, 42.0, 43.0]);
    /// # Ok::<(), multicomputer::topology::TopologyError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if `rank` is outside the grid.
    pub fn of(
        grid: Grid,
        rank: Rank,
        (rows, columns): (usize, usize),
        element: impl Fn(usize, usize) -> f64,
    ) -> Block {
        assert!(rank < grid.nodes(), "rank {rank} in a {grid} grid");
        let (row, column) = grid.coordinates(rank);
        let (rows, columns) = (part(rows, grid.rows, row), part(columns, grid.columns, column));
        let places = rows.clone().flat_map(|i| columns.clone().map(move |j| (i, j)));
        let elements = places.map(|(i, j)| element(i, j)).collect();
        Block { rows, columns, elements }
    }

    /// Returns the matrix rows of the block.
    pub fn rows(&self) -> Range<usize> {
        self.rows.clone()
    }

    /// Returns the matrix columns of the block.
    pub fn columns(&self) -> Range<usize> {
        self.columns.clone()
    }

    /// Returns the elements of the block, in row-major order.
    pub fn elements(&self) -> &[f64] {
        &self.elements
    }

    /// Returns the product with a vector; the length of `x` is the number of columns.
    fn times(&self, x: &[f64]) -> Vec<f64> {
        let row = |row: usize| &self.elements[row * x.len()..][..x.len()];
        (0..self.rows.len()).map(|number| row(number).iter().zip(x).map(|(a, x)| a * x).sum()).collect()
    }
}

/// Returns the range of part `number`, if `elements` elements are cut evenly into `parts` parts.
fn part(elements: usize, parts: usize, number: usize) -> Range<usize> {
    let start = |number: usize| (elements as u128 * number as u128 / parts as u128) as usize;
    start(number)..start(number + 1)
}

/// Multiplies a matrix with a vector. Every node of a grid calls it with its block of the matrix. Nodes of the top row also pass their part
/// of the vector, `block.columns()`; other nodes pass an empty slice. Nodes of the leftmost column get their part of the result,
/// `block.rows()`; other nodes get an empty vector.
///
/// ```
/// use multicomputer::{Machine, textbook::{Block, matrix_vector}};
///
/// // On 4 x 4 nodes with an element each, as in figure 4.4: a[i][j] = i + j, x[j] = 1.
/// let run = Machine::hockney(4, 4).build()?.run(|node| {
///     let grid = node.machine().topology().grid().expect("a mesh");
///     let block = Block::of(grid, node.rank(), (4, 4), |i, j| (i + j) as f64);
///     let x = if node.rank() < 4 { vec![1.0] } else { vec![] };
///     Ok(matrix_vector(node, &block, &x)?)
/// })?;
/// assert_eq!(run.outputs[8], [2.0 + 3.0 + 4.0 + 5.0]);
/// // 2 (alpha + 8 beta) + gamma + 2 (alpha + 8 beta + gamma), and gamma is 0.
/// assert_eq!(run.report.makespan.to_string(), "521.6 us");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Returns [`MatrixError`] if the machine has no grid, the vector has a wrong length, or a message cannot be sent or received.
#[track_caller]
pub fn matrix_vector(node: &Node<'_>, block: &Block, x: &[f64]) -> Result<Vec<f64>, MatrixError> {
    let (row, column) = (node.row()?, node.column()?);
    let expected = if column.rank() == 0 { block.columns.len() } else { 0 };
    if x.len() != expected {
        return Err(MatrixError::Vector { given: x.len(), expected });
    }
    node.world().library_call("matrix-vector product", || {
        let x = one_to_all(column, block.columns.len(), x)?;
        column.charge(node.machine().parameters().combining(block.elements.len() as u64))?;
        all_to_one(row, block.times(&x))
    })
}

fn one_to_all(group: &Group<'_>, elements: usize, x: &[f64]) -> Result<Vec<f64>, MatrixError> {
    Ok(plan(group.machine(), Algorithm::ONE_TO_ALL, group.members(), elements)?.call(group, x)?)
}

fn all_to_one(group: &Group<'_>, y: Vec<f64>) -> Result<Vec<f64>, MatrixError> {
    Ok(plan(group.machine(), Algorithm::ALL_TO_ONE, group.members(), y.len())?.combine(group, &y, &Sum)?)
}

fn plan(
    machine: &MachineSpec,
    algorithm: Algorithm,
    members: impl Into<Arc<[Rank]>>,
    elements: usize,
) -> Result<Plan, MatrixError> {
    let task = Task::builder(machine, algorithm.operation())
        .members(members)
        .elements(elements as u64)
        .element_bytes(size_of::<f64>() as u64)
        .build()?;
    Ok(algorithm.plan(&task)?)
}

/// Returns figure 4.4: the broadcasts along all columns and the sums along all rows, for a matrix of `elements x elements` on a machine.
///
/// ```
/// use multicomputer::textbook::matrix_vector_figures;
///
/// let [broadcasts, sums] = matrix_vector_figures(&"mesh:2x2".parse()?, 2)?;
/// assert_eq!(broadcasts.to_string(), "step 1: 0 -> 2, 1 -> 3\n");
/// assert_eq!(sums.to_string(), "step 1: 1 -> 0, 3 -> 2\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Returns [`MatrixError`] if the machine has no grid or the vector is too long.
pub fn matrix_vector_figures(machine: &MachineSpec, elements: usize) -> Result<[Figure; 2], MatrixError> {
    let no_grid = || CommError::NoGrid(machine.name().to_owned());
    let grid = machine.topology().grid().ok_or_else(no_grid)?;
    let columns = (0..grid.columns).map(|column| {
        let members: Vec<Rank> = (0..grid.rows).map(|row| grid.rank(row, column)).collect();
        plan(machine, Algorithm::ONE_TO_ALL, members, part(elements, grid.columns, column).len())
    });
    let rows = (0..grid.rows).map(|row| {
        let members: Vec<Rank> = (0..grid.columns).map(|column| grid.rank(row, column)).collect();
        plan(machine, Algorithm::ALL_TO_ONE, members, part(elements, grid.rows, row).len())
    });
    Ok([
        Figure::side_by_side(&columns.collect::<Result<Vec<_>, _>>()?),
        Figure::side_by_side(&rows.collect::<Result<Vec<_>, _>>()?),
    ])
}

/// The error of a matrix-vector multiplication.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MatrixError {
    /// The part of the vector does not have the length required on this node.
    #[error("this node gives {} of the vector: it must give {expected}", count(*given as u64, "element"))]
    Vector {
        /// Number of elements given.
        given: usize,
        /// Number of elements required.
        expected: usize,
    },
    /// The machine has no rows and columns, a message cannot be sent or received, or the run is over.
    #[error(transparent)]
    Comm(#[from] CommError),
    /// A collective operation fails.
    #[error(transparent)]
    Collective(CollectiveError),
    /// The vector is too long.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// The vector is too long for a message.
    #[error(transparent)]
    Plan(#[from] PlanError),
}

/// An error of communication inside a collective operation stays [`MatrixError::Comm`].
impl From<CollectiveError> for MatrixError {
    fn from(error: CollectiveError) -> MatrixError {
        match error {
            CollectiveError::Comm(error) => MatrixError::Comm(error),
            error => MatrixError::Collective(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Machine, model::Parameters, textbook::equation};

    /// Powers of two of rows and columns, even blocks, and a nonzero gamma: the equation holds to the picosecond.
    #[test]
    fn a_run_takes_the_time_of_the_equation() {
        for (rows, columns, elements) in [(4, 4, 4), (2, 8, 16), (8, 2, 64), (1, 4, 12), (4, 1, 4), (1, 1, 3)]
        {
            let parameters = Parameters::hockney().to_builder().gamma(1e-7).build().unwrap();
            let machine = Machine::mesh(rows, columns).parameters(parameters.clone()).build().unwrap();
            let grid = Grid { rows, columns };
            let run = machine.run(|node| {
                let block = Block::of(grid, node.rank(), (elements, elements), |i, j| (i * j) as f64);
                let x = if node.rank() < columns { vec![1.0; block.columns().len()] } else { vec![] };
                Ok(matrix_vector(node, &block, &x)?)
            });
            let expected = equation::matrix_vector(grid, elements, 8).time(&parameters);
            assert_eq!(run.unwrap().report.makespan.since_start(), expected, "{elements} on {grid}");
        }
    }

    #[test]
    fn figure_4_4_has_the_rows_of_all_steps() {
        let [broadcasts, sums] = matrix_vector_figures(&"mesh:4x4".parse().unwrap(), 4).unwrap();
        assert_eq!(broadcasts.steps()[0].to_string(), "0 -> 8, 1 -> 9, 2 -> 10, 3 -> 11");
        assert_eq!(sums.steps()[1].to_string(), "2 -> 0, 6 -> 4, 10 -> 8, 14 -> 12");
        assert!(
            broadcasts.steps().iter().chain(sums.steps()).all(|step| step.busiest().unwrap().messages == 1)
        );
    }
}
