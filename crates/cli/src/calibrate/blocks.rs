//! `calibrate --compute`: the time of a basic block on this host, for `run --compute counted:TIME`.
//!
//! Kernels in C are compiled by `multicomputer cc`, with and without `--count`, and run by `multicomputer run`: the first program counts the
//! blocks of each kernel, the second one, which counting does not slow down, measures its processor time.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::{self, Command},
};

use super::super::{
    error::Error,
    table::{Align, Table},
};

const SOURCE: &str = include_str!("kernels.c");

/// The number of runs by which times are measured.
const RUNS: usize = 5;

/// The time of a block in each kernel.
pub(super) struct Blocks {
    options: String,
    kernels: Vec<Kernel>,
}

struct Kernel {
    name: String,
    blocks: f64,
    /// Seconds, in ascending order.
    times: [f64; RUNS],
}

impl Kernel {
    /// The seconds of a block in the fastest, the median and the slowest run.
    fn per_block(&self) -> [f64; 3] {
        [0, RUNS / 2, RUNS - 1].map(|run| self.times[run] / self.blocks)
    }
}

/// Compiles the kernels with these options, runs and measures them.
pub(super) fn measure(options: &str) -> Result<Blocks, Error> {
    let folder = Folder::new().map_err(|cause| Error::usage(format!("no temporary folder: {cause}")))?;
    fs::write(folder.0.join("kernels.c"), SOURCE).map_err(Error::usage)?;
    let compile = |program: &str, counts: Option<&str>| {
        let arguments = ["cc"].into_iter().chain(options.split_whitespace()).chain(counts);
        command(&folder.0, &arguments.chain(["kernels.c", "-o", program]).collect::<Vec<_>>())
    };
    let run =
        |program, compute| command(&folder.0, &["run", "--quiet", "-n", "1", "--compute", compute, program]);
    compile("counted", Some("--count"))?;
    compile("plain", None)?;
    let counts = times(&run("./counted", "counted:1ns")?);
    let runs = (0..RUNS).map(|_| run("./plain", "measured")).collect::<Result<Vec<_>, _>>()?;
    let runs: Vec<Vec<(String, f64)>> = runs.iter().map(|text| times(text)).collect();
    let kernel = |(at, (name, nanoseconds)): (usize, (String, f64))| {
        let mut times =
            std::array::from_fn(|run| runs[run].get(at).map_or(f64::NAN, |(_, seconds)| *seconds));
        times.sort_unstable_by(f64::total_cmp);
        Kernel { name, blocks: (nanoseconds * 1e9).round(), times }
    };
    Ok(Blocks { options: options.to_owned(), kernels: counts.into_iter().enumerate().map(kernel).collect() })
}

/// The names and seconds that a program has printed.
fn times(text: &str) -> Vec<(String, f64)> {
    let pair = |line: &str| {
        let (name, seconds) = line.split_once(' ')?;
        Some((name.to_owned(), seconds.parse().ok()?))
    };
    text.lines().filter_map(pair).collect()
}

/// Runs a command of this program in a folder, and returns its standard output.
fn command(folder: &Path, arguments: &[&str]) -> Result<String, Error> {
    let failed = |cause: &dyn std::fmt::Display| {
        Error::usage(format!(
            "the kernels need a C compiler; `multicomputer {}` failed: {cause}\ninstall gcc, or name a compiler in MULTICOMPUTER_CC",
            arguments.join(" ")
        ))
    };
    let program = env::current_exe().map_err(|cause| failed(&cause))?;
    let output = Command::new(program).args(arguments).current_dir(folder).output();
    let output = output.map_err(|cause| failed(&cause))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(failed(&String::from_utf8_lossy(&output.stderr).trim_end())),
    }
}

/// A temporary folder, deleted when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new() -> io::Result<Folder> {
        let path = env::temp_dir().join(format!("multicomputer-kernels-{}", process::id()));
        fs::create_dir_all(&path)?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl std::fmt::Display for Blocks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let nanoseconds = |seconds: f64| format!("{:.2} ns", seconds * 1e9);
        let left = [("kernel", Align::Left)];
        let right = ["blocks", "time", "per block", "fastest", "slowest"].map(|title| (title, Align::Right));
        let mut table = Table::new(left.into_iter().chain(right));
        for kernel in &self.kernels {
            let [fastest, median, slowest] = kernel.per_block().map(nanoseconds);
            let time = format!("{:.2} ms", kernel.times[RUNS / 2] * 1e3);
            table.row([kernel.name.clone(), kernel.blocks.to_string(), time, median, fastest, slowest]);
        }
        let medians = || self.kernels.iter().map(|kernel| kernel.per_block()[1]);
        let mean = (medians().map(f64::ln).sum::<f64>() / self.kernels.len().max(1) as f64).exp();
        let (least, most) =
            medians().fold((f64::MAX, 0.0_f64), |(least, most), of| (least.min(of), most.max(of)));
        writeln!(
            f,
            "Basic blocks of kernels on this host, compiled with {}: medians of {RUNS} runs",
            self.options
        )?;
        write!(f, "{table}")?;
        writeln!(
            f,
            "Geometric mean of the kernels {}, from {} to {}",
            nanoseconds(mean),
            nanoseconds(least),
            nanoseconds(most)
        )?;
        writeln!(f, "multicomputer run --compute counted:{:.2}ns", mean * 1e9)
    }
}
