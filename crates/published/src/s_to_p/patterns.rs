//! Figures 5 to 7 of the report: the effects of the distribution, of few long or many short messages, and of the shape of the machine.

use super::*;

pub(super) const FIGURE_5: Job = Paper::SToPReport.job(
    "S0-F5",
    "Figure 5",
    "three algorithms by distribution",
    "10 x 10, 30 sources of 2K",
    0.1,
    figure_5,
);

pub(super) const FIGURE_6: Job = Job {
    also: &["S0-F6a", "S0-F6b", "S1-T1"],
    ..Paper::SToPReport.job(
        "S0-F6",
        "Figure 6",
        "as much data from few sources or from many",
        "10 x 10, right diagonal, 80K in all",
        0.1,
        figure_6,
    )
};

pub(super) const FIGURE_7: Job = Paper::SToPReport.job(
    "S0-F7",
    "Figure 7",
    "Br_Lin by shape of the machine",
    "120 nodes, equal, 4K, 8, 15 and 32 sources",
    0.6,
    figure_7,
);

const THREE: [Algorithm; 4] = [BR_LIN, BR_LIN_ROW_MAJOR, BR_XY_SOURCE, BR_XY_DIM];

/// The block of 30 nodes in figure 5. The report does not give its position.
const BLOCK: Distribution = Distribution::Block { rows: 5, columns: 6, top: 0, left: 0 };

pub(super) const DISTRIBUTIONS: [Distribution; 7] =
    [Row, Column, Equal, RightDiagonal, LeftDiagonal, BLOCK, Cross];

/// The times of figure 5.
struct Figure5(Chart);

impl Figure5 {
    fn time(&self, distribution: &Distribution, algorithm: Algorithm) -> f64 {
        let place = DISTRIBUTIONS.iter().position(|other| other == distribution);
        self.0.at(algorithm.name(), place.expect("it is in the figure") as f64)
    }
}

fn figure_5() -> Outcome {
    let names = DISTRIBUTIONS.iter().map(|distribution| match distribution {
        Distribution::Block { .. } => "block".to_owned(),
        other => other.to_string(),
    });
    let mut chart = Chart::new(
        "Figure 5: three algorithms by distribution, 10 x 10, 30 sources of 2K",
        Axis::names("distribution", names),
        Axis::linear("time", "ms"),
    );
    for algorithm in THREE {
        let time = |distribution| time("10x10", distribution, 30, 2048, algorithm.clone());
        chart.bars(algorithm.name(), DISTRIBUTIONS.iter().map(time));
    }
    let figure = Figure5(chart);
    let claims = vec![
        figure_5_br_xy_source_is_the_same_on_all_but_block_and_cross(&figure),
        figure_5_br_lin_is_best_on_block_and_cross(&figure),
        figure_5_the_cross_is_dear_for_br_lin_in_row_major_order(&figure),
        figure_5_block_and_cross_are_not_dear_for_br_lin(&figure),
        figure_5_br_xy_dim_jumps_on_rows(&figure),
    ];
    Outcome { claims, charts: vec![figure.0], ..Outcome::default() }
}

/// Report, figure 5 (10 x 10, 30 sources, 2K): *Br_xy_source* takes about the same time on the first distributions (to
/// 1 %; rows and columns "show up as ideal"), and considerably more on the block (10 %) and on the cross (39 %).
fn figure_5_br_xy_source_is_the_same_on_all_but_block_and_cross(figure: &Figure5) -> Claim {
    let mut claim = Claim::new(
        "figure_5_br_xy_source_is_the_same_on_all_but_block_and_cross",
        "Br_xy_source is alike on the first distributions and takes longer on block and cross",
    );
    let time = |distribution: &Distribution| figure.time(distribution, BR_XY_SOURCE);
    let even = [Row, Column, RightDiagonal, LeftDiagonal, Equal].each_ref().map(time);
    let spread = most(even) / least(even);
    let (block, cross) = (time(&BLOCK) / most(even), time(&Cross) / most(even));
    claim.below("slowest / fastest of the first", [spread], 1.01);
    claim.within("block / slowest of the first", block, 1.09..=1.11);
    claim.within("cross / slowest of the first", cross, 1.38..=1.40);
    claim.judged(
        "five distributions within 5 %, block and cross more than 5 % slower",
        spread < 1.05 && block > 1.05 && cross > 1.05,
        format!("alike to 1 %; block {}, cross {}", percent(block), percent(cross)),
    )
}

/// Report, figure 5: "As expected, Algorithm Br_Lin performs best" on block and cross. Holds clearly in both node orders.
fn figure_5_br_lin_is_best_on_block_and_cross(figure: &Figure5) -> Claim {
    let mut claim =
        Claim::new("figure_5_br_lin_is_best_on_block_and_cross", "Br_Lin performs best on block and cross");
    let mut ratios = Vec::new();
    for (name, distribution, limits) in [("block", BLOCK, [1.1, 1.1]), ("cross", Cross, [1.4, 1.2])] {
        let others = least([BR_XY_SOURCE, BR_XY_DIM].map(|other| figure.time(&distribution, other)));
        for (algorithm, limit) in [BR_LIN, BR_LIN_ROW_MAJOR].into_iter().zip(limits) {
            let ratio = others / figure.time(&distribution, algorithm.clone());
            claim.above(format!("best of the others / {algorithm} on the {name}"), [ratio], limit);
            ratios.push(ratio);
        }
    }
    claim.judged(
        "Br_Lin is faster than both others on block and cross, in both orders of the nodes",
        least(ratios.iter().copied()) > 1.0,
        format!("the others take at least {} in either order of the nodes", percent(least(ratios))),
    )
}

/// Report, figure 5: block and cross take longer for all three algorithms. For *Br_Lin* in row-major order this holds for the cross, with 8
/// % more than the slowest other distribution, although *Br_Lin* is still the best algorithm on the cross.
fn figure_5_the_cross_is_dear_for_br_lin_in_row_major_order(figure: &Figure5) -> Claim {
    let mut claim = Claim::new(
        "figure_5_the_cross_is_dear_for_br_lin_in_row_major_order",
        "the cross requires more time for all three (Br_Lin in row-major order)",
    );
    let others = [Row, Column, RightDiagonal, LeftDiagonal, Equal, BLOCK];
    let ratio = |algorithm: Algorithm, most_of: fn([f64; 6]) -> f64| {
        let times = others.each_ref().map(|other| figure.time(other, algorithm.clone()));
        figure.time(&Cross, algorithm) / most_of(times)
    };
    let worst = ratio(BR_LIN_ROW_MAJOR, most);
    claim.within("cross / worst of the others", worst, 1.08..=1.10);
    claim.within("cross / best of the others", ratio(BR_LIN_ROW_MAJOR, least), 1.17..=1.18);
    let all = [BR_LIN_ROW_MAJOR, BR_XY_SOURCE, BR_XY_DIM].map(|algorithm| ratio(algorithm, most));
    claim.judged(
        "the cross takes more than 1.05 times as long as the slowest other distribution, with all three",
        least(all) > 1.05,
        format!("by at least {} over the worst of the others", percent(least(all))),
    )
}

/// **Does not hold** for *Br_Lin* in the other cases. Report, figure 5: block and cross take longer for all three algorithms. In snake
/// order *Br_Lin* takes no longer on block and cross than on columns, and less than on rows and diagonals. The first iteration pairs rows
/// at distance five, which run in opposite directions, so the column of a cross reaches new nodes in the first iteration. In row-major
/// order the block takes less than rows: its five rows are paired with the five rows below.
fn figure_5_block_and_cross_are_not_dear_for_br_lin(figure: &Figure5) -> Claim {
    let mut claim = Claim::new(
        "figure_5_block_and_cross_are_not_dear_for_br_lin",
        "block and cross require more time for all three (Br_Lin on the snake)",
    );
    let lin = |distribution: &Distribution| figure.time(distribution, BR_LIN);
    let mut ratios = Vec::new();
    for (name, distribution) in [("block", BLOCK), ("cross", Cross)] {
        let ratio = lin(&distribution) / lin(&Column);
        claim.within(format!("snake: {name} / column"), ratio, 1.0..=1.02);
        let others = least([Row, RightDiagonal, LeftDiagonal].iter().map(lin));
        claim.below(format!("snake: {name}, ms"), [lin(&distribution)], others);
        ratios.push(
            lin(&distribution) / most([Row, Column, RightDiagonal, LeftDiagonal, Equal].iter().map(lin)),
        );
    }
    let row_major = |distribution| figure.time(distribution, BR_LIN_ROW_MAJOR);
    claim.within("row-major: block / row", row_major(&BLOCK) / row_major(&Row), 0.94..=0.95);
    claim.within("row-major: block / column", row_major(&BLOCK) / row_major(&Column), 0.98..=0.99);
    claim.judged("block and cross take longer than each of the other distributions", 
        least(ratios) > 1.0,
        "Br_Lin takes less on them than on rows and diagonals; in row-major order that is true of the block only",
    )
}

/// Report, figure 5: *Br_xy_dim* takes much longer on rows, because it starts with the rows, which have ten sources each.
fn figure_5_br_xy_dim_jumps_on_rows(figure: &Figure5) -> Claim {
    let mut claim = Claim::new("figure_5_br_xy_dim_jumps_on_rows", "Br_xy_dim takes a big jump on rows");
    let ratio = figure.time(&Row, BR_XY_DIM) / figure.time(&Row, BR_XY_SOURCE);
    claim.within("Br_xy_dim / Br_xy_source on rows", ratio, 1.2..=1.25);
    let columns = [BR_XY_DIM, BR_XY_SOURCE].map(|algorithm| figure.time(&Column, algorithm));
    claim.same("the same on columns, ms", columns[0], columns[1]);
    claim.judged(
        "Br_xy_dim takes more than 1.1 times as long as Br_xy_source on rows",
        ratio > 1.1,
        format!("{} over Br_xy_source", percent(ratio)),
    )
}

fn figure_6() -> Outcome {
    let time = |sources: f64, algorithm| {
        time("10x10", &RightDiagonal, sources as usize, (80 << 10) / sources as u64, algorithm)
    };
    let mut chart = Chart::new(
        "Figure 6: 80K from some sources, 10 x 10, right diagonal",
        Axis::linear("sources", ""),
        Axis::linear("time", "ms"),
    );
    for algorithm in THREE {
        chart.modeled(algorithm.name(), [5.0, 10.0, 20.0, 40.0, 80.0], |sources| {
            time(sources, algorithm.clone())
        });
    }
    chart.published(BR_XY_SOURCE.name(), vec![[5.0, 11.4], [40.0, 7.3]]);
    let timed =
        |sources, length| broadcast("10x10", &place("10x10", &RightDiagonal, sources), length, BR_XY_SOURCE);
    let values = vec![
        Value::timed("10 x 10, right diagonal, 5 x 16K", 11.4, timed(5, 16 << 10))
            .fitted()
            .because("single messages of 16K were slower than alpha + n beta"),
        Value::timed("10 x 10, right diagonal, 40 x 2K", 7.3, timed(40, 2 << 10)).fitted(),
    ];
    let claims = vec![figure_6_forty_sources_are_faster_than_five(&chart)];
    Outcome { values, claims, charts: vec![chart] }
}

/// Report, figure 6 (10 x 10, right diagonal, 80K in total): 40 sources broadcast the same data faster than 5. The gain
/// is 9 to 14 %; the published times are 11.4 and 7.3 ms, so single messages of 16K cost more than `alpha + n beta`.
/// The time is not monotonic: *Br_xy_source* is fastest with 10 sources.
fn figure_6_forty_sources_are_faster_than_five(chart: &Chart) -> Claim {
    let mut claim = Claim::new(
        "figure_6_forty_sources_are_faster_than_five",
        "80K from 40 sources are broadcast faster than from 5",
    );
    let gains =
        THREE.map(|algorithm| 1.0 - chart.at(algorithm.name(), 40.0) / chart.at(algorithm.name(), 5.0));
    claim.all_within("what is gained, as a part", gains, 0.09..=0.14);
    let xy = |sources| chart.at(BR_XY_SOURCE.name(), sources);
    claim.below("Br_xy_source with 10 sources, ms", [xy(10.0)], xy(40.0));
    claim.judged(
        "40 sources are faster with all algorithms",
        least(gains) > 0.0,
        format!("by {:.0} % or more; 36 % are published", 100.0 * least(gains)),
    )
}

/// The meshes of figure 7, with 120 nodes each.
pub(super) const OF_120: [&str; 5] = ["4x30", "5x24", "6x20", "8x15", "10x12"];

/// Returns the time of `algorithm`, *Br_Lin* in one of its node orders, with equally distributed sources of 4K.
fn equal(mesh: &str, sources: usize, algorithm: Algorithm) -> f64 {
    time(mesh, &Equal, sources, 4096, algorithm)
}

fn figure_7() -> Outcome {
    let mut chart = Chart::new(
        "Figure 7: Br_Lin by shape of 120 nodes, equal, 4K",
        Axis::names("mesh", OF_120),
        Axis::linear("time", "ms"),
    );
    for (name, algorithm) in [("snake", BR_LIN), ("row-major", BR_LIN_ROW_MAJOR)] {
        for sources in [8, 15, 32] {
            let times = OF_120.map(|mesh| equal(mesh, sources, algorithm.clone()));
            chart.bars(format!("{sources} sources, {name}"), times);
        }
    }
    let claims = vec![
        figure_7_fifteen_sources_take_little_more_than_eight_on_the_snake(&chart),
        figure_7_fifteen_sources_are_faster_than_eight_in_row_major_order(&chart),
        figure_7_the_dimensions_matter_more_with_many_sources(),
    ];
    Outcome { claims, charts: vec![chart], ..Outcome::default() }
}

/// Returns the time of *Br_Lin* with 15 sources divided by its time with 8 sources, on each mesh.
fn fifteen_to_eight(chart: &Chart, order: &str) -> [f64; 5] {
    let time = |sources, place| chart.at(&format!("{sources} sources, {order}"), place);
    [0.0, 1.0, 2.0, 3.0, 4.0].map(|place| time(15, place) / time(8, place))
}

/// **Does not hold** on the snake. Report, figure 7 (*Br_Lin*, 120 nodes, equal, 4K): 15 sources are faster than 8 on
/// every shape. On the snake they take 3 to 26 % longer, for 1.9 times the data: every second row is reversed, so
/// sources that are a multiple of a row apart need not be partners.
fn figure_7_fifteen_sources_take_little_more_than_eight_on_the_snake(chart: &Chart) -> Claim {
    let mut claim = Claim::new(
        "figure_7_fifteen_sources_take_little_more_than_eight_on_the_snake",
        "Br_Lin: 15 sources are faster than 8 (snake)",
    );
    let ratios = fifteen_to_eight(chart, "snake");
    claim.all_within("15 / 8 sources on each mesh", ratios, 1.03..=1.26);
    claim.judged(
        "15 sources are faster on all five shapes",
        most(ratios) < 1.0,
        format!("{} to {}, for 1.9 times the data", percent(least(ratios)), percent(most(ratios))),
    )
}

/// Report, figure 7: 15 sources are faster than 8. In row-major order they are, by 9 to 10 % on every shape, including 4 x 30. Eight equal
/// sources are 15 nodes apart and are partners in each of the first three iterations (60, 30 and 15 nodes apart); fifteen sources are 8
/// nodes apart, and the number of nodes with data doubles in each of these iterations. The published anomaly is that of row-major order.
fn figure_7_fifteen_sources_are_faster_than_eight_in_row_major_order(chart: &Chart) -> Claim {
    let mut claim = Claim::new(
        "figure_7_fifteen_sources_are_faster_than_eight_in_row_major_order",
        "Br_Lin: 15 sources are faster than 8 (row-major)",
    );
    for mesh in OF_120 {
        let active = |sources| {
            let plan = plan(mesh, &place(mesh, &Equal, sources), 4096, BR_LIN_ROW_MAJOR);
            [1, 2, 3].map(|iterations| plan.growth().active_after(iterations))
        };
        claim.same(format!("sources after 1, 2, 3 steps of 8 on {mesh}"), active(8), [8, 8, 8]);
        claim.same(format!("the same of 15 on {mesh}"), active(15), [30, 60, 120]);
    }
    let ratios = fifteen_to_eight(chart, "row-major");
    claim.all_within("15 / 8 sources on each mesh", ratios, 0.90..=0.91);
    claim.judged(
        "15 sources are faster on all five shapes",
        most(ratios) < 1.0,
        format!("{} on every shape", percent(most(ratios))),
    )
}

/// Report, figure 7: the dimensions matter little for few sources, and considerably more for many. Mean differences between shapes
/// in milliseconds: on the snake 0.8 with up to 15 sources and 1.7 with 16 to 60; in row-major order 0.004 and 0.2. In percent the
/// differences on the snake do not grow. Individual values scatter: 0.6 with 8 sources, 2.4 with 24 or 32, 0.8 with 30.
fn figure_7_the_dimensions_matter_more_with_many_sources() -> Claim {
    let mut claim = Claim::new(
        "figure_7_the_dimensions_matter_more_with_many_sources",
        "the dimensions matter little for few sources, and more for many",
    );
    let differences = |algorithm: Algorithm| {
        let difference = |sources| {
            let times = OF_120.map(|mesh| equal(mesh, sources, algorithm.clone()));
            most(times) - least(times)
        };
        (1..=60).map(difference).collect::<Vec<f64>>()
    };
    let mean = |differences: &[f64]| differences.iter().sum::<f64>() / differences.len() as f64;
    let (snake, row_major) = (differences(BR_LIN), differences(BR_LIN_ROW_MAJOR));
    let ((few, many), (few_row, many_row)) = (snake.split_at(15), row_major.split_at(15));
    let [few, many, few_row, many_row] = [few, many, few_row, many_row].map(mean);
    claim.within("snake: ms between the shapes, mean of 1 to 15 sources", few, 0.7..=0.8);
    claim.within("snake: mean of 16 to 60 sources", many, 1.6..=1.7);
    claim.within("snake: 8 sources", snake[7], 0.5..=0.6);
    claim.within("snake: 32 sources", snake[31], 2.4..=2.5);
    claim.within("row-major: mean of 1 to 15 sources", few_row, 0.0..=0.005);
    claim.within("row-major: mean of 16 to 60 sources", many_row, 0.19..=0.21);
    claim.judged("the mean difference among shapes is larger with 16 to 60 sources than with 1 to 15, in both orders of the nodes", 
        many > few && many_row > few_row,
        format!(
            "shapes differ by {few:.1} ms with up to 15 sources, {many:.1} with more; {few_row:.1} and {many_row:.1} in \
             row-major order"
        ),
    )
}
