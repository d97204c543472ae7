//! Standard input of a check: each run reads the same bytes, from the first one on.
//!
//! Nothing is read before a program asks for it. What the first run to get there has read is kept for all others.

use std::{
    io::{self, Read},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use parking_lot::Mutex;

/// The number of bytes after which the input of a check ends, so that it takes no more memory.
const MAX_BYTES: usize = 64 << 20;

/// What has been read.
pub(crate) struct Input {
    source: Mutex<Source>,
}

struct Source {
    read: Vec<u8>,
    from: Box<dyn Read + Send>,
}

/// The input of one run.
pub(crate) struct RunInput {
    input: Arc<Input>,
    /// The number of bytes that the run has read.
    at: AtomicUsize,
}

impl Input {
    /// The standard input of this process.
    pub(crate) fn standard() -> Arc<Input> {
        Input::of(io::stdin())
    }

    fn of(from: impl Read + Send + 'static) -> Arc<Input> {
        Arc::new(Input { source: Mutex::new(Source { read: Vec::new(), from: Box::new(from) }) })
    }

    /// The input of another run, from the beginning.
    pub(crate) fn of_run(self: &Arc<Input>) -> RunInput {
        RunInput { input: self.clone(), at: AtomicUsize::new(0) }
    }
}

impl RunInput {
    /// Reads the next bytes, at most as many as given; returns their number, which is 0 at the end and after an error.
    pub(crate) fn read(&self, most: usize, take: impl FnOnce(&[u8])) -> usize {
        let Source { read, from } = &mut *self.input.source.lock();
        let at = self.at.load(Ordering::Relaxed);
        if at == read.len() {
            let mut more = vec![0; most.min(MAX_BYTES - at)];
            let length = from.read(&mut more).unwrap_or(0);
            read.extend_from_slice(&more[..length]);
        }
        let next = &read[at..read.len().min(at + most)];
        take(next);
        self.at.store(at + next.len(), Ordering::Relaxed);
        next.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_run_reads_all() {
        let input = Input::of(&b"one two three"[..]);
        let (first, second) = (input.of_run(), input.of_run());
        let read = |run: &RunInput, most| {
            let mut text = String::new();
            run.read(most, |bytes| text.push_str(std::str::from_utf8(bytes).unwrap()));
            text
        };
        assert_eq!(read(&first, 4), "one ");
        assert_eq!((read(&second, 64), read(&second, 64)), ("one ".to_owned(), "two three".to_owned()));
        assert_eq!((read(&second, 64), read(&first, 3)), (String::new(), "two".to_owned()));
    }
}
