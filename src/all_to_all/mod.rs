//! Many-to-many personalized communication (irregular all-to-all): every node has a distinct message for each of some other nodes.
//!
//! ```
//! use multicomputer::{Machine, Payload, all_to_all::{Algorithm, Instance, Matrix}, model::MachineSpec};
//!
//! let machine: MachineSpec = "hockney:2x4".parse()?;
//! let instance = Instance::new(&machine, Matrix::figure_1())?;
//! let plan = Algorithm::TWO_STAGE.plan(&instance)?;
//! let run = Machine::builder(machine).build()?.run(|node| {
//!     let row = instance.matrix().row(node.rank());
//!     let outgoing = row.iter().map(|&bytes| Payload::from(vec![node.rank() as u8; bytes as usize])).collect();
//!     let incoming = plan.carry_out(node.world(), outgoing)?;
//!     Ok(incoming.iter().map(Payload::len).collect::<Vec<u64>>())
//! })?;
//! assert_eq!(run.outputs[4], [2, 1, 0, 0, 0, 0, 7, 0], "the column of node 4");
//! assert_eq!(Some(run.report.makespan), plan.prediction().map(|prediction| prediction.modeled));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [`Matrix`] gives the bytes that each node sends to each other node. A matrix and a machine make an [`Instance`], for which an
//! [`Algorithm`] makes a [`Plan`]. All members carry out the same plan. Programs that leave the planning to the library call
//! [`ManyToMany`].
//!
//! Source: Ranka, Shankar, Alsabti, "Many-to-many Personalized Communication with Bounded Traffic", 1995.

mod algorithm;
mod bound;
mod call_error;
mod calls;
mod instance;
mod matrix;
mod msccl;
mod piece;
mod pieces;
mod plan;
mod planner;
mod problem;
mod procedure;
mod rounds;
mod sparse;

pub use algorithm::Algorithm;
pub use call_error::CallError;
pub use calls::ManyToMany;
pub use instance::{Instance, InstanceError};
pub use matrix::{
    Class, Figures, Generator, GeneratorError, Matrix, MatrixError, MatrixFileError, MatrixFileProblem,
    MatrixReader,
};
pub use piece::Piece;
pub use plan::Plan;
pub use procedure::{Draft, ExchangeError};

use crate::plan::PlanError;

#[cfg(test)]
#[path = "algorithm_tests.rs"]
mod tests;
