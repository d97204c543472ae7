//! Tests of files, in the directory for temporary files of the host.

use std::{
    fs,
    path::{Path, PathBuf},
};

use multicomputer::Span;

use crate::{
    abi,
    error::Class,
    file::Storage,
    process::Settings,
    testing::{Tester, run, run_with},
    word::{Address, Handle},
};

const WORLD: usize = 0x101;
const OWN: usize = 0x102;
const INT: usize = 0x209;
const BYTE: usize = 0x247;
const NONE: usize = 0x130;
const RDWR_CREATE: usize = 34;
const SET: usize = 403;
/// `MPI_ORDER_C`.
const ORDER_C: usize = 12;

/// The path of a file of this test, which does not exist.
fn path(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("multicomputer-{}-{name}", std::process::id()));
    let _ = fs::remove_file(&path);
    path
}

fn open(tester: &Tester<'_, '_>, comm: usize, path: &Path, amode: usize) -> usize {
    let name = tester.arena.text(path.to_str().unwrap()).0;
    tester.result::<Handle>("MPI_File_open", &[comm, name, amode, NONE]).0
}

fn close(tester: &Tester<'_, '_>, file: usize) {
    tester.ok("MPI_File_close", &[tester.arena.store(&[Handle(file)]).0]);
}

fn set_view(tester: &Tester<'_, '_>, file: usize, disp: usize, types: [usize; 2], name: &str) {
    let name = tester.arena.text(name).0;
    tester.ok("MPI_File_set_view", &[file, disp, types[0], types[1], name, NONE]);
}

/// The integers in a file of the host.
fn content(path: &Path) -> Vec<i32> {
    let bytes = fs::read(path).unwrap();
    bytes.chunks_exact(4).map(|four| i32::from_ne_bytes(four.try_into().unwrap())).collect()
}

/// The number of elements of a status.
fn count(tester: &Tester<'_, '_>, status: usize) -> i32 {
    tester.result("MPI_Get_count", &[status, INT])
}

#[test]
fn views_interleave_the_elements_of_processes() {
    let path = path("views");
    run(3, |tester| {
        let file = open(tester, WORLD, &path, RDWR_CREATE);
        // One of three integers, by a resized type.
        let Handle(one) = tester.result("MPI_Type_create_resized", &[INT, 0, 12]);
        tester.ok("MPI_Type_commit", &[tester.arena.store(&[Handle(one)]).0]);
        set_view(tester, file, 4 * (1 + tester.rank), [INT, one], "native");
        let mine: Vec<i32> = (0..4).map(|nth| 10 * tester.rank as i32 + nth).collect();
        let (buffer, status) = (tester.ints(&mine), tester.room(8));
        tester.ok("MPI_File_write_all", &[file, buffer, 4, INT, status]);
        assert_eq!(count(tester, status), 4);
        assert_eq!(tester.result::<i64>("MPI_File_get_position", &[file]), 4);
        assert_eq!(
            tester.result::<i64>("MPI_File_get_byte_offset", &[file, 2]),
            4 * (1 + tester.rank as i64 + 6)
        );
        tester.ok("MPI_Barrier", &[WORLD]);
        // The end of the view: 4 elements of each process.
        tester.ok("MPI_File_seek", &[file, -1_isize as usize, 402]);
        let got = tester.room(4);
        tester.ok("MPI_File_read", &[file, got, 2, INT, status]);
        assert_eq!((count(tester, status), tester.read(got, 1)), (1, vec![mine[3]]));
        tester.ok("MPI_File_read_at_all_begin", &[file, 1, got, 2, INT]);
        assert_eq!(tester.code("MPI_File_read_all_end", &[file, got, status]), 35);
        tester.ok("MPI_File_read_at_all_end", &[file, got, status]);
        assert_eq!(tester.read(got, 2), mine[1..3]);
        let (disp, types, name) =
            (tester.arena.alloc(8), tester.arena.alloc(16).0, tester.arena.alloc(128).0);
        tester.ok("MPI_File_get_view", &[file, disp.0, types, types + 8, name]);
        assert_eq!(tester.arena.one::<i64>(disp), 4 * (1 + tester.rank as i64));
        assert_eq!(
            (tester.arena.one::<Handle>(Address(types)).0, tester.string(name)),
            (INT, "native".into())
        );
        close(tester, file);
    });
    let expected: Vec<i32> =
        std::iter::once(0).chain((0..4).flat_map(|nth| [nth, 10 + nth, 20 + nth])).collect();
    assert_eq!(content(&path), expected);
    fs::remove_file(path).unwrap();
}

#[test]
fn blocks_of_a_matrix() {
    let path = path("matrix");
    run(4, |tester| {
        let file = open(tester, WORLD, &path, RDWR_CREATE);
        let (row, column) = (tester.rank / 2, tester.rank % 2);
        let [sizes, parts] = [[40, 40], [20, 20]].map(|values| tester.ints(&values));
        let starts = tester.ints(&[20 * row as i32, 20 * column as i32]);
        let words = [2, sizes, parts, starts, ORDER_C, INT];
        let Handle(block) = tester.result("MPI_Type_create_subarray", &words);
        tester.ok("MPI_Type_commit", &[tester.arena.store(&[Handle(block)]).0]);
        set_view(tester, file, 0, [INT, block], "internal");
        let element = |nth: usize| (40 * (20 * row + nth / 20) + 20 * column + nth % 20) as i32;
        let mine: Vec<i32> = (0..400).map(element).collect();
        tester.ok("MPI_File_write_at_all", &[file, 0, tester.ints(&mine), 400, INT, 0]);
        tester.ok("MPI_Barrier", &[WORLD]);
        let (got, status) = (tester.room(500), tester.room(8));
        tester.ok("MPI_File_read_all", &[file, got, 400, INT, status]);
        assert_eq!((count(tester, status), tester.read(got, 400)), (400, mine.clone()));
        // The second matrix is not there.
        tester.ok("MPI_File_read_at", &[file, 195, got, 300, INT, status]);
        assert_eq!((count(tester, status), tester.read(got, 205)), (205, mine[195..].to_vec()));
        tester.ok("MPI_File_seek", &[file, 0, 402]);
        assert_eq!(tester.result::<i64>("MPI_File_get_position", &[file]), 400);
        let far = 1_usize << 61;
        assert_eq!(tester.code("MPI_File_read_at", &[file, far, got, 1, INT, status]), 13);
        close(tester, file);
    });
    assert_eq!(content(&path), (0..1600).collect::<Vec<i32>>());
    fs::remove_file(path).unwrap();
}

#[test]
fn sequential_files_and_files_that_grow() {
    let path = path("sequential");
    run(2, |tester| {
        let file = open(tester, WORLD, &path, 2 + 64 + 256);
        let (mine, got) = (tester.ints(&[7, 8]), tester.room(4));
        assert_eq!(tester.code("MPI_File_write", &[file, mine, 1, INT, 0]), 55);
        tester.ok("MPI_File_write_ordered", &[file, mine, 2, INT, 0]);
        assert_eq!(tester.code("MPI_File_seek_shared", &[file, 0, SET]), 55);
        assert_eq!(tester.code("MPI_File_read_shared", &[file, got, 1, INT, 0]), 20);
        // The next view begins where the shared pointer is.
        set_view(tester, file, -1_isize as usize, [INT, INT], "native");
        tester.ok("MPI_File_write_ordered", &[file, tester.ints(&[tester.rank as i32]), 1, INT, 0]);
        close(tester, file);
        let file = open(tester, WORLD, &path, 1 + 32);
        assert_eq!(tester.result::<i64>("MPI_File_get_position_shared", &[file]), 24);
        tester.ok("MPI_File_write_ordered", &[file, mine, 1, INT, 0]);
        close(tester, file);
    });
    assert_eq!(content(&path), [7, 8, 7, 8, 0, 1, 7, 7]);
    fs::remove_file(path).unwrap();
}

#[test]
fn shared_pointers_and_ordered_accesses() {
    let path = path("shared");
    run(4, |tester| {
        let file = open(tester, WORLD, &path, RDWR_CREATE);
        set_view(tester, file, 0, [INT, INT], "native");
        let rank = tester.rank as i32;
        let (mine, status, request) = (tester.ints(&[rank; 4]), tester.room(8), tester.arena.alloc(8).0);
        // Rank r writes r + 1 integers.
        tester.ok("MPI_File_write_ordered", &[file, mine, tester.rank + 1, INT, status]);
        tester.ok("MPI_File_iwrite_shared", &[file, mine, 1, INT, request]);
        tester.ok("MPI_Wait", &[request, status]);
        assert_eq!(count(tester, status), 1);
        tester.ok("MPI_Barrier", &[WORLD]);
        assert_eq!(tester.result::<i64>("MPI_File_get_position_shared", &[file]), 14);
        tester.ok("MPI_File_seek_shared", &[file, 1, SET]);
        let got = tester.room(4);
        tester.ok("MPI_File_read_ordered_begin", &[file, got, 1, INT]);
        tester.ok("MPI_File_read_ordered_end", &[file, got, status]);
        assert_eq!(tester.read(got, 1), [[1, 1, 2, 2][tester.rank]]);
        // Two processes write a place at once; in atomic mode one of them is first.
        tester.ok("MPI_File_set_atomicity", &[file, 1]);
        tester.ok("MPI_File_write_at_all", &[file, 14, mine, 2, INT, 0]);
        tester.ok("MPI_Barrier", &[WORLD]);
        tester.ok("MPI_File_read_at", &[file, 14, got, 4, INT, status]);
        let both = tester.read(got, 2);
        assert_eq!((count(tester, status), both[0]), (2, both[1]));
        close(tester, file);
    });
    let mut all = content(&path);
    all.truncate(14);
    all[10..].sort_unstable();
    assert_eq!(all, [0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 0, 1, 2, 3]);
    fs::remove_file(path).unwrap();
}

#[test]
fn external_data_is_big_endian() {
    let path = path("external");
    run(1, |tester| {
        let file = open(tester, OWN, &path, RDWR_CREATE);
        set_view(tester, file, 0, [INT, INT], "external32");
        let (mine, got, status) = (tester.ints(&[1, 0x0203]), tester.room(4), tester.room(8));
        tester.ok("MPI_File_write", &[file, mine, 2, INT, 0]);
        tester.ok("MPI_File_read_at", &[file, 0, got, 4, INT, status]);
        assert_eq!((count(tester, status), tester.read(got, 2)), (2, vec![1, 0x0203]));
        assert_eq!(
            tester.code("MPI_File_set_view", &[file, 0, INT, INT, tester.arena.text("other").0, NONE]),
            54
        );
        close(tester, file);
    });
    assert_eq!(fs::read(&path).unwrap(), [0, 0, 0, 1, 0, 0, 2, 3]);
    fs::remove_file(path).unwrap();
}

#[test]
fn modes_sizes_and_errors() {
    let path = path("modes");
    run(2, |tester| {
        let name = tester.arena.text(path.to_str().unwrap()).0;
        let fh = tester.arena.alloc(8).0;
        let opened = |amode: usize| tester.code("MPI_File_open", &[WORLD, name, amode, NONE, fh]);
        // Errors of opening return: there is no file yet; two accesses; modes that differ.
        assert_eq!([opened(32), opened(48), opened(2 + 32 + 64)], [42, 21, 21]);
        assert_eq!(opened(34 + 4 * tester.rank), 40);
        assert_eq!(opened(2 + 8 + 32 + 4), 0);
        let file = tester.arena.one::<Handle>(Address(fh)).0;
        assert_eq!(tester.result::<i32>("MPI_File_get_amode", &[file]), 46);
        tester.ok("MPI_File_set_size", &[file, 100]);
        tester.ok("MPI_File_preallocate", &[file, 50]);
        assert_eq!(tester.result::<i64>("MPI_File_get_size", &[file]), 100);
        assert_eq!(tester.code("MPI_File_set_size", &[file, -1_isize as usize]), 13);
        assert_eq!(tester.code("MPI_File_seek", &[file, -1_isize as usize, SET]), 13);
        let again = tester.code("MPI_File_open", &[OWN, name, 2 + 8 + 32, NONE, tester.arena.alloc(8).0]);
        assert_eq!(again, 28);
        let only = open(tester, OWN, &path, 16 + 1);
        assert_eq!(tester.result::<i64>("MPI_File_get_position", &[only]), 100);
        let buffer = tester.room(4);
        assert_eq!(tester.code("MPI_File_write", &[only, buffer, 1, BYTE, 0]), 45);
        tester.ok("MPI_File_set_errhandler", &[only, abi::ERRORS_RETURN.0]);
        close(tester, only);
        tester.ok("MPI_Barrier", &[WORLD]);
        close(tester, file);
        assert_eq!(tester.code("MPI_File_read", &[file, buffer, 1, BYTE, 0]), 30);
        assert_eq!(tester.code("MPI_File_delete", &[name, NONE]), 42);
        let datarep =
            |name: &str| tester.code("MPI_Register_datarep", &[tester.arena.text(name).0, 0, 0, 0, 0]);
        assert_eq!([datarep("native"), datarep("own")], [27, 55]);
    });
    assert!(!path.exists());
}

#[test]
fn a_storage_serves_one_request_after_the_other() {
    let path = path("storage");
    let storage = Some(Storage { latency: Span::from_millis(1), bandwidth: 1e6 });
    let times = run_with(2, Settings { storage, ..Settings::default() }, |tester| {
        tester.ok("MPI_Init", &[0, 0]);
        let file = open(tester, WORLD, &path, RDWR_CREATE);
        let now = || tester.process.transport().now().unwrap();
        let (data, status) = (tester.room(250), tester.room(8));
        tester.ok("MPI_Barrier", &[WORLD]);
        let began = now();
        if tester.rank == 0 {
            tester.ok("MPI_File_write", &[file, data, 250, INT, 0]);
        } else {
            let (request, flag) = (tester.arena.alloc(8).0, tester.room(1));
            tester.ok("MPI_File_iwrite_at", &[file, 1000, data, 125, INT, request]);
            let Handle(of) = tester.arena.one(Address(request));
            tester.ok("MPI_Request_get_status", &[of, flag, 0]);
            assert_eq!(tester.read(flag, 1), [0]);
            tester.ok("MPI_Wait", &[request, status]);
            assert_eq!(count(tester, status), 125);
        }
        let written = now().since(began);
        tester.ok("MPI_Barrier", &[WORLD]);
        // An access of rank 0 to its own memory takes the send overhead, too.
        let began = now();
        tester.result::<i64>("MPI_File_get_position_shared", &[file]);
        let overhead = now().since(began);
        close(tester, file);
        tester.ok("MPI_Finalize", &[]);
        (written, overhead)
    });
    let (first, overhead) = times[0];
    // Both requests arrive at one instant: 1 ms and 1000 bytes, then 1 ms and 500 bytes.
    assert_eq!([first, times[1].0], [2000, 3500].map(|micros| overhead + Span::from_micros(micros)));
    fs::remove_file(path).unwrap();
}

#[test]
fn filetypes_that_overlap_are_read_only() {
    let path = path("overlap");
    fs::write(&path, (0..6_i32).flat_map(i32::to_ne_bytes).collect::<Vec<u8>>()).unwrap();
    run(1, |tester| {
        let indexed = |blocks: [i32; 2], places: [i32; 2]| {
            let (blocks, places) = (tester.ints(&blocks), tester.ints(&places));
            let made = tester.result::<Handle>("MPI_Type_indexed", &[2, blocks, places, INT]);
            tester.ok("MPI_Type_commit", &[tester.arena.store(&[made]).0]);
            made.0
        };
        let [overlapping, decreasing, negative] =
            [indexed([3, 1], [0, 1]), indexed([1, 1], [3, 0]), indexed([1, 1], [-2, 2])];
        let code = |file, etype, filetype| {
            let native = tester.arena.text("native").0;
            tester.code("MPI_File_set_view", &[file, 0, etype, filetype, native, NONE])
        };
        let file = open(tester, OWN, &path, RDWR_CREATE);
        for wrong in [overlapping, decreasing, negative] {
            assert_eq!([code(file, INT, wrong), code(file, wrong, wrong)], [Class::IO.0; 2]);
        }
        close(tester, file);
        let file = open(tester, OWN, &path, 16);
        assert_eq!([code(file, INT, decreasing), code(file, INT, negative)], [Class::IO.0; 2]);
        assert_eq!(code(file, INT, overlapping), 0);
        let (got, status) = (tester.room(10), tester.room(8));
        tester.ok("MPI_File_read", &[file, got, 10, INT, status]);
        // The second filetype begins at the third element, the third one at the end of the file.
        assert_eq!((count(tester, status), tester.read(got, 8)), (8, vec![0, 1, 2, 1, 3, 4, 5, 4]));
        close(tester, file);
    });
    fs::remove_file(path).unwrap();
}
