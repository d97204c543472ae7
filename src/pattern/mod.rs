//! Schedules as plain data: lists of senders, receivers and the order of the messages. This module sends no messages.
//!
//! * [`Halving`] is recursive halving on a line of positions; [`line`](mod@line) orders the nodes of a mesh as lines;
//! * [`Division`] is a spanning tree that divides a line recursively: in halves, or optimally for a machine; [`ring`] and [`circulant`]
//!   contain ring algorithms;
//! * [`pipeline`] sends a long vector down several spanning trees at the same time, chunk by chunk;
//! * [`Schedule`] lists the steps of every node with the data that is moved; a [`Builder`] constructs a schedule, and a [`Delivery`]
//!   checks that it delivers all data correctly.

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
