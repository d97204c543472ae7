//! Pictures of runs in SVG: the activity of every node and the messages between nodes ([`SpaceTime`]), and the load of
//! every network link ([`Heat`]). [`Replay`] is an HTML page that animates runs, and a [`Chart`] plots values of
//! several runs. `docs/pictures.md` explains how to read them.
//!
//! ```
//! use multicomputer::{Machine, prelude::*};
//! use multicomputer_picture::{Heat, SpaceTime};
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
//! Output is deterministic: the same run gives the same picture, byte for byte. In virtual time the same program gives the same
//! picture on any host. Colours are distinguishable with colour vision deficiency, and follow the reader's choice of a light or
//! dark display. Activities also have patterns, and load classes have line widths, so pictures can be printed in black and white.
//!
//! Pictures of large machines show a sample, by rules in the documentation of each kind. Notes below the picture list what is omitted.

mod canvas;
mod chart;
mod critical;
mod heat;
mod options;
mod replay;
mod sample;
mod space_time;
mod traffic;

#[cfg(test)]
mod tests;

use thiserror::Error;

pub use self::{
    canvas::Theme,
    chart::{Axis, Chart, Crossover, Line, Origin, Scale},
    heat::{Heat, Measure},
    options::PictureOptions,
    replay::{Network, Replay},
    space_time::SpaceTime,
};
use multicomputer::Rank;

/// The error of a picture that cannot be drawn.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PictureError {
    /// The run was not traced.
    #[error("the run was not traced: build its machine with `trace(true)`")]
    NotTraced,
    /// The run was under the host's clock, where messages do not use a modeled network.
    #[error(
        "the run used the host's clock, which has no modeled network: use the virtual or the real-time clock"
    )]
    NoNetwork,
    /// There are more runs or messages than a page may have.
    #[error("{given} {what} are too many for a page: the maximum is {at_most}")]
    TooMany {
        /// What there is too much of: runs or messages.
        what: &'static str,
        /// The given number.
        given: usize,
        /// The maximum number.
        at_most: usize,
    },
    /// A selected node does not exist on the machine.
    #[error("node {given} does not exist: the {nodes} nodes of the machine have ranks 0 to {}", nodes - 1)]
    NoSuchNode {
        /// The given rank.
        given: Rank,
        /// The number of nodes of the machine.
        nodes: usize,
    },
    /// The selection is empty: no node, no point, or no link quantity.
    #[error("no {what} is selected: a picture needs at least one")]
    Empty {
        /// What the selection lacks.
        what: &'static str,
    },
    /// A point of a chart cannot be placed on an axis.
    #[error("value {given} of {line} is not allowed on the axis {axis}; allowed are {allowed}")]
    NotOnAxis {
        /// The name of the line.
        line: String,
        /// The name of the axis, with its unit.
        axis: String,
        /// The given number.
        given: String,
        /// The range of allowed numbers.
        allowed: String,
    },
}

/// The program in the document on pictures.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/pictures.md")]
struct Pictures;
