//! Table 2: hybrids for broadcasts on a linear array of 30 nodes.

use super::*;

/// A row: strategy, start-ups and thirtieths of `n beta` as printed, and as they should be where that is wrong.
type Row = (&'static str, [u32; 2], Option<[u32; 2]>);

/// Of the three that are not what the formula gives, the first is 3 x 10 with both numbers wrong: with them right
/// the table is sorted as its caption says. The other two stand where 118/30 would be in that order, so that the
/// mistake is probably the authors'.
const TABLE_2: [Row; 18] = [
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

/// Bytes of a short vector and of a long one, both multiples of 30.
const SHORT: u64 = 240;
const LONG: u64 = 3_000_000;

/// How much longer a strategy takes than its formula says, in percent.
fn excess(machine: &Description, text: &str, bytes: u64) -> f64 {
    let task = task(machine, Operation::Broadcast, bytes, 1);
    let (cost, time) = cost_and_time(&task, text);
    100.0 * (time.as_secs_f64() / cost.time(task.parameters()).as_secs_f64() - 1.0)
}

fn line(k: f64) -> Description {
    hockney("line:30", k, 0.0)
}

/// The strict model, in which a message keeps its sender busy for as long as its receiver.
fn strict_line(k: f64) -> Description {
    let line = line(k);
    let parameters =
        line.parameters().to_builder().send_overhead(130e-6).receive_overhead(0.0).build().unwrap();
    Description::new("strict", line.topology().clone(), parameters)
}

/// All 18 rows, to the last digit.
#[test]
fn table_2_the_closed_form_is_what_is_printed_or_should_be() {
    for (text, printed, corrected) in TABLE_2 {
        let task = task(&line(1.0), Operation::Broadcast, 30_000, 1);
        let cost = strategy(Operation::Broadcast, text).cost(&task);
        let [alphas, thirtieths] = corrected.unwrap_or(printed).map(f64::from);
        assert_eq!(cost.alphas, alphas, "{text}");
        assert!((cost.bytes - thirtieths * 1000.0).abs() < 1e-6, "{text}: {cost:?}");
        assert_eq!((cost.elements, cost.trees), (0.0, Span::ZERO));
    }
}

/// Never more than the formula says, and down to 20 % less; the next tests say why.
#[test]
fn table_2_no_hybrid_takes_longer_than_its_formula() {
    let mut expected = Vec::new();
    for (text, printed, corrected) in TABLE_2 {
        let coefficients =
            |[alphas, thirtieths]: [u32; 2]| format!("{alphas} alpha + {thirtieths}/30 n beta");
        let mut row = format!("| {} | {} |", text.replace(':', " | "), coefficients(printed));
        row += &corrected.map_or(" |".to_owned(), |right| format!(" {} |", coefficients(right)));
        for bytes in [SHORT, LONG] {
            let task = task(&line(1.0), Operation::Broadcast, bytes, 1);
            let (cost, time) = cost_and_time(&task, text);
            let (formula, excess) = (cost.time(task.parameters()), excess(&line(1.0), text, bytes));
            assert_within(excess, -20.0..=0.001);
            // Rounded first, for no negative zeros.
            let percent = (10.0 * excess).round() / 10.0 + 0.0;
            let [formula, time] = [formula, time].map(Span::as_millis_f64);
            row += &format!(" {formula:.3} | {time:.3} | {percent:+.1} |");
        }
        expected.push(row);
    }
    let expected = expected.join("\n");
    let document = include_str!("../../../docs/collectives.md");
    assert!(document.contains(&expected), "the document should have:\n{expected}\n");
}

/// Why short vectors take 1 to 20 % less: a sender is busy for `o_s + n beta` and not for `alpha + n beta`, so that
/// it is ahead of its receivers, and 30 is no power of two: some chain of sends that counts in the formula has a
/// send where it should have a receive. Where a message keeps both busy for as long, 15 of 18 rows are within 1 %
/// and all within 2 %.
#[test]
fn table_2_short_vectors_gain_because_senders_are_ahead() {
    let strict: Vec<f64> = TABLE_2.map(|(text, ..)| excess(&strict_line(1.0), text, SHORT)).into();
    assert!(strict.iter().all(|excess| (-2.0..=0.001).contains(excess)), "{strict:?}");
    assert!(strict.iter().filter(|&&excess| excess > -1.0).count() >= 15, "{strict:?}");
}

/// Why long vectors take up to 8 % less: after a scatter over a number of nodes that is no power of two these start
/// the next stage one after the other, and messages of different groups that share a link in the formula do not all
/// meet: with links so wide that none is shared nothing is gained, as the next test shows. Where the first
/// dimension is 2, or there is only one, the formula holds to 0.2 %, and for one more.
#[test]
fn table_2_long_vectors_gain_because_groups_are_out_of_step() {
    for (text, ..) in TABLE_2 {
        let excess = excess(&line(1.0), text, LONG);
        let is_in_step = ["1x30:M", "1x30:SC", "2x15:SMC", "2x15:SSCC", "6x5:SSCC"].contains(&text);
        assert_within(excess, if is_in_step { -0.2..=0.001 } else { -8.0..=-1.5 });
    }
}

/// **Does not hold** where links are wide: up to 19 % more than the formula. There are no conflicts on links left,
/// but nodes out of step still disturb each other: one that has its part already sends it to the next node, which
/// is still receiving its own, and both come in through one port.
#[test]
fn table_2_without_conflicts_on_links_nodes_out_of_step_share_ports() {
    let wide: Vec<f64> = TABLE_2.map(|(text, ..)| excess(&strict_line(100.0), text, LONG)).into();
    assert!(wide.iter().all(|excess| (-0.001..=19.0).contains(excess)), "{wide:?}");
    assert!(wide.iter().any(|&excess| excess > 18.0));
    for (text, ..) in TABLE_2
        .iter()
        .filter(|(text, ..)| text.starts_with("2x15") || text.starts_with('1') && text.contains("30"))
    {
        assert_within(excess(&strict_line(100.0), text, LONG), -0.001..=0.001);
    }
}

/// Footnote 1: three of the entries are no better than the minimum spanning tree for any length. They are the first,
/// the second and the fourth, with the mistakes of the first put right as well.
#[test]
fn table_2_three_rows_never_beat_the_minimum_spanning_tree() {
    let numbers = |row: &Row| row.2.unwrap_or(row.1);
    let tree = numbers(&TABLE_2[2]);
    let worse: Vec<&str> = TABLE_2
        .iter()
        .filter(|row| row.0 != "1x30:M" && numbers(row)[0] >= tree[0] && numbers(row)[1] >= tree[1])
        .map(|row| row.0)
        .collect();
    assert_eq!(worse, ["3x10:SMC", "2x3x5:SSMCC", "2x15:SMC"]);
}
