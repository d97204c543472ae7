//! Text file with its content written at once.

use std::{io::Write, path::Path};

use super::{super::error::Error, output::Output};

/// A text file that replaces an old file when it is complete.
#[derive(Debug)]
pub(crate) struct TextFile(Output);

impl TextFile {
    /// Opens the file, before its text is known.
    pub(crate) fn create(path: &Path) -> Result<TextFile, Error> {
        Output::open(path).map(TextFile).map_err(Error::usage)
    }

    /// Writes the text, and completes the file.
    pub(crate) fn write(mut self, text: &str) -> Result<(), Error> {
        self.0.begin()?;
        self.0.write(|mut file| file.write_all(text.as_bytes()))?;
        Ok(self.0.complete()?)
    }
}

/// A file of JSON objects, one a line, if requested.
#[derive(Debug)]
pub(crate) struct JsonFile(Option<TextFile>);

impl JsonFile {
    /// Opens the file, before its objects are known.
    pub(crate) fn create(path: Option<&Path>) -> Result<JsonFile, Error> {
        Ok(JsonFile(path.map(TextFile::create).transpose()?))
    }

    /// Writes the objects, and completes the file.
    pub(crate) fn write(self, objects: &[serde_json::Value]) -> Result<(), Error> {
        let lines = || objects.iter().map(|object| format!("{object}\n")).collect::<String>();
        self.0.map_or(Ok(()), |file| file.write(&lines()))
    }
}
