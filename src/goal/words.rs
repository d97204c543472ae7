//! Tokenizer: splits a text line by line into words, without comments, and keeps positions for errors.
//!
//! Only one line is in memory at a time, so a file may be larger than the memory.

use std::io::{BufRead, Read};

use super::error::{Problem, ReadError};
use crate::{input, text};

/// Maximum length of a line in bytes. The format needs a few hundred at most; the limit keeps a file without line
/// breaks from filling the memory.
pub(super) const MAX_BYTES: usize = 1 << 16;

/// The lexical class of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Part of a word.
    Plain,
    Blank,
    /// A one-byte word.
    Single,
    /// A slash: the start of a comment if `/` or `*` follows.
    Slash,
}

const KINDS: [Kind; 256] = {
    let mut kinds = [Kind::Plain; 256];
    let (mut byte, blanks) = (0, b" \t\n\r\x0c");
    while byte < blanks.len() {
        kinds[blanks[byte] as usize] = Kind::Blank;
        byte += 1;
    }
    kinds[b'{' as usize] = Kind::Single;
    kinds[b'}' as usize] = Kind::Single;
    kinds[b':' as usize] = Kind::Single;
    kinds[b'/' as usize] = Kind::Slash;
    kinds
};

/// A word, as a range of its line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word {
    start: u32,
    end: u32,
}

impl Word {
    pub(super) fn start(self) -> usize {
        self.start as usize
    }
}

/// The words of a text.
#[derive(Debug)]
pub(super) struct Words<R> {
    reader: R,
    buffer: Vec<u8>,
    at: usize,
    /// The word that was peeked at but not yet consumed.
    peeked: Option<Word>,
    line: u64,
    /// Whether the line begins within a comment.
    in_comment: bool,
}

impl<R: BufRead> Words<R> {
    pub(super) fn new(reader: R) -> Words<R> {
        Words { reader, buffer: Vec::new(), at: 0, peeked: None, line: 0, in_comment: false }
    }

    /// Reads the next line; returns false at the end of the text.
    pub(super) fn next_line(&mut self) -> Result<bool, ReadError> {
        self.buffer.clear();
        (self.at, self.peeked) = (0, None);
        self.line += 1;
        let line = (&mut self.reader).take(MAX_BYTES as u64 + 1).read_until(b'\n', &mut self.buffer)?;
        if line > MAX_BYTES {
            return Err(self.error(MAX_BYTES, Problem::LongLine { allowed: MAX_BYTES }));
        }
        Ok(line > 0)
    }

    /// Returns the next word of the line; braces and colons are separate words.
    #[inline]
    pub(super) fn next(&mut self) -> Option<Word> {
        match self.peeked.take() {
            Some(word) => Some(word),
            None => self.scan(),
        }
    }

    /// Returns the next word of the line without consuming it.
    #[inline]
    pub(super) fn peek(&mut self) -> Option<Word> {
        if self.peeked.is_none() {
            self.peeked = self.scan();
        }
        self.peeked
    }

    fn scan(&mut self) -> Option<Word> {
        loop {
            if self.in_comment {
                let end = self.buffer[self.at..].windows(2).position(|pair| pair == b"*/");
                self.in_comment = end.is_none();
                self.at = end.map_or(self.buffer.len(), |end| self.at + end + 2);
            }
            let start = self.pass(self.at, Kind::Blank);
            let mut end = self.pass(start, Kind::Plain);
            // A slash is part of a word unless a second byte makes it a comment.
            while self.kind(end) == Some(Kind::Slash)
                && !matches!(self.buffer.get(end + 1), Some(b'/' | b'*'))
            {
                end = self.pass(end + 1, Kind::Plain);
            }
            if end == start && self.kind(start) == Some(Kind::Single) {
                end += 1;
            }
            self.at = end;
            if end > start {
                return Some(Word { start: start as u32, end: end as u32 });
            }
            match self.buffer[start..] {
                [] => return None,
                [_, b'*', ..] => {
                    self.at += 2;
                    self.in_comment = true;
                }
                _ => self.at = self.buffer.len(),
            }
        }
    }

    #[inline]
    fn kind(&self, at: usize) -> Option<Kind> {
        self.buffer.get(at).map(|&byte| KINDS[byte as usize])
    }

    /// Returns the index after the run of bytes of a kind that starts at `at`.
    #[inline]
    fn pass(&self, mut at: usize, kind: Kind) -> usize {
        while self.kind(at) == Some(kind) {
            at += 1;
        }
        at
    }

    /// Returns the next word of this line, or else of the following lines.
    pub(super) fn next_anywhere(&mut self) -> Result<Option<Word>, ReadError> {
        loop {
            if let Some(word) = self.next() {
                return Ok(Some(word));
            }
            if !self.next_line()? {
                return Ok(None);
            }
        }
    }

    #[inline]
    pub(super) fn bytes(&self, word: Word) -> &[u8] {
        &self.buffer[word.start as usize..word.end as usize]
    }

    /// Returns the word as text for messages, shortened if it is long.
    pub(super) fn text(&self, word: Word) -> String {
        shown(self.bytes(word))
    }

    /// Returns the number of the line, from 1.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// Returns the column of a byte index of the line, in characters from 1.
    pub(super) fn column(&self, at: usize) -> u64 {
        let before = &self.buffer[..at.min(self.buffer.len())];
        String::from_utf8_lossy(before).chars().count() as u64 + 1
    }

    /// Creates an error at a byte index of the line.
    pub(super) fn error(&self, at: usize, problem: Problem) -> ReadError {
        // A control character is reported first: in a binary file it causes the other errors.
        let control = self.buffer.iter().position(input::is_control);
        let (at, problem) = match control {
            Some(at) => (at, Problem::Binary { byte: self.buffer[at] }),
            None => (at, problem),
        };
        ReadError::Text { line: self.line, column: self.column(at), problem }
    }

    /// Creates an error at the end of the line, before trailing blanks.
    pub(super) fn error_at_end(&self, problem: Problem) -> ReadError {
        self.error(self.buffer.trim_ascii_end().len(), problem)
    }
}

/// Formats a word for error messages, shortened because a word may be as long as a line.
pub(super) fn shown(word: &[u8]) -> String {
    text::shown(&String::from_utf8_lossy(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<(u64, u64, String)> {
        let mut words = Words::new(text.as_bytes());
        let mut found = Vec::new();
        while let Some(word) = words.next_anywhere().unwrap() {
            found.push((words.line(), words.column(word.start()), words.text(word)));
        }
        found
    }

    #[test]
    fn words_have_places_and_comments_have_none() {
        let text = "rank 0{ // a rank\n l1:send 8b /* and\n more */ to /**/1}";
        let found = words(text);
        let texts: Vec<&str> = found.iter().map(|(_, _, text)| text.as_str()).collect();
        assert_eq!(texts, ["rank", "0", "{", "l1", ":", "send", "8b", "to", "1", "}"]);
        assert_eq!((found[2].0, found[2].1), (1, 7));
        assert_eq!((found[7].0, found[7].1), (3, 10));
    }

    #[test]
    fn columns_are_characters() {
        assert_eq!(words("\u{e4}\u{e4} b")[1], (1, 4, "b".to_owned()));
    }

    #[test]
    fn a_line_must_end() {
        let text = "x".repeat(MAX_BYTES + 1);
        let error = Words::new(text.as_bytes()).next_anywhere().unwrap_err();
        assert!(error.to_string().starts_with("line 1, column 65537: "), "{error}");
        let text = format!("{} y", " ".repeat(MAX_BYTES - 2));
        assert_eq!(words(&text).len(), 1);
    }
}
