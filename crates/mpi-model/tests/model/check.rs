//! Checks of runs: the kinds of findings, the calls that they name, and that right programs have none. The programs in C of
//! `crates/cli/tests/check` cover every kind.

use std::sync::Arc;

use multicomputer::{Machine, error::RunError};
use multicomputer_mpi_model::{
    check::{Check, Finding, Kind, RankEnd},
    process::Settings,
    word::Address,
};

use crate::support::{BYTE, DOUBLE, IGNORE, INT, Left, Rank, SUM, WORLD, run_with};

/// Runs a program on two ranks and returns what is found.
pub(crate) fn found(program: impl Fn(&Rank<'_, '_>) -> Result<(), Left> + Sync) -> Vec<Finding> {
    let check = Arc::new(Check::new(Box::new(|place| Some(format!("program.c:{place}")))));
    let settings = Settings { check: Some(check.clone()), ..Settings::default() };
    let ended = run_with(&Machine::hockney(1, 2).build().unwrap(), &settings, program);
    let (ends, report) = match ended {
        Ok(_) => ([RankEnd::Finalized, RankEnd::Finalized], None),
        Err(error @ RunError::Deadlock(_)) => {
            ([RankEnd::Stopped(None), RankEnd::Stopped(None)], Some(error.to_string()))
        }
        Err(error) => ([RankEnd::Failed(error.to_string()), RankEnd::Stopped(None)], None),
    };
    check.conclude(&ends, report.as_deref())
}

/// The kinds and functions of findings.
pub(crate) fn kinds(findings: &[Finding]) -> Vec<(Kind, &str)> {
    findings
        .iter()
        .map(|finding| (finding.kind, finding.at.as_ref().map_or("", |line| line.function)))
        .collect()
}

#[test]
fn a_right_program_has_no_findings() {
    let findings = found(|rank| {
        let (value, got, requests) = (rank.put(&[1, 2]), rank.room(8), rank.room(16));
        let other = 1 - rank.rank;
        rank.call("MPI_Irecv", &[got, 2, INT, other, 0, WORLD, requests])?;
        rank.call("MPI_Isend", &[value, 2, INT, other, 0, WORLD, requests + 8])?;
        rank.call("MPI_Waitall", &[2, requests, IGNORE])?;
        rank.call("MPI_Allreduce", &[value, got, 2, INT, SUM, WORLD])?;
        rank.call("MPI_Iallreduce", &[got, value, 2, INT, SUM, WORLD, requests])?;
        rank.call("MPI_Wait", &[requests, IGNORE])
    });
    assert_eq!(findings, []);
}

#[test]
fn what_is_left_at_the_end_is_found_once() {
    let findings = found(|rank| {
        rank.made("MPI_Comm_dup", &[WORLD])?;
        let (value, request) = (rank.put(&[1]), rank.room(8));
        match rank.rank {
            0 => rank.call("MPI_Isend", &[value, 1, INT, 1, 0, WORLD, request]),
            _ => rank.call("MPI_Recv", &[value, 1, INT, 0, 0, WORLD, IGNORE]),
        }
    });
    assert_eq!(kinds(&findings), [(Kind::MissingWait, "MPI_Isend"), (Kind::Leak, "MPI_Comm_dup")]);
    assert_eq!(findings[1].ranks, [0, 1].into());
}

#[test]
fn calls_that_do_not_fit_are_compared() {
    let bcast = |root: usize, datatype: [usize; 2]| {
        found(move |rank| {
            let value = rank.room(64);
            rank.call("MPI_Bcast", &[value, 1, datatype[rank.rank], root * rank.rank, WORLD])
        })
    };
    assert_eq!(bcast(0, [INT, INT]), []);
    assert_eq!(kinds(&bcast(1, [INT, INT])), [(Kind::RootMismatch, "MPI_Bcast")]);
    assert_eq!(kinds(&bcast(0, [BYTE, INT]))[0], (Kind::DatatypeMismatch, "MPI_Bcast"));

    let message = |tag: usize, datatype: usize| {
        found(move |rank| {
            let value = rank.room(64);
            match rank.rank {
                0 => rank.call("MPI_Send", &[value, 1, INT, 1, 0, WORLD]),
                _ => rank.call("MPI_Recv", &[value, 1, datatype, 0, tag, WORLD, IGNORE]),
            }
        })
    };
    assert_eq!(message(0, INT), []);
    let tags = message(1, INT);
    assert_eq!(kinds(&tags), [(Kind::TagMismatch, "MPI_Recv")]);
    assert_eq!(
        tags[0].to_string(),
        "tag mismatch: MPI_Recv waits for tag 1, and MPI_Send of rank 0 sends tag 0, on rank 1 (program.c:0)\n    \
         see rank 0, MPI_Send (program.c:0)\n    to mend it: use the same tag on both sides"
    );
    assert_eq!(kinds(&message(0, DOUBLE)), [(Kind::DatatypeMismatch, "MPI_Recv")]);

    let order = found(|rank| match rank.rank {
        0 => rank.call("MPI_Barrier", &[WORLD]),
        _ => rank.call("MPI_Bcast", &[rank.room(4), 1, INT, 0, WORLD]),
    });
    assert_eq!(kinds(&order), [(Kind::CallOrder, "MPI_Bcast")]);
}

#[test]
fn buffers_in_progress_are_watched() {
    let findings = found(|rank| {
        let (value, request) = (rank.put(&[1, 2]), rank.room(8));
        if rank.rank == 0 {
            rank.call("MPI_Isend", &[value, 2, INT, 1, 0, WORLD, request])?;
            rank.arena.set(Address(value + 4), &[7]);
            return rank.call("MPI_Wait", &[request, IGNORE]);
        }
        rank.call("MPI_Irecv", &[value, 2, INT, 0, 0, WORLD, request])?;
        // Reads what the receive may write.
        rank.call("MPI_Reduce_local", &[value + 4, rank.put(&[0]), 1, INT, SUM])?;
        rank.call("MPI_Wait", &[request, IGNORE])
    });
    let all = kinds(&findings);
    assert!(all.contains(&(Kind::LocalConcurrency, "MPI_Isend")), "{all:?}");
}
