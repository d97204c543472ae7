//! The critical path of a run for drawing, as contiguous stretches.

use multicomputer::{
    Rank, Time,
    analysis::{CriticalPath, Kind, Piece},
    model::MachineSpec,
    record::Trace,
};

/// A stretch of the path: consecutive pieces on one node, or along one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) from: Rank,
    /// The node on which the next stretch begins.
    pub(super) to: Rank,
    pub(super) start: Time,
    pub(super) end: Time,
}

/// Returns the critical path of a run in modeled time; empty if the trace is incomplete.
pub(super) fn stretches(trace: &Trace, machine: &MachineSpec) -> Vec<Stretch> {
    let Ok(path) = CriticalPath::of(trace, machine) else { return Vec::new() };
    // The message along which the path moves, if any. In all other pieces the path stays on one node.
    let message = |piece: &Piece| match piece.kind {
        Kind::Bytes | Kind::Sharing | Kind::Latency => piece.message,
        _ => None,
    };
    let pieces = path.pieces.chunk_by(|one, next| (one.rank, message(one)) == (next.rank, message(next)));
    let mut stretches: Vec<Stretch> = pieces
        .map(|pieces| {
            let (first, last) = (pieces[0], pieces[pieces.len() - 1]);
            Stretch { from: first.rank, to: first.rank, start: first.start, end: last.end }
        })
        .collect();
    let next_ranks: Vec<Rank> =
        stretches.iter().skip(1).map(|next| next.from).chain([path.last_node]).collect();
    stretches.iter_mut().zip(next_ranks).for_each(|(stretch, next)| stretch.to = next);
    let stays_on_node = |stretch: &Stretch| stretch.from == stretch.to;
    let runs = stretches.chunk_by(|one, next| stays_on_node(one) && stays_on_node(next));
    runs.map(|stretches| Stretch { end: stretches[stretches.len() - 1].end, ..stretches[0] }).collect()
}
