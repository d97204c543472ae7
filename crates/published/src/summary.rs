//! Summary of the results of several jobs.

use super::{Claim, Job, Kind, Outcome, Sure, Value, Verdict};

/// Counts and errors over several jobs, with the claims that do not hold and the values outside the tolerance.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Summary {
    /// The absolute relative errors, by kind.
    errors: Vec<(Kind, f64)>,
    /// The number of claims with a verdict; `hold` counts the claims that hold.
    judged: usize,
    hold: usize,
    /// The number of claims that cannot be judged.
    open: usize,
    /// Claims that do not hold: job, claim, reason.
    pub failing: Vec<(&'static str, &'static str, String)>,
    /// Values outside the tolerance: job, value.
    pub far: Vec<(&'static str, Value)>,
}

impl Summary {
    /// Adds the outcome of a job.
    pub fn add(&mut self, job: &Job, outcome: &Outcome) {
        for value in &outcome.values {
            self.errors.push((value.kind, value.error().abs()));
            if value.verdict() != Verdict::Holds {
                self.far.push((job.id, value.clone()));
            }
        }
        for Claim { verdict, said, why, .. } in outcome.claims.iter().filter(|claim| claim.sure != Sure::Ours)
        {
            match verdict {
                Verdict::Open => self.open += 1,
                verdict => {
                    self.judged += 1;
                    self.hold += usize::from(*verdict == Verdict::Holds);
                    if *verdict == Verdict::Fails {
                        self.failing.push((job.id, said, why.clone()));
                    }
                }
            }
        }
    }

    /// Returns the numbers of claims that hold, that were judged, and that cannot be judged.
    pub fn claims(&self) -> [usize; 3] {
        [self.hold, self.judged, self.open]
    }

    /// Returns the number of values of a kind and the median of their absolute relative errors; `None` if there are none.
    pub fn median_error(&self, kind: Kind) -> Option<(usize, f64)> {
        let of_kind = self.errors.iter().filter(|(other, _)| *other == kind);
        let errors: Vec<f64> = of_kind.map(|&(_, error)| error).collect();
        Some((errors.len(), median(errors)?))
    }
}

/// Returns the median of some values; `None` if there are none. The median of an even number of values is the mean of the middle two.
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let low = values.get(values.len().checked_sub(1)? / 2)?;
    Some(f64::midpoint(*low, values[values.len() / 2]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_is_the_mean_of_the_middle_two() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(median(Vec::new()), None);
    }

    #[test]
    fn the_median_is_that_of_the_sizes_of_errors() {
        let mut summary = Summary::default();
        assert_eq!(summary.median_error(Kind::Measured), None);
        let values = [1.5, 0.9, 1.1].map(|modeled| Value::ms("", 1.0, modeled)).to_vec();
        let job = Job::all().next().unwrap();
        summary.add(job, &Outcome { values, ..Outcome::default() });
        let (count, median) = summary.median_error(Kind::Measured).unwrap();
        assert!(count == 3 && (median - 0.1).abs() < 1e-9, "{median}");
        summary.add(job, &Outcome { values: vec![Value::ms("", 1.0, 1.3)], ..Outcome::default() });
        let (_, median) = summary.median_error(Kind::Measured).unwrap();
        assert_eq!(summary.median_error(Kind::Fitted), None);
        assert!((median - 0.2).abs() < 1e-9, "{median}");
        assert_eq!((summary.far.len(), summary.claims()), (2, [0, 0, 0]));
    }
}
