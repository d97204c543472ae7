//! Tests of lower bounds against values computed by hand.

use super::*;
use crate::{
    collective::Algorithm,
    model::{MachineSpec, Parameters},
};

use Operation::{AllGather, AllReduce, Broadcast, Gather, Reduce, ReduceScatter, Scan, Scatter};

fn machine(text: &str) -> MachineSpec {
    text.parse().unwrap()
}

pub(super) fn with(topology: &str, parameters: Parameters) -> MachineSpec {
    MachineSpec::new("altered", machine(topology).topology().clone(), parameters)
}

pub(super) fn bound(on: &str, operation: Operation, elements: u64) -> LowerBound {
    Task::builder(&machine(on), operation).elements(elements).element_bytes(8).build().unwrap().lower_bound()
}

fn bound_of(on: &str, operation: Operation, root: Rank, blocks: &[u64]) -> LowerBound {
    Task::builder(&machine(on), operation).root(root).blocks(blocks).build().unwrap().lower_bound()
}

fn is_close(span: Span, seconds: f64) -> bool {
    (span.as_secs_f64() - seconds).abs() < 1e-9
}

#[test]
fn start_ups_limit_for_short_vectors() {
    let half = Parameters::hockney().send_overhead();
    for operation in [Broadcast, Reduce] {
        let bound = bound("hockney:16x32", operation, 1);
        assert_eq!(
            (bound.of(Reason::StartUp), bound.of(Reason::Gossip)),
            (half.times(14), Span::ZERO),
            "{operation}"
        );
        // The rank that is reached last then receives 8 bytes at 50 ns each; the dual is symmetric.
        assert_eq!(bound.time(), bound.of(Reason::StartUp) + Span::from_nanos(400), "{operation}");
        assert_eq!(bound.decisive(), Some(Reason::StartUpAndBytes));
    }
    for operation in [AllGather, AllReduce, ReduceScatter] {
        let bound = bound("hockney:16x32", operation, 512);
        assert_eq!(
            (bound.of(Reason::StartUp), bound.of(Reason::Gossip)),
            (half.times(14), half.times(18)),
            "{operation}"
        );
    }
    // Every receive is followed by combining one element.
    let bound = bound("paragon:1x2", Reduce, 1);
    assert_eq!(bound.of(Reason::StartUp).to_string(), "184.38 us");
    assert_eq!(bound.of(Reason::Combining), bound.of(Reason::StartUp));
}

#[test]
fn gossip_times_are_multiples_of_half_a_start_up() {
    let half = Parameters::hockney().send_overhead();
    // 2 log2(p), rounded up.
    for (nodes, halves) in
        [(2, 2), (3, 4), (4, 4), (5, 5), (6, 6), (7, 6), (8, 6), (9, 7), (100, 14), (512, 18)]
    {
        let gossip = bound(&format!("hockney:1x{nodes}"), AllReduce, 1).of(Reason::Gossip);
        assert_eq!(gossip, half.times(halves), "{nodes}");
    }
    // On a Paragon a link adds 40 ns, but 100 ranks still need 14 halves.
    let paragon = Parameters::paragon();
    let gossip = bound("paragon:10x10", AllGather, 100).of(Reason::Gossip);
    assert_eq!(gossip, paragon.send_overhead().times(14));
    // Combining an element at each receive costs slightly less than log2(p) gamma, because some of it overlaps.
    let combined = bound("paragon:16x32", AllReduce, 1).of(Reason::Gossip);
    let added = (combined - bound("paragon:16x32", AllGather, 512).of(Reason::Gossip)).as_secs_f64()
        / paragon.gamma();
    assert!((8.0..9.0).contains(&added), "{added}");
}

/// Tests the closed form for a triangular matrix of ones against the power method.
#[test]
fn the_scan_bound_is_the_singular_value_of_a_triangle() {
    for ranks in 2..20_usize {
        let mut x = vec![1.0_f64; ranks];
        let mut value = 0.0;
        for _ in 0..200 {
            let sums = |x: &[f64]| -> Vec<f64> {
                x.iter()
                    .scan(0.0, |sum, x| {
                        *sum += x;
                        Some(*sum)
                    })
                    .collect()
            };
            let mut y = sums(&x);
            y.reverse();
            let mut z = sums(&y);
            z.reverse();
            value = z.iter().map(|z| z * z).sum::<f64>().sqrt();
            x = z.iter().map(|z| z / value).collect();
        }
        let task = Task::builder(&machine(&format!("hockney:1x{ranks}")), Scan).elements(1).build().unwrap();
        let pairs = Demand::of(&task).pairs;
        assert!((pairs / value - 1.0).abs() < 1e-9, "{ranks}: {pairs} and {value}");
    }
}

#[test]
fn ports_limit_on_a_paragon() {
    let (around, beta) = (184.04e-6, 30.6e-9);
    let (n, p) = (8e5, 100.0);
    let duplex = |traffic: f64| around + 2.0 * traffic / p * beta / 1.35;
    for (operation, traffic) in [
        (Broadcast, 99.0 * n),
        (AllGather, 99.0 * n),
        (Reduce, 99.0 * n),
        (AllReduce, 198.0 * n),
        (Scan, 99.0 * n),
    ] {
        let bound = bound("paragon:10x10", operation, 100_000);
        assert!(is_close(bound.of(Reason::BothWays), duplex(traffic)), "{operation}: {bound:?}");
        if operation != Scan {
            assert_eq!(bound.time(), bound.of(Reason::BothWays), "{operation}: {bound:?}");
        }
    }
    for operation in [Scatter, Gather] {
        let bound = bound("paragon:10x10", operation, 100_000);
        assert!(is_close(bound.of(Reason::Intake).max(bound.of(Reason::Output)), around + 0.99 * n * beta));
        assert_eq!(bound.time(), bound.of(Reason::Intake).max(bound.of(Reason::Output)), "{operation}");
    }
    // Some node computes 99,000 combinations.
    let combine = bound("paragon:10x10", ReduceScatter, 100_000);
    assert!(is_close(combine.of(Reason::Combining), around + 99_000.0 * 0.34e-6));
    assert!(is_close(combine.of(Reason::Output), around + 0.99 * n * beta));
}

#[test]
fn blocks_of_any_length() {
    // alpha = 130 us, 50 us for 1000 bytes.
    let micros = Span::from_micros;
    let blocks = [3000, 0, 1000, 0];
    let all_gather = bound_of("hockney:1x4", AllGather, 0, &blocks);
    assert_eq!(
        (all_gather.of(Reason::Intake), all_gather.of(Reason::Output)),
        (micros(130 + 200), micros(130 + 150))
    );
    // A call takes 65 us, half of alpha. Data of two ranks reaches all four, and each rank without data needs data from
    // two.
    assert_eq!(all_gather.of(Reason::Gossip), micros(3 * 65));
    assert_eq!(all_gather.of(Reason::StartUp), micros(4 * 65));
    let combine = bound_of("hockney:1x4", ReduceScatter, 0, &blocks);
    assert_eq!(
        (combine.of(Reason::Intake), combine.of(Reason::Output)),
        (micros(130 + 150), micros(130 + 200))
    );
    assert_eq!((combine.of(Reason::Gossip), combine.of(Reason::StartUp)), (micros(3 * 65), micros(4 * 65)));
    for (operation, root, out, into) in [(Scatter, 0, 50, 50), (Scatter, 1, 200, 150), (Gather, 0, 50, 50)] {
        let bound = bound_of("hockney:1x4", operation, root, &blocks);
        assert_eq!(
            (bound.of(Reason::Output), bound.of(Reason::Intake)),
            (micros(130 + out), micros(130 + into)),
            "{operation}"
        );
        assert_eq!(bound.of(Reason::Gossip), Span::ZERO);
        assert_eq!(bound.of(Reason::StartUp), micros(if root == 0 { 130 } else { 3 * 65 }));
    }
}

#[test]
fn empty_vectors_and_single_ranks_have_a_zero_bound() {
    for operation in Operation::ALL {
        assert_eq!(bound("paragon:4x4", operation, 0), LowerBound::default(), "{operation}");
        assert_eq!(bound("paragon:1x1", operation, 100), LowerBound::default(), "{operation}");
        assert_eq!(bound("paragon:1x1", operation, 100).ratio(Span::from_micros(1)), None);
    }
    for operation in [Scatter, Gather] {
        assert_eq!(bound_of("paragon:2x2", operation, 3, &[0, 0, 0, 9]), LowerBound::default());
    }
    let free = Parameters::builder().build().unwrap();
    let task = Task::builder(&with("mesh:2x2", free), AllReduce).elements(9).build().unwrap();
    assert_eq!(task.lower_bound().time(), Span::ZERO);
}

/// Tests links with a tenth of a port's bandwidth: 0.5 us per byte.
#[test]
fn slow_links_limit_if_there_are_any() {
    let slow = with("mesh:4x4", Parameters::hockney().to_builder().link_excess(0.1).build().unwrap());
    let task = |operation| Task::builder(&slow, operation).elements(1000).element_bytes(8);
    let bound = |operation| task(operation).build().unwrap().lower_bound();
    // The corner has two links of 2 MB/s in each direction; a bisection cuts four.
    assert_eq!(bound(Broadcast).of(Reason::Submesh).to_string(), "2.13 ms");
    assert_eq!(bound(Broadcast).of(Reason::Bisection).to_string(), "1.13 ms");
    assert_eq!(bound(Scatter).of(Reason::Submesh).to_string(), "2.006 ms", "the root keeps 62 elements");
    assert_eq!(bound(Gather).of(Reason::Submesh), bound(Scatter).of(Reason::Submesh));
    assert_eq!(bound(AllGather).of(Reason::Submesh), bound(ReduceScatter).of(Reason::Submesh));
    assert_eq!(bound(AllReduce).of(Reason::Submesh).to_string(), "2.13 ms");
    // In row order, each of four rows crosses a cut between columns.
    assert_eq!(bound(Scan).of(Reason::Bisection).to_string(), "4.13 ms");
    // In column order, each of four columns crosses a cut between rows.
    let turned: Vec<Rank> = (0..16).map(|rank| rank % 4 * 4 + rank / 4).collect();
    let by_columns = task(Scan).members(turned).build().unwrap().lower_bound();
    assert_eq!(by_columns.of(Reason::Bisection), bound(Scan).of(Reason::Bisection));
    // In snake order, the ranks cross a cut twice in each direction.
    let snake: Vec<Rank> =
        (0..16).map(|at| at / 4 * 4 + if at / 4 % 2 == 0 { at % 4 } else { 3 - at % 4 }).collect();
    assert_eq!(
        task(Scan).members(snake).build().unwrap().lower_bound().of(Reason::Bisection).to_string(),
        "2.13 ms"
    );
    // A group of two corners: 8000 bytes cross the two links of either corner.
    let corners = task(Broadcast).members([15, 0]).build().unwrap().lower_bound();
    assert_eq!(
        (corners.of(Reason::Submesh).to_string(), corners.of(Reason::StartUp).to_string()),
        ("2.13 ms".into(), "130 us".into())
    );
    assert_eq!(corners.of(Reason::Bisection).to_string(), "1.13 ms");
    // In a group of two neighbours in the middle, the root can use all its four links.
    let middle = task(Gather).members([5, 6]).root(1).build().unwrap().lower_bound();
    assert_eq!(middle.of(Reason::Submesh).to_string(), "630 us");
}

/// Tests blocks of different lengths: ranks far from others have short blocks, and the long block reaches all ranks
/// early.
#[test]
fn far_ranks_do_not_wait_for_blocks_of_near_ones() {
    let machine: MachineSpec = "tpu-v5p:4x4x4".parse().unwrap();
    for (members, blocks) in [([17, 2, 10], [16, 8000, 8]), ([41, 44, 48], [8, 80_000, 8])] {
        let task =
            Task::builder(&machine, Operation::AllGather).members(members.to_vec()).blocks(blocks.to_vec());
        let task = task.build().unwrap();
        let modeled = Algorithm::AUTO.plan(&task).unwrap().prediction().modeled.since_start();
        let bound = task.lower_bound();
        assert!(bound.time() <= modeled, "{bound:?} and {modeled}");
        assert!(bound.time().as_secs_f64() > 0.9 * modeled.as_secs_f64(), "{bound:?} and {modeled}");
    }
}

#[test]
fn combining_in_many_calls_may_round_down() {
    let of = |gamma: f64| Parameters::builder().gamma(gamma).build().unwrap();
    assert_eq!(least_combining(&of(34e-9), 1000), Span::from_micros(34));
    let fine = of(3.585_741_586_382_125e-5);
    let apart: Span = [3228; 3].map(|elements| fine.combining(elements)).into_iter().sum();
    assert!(apart < fine.combining(3 * 3228) && apart >= least_combining(&fine, 3 * 3228));
}
