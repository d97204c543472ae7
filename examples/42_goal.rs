//! Example 42: schedules as texts in GOAL, the format of LogGOPSim.
//!
//! A text says what every rank sends, receives and computes, and which operation waits for which. It is read line by line,
//! timed on any machine without threads, and run on threads with real bytes, in the same time. The patterns are those of
//! LogGOPSim's own generator: a broadcast down a binomial tree, dissemination, and a linear all-to-all exchange.
//!
//! Run it with `cargo run --release --example 42_goal`.

use std::{error::Error, fmt::Write};

use multicomputer::{
    Machine, Time,
    goal::{Program, Sends, predict},
    model::Description,
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

/// The time of a program by prediction, and on threads.
pub fn both(machine: &Description, text: &str) -> Result<(Time, Time), Box<dyn Error>> {
    let program = Program::read(text.as_bytes())?;
    let predicted = predict(machine, &program, Sends::Eager)?;
    let run = Machine::of(machine.clone()).build()?.run(|node| Ok(program.play(node, Sends::Eager)?))?;
    Ok((predicted.modeled, run.report.modeled))
}

fn main() -> Result<(), Box<dyn Error>> {
    if let Some(path) = std::env::args().nth(1) {
        std::fs::write(format!("{path}/diss65536.goal"), dissemination(65536, 8))?;
        std::fs::write(format!("{path}/a2a512.goal"), linear_all_to_all(512, 8))?;
        std::fs::write(format!("{path}/a2a512k.goal"), linear_all_to_all(512, 1024))?;
        std::fs::write(format!("{path}/tree.goal"), binomial_tree(262144, 8))?;
        for (file, machine) in [("diss65536", "fat-tree:65536:65536:1000"), ("a2a512", "fat-tree:512:512:1000"), ("a2a512k", "fat-tree:512:512:1000"), ("a2a512k", "complete:512"), ("tree","fat-tree:262144:262144:1000")] {
            for _ in 0..2 {
            let start = std::time::Instant::now();
            let program = Program::read(std::io::BufReader::with_capacity(1<<16, std::fs::File::open(format!("{path}/{file}.goal"))?))?;
            let read = start.elapsed();
            let d: Description = machine.parse()?;
            let m = std::fs::read_to_string(format!("{path}/m.toml"))?.replace("TOPOLOGY", machine);
            std::fs::write(format!("{path}/m2.toml"), m)?;
            let d2 = Description::from_file(format!("{path}/m2.toml"))?;
            let _ = d;
            let p = predict(&d2, &program, Sends::Eager)?;
            let all = start.elapsed();
            println!("{file} {machine}: {} read {read:?} all {all:?} = {} messages/s", p.modeled, program.messages() as f64 / all.as_secs_f64());
            }
        }
    }
    let machine: Description = "complete:16".parse()?;
    for (name, text) in [
        ("binomial tree", binomial_tree(16, 1000)),
        ("dissemination", dissemination(16, 1000)),
        ("linear all-to-all", linear_all_to_all(16, 1000)),
    ] {
        let (predicted, run) = both(&machine, &text)?;
        println!("{name}: {predicted} predicted, {run} on threads");
    }
    Ok(())
}
