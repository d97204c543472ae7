//! MPI programs in C, C++ and Fortran, compiled by the wrappers and run on machines. A test is skipped, and says so, without a compiler.

#![cfg(all(target_os = "linux", target_env = "gnu", any(target_arch = "x86_64", target_arch = "aarch64")))]

mod check;
mod twins;

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

mod nx;

const MULTICOMPUTER: &str = env!("CARGO_BIN_EXE_multicomputer");

/// A folder for the files of one test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs").join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(MULTICOMPUTER);
        command.args(arguments).current_dir(&self.0).env_remove("RUST_LOG");
        command.env("MULTICOMPUTER_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("home"));
        command
    }

    /// Compiles a program; returns whether there is a compiler.
    fn compile(&self, wrapper: &str, compiler: &str, source: &str, options: &[&str]) -> bool {
        if !Command::new(compiler).arg("--version").output().is_ok_and(|output| output.status.success()) {
            println!("SKIPPED: there is no {compiler} here");
            return false;
        }
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(source);
        fs::copy(path, self.0.join(source)).unwrap();
        let arguments = [&[wrapper, source, "-o", "program"], options].concat();
        let output = self.command(&arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        true
    }

    fn run(&self, arguments: &[&str], input: &str) -> Ended {
        let mut command = self.command(&[&["run", "--quiet"], arguments].concat());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        Ended::of(&child.wait_with_output().unwrap())
    }
}

/// The status, standard output and standard error.
#[derive(Debug, PartialEq)]
struct Ended(Option<i32>, String, String);

impl Ended {
    fn of(output: &Output) -> Ended {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ended(output.status.code(), text(&output.stdout), text(&output.stderr))
    }
}

#[test]
fn ranks_have_their_own_state_and_modeled_time() {
    let folder = Folder::new("state");
    if !folder.compile("cc", "gcc", "state.c", &["-O2"]) {
        return;
    }
    let ended = folder.run(&["-n", "3", "./program", "-a", "file", "-b", "4"], "");
    let line = |rank: i32| {
        format!(
            "rank {rank} of 3: {} {}, options 5, rest file, three, variable {rank}, again 1, in /usr {}\n",
            5 + rank,
            7 + rank,
            i32::from(rank == 1)
        )
    };
    let mut lines: Vec<&str> = ended.1.split_inclusive('\n').collect();
    lines.sort_unstable();
    let expected = ["bye 5\n", "bye 6\n", "bye 7\n", &line(0), &line(1), &line(2)];
    assert_eq!((ended.0, lines, &ended.2[..]), (Some(0), expected.to_vec(), ""));
    // Output is in the order of modeled time, the same in every run.
    assert_eq!(folder.run(&["-n", "3", "./program", "-a", "file", "-b", "4"], ""), ended);
}

#[test]
fn every_end_has_its_status_and_one_message() {
    let folder = Folder::new("end");
    if !folder.compile("cc", "gcc", "end.c", &[]) {
        return;
    }
    for (way, status, message) in [
        ("none", 0, ""),
        ("return", 3, ""),
        ("exit", 9, "error: rank 2 ended with status 9 before it called MPI_Finalize\n"),
        ("abort", 134, "error: rank 2 called abort; last call: MPI_Barrier at end.c:14\n"),
        ("mpi-abort", 7, "error: rank 2 called MPI_Abort with code 7 at end.c:25\n"),
        (
            "crash",
            139,
            "multicomputer: rank 2 crashed: SIGSEGV, invalid memory access at address 0x8, in end.c:19; last call: \
             MPI_Barrier at end.c:14\n",
        ),
    ] {
        let ended = folder.run(&["-n", "4", "./program", way], "");
        assert_eq!((ended.0, &ended.2[..]), (Some(status), message), "{way}");
    }
    for (way, status, parts) in [
        ("assert", 134, ["end.c:23: main: Assertion `rank != 2' failed.", "rank 2 called abort"]),
        ("error", 1, ["MPI_Send", "at end.c:27"]),
        ("deadlock", 1, ["cycle: 0 -> 1 -> 2 -> 3 -> 0", "(MPI_Recv at end.c:29)"]),
    ] {
        let ended = folder.run(&["-n", "4", "./program", way], "");
        assert_eq!(ended.0, Some(status), "{way}: {}", ended.2);
        parts.iter().for_each(|part| assert!(ended.2.contains(part), "{way}: {}", ended.2));
    }
    // The same file, started by itself.
    let direct = Command::new(folder.0.join("program")).arg("none").output().unwrap();
    let direct = Ended::of(&direct);
    assert!(direct.0 == Some(1) && direct.2.contains("multicomputer run -n 4"), "{direct:?}");
}

#[test]
fn a_schedule_in_goal_takes_the_time_of_the_run() {
    let folder = Folder::new("goal");
    if !folder.compile("cc", "gcc", "schedule.c", &[]) {
        return;
    }
    for machine in ["paragon:2x4", "complete:6", "h100-cluster:1"] {
        let goal = ["run", "--machine", machine, "--goal", "run.goal", "./program"];
        let ran = Ended::of(&folder.command(&goal).output().unwrap());
        let time = ran.2.split("modeled time ").nth(1).and_then(|rest| rest.split(',').next());
        let time = time.unwrap_or_else(|| panic!("{}", ran.2));
        let replay = ["goal", "run.goal", "--machine", machine, "--sends", "blocking"];
        let replayed = Ended::of(&folder.command(&replay).output().unwrap());
        assert!(replayed.1.contains(&format!("modeled time   {time}\n")), "{machine}: {time}; {replayed:?}");
    }
    let ended =
        folder.run(&["--machine", "complete:6", "--goal", "a.goal", "--rendezvous", "--", "./program"], "");
    assert!(ended.0 == Some(2) && ended.2.contains("rendezvous"), "{ended:?}");
}

#[test]
fn threads_call_one_at_a_time() {
    let folder = Folder::new("threads");
    if !folder.compile("cc", "gcc", "threads.c", &["-pthread", "-fopenmp"]) {
        return;
    }
    let ended = folder.run(&["-n", "3", "./program"], "");
    let mut lines: Vec<String> = ended.1.lines().map(str::to_owned).collect();
    lines.sort_unstable();
    let of_rank = |rank: usize| [format!("rank {rank}: 1")];
    let of_thread =
        |tag: usize| (0..3).map(move |rank| format!("thread {tag} of {rank}: {} 0", (rank + 2) % 3));
    let expected: Vec<String> = (0..3).flat_map(of_rank).chain((0..3).flat_map(of_thread)).collect();
    assert_eq!((ended.0, lines, &ended.2[..]), (Some(0), expected, ""));
    // The thread that runs `main` waits in pthread_join when another one learns that the run is over.
    let ended = folder.run(&["-n", "3", "./program", "never"], "");
    assert!(ended.0 == Some(1) && ended.2.contains("MPI_Wait at threads.c:2"), "{ended:?}");
    // The other threads of the team wait for the one that leaves.
    let ended = folder.run(&["-n", "3", "./program", "team"], "");
    assert!(ended.0 == Some(1) && ended.2.contains("MPI_Recv at threads.c:"), "{ended:?}");
}

#[test]
fn lines_are_in_the_order_of_modeled_time() {
    let folder = Folder::new("lines");
    if !folder.compile("cc", "gcc", "lines.c", &[]) {
        return;
    }
    let ended = folder.run(&["-n", "5", "./program"], "answer\n");
    let steps = (0..4).flat_map(|step| (0..5).rev().map(move |rank| format!("step {step} of {rank}\n")));
    let expected: String = steps.chain(["question: answer\n".into()]).collect();
    assert_eq!(ended, Ended(Some(0), expected, String::new()));
}

#[test]
fn errors_of_collective_calls_name_the_lines_of_the_program() {
    let folder = Folder::new("mismatch");
    if !folder.compile("cc", "gcc", "end.c", &[]) {
        return;
    }
    let ended = folder.run(&["-n", "4", "./program", "mismatch"], "");
    let places = ["(MPI_Bcast at end.c:31)", "(MPI_Barrier at end.c:33)"];
    assert!(ended.0 == Some(1) && places.iter().all(|place| ended.2.contains(place)), "{ended:?}");
}

#[test]
fn cpp_has_its_own_objects_and_streams() {
    let folder = Folder::new("objects");
    if !folder.compile("c++", "g++", "objects.cc", &["-O1", "-pthread"]) {
        return;
    }
    let ended = folder.run(&["-n", "3", "--label-output", "./program"], "a\nb\n");
    let mut lines: Vec<&str> = ended.1.lines().collect();
    lines.sort_unstable();
    let expected = [
        "[0] destructor 0",
        "[0] read a",
        "[0] read b",
        "[0] thread of 0",
        "[0] thrown 0 0 3.1",
        "[1] destructor 1",
        "[1] thread of 1",
        "[1] thrown 1 1 3.14",
        "[2] destructor 2",
        "[2] thread of 2",
        "[2] thrown 2 2 3.142",
    ];
    assert_eq!((ended.0, lines, &ended.2[..]), (Some(0), expected.to_vec(), ""));
    let ended = folder.run(&["-n", "3", "./program", "throw"], "");
    assert_eq!(ended.0, Some(134));
    assert!(ended.2.contains("what():  uncaught") && ended.2.contains("rank 1 called abort"), "{}", ended.2);
}

#[test]
fn fortran_has_its_own_units() {
    let folder = Folder::new("units");
    if !folder.compile("fortran", "gfortran", "units.f90", &["-O1"]) {
        return;
    }
    let ended = folder.run(&["-n", "3", "./program"], "");
    let mut lines: Vec<&str> = ended.1.lines().collect();
    lines.sort_unstable();
    let expected = ["rank 0 7 7 14", "rank 1 8 8 16", "rank 2 9 9 18", "total 24"];
    assert_eq!((ended.0, lines, &ended.2[..]), (Some(0), expected.to_vec(), ""));
    let ended = folder.run(&["-n", "3", "./program", "stop"], "");
    assert!(ended.0 == Some(5) && ended.2.contains("STOP 5"), "{ended:?}");
    // What was written before an error of MPI is not lost, and the error names its rank once.
    let ended = folder.run(&["-n", "1", "./program", "error"], "");
    assert_eq!((ended.0, &ended.1[..]), (Some(1), "rank 0 7 7 14\ntotal 7\n"), "{}", ended.2);
    let error = "error: rank 0, MPI_Send: argument `dest`: 99 is no rank of MPI_COMM_WORLD";
    assert!(ended.2.starts_with(error) && ended.2.matches("rank 0,").count() == 1, "{}", ended.2);
    let ended = folder.run(&["-n", "2", "--machine", "complete:1", "./program"], "");
    assert!(ended.2.contains("2 ranks were given, and the machine has 1 node: give no more"), "{}", ended.2);
}

#[test]
fn counted_computation_is_the_same_in_every_run() {
    let folder = Folder::new("counted");
    if !folder.compile("cc", "gcc", "state.c", &["--count"]) {
        return;
    }
    let time = || {
        let arguments = ["run", "-n", "2", "--compute", "counted:100ns", "./program", "x"];
        let output = Ended::of(&folder.command(&arguments).output().unwrap());
        assert_eq!(output.0, Some(0), "{}", output.2);
        let text = output.2;
        let end = text.find(", on this host").unwrap_or(text.len());
        text[..end].to_owned()
    };
    let first = time();
    assert!(first.contains("modeled time 2.50"), "{first}");
    assert_eq!(time(), first);
    let free = folder.command(&["run", "-n", "2", "./program", "x"]).output().unwrap();
    assert!(!Ended::of(&free).2.starts_with(&first));
}

#[test]
fn programs_state_and_sample_their_computation() {
    let folder = Folder::new("computation");
    if !folder.compile("cc", "gcc", "computation.c", &["--count"]) {
        return;
    }
    let lines = |text: &str| -> String { (0..4).map(|rank| format!("rank {rank}: {text}\n")).collect() };
    let sorted = |arguments: &[&str]| {
        let ended = folder.run(&[&["-n", "4"], arguments].concat(), "");
        assert_eq!((ended.0, &ended.2[..]), (Some(0), ""));
        let mut lines: Vec<&str> = ended.1.split_inclusive('\n').collect();
        lines.sort_unstable();
        lines.concat()
    };
    assert_eq!(sorted(&["./program"]), lines("0.250000000 s; 3, 3 and 2 executions"));
    // The sampled loop is charged what the other one is charged, but for the blocks of the macro.
    let counted = ["--compute", "counted:2ns", "./program", "ratio"];
    let expected = lines("0.250000000 s; sampled by executed 1.00; 3, 3 and 8 executions");
    assert_eq!(sorted(&counted), expected);
    let measured = sorted(&["--compute", "measured", "./program"]);
    assert!(measured.matches("; 3, 3 and").count() == 4, "{measured}");
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("../mpi-abi/include/multicomputer.h");
    let without = "#include \"multicomputer.h\"\nint main(void) { MC_Compute(1); MC_SAMPLE_LOCAL(2, 0) { return 0; } return 1; }\n";
    fs::copy(header, folder.0.join("multicomputer.h")).unwrap();
    fs::write(folder.0.join("without.c"), without).unwrap();
    let compiled = Command::new("gcc").args(["without.c", "-o", "without"]).current_dir(&folder.0).status();
    assert!(compiled.unwrap().success());
    assert!(Command::new(folder.0.join("without")).status().unwrap().success());
    let folder = Folder::new("computation-fortran");
    if folder.compile("fortran", "gfortran", "computation.F90", &[]) {
        assert_eq!(folder.run(&["-n", "2", "./program"], ""), Ended(Some(0), String::new(), String::new()));
    }
}

#[test]
fn the_time_of_a_block_is_measured() {
    let folder = Folder::new("blocks");
    let mut missing = folder.command(&["calibrate", "--compute"]);
    let missing = Ended::of(&missing.env("MULTICOMPUTER_CC", "no-such-compiler").output().unwrap());
    let parts = ["need a C compiler", "no-such-compiler cannot be started", "MULTICOMPUTER_CC"];
    assert!(missing.0 == Some(2) && parts.iter().all(|part| missing.2.contains(part)), "{missing:?}");
    if !folder.compile("cc", "gcc", "lines.c", &[]) {
        return;
    }
    let measured = || Ended::of(&folder.command(&["calibrate", "--compute=-O1"]).output().unwrap());
    let (first, second) = (measured(), measured());
    let blocks = |ended: &Ended| -> Vec<(String, u64)> {
        let rows = ended.1.lines().skip(2).take(6).map(|row| row.split_whitespace().collect::<Vec<_>>());
        rows.map(|row| (row[0].to_owned(), row[1].parse().unwrap())).collect()
    };
    let names: Vec<String> = blocks(&first).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["triad", "stencil", "matrix", "sparse", "sort", "queue"]);
    assert_eq!(blocks(&first), blocks(&second));
    // A block of each step of the innermost loop at least.
    assert!(blocks(&first).iter().all(|(_, blocks)| (1_000_000..100_000_000).contains(blocks)), "{first:?}");
    let time =
        first.1.trim_end().rsplit_once("--compute counted:").and_then(|(_, time)| time.strip_suffix("ns"));
    let time: f64 = time.unwrap().parse().unwrap();
    assert!(time > 0.0 && time < 1000.0, "{time}");
}

#[test]
fn other_files_are_refused() {
    let folder = Folder::new("refused");
    let ended = folder.run(&["-n", "2", "/bin/true"], "");
    assert!(ended.0 == Some(2) && ended.2.contains("multicomputer cc"), "{ended:?}");
    let ended = folder.run(&["-n", "2", "./missing"], "");
    assert!(ended.0 == Some(2) && ended.2.contains("cannot read ./missing"), "{ended:?}");
    let ended = folder.run(&["/bin/true"], "");
    assert!(ended.0 == Some(2) && ended.2.contains("give the number of ranks"), "{ended:?}");
}

#[test]
fn commands_are_shown() {
    let folder = Folder::new("shown");
    let shown = Ended::of(&folder.command(&["cc", "-show", "-c", "a.c"]).output().unwrap());
    assert!(shown.0 == Some(0) && shown.1.starts_with("gcc -g1 -c a.c -fPIC"), "{shown:?}");
    let shown = Ended::of(&folder.command(&["cc", "-show", "a.c"]).output().unwrap());
    assert!(shown.1.contains("libmpi_abi.so.0") && shown.1.contains("-Wl,-e,_start"), "{shown:?}");
}
