//! Pure schedules: they say who talks to whom and when, and send nothing.
//!
//! * [`Halving`] is recursive halving on a line of positions; [`line`](mod@line) lays lines through a mesh;
//! * [`Schedule`] lists the steps of every node with the data that is moved, and a [`Builder`] makes one.

mod halving;
pub mod line;
mod schedule;

pub use self::{
    halving::{Direction, Halving, Pairing, Pairings},
    schedule::{Action, Blocks, Builder, Exchange, Message, Schedule, Step, Transfer},
};
