//! Costs of the edges of a tree: the times for which an edge keeps its nodes busy.

use super::Task;
use crate::time::Span;

/// Data that moves along the edges of a tree.
#[derive(Clone, Copy)]
pub(super) enum Load {
    /// The same `bytes` bytes along each edge.
    Whole { bytes: u64 },
    /// `bytes` bytes in total, divided evenly among the nodes.
    Blocks { bytes: u64 },
}

/// Direction in which data moves along a tree.
#[derive(Clone, Copy)]
pub(super) enum Direction {
    Out,
    In,
    /// In and then out again, along the same tree.
    Both,
}

/// Returns the time for which an edge of the tree keeps the node nearer to the root busy, and the time after which the other node can
/// continue. The edge leads to `size` of `nodes` nodes, and contention makes messages take `conflict` times as long. Sends are
/// non-blocking: the next send can follow when processor and port are free. For inward data the times are those of the receives.
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
    let transit = parameters.start_up(bytes) + parameters.hop() + transfer;
    match direction {
        Direction::Out => (send.max(transfer), transit),
        Direction::In => ((recv + combining).max(transfer), transit + combining),
        Direction::Both => (send.max(recv + combining).max(transfer), transit + combining),
    }
}
