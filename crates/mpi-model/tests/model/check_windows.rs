//! Checks of one-sided communication: which accesses conflict, what orders them, which epochs are missing or open.

use multicomputer_mpi_model::{
    check::{Access, Finding, Kind},
    word::Address,
};

use crate::{
    check::{found, kinds},
    support::{IGNORE, INT, Left, Rank, SUM, WORLD},
    windows::{EXCLUSIVE, NO_OP, REPLACE, SHARED, free, window},
};

const MAX: usize = 0x23;

/// What two ranks do with a window of 8 integers, and the memory of the rank itself.
fn in_window(program: impl Fn(&Rank<'_, '_>, usize, usize) -> Result<(), Left> + Sync) -> Vec<Finding> {
    found(|rank| {
        let (memory, win) = window(rank, 8)?;
        program(rank, win, memory)?;
        free(rank, win)
    })
}

fn put(rank: &Rank<'_, '_>, win: usize, place: usize) -> Result<(), Left> {
    let mine = rank.put(&[rank.rank as i32; 2]);
    rank.call("MPI_Put", &[mine, 2, INT, 0, place, 2, INT, win])
}

fn get(rank: &Rank<'_, '_>, win: usize, place: usize) -> Result<(), Left> {
    let mine = rank.room(8);
    rank.call("MPI_Get", &[mine, 2, INT, 0, place, 2, INT, win])
}

fn accumulate(rank: &Rank<'_, '_>, win: usize, op: usize) -> Result<(), Left> {
    let mine = rank.put(&[1_i32]);
    rank.call("MPI_Accumulate", &[mine, 1, INT, 0, 0, 1, INT, op, win])
}

/// Both ranks make an access between two fences.
fn fenced(access: impl Fn(&Rank<'_, '_>, usize, usize) -> Result<(), Left> + Sync) -> Vec<Finding> {
    in_window(|rank, win, memory| {
        rank.call("MPI_Win_fence", &[0, win])?;
        access(rank, win, memory)?;
        rank.call("MPI_Win_fence", &[0, win])
    })
}

#[test]
fn accesses_of_one_epoch_conflict_by_what_they_do() {
    let conflict = |function| [(Kind::GlobalConcurrency, function)];
    assert_eq!(kinds(&fenced(|rank, win, _| put(rank, win, rank.rank))), conflict("MPI_Put"));
    assert_eq!(fenced(|rank, win, _| put(rank, win, 2 * rank.rank)), []);
    assert_eq!(fenced(|rank, win, _| get(rank, win, rank.rank)), []);
    assert_eq!(fenced(|rank, win, _| accumulate(rank, win, SUM)), []);
    let ops = [SUM, MAX];
    let findings = fenced(|rank, win, _| accumulate(rank, win, ops[rank.rank]));
    assert_eq!(kinds(&findings), conflict("MPI_Accumulate"));
    // A rank's own accesses: only accumulations are ordered.
    let alone = |first: fn(&Rank<'_, '_>, usize, usize) -> Result<(), Left>| {
        move |rank: &Rank<'_, '_>, win: usize, _: usize| {
            if rank.rank == 1 {
                first(rank, win, 0).and_then(|()| accumulate(rank, win, MAX))
            } else {
                Ok(())
            }
        }
    };
    assert_eq!(kinds(&fenced(alone(put))), conflict("MPI_Accumulate"));
    assert_eq!(fenced(alone(|rank, win, _| accumulate(rank, win, SUM))), []);
}

#[test]
fn loads_and_stores_of_the_target_count() {
    let with_put = |access| {
        fenced(move |rank, win, memory| match rank.rank {
            0 => {
                rank.process.accessed(memory + 4, 4, access, 7);
                Ok(())
            }
            _ => put(rank, win, 0),
        })
    };
    for access in [Access::Load, Access::Store] {
        let findings = with_put(access);
        assert_eq!(kinds(&findings).len(), 1, "{findings:?}");
        assert_eq!(findings[0].kind, Kind::GlobalConcurrency);
        assert!(findings[0].to_string().contains("program.c:7"), "{}", findings[0]);
    }
    // With these, programs wait for a change.
    assert_eq!(with_put(Access::AtomicLoad), []);
    // The memory is not the target's.
    let beside = fenced(|rank, win, memory| {
        rank.process.accessed(memory + 8, 4, Access::Store, 7);
        put(rank, win, 0)
    });
    assert_eq!(kinds(&beside), [(Kind::GlobalConcurrency, "MPI_Put")]);
}

#[test]
fn order_needs_completion_and_synchronization() {
    // Rank 0 puts, rank 1 gets later.
    let ordered = |lock: usize, flushes: bool, synchronizes: bool| {
        in_window(move |rank, win, _| {
            match lock {
                0 => rank.call("MPI_Win_lock_all", &[0, win])?,
                _ => rank.call("MPI_Win_lock", &[lock, 0, 0, win])?,
            }
            if rank.rank == 0 {
                put(rank, win, 0)?;
                if flushes {
                    rank.call("MPI_Win_flush", &[0, win])?;
                }
            }
            if synchronizes {
                rank.call("MPI_Barrier", &[WORLD])?;
            }
            if rank.rank == 1 {
                get(rank, win, 0)?;
            }
            match lock {
                0 => rank.call("MPI_Win_unlock_all", &[win]),
                _ => rank.call("MPI_Win_unlock", &[0, win]),
            }
        })
    };
    for lock in [0, SHARED] {
        assert_eq!(ordered(lock, true, true), []);
        for (flushes, synchronizes) in [(true, false), (false, true)] {
            let findings = ordered(lock, flushes, synchronizes);
            assert_eq!(kinds(&findings), [(Kind::GlobalConcurrency, "MPI_Get")], "{flushes} {synchronizes}");
        }
    }
    assert_eq!(ordered(EXCLUSIVE, false, false), []);
}

#[test]
fn a_flag_that_is_set_and_read_atomically_orders_accesses() {
    let findings = in_window(|rank, win, _| {
        rank.call("MPI_Win_lock_all", &[0, win])?;
        let (one, seen) = (rank.put(&[1_i32]), rank.put(&[0_i32]));
        if rank.rank == 0 {
            put(rank, win, 4)?;
            rank.call("MPI_Win_flush", &[0, win])?;
            rank.call("MPI_Accumulate", &[one, 1, INT, 0, 0, 1, INT, REPLACE, win])?;
        } else {
            while rank.get::<i32>(seen) == 0 {
                rank.call("MPI_Fetch_and_op", &[one, seen, INT, 0, 0, NO_OP, win])?;
                rank.call("MPI_Win_flush", &[0, win])?;
            }
            get(rank, win, 4)?;
        }
        rank.call("MPI_Win_unlock_all", &[win])
    });
    assert_eq!(findings, []);
}

#[test]
fn buffers_of_the_origin_are_in_use_until_the_access_is_complete() {
    let written = |after_fence: bool| {
        in_window(move |rank, win, _| {
            let mine = rank.put(&[5_i32]);
            rank.call("MPI_Win_fence", &[0, win])?;
            if rank.rank == 1 {
                rank.call("MPI_Put", &[mine, 1, INT, 0, 0, 1, INT, win])?;
            }
            let write = || rank.arena.set(Address(mine), &[6_i32]);
            if !after_fence {
                write();
            }
            rank.call("MPI_Win_fence", &[0, win])?;
            write();
            Ok(())
        })
    };
    assert_eq!(kinds(&written(false)), [(Kind::LocalConcurrency, "MPI_Put")]);
    assert_eq!(written(true), []);
    let received = in_window(|rank, win, _| {
        let (mine, other) = (rank.room(4), 1 - rank.rank);
        rank.call("MPI_Win_lock_all", &[0, win])?;
        rank.call("MPI_Get", &[mine, 1, INT, 0, 0, 1, INT, win])?;
        rank.call("MPI_Sendrecv", &[mine, 1, INT, other, 0, mine + 64, 1, INT, other, 0, WORLD, IGNORE])?;
        rank.call("MPI_Win_unlock_all", &[win])
    });
    assert_eq!(kinds(&received), [(Kind::LocalConcurrency, "MPI_Sendrecv")]);
}

#[test]
fn epochs_are_missing_or_open() {
    let calls = |calls: &'static [(&'static str, &'static [usize])]| {
        in_window(move |rank, win, _| {
            calls.iter().try_for_each(|(name, words)| rank.call(name, &[words, &[win][..]].concat()))
        })
    };
    let lock = ("MPI_Win_lock", &[SHARED, 0, 0][..]);
    let missing = |function| [(Kind::MissingEpoch, function)];
    let doubled = |function| [(Kind::DoubledEpoch, function)];
    assert_eq!(kinds(&in_window(|rank, win, _| put(rank, win, 0))), missing("MPI_Put"));
    assert_eq!(kinds(&calls(&[("MPI_Win_unlock", &[0])])), missing("MPI_Win_unlock"));
    assert_eq!(kinds(&calls(&[("MPI_Win_complete", &[])])), missing("MPI_Win_complete"));
    assert_eq!(
        kinds(&calls(&[("MPI_Win_lock", &[SHARED, 0, 0]), ("MPI_Win_fence", &[0])])),
        doubled("MPI_Win_fence")
    );
    assert_eq!(
        kinds(&in_window(|rank, win, _| rank.call(lock.0, &[lock.1, &[win]].concat()))),
        missing("MPI_Win_free")
    );
    // The accesses after a fence need another one.
    let open = in_window(|rank, win, _| {
        rank.call("MPI_Win_fence", &[0, win])?;
        get(rank, win, 0)
    });
    assert_eq!(kinds(&open), missing("MPI_Win_free"));
    assert_eq!(open[0].others[0].function, "MPI_Win_fence");
}
