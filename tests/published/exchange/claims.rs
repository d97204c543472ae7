//! What Ranka, Shankar and Alsabti, "Many-to-many Personalized Communication with Bounded Traffic", 1995, say of their
//! measurements on a CM-5 of 32 nodes, in modeled time. Their figures 9 and 10 are lost but for what the text says of
//! them.
//!
//! What holds in this model, and what does not:
//!
//! * Two stages take `2 t mu` and lower order terms: holds where mu is the same for all pairs; on the CM-5 with the
//!   mean mu of a linear permutation, which congests the top of the tree, or with mu itself and rounds that do not.
//! * Figure 10 (k = 2, l = 1/2), single-stage wins: holds.
//! * Two stages take about the same for all matrices, single-stage varies: holds.
//! * Figure 9 (k = 32, l = 1/32), two-stage as good as single-stage, and better than that without improvements: does
//!   not hold; nor does that two-stage is within 1.5 of single-stage. See `two_stages_move_everything_twice`.

use multicomputer::{
    exchange::{Algorithm, Class, Generator, Instance, Matrix},
    model::Description,
};

use super::*;

/// What an algorithm takes, in seconds; from a run if only that can tell.
fn seconds(machine: &Description, matrix: &Arc<Matrix>, algorithm: Algorithm) -> f64 {
    let instance = Instance::new(machine, matrix.clone()).unwrap();
    let plan = algorithm.plan(&instance).unwrap();
    modeled(&plan, &instance).as_secs_f64()
}

fn two_t_mu(traffic: u64) -> f64 {
    2.0 * traffic as f64 * 125e-9
}

/// Each round of linear permutation takes as long as its longest message: figure 1 takes 24 units in seven rounds, and
/// no node has more than 10.
#[test]
fn figure_1_takes_24_units_by_linear_permutation() {
    const UNIT: u64 = 100_000;
    let figure = Matrix::figure_1();
    let longest = |k: usize| (0..8).map(|from| figure.get(from, from ^ k)).max().unwrap();
    let rounds: Vec<u64> = (1..8).map(longest).collect();
    assert_eq!(rounds, [3, 7, 2, 4, 1, 4, 3]);
    let matrix = Arc::new(Matrix::of(8, |from, to| UNIT * figure.get(from, to)).unwrap());
    let units = |algorithm: Algorithm| seconds(&ideal(8), &matrix, algorithm) / (UNIT as f64 * 125e-9);
    let (modified, auto) = (units(Algorithm::MODIFIED), units(Algorithm::AUTO));
    eprintln!("figure 1: modified takes {modified} units, auto {auto}");
    assert!((24.0..24.3).contains(&modified), "{modified}");
    assert!((10.0..10.5).contains(&auto), "{auto}");
}

/// From t = p^2 up the two stages come to 2 t mu; a p-th of all stays where it is.
#[test]
fn two_stages_tend_to_2_t_mu_where_mu_is_constant() {
    let ratio = |traffic: u64| {
        seconds(&ideal(NODES), &figure_9(traffic, 1), Algorithm::TWO_STAGE) / two_t_mu(traffic)
    };
    let ratios = [1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22].map(ratio);
    eprintln!("2 t mu on an ideal network: {ratios:?}");
    assert!(ratios.windows(2).all(|pair| pair[1] < pair[0]), "{ratios:?}");
    assert!((ratios[6] - 31.0 / 32.0).abs() < 0.01, "{ratios:?}");
}

/// On the tree, 16 of 31 rounds of a linear permutation by exclusive or send everything over the top, where a node has
/// 5 MB/s instead of 8. That makes a mean mu, with which the same holds.
#[test]
fn on_the_tree_mu_is_that_of_a_linear_permutation() {
    let mean = (15.0 * 125e-9 + 16.0 * 200e-9) / 32.0;
    let traffic = 1 << 22;
    let took = seconds(&cm5(), &figure_9(traffic, 1), Algorithm::TWO_STAGE);
    let ratio = took / (2.0 * traffic as f64 * mean);
    assert!((1.0..1.02).contains(&ratio), "{ratio}");
    // Rounds in each of which about half of the nodes send over the top.
    let relayed = seconds(&cm5(), &figure_9(traffic, 1), Algorithm::RELAYED) / two_t_mu(traffic);
    eprintln!("on the tree: {ratio} of 2 t of the mean mu, {relayed} of 2 t mu with balanced rounds");
    assert!((0.95..1.02).contains(&relayed), "{relayed}");
}

/// Figure 10, whatever the traffic: both single-stage algorithms beat the two-stage one.
#[test]
fn single_stage_wins_where_messages_are_few_and_equal() {
    for traffic in [1 << 10, 1 << 14, 1 << 18, 1 << 20] {
        let matrix = figure_10(traffic, 1);
        let two_stage = seconds(&cm5(), &matrix, Algorithm::TWO_STAGE);
        for algorithm in [Algorithm::RANDOM, Algorithm::IMPROVED, Algorithm::AUTO] {
            let took = seconds(&cm5(), &matrix, algorithm);
            assert!(took < two_stage, "{algorithm}, {traffic} bytes: {took} against {two_stage}");
        }
    }
}

/// "The two-stage algorithm's performance remained roughly close to its best-case performance, but the single-stage
/// algorithm's performance improved considerably": it varies here, though not that way around.
#[test]
fn two_stages_are_steady() {
    let spread = |algorithm: Algorithm| {
        let matrices =
            [figure_9(1 << 18, 1), figure_9(1 << 18, 2), figure_10(1 << 18, 1), figure_10(1 << 18, 2)];
        let times = matrices.map(|matrix| seconds(&cm5(), &matrix, algorithm));
        times.into_iter().fold(0.0, f64::max) / times.into_iter().fold(f64::INFINITY, f64::min)
    };
    let (two_stage, improved) = (spread(Algorithm::TWO_STAGE), spread(Algorithm::IMPROVED));
    eprintln!("slowest to fastest: two-stage {two_stage}, improved {improved}");
    assert!(two_stage < 1.03, "{two_stage}");
    assert!(improved > 1.2, "{improved}");
}

/// Section 6.1: modified linear permutation is best for the first stage if traffic is equal; "in the general case distributed
/// scheduling may perform better". Both hold where mu is the same for all pairs: with equal traffic (figures 9 and 10)
/// two stages take 4 to 15 % longer with it; if a quarter of the nodes send everything, and messages are not too long, up to
/// 9 % less. On the CM-5 it gains 5 to 7 % with equal traffic, too, since it mixes near and far where the rounds of a linear
/// permutation crowd the top of the tree.
#[test]
fn the_first_stage_by_distributed_scheduling() {
    let some = |traffic: u64| {
        let matrix = Matrix::of(NODES, |from, to| if from % 4 == 0 && from != to { traffic / 31 } else { 0 });
        Arc::new(matrix.unwrap())
    };
    let ratio = |machine: &Description, matrix: &Arc<Matrix>| {
        let [two_stage, scheduled] =
            [Algorithm::TWO_STAGE, Algorithm::SCHEDULED].map(|algorithm| seconds(machine, matrix, algorithm));
        scheduled / two_stage
    };
    let check = |machine: &Description, matrix: Arc<Matrix>, allowed: std::ops::RangeInclusive<f64>| {
        let ratio = ratio(machine, &matrix);
        assert!(allowed.contains(&ratio), "{}: {ratio}, not in {allowed:?}", machine.name());
    };
    for (traffic, equal, unequal) in [
        (1 << 12, 1.13..=1.15, 0.91..=0.92),
        (1 << 16, 1.04..=1.06, 0.96..=0.97),
        (1 << 20, 1.04..=1.07, 1.01..=1.03),
    ] {
        check(&ideal(NODES), figure_9(traffic, 1), equal.clone());
        check(&ideal(NODES), figure_10(traffic, 1), equal);
        check(&ideal(NODES), some(traffic), unequal);
    }
    for (traffic, equal) in [(1 << 12, 1.11..=1.13), (1 << 16, 0.94..=0.96), (1 << 20, 0.93..=0.94)] {
        check(&cm5(), figure_9(traffic, 1), equal.clone());
        check(&cm5(), figure_10(traffic, 1), equal);
    }
}

/// What does not hold, and by how much. In this model a single-stage transfer goes at the full speed of its ports, and
/// asking costs next to nothing, so that random scheduling comes close to t mu already without improvements, and two
/// stages, which move everything twice, can never be as good. On the machine each packet of a transfer was taken in by
/// the processor, which an inquiry interrupted.
#[test]
fn two_stages_move_everything_twice() {
    let matrix = figure_9(1 << 20, 1);
    let two_stage = seconds(&cm5(), &matrix, Algorithm::TWO_STAGE);
    let relayed = seconds(&cm5(), &matrix, Algorithm::RELAYED);
    let single = seconds(&cm5(), &matrix, Algorithm::IMPROVED);
    eprintln!("figure 9 at 1 MB: two-stage {two_stage} s, relayed {relayed} s, improved {single} s");
    assert!((1.9..2.8).contains(&(two_stage / single)), "{two_stage} against {single}");
    assert!((1.6..2.1).contains(&(relayed / single)), "{relayed} against {single}");
    assert!(single < 1.1 * (1 << 20) as f64 * 125e-9);
}

/// The algorithms of the paper.
fn of_the_paper(algorithm: &Algorithm) -> bool {
    algorithm.source().starts_with("Ranka, Shankar, Alsabti 1995") && *algorithm != Algorithm::PAIRWISE
}

/// `Auto` beats all algorithms of the paper, on machines with and without hardware barriers and wide links.
#[test]
fn auto_is_never_slower_than_the_paper() {
    for machine in ["cm5:32", "paragon:4x4", "hockney:3x3", "hypercube:8"] {
        let machine: Description = machine.parse().unwrap();
        let nodes = machine.nodes();
        let generated = |fan_out: usize, nonuniformity: f64, traffic: u64| {
            Generator { nodes, fan_out, traffic, nonuniformity, seed: 3 }.matrix().unwrap()
        };
        let hot = |from: usize, to: usize| if to == 1 { 20_000 } else { from as u64 };
        let matrices = [
            generated(nodes, 1.0 / nodes as f64, 1 << 16),
            generated(nodes, 1.0 / nodes as f64, 1 << 20),
            generated(2, 0.5, 1 << 20),
            generated(5, 0.2, 1 << 14),
            Matrix::of(nodes, |_, _| 1 << 15).unwrap(),
            Matrix::of(nodes, |_, _| 100).unwrap(),
            Matrix::of(nodes, hot).unwrap(),
        ];
        for matrix in matrices.map(Arc::new) {
            let auto = seconds(&machine, &matrix, Algorithm::AUTO);
            for algorithm in Algorithm::ALL.iter().copied().filter(of_the_paper) {
                if algorithm == Algorithm::LINEAR && matrix.class() != (Class::AllToAll, true) {
                    continue;
                }
                let took = seconds(&machine, &matrix, algorithm);
                assert!(auto <= took, "{algorithm}, {}: {took} s, and auto takes {auto} s", machine.name());
            }
        }
    }
}

/// Where messages are long `Auto` comes close to what nothing can beat, also if links are crowded.
#[test]
fn auto_comes_within_1_3_of_the_bound_for_large_traffic() {
    for (machine, traffic) in [("cm5:32", 1 << 20), ("paragon:16x16", 4 << 20)] {
        let machine: Description = machine.parse().unwrap();
        let nodes = machine.nodes();
        let side = 1 << (nodes.ilog2() / 2);
        let transpose = |from: usize, to: usize| {
            let is_other_side = (from / side, from % side) == (to % side, to / side);
            if from != to && is_other_side { traffic } else { 0 }
        };
        let generated = |fan_out: usize, nonuniformity: f64| {
            Generator { nodes, fan_out, traffic, nonuniformity, seed: 3 }.matrix().unwrap()
        };
        let matrices = [
            generated(2, 0.5),
            generated(5, 0.2),
            generated(nodes, 1.0 / nodes as f64),
            Matrix::of(nodes, transpose).unwrap(),
        ];
        for matrix in matrices.map(Arc::new) {
            let auto = seconds(&machine, &matrix, Algorithm::AUTO);
            let bound = Instance::new(&machine, matrix).unwrap().lower_bound().time().as_secs_f64();
            assert!(
                (1.0..1.3).contains(&(auto / bound)),
                "{}: {auto} s, and the bound is {bound} s",
                machine.name()
            );
        }
    }
}
