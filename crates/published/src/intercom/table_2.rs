//! Table 2: hybrids for broadcasts on a linear array of 30 nodes.

use super::*;

pub(super) const TABLE_2: Job = Paper::InterCom.job(
    "S2-T2",
    "Table 2",
    "hybrids for broadcasts",
    "linear array of 30 nodes, Hockney's parameters, 240 bytes and 3,000,000",
    0.1,
    table_2,
);

/// A row: the strategy; the printed numbers of start-ups and of thirtieths of `n beta`; and the correct numbers, if the printed numbers are
/// wrong.
pub(super) type Row = (&'static str, [u32; 2], Option<[u32; 2]>);

/// Three rows differ from the formula. The first is 3 x 10 with both numbers wrong: with the correct numbers the table is sorted as
/// its caption says. The other two stand at the position of 118/30 in the sort order, so the mistake is probably the authors'.
pub(super) const ROWS: [Row; 18] = [
    ("3x10:SMC", [16, 240], Some([8, 160])),
    ("2x3x5:SSMCC", [9, 160], None),
    ("1x30:M", [5, 150], None),
    ("2x15:SMC", [6, 150], None),
    ("6x5:SMC", [11, 140], None),
    ("5x6:SMC", [10, 138], None),
    ("5x2x3:SSMCC", [11, 138], None),
    ("5x2x3:SSSCCC", [13, 118], None),
    ("2x3x5:SSSCCC", [13, 118], None),
    ("15x2:SMC", [19, 118], Some([19, 86])),
    ("15x2:SSCC", [20, 118], Some([20, 86])),
    ("10x3:SMC", [15, 114], None),
    ("5x6:SSCC", [15, 98], None),
    ("6x5:SSCC", [15, 98], None),
    ("3x10:SSCC", [17, 94], None),
    ("10x3:SSCC", [17, 94], None),
    ("2x15:SSCC", [20, 86], None),
    ("1x30:SC", [34, 58], None),
];

/// Lengths of a short and of a long vector in bytes, both multiples of 30.
const SHORT: u64 = 240;
const LONG: u64 = 3_000_000;

fn broadcast(machine: &MachineSpec, bytes: u64) -> Task {
    task(machine, Operation::Broadcast, bytes, 1)
}

/// Returns the excess of a strategy's modeled time over its formula, in percent.
fn excess(machine: &MachineSpec, text: &str, bytes: u64) -> f64 {
    let task = broadcast(machine, bytes);
    let (cost, time) = cost_and_time(&task, text);
    100.0 * (ratio(time, cost.time(task.parameters())) - 1.0)
}

pub(super) fn line(k: f64) -> MachineSpec {
    hockney("line:30", k, 0.0)
}

/// Returns a line with the strict model, in which a message keeps its sender busy as long as its receiver.
fn strict_line(k: f64) -> MachineSpec {
    let parameters = line(k).parameters().to_builder().send_overhead(130e-6).receive_overhead(0.0).build();
    network("line:30", parameters.expect("all of alpha may be at the sender"))
}

fn table_2() -> Outcome {
    let mut values = Vec::new();
    let mut closed = Vec::new();
    for (text, printed, corrected) in ROWS {
        let task = broadcast(&line(1.0), 30_000);
        let cost = strategy(Operation::Broadcast, text).cost(&task);
        let found = [cost.alphas, cost.bytes / 1000.0];
        let name = text.replace(':', " ");
        for ((what, printed), found) in ["alpha", "n beta / 30"].into_iter().zip(printed).zip(found) {
            let value = Value::new(format!("{name}: {what}"), "", f64::from(printed), found).derived();
            let is_misprint = corrected.is_some() && value.error().abs() > Value::EXACT;
            values.push(if is_misprint {
                value.because("a misprint: the paper's own formula gives this")
            } else {
                value
            });
        }
        closed.push((text, cost, corrected.unwrap_or(printed)));
    }
    let claims = vec![
        table_2_the_closed_form_is_what_is_printed_or_should_be(&closed),
        table_2_no_hybrid_takes_longer_than_its_formula(),
        table_2_short_vectors_gain_because_senders_are_ahead(),
        table_2_long_vectors_gain_because_groups_are_out_of_step(),
        table_2_without_conflicts_on_links_nodes_out_of_step_share_ports(),
        table_2_three_rows_never_beat_the_minimum_spanning_tree(),
    ];
    Outcome { values, claims, charts: vec![chart()] }
}

/// Charts the rows of the table as bars, for a short and for a long vector.
fn chart() -> Chart {
    let names = ROWS.map(|(text, ..)| text);
    let mut chart = Chart::new(
        "Table 2: hybrids on a linear array of 30 nodes",
        Axis::names("hybrid", names),
        Axis::logarithmic("time", "ms"),
    );
    for bytes in [SHORT, LONG] {
        let task = broadcast(&line(1.0), bytes);
        let times = names.map(|text| cost_and_time(&task, text));
        let formula = times.iter().enumerate();
        let formula =
            formula.map(|(place, (cost, _))| [place as f64, cost.time(task.parameters()).as_millis_f64()]);
        chart.formula(format!("{bytes} bytes"), formula.collect());
        chart.bars(format!("{bytes} bytes"), times.iter().map(|(_, time)| time.as_millis_f64()));
    }
    chart
}

/// All 18 rows agree exactly with the formula, after correction of the misprints.
fn table_2_the_closed_form_is_what_is_printed_or_should_be(rows: &[(&str, Cost, [u32; 2])]) -> Claim {
    let mut claim = Claim::new(
        "table_2_the_closed_form_is_what_is_printed_or_should_be",
        "the formula gives the coefficients of the table",
    );
    let mut as_printed = 0;
    for ((text, cost, right), (_, printed, _)) in rows.iter().zip(ROWS) {
        let [alphas, thirtieths] = right.map(f64::from);
        claim.same(format!("{text}: start-ups"), cost.alphas, alphas);
        claim.below(
            format!("{text}: difference from the coefficient of beta in the table (misprints corrected), in bytes for a \
                 vector of 30,000 bytes"),
            [(cost.bytes - thirtieths * 1000.0).abs()],
            1e-6,
        );
        claim.same(format!("{text}: nothing else"), (cost.elements, cost.trees), (0.0, Span::ZERO));
        as_printed += usize::from(*right == printed);
    }
    let is_right = claim.is_as_expected() && as_printed == 15;
    claim.judged(
        "15 of 18 rows are as printed, and the others are the formula with misprints corrected",
        is_right,
        format!("{as_printed} of 18 rows as printed, the others are misprints"),
    )
}

/// No hybrid takes longer than its formula, and some take up to 20 % less; the next two claims explain why.
fn table_2_no_hybrid_takes_longer_than_its_formula() -> Claim {
    let mut claim = Claim::new(
        "table_2_no_hybrid_takes_longer_than_its_formula",
        "the formulas say what hybrids take, as what is never exceeded",
    )
    .ours();
    let excesses =
        ROWS.iter().flat_map(|(text, ..)| [SHORT, LONG].map(|bytes| excess(&line(1.0), text, bytes)));
    let excesses: Vec<f64> = excesses.collect();
    claim.all_within("% over the formula", excesses.iter().copied(), -20.0..=0.001);
    claim.judged(
        "no hybrid takes more than 0.001 % over its formula",
        most(excesses.iter().copied()) <= 0.001,
        format!("down to {:.0} %, never more", least(excesses)),
    )
}

/// Short vectors take 1 to 20 % less. A sender is busy for `o_s + n beta` and not for `alpha + n beta`, so it is ahead of its
/// receivers. Because 30 is not a power of two, some chain of sends on the formula's critical path contains a send instead of a
/// receive. Where a message keeps both ends busy equally long, 15 of 18 rows are within 1 % of the formula and all within 2 %.
fn table_2_short_vectors_gain_because_senders_are_ahead() -> Claim {
    let mut claim = Claim::new(
        "table_2_short_vectors_gain_because_senders_are_ahead",
        "short vectors take what the formula says where a message keeps both ends busy for as long",
    )
    .ours();
    let strict = ROWS.map(|(text, ..)| excess(&strict_line(1.0), text, SHORT));
    claim.all_within("% over the formula", strict, -2.0..=0.001);
    let near = strict.iter().filter(|&&excess| excess > -1.0).count();
    claim.is("15 rows at least are within 1 %", near >= 15);
    claim.judged(
        "all rows within 2 % of the formula",
        most(strict.map(f64::abs)) <= 2.0,
        format!("{near} of 18 rows to 1 %, all to 2 %"),
    )
}

/// Long vectors take up to 8 % less. After a scatter over a number of nodes that is not a power of two, the nodes start the next stage one
/// after the other. Messages that share a link in the formula then do not all conflict. With links so wide that no link is shared there is
/// no gain, as the next claim shows. The formula holds to 0.2 % for one dimension, for a first dimension of 2, and for one more row.
fn table_2_long_vectors_gain_because_groups_are_out_of_step() -> Claim {
    let mut claim = Claim::new(
        "table_2_long_vectors_gain_because_groups_are_out_of_step",
        "long vectors take what the formula says",
    );
    let excesses = ROWS.map(|(text, ..)| (text, excess(&line(1.0), text, LONG)));
    for (text, excess) in excesses {
        let is_in_step = ["1x30:M", "1x30:SC", "2x15:SMC", "2x15:SSCC", "6x5:SSCC"].contains(&text);
        claim.within(format!("{text}: % over"), excess, if is_in_step { -0.2..=0.001 } else { -8.0..=-1.5 });
    }
    let exact = excesses.iter().filter(|(_, excess)| excess.abs() <= 1.0).count();
    claim.judged(
        "all 18 rows within 1 % of the formula",
        exact == 18,
        format!(
            "{exact} of 18 rows to 1 %; where groups are out of step up to 8 % less, as not all messages meet"
        ),
    )
}

/// **Does not hold** where links are wide: up to 19 % more than the formula. Links have no conflicts, but nodes that
/// are out of step still disturb each other. A node that already has its part sends it to the next node while that node
/// is still receiving its own part, so both messages share one port.
fn table_2_without_conflicts_on_links_nodes_out_of_step_share_ports() -> Claim {
    let mut claim = Claim::new(
        "table_2_without_conflicts_on_links_nodes_out_of_step_share_ports",
        "where links are wide the formulas without conflicts are never exceeded",
    )
    .ours();
    let wide = ROWS.map(|(text, ..)| (text, excess(&strict_line(100.0), text, LONG)));
    let excesses = wide.map(|(_, excess)| excess);
    claim.all_within("% over the formula", excesses, -0.001..=19.0);
    claim.above("the most of them", [most(excesses)], 18.0);
    let is_straight = |text: &str| text.starts_with("2x15") || text.starts_with('1') && text.contains("30");
    let straight = wide.iter().filter(|(text, _)| is_straight(text)).map(|(_, excess)| *excess);
    claim.all_within("% over, 1 x 30 and 2 x 15", straight, -0.001..=0.001);
    claim.judged(
        "no hybrid takes more than 0.001 % over its formula",
        most(excesses) <= 0.001,
        format!("up to {:.0} % more: nodes out of step share ports", most(excesses)),
    )
}

/// Footnote 1: three of the entries are no better than the minimum spanning tree for any length. They are the first,
/// the second and the fourth, the first with its misprints corrected.
fn table_2_three_rows_never_beat_the_minimum_spanning_tree() -> Claim {
    let mut claim = Claim::new(
        "table_2_three_rows_never_beat_the_minimum_spanning_tree",
        "footnote: three rows never beat the minimum spanning tree",
    );
    let numbers = |row: &Row| row.2.unwrap_or(row.1);
    let tree = numbers(&ROWS[2]);
    let worse: Vec<&str> = ROWS
        .iter()
        .filter(|row| row.0 != "1x30:M" && numbers(row)[0] >= tree[0] && numbers(row)[1] >= tree[1])
        .map(|row| row.0)
        .collect();
    let count = worse.len();
    claim.same("they are", worse, vec!["3x10:SMC", "2x3x5:SSMCC", "2x15:SMC"]);
    claim.judged(
        "exactly three rows have at least the start-ups and the bytes of the tree",
        count == 3,
        "rows 1, 2 and 4, also when corrected",
    )
}
