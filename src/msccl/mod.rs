//! Schedules of MSCCL (Cowan et al., "MSCCLang: Microsoft Collective Communication Language", ASPLOS 2023): algorithms for
//! collective operations that others have written or synthesised, read from its XML, checked, and timed on any machine.
//!
//! ```text
//! <algo name="ring" ngpus="2" coll="allgather" inplace="0" nchunksperloop="2">
//!   <gpu id="0" i_chunks="1" o_chunks="2" s_chunks="0">
//!     <tb id="0" send="1" recv="1" chan="0">      a thread block: its steps follow one another
//!       <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1"/>
//!       <step s="1" type="r" srcbuf="i" srcoff="0" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1"/>
//!     </tb> ...
//! ```
//!
//! [`Program::read`] follows every chunk through the buffers and refuses a text by which not every rank ends with what the
//! operation says. [`Program::goal`] says it as a [program in GOAL](crate::goal) for vectors of a given length, which
//! is timed, or run on threads.
//!
//! | step | operations of the node |
//! | --- | --- |
//! | `s` | a send |
//! | `r` | a receive |
//! | `rcs` | a receive, then a send |
//! | `rrc`, `rrs`, `rrcs` | a receive, the time of combining, and but for `rrc` a send |
//! | `cpy` | the time of copying |
//! | `re` | the time of combining |
//! | `nop` | no time: what follows waits for what it waits for |
//!
//! A rank is a node, which has one processor: thread blocks run side by side, and share it. A message is sent whole when it has
//! been received whole; MSCCL passes slices of it on, so its times of long chunks are shorter where it forwards. Channels are
//! tags.

mod collective;
mod drafted;
mod error;
mod flow;
mod program;
mod scheduled;
mod text;
mod write;

pub use collective::Collective;
pub(crate) use drafted::{Holds, Placed};
pub use error::{FlowError, LengthError, Problem, ReadError, WriteError};
pub use program::Program;
pub(crate) use scheduled::{Lies, Outline, chunks};
pub(crate) use text::Buffer;

#[cfg(test)]
mod tests;
