//! Jobs: what a paper publishes, item by item.

use std::{fmt, time::Duration};

use thiserror::Error;

use super::{Chart, Claim, Value};
use crate::{
    error::ConfigError,
    panics::caught,
    runtime::{Settings, limits},
    text::debug_as_text,
};

/// A paper whose results are worked out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Paper {
    /// S0, the report on s-to-p broadcasting.
    StopReport,
    /// S1, the conference version of it.
    StopConference,
    /// S2, InterCom.
    InterCom,
    /// S3, the textbook.
    Textbook,
    /// S4, many-to-many communication.
    ManyToMany,
}

impl Paper {
    /// All of them.
    pub const ALL: [Paper; 5] =
        [Paper::StopReport, Paper::StopConference, Paper::InterCom, Paper::Textbook, Paper::ManyToMany];

    /// Authors, title and year.
    pub const fn title(self) -> &'static str {
        match self {
            Paper::StopReport => {
                "Hambrusch, Khokhar, Liu, S-to-P Broadcasting on Coarse-Grained Machines, CSD-TR-95-060, 1995"
            }
            Paper::StopConference => {
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

    /// In a few words.
    pub const fn name(self) -> &'static str {
        match self {
            Paper::StopReport => "s-to-p report",
            Paper::StopConference => "s-to-p conference",
            Paper::InterCom => "InterCom",
            Paper::Textbook => "Kumar",
            Paper::ManyToMany => "many-to-many",
        }
    }

    /// A job of this paper that runs no threads, with about how many seconds it takes a core.
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

/// An item of a paper, and how it is worked out.
#[derive(Debug)]
pub struct Job {
    pub(super) id: &'static str,
    /// Other names of what is in it.
    pub(super) also: &'static [&'static str],
    pub(super) paper: Paper,
    pub(super) place: &'static str,
    pub(super) title: &'static str,
    pub(super) setup: &'static str,
    /// About how long it takes a core.
    pub(super) seconds: f64,
    /// The nodes that it runs as threads at a time. What runs any may rely on it that the host has so many.
    pub(super) threads: usize,
    pub(super) work: Work,
}

/// The way in which a job is worked out.
#[derive(Debug)]
pub(super) enum Work {
    By(fn() -> Outcome),
    NotYet(&'static str),
}

/// The results of a job.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// Published numbers beside modeled ones.
    pub values: Vec<Value>,
    /// Claims with verdicts.
    pub claims: Vec<Claim>,
    /// Figures.
    pub charts: Vec<Chart>,
}

/// A job cannot be worked out.
#[derive(Error)]
#[non_exhaustive]
pub enum JobError {
    /// Something that it needs is not there.
    #[error(transparent)]
    NotYet(#[from] NotYet),
    /// Some of its times are taken by runs, and this host cannot start the threads for them.
    #[error("{id} cannot be worked out on this host: {cause}")]
    Host {
        /// The job's.
        id: &'static str,
        /// The limit of the host.
        cause: ConfigError,
    },
    /// The job panicked, for example because another process has used up the host's threads or memory since the job began.
    #[error("{id} panicked: {message}")]
    Panicked {
        /// The job's.
        id: &'static str,
        /// The message of the panic.
        message: String,
    },
}

debug_as_text!(JobError);

/// A job cannot be worked out, as something that it needs is not there.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("{id} cannot be worked out yet: {reason}")]
#[non_exhaustive]
pub struct NotYet {
    /// The job's.
    pub id: &'static str,
    /// The thing that is missing.
    pub reason: &'static str,
}

impl Job {
    /// Its name: `S0-F2`.
    pub fn id(&self) -> &'static str {
        self.id
    }

    /// Its name and those of what is in it.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        [self.id].into_iter().chain(self.also.iter().copied())
    }

    /// Where it is published.
    pub fn paper(&self) -> Paper {
        self.paper
    }

    /// The place in the paper: `Figure 2`.
    pub fn place(&self) -> &'static str {
        self.place
    }

    /// The subject.
    pub fn title(&self) -> &'static str {
        self.title
    }

    /// Machine, sources, lengths.
    pub fn setup(&self) -> &'static str {
        self.setup
    }

    /// About how long it takes on one core; nothing if it cannot be worked out.
    pub fn duration(&self) -> Duration {
        Duration::from_secs_f64(self.seconds)
    }

    /// The threads that it runs at a time besides the calling one: 512 if some of its times are those of runs on 512 nodes, 0 if all
    /// are predicted.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Works it out.
    ///
    /// # Errors
    ///
    /// [`JobError`]: something is missing here, this host cannot run its [threads](Job::threads), or it panicked.
    pub fn work(&self) -> Result<Outcome, JobError> {
        let work = match self.work {
            Work::By(work) => work,
            Work::NotYet(reason) => return Err(NotYet { id: self.id, reason }.into()),
        };
        if self.threads > 0 {
            limits::check_threads(self.threads, Settings::default().stack_size)
                .map_err(|cause| JobError::Host { id: self.id, cause })?;
        }
        caught(work).map_err(|message| JobError::Panicked { id: self.id, message })
    }

    /// The reason why it cannot be worked out, if there is one.
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
