//! Crossover from InterCom's algorithm for short vectors to its algorithm for long vectors, and the time of its hybrids
//! at the crossover.

use std::fmt;

use multicomputer::{Span, collective::Algorithm};
use serde_json::{Value, json};

use super::{
    super::{count::counted, error::Error, unit::Unit},
    search::{Point, Search},
};

/// Precision of the crossover as a ratio of lengths, independent of `--precision`: each length needs few predictions.
const FACTOR: f64 = 1.05;

/// Crossover at which `long` becomes faster than `short`.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Crossover {
    /// `long` is faster at no length.
    Never,
    /// `long` is already faster at the shortest length.
    Always,
    /// `long` is faster from this crossing on.
    At(Crossing),
}

/// Shortest known length for which `long` is faster.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Crossing {
    bytes: u64,
    short: Span,
    long: Span,
    /// Name and time of the fastest hybrid at this length.
    hybrid: (String, Span),
}

impl Crossover {
    /// Finds the crossover; `None` if the operation has no InterCom algorithms.
    pub(super) fn find(search: &Search<'_>, lengths: &[u64]) -> Result<Option<Crossover>, Error> {
        let known = Algorithm::of(search.operation);
        if ![Algorithm::SHORT, Algorithm::LONG, Algorithm::HYBRID]
            .iter()
            .all(|algorithm| known.contains(algorithm))
        {
            return Ok(None);
        }
        let time = |algorithm, bytes| -> Result<Span, Error> {
            Ok(search.plan(&algorithm, bytes)?.prediction().modeled.since_start())
        };
        // Evaluates lengths in ascending order, up to the first for which `long` is faster.
        let faster = |bytes| -> Result<Point, Error> {
            let (short, modeled) = (time(Algorithm::SHORT, bytes)?, time(Algorithm::LONG, bytes)?);
            let choice = if modeled < short { "long" } else { "short" };
            Ok(Point { bytes, choice: choice.to_owned(), modeled, ratio: None })
        };
        let mut points = Vec::new();
        for bytes in search.whole(lengths) {
            points.push(faster(bytes)?);
            if points.last().is_some_and(|point| point.choice == "long") {
                break;
            }
        }
        let points = search.refined(points, FACTOR, faster)?;
        let Some(first) = points.iter().position(|point| point.choice == "long") else {
            return Ok(Some(Crossover::Never));
        };
        let Point { bytes, modeled: long, .. } = points[first];
        if first == 0 {
            return Ok(Some(Crossover::Always));
        }
        let short = time(Algorithm::SHORT, bytes)?;
        let hybrid = search.plan(&Algorithm::HYBRID, bytes)?;
        let hybrid = (hybrid.name().to_owned(), hybrid.prediction().modeled.since_start());
        Ok(Some(Crossover::At(Crossing { bytes, short, long, hybrid })))
    }

    /// Returns the crossover as JSON: `long` is faster `never`, `always`, or `from` a length on.
    pub(super) fn object(&self) -> Value {
        match self {
            Crossover::Never => json!({ "long_is_faster": "never" }),
            Crossover::Always => json!({ "long_is_faster": "always" }),
            Crossover::At(Crossing { bytes, short, long, hybrid: (name, hybrid) }) => {
                let [short, long, hybrid] = [short, long, hybrid].map(|time| time.as_micros_f64());
                json!({
                    "long_is_faster": "from",
                    "from_bytes": bytes,
                    "short_us": short,
                    "long_us": long,
                    "fastest_hybrid": name,
                    "fastest_hybrid_us": hybrid,
                })
            }
        }
    }
}

impl fmt::Display for Crossover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Crossover::Never => write!(f, "InterCom: `long` is faster than `short` at no length."),
            Crossover::Always => {
                write!(f, "InterCom: `long` is already faster than `short` at the shortest length.")
            }
            Crossover::At(Crossing { bytes, short, long, hybrid: (name, hybrid) }) => {
                let unit = Unit::of([*long, *short, *hybrid]);
                let bytes = counted(bytes, "byte");
                let [long, short, hybrid] = [long, short, hybrid].map(|&time| unit.text(time));
                write!(
                    f,
                    "InterCom: `long` is faster than `short` from {bytes} on ({long} and {short} there); the fastest hybrid, \
                     {name}, takes {hybrid} there."
                )
            }
        }
    }
}
