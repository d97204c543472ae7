//! A table of the rows of a study, written as they come; an unfinished one can be continued.

use std::{io::Write, path::Path};

use multicomputer_study::{Format, Row, TableReader, TableWriter, cut_unfinished};

use super::{super::error::Error, output::Output};

/// A table of rows.
#[derive(Debug)]
pub(crate) struct RowFile {
    output: Output,
    format: Format,
    is_begun: bool,
}

impl RowFile {
    /// Opens a new table. Nothing is written yet.
    pub(crate) fn create(path: &Path, is_json: bool) -> Result<RowFile, Error> {
        let format = if is_json { Format::JsonLines } else { Format::Csv };
        let output = Output::open(path).map_err(Error::usage)?;
        Ok(RowFile { output, format, is_begun: false })
    }

    /// Opens the partial file of an interrupted study, and cuts off its unfinished case. Calls `take` with the rows of the finished cases, and
    /// returns the number of the last one, too.
    pub(crate) fn resume(
        path: &Path,
        is_json: bool,
        study: &str,
        mut take: impl FnMut(Row),
    ) -> Result<(RowFile, Option<u64>), Error> {
        let file = RowFile::create(path, is_json)?;
        let partial = match file.output.paths() {
            Some((_, partial)) => partial.to_owned(),
            None => {
                return Err(Error::usage(format!(
                    "{} is not an ordinary file: --resume continues a file",
                    path.display()
                )));
            }
        };
        let last = cut_unfinished(&partial, file.format, study)?;
        if last.is_some() {
            for row in TableReader::open(&partial)? {
                take(row?);
            }
        }
        Ok((RowFile { is_begun: last.is_some(), ..file }, last))
    }

    /// Writes a row.
    pub(crate) fn row(&mut self, row: &Row) -> Result<(), Error> {
        let mut line = match self.is_begun {
            true => TableWriter::continued(Vec::new(), self.format),
            false => TableWriter::new(Vec::new(), self.format),
        };
        if !self.is_begun {
            self.output.begin()?;
            self.is_begun = true;
        }
        line.write(row)?;
        let line = line.finish()?;
        Ok(self.output.append(|mut file| file.write_all(&line))?)
    }

    /// Puts the table in the place of the old file.
    pub(crate) fn complete(mut self) -> Result<(), Error> {
        if !self.is_begun {
            self.output.begin()?;
        }
        Ok(self.output.complete()?)
    }

    /// Deletes the rows.
    pub(crate) fn discard(self) {
        self.output.discard();
    }

    /// The error of a study that ended early, with the place of its finished rows.
    pub(crate) fn left_behind(self, cause: Error) -> Error {
        match self.output.paths().filter(|_| self.is_begun) {
            Some((path, partial)) => {
                let (path, partial) = (path.to_owned(), partial.to_owned());
                Error::Unfinished { cause: Box::new(cause), path, partial }
            }
            None => cause,
        }
    }
}
