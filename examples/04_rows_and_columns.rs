//! Example 4: groups, and the phases of a program.
//!
//! Every node of a 3 x 4 mesh holds a number, and every node is to know the sum of all. First each row adds up its
//! own numbers: they go around the row as on a ring. Then the sums of the rows go around each column in the same
//! way. Ranks within a group are counted from 0, so one function serves rows and columns alike.
//!
//! The time is (3 + 2) * (alpha + 8 beta) = 652 us: three steps in the rows and two in the columns, in which no two
//! messages meet on a link.
//!
//! Run it with `cargo run --release --example 04_rows_and_columns`. Next: `05_deadlock`.

use std::error::Error;

use multicomputer::{Run, prelude::*};

/// The sum of one number of each member of the group, by passing all numbers around it.
fn sum_over(group: &Group<'_>, mine: u64) -> Result<u64, Failure> {
    let (rank, size) = (group.rank(), group.size());
    let (left, right) = ((rank + size - 1) % size, (rank + 1) % size);
    let (mut sum, mut passing) = (mine, mine);
    for _ in 1..size {
        passing = group.sendrecv(right, passing, left)?.to_value()?;
        sum += passing;
    }
    Ok(sum)
}

/// Every node of a 3 x 4 mesh holds its rank squared; the sum of all, as each node finds it.
pub fn sum_of_squares() -> Result<Run<u64>, Box<dyn Error>> {
    let machine = Machine::hockney(3, 4).build()?;
    let run = machine.run(|node| {
        let mine = (node.rank() * node.rank()) as u64;
        let of_row = {
            let _phase = node.phase("rows")?;
            sum_over(node.row()?, mine)?
        };
        let _phase = node.phase("columns")?;
        sum_over(node.column()?, of_row)
    })?;
    Ok(run)
}

fn main() -> Result<(), MainError> {
    let run = sum_of_squares()?;
    println!("the squares of 0 to 11 add up to {} on every node, at {}", run.outputs[0], run.report.makespan);
    for phase in &run.report.phases {
        println!("  {:<8} from {} to {}", phase.name, phase.begin, phase.end);
    }
    Ok(())
}
