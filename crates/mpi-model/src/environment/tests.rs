//! Phases of a process, and its clock.

use crate::{
    abi,
    process::{End, Outcome},
    testing::{Tester, run, run_bare},
    word::Handle,
};

fn flags(tester: &Tester<'_, '_>) -> [i32; 2] {
    ["MPI_Initialized", "MPI_Finalized"].map(|name| tester.result(name, &[]))
}

#[test]
fn phases() {
    run_bare(1, |tester| {
        assert_eq!(flags(tester), [0, 0]);
        let provided = tester.room(1);
        tester.ok("MPI_Init_thread", &[0, 0, abi::THREAD_MULTIPLE as usize, provided]);
        assert_eq!(tester.read(provided, 1), [abi::THREAD_SERIALIZED]);
        assert_eq!(tester.result::<i32>("MPI_Query_thread", &[]), abi::THREAD_SERIALIZED);
        assert_eq!(flags(tester), [1, 0]);
        tester.errors_return();
        assert_eq!(tester.code("MPI_Init", &[0, 0]), 16);
        tester.ok("MPI_Finalize", &[]);
        assert_eq!(flags(tester), [1, 1]);
    });
}

#[test]
fn abort_ends_the_program() {
    run_bare(1, |tester| {
        assert_eq!(tester.call("MPI_Abort", &[abi::COMM_WORLD.0, 7]), Outcome::Leaves);
        assert_eq!(tester.process.end(), Some(End::Abort(7)));
    });
}

/// Only a query that follows a query takes the time of polling, 10 ns.
#[test]
fn time_goes_by_for_a_program_that_polls() {
    run(1, |tester| {
        let time = || tester.result::<f64>("MPI_Wtime", &[]);
        let rank = || tester.result::<i32>("MPI_Comm_rank", &[abi::COMM_WORLD.0]);
        let begin = time();
        rank();
        assert_eq!(time(), begin);
        rank();
        assert_eq!(time(), begin);
        for polls in 1..=3 {
            assert!((time() - begin - f64::from(polls) * 1e-8).abs() < 1e-15);
        }
        // Other calls that take no time do not keep the clock from going on.
        let begin = time();
        let mut calls = 0;
        while time() == begin {
            rank();
            calls += 1;
        }
        assert!(calls < 20);
        assert_eq!(tester.result::<f64>("MPI_Wtick", &[]), 1e-12);
    });
}

#[test]
fn texts_and_memory() {
    run(2, |tester| {
        let (text, length) = (tester.arena.alloc(8192).0, tester.room(1));
        tester.ok("MPI_Get_processor_name", &[text, length]);
        assert_eq!((tester.string(text), tester.read(length, 1)), (format!("node {}", tester.rank), vec![6]));
        tester.ok("MPI_Get_library_version", &[text, length]);
        assert!(tester.string(text).starts_with("multicomputer "));
        let memory: usize = tester.result("MPI_Alloc_mem", &[100, abi::INFO_NULL.0]);
        assert_eq!(tester.read(memory, 25), [0; 25]);
        tester.ok("MPI_Free_mem", &[memory]);
        tester.errors_return();
        let out = tester.room(2);
        assert_eq!(tester.code("MPI_Alloc_mem", &[-1_isize as usize, abi::INFO_NULL.0, out]), 13);
    });
}

#[test]
fn the_abi_and_fortran() {
    run(1, |tester| {
        let [major, minor] = [0; 2].map(|_| tester.room(1));
        tester.ok("MPI_Abi_get_version", &[major, minor]);
        assert_eq!([major, minor].map(|at| tester.read(at, 1)[0]), [1, 0]);
        let [is_true, is_false, flag] = [0; 3].map(|_| tester.room(1));
        tester.ok("MPI_Abi_get_fortran_booleans", &[4, is_true, is_false, flag]);
        assert_eq!([is_true, is_false, flag].map(|at| tester.read(at, 1)[0]), [1, 0, 1]);
        tester.ok("MPI_Abi_set_fortran_booleans", &[4, is_true, is_false]);
        let info: Handle = tester.result("MPI_Abi_get_fortran_info", &[]);
        tester.ok("MPI_Abi_set_fortran_info", &[info.0]);
        tester.errors_return();
        assert_eq!(tester.code("MPI_Abi_set_fortran_booleans", &[4, is_false, is_true]), 62);
        tester.ok("MPI_Info_set", &[info.0, tester.arena.text("mpi_real_size").0, tester.arena.text("8").0]);
        assert_eq!(tester.code("MPI_Abi_set_fortran_info", &[info.0]), 62);
    });
}
