//! The effect of irregular timing on pipelined algorithms, section 8.

use Operation::Broadcast;
use multicomputer::{
    model::{Distribution, Noise},
    plan::predict,
};

use super::*;

pub(super) const IRREGULAR: Job = Paper::InterCom.job(
    "S2-8N",
    "section 8",
    "pipelined algorithms and irregular timing",
    "broadcasts of 1 MiB; Paragon, 8 x 8, and iPSC/860, 64 nodes; a period of noise about every millisecond, 10 to 200 us, five seeds",
    4.0,
    irregular,
);

/// The mean lengths of noise periods, in microseconds.
const LENGTHS: [f64; 5] = [10.0, 25.0, 50.0, 100.0, 200.0];

/// Number of seeds over which times are averaged.
const SEEDS: u64 = 5;

/// Returns the mean time of a 1 MiB broadcast with noise, divided by its time without noise. The plan is made without noise.
fn slowdown(machine: &MachineSpec, algorithm: &Algorithm, micros: f64) -> f64 {
    let plan = algorithm.plan(&task(machine, Broadcast, 1 << 20, 1)).expect("a broadcast can be planned");
    let noise = Noise::new(Span::from_millis(1), Span::from_secs_f64(micros * 1e-6));
    let noise =
        noise.expect("a period is shorter than the time to the next").intervals(Distribution::Exponential);
    let noise = noise.lengths(Distribution::Exponential);
    let times = (1..=SEEDS).map(|seed| {
        let noisy = machine.clone().with_noise(noise.seed(seed));
        let prediction = predict(&noisy, plan.schedule()).expect("the schedule is for this machine");
        prediction.modeled.since_start().as_secs_f64()
    });
    times.sum::<f64>() / SEEDS as f64 / plan.prediction().modeled.since_start().as_secs_f64()
}

fn chart(title: &str, machine: &MachineSpec, algorithms: &[(&str, Algorithm)]) -> Chart {
    let mut chart = Chart::new(
        title,
        Axis::logarithmic("length of a period of noise, about one in a millisecond", "us"),
        Axis::linear("time / time without noise", ""),
    );
    for (name, algorithm) in algorithms {
        chart.modeled(*name, LENGTHS, |micros| slowdown(machine, algorithm, micros));
    }
    chart
}

fn irregular() -> Outcome {
    let cube = ["2"; 6].join("x");
    let in_all_dimensions =
        Algorithm::strategy(strategy(Broadcast, &format!("{cube}:{}{}", "S".repeat(6), "C".repeat(6))));
    let charts = vec![
        chart(
            "Noise and a broadcast of 1 MiB, Paragon of 8 x 8",
            &paragon("8x8"),
            &[
                ("pipeline by the clock", Algorithm::PIPELINE),
                ("pipeline of blocks", Algorithm::BLOCKS),
                ("hybrid", Algorithm::HYBRID),
                ("scatter and all-gather", Algorithm::LONG),
                ("tree", Algorithm::TREE),
            ],
        ),
        chart(
            "Noise and a broadcast of 1 MiB, iPSC/860 of 64 nodes",
            &super::super::machine("ipsc860:64"),
            &[
                ("edge-disjoint trees", Algorithm::EDST),
                ("scatter and all-gather", in_all_dimensions),
                ("tree", Algorithm::TREE),
            ],
        ),
    ];
    let claims = vec![
        section_8_pipelines_suffer_more_from_irregular_timing(&charts[0]),
        section_8_edge_disjoint_trees_suffer_more_from_irregular_timing(&charts[1]),
    ];
    Outcome { claims, charts, ..Outcome::default() }
}

/// Returns the slowdown of the algorithm `name` in percent, for each mean length of noise.
fn losses(chart: &Chart, name: &str) -> [f64; 5] {
    LENGTHS.map(|micros| 100.0 * (chart.at(name, micros) - 1.0))
}

/// Section 8: pipelined algorithms "are also more susceptible to timing irregularities resulting from the more complex operating
/// systems". On a Paragon both pipelines lose more than hybrids at every noise length. The time-triggered pipeline loses 60 % and
/// more, because its messages collide at nodes once nodes are out of step. The pipeline of blocks loses up to a third.
fn section_8_pipelines_suffer_more_from_irregular_timing(chart: &Chart) -> Claim {
    let mut claim = Claim::new(
        "section_8_pipelines_suffer_more_from_irregular_timing",
        "pipelined algorithms are more susceptible to timing irregularities (Paragon, 8 x 8)",
    );
    let [clock, blocks, hybrid, long] =
        ["pipeline by the clock", "pipeline of blocks", "hybrid", "scatter and all-gather"]
            .map(|name| losses(chart, name));
    claim.all_within("%, pipeline by the clock", clock, 55.0..=165.0);
    claim.all_within("%, pipeline of blocks", blocks, 0.1..=40.0);
    claim.all_within("%, hybrid", hybrid, 0.0..=8.0);
    let more = |pipeline: [f64; 5], other: [f64; 5]| (0..5).all(|nth| pipeline[nth] > other[nth]);
    let holds = [hybrid, long].into_iter().all(|other| more(clock, other) && more(blocks, other));
    claim.judged("both pipelines lose more than hybrid and long at each of five lengths of noise", 
        holds,
        format!(
            "periods of 10 and of 200 us cost a pipeline by the clock {:.0} and {:.0} %, one of blocks {:.1} and {:.0} %, the hybrid \
             {:.1} and {:.0} %",
            clock[0], clock[4], blocks[0], blocks[4], hybrid[0], hybrid[4]
        ),
    )
}

/// Section 8: pipelined algorithms are more susceptible to timing irregularities, for the paper's example: broadcasts along edge-disjoint
/// spanning trees of a hypercube.
fn section_8_edge_disjoint_trees_suffer_more_from_irregular_timing(chart: &Chart) -> Claim {
    let mut claim = Claim::new(
        "section_8_edge_disjoint_trees_suffer_more_from_irregular_timing",
        "pipelined algorithms are more susceptible to timing irregularities (EDST, iPSC/860)",
    );
    let [edst, long] = ["edge-disjoint trees", "scatter and all-gather"].map(|name| losses(chart, name));
    claim.all_within("%, edge-disjoint trees", edst, 0.0..=100.0);
    claim.all_within("%, scatter and all-gather", long, 0.0..=20.0);
    let holds = (0..5).all(|nth| edst[nth] > long[nth]);
    claim.judged("edge-disjoint trees lose more at each of five lengths of noise", 
        holds,
        format!(
            "periods of 10 and of 200 us cost edge-disjoint trees {:.1} and {:.0} %, scatter and all-gather {:.1} and {:.0} %",
            edst[0], edst[4], long[0], long[4]
        ),
    )
}
