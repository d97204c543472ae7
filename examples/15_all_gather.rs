//! Example 15: an all-gather, and that it copies nothing.
//!
//! Every node of a 4 x 8 Paragon has a block, and all are to have all blocks. On slices that is a call of `all-gather`,
//! which returns a new vector. Where the blocks are long, `carry_out` does the same on [`Payload`]s, which are moved by
//! reference: in the end every node has a chain of 32 segments, and all chains lead to the same 32 pieces of memory.
//!
//! In modeled time it makes no difference. There the algorithms differ: a gather and a broadcast (`short`), buckets in
//! rows and columns (`long`), and doubling what is known on a circulant graph (`circulant`).
//!
//! Run it with `cargo run --release --example 15_all_gather`. Next: `16_reduce`.

use std::error::Error;

use multicomputer::{
    Machine, Payload, Run,
    collective::{Algorithm, Collective, Job, Operation},
    comm::Segment,
    error::MainError,
};

/// The algorithms compared.
pub const ALGORITHMS: [Algorithm; 4] =
    [Algorithm::SHORT, Algorithm::LONG, Algorithm::CIRCULANT, Algorithm::AUTO];

/// The address of a segment, and its last byte.
pub type Place = (usize, u8);

/// Collects blocks of so many bytes; every node returns where the segments of its vector are.
pub fn all_gather(algorithm: &Algorithm, length: usize) -> Result<Run<Vec<Place>>, Box<dyn Error>> {
    let machine = Machine::paragon(4, 8).build()?;
    let run = machine.run(|node| {
        let world = node.world();
        let request = Job::bytes(Operation::AllGather, node.size() * length);
        let mine = Payload::from(vec![node.rank() as u8; length]);
        let all = world.using(algorithm).carry_out(&request, mine)?;
        let place = |segment: &Segment| match segment {
            Segment::Data(bytes) => (bytes.as_ptr() as usize, bytes[bytes.len() - 1]),
            Segment::Phantom(_) => (0, 0),
        };
        Ok(all.segments().iter().map(place).collect())
    })?;
    Ok(run)
}

fn main() -> Result<(), MainError> {
    for length in [8, 32 << 10] {
        println!("32 blocks of {length} bytes");
        for algorithm in &ALGORITHMS {
            let run = all_gather(algorithm, length)?;
            let mut pieces: Vec<_> = run.outputs.iter().flatten().collect();
            let all = pieces.len();
            pieces.sort_unstable();
            pieces.dedup();
            let (name, modeled) = (algorithm.spelled(Operation::AllGather), run.report.makespan.to_string());
            println!("  {name:<10}{modeled:>16}, {all} segments in {} places", pieces.len());
        }
    }
    Ok(())
}
