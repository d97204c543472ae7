//! The examples of collective operations.

use multicomputer::collective;

use crate::general::assert_times;

#[path = "../../examples/15_all_gather.rs"]
pub mod all_gather;
#[path = "../../examples/17_all_reduce.rs"]
pub mod all_reduce;
#[path = "../../examples/12_broadcast.rs"]
pub mod broadcast;
#[path = "../../examples/14_gather.rs"]
pub mod gather;
#[path = "../../examples/20_groups.rs"]
pub mod groups;
#[path = "../../examples/16_reduce.rs"]
pub mod reduce;
#[path = "../../examples/18_reduce_scatter.rs"]
pub mod reduce_scatter;
#[path = "../../examples/19_scan.rs"]
pub mod scan;
#[path = "../../examples/13_scatter.rs"]
pub mod scatter;

#[test]
fn a_broadcast_by_length() {
    for (doubles, expected) in [
        (1, ["921.624 us", "2.2118176 ms", "1.843168 ms"]),
        (1 << 12, ["5.933904 ms", "5.123555544 ms", "4.63809127 ms"]),
        (1 << 17, ["161.352528 ms", "79.835021969 ms", "79.910147019 ms"]),
    ] {
        let modeled = broadcast::algorithms().unwrap().map(|algorithm| {
            let run = broadcast::broadcast(&algorithm, doubles).unwrap();
            assert_eq!(run.outputs, [doubles as f64 / 2.0; 32]);
            run.report.makespan
        });
        assert_times(&modeled, &expected);
        assert!(!broadcast::chosen(doubles).unwrap().is_empty());
    }
}

#[test]
fn work_is_scattered_and_its_values_are_gathered() {
    assert_eq!(scatter::blocks(2, false), [600; 4]);
    assert_eq!(scatter::blocks(2, true), [800, 400, 800, 400]);
    let values: Vec<f64> = (0..scatter::POINTS).map(|point| (point as f64).sqrt()).collect();
    for (side, fair, expected) in [
        (1, false, "240 ms"),
        (2, false, "61.61744 ms"),
        (2, true, "41.51952 ms"),
        (4, false, "17.57408 ms"),
        (4, true, "11.1221824 ms"),
        (8, false, "7.1660448 ms"),
        (8, true, "5.344992 ms"),
    ] {
        let run = scatter::square_roots(&collective::Algorithm::SHORT, side, fair).unwrap();
        assert_eq!(run.outputs[0], values);
        assert!(run.outputs[1..].iter().all(Vec::is_empty));
        assert_eq!(run.report.makespan.to_string(), expected, "{side}, {fair}");
        let auto = scatter::square_roots(&collective::Algorithm::AUTO, side, fair).unwrap();
        assert_eq!(auto.outputs[0], values);
        assert!(auto.report.makespan <= run.report.makespan, "{side}, {fair}: {}", auto.report.makespan);
    }
}

#[test]
fn primes_are_gathered_after_their_number() {
    let modeled = gather::ways().unwrap().map(|(lengths, gather)| {
        let run = gather::primes(&lengths, &gather).unwrap();
        let primes = &run.outputs[gather::ROOT];
        assert_eq!((primes.len(), &primes[..5], primes[1861]), (1862, &[2, 3, 5, 7, 11][..], 15_991));
        assert!(primes.is_sorted());
        assert!(run.outputs.iter().enumerate().all(|(rank, list)| rank == gather::ROOT || list.is_empty()));
        run.report.makespan
    });
    assert_times(&modeled, &["2.2399416 ms", "1.6739224 ms", "1.6806544 ms"]);
}

#[test]
fn a_collect_copies_nothing() {
    for (length, expected) in [
        (8, ["1.8875568 ms", "1.85196267 ms", "932.002667 us"]),
        (32 << 10, ["193.3566528 ms", "47.89068267 ms", "46.970722667 ms"]),
    ] {
        let modeled = all_gather::ALGORITHMS.map(|algorithm| {
            let run = all_gather::all_gather(&algorithm, length).unwrap();
            // One piece of each node, or several where blocks are cut on the way.
            let mut owners: Vec<_> = run.outputs[0].iter().map(|&(_, last)| last).collect();
            owners.dedup();
            assert_eq!(owners, (0..32).collect::<Vec<_>>());
            // The same addresses on every node.
            assert!(run.outputs.iter().all(|pieces| *pieces == run.outputs[0]));
            run.report.makespan
        });
        assert_times(&modeled, &expected);
    }
}

#[test]
fn the_highest_readings_are_found() {
    for (sensors, expected) in
        [(1, ["923.324 us", "2.768192 ms"]), (20_000, ["59.4004 ms", "21.11828667 ms"])]
    {
        let highest: Vec<[u32; 2]> = (0..sensors)
            .map(|sensor| {
                let seen = (0..32).map(|node| [reduce::reading(sensor, node), node as u32]);
                seen.max_by_key(|&[reading, node]| (reading, std::cmp::Reverse(node))).unwrap()
            })
            .collect();
        let modeled = reduce::ALGORITHMS.map(|algorithm| {
            let run = reduce::highest(&algorithm, sensors).unwrap();
            assert_eq!(run.outputs[0], highest);
            assert!(run.outputs[5].iter().all(|&[_, node]| node == 5), "node 5 has what it has seen");
            run.report.makespan
        });
        assert_times(&modeled, &expected);
    }
}

#[test]
fn conjugate_gradients_agree_on_their_steps() {
    let modeled = all_reduce::ALGORITHMS.map(|algorithm| {
        let run = all_reduce::temperatures(&algorithm).unwrap();
        let x: Vec<f64> = run.outputs.iter().flat_map(|(points, _)| points.clone()).collect();
        for i in 0..64 {
            let (left, right) = (if i > 0 { x[i - 1] } else { 0.0 }, x.get(i + 1).unwrap_or(&0.0));
            let heat = if (32..36).contains(&i) { 1.0 } else { 0.0 };
            assert!((2.0 * x[i] - left - right - heat).abs() < 1e-9, "point {i}");
        }
        assert!(run.outputs.iter().all(|&(_, steps)| steps == run.outputs[0].1));
        assert_eq!(run.outputs[0].1, 64);
        run.report.makespan
    });
    assert_times(&modeled, &["237.544195904 ms", "142.48883591 ms", "237.535078848 ms"]);
}

#[test]
fn a_histogram_need_not_pass_through_one_node() {
    for (unit, expected) in [
        (1, ["1.88152089 ms", "955.365037 us", "3.72791867 ms"]),
        (500, ["22.382797333 ms", "18.321798772 ms", "26.528206725 ms"]),
    ] {
        let words = reduce_scatter::words(unit);
        let mut sum =
            (0..words.iter().sum()).map(|word: usize| (1..=32).map(|divisor| (word % divisor) as u32).sum());
        let blocks: Vec<Vec<u32>> = words.iter().map(|&length| sum.by_ref().take(length).collect()).collect();
        let [buckets, circulant, auto, long, through_one] =
            reduce_scatter::ways().unwrap().map(|(_, way)| {
                let run = reduce_scatter::histogram(&way, unit).unwrap();
                assert_eq!(run.outputs, blocks);
                run.report.makespan
            });
        assert_times(&[buckets, circulant, long, auto], &expected);
        assert!(auto <= through_one);
    }
}

#[test]
fn lists_are_balanced_and_keep_their_order() {
    let run = scan::balanced(&collective::Algorithm::DOUBLING).unwrap();
    let lengths: Vec<usize> = run.outputs.iter().map(Vec::len).collect();
    assert_eq!(lengths, [7, 8, 7, 8, 7, 8, 7, 8, 7, 8, 7, 8, 7, 8, 7, 8]);
    let all = run.outputs.concat();
    assert!(all.is_sorted() && all[..7] == [1000, 1001, 1002, 1003, 1004, 1005, 1006]);
    assert_eq!(run.report.makespan.to_string(), "3.408032001 ms");
}

#[test]
fn recurrences_are_scanned_in_order() {
    for (count, expected) in
        [(1, ["738.989053 us", "2.769732 ms"]), (100_000, ["281.097632593 ms", "66.228793583 ms"])]
    {
        let modeled = scan::ALGORITHMS.map(|algorithm| {
            let run = scan::recurrences(&algorithm, count).unwrap();
            let mut x = vec![1_u32; count];
            for (rank, output) in (0_u32..).zip(&run.outputs) {
                for (number, x) in (0..).zip(&mut x) {
                    *x = x.wrapping_mul(rank + 2).wrapping_add(rank + number);
                }
                assert!(*output == x, "node {rank}");
            }
            run.report.makespan
        });
        assert_times(&modeled, &expected);
    }
}

#[test]
fn rows_and_columns_multiply_a_matrix_and_a_vector() {
    use collective::Algorithm;
    for (n, expected) in [
        (32, ["1.8592416 ms", "1.84672667 ms", "1.8875568 ms", "1.85196267 ms"]),
        (4096, ["4.2013248 ms", "2.60957333 ms", "7.8256704 ms", "3.27978133 ms"]),
    ] {
        let product: Vec<i64> = (0..n)
            .map(|row| (0..n).map(|column| groups::element(row, column) * groups::x(column)).sum())
            .collect();
        let [in_blocks, in_rows] = [groups::in_blocks, groups::in_rows].map(|multiply| {
            [Algorithm::SHORT, Algorithm::LONG, Algorithm::AUTO].map(|algorithm| {
                let run = multiply(&algorithm, n).unwrap();
                assert_eq!(run.outputs.concat(), product);
                run.report.makespan
            })
        });
        assert_times(&in_blocks, &expected[..2]);
        assert_times(&in_rows, &expected[2..]);
    }
}
