//! Claims of figures 9 and 10 and of section 7 on a CM-5 whose processors pay for every packet, as with the paper's
//! active messages. The measured behaviour lies between this model and a model in which transfers take no processor
//! time.

use super::*;

/// Returns the CM-5 with packet costs.
pub(super) fn cm5() -> MachineSpec {
    machine("cm5-packets:32")
}

/// Figure 9: two stages are better than a single stage without improvements, and as good as one with improvements.
/// **Does not hold**: a node is busy for all bytes that it sends and receives, and two stages move all bytes twice. The
/// ratios are closer to the claim than without packet costs where start-ups add to the time.
pub(super) fn two_stages_by_packets_move_everything_twice(ratios: [[f64; 6]; 2]) -> [Claim; 2] {
    let name = "two_stages_by_packets_move_everything_twice";
    let mut plain =
        Claim::new(name, "two stages are better than a single one without improvements (data as packets)");
    let mut improved =
        Claim::new(name, "two stages are as good as a single one with improvements (data as packets)");
    let [to_plain, to_improved] = ratios;
    plain.all_within("two-stage / random", to_plain, 1.1..=2.3);
    improved.all_within("two-stage / improved", to_improved, 1.5..=2.5);
    let why = |ratios: [f64; 6]| {
        format!("{:.2} to {:.2} times slower: processors move everything twice", least(ratios), most(ratios))
    };
    [
        plain.judged("two stages take less time at every traffic", most(to_plain) < 1.0, why(to_plain)),
        improved.judged(
            "two stages take less than 1.1 times as long at every traffic",
            most(to_improved) < 1.1,
            why(to_improved),
        ),
    ]
}

/// Figure 10: both single-stage algorithms are faster than the two-stage algorithm at any traffic, by less than without
/// packet costs.
pub(super) fn single_stage_wins_by_packets(ratios: [[f64; 6]; 2]) -> Claim {
    let mut claim = Claim::new(
        "single_stage_wins_by_packets",
        "both single-stage algorithms beat the two-stage one (data as packets)",
    );
    let all = || ratios.iter().flatten().copied();
    claim.all_within("two-stage / random, improved", all(), 1.4..=3.5);
    claim.judged(
        "both take less time than two stages at every traffic",
        least(all()) > 1.0,
        format!("two stages take {:.1} to {:.1} times as long", least(all()), most(all())),
    )
}

/// Section 7: the time of two stages is the same for all matrices, the time of a single stage varies. Two stages take
/// at most 1.5 times as long as a single stage: this **does not hold** for the matrices of figure 9.
pub(super) fn section_7_by_packets() -> [Claim; 3] {
    let name = "section_7_by_packets";
    let mut steady = Claim::new(name, "two stages take about the same on all matrices (data as packets)");
    let mut varies = Claim::new(name, "a single stage varies much more (data as packets)");
    let mut within = Claim::new(name, "two stages are within 1.5 times a single one (data as packets)");
    let machine = cm5();
    let matrices = [figure_9(1 << 18, 1), figure_9(1 << 18, 2), figure_10(1 << 18, 1), figure_10(1 << 18, 2)];
    let times =
        |algorithm: Algorithm| matrices.each_ref().map(|matrix| seconds(&machine, matrix, algorithm.clone()));
    let spread = |times: [f64; 4]| most(times) / least(times);
    let [two_stage, random, improved] =
        [Algorithm::TWO_STAGE, Algorithm::RANDOM, Algorithm::IMPROVED].map(times);
    steady.below("slowest / fastest matrix, two-stage", [spread(two_stage)], 1.03);
    varies.above("slowest / fastest matrix, improved", [spread(improved)], 1.3);
    let ratios = |other: [f64; 4]| [0, 1, 2, 3].map(|nth| two_stage[nth] / other[nth]);
    let (to_random, to_improved) = (ratios(random), ratios(improved));
    within.all_within("two-stage / random, figure 9", to_random[..2].iter().copied(), 2.0..=2.2);
    within.all_within("two-stage / random, figure 10", to_random[2..].iter().copied(), 1.4..=1.75);
    within.all_within("two-stage / improved, figure 10", to_improved[2..].iter().copied(), 1.5..=1.75);
    let percent = |times: [f64; 4]| 100.0 * (spread(times) - 1.0);
    [
        steady.judged("the slowest of four matrices takes less than 1.1 times as long as the fastest", spread(two_stage) < 1.1, format!("within {:.0} %, 256 KiB", percent(two_stage))),
        varies.judged("the spread over four matrices is more than twice that of two stages", percent(improved) > 2.0 * percent(two_stage), format!("by {:.0} %", percent(improved))),
        within.judged("two stages take at most 1.5 times as long as random scheduling on all matrices", 
            most(to_random) <= 1.5,
            format!(
                "{:.2} to {:.2} times in figure 9, {:.2} to {:.2} in figure 10, 256 KiB, without improvements",
                least(to_random[..2].iter().copied()),
                most(to_random[..2].iter().copied()),
                least(to_random[2..].iter().copied()),
                most(to_random[2..].iter().copied())
            ),
        ),
    ]
}
