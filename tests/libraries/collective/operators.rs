//! Every operator, on several types of elements, against a fold over the ranks.

use multicomputer::{
    Payload,
    collective::{
        Algorithm, BitAnd, BitOr, BitXor, Collective, Job, LogicalAnd, LogicalOr, LogicalXor, Max, Min,
        Operation, Operator, Product, Sum, associative, commutative,
    },
};

use super::*;
use crate::conformance::collective::{self as conformance, operators::any_shape};

const RANKS: usize = 6;

fn vectors<T>(element: impl Fn(u8) -> T) -> Vec<Vec<T>> {
    conformance::vectors(RANKS, element)
}

/// All operations that combine, with every algorithm.
fn check<T>(vectors: &[Vec<T>], operator: &(dyn Operator<T> + Sync))
where
    T: multicomputer::Element + Send + Sync + PartialEq + std::fmt::Debug,
{
    run("paragon:2x3", |node| conformance::check_operator(node.world(), vectors, operator));
}

macro_rules! check_all {
    ($element:expr; $($operator:expr),*) => {$( check(&vectors($element), &$operator); )*};
}

#[test]
fn bytes() {
    check_all!(|x| x; Sum, Product, Min, Max, BitAnd, BitOr, BitXor, LogicalAnd, LogicalOr, LogicalXor);
}

#[test]
fn signed_integers() {
    check_all!(|x| i32::from(x) - 1; Sum, Product, Min, Max, BitAnd, BitOr, BitXor, LogicalAnd, LogicalOr, LogicalXor);
}

#[test]
fn long_integers() {
    check_all!(|x| u64::from(x) << 40 | 5; Min, Max, Sum, BitAnd, BitOr, BitXor, LogicalAnd, LogicalOr, LogicalXor);
    check_all!(u64::from; Product);
}

#[test]
fn single_precision() {
    check_all!(|x| f32::from(x) - 0.5; Sum, Product, Min, Max, LogicalAnd, LogicalOr, LogicalXor);
}

#[test]
fn double_precision() {
    check_all!(|x| f64::from(x) - 1.0; Sum, Product, Min, Max, LogicalAnd, LogicalOr, LogicalXor);
}

#[test]
fn elements_of_several_numbers() {
    // Complex numbers, and three bytes, which lie on odd addresses.
    let product = |[a, b]: [f64; 2], [c, d]: [f64; 2]| [a * c - b * d, a * d + b * c];
    check(&vectors(|x| [f64::from(x), 1.0]), &commutative(product));
    let sum = |a: [u8; 3], b: [u8; 3]| [0, 1, 2].map(|place| a[place].wrapping_add(b[place]));
    check(&vectors(|x| [x, 7 * x, 255 - x]), &commutative(sum));
}

#[test]
fn where_the_order_counts_it_is_that_of_the_ranks() {
    // Maps x -> a x + b, one after the other; and the first or the last of all.
    let after = |[a, b]: [u32; 2], [c, d]: [u32; 2]| [a.wrapping_mul(c), c.wrapping_mul(b).wrapping_add(d)];
    check(&vectors(|x| [u32::from(x) + 1, u32::from(x) * 3 + 1]), &associative(after));
    let numbered: Vec<Vec<u16>> =
        (0..RANKS as u16).map(|rank| (0..13).map(|i| rank * 20 + i).collect()).collect();
    check(&numbered, &associative(|first: u16, _| first));
    check(&numbered, &associative(|_, last: u16| last));
}

/// In groups whose ranks are in another order than their nodes.
#[test]
fn the_order_is_that_of_the_ranks_wherever_the_nodes_are() {
    let run = run("paragon:3x3", |node| {
        let mut order: Vec<Rank> = (0..9).map(|rank| rank * 5 % 9).collect();
        let mut texts = Vec::new();
        for turn in 0..3 {
            order.rotate_left(turn);
            let group = node.world().subgroup(&order)?;
            // The first and the last number of a run of numbers; only neighbours fit together.
            let join = |left: [u32; 2], right: [u32; 2]| {
                if left[1] + 1 == right[0] { [left[0], right[1]] } else { [9999, 9999] }
            };
            for algorithm in &Algorithm::of(Operation::AllReduce) {
                let rank = group.rank() as u32;
                let mut x = [[rank, rank]; 5];
                match group.using(algorithm).all_reduce(&mut x, associative(join)) {
                    Ok(()) => texts.push(x[4]),
                    Err(multicomputer::collective::CollectiveError::Plan(_)) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            let rank = group.rank() as u32;
            let mut x = [[rank, rank]; 5];
            group.scan(&mut x, associative(join))?;
            assert_eq!(x, [[0, rank]; 5]);
        }
        Ok(texts)
    });
    for texts in run.outputs {
        assert!(texts.len() >= 9 && texts.iter().all(|&ends| ends == [0, 8]), "{texts:?}");
    }
}

/// Phantom payloads have lengths only; they cost what data costs.
#[test]
fn phantom_payloads_take_the_same_time() {
    for operation in Operation::ALL {
        let blocks: Vec<u64> = (0..RANKS as u64).map(|rank| 400 * rank + 8).collect();
        let total: u64 = blocks.iter().sum();
        let lengths: Vec<usize> = blocks.iter().map(|&length| length as usize).collect();
        let time = |is_phantom: bool| {
            let run = run("paragon:2x3", |node| {
                let rank = node.rank();
                let request = if operation.has_blocks() {
                    Job::of::<f64>(operation, 2, &lengths)
                } else {
                    Job::of::<f64>(operation, 2, total as usize)
                };
                let elements = match operation {
                    Operation::Broadcast | Operation::Scatter if rank != 2 => 0,
                    Operation::Gather | Operation::AllGather => blocks[rank],
                    _ => total,
                };
                let mine = if is_phantom {
                    Payload::phantom(8 * elements)
                } else {
                    Payload::from(vec![1.0_f64; elements as usize])
                };
                let got = if operation.combines() {
                    node.world().combine::<f64>(&request, mine, &Sum)?
                } else {
                    node.world().carry_out(&request, mine)?
                };
                assert!(got.is_empty() || got.is_phantom() == is_phantom, "{operation}");
                Ok(got.len())
            });
            (run.outputs, run.report.makespan, run.report.bytes)
        };
        assert_eq!(time(true), time(false), "{operation}");
    }
}

/// Longer than data could be on this host, as long as no message is longer than messages may be.
#[test]
fn phantom_payloads_may_be_long() {
    let length: u64 = 3 << 30;
    let run = run("paragon:2x3", |node| {
        let request = Job::bytes(Operation::AllReduce, length as usize);
        let world = node.world().using(&Algorithm::LONG);
        Ok(world.combine::<u8>(&request, Payload::phantom(length), &Sum)?.len())
    });
    assert_eq!(run.outputs, [length; RANKS]);
    assert!(run.report.makespan.as_secs_f64() > length as f64 * 2.0 * 30e-9);
}

/// Sums of floating-point numbers depend on how they are grouped; all ranks group them in the same way.
#[test]
fn all_ranks_have_the_same_sum_to_the_last_bit() {
    for size in 2..=17 {
        let machine = Machine::builder(format!("line:{size}").parse().unwrap()).build().unwrap();
        let run = machine.run(|node| {
            let mut found = Vec::new();
            for algorithm in Algorithm::of(Operation::AllReduce).iter().filter(any_shape) {
                for length in [1, 100] {
                    let value = [1e16, 1.0, -1e16, 0.1, 3.0][node.rank() % 5];
                    let mut x = vec![value; length];
                    node.world().using(algorithm).all_reduce(&mut x, Sum)?;
                    found.extend(x.iter().map(|x: &f64| x.to_bits()));
                }
            }
            Ok(found)
        });
        let outputs = run.unwrap().outputs;
        assert!(outputs.iter().all(|output| *output == outputs[0]), "{size}");
    }
}

#[test]
fn what_is_no_number_wins_everywhere() {
    for size in [2, 3, 5, 8] {
        let machine = Machine::builder(format!("line:{size}").parse().unwrap()).build().unwrap();
        for place in 0..size {
            let run = machine.run(|node| {
                let mine = if node.rank() == place { f64::NAN } else { node.rank() as f64 };
                let (mut least, mut most) = (mine, mine);
                node.world().all_reduce(&mut least, Min)?;
                node.world().all_reduce(&mut most, Max)?;
                Ok(least.is_nan() && most.is_nan())
            });
            assert_eq!(run.unwrap().outputs, vec![true; size]);
        }
    }
}

#[test]
fn elements_without_bytes_are_refused() {
    let machine = Machine::paragon(1, 2).build().unwrap();
    let error = machine.run(|node| Ok(node.world().all_gather(&[()], 2)?)).unwrap_err();
    assert!(error.to_string().contains("() has size 0: use an element type of at least one byte"), "{error}");
}

#[test]
fn an_operator_is_for_the_elements_of_the_job() {
    let machine = Machine::paragon(1, 2).build().unwrap();
    let error = machine.run(|node| {
        let job = Job::bytes(Operation::AllReduce, 8);
        Ok(node.world().combine::<u64>(&job, Payload::from([1_u64]), &Sum)?)
    });
    let error = error.unwrap_err().to_string();
    assert!(error.contains("the operator is for u64 elements, but the job has u8 elements"), "{error}");
}

/// A plan has no message that is too long: it is another one, or there is an error that says so.
#[test]
fn vectors_longer_than_a_message() {
    let machine = Machine::paragon(2, 4).build().unwrap();
    let run = machine.run(|node| {
        let mine = if node.rank() == 0 { Payload::phantom(3 << 30) } else { Payload::empty() };
        let long = Job::bytes(Operation::Broadcast, 3_usize << 30);
        let got = node.world().carry_out(&long, mine)?;
        assert_eq!(got.len(), 3 << 30);
        let refused = node.world().using(&Algorithm::SHORT).plan(&long).unwrap_err().to_string();
        Ok(refused)
    });
    for refused in run.unwrap().outputs {
        assert!(refused.contains("a message of 3221225472 bytes; the maximum is 1073741824"), "{refused}");
    }
}

#[test]
fn truth_values_are_combined_as_they_are() {
    let truths = || vectors(|number| number % 2 == 1);
    check(&truths(), &LogicalAnd);
    check(&truths(), &LogicalOr);
    check(&truths(), &LogicalXor);
    let run = run("paragon:2x3", |node| {
        let mut all_are_done = node.rank() != 4;
        node.world().all_reduce(&mut all_are_done, LogicalAnd)?;
        let mut flags = node.world().all_gather(&(node.rank() % 2 == 0), node.size())?;
        node.world().broadcast(3, &mut flags)?;
        Ok((all_are_done, flags))
    });
    assert_eq!(run.outputs, vec![(false, vec![true, false, true, false, true, false]); RANKS]);
}

/// What is to become of elements that a program defines: sums of floating-point numbers in them are the same on all ranks.
#[test]
fn a_program_has_elements_of_its_own() {
    use multicomputer::bytemuck::{Pod, Zeroable};

    #[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
    #[bytemuck(crate = "multicomputer::bytemuck")]
    #[repr(C)]
    struct Complex {
        real: f64,
        imaginary: f64,
    }

    impl std::ops::Add for Complex {
        type Output = Complex;
        fn add(self, other: Complex) -> Complex {
            Complex { real: self.real + other.real, imaginary: self.imaginary + other.imaginary }
        }
    }

    assert!(!Operator::<Complex>::is_exact(&Sum), "nobody knows how it rounds");
    check(&vectors(|number| Complex { real: number.into(), imaginary: -f64::from(number) }), &Sum);
    for size in [3, 5, 6, 7] {
        let machine = Machine::builder(format!("line:{size}").parse().unwrap()).build().unwrap();
        let run = machine.run(|node| {
            let value = [1e16, 1.0, -1e16, 0.1, 3.0][node.rank() % 5];
            let mut x = [Complex { real: value, imaginary: -value }];
            node.world().using(&Algorithm::DOUBLING).all_reduce(&mut x, Sum)?;
            Ok(x[0].real.to_bits())
        });
        let outputs = run.unwrap().outputs;
        assert!(outputs.iter().all(|output| *output == outputs[0]), "{size}");
    }
}
