//! S-to-p broadcasts: every algorithm from sources in many places, with messages of many lengths.

use std::collections::BTreeSet;

use bytes::Bytes;
use multicomputer::{
    comm::Segment,
    error::Failure,
    plan::PlanError,
    prelude::*,
    s_to_p::{Algorithm, BroadcastError, Distribution},
    topology::Grid,
};

use super::{Runner, case, same, same_all, same_bytes, within};

pub(crate) fn s_to_p(runner: &dyn Runner) {
    let size = runner.nodes();
    let rows = (1..=size).rev().find(|rows| rows * rows <= size && size.is_multiple_of(*rows)).unwrap_or(1);
    let sets = source_sets(Grid { rows, columns: size / rows });
    runner.run("s-to-p broadcasts", &|node| {
        let world = node.world();
        let algorithms = || Algorithm::all().enumerate();
        for (set, sources) in sets.iter().enumerate() {
            for (number, algorithm) in algorithms() {
                broadcast(world, &algorithm, sources, number + set, set * 100 + number)?;
            }
        }
        // In parts of the machine, and with the sources named in another order.
        let stirred = world.split_by(|rank| rank % 2)?;
        let backwards: Vec<Rank> = (0..stirred.size()).rev().collect();
        let stirred = stirred.subgroup(&backwards)?;
        let sources: Vec<Rank> =
            (0..stirred.size().div_ceil(2)).map(|nth| stirred.size() - 1 - nth).collect();
        for (number, algorithm) in algorithms() {
            broadcast(&stirred, &algorithm, &sources, 3, number)?;
        }
        case(world, "messages of elements and of phantom bytes", || calls(world))
    });
}

/// Bytes that tell the broadcast, the source, the place and the length.
pub(crate) fn message(broadcast: usize, source: Rank, length: u64) -> Vec<u8> {
    let salt = (broadcast * 101 + source * 31) as u64 + length;
    (0..length).map(|place| (salt + place * 7 + place / 251) as u8).collect()
}

/// The lengths of so many messages, of one of four kinds.
pub(crate) fn lengths(kind: usize, sources: usize) -> Vec<u64> {
    let length = |source: u64| match kind % 4 {
        0 => 0,
        1 => 1,
        2 => 2048,
        _ => source * source * 5 % 17 * (1 + source % 3 * 40),
    };
    (0..sources as u64).map(length).collect()
}

/// The sets of sources on a mesh, each once: for all distributions and several numbers of sources.
pub(crate) fn source_sets(grid: Grid) -> BTreeSet<Vec<Rank>> {
    let nodes = grid.nodes();
    let counts = BTreeSet::from([1, 2, nodes / 2, nodes - 1, nodes]);
    let counts = counts.into_iter().filter(|count| (1..=nodes).contains(count));
    counts
        .flat_map(|count| Distribution::ALL.map(|distribution| distribution.place(grid, count).unwrap()))
        .collect()
}

/// Whether a payload is these bytes, however it is chained.
fn is_same(payload: &Payload, expected: &[u8]) -> bool {
    let mut rest = expected;
    payload.len() == expected.len() as u64
        && payload.segments().iter().all(|segment| match segment {
            Segment::Data(bytes) => {
                let (start, end) = rest.split_at(bytes.len());
                rest = end;
                bytes == start
            }
            Segment::Phantom(_) => false,
        })
}

/// An error that says which of the messages is not what its source sent.
pub(crate) fn same_messages(got: &[Payload], messages: &[Bytes]) -> Result<(), Failure> {
    same("messages", got.len(), messages.len())?;
    // Most are compared without a copy.
    let differs = |(_, (got, expected)): &(usize, (&Payload, &Bytes))| !is_same(got, expected);
    got.iter().zip(messages).enumerate().filter(differs).try_for_each(|(nth, (got, expected))| {
        within(format_args!("message {nth} of {}", messages.len()), || same_bytes(got, expected))
    })
}

/// Whether an algorithm may say that there are too many sources for it.
pub(crate) fn may_refuse(algorithm: &Algorithm, sources: usize, nodes: usize) -> bool {
    *algorithm == Algorithm::SPLIT && 2 * sources > nodes
}

/// Broadcasts messages from these sources, of lengths of a kind.
fn broadcast(
    group: &Group<'_>,
    algorithm: &Algorithm,
    sources: &[Rank],
    kind: usize,
    salt: usize,
) -> Result<(), Failure> {
    let lengths = lengths(kind, sources.len());
    let salted = sources.iter().zip(&lengths);
    let messages: Vec<Bytes> =
        salted.map(|(&source, &length)| message(salt, source, length).into()).collect();
    let named: Vec<(Rank, u64)> = sources.iter().copied().zip(lengths).collect();
    let own = sources.iter().position(|&source| source == group.rank());
    let mine = own.map(|source| Payload::from(messages[source].clone()));
    case(group, format_args!("{algorithm} from {named:?}"), || {
        match group.using(algorithm).broadcast_payloads_from(&named, mine) {
            Err(BroadcastError::Plan(PlanError::Restricted { .. }))
                if may_refuse(algorithm, sources.len(), group.size()) =>
            {
                Ok(())
            }
            got => same_messages(&got?, &messages),
        }
    })
}

fn calls(group: &Group<'_>) -> Result<(), Failure> {
    let (rank, size) = (group.rank(), group.size());
    let numbers = |rank: Rank| (0..rank * 3 % 7).map(|nth| (rank * 1000 + nth) as u32).collect::<Vec<u32>>();
    let sources: Vec<(Rank, usize)> =
        (0..size).rev().filter(|rank| rank % 3 == 0).map(|rank| (rank, numbers(rank).len())).collect();
    let mine = if rank.is_multiple_of(3) { numbers(rank) } else { Vec::new() };
    let got = group.broadcast_from(&sources, &mine)?;
    same_all(&got, &sources.iter().map(|&(rank, _)| numbers(rank)).collect::<Vec<_>>())?;
    for algorithm in Algorithm::all() {
        let sources = [(size - 1, 3_000_000)];
        let mine = (rank == size - 1).then(|| Payload::phantom(3_000_000));
        match group.using(&algorithm).broadcast_payloads_from(&sources, mine) {
            Err(BroadcastError::Plan(PlanError::Restricted { .. })) if may_refuse(&algorithm, 1, size) => {}
            got => {
                let got: Vec<_> = got?.iter().map(|got| (got.len(), got.is_phantom())).collect();
                same("phantom messages", got, vec![(3_000_000, true)])?;
            }
        }
    }
    Ok(())
}
