//! Schedules in and out in GOAL, the text format of LogGOPSim (Hoefler, Schneider and Lumsdaine, "LogGOPSim - Simulating
//! Large-Scale Applications in the LogGOPS Model", HPDC 2010).
//!
//! A text says for each rank what it sends, receives and computes, and which operation waits for which:
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
//! Comments are `// ..` and `/* .. */`. `cpu N` and `nic N` may follow an operation; a node here has one of each, so
//! operations of all of them take turns ([`Program::foreign`] counts them).
//!
//! A [`Program`] is read line by line and takes some forty bytes for each operation. [`predict`] works out its times on one
//! thread, [`Program::play`] carries a rank out on a node of a running machine, with real bytes that the receiver checks. Both
//! make the same calls, so they give the same times to the picosecond. [`write()`] says a schedule of this library in GOAL.
//!
//! # From operations to calls
//!
//! | GOAL | calls of the node | it has ended |
//! | --- | --- | --- |
//! | `recv` | `irecv` as soon as nothing keeps it back, and a wait | when the message is there and o_r is paid |
//! | `send` | `isend` | [eager](Sends::Eager): when o_s is paid; [blocking](Sends::Blocking): when the message has left |
//! | `calc` | `compute` | when the time is over |
//!
//! A node does one thing at a time. Of what may start it first posts all receives, which costs nothing, then it takes sends,
//! then computations, each in the order of the text; if there is none of these, it waits for the first message that one of its
//! receives takes (at one instant: of the receive that was posted first). What waits for the start of an operation gets its turn
//! when the node has given that operation to the machine: after the o_s of a send, or the time of a computation. On a machine
//! with [rendezvous](crate::MachineBuilder::rendezvous) a message from its length on has been sent when it has met its receive,
//! as with `-S` of LogGOPSim.

mod cycles;
mod error;
mod labels;
mod parse;
mod play;
mod predict;
mod program;
mod turns;
mod words;
mod write;

pub use error::{PlayError, PredictError, Problem, ReadError, TooManyRanks, WriteError};
pub use predict::{Predicted, predict};
pub(crate) use program::Waiter;
pub use program::{Operation, Program};
pub use turns::Sends;
pub use write::write;
