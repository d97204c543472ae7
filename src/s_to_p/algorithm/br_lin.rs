//! Algorithm *Br_Lin*: recursive halving on the nodes of the mesh in snake-like order.
//!
//! **What it does.** The nodes form a line: the rows of the mesh, alternately from left to right and from right to left. Each node is
//! paired with the node half the line away. If both hold data, they exchange it; if only one does, it sends. The same happens then in each
//! half. A node sends all that it holds as one message and appends what it receives. The papers do not say how a segment of odd length is
//! halved; the rule used here is documented at [`Halving`](crate::pattern::Halving).
//!
//! *Br_Lin in row-major order* is the same algorithm on the line of ranks. The report's text says "snake-like", but several of its
//! statements hold only in row-major order: on squares of powers of two the first half of the iterations uses only column links; columns do
//! not grow at first; on rows the algorithm equals *Br_xy_source*; on 120 nodes 15 sources take less time than 8 (figure 7). This module
//! therefore has both.
//!
//! **Restrictions.** None: any mesh shape, 1 to `p` sources, messages of any lengths.
//!
//! **Cost.** `ceil(log2 p)` iterations. With `m_i` = [`longest_after(i)`](crate::pattern::Growth::longest_after) bytes and no link
//! contention, at most
//!
//! ```text
//! sum over i of (alpha + m_i beta)
//! ```
//!
//! plus, for an exchange, `o_x` and `2 / d` times the time of each byte. An iteration that splits segments of odd length costs the same
//! again, because a node may get a second message. No byte is copied: a receive places its data after the data already held.
//!
//! **Source.** Report, section 2.

use super::{Algorithm, Draft, Entry, Instance, of, only};
use crate::pattern::{Exchange, line};

impl Algorithm {
    /// Recursive halving with exchange on the nodes in snake-like order: `ceil(log2 p)` iterations, each of `alpha + m beta` for the `m`
    /// bytes that a node holds, and `o_x` more for an exchange. Report, section 2.
    pub const BR_LIN: Algorithm = of(&BR_LIN);

    /// Recursive halving on the nodes in row-major order, which the report's measurements seem to use.
    pub const BR_LIN_ROW_MAJOR: Algorithm = of(&BR_LIN_ROW_MAJOR);
}

static BR_LIN: Entry = Entry::new("br-lin", |_| only(draft))
    .aliases(&["recursive-halving"])
    .about("recursive halving on the nodes in snake-like order")
    .source("report, section 2")
    .cost("up to `sum (alpha + m_i beta)` over `ceil(log2 p)` iterations `i` with messages of up to `m_i` bytes, plus `o_x` for an exchange; twice where segments of odd length are halved");

static BR_LIN_ROW_MAJOR: Entry = Entry::new("br-lin-row-major", |_| only(row_major))
    .about("recursive halving on the nodes in row-major order")
    .source("report, section 2")
    .cost("as `br-lin`");

fn draft(instance: &Instance) -> Draft {
    Draft::whole(instance, Exchange::Together, |builder| builder.halve(&[line::snake(instance.grid())]))
}

fn row_major(instance: &Instance) -> Draft {
    let line = (0..instance.size()).collect();
    Draft::whole(instance, Exchange::Together, |builder| builder.halve(&[line]))
}
