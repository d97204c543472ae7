//! Section 5 of the report, figures 8 and 9: repositioning of sources, and partitioning of the machine into halves.

use super::*;

pub(super) const PERMUTATION: Job = Paper::SToPReport.job(
    "S0-T1",
    "section 5",
    "what it takes to move the sources",
    "10 x 10, up to 2K from fewer than half of the nodes",
    0.1,
    permutation_times,
);

pub(super) const FIGURE_8: Job = Job {
    also: &["S0-F8a", "S0-F8b", "S0-F8q"],
    ..Paper::SToPReport.job(
        "S0-F8",
        "Figure 8",
        "repositioning beside inputs that stay",
        "10 x 10, 20 sources; 15 x 16, 58 sources; 2K, Br_xy_source",
        0.1,
        figure_8,
    )
};

pub(super) const FIGURE_9: Job = Job {
    also: &["S0-F9a", "S0-F9b", "S0-F9c"],
    ..Paper::SToPReport.job(
        "S0-F9",
        "Figure 9",
        "repositioning and partitioning, step by step",
        "8 x 8, cross, 15 sources of 2K",
        0.1,
        figure_9,
    )
};

pub(super) const HALVES: Job = Paper::SToPReport.job(
    "S0-P",
    "section 3",
    "half of the sources in half of the machine",
    "8 x 8, 10 x 10 and 16 x 16, ideal rows, 2K and 6K, Br_xy_source",
    0.1,
    halves,
);

pub(super) const LENGTHS: Job = Paper::SToPReport.job(
    "S0-U",
    "section 5",
    "messages of different lengths",
    "10 x 10, 30 sources of 1K, 2K and 3K, Br_xy_source",
    0.1,
    lengths,
);

fn permutation_times() -> Outcome {
    let timed = repositioning_alone("10x10", &Equal, 20, 2048);
    let values = vec![Value::timed("10 x 10, redistribution of 20 x 2K", 0.5, timed)];
    Outcome {
        values,
        claims: vec![section_5_a_repositioning_costs_half_a_millisecond()],
        ..Outcome::default()
    }
}

/// Report, section 5: a repositioning costs about 0.5 ms for messages of up to 2K and fewer than p/2 sources. In the model it is 0.46 ms
/// where some node sends one message and receives another, as an exchange, which happens on most inputs. Otherwise it is `alpha + n beta`,
/// 0.25 ms, for example with 20 sources in rows or in a square block; 49 sources in rows do not move.
fn section_5_a_repositioning_costs_half_a_millisecond() -> Claim {
    let mut claim = Claim::new(
        "section_5_a_repositioning_costs_half_a_millisecond",
        "a repositioning costs about 0.5 ms, up to 2K and p/2 sources",
    );
    let mut exchanges = Vec::new();
    for sources in [20, 35, 49] {
        let inputs = [Column, RightDiagonal, LeftDiagonal, Equal, Cross, Band];
        let times = inputs.each_ref().map(|input| repositioning("10x10", input, sources, 2048));
        claim.all_within(format!("{sources} sources, most inputs, ms"), times, 0.46..=0.462);
        claim.below(
            format!("{sources} sources in rows, ms"),
            [repositioning("10x10", &Row, sources, 2048)],
            0.25,
        );
        exchanges.extend(times);
    }
    let block = repositioning("10x10", &SquareBlock, 20, 2048);
    claim.within("20 sources in a square block, ms", block, 0.24..=0.25);
    claim.judged(
        "0.4 to 0.6 ms on six inputs with 20, 35 and 49 sources",
        least(exchanges.iter().copied()) > 0.4 && most(exchanges.iter().copied()) < 0.6,
        format!("{:.2} ms, or {block:.2} where no node both gives and gets", most(exchanges)),
    )
}

/// The inputs of figure 8, with the names of its bars.
const BARS: [&str; 6] =
    ["Repos from equal", "ideal rows", "ideal columns", "equal", "right diagonal", "cross"];

/// Returns the times of figure 8 on a mesh.
fn bars(mesh: &str, sources: usize) -> [Timed; 6] {
    let from = |places: Vec<Rank>| broadcast(mesh, &places, 2048, BR_XY_SOURCE);
    let input = |input| from(place(mesh, &input, sources));
    [
        broadcast(mesh, &place(mesh, &Equal, sources), 2048, REPOS),
        from(ideal_rows(mesh, sources)),
        from(ideal_columns(mesh, sources)),
        input(Equal),
        input(RightDiagonal),
        input(Cross),
    ]
}

fn figure_8() -> Outcome {
    let mut chart = Chart::new(
        "Figure 8: Repos and inputs that stay, 2K, Br_xy_source",
        Axis::names("input", BARS),
        Axis::linear("time", "ms"),
    );
    let mut values = Vec::new();
    for (mesh, sources, published) in
        [("10x10", 20, [5.0, 4.5, 4.5, 5.2, 5.1, 7.3]), ("15x16", 58, [8.5, 7.5, 9.3, 9.1, 8.3, 12.0])]
    {
        let name = format!("{}, {sources} x 2K", mesh.replace('x', " x "));
        let modeled = bars(mesh, sources);
        chart.bars(&name, modeled.each_ref().map(|timed| timed.millis));
        let points = published.iter().enumerate().map(|(place, &time)| [place as f64, time]).collect();
        chart.published(&name, points);
        for ((bar, published), modeled) in BARS.into_iter().zip(published).zip(modeled) {
            let is_moved = bar.starts_with("Repos");
            let bar = if is_moved { "*Repos* from equal" } else { bar };
            let value = Value::timed(format!("{name}, {bar}"), published, modeled);
            values.push(if is_moved { value } else { value.fitted() });
        }
    }
    let claims = vec![
        section_5_repos_hardly_depends_on_the_input(),
        figure_8_repositioning_pays_unless_the_input_is_near_ideal(),
        figure_8_the_order_of_the_inputs(&values[1..6], false),
        figure_8_the_order_of_the_inputs(&values[7..12], true),
    ];
    Outcome { values, claims, charts: vec![chart] }
}

/// Report, section 5: the time of *Repos* is almost independent of the input.
fn section_5_repos_hardly_depends_on_the_input() -> Claim {
    let mut claim = Claim::new(
        "section_5_repos_hardly_depends_on_the_input",
        "the time of Repos is almost independent of the input",
    );
    let spreads = [("10x10", 20), ("15x16", 58), ("8x8", 15)].map(|(mesh, sources)| {
        let times = Distribution::ALL.each_ref().map(|input| time(mesh, input, sources, 2048, REPOS));
        most(times) / least(times)
    });
    claim.below("slowest / fastest input on three meshes", spreads, 1.027);
    claim.judged(
        "the slowest input takes less than 1.05 times as long as the fastest, on three meshes",
        most(spreads) < 1.05,
        format!("to {:.1} %", 100.0 * (most(spreads) - 1.0)),
    )
}

/// Report, section 5 and figure 8: repositioning pays unless the input is near an ideal one. In the model it gains 15 to 40 % on a cross
/// and on random nodes; on rows, diagonals and equal it is within 3 %. Compared with ideal rows as input, repositioning costs 0.3 to 0.4 ms
/// (published: 0.5 and 1.0 ms): only some nodes wait for the exchange of the first step.
fn figure_8_repositioning_pays_unless_the_input_is_near_ideal() -> Claim {
    let mut claim = Claim::new(
        "figure_8_repositioning_pays_unless_the_input_is_near_ideal",
        "repositioning pays unless the input is near an ideal one",
    );
    let mut crosses = Vec::new();
    let mut blocks = Vec::new();
    for (mesh, sources) in [("10x10", 20), ("15x16", 58)] {
        let gain = |input: &Distribution| {
            1.0 - time(mesh, input, sources, 2048, REPOS) / time(mesh, input, sources, 2048, BR_XY_SOURCE)
        };
        let (cross, block) = (gain(&Cross), gain(&SquareBlock));
        claim.above(format!("gain on the cross, {mesh}"), [cross], 0.33);
        claim.above(format!("gain at random, {mesh}"), [gain(&Distribution::Random { seed: 1 })], 0.14);
        claim.above(format!("gain on the square block, {mesh}"), [block], 0.03);
        let near = [Row, RightDiagonal, LeftDiagonal, Equal].each_ref().map(|input| gain(input).abs());
        claim.below(format!("size of the gain on rows, diagonals, equal, {mesh}"), near, 0.031);
        let rows = time_from(mesh, &ideal_rows(mesh, sources), 2048, BR_XY_SOURCE);
        let more = time(mesh, &Equal, sources, 2048, REPOS) - rows;
        claim.within(format!("Repos from equal over ideal rows, ms, {mesh}"), more, 0.3..=0.4);
        crosses.push(cross);
        blocks.push(block);
    }
    claim.judged(
        "Repos is faster on cross and block, on two meshes",
        least(crosses.iter().copied()) > 0.0 && least(blocks) > 0.0,
        format!(
            "{:.0} % and more are gained on a cross; within 3 % on rows, diagonals and equal",
            100.0 * least(crosses)
        ),
    )
}

/// Figure 8: the order of the inputs by time. Times that differ by less than the model's error count as near ties.
fn figure_8_the_order_of_the_inputs(values: &[Value], is_large: bool) -> Claim {
    let claim = Claim::new(
        "figure_8_the_order_of_the_inputs",
        if is_large {
            "15 x 16: the inputs have the published order, from the fastest to the slowest"
        } else {
            "10 x 10: the inputs have the published order, from the fastest to the slowest"
        },
    );
    let names = &BARS[1..];
    let order = |time: fn(&Value) -> f64| {
        let mut places: Vec<usize> = (0..values.len()).collect();
        places.sort_by(|&one, &other| time(&values[one]).total_cmp(&time(&values[other])));
        places
    };
    let modeled = order(|value| value.modeled);
    let is_kept = modeled.windows(2).all(|pair| values[pair[0]].published <= values[pair[1]].published);
    let names: Vec<&str> = modeled.into_iter().map(|place| names[place]).collect();
    claim.judged(
        "sorted by modeled time, the published times never fall",
        is_kept,
        format!("here: {}", names.join(", ")),
    )
}

fn figure_9() -> Outcome {
    let from = |mesh, sources: Vec<Rank>| broadcast(mesh, &sources, 2048, BR_XY_SOURCE);
    let part = plan("8x8", &place("8x8", &Cross, 15), 2048, PART_XY_SOURCE);
    let last = part.schedule().iterations() - 1;
    let cross = |algorithm| broadcast("8x8", &place("8x8", &Cross, 15), 2048, algorithm);
    let (moved, stays) = (cross(REPOS), cross(BR_XY_SOURCE));
    let totals = [stays.millis, moved.millis, millis(&part)];
    let values = vec![
        Value::timed("8 x 8, *Repos*, total", 4.1, moved),
        Value::timed("8 x 8, *Repos*, *Br_xy_source* from rows", 3.7, from("8x8", ideal_rows("8x8", 15)))
            .fitted(),
        Value::timed("8 x 8, *Part_xy_source*, total", 4.8, timed("8x8", &part))
            .because("the final permutation is too cheap"),
        Value::timed("4 x 8, 8 sources, from rows", 1.9, from("4x8", ideal_rows("4x8", 8))).fitted(),
        Value::timed("8 x 8, 15 x 2K, cross", 4.5, stays).fitted(),
        Value::timed(
            "8 x 8, *Repos*, redistribution alone",
            0.4,
            repositioning_alone("8x8", &Cross, 15, 2048),
        ),
        Value::timed("8 x 8, *Part_xy_source*, redistribution alone", 0.4, alone("8x8", &part, 0)),
        Value::timed("8 x 8, final permutation alone", 2.5, alone("8x8", &part, last))
            .because("an exchange of 14K and 16K, and the model has no explanation of 2.5 ms"),
    ];
    let mut chart = Chart::new(
        "Figure 9: 8 x 8, cross, 15 sources of 2K",
        Axis::names("algorithm", ["Br_xy_source", "Repos_xy_source", "Part_xy_source"]),
        Axis::linear("time", "ms"),
    );
    chart.bars("total", totals);
    chart.published("total", vec![[0.0, 4.5], [1.0, 4.1], [2.0, 4.8]]);
    let claims = vec![figure_9_partitioning_is_no_worse_than_repositioning()];
    Outcome { values, claims, charts: vec![chart] }
}

/// Returns the time of *Part_xy_source* divided by that of *Repos*.
pub(super) fn partitioned(mesh: &str, input: &Distribution, sources: usize, length: u64) -> f64 {
    time(mesh, input, sources, length, PART_XY_SOURCE) / time(mesh, input, sources, length, REPOS)
}

/// **Does not hold.** Report, figure 9: partitioning does not beat plain repositioning, because the final permutation dominates. On
/// 8 x 8 the permutation took 2.5 of 4.8 ms. Here it is one exchange of 7 and 8 messages, 1.08 ms; partitioning wins by 4 % on the
/// cross and by 7 to 15 % on 10 x 10, and would lose with 2.5 ms. For most other inputs on 8 x 8 there is no difference.
fn figure_9_partitioning_is_no_worse_than_repositioning() -> Claim {
    let mut claim = Claim::new(
        "figure_9_partitioning_is_no_worse_than_repositioning",
        "partitioning loses to repositioning alone: the final permutation dominates",
    );
    let cross = partitioned("8x8", &Cross, 15, 2048);
    let small = Distribution::ALL.each_ref().map(|input| partitioned("8x8", input, 15, 2048));
    let large = Distribution::ALL.each_ref().map(|input| partitioned("10x10", input, 20, 2048));
    claim.within("Part / Repos, cross on 8 x 8", cross, 0.96..=0.97);
    claim.all_within("Part / Repos, all inputs on 8 x 8", small, 0.92..=1.02);
    claim.all_within("Part / Repos, all inputs on 10 x 10", large, 0.85..=0.93);
    claim.judged("Part_xy_source takes longer than Repos on the cross of 8 x 8", 
        cross > 1.0,
        format!(
            "{} on the cross of 8 x 8, {} to {} on 10 x 10: the final permutation takes 1.08 ms here, and 2.5 there",
            percent(cross),
            percent(least(large)),
            percent(most(large))
        ),
    )
}

fn halves() -> Outcome {
    Outcome { claims: vec![section_3_half_of_the_sources_in_half_of_the_machine()], ..Outcome::default() }
}

/// **Does not hold.** Report and conference version, section 3: broadcasting s/2 messages in p/2 nodes takes less than half
/// the time of s messages in p nodes, which motivates partitioning. Here it takes half and more: one iteration less and
/// half of the bytes, but the same start-up times. Figure 9 has 1.9 of 3.7 ms, which is not less than half either.
fn section_3_half_of_the_sources_in_half_of_the_machine() -> Claim {
    let mut claim = Claim::new(
        "section_3_half_of_the_sources_in_half_of_the_machine",
        "s/2 messages in p/2 nodes take less than half the time of s in p",
    );
    let mut ratios = Vec::new();
    for (whole, half, sources, length) in [
        ("8x8", "4x8", 16, 2048),
        ("10x10", "5x10", 20, 2048),
        ("10x10", "5x10", 40, 6144),
        ("16x16", "8x16", 64, 2048),
        ("16x16", "8x16", 128, 6144),
    ] {
        let time = |mesh, sources| time_from(mesh, &ideal_rows(mesh, sources), length, BR_XY_SOURCE);
        let ratio = time(half, sources / 2) / time(whole, sources);
        claim.within(
            format!("{} of {length} on {half} / {sources} on {whole}", sources / 2),
            ratio,
            0.5..=0.72,
        );
        ratios.push(ratio);
    }
    claim.judged(
        "less than half of the time in all five cases",
        most(ratios.iter().copied()) < 0.5,
        format!(
            "{:.0} to {:.0} % of it; 51 % are published in figure 9",
            100.0 * least(ratios.iter().copied()),
            100.0 * most(ratios)
        ),
    )
}

fn lengths() -> Outcome {
    Outcome {
        claims: vec![section_5_good_distributions_remain_good_with_different_lengths()],
        ..Outcome::default()
    }
}

/// Report and conference version, section 5: a good distribution for an algorithm remains good when the lengths of the
/// messages vary. Here the lengths 1K, 2K and 3K alternate among the sources; the good distributions are those of figure 5.
fn section_5_good_distributions_remain_good_with_different_lengths() -> Claim {
    let mut claim = Claim::new(
        "section_5_good_distributions_remain_good_with_different_lengths",
        "good distributions remain good when messages have different lengths",
    );
    let lengths: Vec<u64> = (0..30).map(|source| 1024 * (1 + source % 3)).collect();
    let time = |distribution: &Distribution| {
        millis(&plan_of("10x10", &place("10x10", distribution, 30), &lengths, BR_XY_SOURCE))
    };
    let good = [Row, Column, Equal, RightDiagonal, LeftDiagonal].each_ref().map(time);
    let cross = time(&Cross);
    claim.is("all of them take less than the cross", most(good) < cross);
    claim.judged("all good distributions take less time than the cross", 
        most(good) < cross,
        format!(
            "Br_xy_source takes {:.2} to {:.2} ms on those of figure 5 that are good, {cross:.2} ms on the cross",
            least(good),
            most(good)
        ),
    )
}
