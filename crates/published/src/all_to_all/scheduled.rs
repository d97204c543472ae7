//! Section 6.1: the two-stage algorithm with distributed scheduling of the first stage.

use super::*;

pub(super) const SCHEDULED: Job = Job {
    threads: NODES,
    ..Paper::ManyToMany.job(
        "S4-6.1",
        "section 6.1",
        "the first of the two stages by distributed scheduling",
        "32 nodes, complete network and CM-5, matrices of figures 9 and 10 and of 8 senders, 4 KiB to 1 MiB",
        0.4,
        scheduled,
    )
};

const TRAFFICS: [u64; 3] = [1 << 12, 1 << 16, 1 << 20];

/// Returns a matrix in which every fourth node sends to all others, and the other nodes send nothing.
fn some_send(traffic: u64) -> Arc<Matrix> {
    let matrix = Matrix::of(NODES, |from, to| if from % 4 == 0 && from != to { traffic / 31 } else { 0 });
    Arc::new(matrix.expect("nobody sends to itself"))
}

/// Returns the time of two stages with distributed scheduling of the first stage, divided by their time with linear permutation.
fn ratio(machine: &MachineSpec, matrix: &Arc<Matrix>) -> f64 {
    let [linear, scheduled] =
        [Algorithm::TWO_STAGE, Algorithm::SCHEDULED].map(|algorithm| seconds(machine, matrix, algorithm));
    scheduled / linear
}

fn scheduled() -> Outcome {
    let mut chart = Chart::new(
        "A first stage by distributed scheduling beside linear permutation, 32 nodes",
        Axis::logarithmic("traffic", "bytes"),
        Axis::linear("time / time with linear permutation", ""),
    );
    let equal: fn(u64) -> Arc<Matrix> = |traffic| figure_9(traffic, 1);
    let few: fn(u64) -> Arc<Matrix> = |traffic| figure_10(traffic, 1);
    for (name, machine, matrix) in [
        ("complete, k = 32", ideal(NODES), equal),
        ("complete, k = 2", ideal(NODES), few),
        ("complete, 8 senders", ideal(NODES), some_send),
        ("CM-5, k = 32", cm5(), equal),
        ("CM-5, k = 2", cm5(), few),
    ] {
        chart.modeled(name, TRAFFICS.map(|traffic| traffic as f64), |traffic| {
            ratio(&machine, &matrix(traffic as u64))
        });
    }
    let claims = the_first_stage_by_distributed_scheduling(&chart).into();
    Outcome { claims, charts: vec![chart], ..Outcome::default() }
}

/// Section 6.1: modified linear permutation is best for the first stage if traffic is equal; "in the general case distributed scheduling
/// may perform better". Both claims hold where mu is the same for all pairs. With equal traffic (figures 9 and 10) two stages take 4 to 15
/// % longer with distributed scheduling. If a quarter of the nodes send all data, and messages are not too long, they take up to 9 % less.
/// On the CM-5 distributed scheduling gains 5 to 7 % with equal traffic, too: it mixes near and far destinations in each round, while some
/// rounds of a linear permutation send all messages over the top of the tree.
fn the_first_stage_by_distributed_scheduling(chart: &Chart) -> [Claim; 2] {
    let name = "the_first_stage_by_distributed_scheduling";
    let mut best = Claim::new(name, "linear permutation is best for the first stage if traffic is equal");
    let mut better = Claim::new(name, "distributed scheduling may perform better in the general case");
    let at = |line: &str, traffic: u64| chart.at(line, traffic as f64);
    let expected = [
        (1.13..=1.15, 0.91..=0.92, 1.11..=1.13),
        (1.04..=1.06, 0.96..=0.97, 0.94..=0.96),
        (1.04..=1.07, 1.01..=1.03, 0.93..=0.94),
    ];
    for (traffic, (equal, unequal, cm5)) in TRAFFICS.into_iter().zip(expected) {
        let both = |machine: &str| [32, 2].map(|k| at(&format!("{machine}, k = {k}"), traffic));
        best.all_within(format!("complete network, {traffic} bytes"), both("complete"), equal);
        best.all_within(format!("CM-5, {traffic} bytes"), both("CM-5"), cm5);
        better.within(format!("8 senders, {traffic} bytes"), at("complete, 8 senders", traffic), unequal);
    }
    let equal = TRAFFICS.map(|traffic| at("complete, k = 32", traffic).min(at("complete, k = 2", traffic)));
    let cm5 = least(TRAFFICS.map(|traffic| at("CM-5, k = 32", traffic)));
    let few = TRAFFICS.map(|traffic| at("complete, 8 senders", traffic));
    [
        best.judged("distributed scheduling takes longer at every traffic on a complete network", 
            least(equal) > 1.0,
            format!(
                "where mu is the same for all pairs, by {:.0} to {:.0} %; on the CM-5 distributed scheduling takes down to {:.2} of \
                 it, as it mixes near and far",
                100.0 * (least(equal) - 1.0),
                100.0 * (most(equal) - 1.0),
                cm5
            ),
        ),
        better.judged("distributed scheduling takes less time at some traffic where 8 nodes send", 
            least(few) < 1.0,
            format!("if a quarter of the nodes send everything it takes {:.2} to {:.2}", least(few), most(few)),
        ),
    ]
}
