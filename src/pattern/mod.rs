//! Pure schedules: they say who talks to whom and when, and send nothing.
//!
//! * [`Halving`] is recursive halving on a line of positions; [`line`](mod@line) lays lines through a mesh;
//! * [`Division`] is a spanning tree that cuts a line up: by halves, or the fastest for a machine; [`ring`] and
//!   [`circulant`] are what goes around;
//! * [`pipeline`] sends a long vector down several spanning trees at the same time, chunk after chunk;
//! * [`Schedule`] lists the steps of every node with the data that is moved, and a [`Builder`] makes one.

pub mod circulant;
pub mod division;
mod halving;
pub mod line;
pub mod pipeline;
pub mod ring;
mod schedule;

pub use self::{
    division::{Cut, Division},
    halving::{Direction, Halving, Pairing, Pairings},
    schedule::{
        Action, Blocks, Builder, Combiner, Exchange, Fold, Message, Origin, Schedule, Step, Transfer,
    },
};
