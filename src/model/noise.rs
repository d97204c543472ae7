//! Operating-system noise: periods in which a node's processor does not work for its program.
//!
//! A [`Noise`] says how often these periods begin and how long they are. The kernel generates each node's sequence of periods from
//! the seed and the node's rank. `docs/faults.md` has the rule.

use std::{fmt, str::FromStr};

use serde::Deserialize;
use thiserror::Error;

use crate::{
    names,
    random::RandomNumbers,
    time::{Span, Time},
    units::{self, UnitError},
};

/// The distribution of a random interval around its mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Distribution {
    /// Always the mean.
    #[default]
    Fixed,
    /// From 0 to twice the mean, all equally likely.
    Uniform,
    /// The exponential distribution: events have a constant rate, independent of the past.
    Exponential,
}

/// The names of all distributions in texts.
const DISTRIBUTIONS: [(&str, Distribution); 3] = [
    ("fixed", Distribution::Fixed),
    ("uniform", Distribution::Uniform),
    ("exponential", Distribution::Exponential),
];

/// The keys of the text form of noise.
const KEYS: [&str; 7] =
    ["interval", "length", "distribution", "interval-distribution", "length-distribution", "first", "seed"];

impl Distribution {
    /// Draws the next interval of this distribution.
    fn draw(self, mean: Span, random: &mut RandomNumbers) -> Span {
        match self {
            Distribution::Fixed => mean,
            Distribution::Uniform => Span::from_secs_f64(mean.as_secs_f64() * 2.0 * random.fraction()),
            Distribution::Exponential => Span::from_secs_f64(mean.as_secs_f64() * random.exponential()),
        }
    }
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = DISTRIBUTIONS.iter().find(|(_, distribution)| distribution == self);
        f.pad(name.map_or("", |(name, _)| name))
    }
}

impl FromStr for Distribution {
    type Err = NoiseError;

    fn from_str(text: &str) -> Result<Distribution, NoiseError> {
        let known = DISTRIBUTIONS.iter().find(|(name, _)| *name == text);
        known.map(|&(_, distribution)| distribution).ok_or_else(|| NoiseError::Distribution(text.to_owned()))
    }
}

/// The noise of a machine's nodes: periods in which a processor does not work for its program.
///
/// Each node has its own periods, which follow from the seed and its rank. Noise is read from a text such as
/// `interval=1ms,length=50us,distribution=exponential,seed=7`.
///
/// ```
/// use multicomputer::{Machine, Span, model::Noise, prelude::*};
///
/// // Periods of 50 us, the first at 200 us on every node, and then one every millisecond.
/// let noise = Noise::new(Span::from_millis(1), Span::from_micros(50))?.first(Span::from_micros(200));
/// let machine = Machine::paragon(2, 2).noise(noise).build()?;
/// let run = machine.run(|node| Ok(node.compute(Span::from_micros(1500))?))?;
/// assert_eq!(run.report.makespan.to_string(), "1.6 ms");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Noise {
    interval: Span,
    length: Span,
    intervals: Distribution,
    lengths: Distribution,
    first: Option<Span>,
    seed: u64,
}

impl Noise {
    /// Creates noise whose periods begin every `interval` and take `length`, both fixed, with the seed 1. The first period of
    /// each node begins at a random time in its first interval.
    ///
    /// # Errors
    /// [`NoiseError::Interval`] unless `interval` is at least 1 us and `length` is at most nine tenths of it, so that programs
    /// make progress.
    ///
    /// # Cost
    /// The periods that fall into one piece of work are stored until it ends, 16 bytes each: about 20 MB for a second of work with
    /// a period every microsecond.
    pub fn new(interval: Span, length: Span) -> Result<Noise, NoiseError> {
        let is_dense = length.as_picos() / 9 > interval.as_picos() / 10;
        if interval < Span::from_micros(1) || is_dense {
            return Err(NoiseError::Interval { interval, length });
        }
        let (intervals, lengths) = Default::default();
        Ok(Noise { interval, length, intervals, lengths, first: None, seed: 1 })
    }

    /// Sets the distribution of the intervals around their mean; by default fixed.
    #[must_use]
    pub fn intervals(self, intervals: Distribution) -> Noise {
        Noise { intervals, ..self }
    }

    /// Sets the distribution of the lengths around their mean; by default fixed.
    #[must_use]
    pub fn lengths(self, lengths: Distribution) -> Noise {
        Noise { lengths, ..self }
    }

    /// Sets the beginning of the first period on all nodes; by default it is random and differs from node to node.
    #[must_use]
    pub fn first(self, first: Span) -> Noise {
        Noise { first: Some(first), ..self }
    }

    /// Sets the seed; by default 1.
    #[must_use]
    pub fn seed(self, seed: u64) -> Noise {
        Noise { seed, ..self }
    }

    /// Returns the text of the noise without its seed, and the seed, for two columns of a table.
    ///
    /// ```
    /// use multicomputer::model::Noise;
    ///
    /// let noise: Noise = "interval=1ms,length=50us,seed=7".parse()?;
    /// assert_eq!(noise.kind_and_seed(), ("interval=1ms,length=50us".to_owned(), 7));
    /// # Ok::<(), multicomputer::model::NoiseError>(())
    /// ```
    pub fn kind_and_seed(&self) -> (String, u64) {
        let parts = self.spelled().into_iter().filter(|(key, _)| *key != "seed");
        (joined(parts), self.seed)
    }

    /// Returns the endless sequence of periods of a node.
    pub(crate) fn periods(self, rank: u32) -> Periods {
        let mut random = RandomNumbers::of(self.seed, u64::from(rank));
        let first = self.first.unwrap_or_else(|| {
            let interval = self.intervals.draw(self.interval, &mut random);
            match self.intervals {
                // The exponential distribution is memoryless, so the first period needs no random place in an interval.
                Distribution::Exponential => interval,
                _ => Span::from_secs_f64(interval.as_secs_f64() * random.fraction()),
            }
        });
        Periods { noise: self, random, next: Time::ZERO + first }
    }

    /// Returns all keys and values in the spelling of texts, without fixed distributions and a random first period.
    pub(super) fn spelled(&self) -> Vec<(&'static str, String)> {
        let mut spelled = vec![("interval", self.interval.to_string()), ("length", self.length.to_string())];
        let fixed = |distribution| distribution == Distribution::Fixed;
        let intervals =
            (!fixed(self.intervals)).then(|| ("interval-distribution", self.intervals.to_string()));
        let lengths = (!fixed(self.lengths)).then(|| ("length-distribution", self.lengths.to_string()));
        spelled.extend(intervals.into_iter().chain(lengths));
        spelled.extend(self.first.map(|first| ("first", first.to_string())));
        spelled.push(("seed", self.seed.to_string()));
        spelled
    }
}

/// The sequence of noise periods of one node.
#[derive(Debug)]
pub(crate) struct Periods {
    noise: Noise,
    random: RandomNumbers,
    /// The time at which the next period begins.
    next: Time,
}

impl Iterator for Periods {
    type Item = (Time, Time);

    /// Returns the beginning and end of the next period. A period begins at the end of the previous one at the earliest.
    fn next(&mut self) -> Option<(Time, Time)> {
        let Noise { interval, length, intervals, lengths, .. } = self.noise;
        let begin = self.next;
        let end = begin + lengths.draw(length, &mut self.random);
        self.next = (begin + intervals.draw(interval, &mut self.random)).max(end);
        Some((begin, end))
    }
}

impl fmt::Display for Noise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&joined(self.spelled()))
    }
}

/// Joins keys and values to one text.
fn joined(parts: impl IntoIterator<Item = (&'static str, String)>) -> String {
    let parts = parts.into_iter().map(|(key, value)| format!("{key}={}", value.replace(' ', "")));
    parts.collect::<Vec<_>>().join(",")
}

impl FromStr for Noise {
    type Err = NoiseError;

    fn from_str(text: &str) -> Result<Noise, NoiseError> {
        let mut table = NoiseTable::default();
        for part in text.split(',') {
            let unknown = || NoiseError::Key(part.trim().to_owned());
            let (key, value) = part.split_once('=').ok_or_else(unknown)?;
            let (key, value) = (key.trim(), value.trim().to_owned());
            match key {
                "interval" => table.interval = Some(value),
                "length" => table.length = Some(value),
                "distribution" => table.distribution = Some(value),
                "interval-distribution" => table.interval_distribution = Some(value),
                "length-distribution" => table.length_distribution = Some(value),
                "first" => table.first = Some(value),
                "seed" => table.seed = Some(value.parse().map_err(|_| NoiseError::Seed(value))?),
                _ => return Err(unknown()),
            }
        }
        table.noise()
    }
}

/// The table `[noise]` of a machine file.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case", expecting = "a table of noise")]
pub(super) struct NoiseTable {
    interval: Option<String>,
    length: Option<String>,
    distribution: Option<String>,
    interval_distribution: Option<String>,
    length_distribution: Option<String>,
    first: Option<String>,
    seed: Option<u64>,
}

impl NoiseTable {
    /// The noise that the table describes.
    pub(super) fn noise(self) -> Result<Noise, NoiseError> {
        let time = |key, text: &str| match units::parse_seconds(text) {
            Ok(seconds) => Ok(Span::from_secs_f64(seconds)),
            Err(cause) => Err(NoiseError::Unit { key, cause }),
        };
        let needed = |key, given: Option<String>| time(key, &given.ok_or(NoiseError::Missing(key))?);
        let noise = Noise::new(needed("interval", self.interval)?, needed("length", self.length)?)?;
        let both = self.distribution.as_deref();
        let of = |own: &Option<String>| own.as_deref().or(both).unwrap_or("fixed").parse();
        let first = self.first.map(|first| time("first", &first)).transpose()?;
        Ok(Noise {
            intervals: of(&self.interval_distribution)?,
            lengths: of(&self.length_distribution)?,
            first,
            seed: self.seed.unwrap_or(noise.seed),
            ..noise
        })
    }
}

/// The reason why values, a text or a table do not describe noise.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NoiseError {
    /// Periods begin too often, or are too long.
    #[error(
        "noise of {length} every {interval} leaves too little time for programs; allowed are intervals of at least 1 us and lengths of at most 90 % of the interval"
    )]
    Interval {
        /// The mean interval given.
        interval: Span,
        /// The mean length given.
        length: Span,
    },
    /// The distribution is unknown.
    #[error(
        "{}",
        names::unknown(
            "distribution of noise",
            .0,
            names::nearest(.0, DISTRIBUTIONS.map(|(name, _)| name)),
            "fixed, uniform, exponential"
        )
    )]
    Distribution(String),
    /// A part of the text is not a key with a value.
    #[error(
        "{}",
        names::unknown(
            "part of noise",
            .0,
            names::nearest(.0.split('=').next().unwrap_or_default(), KEYS),
            "interval=TIME, length=TIME, distribution=NAME, interval-distribution=NAME, length-distribution=NAME, first=TIME, \
             seed=NUMBER"
        )
    )]
    Key(String),
    /// A required value is missing.
    #[error("noise has no {0}: give interval and length, such as interval=1ms,length=50us")]
    Missing(&'static str),
    /// A value is not a time.
    #[error("noise {key}: {cause}")]
    Unit {
        /// The key, such as `interval`.
        key: &'static str,
        /// The value that was given, and the values that are allowed.
        cause: UnitError,
    },
    /// The seed is not a number.
    #[error("invalid noise seed `{0}`; allowed is a whole number from 0 to 2^64 - 1")]
    Seed(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn micros(noise: Noise, rank: u32, count: usize) -> Vec<(f64, f64)> {
        let of = |time: Time| time.as_micros_f64();
        noise.periods(rank).take(count).map(|(begin, end)| (of(begin), of(end))).collect()
    }

    #[test]
    fn fixed_periods_begin_every_interval() {
        let noise = Noise::new(Span::from_micros(100), Span::from_micros(5)).unwrap();
        let first = noise.first(Span::from_micros(30));
        assert_eq!(micros(first, 3, 3), [(30.0, 35.0), (130.0, 135.0), (230.0, 235.0)]);
        let (one, other) = (micros(noise, 0, 2), micros(noise, 1, 2));
        assert!(one[0].0 < 100.0 && one != other && one[1].0 - one[0].0 == 100.0, "{one:?} {other:?}");
        assert_ne!(micros(noise.seed(2), 0, 2), one);
    }

    #[test]
    fn random_periods_follow_each_other_and_take_their_share() {
        for distribution in [Distribution::Uniform, Distribution::Exponential] {
            let noise = Noise::new(Span::from_micros(100), Span::from_micros(20)).unwrap();
            let periods = micros(noise.intervals(distribution).lengths(distribution), 0, 10_000);
            assert!(periods.windows(2).all(|pair| pair[0].1 <= pair[1].0));
            let busy: f64 = periods.iter().map(|(begin, end)| end - begin).sum();
            let share = busy / periods.last().unwrap().1;
            assert!((share - 0.2).abs() < 0.01, "{distribution}: {share}");
        }
    }

    #[test]
    fn texts_are_read_and_written() {
        for text in [
            "interval=1ms,length=50us,seed=1",
            "interval=1ms,length=50us,interval-distribution=exponential,length-distribution=uniform,first=0s,seed=7",
        ] {
            assert_eq!(text.parse::<Noise>().unwrap().to_string(), text);
        }
        let both: Noise = "interval=1ms, length=50us, distribution=uniform".parse().unwrap();
        assert_eq!((both.intervals, both.lengths), (Distribution::Uniform, Distribution::Uniform));
        for (text, part) in [
            ("interval=1ms", "noise has no length"),
            ("interval=1ms,length=1ms", "noise of 1 ms every 1 ms leaves too little time for programs"),
            ("interval=2ps,length=1ps", "noise of 1 ps every 2 ps leaves too little time for programs"),
            ("interval=1ms,length=2s", "noise of 2 s every 1 ms leaves too little time for programs"),
            (
                "interval=1ms,length=1us,distribution=normal",
                "unknown distribution of noise `normal`. Known: fixed, ",
            ),
            ("interval=1ms,lenght=1us", "unknown part of noise `lenght=1us`; did you mean `length`? Known: "),
            ("interval=1,length=1us", "noise interval: `1` has no unit; write a time such as `92 us`"),
            ("interval=1ms,length=1us,seed=-1", "invalid noise seed `-1`"),
            ("interval=soon,length=1us", "noise interval: "),
            ("", "unknown part of noise ``. "),
        ] {
            let refusal = text.parse::<Noise>().unwrap_err().to_string();
            assert!(refusal.starts_with(part), "{text}: {refusal}");
        }
    }
}
