//! Runs over MPI: spread of their times.

use multicomputer::{Span, report::RunReport};

use super::Ran;

/// The times of several calls: minimum, first quartile, third quartile, maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spread {
    pub(crate) least: Span,
    pub(crate) lower: Span,
    pub(crate) upper: Span,
    pub(crate) most: Span,
    pub(crate) repetitions: usize,
}

impl Ran {
    /// Returns the figures of repeated calls, at least one; the time is the median, and the report is that of one call.
    #[cfg_attr(
        not(feature = "mpi"),
        expect(dead_code, reason = "only over MPI are calls repeated like that")
    )]
    pub(super) fn measured((report, mut times): (RunReport, Vec<Span>)) -> Ran {
        times.sort_unstable();
        let at = |part: usize| times[(times.len() - 1) * part / 4];
        let spread =
            Spread { least: at(0), lower: at(1), upper: at(3), most: at(4), repetitions: times.len() };
        let time = at(2);
        let wall = std::time::Duration::from_nanos(time.as_picos() / 1000);
        Ran { spread: Some(spread), ..Ran::of(&report, time, wall) }
    }
}
