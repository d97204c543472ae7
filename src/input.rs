//! Text files that are read: of bounded size, and with errors that say where a file is no text.

use std::{
    fs::File,
    io::{self, ErrorKind, Read},
    path::Path,
};

use thiserror::Error;

/// The largest file that is read, in bytes: 256 MiB. The largest of use, a matrix of 8,000 x 8,000 numbers, is within it, and
/// a device or a pipe without end does not fill the memory.
pub const MOST_BYTES: u64 = 256 << 20;

/// The reason why a file is no text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NoText {
    /// It is longer than [`MOST_BYTES`].
    #[error("it has more than {} MiB, which is the most that is read", MOST_BYTES >> 20)]
    TooLong,
    /// It has a control character that texts do not have.
    #[error("it is binary, not text: line {line} has the byte {byte:#04x}")]
    Binary {
        /// The line, from 1.
        line: usize,
        /// The byte.
        byte: u8,
    },
    /// It is in another encoding than UTF-8.
    #[error("line {line} is not UTF-8: its byte {column} is {byte:#04x}")]
    NotUtf8 {
        /// The line, from 1.
        line: usize,
        /// The number of the byte in the line, from 1.
        column: usize,
        /// The byte.
        byte: u8,
    },
}

/// Reads a text file in UTF-8.
///
/// ```
/// let error = multicomputer::input::read("/dev/zero").unwrap_err();
/// assert_eq!(error.to_string(), "it is binary, not text: line 1 has the byte 0x00");
/// ```
///
/// # Errors
/// Those of the file; of kind [`InvalidData`](ErrorKind::InvalidData), with a [`NoText`], if it is no text.
pub fn read(path: impl AsRef<Path>) -> io::Result<String> {
    read_at_most(path.as_ref(), MOST_BYTES)
}

fn read_at_most(path: &Path, most: u64) -> io::Result<String> {
    let mut file = File::open(path)?.take(most + 1);
    let (mut bytes, mut checked) = (Vec::new(), 0);
    let no_text = |cause| io::Error::new(ErrorKind::InvalidData, cause);
    loop {
        // What is binary is seen in its first bytes, whatever its length.
        let part = file.by_ref().take(1 << 20).read_to_end(&mut bytes)?;
        if let Some(at) = bytes[checked..].iter().position(is_binary) {
            let (line, _) = place(&bytes, checked + at);
            return Err(no_text(NoText::Binary { line, byte: bytes[checked + at] }));
        }
        checked = bytes.len();
        if part == 0 {
            break;
        }
    }
    if bytes.len() as u64 > most {
        return Err(no_text(NoText::TooLong));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let (line, column) = place(error.as_bytes(), at);
        no_text(NoText::NotUtf8 { line, column, byte: error.as_bytes()[at] })
    })
}

/// Whether no text has this byte: a control character that is neither a blank nor an end of a line.
pub(crate) fn is_binary(byte: &u8) -> bool {
    byte.is_ascii_control() && !byte.is_ascii_whitespace()
}

/// The line and the column of a byte, both from 1.
fn place(bytes: &[u8], at: usize) -> (usize, usize) {
    let before = &bytes[..at];
    let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
    let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    (line, at - start + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(bytes: &[u8]) -> String {
        let path = std::env::temp_dir().join(format!("multicomputer-input-{}", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        let result = read(&path);
        std::fs::remove_file(&path).unwrap();
        result.unwrap_err().to_string()
    }

    #[test]
    fn what_is_no_text_is_told_with_its_place() {
        assert_eq!(refusal(b"one\ntw\x1bo"), "it is binary, not text: line 2 has the byte 0x1b");
        assert_eq!(refusal(b"one\ntwo\xff\n"), "line 2 is not UTF-8: its byte 4 is 0xff");
    }

    #[test]
    fn a_text_without_end_is_not_read_to_its_end() {
        let error = read_at_most("Cargo.toml".as_ref(), 100).unwrap_err();
        assert_eq!(error.get_ref().unwrap().downcast_ref(), Some(&NoText::TooLong));
        let length = std::fs::metadata("Cargo.toml").unwrap().len();
        assert!(read_at_most("Cargo.toml".as_ref(), length).is_ok());
    }
}
