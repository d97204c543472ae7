//! An emulator of message-passing machines (multicomputers) in one process.
//!
//! Every node of the machine is an OS thread that runs ordinary blocking send/receive code. Messages travel over links that have a latency;
//! messages on the same link share its bandwidth. The [timing model](model) is deterministic: in *virtual time* a run gives the same
//! modeled times, to the picosecond, on every host and under every schedule of the threads. In *real time* the same program is paced
//! against the wall clock. Under the *host's clock* there is no model: the same program runs as fast as the host's threads can exchange
//! messages.
//!
//! ```
//! use multicomputer::{Machine, prelude::*};
//!
//! // An Intel Paragon of 4 x 4 nodes, on each of which this program runs.
//! let machine = Machine::paragon(4, 4).build()?;
//! let run = machine.run(|node| {
//!     // In every row the data of the first node goes from node to node.
//!     let row = node.row()?;
//!     let mut data = vec![node.rank() as f64; 256];
//!     if row.rank() > 0 {
//!         data = row.recv(row.rank() - 1)?.to_vec()?;
//!     }
//!     if row.rank() + 1 < row.size() {
//!         row.send(row.rank() + 1, &data)?;
//!     }
//!     Ok(data[0])
//! })?;
//! assert_eq!(run.outputs[7], 4.0);
//! // Three hops of o_s + n beta + o_r, and 40 ns for each link.
//! assert_eq!(run.report.makespan.to_string(), "740.1264 us");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Overview
//!
//! * [`Machine`] builds and runs; [`Clock`] selects virtual time, real time or the host's clock; [`Run`] holds the results.
//! * [`comm`] is the interface of programs: [`Node`](comm::Node) and [`Group`](comm::Group). The [`prelude`] re-exports it with
//!   [`Payload`].
//! * [`topology`] has the networks, [`model`] the parameters of machines and the [presets](model::presets).
//! * [`collective`] has the collective operations, [`s_to_p`] s-to-p broadcasting, [`all_to_all`] many-to-many
//!   communication, [`textbook`] the algorithms of Kumar et al., [`nx`] the NX calls of programs for the Paragon.
//! * [`pattern`] has schedules as plain data. [`plan`] selects among schedules, [predicts](plan::predict()) their times, and accepts
//!   [custom algorithms](plan::Algorithm::custom).
//! * [`goal`] reads programs in GOAL, the format of LogGOPSim, predicts and runs them, and writes schedules in it.
//! * [`smpi`] reads time-independent traces of SMPI, and converts them to GOAL programs.
//! * [`msccl`] reads, writes and verifies schedules of MSCCL, and converts them to GOAL programs and to algorithms.
//! * [`record`] and [`report`] hold what a run recorded, [`analysis`] explains its time, and the crate
//!   `multicomputer-picture` draws it;
//!   [`error`] has the error types; [`units`] parses and formats quantities.
//! * [`calibration`] measures this host.
//! * `mpi`, available with the feature `mpi`, runs the same programs as processes of MPI.

pub mod all_to_all;
pub mod analysis;
pub mod calibration;
pub mod collective;
pub mod comm;
mod endpoint;
pub mod error;
pub mod explore;
mod fabric;
pub mod goal;
pub mod input;
mod kernel;
mod machine;
pub mod model;
#[cfg(feature = "mpi")]
pub mod mpi;
pub mod msccl;
pub mod names;
pub mod nx;
mod panics;
pub mod pattern;
mod payload;
pub mod plan;
mod random;
mod rank;
pub mod record;
mod relation;
pub mod report;
mod runtime;
pub mod s_to_p;
pub mod smpi;
mod table;
mod text;
pub mod textbook;
mod time;
pub mod topology;
pub mod units;
mod wire;

pub use bytemuck;

pub use machine::{Clock, Dilation, Machine, MachineBuilder, Run};
pub use payload::{Buffer, Element, ElementType, Pair, Payload, PayloadError};
pub use rank::{ANY_SOURCE, ANY_TAG, AnySource, AnyTag, Destination, Rank, Select, Source, Tag};
pub use runtime::{Observer, Pinning};
pub use time::{Span, SpanError, Time};

/// The names that most programs need, for a glob import: the machine, its nodes and groups, the calls of the libraries, and the common
/// operators.
pub mod prelude {
    pub use crate::{
        ANY_SOURCE, ANY_TAG, Clock, Machine, Rank, Select, Span, Tag, Time,
        all_to_all::ManyToMany,
        collective::{Collective, Max, Min, Sum},
        comm::{AnyRequest, Group, Message, Node, RecvRequest, Request, SendRequest, Status, Tested},
        error::{CommError, Failure, MainError},
        payload::Payload,
        s_to_p::BroadcastFrom,
    };
}

/// The program in the README, tested as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The program in the document on custom algorithms.
#[cfg(doctest)]
#[doc = include_str!("../docs/custom.md")]
struct CustomAlgorithms;

/// The programs in the document on computation time.
#[cfg(doctest)]
#[doc = include_str!("../docs/computation.md")]
struct Computation;

/// The programs in the document on noise and faults.
#[cfg(doctest)]
#[doc = include_str!("../docs/faults.md")]
struct FaultsPage;

/// The program in the document for users of MPI.
#[cfg(doctest)]
#[doc = include_str!("../docs/coming-from-mpi.md")]
struct ComingFromMpi;
