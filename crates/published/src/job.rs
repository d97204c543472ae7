//! Jobs: each reproduces one item of a paper.

use std::{any::Any, fmt, panic::catch_unwind, time::Duration};

use multicomputer::{Machine, error::ConfigError};
use thiserror::Error;

use super::{Chart, Claim, Value};

/// A paper whose results are reproduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Paper {
    /// S0, the report on s-to-p broadcasting.
    SToPReport,
    /// S1, the conference version of S0.
    SToPConference,
    /// S2, InterCom.
    InterCom,
    /// S3, the textbook.
    Textbook,
    /// S4, many-to-many communication.
    ManyToMany,
}

impl Paper {
    /// All papers.
    pub const ALL: [Paper; 5] =
        [Paper::SToPReport, Paper::SToPConference, Paper::InterCom, Paper::Textbook, Paper::ManyToMany];

    /// Returns authors, title and year.
    pub const fn title(self) -> &'static str {
        match self {
            Paper::SToPReport => {
                "Hambrusch, Khokhar, Liu, S-to-P Broadcasting on Coarse-Grained Machines, CSD-TR-95-060, 1995"
            }
            Paper::SToPConference => {
                "Hambrusch, Khokhar, Liu, Scalable S-to-P Broadcasting on Message-Passing MPPs"
            }
            Paper::InterCom => {
                "Barnett, Shuler, Gupta, Payne, van de Geijn, Watts, Building a High-Performance Collective Communication \
                 Library, Supercomputing 1994"
            }
            Paper::Textbook => {
                "Kumar, Grama, Gupta, Karypis, Introduction to Parallel Computing, sections 4.1 and 4.2"
            }
            Paper::ManyToMany => {
                "Ranka, Shankar, Alsabti, Many-to-many Personalized Communication with Bounded Traffic, 1995"
            }
        }
    }

    /// Returns a short name.
    pub const fn name(self) -> &'static str {
        match self {
            Paper::SToPReport => "s-to-p report",
            Paper::SToPConference => "s-to-p conference",
            Paper::InterCom => "InterCom",
            Paper::Textbook => "Kumar",
            Paper::ManyToMany => "many-to-many",
        }
    }

    /// Creates a job of this paper that starts no threads; `seconds` is its approximate time on one core.
    pub(super) const fn job(
        self,
        id: &'static str,
        place: &'static str,
        title: &'static str,
        setup: &'static str,
        seconds: f64,
        work: fn() -> Outcome,
    ) -> Job {
        Job { id, also: &[], paper: self, place, title, setup, seconds, threads: 0, work: Work::By(work) }
    }
}

/// An item of a paper and the function that reproduces it.
#[derive(Debug)]
pub struct Job {
    pub(super) id: &'static str,
    /// The names of other items that this job includes.
    pub(super) also: &'static [&'static str],
    pub(super) paper: Paper,
    pub(super) place: &'static str,
    pub(super) title: &'static str,
    pub(super) setup: &'static str,
    /// Approximate time on one core, in seconds.
    pub(super) seconds: f64,
    /// Number of threads that run at the same time, one per node. If it is not 0, the host is checked before the job begins.
    pub(super) threads: usize,
    pub(super) work: Work,
}

/// How a job obtains its results.
#[derive(Debug)]
pub(super) enum Work {
    By(fn() -> Outcome),
    NotYet(&'static str),
}

/// The results of a job.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// Published values with their modeled counterparts.
    pub values: Vec<Value>,
    /// Claims with verdicts.
    pub claims: Vec<Claim>,
    /// Figures.
    pub charts: Vec<Chart>,
}

/// The error of a job that cannot be completed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum JobError {
    /// A prerequisite is missing.
    #[error(transparent)]
    NotYet(#[from] NotYet),
    /// Some times need runs, and this host cannot start their threads.
    #[error("{id} cannot be computed on this host: {cause}")]
    Host {
        /// The name of the job.
        id: &'static str,
        /// The limit of the host.
        cause: ConfigError,
    },
    /// The job panicked, for example because another process has used up the host's threads or memory since the job began.
    #[error("{id} panicked: {message}")]
    Panicked {
        /// The name of the job.
        id: &'static str,
        /// The message of the panic.
        message: String,
    },
}

/// Returns the message of a panic.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".into())
}

/// A job that is not possible yet because a prerequisite is missing.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("{id} cannot be computed yet: {reason}")]
#[non_exhaustive]
pub struct NotYet {
    /// The name of the job.
    pub id: &'static str,
    /// The missing prerequisite.
    pub reason: &'static str,
}

impl Job {
    /// Returns the name of the job, such as `S0-F2`.
    pub fn id(&self) -> &'static str {
        self.id
    }

    /// Returns the name of the job and the names of the items that it includes.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        [self.id].into_iter().chain(self.also.iter().copied())
    }

    /// Returns the paper.
    pub fn paper(&self) -> Paper {
        self.paper
    }

    /// Returns the figure, table or section of the paper, such as `Figure 2`.
    pub fn place(&self) -> &'static str {
        self.place
    }

    /// Returns the subject.
    pub fn title(&self) -> &'static str {
        self.title
    }

    /// Returns a description of the setup: machine, sources and lengths.
    pub fn setup(&self) -> &'static str {
        self.setup
    }

    /// Returns the approximate time on one core; zero if the job is not possible yet.
    pub fn duration(&self) -> Duration {
        Duration::from_secs_f64(self.seconds)
    }

    /// Returns the number of threads that run at the same time besides the calling one: 512 if some times are taken
    /// from runs on 512 nodes, 0 if all times are predicted.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Computes the results of the job.
    ///
    /// # Errors
    ///
    /// [`JobError`]: a prerequisite is missing, this host cannot run the [threads](Job::threads), or the job panicked.
    pub fn work(&self) -> Result<Outcome, JobError> {
        let work = match self.work {
            Work::By(work) => work,
            Work::NotYet(reason) => return Err(NotYet { id: self.id, reason }.into()),
        };
        if self.threads > 0 {
            // Building any machine of this size checks the limits of the host.
            Machine::mesh(1, self.threads).build().map_err(|cause| JobError::Host { id: self.id, cause })?;
        }
        catch_unwind(work).map_err(|panic| JobError::Panicked { id: self.id, message: message(&*panic) })
    }

    /// Returns the reason why the job is not possible yet, if there is one.
    pub fn not_yet(&self) -> Option<NotYet> {
        match self.work {
            Work::By(_) => None,
            Work::NotYet(reason) => Some(NotYet { id: self.id, reason }),
        }
    }
}

/// `S0-F2: s-to-p report, Figure 2`.
impl fmt::Display for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}, {}", self.id, self.paper.name(), self.place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_that_panics_is_an_error() {
        let job = Paper::Textbook.job("S3-X", "", "", "", 0.0, || panic!("no room for 32 threads"));
        let error = job.work().unwrap_err().to_string();
        assert_eq!(error, "S3-X panicked: no room for 32 threads");
    }
}
