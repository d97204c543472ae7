//! The page of a command on which all of its runs are played: one file, written when the last of them is over.

use std::{
    fmt,
    io::{self, Write},
    path::Path,
};

use multicomputer::Run;
use multicomputer_picture::Replay;

use super::{super::error::Error, output::Output};

/// The page, if one is asked for.
#[derive(Debug, Default)]
pub(super) struct Page {
    /// `None` once it is written, too.
    output: Option<Output>,
    /// `None` before the first run.
    page: Option<Replay>,
    is_several: bool,
    is_missing: bool,
}

impl Page {
    /// Finds out whether the page of runs that are called so can be written, and holds its file.
    pub(super) fn create(path: Option<&Path>, labels: &[String]) -> Result<Page, Error> {
        let Some(path) = path else { return Ok(Page::default()) };
        let most = Replay::most_runs();
        if labels.len() > most {
            return Err(Error::usage(format!(
                "--replay shows at most {most} runs, and this command makes {}: choose fewer algorithms, problems \
                 or clocks",
                labels.len()
            )));
        }
        let output = Some(Output::open(path).map_err(Error::usage)?);
        Ok(Page { output, is_several: labels.len() > 1, ..Page::default() })
    }

    /// Adds a run with its title as the only one, and that among others, which a list may cut off at its end.
    pub(super) fn add<T>(&mut self, [title, heading]: [&str; 2], run: &Run<T>) -> Result<(), Error> {
        let Some(output) = &self.output else { return Ok(()) };
        let of_page = if self.is_several { "Runs side by side" } else { title };
        let page = self.page.get_or_insert_with(|| Replay::new(of_page));
        Ok(output.write(|_| page.add(heading, run).map_err(io::Error::other))?)
    }

    /// Writes what there is.
    pub(super) fn finish(&mut self) -> Result<(), Error> {
        let Some(mut output) = self.output.take() else { return Ok(()) };
        let Some(page) = self.page.take() else {
            self.is_missing = true;
            return Ok(());
        };
        output.begin()?;
        let written =
            output.write(|mut file| file.write_all(page.to_html().map_err(io::Error::other)?.as_bytes()));
        if let Err(cause) = written {
            // A part of one is of no use.
            output.discard();
            return Err(cause.into());
        }
        Ok(output.complete()?)
    }
}

/// Says if none was written: a line for the end of the output.
impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_missing { writeln!(f, "No replay was written: nothing was run.") } else { Ok(()) }
    }
}
