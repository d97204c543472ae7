//! Example 26: a matrix times a vector on a mesh, example 4.1 of the textbook.
//!
//! ```text
//!     x0    x1    x2    x3         The vector is in the top row. Each column broadcasts its part from the
//!      |     |     |     |         topmost node; every node multiplies; each row adds up, and its first node
//!     A00 - A01 - A02 - A03 > y0   has a part of the result. One element to a node as in figure 4.4, or one
//!     A10 - A11 - A12 - A13 > y1   block if the matrix is larger.
//! ```
//!
//! For N x N on r x c nodes, with 8 bytes to a number: log2 r (alpha + N/c 8 beta) for the broadcasts, N^2/(r c) gamma
//! for the products, log2 c (alpha + N/r 8 beta + N/r gamma) for the sums. The program below takes exactly that, and so
//! does `textbook::matrix_vector`, which does the same for any number of rows and columns.
//!
//! Run it with `cargo run --release --example 26_matrix_vector`. Next: `27_pipelined`.

use std::error::Error;

use multicomputer::{
    Machine,
    error::Failure,
    model::{MachineSpec, Parameters},
    prelude::*,
    textbook::{Block, matrix_vector},
    topology,
};

/// The rows and columns of nodes, and the rows and columns of the matrix.
pub const SIZES: [(usize, usize, usize); 4] = [(4, 4, 4), (4, 4, 64), (2, 8, 64), (8, 8, 512)];

/// The matrix and the vector: whole numbers, so that sums are exact in any order.
pub fn element(i: usize, j: usize) -> f64 {
    ((3 * i + 5 * j) % 17) as f64 - 8.0
}

/// See [`element`].
pub fn x(j: usize) -> f64 {
    (j % 7) as f64
}

/// The topmost node's part of the vector to all of a column.
fn one_to_all_bc(column: &Group<'_>, mut x: Vec<f64>) -> Result<Vec<f64>, Failure> {
    let (my_id, d) = (column.rank(), column.size().ilog2());
    let mut mask = (1 << d) - 1;
    for i in (0..d).rev() {
        mask ^= 1 << i;
        if my_id & mask == 0 {
            if my_id & 1 << i == 0 {
                column.send(my_id ^ 1 << i, &x[..])?;
            } else {
                x = column.recv(my_id ^ 1 << i)?.to_vec()?;
            }
        }
    }
    Ok(x)
}

/// The sum over a row, at its first node.
fn all_to_one_reduce(node: &Node<'_>, row: &Group<'_>, mut sum: Vec<f64>) -> Result<Vec<f64>, Failure> {
    let (my_id, d) = (row.rank(), row.size().ilog2());
    let mut mask = 0;
    for i in 0..d {
        if my_id & mask == 0 {
            if my_id & 1 << i != 0 {
                row.send(my_id ^ 1 << i, &sum[..])?;
            } else {
                let other = row.recv(my_id ^ 1 << i)?.to_vec::<f64>()?;
                sum.iter_mut().zip(other).for_each(|(sum, other)| *sum += other);
                node.compute(node.machine().parameters().combining(sum.len() as u64))?;
            }
        }
        mask ^= 1 << i;
    }
    Ok(if my_id == 0 { sum } else { Vec::new() })
}

/// Example 4.1.
fn multiply(node: &Node<'_>, block: &Block, x: Vec<f64>) -> Result<Vec<f64>, Failure> {
    let x = one_to_all_bc(node.column()?, x)?;
    let product = |row: &[f64]| row.iter().zip(&x).map(|(a, x)| a * x).sum();
    let y: Vec<f64> = block.elements().chunks(x.len()).map(product).collect();
    node.compute(node.machine().parameters().combining(block.elements().len() as u64))?;
    all_to_one_reduce(node, node.row()?, y)
}

/// The result, and what the program, the library and the equation take.
pub type Found = (Vec<f64>, Time, Time, Span);

/// A matrix of `n` x `n` on so many rows and columns of nodes, powers of two that divide `n`.
pub fn product((rows, columns, n): (usize, usize, usize)) -> Result<Found, Box<dyn Error>> {
    let parameters = Parameters::hockney().to_builder().gamma(300e-9).build()?;
    let network = format!("mesh:{rows}x{columns}");
    let machine = MachineSpec::new(&*network, topology::parse(&network)?, parameters.clone());
    let grid = machine.topology().grid().ok_or("a mesh is a grid")?;
    let mine = |node: &Node<'_>| {
        let block = Block::of(grid, node.rank(), (n, n), element);
        let x: Vec<f64> = if node.rank() < columns { block.columns().map(x).collect() } else { Vec::new() };
        (block, x)
    };
    let machine = Machine::builder(machine).build()?;
    let program = machine.run(|node| {
        let (block, x) = mine(node);
        multiply(node, &block, x)
    })?;
    let library = machine.run(|node| {
        let (block, x) = mine(node);
        Ok(matrix_vector(node, &block, &x)?)
    })?;
    assert_eq!(program.outputs, library.outputs);

    let transfer = |numbers: usize| parameters.alpha() + parameters.transfer(8 * numbers as u64);
    let work = |numbers: usize| parameters.combining(numbers as u64);
    let equation = transfer(n / columns).times(rows.ilog2().into())
        + work(n * n / (rows * columns))
        + (transfer(n / rows) + work(n / rows)).times(columns.ilog2().into());
    Ok((program.outputs.concat(), program.report.makespan, library.report.makespan, equation))
}

fn main() -> Result<(), MainError> {
    println!("{:<26}{:>12}{:>12}{:>12}", "", "program", "library", "equation");
    for size @ (rows, columns, n) in SIZES {
        let (_, program, library, equation) = product(size)?;
        let [program, library, equation] = [program.to_string(), library.to_string(), equation.to_string()];
        let name = format!("{n} x {n} on {rows} x {columns} nodes");
        println!("{name:<26}{program:>12}{library:>12}{equation:>12}");
    }
    Ok(())
}
