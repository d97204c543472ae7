//! Reading of text files with a maximum size, and errors with the position of the first byte that is not text.

use std::{
    fs::File,
    io::{self, ErrorKind, Read},
    path::Path,
};

use thiserror::Error;

/// Maximum size of an input file: 256 MiB. A matrix of 8,000 x 8,000 numbers fits, and an endless device or pipe cannot exhaust the memory.
pub const MAX_BYTES: u64 = 256 << 20;

/// The reason why a file is not a text file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TextError {
    /// The file is larger than [`MAX_BYTES`].
    #[error("the file is larger than {} MiB, the maximum", MAX_BYTES >> 20)]
    TooLong,
    /// The file begins like a binary file of a known kind.
    #[error("a binary file ({kind}), not a text file: {advice}")]
    KnownBinary {
        /// The kind of file, such as `gzip`.
        kind: &'static str,
        /// What to do.
        advice: &'static str,
    },
    /// The file contains a control character other than white space.
    #[error("a binary file, not a text file: line {line} contains the control character {byte:#04x}")]
    Binary {
        /// The line number, counted from 1.
        line: usize,
        /// The byte.
        byte: u8,
    },
    /// The file is not encoded in UTF-8.
    #[error("line {line} is not valid UTF-8: byte {column} of the line is {byte:#04x}")]
    NotUtf8 {
        /// The line number, counted from 1.
        line: usize,
        /// The position of the byte in the line, counted from 1.
        column: usize,
        /// The byte.
        byte: u8,
    },
}

/// The first bytes of binary files that are taken for text files, what they are, and what to do.
const KINDS: [(&[u8], &str, &str); 12] = {
    const UNPACK: &str = "decompress it first";
    const UTF_8: &str = "convert it to UTF-8 first";
    const EXPORT: &str = "export it as text first";
    [
        (b"\x1f\x8b", "gzip", UNPACK),
        (b"BZh", "bzip2", UNPACK),
        (b"\xfd7zXZ\0", "xz", UNPACK),
        (b"\x28\xb5\x2f\xfd", "zstd", UNPACK),
        (b"PK\x03\x04", "zip, also that of spreadsheets and of NumPy's npz", EXPORT),
        (b"\xff\xfe", "text in UTF-16", UTF_8),
        (b"\xfe\xff", "text in UTF-16", UTF_8),
        (b"\x93NUMPY", "a NumPy array", EXPORT),
        (b"\x89HDF", "HDF5", EXPORT),
        (b"\x89PNG", "a PNG picture", EXPORT),
        (b"\x7fELF", "a program", "give a text file"),
        (GOAL, "a schedule in binary GOAL", "only the command `goal` reads it"),
    ]
};

/// The code point U+FEFF in UTF-8, with which some programs begin text files.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The first bytes of a schedule in binary GOAL: the number 4223 in 64 bits.
pub(crate) const GOAL: &[u8] = &4223_u64.to_le_bytes();

/// Returns the error for bytes that begin like a binary file of a known kind.
pub(crate) fn known_binary(bytes: &[u8]) -> Option<TextError> {
    let known = KINDS.into_iter().find(|(start, ..)| bytes.starts_with(start));
    known.map(|(_, kind, advice)| TextError::KnownBinary { kind, advice })
}

/// Reads a text file in UTF-8.
///
/// ```
/// let error = multicomputer::input::read("/dev/zero").unwrap_err();
/// assert_eq!(error.to_string(), "a binary file, not a text file: line 1 contains the control character 0x00");
/// ```
///
/// A byte order mark of UTF-8, which some programs write, is removed.
///
/// # Errors
/// Errors of the file system; [`InvalidData`](ErrorKind::InvalidData) with a [`TextError`] if the file is not text.
pub fn read(path: impl AsRef<Path>) -> io::Result<String> {
    read_at_most(path.as_ref(), MAX_BYTES)
}

fn read_at_most(path: &Path, most: u64) -> io::Result<String> {
    let mut file = File::open(path)?.take(most + 1);
    let (mut bytes, mut checked) = (Vec::new(), 0);
    let invalid = |cause| io::Error::new(ErrorKind::InvalidData, cause);
    loop {
        // The file is checked in pieces of 1 MiB, so that a binary file is refused early, even if it is endless.
        let part = file.by_ref().take(1 << 20).read_to_end(&mut bytes)?;
        if let (0, Some(kind)) = (checked, known_binary(&bytes)) {
            return Err(invalid(kind));
        }
        if let Some(at) = bytes[checked..].iter().position(is_control) {
            let (line, _) = place(&bytes, checked + at);
            return Err(invalid(TextError::Binary { line, byte: bytes[checked + at] }));
        }
        checked = bytes.len();
        if part == 0 {
            break;
        }
    }
    if bytes.len() as u64 > most {
        return Err(invalid(TextError::TooLong));
    }
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let (line, column) = place(error.as_bytes(), at);
        invalid(TextError::NotUtf8 { line, column, byte: error.as_bytes()[at] })
    })
}

/// Returns whether a byte is a control character other than white space.
pub(crate) fn is_control(byte: &u8) -> bool {
    byte.is_ascii_control() && !byte.is_ascii_whitespace()
}

/// Returns the line and the column of a byte, both counted from 1.
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
    fn errors_give_the_line() {
        let binary = "a binary file, not a text file: line 2 contains the control character 0x1b";
        assert_eq!(refusal(b"one\ntw\x1bo"), binary);
        assert_eq!(refusal(b"one\ntwo\xff\n"), "line 2 is not valid UTF-8: byte 4 of the line is 0xff");
    }

    #[test]
    fn binary_files_are_called_so() {
        for (bytes, text) in [
            (&b"\x1f\x8b\x08\0rest"[..], "a binary file (gzip), not a text file: decompress it first"),
            (b"\xff\xfe0\0", "a binary file (text in UTF-16), not a text file: convert it to UTF-8 first"),
            (b"\x93NUMPY\x01\0", "a binary file (a NumPy array), not a text file: export it as text first"),
            (
                b"PK\x03\x04",
                "a binary file (zip, also that of spreadsheets and of NumPy's npz), not a text file: export it as text first",
            ),
        ] {
            assert_eq!(refusal(bytes), text);
        }
    }

    #[test]
    fn a_byte_order_mark_is_removed() {
        let path = std::env::temp_dir().join(format!("multicomputer-mark-{}", std::process::id()));
        std::fs::write(&path, b"\xef\xbb\xbf0,1\n").unwrap();
        let text = read(&path);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(text.unwrap(), "0,1\n");
    }

    #[test]
    fn the_size_is_bounded() {
        let error = read_at_most("Cargo.toml".as_ref(), 100).unwrap_err();
        assert_eq!(error.get_ref().unwrap().downcast_ref(), Some(&TextError::TooLong));
        let length = std::fs::metadata("Cargo.toml").unwrap().len();
        assert!(read_at_most("Cargo.toml".as_ref(), length).is_ok());
    }
}
