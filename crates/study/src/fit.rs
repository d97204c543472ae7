//! Fit of machine parameters to measured times: the Levenberg-Marquardt method on the logarithms of the times, so that all rows count by
//! their relative errors.
//!
//! The unknowns are ln alpha, ln beta, the fractions o_s / alpha and o_r / alpha, and 1 / k. An unknown is identified if its standard error
//! is small. Of several that are not, the last is fixed at the machine's value first, and the others are fitted again: a table of
//! ping-pong times thus identifies alpha and beta.

use multicomputer::{
    Span,
    model::{MachineSpec, Parameters},
};

use crate::{
    Axis, StudyError,
    least_squares::{normal, product, solve},
    measured::{Measured, Measurements},
};

/// The unknowns in the order in which they are identified.
const AXES: [Axis; 5] =
    [Axis::Alpha, Axis::Beta, Axis::SendOverhead, Axis::ReceiveOverhead, Axis::LinkExcess];
const BETA: usize = 1;
const SEND: usize = 2;
const RECEIVE: usize = 3;
const EXCESS: usize = 4;

/// Smallest 1 / k.
const MIN_SHARE: f64 = 1e-2;

/// Maximum standard error of an identified unknown.
const MAX_ERROR: f64 = 0.3;

/// Minimum relative error that is assumed of measured times.
const MIN_NOISE: f64 = 1e-3;

/// Step of the difference quotients: well above the rounding of times to picoseconds.
const STEP: f64 = 1e-3;

/// Maximum number of steps of a descent.
const MAX_STEPS: usize = 30;

/// Smallest k of a search, the number of values, each a quarter larger than the one before, and the maximum number of searches.
const LEAST_EXCESS: f64 = 0.25;
const EXCESSES: i32 = 20;
const MAX_SEARCHES: usize = 2;

/// Root mean square of residuals that are only rounding errors.
const EXACT: f64 = 1e-6;

/// Smallest and largest damping of a step.
const DAMPING: [f64; 2] = [1e-12, 1e8];

/// Parameters that were fitted to [measured times](Measurements).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Fit {
    /// The machine with the fitted parameters.
    pub machine: MachineSpec,
    /// alpha, beta, o_s, o_r and k.
    pub estimates: Vec<Estimate>,
    /// Number of rows.
    pub rows: usize,
    /// Root mean square of the relative errors of the modeled times.
    pub rms: f64,
    /// The row with the largest relative error.
    pub worst: Worst,
}

/// What the measured times tell of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// The parameter.
    pub parameter: Axis,
    /// How it was identified.
    pub identified: Identified,
}

/// How a parameter was identified.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Identified {
    /// Fitted, with this standard error: of alpha, beta and k relative, of o_s and o_r as a fraction of alpha.
    Within(f64),
    /// Not identified: the machine's value, of o_s and o_r the machine's fraction of alpha.
    Kept,
    /// Not identified, but the machine's value does not fit: one of several values that do.
    Loosely,
}

/// A row and its modeled time.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Worst {
    /// Line of the table, from 1.
    pub line: u64,
    /// The row in words.
    pub title: String,
    /// The measured time in seconds.
    pub measured: f64,
    /// The modeled time in seconds.
    pub modeled: f64,
}

impl Fit {
    /// Returns a machine file, with what the times tell of each parameter in comments.
    pub fn to_toml(&self) -> String {
        let percent = |error: f64| format!("{:.2} %", 100.0 * error);
        let span = |seconds: f64| {
            Span::try_from_secs_f64(seconds).map_or_else(|cause| cause.to_string(), |span| span.to_string())
        };
        let Worst { line, title, measured, modeled } = &self.worst;
        let parameters = self.machine.parameters();
        let mut lines = vec![
            format!("Fitted to {} measured times.", self.rows),
            format!(
                "Errors of the modeled times: root mean square {}, largest {} (line {line}: {title}, measured {}, modeled {}).",
                percent(self.rms),
                percent((modeled / measured - 1.0).abs()),
                span(*measured),
                span(*modeled)
            ),
        ];
        for &Estimate { parameter, identified } in &self.estimates {
            let (value, of, how) = match parameter {
                Axis::Alpha => (format!("alpha = {}", parameters.alpha()), "", "short messages"),
                Axis::Beta => (
                    format!("beta = {:.4} ns/B", 1e9 * parameters.beta()),
                    "",
                    "messages of other, long lengths",
                ),
                Axis::SendOverhead => {
                    (format!("o_s = {}", parameters.send_overhead()), " of alpha", "short scatters by tree")
                }
                Axis::ReceiveOverhead => {
                    (format!("o_r = {}", parameters.receive_overhead()), " of alpha", "short gathers by tree")
                }
                _ => {
                    let how = "long messages that share links (all-to-all by pairwise on a mesh)";
                    (format!("k = {:.3}", parameters.link_excess()), "", how)
                }
            };
            let kept = if of.is_empty() { "value" } else { "fraction" };
            lines.push(match identified {
                Identified::Within(error) => format!("{value}: standard error {}{of}.", percent(error)),
                Identified::Kept => {
                    format!("{value}: not identified, the machine's {kept}{of} is kept; rows of {how} identify it.")
                }
                Identified::Loosely => {
                    format!("{value}: not identified, other values fit as well; rows of {how} identify it.")
                }
            });
        }
        let comments: String = lines.iter().map(|line| format!("# {line}\n")).collect();
        comments + &self.machine.to_toml()
    }
}

/// Values of the unknowns: alpha, beta, o_s / alpha, o_r / alpha, k.
type Point = [f64; 5];

/// Which unknowns are fitted.
type Free = [bool; 5];

/// A point with its residuals: the logarithms of modeled over measured times.
#[derive(Clone, Debug)]
struct Found {
    point: Point,
    residuals: Vec<f64>,
}

impl Found {
    fn cost(&self) -> f64 {
        self.residuals.iter().map(|residual| residual * residual).sum()
    }

    fn rms(&self) -> f64 {
        (self.cost() / self.residuals.len() as f64).sqrt()
    }
}

/// The machine's own parameters; of a machine that costs nothing, those of the shortest time and of the largest rate.
fn start(measured: &Measurements) -> Point {
    let own = measured.machine.parameters();
    let or = |value: f64, otherwise: f64| if value > 0.0 { value } else { otherwise };
    let least = |value: fn(&Measured) -> f64| measured.rows.iter().map(value).fold(f64::MAX, f64::min);
    let alpha = own.alpha().as_secs_f64();
    let fraction = |overhead: f64| if alpha > 0.0 { overhead / alpha } else { 0.5 };
    [
        or(alpha, least(|row| row.seconds)),
        or(own.beta(), least(|row| row.seconds / row.bytes().max(1) as f64)),
        fraction(own.send_overhead().as_secs_f64()),
        fraction(own.receive_overhead().as_secs_f64()),
        own.link_excess(),
    ]
}

fn with(mut point: Point, unknown: usize, value: f64) -> Point {
    point[unknown] = value;
    point
}

/// The point with one unknown moved: fractions and 1 / k by a difference, the others by a factor with this logarithm. Both fractions
/// together stay between 0 and 1.
fn moved(mut point: Point, unknown: usize, by: f64) -> Point {
    match unknown {
        SEND | RECEIVE => point[unknown] = (point[unknown] + by).clamp(0.0, 1.0),
        // Times of messages that share a link are linear in 1 / k.
        EXCESS => point[unknown] = 1.0 / (1.0 / point[unknown] + by).max(MIN_SHARE),
        _ => point[unknown] *= by.clamp(-5.0, 5.0).exp(),
    }
    let sum = point[SEND] + point[RECEIVE];
    if sum > 1.0 {
        // The nearest point without a negative latency.
        let less = (sum - 1.0) / 2.0;
        point[SEND] = (point[SEND] - less).clamp(0.0, 1.0);
        point[RECEIVE] = 1.0 - point[SEND];
    }
    point
}

impl Measurements {
    /// Fits alpha, beta, o_s, o_r and k by nonlinear least squares of the relative errors.
    ///
    /// # Errors
    ///
    /// [`StudyError::Value`] if a fitted value is outside the range of the parameters, or a row cannot be predicted.
    pub fn fit(&self) -> Result<Fit, StudyError> {
        let own = self.machine.parameters();
        let mut start = start(self);
        let mut free: Free = [true; 5];
        let mut loosely: Free = [false; 5];
        let mut found = self.search(start, &free)?;
        let errors = loop {
            let errors = self.errors(&found, &free)?;
            let Some(worst) = (0..5).rev().find(|&nth| free[nth] && errors[nth] > MAX_ERROR) else {
                break errors;
            };
            free[worst] = false;
            if worst == BETA {
                start[BETA] = own.beta();
            }
            let kept = self.search(with(found.point, worst, start[worst]), &free)?;
            loosely[worst] = kept.rms() > 1.2 * found.rms() + MIN_NOISE;
            if !loosely[worst] {
                found = kept;
            }
        };
        let identified = |nth: usize| match () {
            () if free[nth] && nth == EXCESS => Identified::Within(errors[nth] * found.point[EXCESS]),
            () if free[nth] => Identified::Within(errors[nth]),
            () if loosely[nth] => Identified::Loosely,
            () => Identified::Kept,
        };
        let estimates =
            (0..5).map(|nth| Estimate { parameter: AXES[nth], identified: identified(nth) }).collect();
        let parameters = self.parameters(&found.point)?;
        let largest = |one: &usize, other: &usize| {
            found.residuals[*one].abs().total_cmp(&found.residuals[*other].abs())
        };
        let worst = (0..self.rows.len()).max_by(largest).unwrap_or(0);
        let row = &self.rows[worst];
        Ok(Fit {
            machine: MachineSpec::new(self.machine.name(), self.machine.topology().clone(), parameters),
            estimates,
            rows: self.rows.len(),
            rms: found.rms(),
            worst: Worst {
                line: row.line,
                title: row.title(),
                measured: row.seconds,
                modeled: row.seconds * found.residuals[worst].exp(),
            },
        })
    }

    fn parameters(&self, &[alpha, beta, send, receive, excess]: &Point) -> Result<Parameters, StudyError> {
        let builder = self.machine.parameters().to_builder();
        let builder = builder.send_overhead(alpha * send).receive_overhead(alpha * receive);
        let builder = builder.latency(alpha * (1.0 - send - receive).max(0.0)).beta(beta).link_excess(excess);
        builder.build().map_err(|cause| StudyError::Value { axis: Axis::Machine, cause: cause.to_string() })
    }

    /// The residuals at a point.
    fn at(&self, point: Point) -> Result<Found, StudyError> {
        let parameters = self.parameters(&point)?;
        let residual =
            |row: &Measured| Ok((row.predicted(&parameters)?.max(f64::MIN_POSITIVE) / row.seconds).ln());
        let residuals = self.rows.iter().map(residual).collect::<Result<_, String>>();
        let cause = |cause| StudyError::Value { axis: Axis::Machine, cause };
        Ok(Found { point, residuals: residuals.map_err(cause)? })
    }

    /// The derivatives of the residuals by the free unknowns.
    fn derivatives(&self, found: &Found, free: &Free) -> Result<Vec<(usize, Vec<f64>)>, StudyError> {
        let derivative = |unknown: usize| {
            let is_full = found.point[SEND] + found.point[RECEIVE] + STEP > 1.0;
            let step = match unknown {
                SEND | RECEIVE if is_full && found.point[unknown] >= STEP => -STEP,
                // Towards faster links: if these change nothing, k has only a lower limit and is not identified.
                EXCESS => -STEP,
                _ => STEP,
            };
            let near = self.at(moved(found.point, unknown, step))?;
            let pairs = near.residuals.iter().zip(&found.residuals);
            Ok((unknown, pairs.map(|(near, here)| (near - here) / step).collect()))
        };
        (0..5).filter(|&unknown| free[unknown]).map(derivative).collect()
    }

    /// Descends to a minimum of the sum of squares, in turn with a search for a better k: where no link limits a message, the times do not
    /// depend on k, and a descent keeps it.
    fn search(&self, start: Point, free: &Free) -> Result<Found, StudyError> {
        let mut found = self.descend(start, free)?;
        for _ in 0..if free[EXCESS] && found.rms() > EXACT { MAX_SEARCHES } else { 0 } {
            let mut best = found.clone();
            for nth in 0..EXCESSES {
                let other = self.at(with(found.point, EXCESS, LEAST_EXCESS * 1.25_f64.powi(nth)))?;
                if other.cost() < best.cost() {
                    best = other;
                }
            }
            let better = self.descend(best.point, free)?;
            let is_last = better.cost() > 0.99 * found.cost();
            if better.cost() < found.cost() {
                found = better;
            }
            if is_last {
                break;
            }
        }
        Ok(found)
    }

    /// Descends from a point to a minimum of the sum of squares.
    fn descend(&self, start: Point, free: &Free) -> Result<Found, StudyError> {
        let mut found = self.at(start)?;
        let mut damping = 1e-3;
        for _ in 0..MAX_STEPS {
            let derivatives = self.derivatives(&found, free)?;
            let gradient: Vec<f64> =
                derivatives.iter().map(|(_, column)| product(column, &found.residuals)).collect();
            let better = loop {
                let Some(steps) = solve(normal(&derivatives, damping), &gradient) else { break None };
                let next = derivatives.iter().zip(&steps);
                let next =
                    next.fold(found.point, |point, ((unknown, _), step)| moved(point, *unknown, -step));
                let next = self.at(next)?;
                if next.cost() < found.cost() {
                    damping = (damping / 10.0).max(DAMPING[0]);
                    break Some(next);
                }
                damping *= 10.0;
                if damping > DAMPING[1] {
                    break None;
                }
            };
            let Some(better) = better else { break };
            let is_last = better.cost() > 0.999 * found.cost() || better.rms() < EXACT;
            found = better;
            if is_last {
                break;
            }
        }
        Ok(found)
    }

    /// The standard errors of the free unknowns.
    fn errors(&self, found: &Found, free: &Free) -> Result<Point, StudyError> {
        let derivatives = self.derivatives(found, free)?;
        let freedom = found.residuals.len().saturating_sub(derivatives.len()).max(1);
        let noise = (found.cost() / freedom as f64).sqrt().max(MIN_NOISE);
        let mut errors = [0.0; 5];
        for (nth, (unknown, _)) in derivatives.iter().enumerate() {
            let unit: Vec<f64> =
                (0..derivatives.len()).map(|other| f64::from(u8::from(other == nth))).collect();
            let column = solve(normal(&derivatives, 0.0), &unit);
            errors[*unknown] = column.map_or(f64::INFINITY, |column| noise * column[nth].abs().sqrt());
        }
        Ok(errors)
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use rand_chacha::{
        ChaCha8Rng,
        rand_core::{Rng, SeedableRng},
    };

    use super::*;
    use crate::{Shard, Study};

    /// Predicted times of operations on a mesh whose parameters are known, with relative errors of at
    /// most `noise`.
    fn table(noise: f64) -> String {
        let mut study = Study::default();
        for (axis, values) in [
            (Axis::Operation, "scatter,gather,all-gather,all-to-all"),
            (Axis::Machine, "mesh:2x4"),
            (Axis::SendOverhead, "3us"),
            (Axis::ReceiveOverhead, "5us"),
            (Axis::Latency, "2us"),
            (Axis::Beta, "4ns/B"),
            (Axis::LinkExcess, "1.5"),
            (Axis::Bytes, "64,256K"),
        ] {
            study.set(axis, values).unwrap();
        }
        study.set_algorithms("short,tree,circulant,pairwise");
        let mut random = ChaCha8Rng::seed_from_u64(7);
        let mut text = "operation,algorithm,machine,nodes,bytes,time_us\n".to_owned();
        for row in study.rows(Shard::WHOLE).unwrap().map(Result::unwrap) {
            let Some(time) = row.time_us else { continue };
            let factor = 1.0 + noise * (f64::from(random.next_u32()) / f64::from(u32::MAX) * 2.0 - 1.0);
            let (operation, algorithm, bytes) = (row.operation, row.algorithm, row.bytes.unwrap());
            writeln!(text, "{operation},{algorithm},mesh:2x4,8,{bytes},{}", time * factor).unwrap();
        }
        text
    }

    fn fitted(table: &str) -> Fit {
        Measurements::read("times.csv", table.as_bytes(), None).unwrap().fit().unwrap()
    }

    /// The largest relative error of a parameter.
    fn error(fit: &Fit) -> f64 {
        let parameters = fit.machine.parameters();
        let [send, receive] =
            [parameters.send_overhead(), parameters.receive_overhead()].map(|time| time.as_secs_f64());
        let alpha = parameters.alpha().as_secs_f64();
        let pairs = [
            (alpha, 10e-6),
            (send, 3e-6),
            (receive, 5e-6),
            (parameters.beta(), 4e-9),
            (parameters.link_excess(), 1.5),
        ];
        pairs.into_iter().map(|(found, known)| (found / known - 1.0).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn the_parameters_of_a_known_machine_are_recovered() {
        let exact = fitted(&table(0.0));
        assert!(error(&exact) < 1e-3 && exact.rms < 1e-4, "{exact:?}");
        assert!(
            exact
                .estimates
                .iter()
                .all(|of| matches!(of.identified, Identified::Within(error) if error < 0.05))
        );
        let noisy = fitted(&table(0.02));
        assert!(error(&noisy) < 0.1 && (0.003..0.02).contains(&noisy.rms), "{noisy:?}");
    }

    #[test]
    fn what_the_times_do_not_tell_is_kept() {
        let kept = |fit: &Fit| {
            let kept = fit.estimates.iter().filter(|of| of.identified == Identified::Kept);
            kept.map(|of| of.parameter).collect::<Vec<_>>()
        };
        let ping_pong = fitted("bytes,time_ms\n8,0.0101\n1000,0.011\n100000,0.11\n");
        assert_eq!(kept(&ping_pong), [Axis::SendOverhead, Axis::ReceiveOverhead, Axis::LinkExcess]);
        let parameters = ping_pong.machine.parameters();
        assert!(
            (parameters.beta() / 1e-9 - 1.0).abs() < 0.01 && parameters.latency().is_zero(),
            "{parameters:?}"
        );
        let one_length = fitted("bytes,time_us\n0,3\n0,3.03\n");
        assert_eq!(kept(&one_length)[0], Axis::Beta);
        assert_eq!(one_length.machine.parameters().beta(), 0.0);
    }

    #[test]
    fn tables_that_cannot_be_fitted_are_refused() {
        for (table, part) in [
            ("bytes,time\n8,1\n", "time_us"),
            ("length,time_us\n8,1\n", "no column `bytes`"),
            ("bytes,time_us\n8,1\n", "1 rows with times are too few"),
            ("bytes,time_us\n8,x\n9,1\n", "line 2: `x` is not a time"),
            ("operation,bytes,time_us\nbroadcast,8,1\n,8,1\n", "column `algorithm`"),
            (
                "operation,algorithm,bytes,time_us\nbroadcast,lineer,8,1\n,,8,1\n",
                "not an algorithm of broadcast",
            ),
            ("from,to,bytes,time_us\n1,1,8,1\n,,8,1\n", "no message goes from node 1 to node 1"),
            ("noise,bytes,time_us\ninterval=1ms,8,1\n,8,1\n", "cannot be predicted"),
        ] {
            let refusal = Measurements::read("times.csv", table.as_bytes(), None).unwrap_err().to_string();
            assert!(refusal.starts_with("times.csv: ") && refusal.contains(part), "{table}: {refusal}");
        }
    }
}
