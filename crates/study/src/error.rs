//! Errors of studies.

use std::{io, path::PathBuf};

use multicomputer::{error::Failure, names};
use thiserror::Error;

use crate::{Axis, spelling::SETTINGS};

/// A study that cannot be read, run or merged.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StudyError {
    /// The name is not that of an axis or a setting.
    #[error("{}", unknown_axis(given))]
    UnknownAxis {
        /// The name.
        given: String,
    },
    /// A value of an axis cannot be read.
    #[error("{axis}: {cause}")]
    Value {
        /// The axis.
        axis: Axis,
        /// What is wrong with which value.
        cause: String,
    },
    /// A setting of a study file cannot be read.
    #[error("{setting}: {cause}")]
    Setting {
        /// The name of the setting.
        setting: &'static str,
        /// What is wrong with it.
        cause: String,
    },
    /// The file is not valid TOML.
    #[error("the study is not valid TOML: {0}")]
    Toml(String),
    /// The file cannot be read.
    #[error("{} cannot be read: {cause}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// No operation of the study has an algorithm of this name.
    #[error("{0}")]
    UnknownAlgorithm(String),
    /// The product of the numbers of values is too large.
    #[error("the study has more than {most} cases: vary fewer axes, or use larger steps")]
    TooManyCases {
        /// The limit.
        most: u64,
    },
    /// No case has a time.
    #[error("no case of the study can be solved; the first one: {0}")]
    NothingWorks(String),
    /// A run delivered wrong data.
    #[error("{0}")]
    WrongData(String),
    /// A machine cannot be built, or a run failed.
    #[error(transparent)]
    Run(#[from] Failure),
    /// Rows cannot be written.
    #[error("rows cannot be written: {0}")]
    Write(io::Error),
    /// A table of rows cannot be read.
    #[error("{}: {cause}", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        cause: String,
    },
    /// Tables are not parts of one study, or not all parts.
    #[error("{0}")]
    Merge(String),
}

/// The error for an unknown key, with the nearest one.
fn unknown_axis(given: &str) -> String {
    let known: Vec<&str> = Axis::all().map(Axis::name).chain(SETTINGS).collect();
    let spellings = Axis::all().flat_map(|axis| axis.aliases().iter().copied()).chain(known.iter().copied());
    names::unknown("axis", given, names::nearest(given, spellings), &known.join(", "))
}
