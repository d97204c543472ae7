//! A run as pictures in SVG: what every node did when, with the messages between them ([`SpaceTime`]), and what every link of
//! the network carried ([`Heat`]); and as a page that plays it ([`Replay`]); figures of several runs as a
//! [`Chart`]. `docs/pictures.md` says how to read them.
//!
//! ```
//! use multicomputer::{Machine, picture::{Heat, SpaceTime}, prelude::*};
//!
//! let machine = Machine::paragon(3, 4).trace(true).build()?;
//! let run = machine.run(|node| {
//!     let mut data = vec![node.rank() as f64; 1000];
//!     node.world().broadcast(0, &mut data)?;
//!     Ok(())
//! })?;
//! let diagram = SpaceTime::of(&run).title("A broadcast").to_svg()?;
//! let network = Heat::of(&run).to_svg()?;
//! assert!(diagram.starts_with("<svg ") && network.starts_with("<svg "));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The same run gives the same picture, byte for byte; in virtual time so does the same program on any host. Colours can be
//! told apart by people who see fewer of them, and follow the reader's choice of a light or a dark display; kinds of time have
//! patterns, and classes of load widths, so that pictures can be printed in black.
//!
//! Pictures of large machines are thinned, by rules that are in the documentation of each kind, and what is left out is said
//! beneath the picture.

mod canvas;
mod chart;
mod critical;
mod heat;
mod replay;
mod sample;
mod space_time;
mod traffic;

#[cfg(test)]
mod tests;

use thiserror::Error;

pub use self::{
    chart::{Axis, Chart, Crossover, Line, Origin, Scale},
    heat::{Heat, Measure},
    replay::Replay,
    space_time::SpaceTime,
};
use crate::rank::Rank;

/// The reason why there is no picture.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PictureError {
    /// Nothing of what happened was kept.
    #[error("the run was not traced: build its machine with `trace(true)`")]
    NotTraced,
    /// The run was under the host's clock, where messages take no way through a network.
    #[error("the run was under the host's clock, which has no network to be drawn")]
    NoNetwork,
    /// There are more runs, or messages, than a page has.
    #[error("{given} {what} for a page, which has {at_most} at most")]
    TooMany {
        /// The kind of things that there are too many of.
        what: &'static str,
        /// The number that there would be.
        given: usize,
        /// The largest number.
        at_most: usize,
    },
    /// A node is to be drawn that the machine does not have.
    #[error("node {given} of a machine of {nodes} nodes, whose ranks are 0 to {}", nodes - 1)]
    NoSuchNode {
        /// The rank that was given.
        given: Rank,
        /// The number of nodes of the machine.
        nodes: usize,
    },
    /// No node, no point, or nothing of the links, is to be drawn.
    #[error("a picture of no {what}; allowed is one at least")]
    Empty {
        /// The kind of thing of which there is none.
        what: &'static str,
    },
    /// A point of a chart has no place on an axis.
    #[error("{given} of {line} on the axis {axis}; allowed are {allowed}")]
    NotOnAxis {
        /// The name of the line.
        line: String,
        /// The name of the axis, with its unit.
        axis: String,
        /// The number that was given.
        given: String,
        /// The numbers that are allowed.
        allowed: String,
    },
}

crate::text::debug_as_text!(PictureError);
