//! The list of all jobs of all papers.

use multicomputer::names::normalized;

use super::{Job, Paper, all_to_all, intercom, missing, s_to_p, textbook};

/// The jobs of each paper.
const PAPERS: [&[Job]; 6] =
    [s_to_p::REPORT, s_to_p::CONFERENCE, intercom::JOBS, textbook::JOBS, all_to_all::JOBS, missing::JOBS];

impl Job {
    /// Returns all jobs, by paper and in the order of the paper.
    pub fn all() -> impl Iterator<Item = &'static Job> {
        let of = |paper| PAPERS.into_iter().flatten().filter(move |job| job.paper == paper);
        Paper::ALL.into_iter().flat_map(of)
    }

    /// Returns the job with this name: the name of the job, or of an item that the job includes. Case, hyphens, underscores and blanks are
    /// ignored.
    pub fn named(name: &str) -> Option<&'static Job> {
        let name = normalized(name);
        Job::all().find(|job| job.names().any(|own| normalized(own) == name))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_given_once_and_begin_with_the_number_of_the_paper() {
        let names: Vec<String> = Job::all().flat_map(Job::names).map(normalized).collect();
        assert_eq!(names.len(), names.iter().collect::<BTreeSet<_>>().len(), "{names:?}");
        for job in Job::all() {
            let paper = Paper::ALL.iter().position(|paper| *paper == job.paper).unwrap();
            assert!(job.id.starts_with(&format!("S{paper}-")), "{job}");
            assert_eq!(Job::named(&job.id.to_lowercase()).unwrap().id, job.id);
            assert_eq!(job.not_yet().is_some(), job.duration().is_zero(), "{job}");
        }
    }
}
