//! Messages and collective operations; modeled times are those of programs in Rust.

use multicomputer::{Machine, prelude::*};
use multicomputer_mpi_model::program::Program;

use crate::support::{ANY_SOURCE, ANY_TAG, BYTE, DOUBLE, IGNORE, INT, PROC_NULL, RETURN, SUM, WORLD, run};

#[test]
fn a_ring_takes_the_time_of_the_same_program_in_rust() {
    let machine = Machine::paragon(4, 4).build().unwrap();
    let mpi = run(&machine, |rank| {
        let (value, got) = (rank.put(&[rank.rank as i32; 100]), rank.room(400));
        let (next, last) = ((rank.rank + 1) % rank.size, (rank.rank + rank.size - 1) % rank.size);
        for _ in 0..3 {
            rank.call("MPI_Sendrecv", &[value, 100, INT, next, 7, got, 100, INT, last, 7, WORLD, IGNORE])?;
            rank.call("MPI_Allreduce", &[got, value, 100, INT, SUM, WORLD])?;
        }
        rank.call("MPI_Exscan", &[value, got, 100, INT, SUM, WORLD])?;
        rank.call("MPI_Barrier", &[WORLD])?;
        let requests = rank.room(16);
        rank.call("MPI_Irecv", &[got, 100, INT, ANY_SOURCE, ANY_TAG, WORLD, requests])?;
        rank.call("MPI_Isend", &[value, 100, INT, next, 9, WORLD, requests + 8])?;
        rank.call("MPI_Waitall", &[2, requests, IGNORE])?;
        Ok(rank.get::<i32>(got))
    })
    .unwrap();
    let rust = machine
        .run(|node| {
            let (world, size) = (node.world(), node.size());
            let mut value = vec![node.rank() as i32; 100];
            let (next, last) = ((node.rank() + 1) % size, (node.rank() + size - 1) % size);
            for _ in 0..3 {
                value = world.sendrecv((next, Tag(7)), &value[..], (last, Tag(7)))?.to_vec()?;
                world.all_reduce(&mut value[..], Sum)?;
            }
            world.exclusive_scan(&mut value.clone()[..], Sum)?;
            world.barrier()?;
            let posted = world.irecv(ANY_SOURCE_AND_TAG)?;
            let sent = world.isend((next, Tag(9)), &value[..])?;
            let received = Request::wait_all([AnyRequest::from(posted), sent.into()])?;
            Ok(received[0].as_ref().ok_or("a message")?.to_vec::<i32>()?[0])
        })
        .unwrap();
    assert_eq!(mpi.outputs, rust.outputs);
    assert_eq!(mpi.report.makespan, rust.report.makespan);
    assert_eq!(mpi.report.nodes, rust.report.nodes);
}

const ANY_SOURCE_AND_TAG: multicomputer::AnySource = multicomputer::ANY_SOURCE;

#[test]
fn nonblocking_collectives_proceed_in_other_calls() {
    let machine = Machine::hockney(2, 3).build().unwrap();
    let run = run(&machine, |rank| {
        let (value, all, request) = (rank.put(&[rank.rank as f64; 4]), rank.room(32), rank.room(8));
        rank.call("MPI_Iallreduce", &[value, all, 4, DOUBLE, SUM, WORLD, request])?;
        // Rank 0 receives from the last rank, which sends only when its all-reduce is finished.
        let (token, last) = (rank.put(&[42_i32]), rank.size - 1);
        if rank.rank == 0 {
            rank.call("MPI_Recv", &[token, 1, INT, last, 1, WORLD, IGNORE])?;
        }
        rank.call("MPI_Wait", &[request, IGNORE])?;
        if rank.rank == last {
            rank.call("MPI_Send", &[token, 1, INT, 0, 1, WORLD])?;
        }
        let gathered = rank.room(8 * 6);
        rank.call("MPI_Iallgather", &[value, 1, DOUBLE, gathered, 1, DOUBLE, WORLD, request])?;
        rank.call("MPI_Wait", &[request, IGNORE])?;
        Ok((rank.list::<f64>(all, 4), rank.list::<f64>(gathered, 6)))
    })
    .unwrap();
    for output in run.outputs {
        assert_eq!(output, (vec![15.0; 4], vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0]));
    }
}

#[test]
fn errors_have_the_classes_of_the_standard() {
    let machine = Machine::hockney(1, 2).build().unwrap();
    let run = run(&machine, |rank| {
        rank.call("MPI_Comm_set_errhandler", &[WORLD, RETURN])?;
        let buffer = rank.put(&[1_i32, 2, 3]);
        let send = |count: usize, datatype: usize, dest: usize, tag: usize, comm: usize| {
            rank.code("MPI_Send", &[buffer, count, datatype, dest, tag, comm])
        };
        let codes = [
            send(1, INT, 7, 0, WORLD)?,
            send(1, INT, 0, -5_isize as usize, WORLD)?,
            send(-1_isize as usize, INT, 0, 0, WORLD)?,
            send(1, 0x200, 0, 0, WORLD)?,
            send(1, INT, PROC_NULL, 0, WORLD)?,
        ];
        let other = 1 - rank.rank;
        rank.call("MPI_Send", &[buffer, 3, INT, other, 0, WORLD])?;
        let truncated = rank.code("MPI_Recv", &[buffer, 2, INT, other, 0, WORLD, IGNORE])?;
        // The null pointer is an error if data would be there; a datatype may add the addresses of data to it.
        let places = rank.put(&[buffer as i64]);
        let absolute = rank.made("MPI_Type_create_hindexed_block", &[1, 1, places, INT])?;
        rank.call("MPI_Type_commit", &[rank.put(&[absolute])])?;
        let from_null =
            |count: usize, datatype: usize| rank.code("MPI_Send", &[0, count, datatype, PROC_NULL, 0, WORLD]);
        let null = [
            from_null(1, INT)?,
            from_null(0, INT)?,
            from_null(1, absolute)?,
            rank.code("MPI_Allreduce", &[buffer, 0, 1, INT, SUM, WORLD])?,
            rank.code("MPI_Allgatherv", &[buffer, 1, INT, buffer, 0, places, INT, WORLD])?,
        ];
        Ok((codes, truncated, null))
    })
    .unwrap();
    assert_eq!(run.outputs[0], ([6, 4, 2, 3, 0], 15, [1, 0, 0, 1, 2]));
}

#[test]
fn negative_counts_are_errors_of_their_arguments() {
    let machine = Machine::hockney(1, 2).build().unwrap();
    run(&machine, |rank| {
        rank.call("MPI_Comm_set_errhandler", &[WORLD, RETURN])?;
        let negative = -1_isize as usize;
        let (a, b) = (rank.room(400), rank.room(400));
        let (two, ones) = (rank.put(&[-1_i32; 2]), rank.put(&[1_i32; 2]));
        let (request, zeros, types) = (rank.room(8), rank.put(&[0_i32; 2]), rank.put(&[INT as i64; 2]));
        let pair = |send: usize, receive: usize| vec![a, send, INT, b, receive, INT];
        let both = pair(negative, negative);
        let blocks = |address: usize, counts: usize| [address, counts, zeros, INT];
        let calls: [(&str, Vec<usize>, &str); 22] = [
            ("MPI_Bcast", vec![a, negative, INT, 0, WORLD], "count"),
            ("MPI_Gather", [&pair(negative, 1)[..], &[0, WORLD]].concat(), "sendcount"),
            ("MPI_Scatter", [&pair(1, negative)[..], &[0, WORLD]].concat(), "recvcount"),
            ("MPI_Allgather", [&both[..], &[WORLD]].concat(), "recvcount"),
            ("MPI_Alltoall", [&both[..], &[WORLD]].concat(), "recvcount"),
            ("MPI_Alltoall", [&pair(negative, 1)[..], &[WORLD]].concat(), "sendcount"),
            ("MPI_Alltoall", [&pair(1, negative)[..], &[WORLD]].concat(), "recvcount"),
            ("MPI_Alltoall", vec![1, 0, INT, b, negative, INT, WORLD], "recvcount"),
            ("MPI_Alltoall_c", [&both[..], &[WORLD]].concat(), "recvcount"),
            ("MPI_Ialltoall", [&both[..], &[WORLD, request]].concat(), "recvcount"),
            ("MPI_Alltoall_init", [&both[..], &[WORLD, 0, request]].concat(), "recvcount"),
            ("MPI_Reduce", vec![a, b, negative, INT, SUM, 0, WORLD], "count"),
            ("MPI_Allreduce", vec![a, b, negative, INT, SUM, WORLD], "count"),
            ("MPI_Scan", vec![a, b, negative, INT, SUM, WORLD], "count"),
            ("MPI_Exscan", vec![a, b, negative, INT, SUM, WORLD], "count"),
            ("MPI_Reduce_scatter", vec![a, b, two, INT, SUM, WORLD], "recvcounts"),
            ("MPI_Reduce_scatter_block", vec![a, b, negative, INT, SUM, WORLD], "recvcount"),
            ("MPI_Allgatherv", [&[a, 1, INT], &blocks(b, two)[..], &[WORLD]].concat(), "recvcounts"),
            ("MPI_Gatherv", [&[a, negative, INT], &blocks(b, ones)[..], &[0, WORLD]].concat(), "sendcount"),
            ("MPI_Scatterv", [&blocks(a, ones)[..], &[b, negative, INT], &[0, WORLD]].concat(), "recvcount"),
            (
                "MPI_Alltoallv",
                [blocks(a, two), blocks(b, two)].concat().into_iter().chain([WORLD]).collect(),
                "recvcounts",
            ),
            ("MPI_Alltoallw", vec![a, two, zeros, types, b, two, zeros, types, WORLD], "recvcounts"),
        ];
        let (text, length) = (rank.room(512), rank.room(4));
        for (name, words, argument) in calls {
            assert_eq!(rank.code(name, &words)?, 2, "{name}");
            rank.call("MPI_Error_string", &[2, text, length])?;
            let text = String::from_utf8_lossy(&rank.arena.read_string(text)).into_owned();
            assert!(text.ends_with(&format!("argument `{argument}`: -1 is negative")), "{name}: {text}");
        }
        Ok(())
    })
    .unwrap();
}

#[test]
fn communicators_are_split_and_merged() {
    let machine = Machine::hockney(2, 3).build().unwrap();
    let run = run(&machine, |rank| {
        let odd = rank.rank % 2;
        let half = rank.made("MPI_Comm_split", &[WORLD, odd, rank.size - rank.rank])?;
        let (value, sum) = (rank.put(&[rank.rank as i32]), rank.room(4));
        rank.call("MPI_Allreduce", &[value, sum, 1, INT, SUM, half])?;
        let halves = rank.made("MPI_Intercomm_create", &[half, 0, WORLD, if odd == 1 { 4 } else { 5 }, 3])?;
        let remote = rank.room(4);
        rank.call("MPI_Allreduce", &[value, remote, 1, INT, SUM, halves])?;
        let merged = rank.made("MPI_Intercomm_merge", &[halves, odd])?;
        let place = rank.room(4);
        rank.call("MPI_Comm_rank", &[merged, place])?;
        Ok([sum, remote, place].map(|address| rank.get::<i32>(address)))
    })
    .unwrap();
    let expected: Vec<[i32; 3]> = (0..6)
        .map(|rank| if rank % 2 == 0 { [6, 9, (4 - rank) / 2] } else { [9, 6, 3 + (5 - rank) / 2] })
        .collect();
    assert_eq!(run.outputs, expected);
}

#[test]
fn the_status_of_each_request_tells_its_error() {
    let machine = Machine::hockney(1, 2).build().unwrap();
    let run = run(&machine, |rank| {
        rank.call("MPI_Comm_set_errhandler", &[WORLD, RETURN])?;
        let (buffer, requests, statuses) = (rank.room(64), rank.room(16), rank.room(64));
        if rank.rank == 1 {
            rank.call("MPI_Send", &[buffer, 1, INT, 0, 5, WORLD])?;
            rank.call("MPI_Send", &[buffer, 3, INT, 0, 15, WORLD])?;
            return Ok((0, vec![]));
        }
        rank.call("MPI_Irecv", &[buffer, 2, INT, 1, 15, WORLD, requests])?;
        rank.call("MPI_Irecv", &[buffer + 32, 2, INT, 1, 5, WORLD, requests + 8])?;
        let code = rank.code("MPI_Waitall", &[2, requests, statuses])?;
        // Source, tag and error of both statuses.
        let fields = [0, 32].map(|at| rank.list::<i32>(statuses + at, 3)).concat();
        Ok((code, fields))
    })
    .unwrap();
    let (in_status, truncated) = (19, 15);
    assert_eq!(run.outputs[0], (in_status, vec![1, 15, truncated, 1, 5, 0]));
}

#[test]
fn buffers_that_are_sent_and_received_into_are_refused() {
    let machine = Machine::hockney(1, 2).build().unwrap();
    let codes = run(&machine, |rank| {
        rank.call("MPI_Comm_set_errhandler", &[WORLD, RETURN])?;
        let (both, request) = (rank.put(&[1_i32; 8]), rank.room(8));
        let (counts, displs) = (rank.put(&[2_i32, 2]), rank.put(&[0_i32, 2]));
        let own = both + 8 * rank.rank;
        let codes = [
            rank.code("MPI_Allgather", &[own, 2, INT, both, 2, INT, WORLD])?,
            rank.code("MPI_Iallgatherv", &[own, 2, INT, both, counts, displs, INT, WORLD, request])?,
            rank.code("MPI_Alltoall", &[both, 2, INT, both, 2, INT, WORLD])?,
            rank.code(
                "MPI_Ialltoallv",
                &[both, counts, displs, INT, both, counts, displs, INT, WORLD, request],
            )?,
            rank.code("MPI_Iscan", &[both, both, 2, INT, SUM, WORLD, request])?,
        ];
        // The root of a gather refuses what the other rank may send.
        if rank.rank == 0 {
            assert_eq!(rank.code("MPI_Gatherv", &[both, 2, INT, both, counts, displs, INT, 0, WORLD])?, 1);
            assert_eq!(rank.code("MPI_Scatter", &[both, 2, INT, both, 2, INT, 0, WORLD])?, 1);
        }
        // The data of two datatypes at one address need not overlap.
        let first = rank.made("MPI_Type_contiguous", &[4, INT])?;
        let (blocks, places) = (rank.put(&[1_i32]), rank.put(&[16_usize]));
        let second = rank.made("MPI_Type_create_hindexed", &[1, blocks, places, first])?;
        for of in [first, second] {
            rank.call("MPI_Type_commit", &[rank.put(&[of])])?;
        }
        rank.call("MPI_Bcast", &[both, 4, INT, 0, WORLD])?;
        rank.call("MPI_Gather", &[both, 1, first, both, 1, second, 0, 0x102])?;
        assert_eq!(rank.list::<i32>(both, 8), [1; 8]);
        Ok(codes)
    })
    .unwrap();
    assert_eq!(codes.outputs, [[1; 5]; 2]);
}

#[test]
fn receives_without_a_process_and_messages_of_another_type() {
    let machine = Machine::hockney(1, 2).build().unwrap();
    let run = run(&machine, |rank| {
        let (buffer, status, request) = (rank.put(&[0_i32; 4]), rank.room(32), rank.room(8));
        // MPI_DATATYPE_NULL
        rank.call("MPI_Irecv", &[0, 0, 0x200, PROC_NULL, 1, WORLD, request])?;
        rank.call("MPI_Wait", &[request, status])?;
        assert_eq!(rank.get::<i32>(status), PROC_NULL as i32);
        rank.call("MPI_Comm_set_errhandler", &[WORLD, RETURN])?;
        if rank.rank == 0 {
            rank.call("MPI_Send", &[buffer, 3, BYTE, 1, 0, WORLD])?;
            return Ok(0);
        }
        rank.code("MPI_Recv", &[buffer, 4, INT, 0, 0, WORLD, IGNORE])
    });
    assert_eq!(run.unwrap().outputs[1], 3);
}
