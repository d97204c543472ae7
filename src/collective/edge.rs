//! The edges of a tree: how long each keeps its nodes busy.

use super::Task;
use crate::time::Span;

/// Data that goes along the edges of a tree.
#[derive(Clone, Copy)]
pub(super) enum Load {
    /// All of so many bytes along each.
    Whole { bytes: u64 },
    /// So many bytes in all, of which each node has its share.
    Blocks { bytes: u64 },
}

/// Direction in which data goes along a tree.
#[derive(Clone, Copy)]
pub(super) enum Direction {
    Out,
    In,
    /// In and then out again, along the same tree.
    Both,
}

/// The time for which an edge of the tree keeps the node nearer to the root busy, and that after which the other one can go on, if it leads
/// to `size` of `nodes` nodes and messages take `conflict` times as long. Sends do not block: the next one can follow
/// when the processor and the port are free. Inwards the times are those of the receives.
pub(super) fn edge(
    task: &Task,
    load: Load,
    direction: Direction,
    conflict: f64,
    nodes: usize,
    size: usize,
) -> (Span, Span) {
    let parameters = task.parameters();
    let (bytes, combines) = match load {
        Load::Whole { bytes } => (bytes, task.operation().combines()),
        Load::Blocks { bytes } => ((u128::from(bytes) * size as u128 / nodes as u128) as u64, false),
    };
    let transfer = parameters.transfer((bytes as f64 * conflict) as u64);
    let (send, recv) = parameters.overheads(bytes);
    let combining = parameters.combining(if combines { bytes / task.element_bytes() } else { 0 });
    let way = parameters.start_up(bytes) + parameters.hop() + transfer;
    match direction {
        Direction::Out => (send.max(transfer), way),
        Direction::In => ((recv + combining).max(transfer), way + combining),
        Direction::Both => (send.max(recv + combining).max(transfer), way + combining),
    }
}
