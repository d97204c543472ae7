//! Output of all ranks: whole lines, in the order of modeled time.
//!
//! A rank asks for its modeled time when it writes. Its line is printed when no rank can write an earlier line any more, which the run
//! [tells](Output::reach) many times a second, or at the end of the run. Lines of one instant are in the order of ranks. So the output of a
//! run that ends normally is the same in every run. Where a rank reads from standard input, it waits until its own output is printed: a
//! question is seen before its answer is read.

use std::{
    collections::BTreeMap,
    fmt,
    io::{self, Write},
    mem,
    time::Duration,
};

use multicomputer::Time;
use parking_lot::{Condvar, Mutex};

use crate::input::RunInput;

/// The order of lines: by modeled time, rank, and order of writing.
type Key = (Time, usize, u64);

/// The wall-clock time between two looks at the state of the run, for a rank that waits for its output.
const LOOK: Duration = Duration::from_millis(100);

/// A whole line, or the last part of one.
#[derive(Debug)]
struct Line {
    stream: Stream,
    bytes: Vec<u8>,
}

/// The output of all ranks of a run.
#[derive(Debug)]
pub(crate) struct Output {
    is_labelled: bool,
    captured: Option<Captured>,
    state: Mutex<State>,
    /// Is notified when lines have been printed.
    printed: Condvar,
}

/// Output that is not printed.
struct Captured {
    /// That of each rank.
    outputs: Vec<Mutex<Vec<u8>>>,
    /// What the run reads.
    input: RunInput,
}

impl fmt::Debug for Captured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Captured").field("ranks", &self.outputs.len()).finish_non_exhaustive()
    }
}

#[derive(Debug)]
struct State {
    /// For each rank, the begun lines of standard output and of standard error.
    begun: Vec<[Vec<u8>; 2]>,
    /// The time of each rank's last line.
    last: Vec<Time>,
    waiting: BTreeMap<Key, Line>,
    lines: u64,
}

/// The stream that a line belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    /// Standard output.
    Output,
    /// Standard error.
    Error,
}

impl Output {
    /// Prepares the output of `ranks` ranks; labelled lines begin with the rank in brackets.
    pub(crate) fn new(ranks: usize, is_labelled: bool) -> Output {
        let state = State {
            begun: (0..ranks).map(|_| Default::default()).collect(),
            last: vec![Time::ZERO; ranks],
            waiting: BTreeMap::new(),
            lines: 0,
        };
        Output { is_labelled, captured: None, state: Mutex::new(state), printed: Condvar::new() }
    }

    /// Prepares the output of `ranks` ranks that is not printed, but [kept](Output::take), and what the run reads.
    pub(crate) fn captured(ranks: usize, input: RunInput) -> Output {
        let outputs = (0..ranks).map(|_| Mutex::default()).collect();
        Output { captured: Some(Captured { outputs, input }), ..Output::new(ranks, false) }
    }

    /// Reads at most `most` bytes of the input of a run whose output is kept, and returns their number; `None` if the run reads standard input itself.
    pub(crate) fn read(&self, most: usize, take: impl FnOnce(&[u8])) -> Option<usize> {
        self.captured.as_ref().map(|captured| captured.input.read(most, take))
    }

    /// Takes what a rank has written and was not printed.
    pub(crate) fn take(&self, rank: usize) -> Vec<u8> {
        self.captured.as_ref().map_or_else(Vec::new, |captured| mem::take(&mut captured.outputs[rank].lock()))
    }

    /// Takes output of a rank at an instant; `None` is the instant of its last output.
    pub(crate) fn write(&self, rank: usize, stream: Stream, at: Option<Time>, bytes: &[u8]) {
        if let Some(captured) = &self.captured {
            captured.outputs[rank].lock().extend_from_slice(bytes);
            return;
        }
        let mut state = self.state.lock();
        let at = at.unwrap_or(state.last[rank]).max(state.last[rank]);
        state.last[rank] = at;
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
            let (line, next) = rest.split_at(end + 1);
            rest = next;
            let mut whole = mem::take(&mut state.begun[rank][stream as usize]);
            whole.extend_from_slice(line);
            state.add(rank, stream, self.labelled(rank, whole));
        }
        state.begun[rank][stream as usize].extend_from_slice(rest);
    }

    /// Notes that no line will be written before an instant, and none at this instant by a rank below `rank`; prints the lines before.
    pub(crate) fn reach(&self, at: Time, rank: usize) {
        let mut state = self.state.lock();
        let later = state.waiting.split_off(&(at, rank + 1, 0));
        print(mem::replace(&mut state.waiting, later));
        drop(state);
        self.printed.notify_all();
    }

    /// Prints all output of a rank, also a line without an end, when no other rank can write an earlier line, or when the run is over.
    pub(crate) fn ask(&self, rank: usize, is_over: impl Fn() -> bool) {
        let mut state = self.state.lock();
        self.add_begun(&mut state, rank);
        while state.waiting.keys().any(|(_, of, _)| *of == rank) && !is_over() {
            self.printed.wait_for(&mut state, LOOK);
        }
    }

    /// Prints all output, also lines without an end.
    pub(crate) fn flush(&self) {
        let mut state = self.state.lock();
        for rank in 0..state.begun.len() {
            self.add_begun(&mut state, rank);
        }
        print(mem::take(&mut state.waiting));
    }

    /// Adds the begun lines of a rank.
    fn add_begun(&self, state: &mut State, rank: usize) {
        for stream in [Stream::Output, Stream::Error] {
            let begun = mem::take(&mut state.begun[rank][stream as usize]);
            if !begun.is_empty() {
                let mut line = self.labelled(rank, begun);
                if self.is_labelled {
                    line.push(b'\n');
                }
                state.add(rank, stream, line);
            }
        }
    }

    fn labelled(&self, rank: usize, line: Vec<u8>) -> Vec<u8> {
        if !self.is_labelled {
            return line;
        }
        let mut labelled = format!("[{rank}] ").into_bytes();
        labelled.extend_from_slice(&line);
        labelled
    }
}

impl State {
    fn add(&mut self, rank: usize, stream: Stream, bytes: Vec<u8>) {
        self.waiting.insert((self.last[rank], rank, self.lines), Line { stream, bytes });
        self.lines += 1;
    }
}

/// Prints lines. Errors, such as a closed pipe, are ignored: output does not change a run.
fn print(lines: BTreeMap<Key, Line>) {
    if lines.is_empty() {
        return;
    }
    let (mut output, mut error) = (io::stdout().lock(), io::stderr().lock());
    let mut previous = Stream::Output;
    for Line { stream, bytes: line, .. } in lines.into_values() {
        if stream != previous {
            let _ = output.flush();
            previous = stream;
        }
        let _ = match stream {
            Stream::Output => output.write_all(&line),
            Stream::Error => error.write_all(&line),
        };
    }
    let _ = output.flush();
}
