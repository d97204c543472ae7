//! Example 11: a program as it was written for the Paragon, with the calls of NX.
//!
//! The equation -u'' = 1 on a rod whose ends are held at 0, by Jacobi's method: the rod has 8 x 16 inner points, 16 on
//! each node of a 2 x 4 Paragon. Node 0 tells all others how many sweeps there are: a message to node -1, which they
//! receive as any other. In every sweep each node sends its outermost values to its neighbours; the type of a message
//! says which way it goes, so nobody minds which one comes first. After every tenth sweep all agree on the greatest
//! change (`gdhigh`), and at the end on the sum of all values (`gdsum`).
//!
//! What a node computes in a sweep takes 10 us, which `compute` says. All else is messages of 8 bytes, and most of that
//! their start-up: two that are sent and two that are received take an inner node 368 us.
//!
//! Run it with `cargo run --release --example 11_nx_style`. Next: `12_broadcast`.

use std::error::Error;

use multicomputer::{Run, nx::Nx, prelude::*};

/// Types of messages.
const SWEEPS: i32 = 1;
const TO_THE_RIGHT: i32 = 2;
const TO_THE_LEFT: i32 = 3;

/// Points of a node.
pub const POINTS: usize = 16;

/// What a node finds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// The greatest change of a value in the last sweep.
    pub change: f64,
    /// The sum of all values.
    pub sum: f64,
    /// How long the sweeps took, in seconds of modeled time.
    pub seconds: f64,
}

/// The program of a node.
fn jacobi(node: &Node<'_>) -> Result<Found, Failure> {
    let nx = Nx::new(node)?;
    let (me, last) = (nx.mynode(), nx.numnodes() - 1);

    let mut sweeps = [0];
    if me == 0 {
        sweeps = [40];
        nx.csend(SWEEPS, sweeps, -1, 0)?;
    } else {
        nx.crecv(SWEEPS, &mut sweeps)?;
    }

    // With a place at each end for a neighbour's value, or for that of the rod's end.
    let mut u = [0.0; POINTS + 2];
    let source = (POINTS as f64 * f64::from(nx.numnodes()) + 1.0).powi(-2);
    let mut change = [0.0];
    nx.gsync()?;
    let start = nx.dclock()?;
    for sweep in 1..=sweeps[0] {
        if me < last {
            nx.csend(TO_THE_RIGHT, &u[POINTS..=POINTS], me + 1, 0)?;
        }
        if me > 0 {
            nx.csend(TO_THE_LEFT, &u[1..=1], me - 1, 0)?;
            nx.crecv(TO_THE_RIGHT, &mut u[..1])?;
        }
        if me < last {
            nx.crecv(TO_THE_LEFT, &mut u[POINTS + 1..])?;
        }
        let before = u;
        for at in 1..=POINTS {
            u[at] = (before[at - 1] + before[at + 1] + source) / 2.0;
        }
        node.compute(Span::from_micros(10))?;
        if sweep % 10 == 0 {
            change = [u.iter().zip(before).map(|(now, before)| (now - before).abs()).fold(0.0, f64::max)];
            nx.gdhigh(&mut change)?;
        }
    }
    let seconds = nx.dclock()? - start;
    let mut sum = [u[1..=POINTS].iter().sum()];
    nx.gdsum(&mut sum)?;
    Ok(Found { change: change[0], sum: sum[0], seconds })
}

/// The program on 2 x 4 nodes.
pub fn rod() -> Result<Run<Found>, Box<dyn Error>> {
    Ok(Machine::paragon(2, 4).build()?.run(jacobi)?)
}

fn main() -> Result<(), MainError> {
    let run = rod()?;
    let Found { change, sum, seconds } = run.outputs[0];
    println!("after {:.2} ms of sweeps the sum is {sum:.6}, and the last change {change:.3e}", seconds * 1e3);
    println!("{}", run.report);
    Ok(())
}
