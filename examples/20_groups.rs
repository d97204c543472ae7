//! Example 20: collective operations in groups, all at the same time: a matrix times a vector on a mesh.
//!
//! ```text
//!      A00 A01 A02     x0      Node (i, j) has the block A_ij of the matrix, and a part of x_j.
//!      A10 A11 A12  *  x1      1. Each column all_gathers its x_j.
//!                      x2      2. Node (i, j) multiplies: A_ij x_j is its contribution to y_i.
//!                              3. Each row adds up the contributions, and each of its nodes keeps a part of y_i.
//! ```
//!
//! Step 1 is an all-gather in every column, step 3 a reduce-scatter in every row; a call concerns the members of its
//! group only. With p nodes, each of them gets n / sqrt(p) numbers in each step. If every node had whole rows of the
//! matrix instead, one all-gather among all would do, but would bring n numbers to each.
//!
//! Run it with `cargo run --release --example 20_groups`. Next: `21_textbook_one_to_all`.

use std::error::Error;

use multicomputer::{
    Run,
    collective::{Algorithm, Collective, Sum},
    prelude::*,
};

/// Rows and columns of the machine.
pub const MESH: (usize, usize) = (4, 8);

/// The matrix and the vector.
pub fn element(row: usize, column: usize) -> i64 {
    ((3 * row + 5 * column) % 17) as i64 - 8
}

/// See [`element`].
pub fn x(column: usize) -> i64 {
    (column % 7) as i64
}

/// `y = A x` of `n` rows and columns, a multiple of 32; node (i, j) returns part `j` of `y_i`.
pub fn in_blocks(algorithm: &Algorithm, n: usize) -> Result<Run<Vec<i64>>, Box<dyn Error>> {
    let (rows, columns) = MESH;
    let machine = Machine::paragon(rows, columns).build()?;
    let run = machine.run(|node| {
        let (row, column) = (node.row()?, node.column()?);
        // A rank in a row is the number of a column, and the other way round.
        let (i, j) = (column.rank(), row.rank());
        let (height, width) = (n / rows, n / columns);
        let part = width / rows;
        let mine: Vec<i64> = (0..part).map(|index| x(j * width + i * part + index)).collect();
        let x = {
            let _phase = node.phase("all-gather x in columns")?;
            column.using(algorithm).all_gather(&mine, width)?
        };
        let y: Vec<i64> = (i * height..(i + 1) * height).map(|line| product(line, j * width, &x)).collect();
        let _phase = node.phase("combine y in rows")?;
        Ok(row.using(algorithm).reduce_scatter(&y, height, Sum)?)
    })?;
    Ok(run)
}

/// The same with whole rows of the matrix on every node.
pub fn in_rows(algorithm: &Algorithm, n: usize) -> Result<Run<Vec<i64>>, Box<dyn Error>> {
    let machine = Machine::paragon(MESH.0, MESH.1).build()?;
    let run = machine.run(|node| {
        let part = n / node.size();
        let own = node.rank() * part..(node.rank() + 1) * part;
        let mine: Vec<i64> = own.clone().map(x).collect();
        let x = node.world().using(algorithm).all_gather(&mine, n)?;
        Ok(own.map(|line| product(line, 0, &x)).collect())
    })?;
    Ok(run)
}

/// A row of the matrix, from a column on, times a part of the vector.
fn product(row: usize, first: usize, x: &[i64]) -> i64 {
    (first..).zip(x).map(|(column, x)| element(row, column) * x).sum()
}

fn main() -> Result<(), MainError> {
    for n in [32, 1024, 4096] {
        println!("n = {n}");
        for (name, algorithm) in [("long", Algorithm::LONG), ("auto", Algorithm::AUTO)] {
            let (blocks, rows) = (in_blocks(&algorithm, n)?, in_rows(&algorithm, n)?);
            println!("  {name}: in blocks {}, in rows {}", blocks.report.makespan, rows.report.makespan);
            for phase in &blocks.report.phases {
                println!("    {} from {} to {}", phase.name, phase.begin, phase.end);
            }
        }
    }
    Ok(())
}
