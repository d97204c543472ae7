//! Example 43: custom algorithms, beside those of the library.
//!
//! A custom algorithm is a function that cuts the data of a problem into pieces and makes a schedule of their messages. Each
//! schedule is checked before use: every rank must end with the data that the operation requires. A custom algorithm has predictions
//! as the library's algorithms have, runs with real data, and can be an alternative to *Auto*.
//!
//! The example has an all-gather and an all-reduce for a mesh whose links are as slow as its ports: a closed ring that snakes through
//! the mesh, so that every message goes to a neighbour. The all-reduce is the all-gather backwards, and then forwards.
//!
//! Run it with `cargo run --release --example 43_custom`.

use std::error::Error;

use multicomputer::{
    Machine, Run,
    collective::{Algorithm, Draft, Operation, Piece, Sum, Task},
    model::MachineSpec,
    pattern::{Exchange, Origin, Transfer},
    plan::PlanError,
    prelude::*,
};

/// The ranks in the order of a closed way through a mesh with an even number of rows: down the first column, and back through
/// the others, row by row.
pub fn snake(task: &Task) -> Result<Vec<Rank>, String> {
    let grid = task.machine().topology().grid().filter(|grid| grid.nodes() == task.size());
    let grid = grid.filter(|grid| grid.rows % 2 == 0 && grid.columns > 1);
    let grid = grid.ok_or("a mesh with an even number of rows, of which all nodes take part, is needed")?;
    let down = (0..grid.rows).map(|row| row * grid.columns);
    let back = (0..grid.rows).rev().flat_map(|row| {
        let line = (1..grid.columns).map(move |column| row * grid.columns + column);
        if row % 2 == 1 { line.collect::<Vec<_>>() } else { line.rev().collect() }
    });
    Ok(down.chain(back).collect())
}

/// An all-gather: each block goes around the ring, in so many steps.
fn ring(task: &Task, steps: usize) -> Result<Draft, Box<dyn Error + Send + Sync>> {
    let (ring, size) = (snake(task)?, task.size());
    let owners: Vec<Rank> = (0..size).collect();
    let pieces = owners.iter().map(|&rank| Piece::of(task.block(rank), Origin::At(rank))).collect();
    Ok(Draft::moving(task, pieces, &owners, Exchange::Overlapped, |builder| {
        for step in 0..steps {
            builder.iteration((0..size).map(|place| Transfer {
                from: ring[place],
                to: ring[(place + 1) % size],
                blocks: [ring[(place + size - step) % size] as u32].into(),
            }));
        }
    }))
}

/// The algorithm: an all-gather, its dual that combines, or both.
pub fn snake_ring() -> Algorithm {
    Algorithm::custom("snake", |task: &Task| {
        let all_gather = ring(task, task.size() - 1)?;
        match task.operation() {
            Operation::AllGather => Ok(all_gather.hoisted()),
            Operation::ReduceScatter => Ok(all_gather.combining().hoisted()),
            Operation::AllReduce => Ok(all_gather.combining_and_back().hoisted()),
            other => Err(format!("it is for all-gathers and combines, and this is a {other}").into()),
        }
    })
}

/// One that stops a step too early.
pub fn short_ring() -> Algorithm {
    Algorithm::custom("short", |task: &Task| ring(task, task.size() - 2))
}

/// A mesh on which links and ports are equally fast.
pub fn machine() -> Result<MachineSpec, Box<dyn Error>> {
    Ok("hockney:4x5".parse()?)
}

/// The operation on so many doubles.
pub fn task(operation: Operation, doubles: u64) -> Result<Task, Box<dyn Error>> {
    Ok(Task::builder(&machine()?, operation).elements(doubles).element_bytes(8).build()?)
}

/// Returns the times of the library's algorithms and of the custom one, of those that work for the task, the fastest first.
pub fn compared(task: &Task) -> Vec<(String, Span)> {
    let mut rows = Vec::new();
    for algorithm in Algorithm::of(task.operation()).into_iter().chain([snake_ring()]) {
        if let Ok(plan) = algorithm.plan(task) {
            rows.push((algorithm.to_string(), plan.prediction().modeled.since_start()));
        }
    }
    rows.sort_by_key(|&(_, modeled)| modeled);
    rows
}

/// Returns the name and the time of the faster plan of an algorithm of the library and the custom one.
pub fn chosen(task: &Task, library: &Algorithm) -> Result<(String, Span), PlanError> {
    let plan = library.or(snake_ring()).plan(task)?;
    Ok((plan.name().to_owned(), plan.prediction().modeled.since_start()))
}

/// Sums vectors of `doubles` doubles on the nodes, by the custom algorithm.
pub fn sum(doubles: usize) -> Result<Run<f64>, Box<dyn Error>> {
    let snake = snake_ring();
    let run = Machine::builder(machine()?).build()?.run(|node| {
        let mut x = vec![node.rank() as f64; doubles];
        node.world().using(&snake).all_reduce(&mut x, Sum)?;
        Ok(x[doubles - 1])
    })?;
    Ok(run)
}

fn main() -> Result<(), MainError> {
    for (operation, doubles) in [(Operation::AllGather, 1 << 17), (Operation::AllReduce, 20_000)] {
        let task = task(operation, doubles)?;
        let bound = task.lower_bound().time();
        println!("{operation} of {doubles} doubles on {}", task.machine().name());
        for (name, modeled) in compared(&task) {
            println!("  {name:12} {modeled:>14}  {:.3}", modeled.as_secs_f64() / bound.as_secs_f64());
        }
        println!("  nothing      {:>14}  1.000", bound.to_string());
        for library in [Algorithm::AUTO, Algorithm::CIRCULANT] {
            let (name, modeled) = chosen(&task, &library)?;
            println!("  {library} or snake: {name}, {modeled}");
        }
        println!();
    }
    let run = sum(20_000)?;
    println!("run: {} everywhere, in {}", run.outputs[7], run.report.makespan);
    if let Err(error) = short_ring().plan(&task(Operation::AllGather, 1 << 17)?) {
        println!("{error}");
    }
    Ok(())
}
