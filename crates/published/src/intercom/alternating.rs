//! Alternating directions, section 7.1.

use super::{
    formulas::{ELEMENT, GAMMA, SAME, time},
    *,
};
use Operation::{AllGather, AllReduce, Broadcast, Gather, Reduce, ReduceScatter, Scatter};

pub(super) const ALTERNATING: Job = Paper::InterCom.job(
    "S2-7.1",
    "section 7.1",
    "alternating directions in bidirectional rings and lines",
    "meshes of 4 x 4 to 16 x 16, Hockney's parameters; Paragon, 16 x 32",
    0.6,
    alternating,
);

/// The two orders of the sides of a logical mesh in which rows and columns alternate.
const BY_TURNS: [&str; 2] = ["rows-columns", "columns-rows"];

fn alternating() -> Outcome {
    let machine: MachineSpec = super::super::machine("hockney:16x16");
    let mut chart = Chart::new(
        "An all-gather on 16 x 16 with links no faster than ports",
        Axis::logarithmic("length", "bytes"),
        Axis::logarithmic("time", "ms"),
    );
    for (name, algorithm) in [("hybrid", Algorithm::HYBRID), ("alternating", Algorithm::ALTERNATING)] {
        let lengths = (8..=20).step_by(2).map(|power| f64::from(1_u32 << power));
        let time = |bytes: f64| modeled(&algorithm, &task(&machine, AllGather, bytes as u64, 1));
        chart.modeled(name, lengths, |bytes| time(bytes).as_millis_f64());
    }
    let claims = vec![
        section_7_alternating_directions_conflict_less(),
        section_7_the_closed_form_holds_for_alternating_directions(),
        section_7_alternating_directions_enhance_hybrids_where_links_are_slow(),
    ];
    Outcome { claims, charts: vec![chart], ..Outcome::default() }
}

/// Section 7.1: alternating directions. On `q` x `q` nodes with sides of 2 and links as fast as ports, an all-gather of `n` bytes takes
/// `log p alpha + (log q)/2 (1 + 1/q) n beta` with one direction after the other, and `log p alpha + 3/2 (1 - 1/q) n beta` with
/// alternating directions.
fn section_7_alternating_directions_conflict_less() -> Claim {
    let mut claim = Claim::new(
        "section_7_alternating_directions_conflict_less",
        "stages that alternate between rows and columns have fewer conflicts",
    );
    let mut gains = Vec::new();
    for q in [4_usize, 8, 16] {
        let p = q * q;
        let log = log2_ceil(p);
        let sides = vec!["2"; log as usize].join("x");
        let letters = "C".repeat(log as usize);
        let task = task(&hockney(&format!("mesh:{q}x{q}"), 1.0, GAMMA), AllGather, 1000 * p as u64, ELEMENT);
        let each = 1.0 / q as f64;
        let apart_forms = time(&task, [log, log / 4.0 * (1.0 + each), 0.0]);
        let by_turns = time(&task, [log, 1.5 * (1.0 - each), 0.0]);
        for (order, formula) in [
            ("", apart_forms),
            (",columns", apart_forms),
            (",rows-columns", by_turns),
            (",columns-rows", by_turns),
        ] {
            let (cost, modeled) = cost_and_time(&task, &format!("{sides}:{letters}{order}"));
            let off = [apart(cost.time(task.parameters()), formula), apart(modeled, formula)];
            claim.all_within(
                format!("ns, {q} x {q}{order}: closed form and modeled less formula"),
                off,
                SAME,
            );
        }
        gains.push(ratio(by_turns, apart_forms));
    }
    claim.judged(
        "alternating stages take less time on all three meshes",
        most(gains.iter().copied()) < 1.0,
        format!(
            "all-gathers take {} on 4 x 4, {} on 16 x 16, with sides of 2",
            percent(gains[0]),
            percent(gains[2])
        ),
    )
}

/// All operations on 8 x 8: the modeled time equals the closed form, or is up to 2 % less for operations that scatter,
/// because their groups start one after the other.
fn section_7_the_closed_form_holds_for_alternating_directions() -> Claim {
    let mut claim = Claim::new(
        "section_7_the_closed_form_holds_for_alternating_directions",
        "the closed form with conflicts by direction holds for all operations",
    )
    .ours();
    let (all, rings) = ("S".repeat(6), "C".repeat(6));
    let (mut exact, mut scattered) = (Vec::new(), Vec::new());
    for k in [1.0, 2.0] {
        let machine = hockney("mesh:8x8", k, GAMMA);
        for order in BY_TURNS {
            for (operation, letters) in [
                (Broadcast, format!("{all}{rings}")),
                (Broadcast, format!("{}M{}", &all[1..], &rings[1..])),
                (Reduce, format!("{all}{rings}")),
                (Scatter, all.clone()),
                (Gather, all.clone()),
                (AllGather, rings.clone()),
                (ReduceScatter, rings.clone()),
                (AllReduce, rings.clone()),
            ] {
                let task = task(&machine, operation, 64_000, ELEMENT);
                let (cost, modeled) = cost_and_time(&task, &format!("2x2x2x2x2x2:{letters},{order}"));
                let formula = cost.time(task.parameters());
                match operation {
                    Broadcast | Scatter => scattered.push(ratio(modeled, formula)),
                    _ => exact.push(apart(modeled, formula)),
                }
            }
        }
    }
    claim.all_within("ns, modeled less closed form", exact.iter().copied(), SAME);
    claim.all_within("modeled / closed form where something is scattered", scattered, 0.98..=1.000_001);
    claim.judged(
        "at most 1 ns off the closed form, except where something is scattered",
        most(exact.iter().copied()) <= 1.0,
        format!("to 1 ns in {} cases on 8 x 8", exact.len()),
    )
}

/// Alternating directions improve the hybrids where links are no faster than ports and vectors have medium length: for long
/// vectors rings over whole rows and columns win. A Paragon, whose links are five times as fast as ports, gains nothing.
fn section_7_alternating_directions_enhance_hybrids_where_links_are_slow() -> Claim {
    let mut claim = Claim::new(
        "section_7_alternating_directions_enhance_hybrids_where_links_are_slow",
        "alternating directions enhance the hybrids",
    );
    let mut gains = Vec::new();
    for (machine, operation, bytes, range) in [
        ("hockney:16x16", AllGather, 1 << 14, 0.83..=0.84),
        ("hockney:16x16", Broadcast, 1 << 14, 0.88..=0.89),
        ("hockney:16x16", AllReduce, 1 << 17, 0.94..=0.96),
        ("hockney:16x16", AllGather, 1 << 20, 1.0..=1.02),
        ("paragon:16x32", AllGather, 1 << 16, 0.999..=1.001),
    ] {
        let task = task(&super::super::machine(machine), operation, bytes, 1);
        let [hybrid, alternating] =
            [Algorithm::HYBRID, Algorithm::ALTERNATING].map(|algorithm| modeled(&algorithm, &task));
        let gain = ratio(alternating, hybrid);
        claim.within(format!("alternating / hybrid, {operation} of {bytes} bytes on {machine}"), gain, range);
        gains.push(gain);
    }
    claim.judged("alternating stages take less than 0.95 times as long as hybrids for 16K on 16 x 16", 
        gains[0] < 0.95,
        format!(
            "an all-gather of 16K on 16 x 16: {} where links are no faster than ports; on a Paragon nothing is gained",
            percent(gains[0])
        ),
    )
}
