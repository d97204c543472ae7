//! The file of a schedule: GOAL, its binary form, or time-independent traces of SMPI.

use std::{
    fs::File,
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
};

use multicomputer::{goal::Program, input, model::MachineSpec, smpi::Trace};

use super::super::error::Error;

/// The bytes that are read from a file at a time.
const READ_BUFFER: usize = 1 << 16;

/// What a file holds.
#[derive(Debug)]
pub(super) enum Source {
    /// A program in GOAL.
    Goal(Program),
    /// A time-independent trace.
    Trace(Trace),
}

impl Source {
    /// Reads a file, or standard input for `-`. The first line with content decides: one that begins with a rank is of a trace, the name of a
    /// file is of a list of traces.
    pub(super) fn read(path: &Path) -> Result<Source, Error> {
        if path == Path::new("-") {
            return of_reader(path, io::stdin().lock());
        }
        let file = File::open(path).map_err(|cause| unreadable(path, cause))?;
        let mut reader = BufReader::with_capacity(READ_BUFFER, file);
        let folder = path.parent().unwrap_or(Path::new(""));
        let first = first_line(path, &mut reader)?;
        let is_list = !first.is_empty() && folder.join(&first).is_file();
        if !is_list {
            return of_reader(path, reader);
        }
        let list = input::read(path).map_err(|cause| unreadable(path, cause))?;
        let names = list.lines().map(str::trim).filter(|name| !name.is_empty() && !name.starts_with('#'));
        let files: Vec<PathBuf> = names.map(|name| folder.join(name)).collect();
        let texts = files.iter().map(|file| input::read(file).map_err(|cause| unreadable(file, cause)));
        trace(&files, &texts.collect::<Result<Vec<String>, _>>()?)
    }

    /// Returns the program for a machine, whose nodes compute at this rate in flop/s.
    pub(super) fn program(self, machine: &MachineSpec, flops: Option<f64>) -> Result<Program, Error> {
        match self {
            Source::Goal(program) => Ok(program),
            Source::Trace(trace) => trace.program(machine, flops).map_err(Error::usage),
        }
    }

    /// Returns whether sends end when their messages have left, unless the user says otherwise.
    pub(super) fn is_blocking(&self) -> bool {
        matches!(self, Source::Trace(_))
    }
}

fn unreadable(path: &Path, cause: io::Error) -> Error {
    Error::usage(format!("{} cannot be read: {cause}", path.display()))
}

/// Returns the first line with content that is in the buffer, without taking it.
fn first_line(path: &Path, reader: &mut impl BufRead) -> Result<String, Error> {
    let buffer = reader.fill_buf().map_err(|cause| unreadable(path, cause))?;
    let text = String::from_utf8_lossy(buffer);
    let mut lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    Ok(lines.find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or_default().to_owned())
}

fn of_reader(path: &Path, mut reader: impl BufRead) -> Result<Source, Error> {
    let is_trace = first_line(path, &mut reader)?.starts_with(|first: char| first.is_ascii_digit());
    if !is_trace {
        let program = Program::read(reader);
        return program
            .map(Source::Goal)
            .map_err(|cause| Error::usage(format!("{}: {cause}", path.display())));
    }
    let text = io::read_to_string(reader).map_err(|cause| unreadable(path, cause))?;
    trace(&[path.to_owned()], &[text])
}

fn trace(files: &[PathBuf], texts: &[String]) -> Result<Source, Error> {
    Trace::read(texts)
        .map(Source::Trace)
        .map_err(|cause| Error::usage(format!("{}, {cause}", files[cause.text].display())))
}

/// Reads a rate in flop/s: `1e9`, `2.5G`, `1Gf`.
pub(super) fn rate(text: &str) -> Result<f64, String> {
    let unreadable =
        || format!("`{text}` is not a rate in flop/s such as 2.5G (k, M, G, T and P are powers of 1000)");
    let number =
        text.trim().trim_end_matches("flop/s").trim_end_matches("flops").trim_end_matches('f').trim_end();
    let power = |(prefix, power): (char, i32)| number.strip_suffix(prefix).map(|number| (number, power));
    let prefixes = [('k', 3), ('M', 6), ('G', 9), ('T', 12), ('P', 15)];
    let (number, power) = prefixes.into_iter().find_map(power).unwrap_or((number, 0));
    let rate = number.trim().parse::<f64>().map_err(|_| unreadable())? * 10_f64.powi(power);
    if rate > 0.0 && rate.is_finite() { Ok(rate) } else { Err(unreadable()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_have_prefixes() {
        for (text, expected) in
            [("1e9", 1e9), ("2.5G", 2.5e9), ("1Gf", 1e9), ("3 Tflop/s", 3e12), ("100Mf", 1e8)]
        {
            assert_eq!(rate(text), Ok(expected), "{text}");
        }
        for text in ["", "0", "-1G", "fast", "1X"] {
            assert!(rate(text).is_err(), "{text}");
        }
    }
}
