//! `multicomputer check`: what is wrong with an MPI program, in any order of arrival.

use std::{
    ffi::OsString,
    io::Write,
    path::{Path, PathBuf},
    time::Duration,
};

use clap::{Args, ValueHint};
use multicomputer::{Machine, explore::Order, plan::Effort};
use multicomputer_mpi_abi::{CheckOptions, Checked, Finding, Line, Options, Program};
use serde_json::{Value, json};

use super::{
    error::Error,
    files::{JsonFile, TextFile, output_file},
    options::{read_bytes, read_limit},
    run::Where,
};

const EXAMPLES: &str = "\
Examples:
  multicomputer cc -g jacobi.c -o jacobi                      -g lets findings name source lines
  multicomputer check -n 4 ./jacobi 100                       on 4 ranks, with small problems there are fewer orders
  multicomputer check -n 4 --save wrong.order ./jacobi 100    write an order of arrival that shows the first finding
  multicomputer run -n 4 --order wrong.order --svg wrong.svg ./jacobi 100
                                                              run with this order, and draw it

The program is run once for every order of arrival that can make a difference. Its output is not printed. Exit status: \
0 nothing was found in any order, 1 the program is wrong, 2 wrong arguments, 3 nothing was found, but not all orders \
were tried.";

/// The exit status if the program is wrong.
const WRONG: u8 = 1;

/// The exit status if nothing was found before a limit was reached.
const SPENT: u8 = 3;

/// Arguments of the command.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Check this program, which `multicomputer cc`, `c++` or `fortran` has linked, with these arguments
    #[arg(value_name = "PROGRAM", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    program: Vec<OsString>,

    #[command(flatten)]
    on: Where,

    /// Set the maximum number of runs
    #[arg(long, value_name = "NUMBER", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,

    /// Begin no run after this wall-clock time
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = read_limit)]
    time: Duration,

    /// Write the order of arrival of the first finding, for `multicomputer run --order`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    save: Option<PathBuf>,

    /// Write the verdict with all findings as a JSON object; - is standard output, instead of the text
    #[arg(long, value_name = "FILE", value_parser = output_file("JSON"))]
    json: Option<PathBuf>,

    /// Set the stack size of each rank
    #[arg(long, value_name = "BYTES", default_value = "16M", value_parser = read_bytes)]
    stack: u64,
}

/// Checks the program.
pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Error> {
    let spec = arguments.on.spec()?;
    let save = arguments.save.as_deref().map(TextFile::create).transpose()?;
    let json = JsonFile::create(arguments.json.as_deref())?;
    let program = Program::load(arguments.program.first().map_or(Path::new(""), Path::new))?;
    let machine =
        Machine::builder(spec).effort(Effort::Estimate).stack_size(arguments.stack as usize).build();
    let machine = machine.map_err(Error::usage)?;
    let mut options = Options::default();
    options.ranks = arguments.on.ranks();
    options.arguments = arguments.program.iter().skip(1).cloned().collect();
    let mut limits = CheckOptions::default();
    (limits.runs, limits.host_time) = (arguments.runs, Some(arguments.time));
    let checked = program.check(&machine, &options, limits)?;
    json.write(&[object(&checked, options.ranks.unwrap_or(machine.spec().nodes()))])?;
    if arguments.json.as_deref() != Some(Path::new("-")) {
        writeln!(out, "{checked}")?;
    }
    if let (Some(file), Some((_, order))) = (save, checked.findings.first()) {
        file.write(&format!("{order}\n"))?;
    }
    match (checked.is_right(), checked.is_complete) {
        (false, _) => Err(Error::Exit { status: WRONG }),
        (true, false) => Err(Error::Exit { status: SPENT }),
        (true, true) => Ok(()),
    }
}

/// The result as JSON.
fn object(checked: &Checked, ranks: usize) -> Value {
    let verdict = match (checked.is_right(), checked.is_complete) {
        (false, _) => "wrong",
        (true, false) => "unknown",
        (true, true) => "right",
    };
    let line = |line: &Line| {
        let (file, number) = line.place.as_deref().and_then(|place| place.rsplit_once(':')).unzip();
        let number = number.and_then(|number| number.parse::<u32>().ok());
        json!({ "rank": line.rank, "function": line.function, "file": file, "line": number })
    };
    let finding = |(finding, order): &(Finding, Order)| {
        json!({
            "kind": finding.kind.to_string(),
            "text": finding.text,
            "ranks": finding.ranks,
            "at": finding.at.as_ref().map(line),
            "see": finding.others.iter().map(line).collect::<Vec<_>>(),
            "details": finding.details,
            "help": finding.help,
            "order": order.to_string(),
        })
    };
    json!({
        "verdict": verdict,
        "ranks": ranks,
        "runs": checked.orders,
        "is_complete": checked.is_complete,
        "covered": checked.covered,
        "findings": checked.findings.iter().map(finding).collect::<Vec<_>>(),
    })
}
