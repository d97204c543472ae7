//! Figure 1, the bounds of sections 4 and 6, and the parameters of the machine.

use super::*;

pub(super) const FIGURE_1: Job = Paper::ManyToMany.job(
    "S4-F1",
    "Figure 1",
    "a communication matrix",
    "8 nodes, CM-5's parameters on a complete network, a unit of 100 kB",
    0.1,
    matrix,
);

pub(super) const PARAMETERS: Job =
    Paper::ManyToMany.job("S4-N", "section 3", "the machine", "the preset of the CM-5", 0.1, parameters);

pub(super) const BOUNDS: Job = Paper::ManyToMany.job(
    "S4-C",
    "sections 4 and 6",
    "bounds of linear permutation and of two stages",
    "32 nodes, complete network and CM-5, 1 KiB to 4 MiB",
    0.2,
    bounds,
);

fn matrix() -> Outcome {
    let figure = Matrix::figure_1();
    let figures = figure.figures();
    let values = vec![
        Value::new("t, the most that any node sends or receives", "", 10.0, figures.traffic() as f64)
            .counted(),
        Value::new("h, the most messages of any node", "", 6.0, figures.fan() as f64).counted(),
    ];
    Outcome {
        values,
        claims: figure_1_takes_24_units_by_linear_permutation(&figure).into(),
        ..Outcome::default()
    }
}

/// Each round of linear permutation takes as long as its longest message: the matrix of figure 1 takes 24 units in
/// seven rounds, although no node sends or receives more than 10 units.
fn figure_1_takes_24_units_by_linear_permutation(figure: &Matrix) -> [Claim; 2] {
    const UNIT: u64 = 100_000;
    let name = "figure_1_takes_24_units_by_linear_permutation";
    let mut linear =
        Claim::new(name, "linear permutation takes the sum of the longest message of each round");
    let mut less =
        Claim::new(name, "messages of different lengths take linear permutation up to O(t p), more than t");
    let longest = |k: usize| (0..8).map(|from| figure.get(from, from ^ k)).max().unwrap_or(0);
    let rounds: Vec<u64> = (1..8).map(longest).collect();
    linear.same("longest messages of the rounds", rounds, vec![3, 7, 2, 4, 1, 4, 3]);
    let matrix = Matrix::of(8, |from, to| UNIT * figure.get(from, to)).expect("nobody sends to itself");
    let matrix = Arc::new(matrix);
    let units = |algorithm: Algorithm| seconds(&ideal(8), &matrix, algorithm) / (UNIT as f64 * 125e-9);
    let (modified, auto) = (units(Algorithm::MODIFIED), units(Algorithm::AUTO));
    linear.within("units, modified", modified, 24.0..=24.3);
    less.within("units, auto", auto, 10.0..=10.5);
    [
        linear.judged(
            "the time differs from 24 units, the sum of the longest messages of the rounds, by less than 2 %",
            (modified / 24.0 - 1.0).abs() < 0.02,
            format!("{modified:.1} units, 24 without start-ups"),
        ),
        less.judged(
            "linear permutation takes more than 1.5 times as long as auto",
            modified > 1.5 * auto,
            format!("{modified:.1} units where t is 10; auto takes {auto:.1}"),
        ),
    ]
}

fn parameters() -> Outcome {
    let parameters = Parameters::cm5();
    let micros = |span: Span| span.as_secs_f64() * 1e6;
    // Bandwidth per node of the upward links on the route from node 0 to the last node: at each level four times as
    // many nodes share the link.
    let tree = cm5();
    let mut route = Vec::new();
    tree.topology().route(0, NODES - 1, &mut route);
    let share = |level: usize| {
        let capacity = tree.topology().capacity(route[level]).unwrap_or(f64::NAN);
        capacity / 4_f64.powi(level as i32) / 1e6
    };
    let values = vec![
        Value::new("links, within 4 nodes", "MB/s a node", 20.0, share(0)).counted(),
        Value::new("links, within 16 nodes", "MB/s a node", 10.0, share(1)).counted(),
        Value::new("links beyond", "MB/s a node", 5.0, share(2)).counted(),
        Value::new("data of a packet", "bytes", 16.0, ACTIVE_BYTES as f64).counted(),
        Value::new("to send an active message", "us", 1.6, micros(parameters.active_send_overhead()))
            .counted(),
        Value::new("to receive an active message", "us", 1.7, micros(parameters.active_receive_overhead()))
            .counted(),
    ];
    Outcome { values, ..Outcome::default() }
}

fn bounds() -> Outcome {
    let traffics = || (10..=22).step_by(2).map(|power| f64::from(1_u32 << power));
    let mut chart = Chart::new(
        "Two stages on 32 nodes, as a multiple of 2 t mu",
        Axis::logarithmic("traffic", "bytes"),
        Axis::logarithmic("time / 2 t mu", ""),
    );
    let ratio = |machine: &MachineSpec, matrix: fn(u64, u64) -> Arc<Matrix>, algorithm, traffic: f64| {
        let traffic = traffic as u64;
        seconds(machine, &matrix(traffic, 1), algorithm) / two_t_mu(traffic)
    };
    for (name, machine, matrix, algorithm) in [
        ("complete, k = 32", ideal(NODES), figure_9 as fn(u64, u64) -> _, Algorithm::TWO_STAGE),
        ("complete, k = 2", ideal(NODES), figure_10, Algorithm::TWO_STAGE),
        ("CM-5, k = 32", cm5(), figure_9, Algorithm::TWO_STAGE),
        ("CM-5, k = 2", cm5(), figure_10, Algorithm::TWO_STAGE),
        ("CM-5, k = 32, relayed", cm5(), figure_9, Algorithm::RELAYED),
    ] {
        chart.modeled(name, traffics(), |traffic| ratio(&machine, matrix, algorithm.clone(), traffic));
    }
    let claims = vec![
        section_4_linear_permutation_of_uniform_messages(),
        two_stages_tend_to_2_t_mu_where_mu_is_constant(&chart),
        on_the_tree_mu_is_that_of_a_linear_permutation(&chart),
    ];
    Outcome { claims, charts: vec![chart], ..Outcome::default() }
}

/// Section 4: linear permutation of messages of equal length s takes `O(s p)`: `(p - 1) (tau + s mu)`, with start-up
/// time tau and time per byte mu.
fn section_4_linear_permutation_of_uniform_messages() -> Claim {
    let mut claim = Claim::new(
        "section_4_linear_permutation_of_uniform_messages",
        "linear permutation of uniform messages takes O(s p)",
    );
    let ratio = |length: u64| {
        let matrix = Matrix::of(NODES, |from, to| if from == to { 0 } else { length });
        let matrix = Arc::new(matrix.expect("nobody sends to itself"));
        let formula = 31.0 * (88e-6 + length as f64 * 125e-9);
        seconds(&ideal(NODES), &matrix, Algorithm::LINEAR) / formula
    };
    let ratios = [16, 1 << 10, 1 << 16].map(ratio);
    claim.all_within("modeled / (p - 1) (tau + s mu)", ratios, 1.0..=1.05);
    claim.judged(
        "less than 5 % over (p - 1) (tau + s mu) with each of three lengths",
        most(ratios) < 1.05,
        format!("(p - 1) (tau + s mu) to {:.1} %", 100.0 * (most(ratios) - 1.0)),
    )
}

/// For a traffic of t >= p^2 per node, two stages take about 2 t mu (mu: time per byte). In each stage the fraction 1/p
/// of the data stays on its node.
fn two_stages_tend_to_2_t_mu_where_mu_is_constant(chart: &Chart) -> Claim {
    let mut claim = Claim::new(
        "two_stages_tend_to_2_t_mu_where_mu_is_constant",
        "two stages take 2 t mu and lower order terms (mu the same for all pairs)",
    );
    let ratios: Vec<f64> = chart.lines[0].points.iter().map(|point| point[1]).collect();
    let last = ratios[ratios.len() - 1];
    claim.is("the ratio falls with the traffic", ratios.windows(2).all(|pair| pair[1] < pair[0]));
    claim.within("at 4 MiB, less 31/32", last - 31.0 / 32.0, -0.01..=0.01);
    claim.judged(
        "at 4 MiB within 5 % of 2 t mu",
        (last - 1.0).abs() < 0.05,
        format!("{last:.3} times 2 t mu at 4 MiB: a p-th of all stays"),
    )
}

/// On the tree, 16 of 31 rounds of a linear permutation by exclusive or send all messages over the top level, where a
/// node has 5 MB/s instead of 8. With the resulting mean mu the bound 2 t mu holds.
fn on_the_tree_mu_is_that_of_a_linear_permutation(chart: &Chart) -> Claim {
    let mut claim = Claim::new(
        "on_the_tree_mu_is_that_of_a_linear_permutation",
        "two stages take 2 t mu and lower order terms (on a CM-5)",
    );
    let largest = f64::from(1 << 22);
    let mean = (15.0 * 125e-9 + 16.0 * 200e-9) / 32.0;
    let took = chart.at("CM-5, k = 32", largest);
    claim.within("at 4 MiB, of 2 t of the mean mu", took * 125e-9 / mean, 1.0..=1.02);
    // In each round of the relayed schedule about half of the nodes send over the top level.
    let relayed = chart.at("CM-5, k = 32, relayed", largest);
    claim.within("relayed, of 2 t mu", relayed, 0.95..=1.02);
    claim.judged("at 4 MiB less than 5 % over 2 t mu, with the mu of a port", 
        took < 1.05,
        format!(
            "{took:.2} times 2 t mu, because half of the rounds cross the top of the tree; {relayed:.2} times with the \
             relayed schedule, in which about half of the nodes send over the top level in each round"
        ),
    )
}
