//! Example 42: schedules as texts in GOAL, the format of LogGOPSim.
//!
//! A text says what every rank sends, receives and computes, and which operation waits for which. It is read line by line,
//! timed on any machine without threads, and run on threads with real bytes, in the same time. The patterns are those of
//! LogGOPSim's own generator: a broadcast down a binomial tree, dissemination, and a linear all-to-all exchange.
//!
//! With a folder, it writes larger texts into it, for `multicomputer goal`.
//!
//! Run it with `cargo run --release --example 42_goal [FOLDER]`.

use std::{error::Error, fmt::Write, fs, path::Path};

use multicomputer::{
    Machine, Time,
    collective::{Algorithm, Operation, Task},
    error::MainError,
    goal::{self, Program, Sends, predict},
    model::{MachineSpec, Parameters},
    topology,
};

/// The ranks one after the other, each with its operations.
fn text(ranks: usize, operations: impl Fn(usize, &mut String)) -> String {
    let mut text = format!("num_ranks {ranks}\n");
    for rank in 0..ranks {
        let _ = writeln!(text, "rank {rank} {{");
        operations(rank, &mut text);
        text.push_str("}\n");
    }
    text
}

/// A broadcast from rank 0 down a binomial tree: in step k each of the first 2^k ranks sends to the one 2^k after it.
pub fn binomial_tree(ranks: usize, bytes: u64) -> String {
    text(ranks, |rank, text| {
        let mut first = 1;
        let mut got = false;
        if rank > 0 {
            first = 1 << rank.ilog2();
            let _ = writeln!(text, "l0: recv {bytes}b from {} tag 1", rank - first);
            (first, got) = (2 * first, true);
        }
        let steps = std::iter::successors(Some(first), |step| Some(2 * step));
        for (number, step) in (1..).zip(steps.take_while(|step| rank + step < ranks)) {
            let _ = writeln!(text, "l{number}: send {bytes}b to {} tag 1", rank + step);
            if got {
                let _ = writeln!(text, "l{number} requires l0");
            }
        }
    })
}

/// Dissemination: in step k each rank sends to the one 2^k after it, when it has what came in the step before.
pub fn dissemination(ranks: usize, bytes: u64) -> String {
    text(ranks, |rank, text| {
        let steps = std::iter::successors(Some(1), |step| Some(2 * step)).take_while(|&step| step < ranks);
        for (number, step) in (1..).zip(steps) {
            let (to, from) = ((rank + step) % ranks, (rank + ranks - step) % ranks);
            let _ = writeln!(text, "s{number}: send {bytes}b to {to} tag {number}");
            let _ = writeln!(text, "r{number}: recv {bytes}b from {from} tag {number}");
            if number > 1 {
                let _ = writeln!(text, "s{number} requires r{}", number - 1);
            }
        }
    })
}

/// A linear all-to-all exchange: each rank sends to all others, from the next one on, and receives from all others; nothing
/// waits for anything.
pub fn linear_all_to_all(ranks: usize, bytes: u64) -> String {
    text(ranks, |rank, text| {
        for step in 1..ranks {
            let _ = writeln!(text, "send {bytes}b to {}", (rank + step) % ranks);
        }
        for step in 1..ranks {
            let _ = writeln!(text, "recv {bytes}b from {}", (rank + ranks - step) % ranks);
        }
    })
}

/// Two nodes and more of LogGP: o = 1.5 us, L = 2.5 us and G = 1 ns a byte, on links that nobody shares.
pub fn machine(nodes: usize) -> Result<MachineSpec, Box<dyn Error>> {
    let parameters =
        Parameters::builder().send_overhead(1.5e-6).receive_overhead(1.5e-6).latency(2.5e-6).beta(1e-9);
    let network = topology::parse(&format!("complete:{nodes}"))?;
    Ok(MachineSpec::new("LogGP", network, parameters.build()?))
}

/// The time of a text by prediction, and on threads.
pub fn both(machine: &MachineSpec, text: &str) -> Result<(Time, Time), Box<dyn Error>> {
    let program = Program::read(text.as_bytes())?;
    let predicted = predict(machine, &program, Sends::Eager)?;
    let run = Machine::builder(machine.clone()).build()?.run(|node| Ok(program.play(node, Sends::Eager)?))?;
    Ok((predicted.modeled, run.report.makespan))
}

/// A broadcast of this library as a text, with its time and that of the text.
pub fn written(machine: &MachineSpec) -> Result<(String, Time, Time), Box<dyn Error>> {
    let task = Task::builder(machine, Operation::Broadcast).elements(1000).build()?;
    let plan = Algorithm::SHORT.plan(&task)?;
    let mut text = Vec::new();
    goal::write(plan.schedule(), machine, &mut text)?;
    let again = predict(machine, &Program::read(&text[..])?, Sends::Blocking)?;
    Ok((String::from_utf8(text)?, plan.prediction().modeled, again.modeled))
}

fn main() -> Result<(), MainError> {
    if let Some(folder) = std::env::args().nth(1) {
        let write = |name: &str, text: String| fs::write(Path::new(&folder).join(name), text);
        write("dissemination.goal", dissemination(65_536, 8))?;
        write("all-to-all.goal", linear_all_to_all(512, 8))?;
        write("tree.goal", binomial_tree(262_144, 8))?;
        return Ok(());
    }
    let machine = machine(16)?;
    for (name, text) in [
        ("binomial tree", binomial_tree(16, 1000)),
        ("dissemination", dissemination(16, 1000)),
        ("linear all-to-all", linear_all_to_all(16, 1000)),
    ] {
        let (predicted, run) = both(&machine, &text)?;
        println!("{name}: {predicted} predicted, {run} on threads");
    }
    let (text, planned, again) = written(&self::machine(4)?)?;
    println!("a broadcast of this library among 4 nodes, {planned} here and {again} as\n{text}");
    Ok(())
}
