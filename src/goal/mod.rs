//! Reading and writing of schedules in GOAL, the text format of LogGOPSim (Hoefler, Schneider and Lumsdaine, "LogGOPSim -
//! Simulating Large-Scale Applications in the LogGOPS Model", HPDC 2010).
//!
//! A text lists the sends, receives and computations of each rank, and the dependencies among them:
//!
//! ```text
//! num_ranks 2
//! rank 0 {
//!     l1: calc 100                nanoseconds, with up to three decimals
//!     l2: send 8b to 1 tag 5
//!     l2 requires l1              starts when l1 has ended; `irequires`: when it has started
//! }
//! rank 1 { recv 8b from 0 tag 5 } a label may be left out; -1 as rank or tag of a receive is any
//! ```
//!
//! Comments are `// ..` and `/* .. */`. `cpu N` and `nic N` may follow an operation. A node of this library has one processor and one
//! network interface, so operations with different numbers are serialized too ([`Program::foreign`] counts the operations with a number
//! other than 0).
//!
//! A [`Program`] is read line by line and takes about forty bytes per operation. [`predict`] computes its times on one thread.
//! [`Program::play`] executes a rank on a node of a running machine, with real bytes that the receiver verifies. Prediction and execution
//! make the same calls, so their times agree to the picosecond. [`write()`] writes a schedule of this library in GOAL,
//! and [`Run::write_goal`](crate::Run::write_goal) what a recorded run did.
//!
//! Files in LogGOPSim's binary form of GOAL are read, too.
//!
//! # From operations to calls
//!
//! | GOAL | calls of the node | end of the operation |
//! | --- | --- | --- |
//! | `recv` | `irecv` as soon as its dependencies are met, and a wait | when the message is there and o_r is paid |
//! | `send` | `isend` | [eager](Sends::Eager): when o_s is paid; [blocking](Sends::Blocking): when the message has left |
//! | `calc` | `compute` | when the time has passed |
//!
//! A node performs one operation at a time. Among the ready operations it first posts all receives, at no cost, then performs sends, then
//! computations, each group in the order of the text. If none is ready, it waits for the first message that matches one of its receives
//! (ties: the receive posted first). An operation that depends on the start of another operation (`irequires`) is ready when the call that
//! starts the other operation returns: after the o_s of a send, or after the time of a computation. On a machine with
//! [rendezvous](crate::MachineBuilder::rendezvous) the send of a long message ends when the message has met its receive, as with `-S` of
//! LogGOPSim.

mod binary;
mod cycles;
mod error;
mod labels;
mod line;
mod parse;
mod play;
mod predict;
mod program;
mod recorded;
mod turns;
mod words;
mod write;

pub use error::{PlayError, PredictError, Problem, ReadError, TooManyRanks, WriteError};
pub(crate) use line::Line;
pub use predict::{Predicted, predict};
pub(crate) use program::Waiter;
pub use program::{Operation, Program};
pub(crate) use recorded::write as write_run;
pub use turns::Sends;
pub use write::write;
