//! Table 3: times measured on a Paragon of 16 x 32 nodes.
//!
//! A length is that of the whole vector, as it is `n` in all of the paper's formulas. For the collect it cannot be
//! that of a block: 512 blocks of 1 MiB are more than a node's memory, and 0.075 s for 1 MiB are 66 ns a byte if
//! that is all that a node gets. So in a collect of 8 bytes eight nodes have a byte each and the others nothing. If
//! it were 8 bytes each, the hybrid would take 8 % longer and the physical one 38 %.

use super::*;
use Operation::{Broadcast, Collect, CombineToAll};

/// A cell: operation, bytes, milliseconds published, and the limits of the errors, in percent, of the best strategy
/// in physical rows and columns and of the best hybrid of all.
type Cell = (Operation, u64, f64, [i32; 2], [i32; 2]);

const TABLE_3: [Cell; 9] = [
    (Broadcast, 8, 1.3, [27, 29], [27, 29]),
    (Broadcast, 64 << 10, 12.0, [-20, -18], [-37, -35]),
    (Broadcast, 1 << 20, 100.0, [-13, -10], [-19, -16]),
    (Collect, 8, 3.5, [-6, -4], [-38, -35]),
    (Collect, 64 << 10, 13.0, [-39, -36], [-62, -59]),
    (Collect, 1 << 20, 75.0, [-27, -24], [-35, -32]),
    (CombineToAll, 8, 4.1, [-20, -17], [-20, -17]),
    (CombineToAll, 64 << 10, 24.0, [-28, -25], [-49, -46]),
    (CombineToAll, 1 << 20, 170.0, [-10, -7], [-17, -14]),
];

fn task_of(operation: Operation, bytes: u64) -> Task {
    // Sums are of doubles.
    let element = if operation == CombineToAll { 8 } else { 1 };
    task(&paragon("16x32"), operation, bytes / element, element)
}

/// The strategies that do nothing but what section 7.1 names: long-vector primitives within whole physical rows and
/// columns, and the minimum spanning tree on the rest. The fastest, in milliseconds.
fn physical(task: &Task) -> (String, f64) {
    let letters: [&str; 5] = match task.operation() {
        Broadcast => ["512:M", "32x16:SMC", "16x32:SMC,columns", "32x16:SSCC", "16x32:SSCC,columns"],
        _ => ["512:M", "32x16:MC", "16x32:MC,columns", "32x16:CC", "16x32:CC,columns"],
    };
    let times = letters.map(|text| (text.to_owned(), cost_and_time(task, text).1.as_millis_f64()));
    times.into_iter().min_by(|one, other| one.1.total_cmp(&other.1)).unwrap()
}

/// All nine of InterCom's cells.
#[test]
fn table_3_published_and_modeled_times() {
    let mut expected = Vec::new();
    let (mut physical_errors, mut hybrid_errors) = (Vec::new(), Vec::new());
    for (operation, bytes, published, physical_limits, hybrid_limits) in TABLE_3 {
        let task = task_of(operation, bytes);
        let error = |time: f64| 100.0 * (time / published - 1.0);
        let (physical, physical_time) = physical(&task);
        let hybrid = Algorithm::HYBRID.plan(&task).unwrap();
        let hybrid_time = hybrid.prediction().modeled.since_start().as_millis_f64();
        expected.push(format!(
            "| {operation} | {bytes} | {published} | `{physical}` | {physical_time:.3} | {:+.1} | `{}` | {hybrid_time:.3} | {:+.1} |",
            error(physical_time),
            hybrid.name(),
            error(hybrid_time),
        ));
        for (time, limits, errors) in [
            (physical_time, physical_limits, &mut physical_errors),
            (hybrid_time, hybrid_limits, &mut hybrid_errors),
        ] {
            let [least, most] = limits.map(f64::from);
            assert_within(error(time), least..=most);
            errors.push(error(time).powi(2));
        }
        assert!(hybrid_time <= physical_time, "{operation}, {bytes}");
    }
    let [physical, hybrid] =
        [physical_errors, hybrid_errors].map(|squares| (squares.iter().sum::<f64>() / 9.0).sqrt());
    expected.push(format!("| rms | | | | | {physical:.1} | | | {hybrid:.1} |"));
    let expected = expected.join("\n");
    let document = include_str!("../../../docs/collectives.md");
    assert!(document.contains(&expected), "the document should have:\n{expected}\n");
}

/// *Auto*, which has more than the paper's building blocks, is faster than the best of them in every cell.
#[test]
fn table_3_auto_is_faster_still() {
    for (operation, bytes, ..) in TABLE_3 {
        let task = task_of(operation, bytes);
        let times =
            [Algorithm::AUTO, Algorithm::HYBRID].map(|algorithm| modeled(&algorithm, &task).as_millis_f64());
        println!("{operation} {bytes}: auto {:.3}, hybrid {:.3}", times[0], times[1]);
        assert!(times[0] < times[1], "{operation}, {bytes}: {times:?}");
    }
}

/// What is said above on the other reading.
#[test]
fn table_3_a_collect_of_8_bytes_each() {
    let ratio = |time: &dyn Fn(&Task) -> f64| time(&task_of(Collect, 8 * 512)) / time(&task_of(Collect, 8));
    assert_within(ratio(&|task| modeled(&Algorithm::HYBRID, task).as_secs_f64()), 1.08..=1.09);
    assert_within(ratio(&|task| physical(task).1), 1.37..=1.39);
}

/// For short vectors InterCom is a little slower than NX, as the paper says: 8 bytes take it as long as a tree of
/// 512 nodes, 9 and 18 start-ups.
#[test]
fn table_3_short_vectors_take_a_minimum_spanning_tree() {
    for (operation, start_ups) in [(Broadcast, 9.0), (Collect, 18.0), (CombineToAll, 18.0)] {
        let task = task_of(operation, 8);
        let (name, time) = physical(&task);
        assert_eq!(name, "512:M");
        assert_within(time / (start_ups * task.parameters().alpha().as_millis_f64()), 1.0..=1.01);
    }
}
