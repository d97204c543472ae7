//! Time-independent traces of SMPI, the MPI of SimGrid (Desprez, Markomanolis, Quinson and Suter, "Assessing the Performance of MPI
//! Applications Through Time-Independent Trace Replay", PSTI 2011), as [programs](crate::goal::Program) whose time is predicted.
//!
//! A line is an action of a rank: `0 compute 1e9`, `0 send 1 0 1e6`. A [`Trace`] is read from one text or from several;
//! [`Trace::program`] converts it for a machine:
//!
//! | actions | operations |
//! | --- | --- |
//! | `compute`, `sleep` | a computation: flops over the rate that is given; seconds |
//! | `send`, `isend`, `recv`, `irecv`, `sendRecv` | a send or a receive; actions behind a blocking one begin when it has ended |
//! | `wait`, `waitall` | later actions begin when the requests have ended; `waitall` waits for all, as in SMPI |
//! | `bcast`, `reduce`, `allreduce`, `gather`, `allgather`, `scatter`, their forms with counts, `reducescatter`, `scan` | the schedule of *Auto*, then the flops of the action. The time of combining is not added: the flops stand for it |
//! | `alltoall`, `alltoallv` | the schedule of *Auto* |
//! | `barrier` | dissemination of empty messages |
//! | `init`, `finalize`, `test`, `comm_size`, `comm_split`, `comm_dup`, `location` | nothing. As in SMPI, all communication is in the world |
//!
//! A receive from a named rank with a tag has the length of the message that it takes. Sends end when the message has left
//! ([`Sends::Blocking`](crate::goal::Sends::Blocking)).

mod action;
mod convert;
mod error;

pub use self::{
    action::Trace,
    error::{ConvertError, Problem, ReadError},
};

#[cfg(test)]
mod tests;
