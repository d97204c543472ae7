//! The libraries for the global operations: the interface between the calls and the algorithms.
//!
//! All global calls are reduced to three operations of a library: [`combine`](Nx::combine), [`all_gather`](Nx::all_gather) and
//! [`synchronize`](Nx::synchronize). To add a library, add its variant, a file beside `native` with its three functions, and an arm in each
//! of these three methods. A broadcast (a message to node -1) is not one of these operations: it always uses NX's own algorithm, because
//! its receivers call `crecv`, which is not a global call.

use bytemuck::Pod;

use super::{Nx, NxError, intercom, native};
use crate::{payload::Payload, record::Part, time::Span};

/// The algorithms behind the global calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Library {
    /// The algorithms of NX itself, inferred from published times. They work on node numbers and ignore the mesh:
    ///
    /// * a broadcast goes down a minimum spanning tree by recursive halving;
    /// * a combine goes up the tree of node 0, and its result is broadcast from there;
    /// * an all-gather is a gather at node 0, one message after the other, and a broadcast from there;
    /// * `gsync` is the hardware barrier of the machine, or otherwise a dissemination barrier like [`barrier`](crate::comm::Group::barrier)
    ///   (an assumption: the real algorithm is unknown).
    ///
    /// With p nodes, n bytes and the [costs](NxCosts) `copy`, `gamma` and `gather`:
    ///
    /// | operation | time |
    /// | --- | --- |
    /// | broadcast | ceil(log2 p) (alpha + n (beta + copy)) |
    /// | combine | ceil(log2 p) (alpha + n (beta + copy + gamma)), then a broadcast |
    /// | all-gather | about n beta + n copy + (p - 1) (o_r + gather), then a broadcast |
    ///
    /// Source: the times of the column "NX" in table 3 of Barnett et al., "Building a High-Performance Collective Communication Library",
    /// 1994; the algorithms are inferred from them.
    #[default]
    Nx,
    /// The algorithms of InterCom: the fastest [hybrid](crate::collective::Algorithm::HYBRID) for each length, as in the library "NXtoiCC".
    /// Elements are combined in any order, except by [`gopf`](Nx::gopf), whose function need not be commutative. During a global operation
    /// of InterCom a node does not forward messages to node -1.
    ///
    /// Source: Barnett et al., "Building a High-Performance Collective Communication Library", 1994, section 10.
    InterCom,
}

/// The costs of NX's own algorithms in addition to the parameters of the machine.
///
/// | cost | [`PARAGON`](NxCosts::PARAGON) | basis |
/// | --- | --- | --- |
/// | `copy` | 22 ns/B | fitted: a step of a broadcast takes 54 ns/B, of which 30.6 are beta |
/// | `gamma` | 178 ns/B, 1.4 us/double | fitted: the time of a step of a global sum beyond beta and `copy`; see below |
/// | `gather` | 450 us | fitted: an all-gather of 8 bytes takes 528 us for each of 511 nodes, o_r included |
///
/// `gamma` is four times the machine's gamma, so it is not only arithmetic; one start-up per packet would explain it.
///
/// Source: fitted to table 3 of Barnett et al., "Building a High-Performance Collective Communication Library", 1994: nine times on 16 x 32
/// nodes under OSF/1 R1.1. With the [parameters of the Paragon](crate::model::Parameters::paragon) the modeled times are (in s; published
/// times in brackets):
///
/// | | 8 bytes | 64 KiB | 1 MiB |
/// | --- | --- | --- | --- |
/// | broadcast | 0.0017 (0.0012) | 0.033 (0.031) | 0.50 (0.51) |
/// | all-gather | 0.28 (0.27) | 0.31 (0.32) | 0.83 (0.94) |
/// | global sum | 0.0033 (0.0036) | 0.17 (0.17) | 2.68 (2.72) |
///
/// The broadcast of 8 bytes takes 1.4 times the published time and the all-gather of 1 MiB 0.88 of it; all others are within 8 %.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NxCosts {
    /// Receiver's processor time per byte of a message of a broadcast or a global operation.
    pub copy: Span,
    /// Processor time per byte of a combined partial result. The machine's own gamma is not charged.
    pub gamma: Span,
    /// Processor time of node 0 per part that it gathers in an all-gather.
    pub gather: Span,
}

impl NxCosts {
    /// The costs on a Paragon under OSF/1 R1.1.
    pub const PARAGON: NxCosts =
        NxCosts { copy: Span::from_nanos(22), gamma: Span::from_nanos(178), gather: Span::from_micros(450) };

    /// No costs in addition to the parameters of the machine.
    pub const NONE: NxCosts = NxCosts { copy: Span::ZERO, gamma: Span::ZERO, gather: Span::ZERO };
}

/// The default is [`NxCosts::PARAGON`].
impl Default for NxCosts {
    fn default() -> Self {
        NxCosts::PARAGON
    }
}

impl Nx<'_, '_> {
    /// Combines `x` over all nodes and leaves the result on every node. The order is that of node numbers unless `f` is commutative; `f`
    /// combines the second slice into the first.
    #[track_caller]
    pub(super) fn combine<T: Pod + Send>(
        &self,
        name: &'static str,
        x: &mut [T],
        is_commutative: bool,
        f: impl FnMut(&mut [T], &[T]),
    ) -> Result<(), NxError> {
        self.wire.library_call(name, || match self.library {
            Library::Nx => self.run_traced("combine by NX", || native::combine(self, x, f)),
            Library::InterCom => intercom::combine(self, x, name, is_commutative, f),
        })
    }

    /// Combines phantom payloads of this length, which have no content, by NX's own algorithm; returns the result's payload. It times
    /// vectors that would not fit in memory.
    ///
    /// # Errors
    ///
    /// [`NxError`] if a message cannot be sent or received, or the run has ended.
    #[track_caller]
    pub fn combine_phantom(&self, bytes: u64) -> Result<Payload, NxError> {
        native::combine_payloads(self, Payload::phantom(bytes), &mut |mine, _| Ok(mine.clone()))
    }

    /// Concatenates the parts of all nodes in the order of node numbers, on every node. `lengths` are the lengths of the parts in bytes, if
    /// they are known. Payloads move by reference, and may be phantoms.
    ///
    /// # Errors
    ///
    /// [`NxError`] if a message cannot be sent or received, or the run has ended.
    #[track_caller]
    pub fn all_gather(&self, part: Payload, lengths: Option<&[u64]>) -> Result<Payload, NxError> {
        self.wire.library_call("gcol", || match self.library {
            Library::Nx => self.run_traced("all-gather by NX", || native::all_gather(self, part, lengths)),
            Library::InterCom => intercom::all_gather(self, part, lengths),
        })
    }

    /// Returns when all nodes have called it.
    #[track_caller]
    pub(super) fn synchronize(&self) -> Result<(), NxError> {
        self.wire.library_call("gsync", || match self.library {
            Library::Nx => self.run_traced("barrier by NX", || native::synchronize(self)),
            Library::InterCom => intercom::synchronize(self),
        })
    }

    /// Runs an operation of NX's own library under a name for traces. InterCom names its operations itself.
    fn run_traced<T>(&self, name: &'static str, work: impl FnOnce() -> T) -> T {
        self.node.world().as_part(|| Part::operation(name), work)
    }
}
