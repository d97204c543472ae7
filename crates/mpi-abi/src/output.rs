//! Output of all ranks: whole lines, in the order of modeled time.
//!
//! A rank asks for its modeled time when it writes. A line waits until every other rank has written at a later instant or has ended, since a rank
//! that is behind may still write an earlier line. So that a long run shows its progress, a line also waits no longer than half a second of
//! wall-clock time. Lines of one instant are in the order of ranks. Output of ranks that run at about the same speed on the host is therefore the
//! same in every run.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    mem,
    time::{Duration, Instant},
};

use multicomputer::Time;
use parking_lot::Mutex;

/// The order of lines: by modeled time, rank, and order of writing.
type Key = (Time, usize, u64);

/// The wall-clock time that a line waits at most for lines of earlier instants.
const PATIENCE: Duration = Duration::from_millis(500);

/// A whole line, and when it was written.
#[derive(Debug)]
struct Line {
    stream: Stream,
    bytes: Vec<u8>,
    written: Instant,
}

/// The output of all ranks of a run.
#[derive(Debug)]
pub(crate) struct Output {
    is_labelled: bool,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// For each rank, the begun lines of standard output and of standard error.
    begun: Vec<[Vec<u8>; 2]>,
    /// The time of each rank's last line.
    last: Vec<Time>,
    waiting: BTreeMap<Key, Line>,
    lines: u64,
    has_ended: Vec<bool>,
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
        let begun = (0..ranks).map(|_| Default::default()).collect();
        let state = State {
            begun,
            last: vec![Time::ZERO; ranks],
            waiting: BTreeMap::new(),
            lines: 0,
            has_ended: vec![false; ranks],
        };
        Output { is_labelled, state: Mutex::new(state) }
    }

    /// Takes output of a rank at an instant; `None` is the instant of its last output.
    pub(crate) fn write(&self, rank: usize, stream: Stream, at: Option<Time>, bytes: &[u8]) {
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
        state.print_complete();
    }

    /// Notes that the program of a rank has ended.
    pub(crate) fn end(&self, rank: usize) {
        let mut state = self.state.lock();
        state.has_ended[rank] = true;
        state.print_complete();
    }

    /// Prints lines that have waited long enough.
    pub(crate) fn print_old(&self) {
        let mut state = self.state.lock();
        let now = Instant::now();
        let is_old = |line: &Line| now.saturating_duration_since(line.written) >= PATIENCE;
        let last = state.waiting.iter().rev().find(|(_, line)| is_old(line)).map(|(key, _)| *key);
        if let Some((at, rank, number)) = last {
            state.print_before((at, rank, number + 1));
        }
    }

    /// Prints all output, also lines without an end.
    pub(crate) fn flush(&self) {
        let mut state = self.state.lock();
        for rank in 0..state.begun.len() {
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
        print(mem::take(&mut state.waiting));
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
    fn add(&mut self, rank: usize, stream: Stream, line: Vec<u8>) {
        let line = Line { stream, bytes: line, written: Instant::now() };
        self.waiting.insert((self.last[rank], rank, self.lines), line);
        self.lines += 1;
    }

    /// Prints the lines before which no other can come.
    fn print_complete(&mut self) {
        let running = self.last.iter().zip(&self.has_ended).filter(|(_, has_ended)| !**has_ended);
        let at = running.map(|(last, _)| *last).min().unwrap_or(Time::MAX);
        self.print_before((at, 0, 0));
    }

    fn print_before(&mut self, key: Key) {
        let later = self.waiting.split_off(&key);
        print(mem::replace(&mut self.waiting, later));
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
