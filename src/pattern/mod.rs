//! Pure schedules: they say who talks to whom and when, and send nothing.
//!
//! One file per pattern. The same schedule is walked by the code on the nodes, with real data, and by the tests that
//! check its shape.

mod halving;

pub use self::halving::{Direction, Halving, Transfer, Transfers};
