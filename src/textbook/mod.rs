//! The basic communication operations of the textbook, with the numbers of the book.
//!
//! Kumar, Grama, Gupta, Karypis, "Introduction to Parallel Computing", sections 4.1 and 4.2: one-to-all broadcast, all-to-one reduction,
//! all-to-all broadcast and all-to-all reduction on rings, linear arrays, meshes, hypercubes and balanced trees, with the equations of
//! their times. Every [`Algorithm`] runs on the threads of a machine like any collective operation, on any network. On the network for
//! which the book designed it, its [`equation`](mod@equation) and the modeled time agree; on other networks a [`Figure`] shows which link
//! is the bottleneck.
//!
//! ```
//! use multicomputer::{Machine, collective::Task, model::MachineSpec, prelude::*, textbook::{Algorithm, Figure}};
//!
//! // Algorithm 4.7 is made for hypercubes. On a linear array its longest messages share links, as in figure 4.12.
//! let line: MachineSpec = "line:8".parse()?;
//! let all_to_all = Algorithm::HYPERCUBE_ALL_TO_ALL;
//! let task = Task::builder(&line, all_to_all.operation()).elements(8 * 1000).build()?;
//! let plan = all_to_all.plan(&task)?;
//! assert_eq!(plan.estimate().to_string(), "740 us", "equation 4.4");
//! assert_eq!(plan.prediction().modeled.to_string(), "1.44 ms");
//! assert_eq!(Figure::of(&plan).steps()[2].busiest().unwrap().messages, 4);
//!
//! let run = Machine::builder(line).build()?.run(|node| {
//!     let mine = vec![node.rank() as u8; 1000];
//!     Ok(plan.call(node.world(), &mine)?)
//! })?;
//! assert!(run.outputs.iter().all(|all| all[5000..6000] == [5; 1000]));
//! assert_eq!(run.report.makespan, plan.prediction().modeled);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod algorithm;
mod catalogue;
pub mod equation;
mod figure;
mod hypercube;
mod line;
mod matrix_vector;
mod mesh;
mod naive;
mod nearest_first;
mod one_to_all;
mod pipelined;
mod ring;
mod shape;

pub use algorithm::Algorithm;
pub use catalogue::{BookFigure, FIGURES, Topic};
pub use figure::{Arrow, Busiest, Figure, Step};
pub use matrix_vector::{Block, MatrixError, matrix_vector, matrix_vector_figures};
