//! Windows: accesses to the memory of other processes, and their synchronization.

use multicomputer::{Machine, prelude::*};

use crate::support::{INT, Left, PROC_NULL, RETURN, Rank, SUM, WORLD, run};

const INFO_NULL: usize = 0x130;
pub(crate) const REPLACE: usize = 0x3c;
pub(crate) const NO_OP: usize = 0x3d;
pub(crate) const EXCLUSIVE: usize = 301;
pub(crate) const SHARED: usize = 302;

/// Makes a window of integers, all 0; returns the address of its memory and its handle.
pub(crate) fn window(rank: &Rank<'_, '_>, count: usize) -> Result<(usize, usize), Left> {
    let memory = rank.put(&vec![0_i32; count]);
    let window = rank.made("MPI_Win_create", &[memory, 4 * count, 4, INFO_NULL, WORLD])?;
    Ok((memory, window))
}

pub(crate) fn free(rank: &Rank<'_, '_>, window: usize) -> Result<(), Left> {
    let place = rank.put(&[window]);
    rank.call("MPI_Win_free", &[place])?;
    assert_eq!(rank.get::<usize>(place), 0x110);
    Ok(())
}

#[test]
fn fences_separate_puts_gets_and_accumulations() {
    let machine = Machine::paragon(2, 2).build().unwrap();
    let run = run(&machine, |rank| {
        let (memory, win) = window(rank, 4)?;
        let (next, mine) = ((rank.rank + 1) % rank.size, rank.put(&[rank.rank as i32 + 10, 1]));
        rank.call("MPI_Win_fence", &[0, win])?;
        rank.call("MPI_Put", &[mine, 1, INT, next, 2, 1, INT, win])?;
        rank.call("MPI_Accumulate", &[mine, 2, INT, 0, 0, 2, INT, SUM, win])?;
        rank.call("MPI_Win_fence", &[0, win])?;
        let got = rank.room(16);
        rank.call("MPI_Get", &[got, 4, INT, 0, 0, 4, INT, win])?;
        rank.call("MPI_Put", &[mine, 1, INT, PROC_NULL, 2, 1, INT, win])?;
        rank.call("MPI_Win_fence", &[0, win])?;
        free(rank, win)?;
        Ok((rank.list::<i32>(got, 4), rank.get::<i32>(memory + 8)))
    })
    .unwrap();
    for (rank, (got, put)) in run.outputs.into_iter().enumerate() {
        assert_eq!((got, put), (vec![46, 4, 13, 0], 10 + (rank as i32 + 3) % 4));
    }
}

#[test]
fn derived_datatypes_place_data_at_the_target() {
    let machine = Machine::hockney(1, 2).build().unwrap();
    let run = run(&machine, |rank| {
        let (memory, win) = window(rank, 6)?;
        let every_second = rank.made("MPI_Type_vector", &[3, 1, 2, INT])?;
        let place = rank.put(&[every_second]);
        rank.call("MPI_Type_commit", &[place])?;
        rank.call("MPI_Win_fence", &[0, win])?;
        if rank.rank == 0 {
            let mine = rank.put(&[1_i32, 2, 3]);
            rank.call("MPI_Put", &[mine, 3, INT, 1, 0, 1, every_second, win])?;
            rank.call("MPI_Accumulate", &[mine, 3, INT, 1, 1, 1, every_second, SUM, win])?;
            rank.call("MPI_Accumulate", &[mine, 3, INT, 1, 1, 1, every_second, SUM, win])?;
        }
        rank.call("MPI_Win_fence", &[0, win])?;
        free(rank, win)?;
        Ok(rank.list::<i32>(memory, 6))
    })
    .unwrap();
    assert_eq!(run.outputs[1], [1, 2, 2, 4, 3, 6]);
}

#[test]
fn post_start_complete_and_wait_synchronize_groups() {
    let machine = Machine::paragon(1, 3).build().unwrap();
    let run = run(&machine, |rank| {
        let (memory, win) = window(rank, 3)?;
        let world = rank.made("MPI_Comm_group", &[WORLD])?;
        let (first, others) = (rank.put(&[0_i32]), rank.put(&[1_i32, 2]));
        let (first, others) = (
            rank.made("MPI_Group_incl", &[world, 1, first])?,
            rank.made("MPI_Group_incl", &[world, 2, others])?,
        );
        for round in 0..3 {
            if rank.rank == 0 {
                rank.call("MPI_Win_post", &[others, 0, win])?;
                if round == 1 {
                    let flag = rank.put(&[0_i32]);
                    while rank.get::<i32>(flag) == 0 {
                        rank.call("MPI_Win_test", &[win, flag])?;
                    }
                } else {
                    rank.call("MPI_Win_wait", &[win])?;
                }
            } else {
                let mine = rank.put(&[rank.rank as i32]);
                rank.call("MPI_Win_start", &[first, 0, win])?;
                rank.call("MPI_Accumulate", &[mine, 1, INT, 0, round, 1, INT, SUM, win])?;
                rank.call("MPI_Win_complete", &[win])?;
            }
        }
        free(rank, win)?;
        Ok(rank.list::<i32>(memory, 3))
    })
    .unwrap();
    assert_eq!(run.outputs[0], [3, 3, 3]);
}

#[test]
fn exclusive_locks_make_several_accesses_one() {
    let machine = Machine::paragon(2, 3).build().unwrap();
    let count = |_: usize| {
        let run = run(&machine, |rank| {
            let (memory, win) = window(rank, 1)?;
            let value = rank.room(4);
            for _ in 0..5 {
                rank.call("MPI_Win_lock", &[EXCLUSIVE, 1, 0, win])?;
                rank.call("MPI_Get", &[value, 1, INT, 1, 0, 1, INT, win])?;
                rank.call("MPI_Win_flush", &[1, win])?;
                let more = rank.put(&[rank.get::<i32>(value) + 1]);
                rank.call("MPI_Put", &[more, 1, INT, 1, 0, 1, INT, win])?;
                rank.call("MPI_Win_unlock", &[1, win])?;
                rank.call("MPI_Win_lock", &[SHARED, 1, 0, win])?;
                rank.call("MPI_Get", &[value, 1, INT, 1, 0, 1, INT, win])?;
                rank.call("MPI_Win_unlock", &[1, win])?;
                assert!(rank.get::<i32>(value) > 0);
            }
            rank.call("MPI_Barrier", &[WORLD])?;
            let last = rank.get::<i32>(memory);
            free(rank, win)?;
            Ok(last)
        })
        .unwrap();
        assert_eq!(run.outputs[1], 30);
        run.report.makespan
    };
    assert_eq!(count(0), count(1));
}

#[test]
fn atomic_operations_return_the_old_value() {
    let machine = Machine::hockney(1, 4).build().unwrap();
    let run = run(&machine, |rank| {
        let (memory, win) = window(rank, 3)?;
        let (one, old) = (rank.put(&[1_i32]), rank.room(4));
        rank.call("MPI_Win_lock_all", &[0, win])?;
        let mut tickets = Vec::new();
        for _ in 0..3 {
            rank.call("MPI_Fetch_and_op", &[one, old, INT, 0, 0, SUM, win])?;
            rank.call("MPI_Win_flush", &[0, win])?;
            tickets.push(rank.get::<i32>(old));
        }
        let (zero, own, request) = (rank.put(&[0_i32]), rank.put(&[rank.rank as i32 + 1]), rank.room(8));
        rank.call("MPI_Compare_and_swap", &[own, zero, old, INT, 0, 1, win])?;
        rank.call("MPI_Win_flush_all", &[win])?;
        let is_first = rank.get::<i32>(old) == 0;
        rank.call("MPI_Get_accumulate", &[0, 0, 0, old, 1, INT, 0, 1, 1, INT, NO_OP, win])?;
        rank.call("MPI_Rput", &[own, 1, INT, rank.rank, 2, 1, INT, win, request])?;
        rank.call("MPI_Wait", &[request, 0])?;
        let winner = rank.room(4);
        rank.call("MPI_Rget", &[winner, 1, INT, 0, 1, 1, INT, win, request])?;
        rank.call("MPI_Wait", &[request, 0])?;
        rank.call("MPI_Win_unlock_all", &[win])?;
        rank.call("MPI_Barrier", &[WORLD])?;
        let mine = rank.list::<i32>(memory, 3);
        free(rank, win)?;
        Ok((tickets, is_first, rank.get::<i32>(old), rank.get::<i32>(winner), mine))
    })
    .unwrap();
    let mut tickets: Vec<i32> = run.outputs.iter().flat_map(|output| output.0.clone()).collect();
    tickets.sort_unstable();
    assert_eq!(tickets, (0..12).collect::<Vec<i32>>());
    let first: Vec<usize> = (0..4).filter(|&rank| run.outputs[rank].1).collect();
    assert_eq!(first.len(), 1);
    for (rank, output) in run.outputs.iter().enumerate() {
        assert_eq!((output.2, output.3), (first[0] as i32 + 1, first[0] as i32 + 1));
        assert_eq!(output.4[2], rank as i32 + 1);
    }
    assert_eq!(run.outputs[0].4[0], 12);
}

#[test]
fn shared_and_dynamic_windows_have_their_memory() {
    let machine = Machine::hockney(1, 2).build().unwrap();
    let run = run(&machine, |rank| {
        let base = rank.room(8);
        let win = rank.made("MPI_Win_allocate_shared", &[4 * (rank.rank + 1), 4, INFO_NULL, WORLD, base])?;
        let (size, unit, other) = (rank.room(8), rank.room(4), rank.room(8));
        rank.call("MPI_Win_shared_query", &[win, 1, size, unit, other])?;
        let first = rank.room(8);
        rank.call("MPI_Win_shared_query", &[win, PROC_NULL, size, unit, first])?;
        let mine = rank.put(&[7_i32, 8]);
        rank.call("MPI_Win_lock_all", &[0, win])?;
        rank.call("MPI_Put", &[mine, rank.rank + 1, INT, rank.rank, 0, rank.rank + 1, INT, win])?;
        rank.call("MPI_Win_unlock_all", &[win])?;
        rank.call("MPI_Barrier", &[WORLD])?;
        // The memory is that of rank 0.
        let all = if rank.rank == 0 { rank.list::<i32>(rank.get::<usize>(base), 3) } else { Vec::new() };
        let distance = rank.get::<usize>(other) - rank.get::<usize>(first);
        free(rank, win)?;

        let win = rank.made("MPI_Win_create_dynamic", &[INFO_NULL, WORLD])?;
        let memory = rank.put(&[0_i32; 4]);
        let addresses = rank.room(16);
        let own = rank.put(&[memory]);
        rank.call("MPI_Win_attach", &[win, memory, 16])?;
        rank.call("MPI_Allgather", &[own, 8, 0x207, addresses, 8, 0x207, WORLD])?;
        rank.call("MPI_Win_set_errhandler", &[win, RETURN])?;
        let target = rank.list::<usize>(addresses, 2)[1 - rank.rank];
        rank.call("MPI_Win_fence", &[0, win])?;
        rank.call("MPI_Accumulate", &[mine, 2, INT, 1 - rank.rank, target + 8, 2, INT, REPLACE, win])?;
        let codes = [
            rank.code("MPI_Put", &[mine, 2, INT, 1 - rank.rank, target + 12, 2, INT, win])?,
            rank.code("MPI_Win_attach", &[win, memory + 8, 16])?,
            rank.code("MPI_Win_detach", &[win, memory + 8])?,
        ];
        rank.call("MPI_Win_fence", &[0, win])?;
        rank.call("MPI_Win_detach", &[win, memory])?;
        free(rank, win)?;
        Ok((all, distance, codes, rank.list::<i32>(memory, 4)))
    })
    .unwrap();
    let (all, distance, codes, memory) = &run.outputs[0];
    assert_eq!((&all[..], *distance, &memory[..]), (&[7, 7, 8][..], 4, &[0, 0, 7, 8][..]));
    assert_eq!(codes, &[48, 46, 24]);
}

#[test]
fn wrong_accesses_and_synchronization_are_errors_of_the_window() {
    let machine = Machine::hockney(1, 2).build().unwrap();
    let run = run(&machine, |rank| {
        let (_, win) = window(rank, 2)?;
        rank.call("MPI_Win_set_errhandler", &[win, RETURN])?;
        let mine = rank.put(&[1_i32, 2, 3]);
        let (minus, request) = (-1_isize as usize, rank.room(8));
        let put = |target: usize, at: usize, count: usize, datatype: usize| {
            rank.code("MPI_Put", &[mine, count, datatype, target, at, count, datatype, win])
        };
        let mut codes = vec![put(0, 0, 1, INT)?];
        rank.call("MPI_Win_fence", &[0, win])?;
        codes.extend([
            put(2, 0, 1, INT)?,
            put(0, minus, 1, INT)?,
            put(0, 1, 2, INT)?,
            put(0, 0, 1, 0x200)?,
            put(0, 0, minus, INT)?,
            put(0, 0, 0, INT)?,
            rank.code("MPI_Rput", &[mine, 1, INT, 0, 0, 1, INT, win, request])?,
            rank.code("MPI_Accumulate", &[mine, 1, INT, 0, 0, 1, INT, 0x20, win])?,
            rank.code("MPI_Win_lock", &[SHARED, 0, 0, win])?,
        ]);
        rank.call("MPI_Win_fence", &[16384, win])?;
        codes.extend([
            rank.code("MPI_Win_fence", &[1, win])?,
            rank.code("MPI_Win_lock", &[1, 0, 0, win])?,
            rank.code("MPI_Win_unlock", &[0, win])?,
            rank.code("MPI_Win_flush", &[0, win])?,
            rank.code("MPI_Win_complete", &[win])?,
            rank.code("MPI_Win_wait", &[win])?,
            rank.code("MPI_Win_attach", &[win, mine, 4])?,
        ]);
        rank.call("MPI_Win_lock", &[SHARED, 0, 0, win])?;
        codes.extend([
            put(1, 0, 1, INT)?,
            rank.code("MPI_Win_fence", &[0, win])?,
            rank.code("MPI_Win_lock_all", &[0, win])?,
        ]);
        let place = rank.put(&[win]);
        codes.push(rank.code("MPI_Win_free", &[place])?);
        rank.call("MPI_Win_unlock", &[0, win])?;
        free(rank, win)?;
        Ok(codes)
    })
    .unwrap();
    let expected = [50, 6, 26, 48, 3, 2, 0, 50, 10, 50, 22, 37, 50, 50, 50, 50, 57, 50, 50, 50, 50];
    assert_eq!(run.outputs[0], expected);
}

#[test]
fn a_put_takes_the_time_of_a_message_and_an_acknowledgement() {
    let machine = Machine::hockney(1, 2).build().unwrap();
    let time = |count: usize| {
        let run = run(&machine, |rank| {
            let (_, win) = window(rank, 1000)?;
            let mine = rank.put(&vec![1_i32; count]);
            rank.call("MPI_Barrier", &[WORLD])?;
            let before = rank.process.time().map_err(|_| Left::default())?;
            if rank.rank == 0 {
                rank.call("MPI_Win_lock", &[SHARED, 1, 1024, win])?;
                rank.call("MPI_Put", &[mine, count, INT, 1, 0, count, INT, win])?;
                rank.call("MPI_Win_unlock", &[1, win])?;
            }
            let after = rank.process.time().map_err(|_| Left::default())?;
            free(rank, win)?;
            Ok(after - before)
        });
        run.unwrap().outputs[0]
    };
    assert!(time(1000) > time(1) && time(1) > Span::ZERO);
}
