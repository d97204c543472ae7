//! Repeats: rows that differ in their seed only, summarized.

use std::collections::BTreeMap;

use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};
use serde::Serialize;

use crate::Row;

/// The number of bootstrap resamples.
const RESAMPLES: usize = 2000;

/// The seed of the bootstrap, the same in every version.
pub const BOOTSTRAP_SEED: u64 = 1;

/// The times of rows that differ in their seed only, in the unit of the given times (microseconds by [`repeats`]).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Summary {
    /// The number of times.
    pub repeats: usize,
    /// Arithmetic mean.
    pub mean: f64,
    /// Median; of an even number of times the mean of the middle two.
    pub median: f64,
    /// Smallest time.
    pub min: f64,
    /// Largest time.
    pub max: f64,
    /// Lower and upper end of the 95 % confidence interval of the mean: percentile bootstrap with 2000 resamples and the fixed seed
    /// [`BOOTSTRAP_SEED`] (Efron, Tibshirani, "An Introduction to the Bootstrap", 1993, section 13.3).
    pub interval: [f64; 2],
}

impl Summary {
    /// Summarizes times; `None` if there are none.
    ///
    /// ```
    /// let summary = multicomputer_study::Summary::of(&[1.0, 2.0, 6.0]).unwrap();
    /// assert_eq!((summary.mean, summary.median, summary.min, summary.max), (3.0, 2.0, 1.0, 6.0));
    /// assert!(summary.interval[0] >= 1.0 && summary.interval[1] <= 6.0);
    /// ```
    pub fn of(times: &[f64]) -> Option<Summary> {
        let mut sorted = times.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (&min, &max) = (sorted.first()?, sorted.last()?);
        let middle = sorted.len() / 2;
        let median = match sorted.len() % 2 {
            0 => f64::midpoint(sorted[middle - 1], sorted[middle]),
            _ => sorted[middle],
        };
        Some(Summary {
            repeats: sorted.len(),
            mean: mean(&sorted),
            median,
            min,
            max,
            interval: interval(&sorted),
        })
    }
}

fn mean(times: &[f64]) -> f64 {
    times.iter().sum::<f64>() / times.len() as f64
}

/// The 2.5 % and 97.5 % quantiles of the means of resamples.
fn interval(times: &[f64]) -> [f64; 2] {
    if times.first() == times.last() {
        return [times[0]; 2];
    }
    let mut random = ChaCha8Rng::seed_from_u64(BOOTSTRAP_SEED);
    let count = times.len() as u64;
    let mut resample = || {
        let sum: f64 = times.iter().map(|_| times[(random.next_u64() % count) as usize]).sum();
        sum / count as f64
    };
    let mut means: Vec<f64> = (0..RESAMPLES).map(|_| resample()).collect();
    means.sort_by(f64::total_cmp);
    let quantile = |fraction: f64| means[((RESAMPLES - 1) as f64 * fraction).round() as usize];
    [quantile(0.025), quantile(0.975)]
}

/// Groups rows whose cases differ in their seed only, in the order of their first rows: the first row of each group, and the summary of its
/// times; `None` for a group without times. `seeds` is the number of values of the axis `seed`, which varies fastest.
pub fn repeats(rows: &[Row], seeds: usize) -> Vec<(&Row, Option<Summary>)> {
    let keys = rows.iter().map(|row| (row.case, row.algorithm.as_str()));
    let summarized = |group: Vec<usize>| {
        let times: Vec<f64> = group.iter().filter_map(|&nth| rows[nth].time_us).collect();
        (&rows[group[0]], Summary::of(&times))
    };
    groups(keys, seeds).into_iter().map(summarized).collect()
}

/// Returns the indices of the rows of each group of [`repeats`]. A row is given by its case and its algorithm.
pub fn groups<'a>(rows: impl IntoIterator<Item = (u64, &'a str)>, seeds: usize) -> Vec<Vec<usize>> {
    let mut known: BTreeMap<(u64, &str), usize> = BTreeMap::new();
    let mut found: Vec<Vec<usize>> = Vec::new();
    for (row, (case, algorithm)) in rows.into_iter().enumerate() {
        let nth = *known.entry((case / seeds.max(1) as u64, algorithm)).or_insert_with(|| {
            found.push(Vec::new());
            found.len() - 1
        });
        found[nth].push(row);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_other_seeds_are_one_group() {
        let row = |case, algorithm: &str, time| Row {
            case,
            algorithm: algorithm.to_owned(),
            time_us: time,
            ..Row::default()
        };
        let rows = [
            row(0, "a", Some(1.0)),
            row(0, "b", Some(5.0)),
            row(1, "a", Some(3.0)),
            row(1, "b", None),
            row(2, "a", None),
        ];
        let found = repeats(&rows, 2);
        assert_eq!(
            found.iter().map(|(row, _)| (row.case, row.algorithm.as_str())).collect::<Vec<_>>(),
            [(0, "a"), (0, "b"), (2, "a")]
        );
        let summary = found[0].1.unwrap();
        assert_eq!((summary.repeats, summary.mean, summary.min, summary.max), (2, 2.0, 1.0, 3.0));
        assert!(summary.interval[0] < summary.interval[1]);
        assert_eq!(found[1].1.unwrap().interval, [5.0, 5.0]);
        assert_eq!(found[2].1, None);
    }
}
