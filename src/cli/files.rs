//! Files that a command writes. They are made before the first run, so that a name that cannot be written is found at
//! once and not after the work.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use multicomputer::{Run, Span, error::Failure};

use super::error::Error;

/// An empty file that waits for its content.
#[derive(Debug)]
pub(super) struct OutputFile {
    path: PathBuf,
    file: File,
}

impl OutputFile {
    /// Makes the file, and empties it if there is one.
    pub(super) fn create(path: impl Into<PathBuf>) -> Result<OutputFile, Error> {
        let path = path.into();
        match File::create(&path) {
            Ok(file) => Ok(OutputFile { path, file }),
            Err(cause) => Err(Error::usage(format!("{} cannot be written: {cause}", path.display()))),
        }
    }

    /// Writes a table as CSV.
    pub(super) fn write_csv<const COLUMNS: usize>(
        self,
        header: [&str; COLUMNS],
        rows: impl IntoIterator<Item = [String; COLUMNS]>,
    ) -> Result<(), Error> {
        self.write(|file| {
            let mut table = csv::Writer::from_writer(file);
            table.write_record(header)?;
            for row in rows {
                table.write_record(row)?;
            }
            Ok(table.flush()?)
        })
    }

    /// Writes the trace of a run in the Chrome trace-event format.
    pub(super) fn write_trace<T>(self, run: &Run<T>) -> Result<(), Error> {
        self.write(|file| Ok(run.write_trace(file)?))
    }

    fn write(self, content: impl FnOnce(&File) -> Result<(), Failure>) -> Result<(), Error> {
        let OutputFile { path, file } = self;
        content(&file).map_err(|cause| Error::File { path, cause })
    }
}

/// The traces of a command: one run goes to the file named, several to files of their own, whose names say which run
/// it was: `trace-row-virtual.json` for `trace.json`.
#[derive(Debug)]
pub(super) struct TraceFiles {
    files: Vec<Option<OutputFile>>,
}

impl TraceFiles {
    /// Makes a file for each of the runs, in their order; none if there is no name.
    pub(super) fn create(path: Option<&Path>, runs: &[String]) -> Result<TraceFiles, Error> {
        let create = |run: &String| match path {
            None => Ok(None),
            Some(path) if runs.len() == 1 => OutputFile::create(path).map(Some),
            Some(path) => OutputFile::create(labelled(path, run)).map(Some),
        };
        Ok(TraceFiles { files: runs.iter().map(create).collect::<Result<_, Error>>()? })
    }

    /// The file of each run, in their order.
    pub(super) fn into_files(self) -> impl Iterator<Item = Option<OutputFile>> {
        self.files.into_iter()
    }
}

/// The name of a file with a label before its extension.
fn labelled(path: &Path, label: &str) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push("-");
    name.push(label);
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// A modeled time in microseconds for a CSV file, exact to the picosecond.
pub(super) fn micros(span: Span) -> String {
    let (whole, rest) = (span.as_picos() / 1_000_000, span.as_picos() % 1_000_000);
    format!("{whole}.{rest:06}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_stands_before_the_extension() {
        for (path, expected) in
            [("trace.json", "trace-a.json"), ("/tmp/x/t.b.json", "/tmp/x/t.b-a.json"), ("t", "t-a")]
        {
            assert_eq!(labelled(Path::new(path), "a"), Path::new(expected));
        }
    }

    #[test]
    fn times_are_exact() {
        assert_eq!(micros(Span::from_picos(6_542_448_042)), "6542.448042");
        assert_eq!(micros(Span::ZERO), "0.000000");
    }
}
