//! Schedules of MSCCL (Cowan et al., "MSCCLang: Microsoft Collective Communication Language", ASPLOS 2023): hand-written or
//! synthesized algorithms for collective operations are read from XML, verified, and timed on any machine.
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
//! [`Program::read`] follows every chunk through the buffers and refuses a text unless every rank ends with the result
//! of the operation. [`Program::goal`] converts the schedule to a [program in GOAL](crate::goal) for vectors of a given
//! length. The GOAL program can be predicted, or run on threads.
//!
//! | step | operations of the node |
//! | --- | --- |
//! | `s` | a send |
//! | `r` | a receive |
//! | `rcs` | a receive, then a send |
//! | `rrc`, `rrs`, `rrcs` | a receive, the time of combining, and a send (except `rrc`) |
//! | `cpy` | the time of copying |
//! | `re` | the time of combining |
//! | `nop` | no time: passes its dependency on to later steps |
//!
//! Each rank is a node with one processor, which the thread blocks share. A message is forwarded only when it has been received
//! completely. MSCCL forwards it in slices, so MSCCL's times of long chunks are shorter where a rank forwards. Channels become tags.

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
