//! The critical path of a run as what is drawn of it: stretches that lie end to end.

use crate::{
    analysis::{CriticalPath, Kind, Piece},
    model::Description,
    rank::Rank,
    record::Trace,
    time::Time,
};

/// A stretch of the path: all that follows each other on one node, or along a message from one to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) from: Rank,
    /// The node on which the next one begins.
    pub(super) to: Rank,
    pub(super) start: Time,
    pub(super) end: Time,
}

/// The path of a run in modeled time. One whose trace is not whole has none.
pub(super) fn stretches(trace: &Trace, machine: &Description) -> Vec<Stretch> {
    let Ok(path) = CriticalPath::of(trace, machine) else { return Vec::new() };
    // Where it goes along a message; where that had to wait for an earlier one's bytes it stays at the sender.
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
    let nexts: Vec<Rank> = stretches.iter().skip(1).map(|next| next.from).chain([path.last_node]).collect();
    stretches.iter_mut().zip(nexts).for_each(|(stretch, next)| stretch.to = next);
    let stays = |stretch: &Stretch| stretch.from == stretch.to;
    let together = stretches.chunk_by(|one, next| stays(one) && stays(next));
    together.map(|stretches| Stretch { end: stretches[stretches.len() - 1].end, ..stretches[0] }).collect()
}
