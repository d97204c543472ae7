//! Every published result that is a job (`multicomputer_published`): what comes out is what is expected of the model as it
//! is, and what is said of it in `docs/reproduce.md`.
//!
//! A job is worked out once, for all tests that look at what comes out of it.

use std::{
    collections::BTreeMap,
    sync::{LazyLock, OnceLock},
};

use multicomputer::Clock;
use multicomputer_published::{Job, Outcome};

use crate::support::is_full;

/// What comes out of a job.
pub(crate) fn outcome(id: &str) -> &'static Outcome {
    static OUTCOMES: LazyLock<BTreeMap<&str, OnceLock<Outcome>>> =
        LazyLock::new(|| Job::all().map(|job| (job.id(), OnceLock::new())).collect());
    OUTCOMES[id].get_or_init(|| Job::named(id).unwrap().work().unwrap())
}

/// All that comes out is expected to, and a claim that is judged says why.
fn assert_as_expected(id: &str) {
    let outcome = outcome(id);
    for claim in &outcome.claims {
        println!("{id}: {}: {}, {}", claim.said, claim.verdict, claim.why);
        assert!(!claim.why.is_empty(), "{}", claim.name);
    }
    let checks = outcome.claims.iter().flat_map(|claim| claim.checks.iter().map(move |check| (claim, check)));
    let unmet = checks.filter(|(_, check)| !check.is_met);
    let unmet: Vec<String> = unmet.map(|(claim, check)| format!("{}: {check}", claim.name)).collect();
    assert!(unmet.is_empty(), "{id}\n{}", unmet.join("\n"));
    let points = outcome.charts.iter().flat_map(|chart| chart.lines.iter().flat_map(|line| &line.points));
    assert!(points.flatten().all(|number| number.is_finite()));
}

/// One test for each job, so that they are carried out side by side.
macro_rules! jobs {
    ($($name:ident: $id:literal,)*) => {
        $(#[test] fn $name() { assert_as_expected($id); })*

        /// The jobs that have a test.
        const TESTED: &[&str] = &[$($id),*];
    };
}

jobs! {
    s0_section_1: "S0-Q1",
    s0_figure_2: "S0-F2",
    s0_figure_3: "S0-F3",
    s0_figure_4: "S0-F4",
    s0_figure_5: "S0-F5",
    s0_figure_6: "S0-F6",
    s0_figure_7: "S0-F7",
    s0_permutation: "S0-T1",
    s0_figure_8: "S0-F8",
    s0_figure_9: "S0-F9",
    s0_distributions: "S0-D",
    s0_halves: "S0-P",
    s0_lengths: "S0-U",
    s1_figure_8: "S1-F8",
    s1_figure_9: "S1-F9",
    s1_break_even: "S1-Q1",
    s1_partitioning: "S1-Q3",
    s1_t3d: "S1-Q4",
    s1_diagonals: "S1-DL",
    s1_portable: "S1-Q2",
    s2_figure_1: "S2-F1",
    s2_primitives: "S2-4",
    s2_conflicts: "S2-6",
    s2_table_2: "S2-T2",
    s2_figure_2: "S2-F2",
    s2_rows_and_columns: "S2-Q1",
    s2_alternating: "S2-7.1",
    s2_table_3: "S2-T3",
    s2_figure_4: "S2-F4",
    s2_edst: "S2-Q2",
    s2_noise: "S2-8N",
    s3_equation_4_1: "S3-1",
    s3_equation_4_2: "S3-2",
    s3_equation_4_3: "S3-3",
    s3_equation_4_4: "S3-4",
    s3_on_a_ring: "S3-Q",
    s3_pipelined: "S3-Q2",
    s4_figure_1: "S4-F1",
    s4_machine: "S4-N",
    s4_bounds: "S4-C",
    s4_scheduled: "S4-6.1",
    s4_figure_9: "S4-F9",
    s4_figure_10: "S4-F10",
    s4_section_7: "S4-Q1",
}

/// What a value was worked out from takes on threads what it should. On 512 nodes that is left to the full tests.
#[test]
fn values_are_those_of_runs_on_threads() {
    let mut runs = 0;
    for id in ["S0-F6", "S0-T1", "S0-F9", "S1-F8", "S2-T3"] {
        for value in outcome(id).values.iter().filter(|_| id != "S2-T3" || is_full()) {
            let Some(report) = value.run(Clock::Virtual) else { continue };
            let modeled = report.unwrap().makespan.since_start().as_millis_f64();
            assert_eq!(modeled, value.modeled, "{id}, {}", value.what);
            runs += 1;
        }
    }
    assert_eq!(runs, if is_full() { 30 } else { 12 });
}

#[test]
fn every_job_has_a_test() {
    let all: Vec<&str> = Job::all().filter(|job| job.not_yet().is_none()).map(Job::id).collect();
    assert_eq!(all.len(), TESTED.len());
    assert!(all.iter().all(|id| TESTED.contains(id)), "{all:?}");
}
