//! A table as CSV, whose rows are written as they come.

use std::{io::Write, path::Path};

use super::{super::error::Error, output::Output};

/// A CSV file, or none if none is asked for.
#[derive(Debug)]
pub(crate) struct CsvFile {
    output: Option<Output>,
    header: &'static str,
    is_begun: bool,
}

impl CsvFile {
    /// Opens the file, if there is a name, for columns of these names. Nothing is written yet.
    pub(crate) fn create(path: Option<&Path>, header: &'static str) -> Result<CsvFile, Error> {
        let output = path.map(Output::open).transpose().map_err(Error::usage)?;
        Ok(CsvFile { output, header, is_begun: false })
    }

    /// Fills the table, and completes it. If that fails the rows that were there by then stay in the partial file, and
    /// the error says so.
    pub(crate) fn fill<T>(mut self, work: impl FnOnce(&mut CsvFile) -> Result<T, Error>) -> Result<T, Error> {
        match work(&mut self) {
            Ok(result) => self.complete().map(|()| result),
            Err(cause) => Err(self.left_behind(cause)),
        }
    }

    /// Writes a row, as a whole.
    pub(crate) fn row(&mut self, row: Vec<String>) -> Result<(), Error> {
        self.begin()?;
        self.write(&row)
    }

    /// Leaves nothing of the rows that there are: they are of no use.
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

    /// The error, with what there is of the table in spite of it.
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
