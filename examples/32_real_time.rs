//! Example 32: real time. The same modeled times as in virtual time, at true speed on the wall clock.
//!
//! 30 nodes of a 10 x 10 Paragon have 2 KiB each, and all nodes are to have all of it. Here recursive halving is written out
//! with sends and receives, every one of which returns when it is due on the wall clock, some seven milliseconds in all.
//! Modeled times are exact in every run. How late the host was is the run's *lateness*; if it could not keep up, the verdict
//! says so, and a larger dilation helps: `Dilation::Fixed(4.0)` takes four wall seconds for a modeled one, and
//! `Dilation::Auto` finds the smallest that this host can keep.
//!
//! Run it with `cargo run --release --example 32_real_time`, or with a side and dilations:
//! `cargo run --release --example 32_real_time -- 16 1 4`.

use std::error::Error;

use multicomputer::{
    Dilation, Run,
    pattern::{Direction, Halving, line},
    prelude::*,
};

const SOURCES: usize = 30;
const BYTES: u64 = 2048;

/// Broadcasts from every third node or so by recursive halving on the snake through a mesh of `side * side` nodes.
pub fn halving(side: usize, clock: Clock) -> Result<Run<Time>, Box<dyn Error>> {
    let machine = Machine::paragon(side, side).clock(clock).build()?;
    let grid = machine.spec().topology().grid().ok_or("a mesh has rows and columns")?;
    let (snake, halving) = (line::snake(grid), Halving::new(side * side));
    let mut position = vec![0; snake.len()];
    snake.iter().enumerate().for_each(|(at, &rank)| position[rank] = at);
    // What each position of the line holds before each iteration: all of them work it out alike.
    let mut held = vec![vec![0; snake.len()]; halving.iterations() + 1];
    (0..SOURCES).for_each(|source| held[0][source * snake.len() / SOURCES] = BYTES);
    for iteration in 0..halving.iterations() {
        held[iteration + 1] = held[iteration].clone();
        for at in 0..snake.len() {
            for pairing in halving.pairings(at).filter(|pairing| pairing.iteration == iteration) {
                if pairing.direction != Direction::Out {
                    held[iteration + 1][at] += held[iteration][pairing.partner];
                }
            }
        }
    }
    Ok(machine.run(|node| {
        let (world, at) = (node.world(), position[node.rank()]);
        for pairing in halving.pairings(at) {
            let (before, partner) = (&held[pairing.iteration], snake[pairing.partner]);
            let (mine, theirs) = (before[at], before[pairing.partner]);
            let sends = mine > 0 && pairing.direction != Direction::In;
            let receives = theirs > 0 && pairing.direction != Direction::Out;
            match (sends, receives) {
                (true, true) => drop(world.sendrecv(partner, Payload::phantom(mine), partner)?),
                (true, false) => world.send(partner, Payload::phantom(mine))?,
                (false, true) => drop(world.recv(partner)?),
                (false, false) => {}
            }
        }
        Ok(node.now()?)
    })?)
}

fn main() -> Result<(), MainError> {
    let mut arguments = std::env::args().skip(1);
    let side = arguments.next().map_or(Ok(10), |side| side.parse())?;
    let mut dilations = arguments
        .map(|text| if text == "auto" { Ok(Dilation::Auto) } else { text.parse().map(Dilation::Fixed) })
        .collect::<Result<Vec<_>, _>>()?;
    if dilations.is_empty() {
        dilations = vec![Dilation::Fixed(1.0), Dilation::Fixed(4.0), Dilation::Auto];
    }
    let virtually = halving(side, Clock::Virtual)?;
    println!("virtual time: {}", virtually.report.makespan);
    for dilation in dilations {
        let really = halving(side, Clock::RealTime { dilation })?;
        assert_eq!(really.outputs, virtually.outputs, "modeled times are those of virtual time");
        if let Some(pace) = &really.report.real_time {
            println!(
                "dilation {:.2}: {:.3?} of wall time, error {:.2} %, {} of {} calls late, largest lateness {:.3?}: {}",
                pace.dilation,
                pace.wall,
                100.0 * pace.error,
                pace.late_calls,
                pace.calls,
                pace.largest_lateness.by,
                pace.verdict
            );
        }
    }
    Ok(())
}
