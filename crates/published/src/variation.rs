//! Sensitivity of results to fitted parameters: each job can be computed on a Paragon with one fitted parameter changed.

use std::{cell::Cell, fmt};

use multicomputer::model::{MachineSpec, ParameterError, Parameters, ParametersBuilder};

use super::{Job, JobError, Outcome, Verdict};

/// The preset with fitted parameters.
const PARAGON: &str = "paragon";

/// Returns the builder of parameters of which one is multiplied by a factor.
type Change = fn(&Parameters, f64) -> ParametersBuilder;

/// The fitted parameters of the Paragon, by symbol. No other preset has fitted parameters.
const FITTED: [(&str, Change); 5] = [
    ("o_s and o_r", |paragon, factor| {
        let [send, receive] =
            [paragon.send_overhead(), paragon.receive_overhead()].map(|span| span.as_secs_f64());
        paragon.to_builder().send_overhead(factor * send).receive_overhead(factor * receive)
    }),
    ("o_x", |paragon, factor| {
        paragon.to_builder().exchange_overhead(factor * paragon.exchange_overhead().as_secs_f64())
    }),
    ("beta", |paragon, factor| paragon.to_builder().beta(factor * paragon.beta())),
    ("d", |paragon, factor| paragon.to_builder().duplex(factor * paragon.duplex())),
    ("gamma", |paragon, factor| paragon.to_builder().gamma(factor * paragon.gamma())),
];

/// A change of one fitted parameter of the Paragon.
#[derive(Clone, Copy, Debug)]
pub struct Variation {
    symbol: &'static str,
    factor: f64,
    change: Change,
}

impl Variation {
    /// The relative size of a change: 20 %.
    pub const STEP: f64 = 0.2;

    /// Returns all variations: each fitted parameter 20 % lower, and 20 % higher.
    pub fn all() -> impl Iterator<Item = Variation> {
        let factors = [1.0 - Variation::STEP, 1.0 + Variation::STEP];
        FITTED
            .into_iter()
            .flat_map(move |(symbol, change)| factors.map(|factor| Variation { symbol, factor, change }))
    }

    fn of(self, machine: &MachineSpec) -> Result<MachineSpec, ParameterError> {
        let parameters = (self.change)(machine.parameters(), self.factor).build()?;
        Ok(machine.clone().with_parameters(parameters))
    }
}

/// `beta -20 %`.
impl fmt::Display for Variation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:+.0} %", self.symbol, 100.0 * (self.factor - 1.0))
    }
}

/// The variations under which verdicts of a job change.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Sensitivity {
    /// Whether the job uses fitted parameters.
    pub is_fitted: bool,
    /// For each value of the outcome, the variations under which its verdict differs.
    pub values: Vec<Vec<Variation>>,
    /// For each claim of the outcome, the variations under which its verdict differs.
    pub claims: Vec<Vec<Variation>>,
}

thread_local! {
    /// The variation of the job that this thread computes, and whether the job has used a Paragon.
    static CURRENT: Cell<(Option<Variation>, bool)> = const { Cell::new((None, false)) };
}

/// Ends a variation, also if the job panics.
struct Ended;

impl Drop for Ended {
    fn drop(&mut self) {
        CURRENT.set((None, false));
    }
}

/// Returns a preset machine under the variation of the current job, which changes only the Paragon.
pub(super) fn varied(machine: MachineSpec) -> MachineSpec {
    if !machine.name().starts_with(PARAGON) {
        return machine;
    }
    let (variation, _) = CURRENT.get();
    CURRENT.set((variation, true));
    match variation {
        Some(variation) => variation.of(&machine).expect("20 % stay within the limits of a parameter"),
        None => machine,
    }
}

impl Job {
    /// Computes the job under all variations, and compares the verdicts with those of its outcome.
    ///
    /// # Errors
    ///
    /// As for [`work`](Job::work).
    pub fn sensitivity(&self, outcome: &Outcome) -> Result<Sensitivity, JobError> {
        let mut found = Sensitivity {
            is_fitted: false,
            values: vec![Vec::new(); outcome.values.len()],
            claims: vec![Vec::new(); outcome.claims.len()],
        };
        for variation in Variation::all() {
            let ended = Ended;
            CURRENT.set((Some(variation), false));
            let other = self.work()?;
            let (_, uses_paragon) = CURRENT.get();
            drop(ended);
            if !uses_paragon {
                break;
            }
            found.is_fitted = true;
            let verdicts = |outcome: &Outcome| {
                let values: Vec<Verdict> = outcome.values.iter().map(|value| value.verdict()).collect();
                (values, outcome.claims.iter().map(|claim| claim.verdict).collect::<Vec<_>>())
            };
            let ((values, claims), (other_values, other_claims)) = (verdicts(outcome), verdicts(&other));
            mark(&mut found.values, &values, &other_values, variation);
            mark(&mut found.claims, &claims, &other_claims, variation);
        }
        Ok(found)
    }
}

/// Adds a variation where verdicts differ.
fn mark(changed: &mut [Vec<Variation>], verdicts: &[Verdict], others: &[Verdict], variation: Variation) {
    for ((changed, verdict), other) in changed.iter_mut().zip(verdicts).zip(others) {
        if verdict != other {
            changed.push(variation);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variations_are_named_by_parameter_and_size() {
        let names: Vec<String> = Variation::all().map(|variation| variation.to_string()).collect();
        assert_eq!(names[..3], ["o_s and o_r -20 %", "o_s and o_r +20 %", "o_x -20 %"]);
        assert_eq!(names.len(), 10);
    }

    /// The first value of S0-F6 is 20.4 % too low: any of four changes makes it hold.
    #[test]
    fn verdicts_that_depend_on_a_fitted_parameter_name_it() {
        let job = Job::named("S0-F6").unwrap();
        let outcome = job.work().unwrap();
        let found = job.sensitivity(&outcome).unwrap();
        let names: Vec<String> = found.values[0].iter().map(ToString::to_string).collect();
        assert!(found.is_fitted);
        assert_eq!(names, ["o_s and o_r +20 %", "o_x +20 %", "beta +20 %", "d -20 %"]);
        // The preset itself is unchanged afterwards.
        assert_eq!(job.work().unwrap().values[0].modeled, outcome.values[0].modeled);
    }

    #[test]
    fn a_job_without_a_paragon_is_computed_once_more_only() {
        let job = Job::named("S3-Q").unwrap();
        let outcome = job.work().unwrap();
        assert!(!job.sensitivity(&outcome).unwrap().is_fitted);
    }
}
