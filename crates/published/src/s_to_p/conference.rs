//! The conference version (S1). The available text has lost its decimal points; claims read in it carry a probability.

use super::*;

pub(super) const FIGURE_8: Job = Job {
    also: &["S1-F8a", "S1-F8b", "S1-F8c", "S1-F8d"],
    ..Paper::SToPConference.job(
        "S1-F8",
        "Figure 8",
        "what repositioning gains, by number of sources",
        "16 x 16, 6K, 16 to 192 sources; equal, cross, band, square block",
        0.6,
        figure_8,
    )
};

pub(super) const FIGURE_9: Job = Paper::SToPConference.job(
    "S1-F9",
    "Figure 9",
    "what repositioning gains, by length",
    "16 x 16, 75 sources, 32 bytes to 32K; equal, cross, band, square block",
    0.3,
    figure_9,
);

pub(super) const BREAK_EVEN: Job = Paper::SToPConference.job(
    "S1-Q1",
    "section 5.2",
    "where repositioning stops paying",
    "16 x 16, 144 to 192 sources of 6K; 4 to 64 nodes, 1K and 6K",
    0.3,
    break_even,
);

pub(super) const PARTITIONING: Job = Paper::SToPConference.job(
    "S1-Q3",
    "section 5.2",
    "partitioning and repositioning",
    "16 x 16, 6K, 16 to 192 sources; equal, cross, band, square block",
    0.4,
    partitioning,
);

pub(super) const T3D: Job = Paper::SToPConference.job(
    "S1-Q4",
    "abstract, section 1",
    "the Cray T3D",
    "T3D of 32 to 256 nodes, p/4 sources of 2K, Br_Lin in the order of ranks",
    0.1,
    t3d,
);

pub(super) const DIAGONALS: Job = Paper::SToPConference.job(
    "S1-DL",
    "section 5.2",
    "ideal distributions for repositioning over Br_Lin",
    "16 x 16, 60 sources of 6K",
    0.1,
    diagonals,
);

/// Returns the time saved by *Repos* over plain *Br_xy_source*, as a fraction of the time of *Br_xy_source*.
fn gain(mesh: &str, input: &Distribution, sources: usize, length: u64) -> f64 {
    1.0 - time(mesh, input, sources, length, REPOS) / time(mesh, input, sources, length, BR_XY_SOURCE)
}

/// Returns the time that *Repos* saves over *Br_xy_source* with messages of 6K on 16 x 16, in milliseconds.
fn saved(input: &Distribution, sources: f64) -> f64 {
    let time = |algorithm| time("16x16", input, sources as usize, 6144, algorithm);
    time(BR_XY_SOURCE) - time(REPOS)
}

fn numbers() -> impl Iterator<Item = f64> {
    (16..=192_u32).step_by(16).map(f64::from)
}

/// Charts a value over the abscissas `places`, with one line per input.
fn chart(title: &str, x: Axis, y: Axis, places: &[f64], value: impl Fn(&Distribution, f64) -> f64) -> Chart {
    let mut chart = Chart::new(title, x, y);
    for input in &REPOSITIONED {
        chart.modeled(input.to_string(), places.iter().copied(), |place| value(input, place));
    }
    chart
}

/// Returns the values of the line of an input at the abscissas `places`.
fn all(chart: &Chart, input: &Distribution, places: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let name = input.to_string();
    places.into_iter().map(|place| chart.at(&name, place)).collect()
}

fn figure_8() -> Outcome {
    let places: Vec<f64> = numbers().collect();
    let sources = || Axis::linear("sources", "");
    let percents = chart(
        "Figure 8: what repositioning gains, 16 x 16, 6K",
        sources(),
        Axis::linear("gain", "%"),
        &places,
        |input, sources| 100.0 * gain("16x16", input, sources as usize, 6144),
    );
    let millis = chart(
        "Figure 8 in milliseconds: what repositioning saves, 16 x 16, 6K",
        sources(),
        Axis::linear("saved", "ms"),
        &places,
        saved,
    );
    let cost = |input: &Distribution| most(all(&percents, input, numbers()).into_iter().map(|gain| -gain));
    let moved = repositioning_alone("16x16", &Band, 192, 6144);
    let values = vec![
        Value::new("band, the most that repositioning costs", "%", 6.5, cost(&Band)).read(70),
        Value::timed("192 sources, redistribution alone", 7.5, moved).read(85).because(
            "links have five times the bandwidth of a node here: moving many costs no more than moving few",
        ),
    ];
    let pays = conference_figure_8_repositioning_pays_on_cross_and_block(&percents);
    let mut claims: Vec<Claim> = pays.into();
    claims.push(conference_figure_8_what_the_band_loses(&millis));
    claims.extend(conference_figure_8_what_the_cross_gains(&millis));
    Outcome { values, claims, charts: vec![percents, millis] }
}

/// Conference version, figure 8 (16 x 16, 6K, 16 to 192 sources): repositioning pays on all inputs except the band. In
/// the model it pays on cross and block for every number of sources, and not on the band. **Does not hold** for the
/// equal distribution, where the gain is within 6 % of zero: in the model this input is as good as rows.
fn conference_figure_8_repositioning_pays_on_cross_and_block(chart: &Chart) -> [Claim; 4] {
    let claim = |(input, said, range): (Distribution, &'static str, std::ops::RangeInclusive<f64>)| {
        let name = "conference_figure_8_repositioning_pays_on_cross_and_block";
        let mut claim = Claim::new(name, said);
        let gains = all(chart, &input, numbers());
        claim.all_within("gain in %", gains.iter().copied(), range);
        let (low, high) = (least(gains.iter().copied()), most(gains.iter().copied()));
        // Repositioning counts as paying if it gains for at least four fifths of the numbers of sources: figures are read by eye, and the
        // sign of a small gain is uncertain.
        let paying = gains.iter().filter(|gain| **gain > 0.0).count();
        let pays = 5 * paying >= 4 * gains.len();
        let (holds, rule) = if input == Band {
            (high < 1.0, "the gain is below 1 % with every number of sources")
        } else {
            (pays, "it gains with at least four fifths of the numbers of sources")
        };
        claim.judged(
            rule,
            holds,
            format!("{low:+.1} to {high:+.1} %; it pays with {paying} of {} numbers", gains.len()),
        )
    };
    [
        (Equal, "repositioning pays on the equal distribution", -6.0..=4.0),
        (Cross, "repositioning pays on the cross", 9.0..=50.0),
        (Band, "repositioning does not pay on the band", -9.0..=0.7),
        (SquareBlock, "repositioning pays on the square block", 2.9..=19.0),
    ]
    .map(claim)
}

/// Conference version, figure 8: with fewer than 150 sources repositioning costs 1 to 2 ms on the band (the available
/// text has `1 2 msec`).
fn conference_figure_8_what_the_band_loses(chart: &Chart) -> Claim {
    let mut claim = Claim::new(
        "conference_figure_8_what_the_band_loses",
        "on the band repositioning costs 1 to 2 ms with fewer than 150 sources",
    )
    .read(75);
    let losses: Vec<f64> = all(chart, &Band, numbers().take_while(|sources| *sources < 150.0))
        .iter()
        .map(|saved| -saved)
        .collect();
    let (low, high) = (least(losses.iter().copied()), most(losses.iter().copied()));
    claim.all_within("ms lost", losses, -0.5..=3.0);
    claim.judged(
        "between 0.5 and 2.5 ms at every number of sources below 150",
        low >= 0.5 && high <= 2.5,
        format!("{low:.1} to {high:.1} ms"),
    )
}

/// Conference version, figure 8: the time saved by repositioning on the cross (the available text has `13 31 msec`).
/// The reading 1.3 to 3.1 ms matches few sources; the reading 13 to 31 ms exceeds the possible gain for few sources.
fn conference_figure_8_what_the_cross_gains(chart: &Chart) -> [Claim; 2] {
    let name = "conference_figure_8_what_the_cross_gains";
    let gains = all(chart, &Cross, numbers());
    let (low, high) = (least(gains.iter().copied()), most(gains.iter().copied()));
    let why = format!("{low:.1} to {high:.1} ms");
    [
        (Claim::new(name, "on the cross 1.3 to 3.1 ms are gained").read(60), 1.3, 3.1),
        (Claim::new(name, "on the cross 13 to 31 ms are gained").read(35), 13.0, 31.0),
    ]
    .map(|(mut claim, from, to)| {
        claim.all_within("ms gained", gains.iter().copied(), 1.0..=22.0);
        // The range is widened by the tolerance of measured values.
        let near = 1.0 + Value::NEAR;
        claim.judged(
            "within the range, widened by 20 % at both ends, at every number of sources",
            low >= from / near && high <= to * near,
            why.clone(),
        )
    })
}

const LENGTHS: [f64; 11] =
    [32.0, 64.0, 128.0, 256.0, 512.0, 1024.0, 2048.0, 4096.0, 8192.0, 16384.0, 32768.0];

fn figure_9() -> Outcome {
    let chart = chart(
        "Figure 9: what repositioning gains, 16 x 16, 75 sources",
        Axis::logarithmic("length", "bytes"),
        Axis::linear("gain", "%"),
        &LENGTHS,
        |input, length| 100.0 * gain("16x16", input, 75, length as u64),
    );
    let mut claims: Vec<Claim> = conference_figure_9_the_cross_gains_most_and_tapers_off(&chart).into();
    claims.extend(conference_figure_9_below_1k_repositioning_pays_on_the_cross_alone(&chart));
    Outcome { claims, charts: vec![chart], ..Outcome::default() }
}

/// Conference version, figure 9 (16 x 16, 75 sources): of the four inputs the cross gains most, and its gain rises with
/// L and then tapers. In the model the gain levels off at 48 %, without a decrease for the longest messages.
fn conference_figure_9_the_cross_gains_most_and_tapers_off(chart: &Chart) -> [Claim; 3] {
    let name = "conference_figure_9_the_cross_gains_most_and_tapers_off";
    let mut gains_most = Claim::new(name, "of the four inputs the cross gains most");
    let mut tapers = Claim::new(name, "the gain rises with the length, and then tapers");
    let falls = Claim::new(name, "the gain falls for large lengths");
    let lengths = [128.0, 512.0, 1024.0, 2048.0, 4096.0, 8192.0, 16384.0, 32768.0];
    let gains = all(chart, &Cross, lengths);
    let rise = |to: usize| gains[to] - gains[to - 1];
    tapers.is("the gain on the cross rises", gains.is_sorted());
    tapers.above("from 4K to 8K, points of a percent", [rise(5)], 1.5);
    tapers.below("from 16K to 32K", [rise(7)], 0.5);
    let ahead: Vec<f64> = lengths
        .into_iter()
        .map(|length| {
            let others = [Equal, Band, SquareBlock].iter().flat_map(|input| all(chart, input, [length]));
            chart.at("cross", length) - most(others)
        })
        .collect();
    gains_most.above("ahead of the others, points of a percent", ahead.iter().copied(), 15.0);
    let last = gains[7];
    [
        gains_most.judged(
            "the cross gains most at each of eight lengths",
            least(ahead.iter().copied()) > 0.0,
            format!("by at least {:.0} points of a percent", least(ahead)),
        ),
        tapers.judged(
            "the gain rises with every length, and less from 16K to 32K than from 4K to 8K",
            gains.is_sorted() && rise(7) < rise(5),
            format!("it levels off at {last:.0} %"),
        ),
        falls.judged(
            "the gain at 32K is more than 0.5 points of a percent below that at 16K",
            rise(7) < -0.5,
            format!("it levels off at {last:.0} %, and does not fall"),
        ),
    ]
}

/// Conference version, figure 9: repositioning does not pay below 1K. In the model it never pays on equal and band, and
/// on the block not below 1K. **Does not hold** for the cross, which gains 10 % with 128 bytes and 28 % with 512. Even
/// short messages of 75 sources add up (38K for 512 bytes each), and moving a message costs at most one exchange.
fn conference_figure_9_below_1k_repositioning_pays_on_the_cross_alone(chart: &Chart) -> [Claim; 2] {
    let name = "conference_figure_9_below_1k_repositioning_pays_on_the_cross_alone";
    let mut others = Claim::new(name, "below 1K repositioning does not pay on equal, band and block");
    let mut cross = Claim::new(name, "below 1K repositioning does not pay on the cross");
    let short = [32.0, 128.0, 256.0, 512.0];
    for input in [Equal, Band] {
        others.all_within(format!("gain on {input}, %, below 1K"), all(chart, &input, short), -13.0..=-7.0);
    }
    let block = all(chart, &SquareBlock, short);
    others.all_within("gain on the block, %, below 1K", block.iter().copied(), -7.0..=0.5);
    others.all_within("gain on the block, %, 1K", all(chart, &SquareBlock, [1024.0]), 6.0..=7.0);
    for (length, range) in [(32.0, -2.0..=-1.0), (128.0, 9.0..=10.0), (512.0, 27.0..=28.0)] {
        cross.all_within(format!("gain in %, {length} bytes"), all(chart, &Cross, [length]), range);
    }
    let gains = all(chart, &Cross, short);
    [
        others.judged(
            "the block gains less than 1 % below 1K",
            most(block) < 1.0,
            "it loses up to 13 % on equal and band, and less on the block",
        ),
        cross.judged(
            "the cross gains less than 1 % below 1K",
            most(gains.iter().copied()) < 1.0,
            format!("it gains {:.0} % with 128 bytes and {:.0} % with 512", gains[1], gains[3]),
        ),
    ]
}

fn break_even() -> Outcome {
    let claims = vec![
        conference_figure_8_half_of_the_nodes_is_no_break_even_point(),
        conference_repositioning_does_not_pay_on_sixteen_nodes(),
    ];
    Outcome { claims, ..Outcome::default() }
}

/// **Does not hold.** Conference version: p/2 sources are the break-even point. In the model, repositioning still gains
/// 9 to 31 % on the cross and 3 to 10 % on the block beyond 128 of 256 sources. Moving 6K takes 0.4 to 0.7 of 43 to
/// 57 ms, and does not cost more when many messages move, because links have five times the bandwidth of a node. (The text
/// gives the cost on the Paragon, but its decimal points are lost.)
fn conference_figure_8_half_of_the_nodes_is_no_break_even_point() -> Claim {
    let mut claim = Claim::new(
        "conference_figure_8_half_of_the_nodes_is_no_break_even_point",
        "repositioning does not pay with more than p/2 sources",
    );
    let many = [144, 160, 176, 192];
    let gains = |input: &Distribution| many.map(|sources| gain("16x16", input, sources, 6144));
    let (cross, block) = (gains(&Cross), gains(&SquareBlock));
    claim.all_within("gain on the cross", cross, 0.09..=0.32);
    claim.all_within("gain on the block", block, 0.029..=0.11);
    for input in &REPOSITIONED {
        let moving = many.map(|sources| repositioning("16x16", input, sources, 6144));
        claim.all_within(format!("ms to move, {input}"), moving, 0.37..=0.70);
    }
    claim.judged(
        "cross and block gain less than 1 % with 144 to 192 sources",
        most(cross).max(most(block)) < 0.01,
        format!(
            "up to {:.0} % on the cross and {:.0} % on the block: moving many costs no more than moving few",
            100.0 * most(cross),
            100.0 * most(block)
        ),
    )
}

/// Conference version: repositioning does not pay on up to 16 nodes. With 1K it gains 3.5 % at most and often loses; on
/// 64 nodes it gains up to 22 %. With 6K it does pay for a cross on 16 nodes, by up to 13 %.
fn conference_repositioning_does_not_pay_on_sixteen_nodes() -> Claim {
    let mut claim = Claim::new(
        "conference_repositioning_does_not_pay_on_sixteen_nodes",
        "on 16 nodes and fewer repositioning does not pay",
    );
    let best = |mesh, length| {
        let sources = 1..=grid(mesh).nodes() / 2 + 1;
        let gains = |sources| REPOSITIONED.each_ref().map(|input| gain(mesh, input, sources, length));
        most(sources.flat_map(gains))
    };
    let small = ["2x2", "2x4", "4x4"].map(|mesh| best(mesh, 1024));
    claim.below("best gain on up to 16 nodes, 1K", [most(small)], 0.035);
    claim.within("best gain on 64 nodes, 1K", best("8x8", 1024), 0.22..=0.23);
    let long = best("4x4", 6144);
    claim.within("best gain on 16 nodes, 6K", long, 0.12..=0.13);
    claim.judged(
        "with 1K, no input gains 5 % on 4, 8 or 16 nodes",
        most(small) < 0.05,
        format!("at most {:.1} % with 1K; with 6K up to {:.0} %", 100.0 * most(small), 100.0 * long),
    )
}

fn partitioning() -> Outcome {
    let mut chart = Chart::new(
        "Part_xy_source beside Repos_xy_source, 16 x 16, 6K",
        Axis::linear("sources", ""),
        Axis::linear("Part / Repos", ""),
    );
    for input in &REPOSITIONED {
        let ratio = |sources: f64| super::moving::partitioned("16x16", input, sources as usize, 6144);
        chart.modeled(input.to_string(), numbers(), ratio);
    }
    let claims = vec![conference_partitioning_hardly_ever_beats_repositioning(&chart)];
    Outcome { claims, charts: vec![chart], ..Outcome::default() }
}

/// Conference version: "the partitioning approach hardly ever gives a better performance than repositioning alone".
fn conference_partitioning_hardly_ever_beats_repositioning(chart: &Chart) -> Claim {
    let mut claim = Claim::new(
        "conference_partitioning_hardly_ever_beats_repositioning",
        "partitioning is hardly ever better than repositioning alone",
    );
    let ratios: Vec<f64> = REPOSITIONED.iter().flat_map(|input| all(chart, input, numbers())).collect();
    claim.all_within("Part / Repos on 16 x 16", ratios.iter().copied(), 0.99..=1.03);
    let better = ratios.iter().filter(|ratio| **ratio < 0.99).count();
    claim.judged(
        "in at most one of 20 cases 1 % faster",
        20 * better <= ratios.len(),
        format!(
            "{} to {} on 16 x 16: it makes no difference",
            percent(least(ratios.iter().copied())),
            percent(most(ratios))
        ),
    )
}

/// The shapes of the T3D, and the rectangular grids of ranks on which the sources are placed.
const T3DS: [(&str, &str); 4] = [("2x4x4", "4x8"), ("4x4x4", "8x8"), ("4x4x8", "8x16"), ("4x8x8", "16x16")];

fn t3d() -> Outcome {
    let inputs = [Row, Column, Equal, RightDiagonal, LeftDiagonal, Cross, SquareBlock];
    let mut chart = Chart::new(
        "Br_Lin on a T3D, p/4 sources of 2K",
        Axis::logarithmic("nodes", ""),
        Axis::linear("time", "ms"),
    );
    for input in &inputs {
        let nodes = T3DS.map(|(_, ranks)| grid(ranks).nodes() as f64);
        chart.modeled(input.to_string(), nodes, |nodes| {
            let (shape, ranks) = T3DS[nodes.log2() as usize - 5];
            let sources = place(ranks, input, nodes as usize / 4);
            let machine = crate::machine(&format!("t3d:{shape}"));
            let lengths = vec![2048; sources.len()];
            let instance = Instance::new(&machine, &sources, &lengths).expect("a torus has broadcasts");
            millis(&BR_LIN_ROW_MAJOR.plan(&instance).expect("Br_Lin can be planned on a torus"))
        });
    }
    let claims = vec![conference_the_t3d_depends_on_the_distribution_and_the_size(&chart)];
    Outcome { claims, charts: vec![chart], ..Outcome::default() }
}

/// Conference version, abstract: on the Cray T3D, too, performance depends on the distribution and on the size of the
/// machine. The text has no numbers.
fn conference_the_t3d_depends_on_the_distribution_and_the_size(chart: &Chart) -> Claim {
    let mut claim = Claim::new(
        "conference_the_t3d_depends_on_the_distribution_and_the_size",
        "on the Cray T3D, too, times depend on the distribution and on the size of the machine",
    );
    let spread = |place: usize| {
        let times: Vec<f64> = chart.lines.iter().map(|line| line.points[place][1]).collect();
        most(times.iter().copied()) / least(times)
    };
    let spreads = [0, 1, 2, 3].map(spread);
    claim.all_within("slowest / fastest distribution, 32 to 256 nodes", spreads, 2.3..=2.7);
    claim.judged("the slowest distribution takes more than 1.1 times as long as the fastest at some size, and the ratio differs by more than 0.05 among sizes", 
        most(spreads) > 1.1 && most(spreads) - least(spreads) > 0.05,
        format!(
            "the slowest distribution takes {:.2} to {:.2} times the fastest, by size",
            least(spreads),
            most(spreads)
        ),
    )
}

fn diagonals() -> Outcome {
    let mut claims: Vec<Claim> =
        [BR_LIN, BR_LIN_ROW_MAJOR].map(conference_left_diagonals_are_ideal_for_br_lin).into();
    claims.push(conference_left_diagonals_as_places_of_repos_over_br_lin());
    Outcome { claims, ..Outcome::default() }
}

/// **Does not hold.** Conference version: left diagonals are the best target positions. In the model *Repos* over *Br_Lin* from a cross is
/// faster with the ideal positions derived from recursive halving than with left diagonals; in snake order it is much faster.
fn conference_left_diagonals_as_places_of_repos_over_br_lin() -> Claim {
    let mut claim = Claim::new(
        "conference_left_diagonals_as_places_of_repos_over_br_lin",
        "left diagonals are the best places for Repos over Br_Lin",
    );
    let time = |algorithm| time("16x16", &Cross, 60, 6144, algorithm);
    let ours = time(Algorithm::REPOS_BR_LIN);
    let snake = time(Algorithm::REPOS_BR_LIN_DIAGONAL);
    let row_major = time(Algorithm::REPOS_BR_LIN_DIAGONAL_ROW_MAJOR);
    claim.within("from ideal places, ms", ours, 19.9..=20.1);
    claim.within("from left diagonals on the snake, ms", snake, 31.6..=31.7);
    claim.within("from left diagonals in row-major order, ms", row_major, 21.1..=21.2);
    claim.judged("at most 1 % slower than the places of this project, in one order of the nodes", 
        snake.min(row_major) <= 1.01 * ours,
        format!("16 x 16, cross, 60 sources of 6K: {snake:.1} ms on the snake, {row_major:.1} row by row; {ours:.1} from our places"),
    )
}

/// **Does not hold.** Conference version, section 5.2: for repositioning over *Br_Lin* the left diagonal distribution is the ideal one. In
/// snake order it is far worse than other distributions; in row-major order it is closer to the best, but not the best either.
fn conference_left_diagonals_are_ideal_for_br_lin(algorithm: Algorithm) -> Claim {
    let is_snake = algorithm == BR_LIN;
    let mut claim = Claim::new(
        "conference_left_diagonals_are_ideal_for_br_lin",
        if is_snake {
            "left diagonals are the ideal distribution for Br_Lin (snake)"
        } else {
            "left diagonals are the ideal distribution for Br_Lin (row-major)"
        },
    );
    let time = |input: &Distribution| time("16x16", input, 60, 6144, algorithm.clone());
    let left = time(&LeftDiagonal);
    let (best, name) = Distribution::ALL
        .iter()
        .map(|input| (time(input), input.to_string()))
        .min_by(|one, other| one.0.total_cmp(&other.0))
        .expect("there are distributions");
    claim.within("left diagonals, ms", left, if is_snake { 31.1..=31.3 } else { 20.6..=20.8 });
    claim.judged(
        "at most 1 % slower than the fastest distribution",
        left <= 1.01 * best,
        format!("{left:.1} ms on 16 x 16, 60 sources of 6K; {name} {best:.1} ms"),
    )
}
