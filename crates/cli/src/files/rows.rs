//! A table of the rows of a study, written as they come; an unfinished one can be continued.

use std::{io::Write, path::Path};

use multicomputer_study::{Format, Row, TableReader, TableWriter, cut_unfinished};

use super::{super::error::Error, output::Output, signals};

/// A table of rows.
#[derive(Debug)]
pub(crate) struct RowFile {
    output: Output,
    format: Format,
    is_begun: bool,
    /// Number of rows written.
    rows: u64,
}

impl RowFile {
    /// Opens a table in place of whatever an earlier run has left. Nothing is written yet.
    pub(crate) fn open(path: &Path, is_json: bool) -> Result<RowFile, Error> {
        let format = if is_json { Format::JsonLines } else { Format::Csv };
        let output = Output::open(path).map_err(Error::usage)?;
        Ok(RowFile { output, format, is_begun: false, rows: 0 })
    }

    /// Opens a new table of a study. Refuses to overwrite the rows of an interrupted study.
    pub(crate) fn create(path: &Path, is_json: bool, study: &str) -> Result<RowFile, Error> {
        let file = RowFile::open(path, is_json)?;
        let Some((_, partial)) = file.output.paths() else { return Ok(file) };
        let row = TableReader::open(partial).ok().and_then(|mut rows| rows.next()).and_then(Result::ok);
        let Some(row) = row else { return Ok(file) };
        let partial = partial.display();
        Err(Error::usage(match row.study == study {
            true => format!(
                "{partial} has rows of this study, which was interrupted: continue it with --resume, or remove {partial}"
            ),
            false => format!(
                "{partial} has rows of another, unfinished study: choose another file, or remove {partial}"
            ),
        }))
    }

    /// Opens the partial file of an interrupted study, and cuts off its unfinished case. Calls `take` with the rows of the finished cases, and
    /// returns the number of the last one, too. There is no file to be written if the table is complete: if it ends with `last_case`.
    pub(crate) fn resume(
        path: &Path,
        is_json: bool,
        study: &str,
        last_case: Option<u64>,
        mut take: impl FnMut(Row),
    ) -> Result<(Option<RowFile>, Option<u64>), Error> {
        let file = RowFile::open(path, is_json)?;
        let Some((_, partial)) = file.output.paths() else {
            return Err(Error::usage(format!(
                "{} is not an ordinary file: --resume continues a file",
                path.display()
            )));
        };
        let partial = partial.to_owned();
        let last = cut_unfinished(&partial, file.format, study)?;
        if last.is_some() {
            let mut rows = 0;
            for row in TableReader::open(&partial)? {
                take(row?);
                rows += 1;
            }
            return Ok((Some(RowFile { is_begun: true, rows, ..file }), last));
        }
        let finished = TableReader::open(path).and_then(Iterator::collect::<Result<Vec<Row>, _>>);
        let finished = finished.unwrap_or_default();
        let is_complete = last_case.is_some()
            && finished.last().map(|row| row.case) == last_case
            && finished.iter().all(|row| row.study == study);
        if is_complete {
            finished.into_iter().for_each(take);
            return Ok((None, last_case));
        }
        Ok((Some(file), None))
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
        self.output.append(|mut file| file.write_all(&line))?;
        self.rows += 1;
        if let Some((path, partial)) = self.output.paths() {
            signals::set_unfinished(path, partial, self.rows);
        }
        Ok(())
    }

    /// Puts the table in the place of the old file.
    pub(crate) fn complete(mut self) -> Result<(), Error> {
        if !self.is_begun {
            self.output.begin()?;
        }
        signals::clear_unfinished();
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
