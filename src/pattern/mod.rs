//! Pure schedules: they list senders, receivers and the order of the messages, and send nothing themselves.
//!
//! * [`Halving`] is recursive halving on a line of positions; [`line`](mod@line) orders the nodes of a mesh as lines;
//! * [`Division`] is a spanning tree that cuts a line into parts: by halves, or the fastest for a machine; [`ring`] and
//!   [`circulant`] hold patterns on rings;
//! * [`pipeline`] sends a long vector down several spanning trees at the same time, chunk after chunk;
//! * [`Schedule`] lists the steps of every node with the data that is moved, and a [`Builder`] makes a schedule; [`Delivery`]
//!   checks that it brings everything where it is to be.

pub(crate) mod butterfly;
pub mod circulant;
mod delivery;
pub mod division;
pub(crate) mod forest;
mod halving;
pub mod line;
pub(crate) mod network;
pub(crate) mod paths;
pub mod pipeline;
pub mod ring;
mod schedule;

pub use self::{
    delivery::{Delivery, DeliveryError},
    division::{Cut, Division},
    halving::{Direction, Halving, Pairing, Pairings},
    schedule::{
        Action, Blocks, Builder, Combiner, Exchange, Fold, Growth, Message, Origin, Schedule, Step, Transfer,
    },
};
