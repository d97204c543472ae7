//! The textbook (S3): equations 4.1 to 4.4, and the claims of section 4.2.4.

use multicomputer::{
    collective::{Plan, Task},
    model::{MachineSpec, Parameters},
    textbook::{Algorithm, Figure},
    topology,
};

use super::{Axis, Chart, Claim, Job, Outcome, Paper, Series, most};

/// The jobs of the book.
pub(super) const JOBS: &[Job] = &[
    Paper::Textbook.job(
        "S3-1",
        "equation 4.1",
        "one-to-all broadcast",
        "rings, lines, hypercubes, trees and meshes, 4 to 32 nodes",
        0.1,
        equation_4_1,
    ),
    Paper::Textbook.job(
        "S3-2",
        "equation 4.2",
        "all-to-all broadcast on a ring",
        "rings and lines of 2 to 33 nodes",
        0.1,
        equation_4_2,
    ),
    Paper::Textbook.job(
        "S3-3",
        "equation 4.3",
        "all-to-all broadcast on a mesh",
        "meshes and tori of 4 to 64 nodes",
        0.1,
        equation_4_3,
    ),
    Paper::Textbook.job(
        "S3-4",
        "equation 4.4",
        "all-to-all broadcast on a hypercube",
        "hypercubes of 2 to 32 nodes",
        0.1,
        equation_4_4,
    ),
    Paper::Textbook.job(
        "S3-Q",
        "section 4.2.4",
        "the pattern of the hypercube on a ring",
        "ring of 8 nodes, 1000 bytes of each",
        0.1,
        on_a_ring,
    ),
    Paper::Textbook.job(
        "S3-Q2",
        "section 4.2.4",
        "pipelined broadcasts",
        "ring and hypercube of 8 nodes, sources of 1000 bytes",
        0.1,
        pipelined,
    ),
];

/// Divisions of alpha = 130 us into sender, network and receiver: all at the sender, half at the sender and half at the receiver, all at
/// the receiver, all in the network, and mixed.
const SPLITS: [[f64; 3]; 5] =
    [[130.0, 0.0, 0.0], [65.0, 0.0, 65.0], [0.0, 0.0, 130.0], [0.0, 130.0, 0.0], [20.0, 70.0, 40.0]];

/// Lengths of a vector, or of each block, in bytes.
const LENGTHS: [u64; 3] = [1, 1000, 4096];

/// Returns a network with Hockney's parameters; alpha is divided into microseconds at the sender, in the network and at the receiver.
fn machine(network: &str, [send, latency, receive]: [f64; 3]) -> MachineSpec {
    let parameters = Parameters::builder().send_overhead(send * 1e-6).latency(latency * 1e-6);
    let parameters = parameters.receive_overhead(receive * 1e-6).beta(50e-9).gamma(120e-9).build();
    let topology = topology::parse(network).expect("the networks of the book exist");
    MachineSpec::new(network, topology, parameters.expect("alpha may be cut anywhere"))
}

/// Plans an algorithm for `bytes` bytes per vector, or per block where the operation has blocks.
fn plan(algorithm: Algorithm, machine: &MachineSpec, bytes: u64) -> Plan {
    let task = Task::builder(machine, algorithm.operation());
    let task = if algorithm.operation().has_blocks() {
        task.blocks(vec![bytes; machine.nodes()])
    } else {
        task.elements(bytes)
    };
    let task = task.build().expect("an operation of the book is one");
    algorithm.plan(&task).expect("an algorithm of the book can be planned on any network")
}

fn millis(plan: &Plan) -> f64 {
    plan.prediction().modeled.since_start().as_millis_f64()
}

/// Compares an equation with modeled times on several networks, and charts both over the number of nodes of one kind of network.
fn equation(
    mut claim: Claim,
    cases: &[(Algorithm, &[&str])],
    title: &str,
    (algorithm, networks): (Algorithm, &[&str]),
) -> Outcome {
    let mut off = Vec::new();
    for (algorithm, networks) in cases {
        for split in SPLITS {
            for network in *networks {
                for bytes in LENGTHS {
                    let plan = plan(*algorithm, &machine(network, split), bytes);
                    let modeled = plan.prediction().modeled.since_start();
                    off.push(modeled.as_picos().abs_diff(plan.estimate().as_picos()) as f64 / 1e3);
                }
            }
        }
    }
    claim.all_within("ns, modeled less equation", off.iter().copied(), 0.0..=1.0);
    let why = format!("to 1 ns in {} cases, however alpha is cut into its parts", off.len());
    let claim = claim.judged("at most 1 ns off the equation in all cases", most(off) <= 1.0, why);
    let mut chart = Chart::new(title, Axis::logarithmic("nodes", ""), Axis::logarithmic("time", "ms"));
    for bytes in LENGTHS {
        let plans = networks.iter().map(|network| {
            let machine = machine(network, SPLITS[1]);
            (machine.nodes() as f64, plan(algorithm, &machine, bytes))
        });
        let plans: Vec<(f64, Plan)> = plans.collect();
        let at =
            |nodes| plans.iter().find(|(own, _)| *own == nodes).map_or(f64::NAN, |(_, plan)| millis(plan));
        chart.modeled(format!("{bytes} bytes"), plans.iter().map(|(nodes, _)| *nodes), at);
        let formula = plans.iter().map(|(nodes, plan)| [*nodes, plan.estimate().as_millis_f64()]);
        chart.formula(format!("{bytes} bytes"), formula.collect());
    }
    Outcome { claims: vec![claim], charts: vec![chart], ..Outcome::default() }
}

/// `(t_s + t_w m) log p`, on every network of the chapter.
fn equation_4_1() -> Outcome {
    let ring = ["ring:4", "ring:8", "ring:32"];
    equation(
        Claim::new("equation_4_1", "T = (t_s + t_w m) log p"),
        &[
            (Algorithm::ONE_TO_ALL, &ring),
            (Algorithm::ONE_TO_ALL, &["line:4", "line:8", "line:32"]),
            (Algorithm::ONE_TO_ALL, &["hypercube:4", "hypercube:8", "hypercube:32"]),
            (Algorithm::ONE_TO_ALL, &["tree:4", "tree:8", "tree:32"]),
            (Algorithm::ONE_TO_ALL, &["mesh:2x4", "mesh:4x4", "mesh:8x4"]),
            (Algorithm::MESH_ONE_TO_ALL, &["mesh:2x4", "mesh:4x4", "torus:2x4x4"]),
        ],
        "Equation 4.1: one-to-all broadcast on a ring",
        (Algorithm::ONE_TO_ALL, &["ring:2", "ring:4", "ring:8", "ring:16", "ring:32", "ring:64"]),
    )
}

/// `(t_s + t_w m) (p - 1)`, on rings and lines of any size.
fn equation_4_2() -> Outcome {
    equation(
        Claim::new("equation_4_2", "T = (t_s + t_w m) (p - 1)"),
        &[
            (Algorithm::RING_ALL_TO_ALL, &["ring:3", "ring:8", "ring:33"]),
            (Algorithm::RING_ALL_TO_ALL, &["line:3", "line:8", "line:33"]),
        ],
        "Equation 4.2: all-to-all broadcast on a ring",
        (Algorithm::RING_ALL_TO_ALL, &["ring:2", "ring:4", "ring:8", "ring:16", "ring:32", "ring:64"]),
    )
}

/// `2 t_s (sqrt(p) - 1) + t_w m (p - 1)`, on meshes and tori of any sides.
fn equation_4_3() -> Outcome {
    equation(
        Claim::new("equation_4_3", "T = 2 t_s (sqrt(p) - 1) + t_w m (p - 1)"),
        &[(Algorithm::MESH_ALL_TO_ALL, &["mesh:3x3", "mesh:4x4", "mesh:3x11", "mesh:3x3x3", "torus:2x3x4"])],
        "Equation 4.3: all-to-all broadcast on a square mesh",
        (Algorithm::MESH_ALL_TO_ALL, &["mesh:2x2", "mesh:3x3", "mesh:4x4", "mesh:6x6", "mesh:8x8"]),
    )
}

/// `t_s log p + t_w m (p - 1)`.
fn equation_4_4() -> Outcome {
    equation(
        Claim::new("equation_4_4", "T = t_s log p + t_w m (p - 1)"),
        &[(Algorithm::HYPERCUBE_ALL_TO_ALL, &["hypercube:4", "hypercube:8", "hypercube:32"])],
        "Equation 4.4: all-to-all broadcast on a hypercube",
        (
            Algorithm::HYPERCUBE_ALL_TO_ALL,
            &["hypercube:2", "hypercube:4", "hypercube:8", "hypercube:16", "hypercube:32"],
        ),
    )
}

/// Section 4.2.4: in the distance-four step of the hypercube's all-to-all broadcast, all four messages traverse one
/// link of a ring of eight, so the step takes four times as long.
fn on_a_ring() -> Outcome {
    let mut four = Claim::new("one_link_carries_four_messages", "one link of the ring carries four messages");
    let mut times = Claim::new("the_step_takes_four_times_as_long", "the step takes four times as long");
    let ring = plan(Algorithm::HYPERCUBE_ALL_TO_ALL, &machine("ring:8", SPLITS[1]), 1000);
    let busiest = Figure::of(&ring).steps()[2].busiest().map_or(0, |busiest| busiest.messages);
    four.same("messages on the busiest link of the third step", busiest, 4);
    // The message of the third step has four blocks. With zero start-up times, step times are proportional to bytes.
    let bytes_only = |network| {
        let plan = plan(Algorithm::HYPERCUBE_ALL_TO_ALL, &machine(network, [0.0; 3]), 1000);
        (plan.schedule().iterations(), millis(&plan))
    };
    let ((_, on_ring), (_, on_cube)) = (bytes_only("ring:8"), bytes_only("hypercube:8"));
    // In times of a block, the hypercube takes 1 + 2 + 4, and the ring 1 + 2 * 2 + 4 * 4.
    let last = (on_ring * 7.0 / on_cube - 1.0 - 4.0) / 4.0;
    times.within("the third step, as a multiple", last, 3.999..=4.001);
    let claims = vec![
        four.judged(
            "four messages on the busiest link of the third step",
            busiest == 4,
            format!("{busiest} messages"),
        ),
        times.judged(
            "the last step takes 4 times as long as on the hypercube, to 0.01",
            (last - 4.0).abs() < 0.01,
            format!("{last:.2} times, without start-ups"),
        ),
    ];
    let mut chart = Chart::new(
        "The hypercube's all-to-all broadcast on a ring of 8",
        Axis::names("step", ["1", "2", "3"]),
        Axis::linear("messages on the busiest link", ""),
    );
    let most = |plan: &Plan| {
        let messages = |step: &multicomputer::textbook::Step| {
            step.busiest().map_or(0, |busiest| busiest.messages) as f64
        };
        Figure::of(plan).steps().iter().map(messages).collect::<Vec<f64>>()
    };
    chart.bars("ring", most(&ring));
    let cube = plan(Algorithm::HYPERCUBE_ALL_TO_ALL, &machine("hypercube:8", SPLITS[1]), 1000);
    chart.bars("hypercube", most(&cube));
    Outcome { claims, charts: vec![chart], ..Outcome::default() }
}

/// Section 4.2.4: n broadcasts pipelined around a ring take `(t_s + t_w m) (p - 1)`, independent of n; n broadcasts in
/// sequence on a hypercube take `n (t_s + t_w m) log p`.
fn pipelined() -> Outcome {
    let mut around =
        Claim::new("pipelined_around_a_ring", "n pipelined broadcasts take (t_s + t_w m) (p - 1)");
    let mut in_turn = Claim::new("one_after_the_other", "n broadcasts in turn take n (t_s + t_w m) log p");
    // The book's strict model: the sender is busy for the whole transfer.
    let strict = SPLITS[0];
    let broadcasts = |algorithm: Algorithm, network, sources: f64| {
        let machine = machine(network, strict);
        let blocks = (0..machine.nodes()).map(|rank| if (rank as f64) < sources { 1000 } else { 0 });
        let blocks: Vec<u64> = blocks.collect();
        let task = Task::builder(&machine, algorithm.operation()).blocks(blocks).build();
        millis(
            &algorithm.plan(&task.expect("it is an all-gather")).expect("it can be planned on any network"),
        )
    };
    let mut chart = Chart::new(
        "Broadcasts of 1000 bytes on 8 nodes",
        Axis::linear("sources", ""),
        Axis::linear("time", "ms"),
    );
    let sources = || (1..=8).map(f64::from);
    chart
        .modeled("pipelined, ring", sources(), |sources| broadcasts(Algorithm::PIPELINED, "ring:8", sources));
    chart.modeled("in turn, hypercube", sources(), |sources| {
        broadcasts(Algorithm::IN_TURN, "hypercube:8", sources)
    });
    chart.formula("in turn", sources().map(|sources| [sources, sources * 3.0 * 0.18]).collect());
    let off = |name: &'static str, formula: fn(f64) -> f64| {
        let chart = &chart;
        most(sources().map(move |sources| (chart.at(name, sources) - formula(sources)).abs()))
    };
    let (ring, turns) =
        (off("pipelined, ring", |_| 7.0 * 0.18), off("in turn, hypercube", |n| n * 3.0 * 0.18));
    around.within("ms, modeled less formula", ring, 0.0..=1e-6);
    in_turn.within("ms, modeled less formula", turns, 0.0..=1e-6);
    let claims = vec![
        around.judged(
            "at most 1e-6 ms off the formula with every number of sources",
            ring <= 1e-6,
            "1.26 ms for any number of sources on 8 nodes",
        ),
        in_turn.judged(
            "at most 1e-6 ms off the formula with every number of sources",
            turns <= 1e-6,
            "0.54 ms for each: the pipeline pays from the third source on",
        ),
    ];
    Outcome { claims, charts: vec![chart], ..Outcome::default() }
}
