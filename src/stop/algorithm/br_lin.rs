//! Algorithm *Br_Lin*: recursive halving on the nodes of the mesh in snake-like order.
//!
//! **What it does.** The nodes form a line, the rows of the mesh from left to right and from right to left in turn.
//! Each node is paired with the one half the line away; if both hold data they exchange it, if one does it sends. Then
//! the same happens in each half. A node sends everything that it holds, as one message, and puts what it receives
//! behind it. The papers leave open how an odd part is halved; the rule is with [`Halving`](crate::pattern::Halving).
//!
//! *Br_Lin in row-major order* is the same on the line of the ranks. The report's text says "snake-like", but several
//! things that it says about the algorithm are true only in row-major order: that on squares of powers of two the first
//! half of the iterations uses only column links, that columns do not grow at first, that on rows it does what
//! *Br_xy_source* does, and that on 120 nodes 15 sources take less time than 8 (figure 7). So both are here.
//!
//! **Restrictions.** None: any mesh shape, any number of sources from 1 to `p`, messages of any lengths.
//!
//! **Cost.** `ceil(log2 p)` iterations. With `m_i` = [`longest_after(i)`](crate::pattern::Growth::longest_after)
//! bytes, without conflicts on the links, at most
//!
//! ```text
//! sum over i of (alpha + m_i beta)
//! ```
//!
//! plus, for an exchange, `o_x` and `2 / d` times the time of each byte, and once more the same in an iteration that
//! splits segments of odd length, where a node may have a second message. No byte is copied: a receive places its data
//! behind what is held.
//!
//! **Source.** Report, section 2.

use super::{Algorithm, Draft, Entry, Instance, of, only};
use crate::pattern::{Exchange, line};

impl Algorithm {
    /// Recursive halving with exchange on the nodes in snake-like order: `ceil(log2 p)` iterations, each of
    /// `alpha + m beta` for the `m` bytes that a node holds, and `o_x` more for an exchange. Report, section 2.
    pub const BR_LIN: Algorithm = of(&BR_LIN);

    /// The same on the nodes in row-major order, which is what the report's measurements seem to be of.
    pub const BR_LIN_ROW_MAJOR: Algorithm = of(&BR_LIN_ROW_MAJOR);
}

static BR_LIN: Entry = Entry::new("br-lin", |_| only(draft))
    .about("recursive halving on the nodes in snake-like order")
    .source("report, section 2");

static BR_LIN_ROW_MAJOR: Entry = Entry::new("br-lin-row-major", |_| only(row_major))
    .about("recursive halving on the nodes in row-major order")
    .source("report, section 2");

fn draft(instance: &Instance) -> Draft {
    Draft::whole(instance, Exchange::Together, |builder| builder.halve(&[line::snake(instance.grid())]))
}

fn row_major(instance: &Instance) -> Draft {
    let line = (0..instance.nodes()).collect();
    Draft::whole(instance, Exchange::Together, |builder| builder.halve(&[line]))
}
