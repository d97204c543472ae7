//! CSV table whose rows are written as soon as they are known.

use std::{io::Write, path::Path};

use super::{super::error::Error, output::Output};

/// A CSV file, if requested.
#[derive(Debug)]
pub(crate) struct CsvFile {
    output: Option<Output>,
    header: &'static str,
    is_begun: bool,
}

impl CsvFile {
    /// Opens the file, if there is a path; `header` has the column names, separated by blanks. Writes nothing yet.
    pub(crate) fn create(path: Option<&Path>, header: &'static str) -> Result<CsvFile, Error> {
        let output = path.map(Output::open).transpose().map_err(Error::usage)?;
        Ok(CsvFile { output, header, is_begun: false })
    }

    /// Fills the table by `work`, and completes it. If `work` fails, the finished rows stay in the partial file, which
    /// the error names.
    pub(crate) fn fill<T>(mut self, work: impl FnOnce(&mut CsvFile) -> Result<T, Error>) -> Result<T, Error> {
        match work(&mut self) {
            Ok(result) => self.complete().map(|()| result),
            Err(cause) => Err(self.left_behind(cause)),
        }
    }

    /// Writes a row.
    pub(crate) fn row(&mut self, row: Vec<String>) -> Result<(), Error> {
        self.begin()?;
        self.write(&row)
    }

    /// Discards the file with all of its rows.
    pub(crate) fn discard(&mut self) {
        if let Some(output) = self.output.take() {
            output.discard();
        }
    }

    fn begin(&mut self) -> Result<(), Error> {
        if self.is_begun {
            return Ok(());
        }
        self.is_begun = true;
        if let Some(output) = &mut self.output {
            output.begin()?;
        }
        self.write(&self.header.split_whitespace().collect::<Vec<_>>())
    }

    fn write<S: AsRef<[u8]>>(&self, cells: &[S]) -> Result<(), Error> {
        let Some(output) = &self.output else { return Ok(()) };
        Ok(output.write(|mut file| {
            let mut line = csv::Writer::from_writer(Vec::new());
            line.write_record(cells)?;
            file.write_all(&line.into_inner().map_err(|cause| cause.into_error())?)
        })?)
    }

    fn complete(mut self) -> Result<(), Error> {
        self.begin()?;
        Ok(self.output.map_or(Ok(()), Output::complete)?)
    }

    /// Returns the error, with the path of the partial file if writing has begun.
    fn left_behind(self, cause: Error) -> Error {
        match self.output.as_ref().and_then(Output::paths).filter(|_| self.is_begun) {
            Some((path, partial)) => {
                let (path, partial) = (path.to_owned(), partial.to_owned());
                Error::Unfinished { cause: Box::new(cause), path, partial }
            }
            None => cause,
        }
    }
}
