//! Computation that a program states, and blocks of which it samples some executions.

use multicomputer::{Machine, Span, Time};

use crate::support::{Left, RETURN, Rank, WORLD, run};

const ARG: i32 = 13;

/// Visits a block, which computes for `span` if it is executed; returns whether it is.
fn visit(
    rank: &Rank<'_, '_>,
    is_global: usize,
    iterations: usize,
    precision: f64,
    span: u64,
) -> Result<bool, Left> {
    let (file, runs) = (rank.put(&[i32::from_ne_bytes(*b"a.c\0")]), rank.room(4));
    let place = [file, is_global + 7];
    let words = [&[is_global, iterations, precision.to_bits() as usize], &place[..], &[runs]].concat();
    rank.call("MC_Sample_begin", &words)?;
    let is_run = rank.get::<i32>(runs) != 0;
    if is_run {
        rank.process.compute(Span::from_nanos(span)).map_err(|_| Left::default())?;
        rank.call("MC_Sample_end", &[])?;
    }
    Ok(is_run)
}

#[test]
fn skipped_visits_take_the_mean_of_the_executed_ones() {
    let machine = Machine::hockney(1, 4).build().unwrap();
    let ended = run(&machine, |rank| {
        rank.call("MPI_Comm_set_errhandler", &[WORLD, RETURN])?;
        for invalid in [-1.0_f64, f64::NAN] {
            assert_eq!(rank.code("MC_Compute", &[invalid.to_bits() as usize])?, ARG);
        }
        rank.call("MC_Compute", &[2e-6_f64.to_bits() as usize])?;
        // 100 + 200 + 600 measured, then two times the mean of 300.
        for (span, is_run) in [(100, true), (200, true), (600, true), (0, false), (0, false)] {
            assert_eq!(visit(rank, 0, 3, 0.0, span)?, is_run);
        }
        // Four executions on four ranks: one on each.
        for is_run in [true, false, false] {
            assert_eq!(visit(rank, 1, 4, 0.0, 500)?, is_run);
        }
        rank.process.time().map_err(|_| Left::default())
    })
    .unwrap();
    assert_eq!(ended.outputs, vec![Time::ZERO + Span::from_nanos(2_000 + 900 + 600 + 1_500); 4]);
}

#[test]
fn a_precision_asks_for_further_samples() {
    let machine = Machine::hockney(1, 1).build().unwrap();
    let ended = run(&machine, |rank| {
        let mut executed = 0;
        // Alternating 60 and 100: the standard error is 10.5 % of the mean after 7 samples, and 9.4 % after 8.
        for number in 0..20 {
            executed += usize::from(visit(rank, 0, 2, 0.1, 60 + 40 * (number % 2))?);
        }
        Ok(executed)
    });
    assert_eq!(ended.unwrap().outputs, [8]);
}
