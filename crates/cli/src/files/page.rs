//! Replay page with all runs of a command: one file, written after the last run.

use std::{
    fmt,
    io::{self, Write},
    path::Path,
};

use multicomputer::Run;
use multicomputer_picture::Replay;

use super::{super::error::Error, output::Output};

/// The replay page, if requested.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// `None` if no page is requested, and after writing.
    output: Option<Output>,
    /// `None` before the first run.
    page: Option<Replay>,
    is_several: bool,
    is_missing: bool,
}

impl Page {
    /// Checks the number of runs, and opens the file, if a page is requested.
    pub(crate) fn create(path: Option<&Path>, runs: u64) -> Result<Page, Error> {
        let Some(path) = path else { return Ok(Page::default()) };
        let most = Replay::most_runs();
        if runs > most as u64 {
            return Err(Error::usage(format!(
                "--replay shows at most {most} runs, and this command makes {runs}: choose fewer algorithms, problems \
                 or clocks"
            )));
        }
        let output = Some(Output::open(path).map_err(Error::usage)?);
        Ok(Page { output, is_several: runs > 1, ..Page::default() })
    }

    /// Adds a run: `title` for a page with one run, `heading` for a list of several runs, which may truncate it.
    pub(crate) fn add<T>(&mut self, [title, heading]: [&str; 2], run: &Run<T>) -> Result<(), Error> {
        let Some(output) = &self.output else { return Ok(()) };
        let of_page = if self.is_several { "Runs side by side" } else { title };
        let page = self.page.get_or_insert_with(|| Replay::new(of_page));
        Ok(output.write(|_| page.add(heading, run).map_err(io::Error::other))?)
    }

    /// Writes the page, if there was a run.
    pub(crate) fn finish(&mut self) -> Result<(), Error> {
        let Some(mut output) = self.output.take() else { return Ok(()) };
        let Some(page) = self.page.take() else {
            self.is_missing = true;
            return Ok(());
        };
        output.begin()?;
        let written =
            output.write(|mut file| file.write_all(page.to_html().map_err(io::Error::other)?.as_bytes()));
        if let Err(cause) = written {
            // An incomplete page is useless.
            output.discard();
            return Err(cause.into());
        }
        Ok(output.complete()?)
    }
}

/// Formats a line for the end of the output if no page was written.
impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_missing { writeln!(f, "No replay was written: nothing was run.") } else { Ok(()) }
    }
}
