//! Parameter studies: axes x algorithms -> rows.
//!
//! A [`Study`] has values for some [axes](Axis): operations, machines, numbers of nodes, start-ups, lengths, noise, seeds and so on. Its
//! cases are all combinations of the values. For each case and each algorithm there is one [`Row`] with a column for every quantity that
//! can vary, the exact time, and the lower bound. Times are predictions, which are exact in virtual time, unless a case needs a run.
//!
//! Rows are made [one at a time](Rows), so a study may have any number of them. A [part](Shard) of a study can be computed on another host;
//! [`merge`] puts the [tables](TableWriter) of all parts together. [`repeats`] summarizes rows that differ in their seed only.
//!
//! In the other direction, [`Measurements`] are measured times, to which the parameters of a machine are [fitted](Measurements::fit).

mod algorithms;
mod axis;
mod case;
pub mod checked;
pub mod clock;
pub mod data;
mod error;
mod file;
mod fit;
mod layout;
mod least_squares;
mod machine;
mod measured;
mod operation;
mod problem;
mod row;
mod rows;
mod spelling;
mod study;
mod summary;
mod table;
mod values;

pub use self::{
    algorithms::{Algorithm, algorithms_named, check_algorithm, read_algorithms},
    axis::Axis,
    error::StudyError,
    fit::{Estimate, Fit, Identified, Worst},
    layout::Layout,
    measured::Measurements,
    operation::Operation,
    problem::{Elements, Plan, Problem, Vector, default_element, matrix, place_sources},
    row::Row,
    rows::{Recorded, Rows, Shard},
    spelling::{read_effort, read_fraction},
    study::{Runs, Study},
    summary::{BOOTSTRAP_SEED, Summary, groups, repeats},
    table::{Format, TableReader, TableWriter, cut_unfinished, merge},
};
