//! The traces of a command: one run goes to the file named, several to files of their own, whose names say which run it
//! was: `trace-row-virtual.json` for `trace.json`. A device gets them all.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use multicomputer::Run;

use super::{super::error::Error, output::Output};

/// At most so many are named.
const NAMED: usize = 20;

/// The files for traces, and those that were written.
#[derive(Debug)]
pub(in crate::cli) struct Traces {
    /// `None` if none are asked for.
    path: Option<PathBuf>,
    device: Option<Output>,
    is_several: bool,
    written: Vec<PathBuf>,
}

impl Traces {
    /// Finds out whether the traces of runs that are called so can be written.
    pub(in crate::cli) fn create(path: Option<&Path>, labels: &[String]) -> Result<Traces, Error> {
        let device = path.map(Output::device).transpose().map_err(Error::usage)?.flatten();
        let is_several = labels.len() > 1;
        if let (Some(path), None) = (path, &device) {
            let files = if is_several {
                labels.iter().map(|label| labelled(path, label)).collect()
            } else {
                vec![path.to_owned()]
            };
            files.iter().try_for_each(|file| Output::open(file).map(drop)).map_err(Error::usage)?;
        }
        Ok(Traces { path: path.map(Path::to_owned), device, is_several, written: Vec::new() })
    }

    /// Writes what happened in the run that is called so, in the Chrome trace-event format, if traces are asked for.
    pub(in crate::cli) fn write<T>(&mut self, label: &str, run: &Run<T>) -> Result<(), Error> {
        let Some(path) = &self.path else { return Ok(()) };
        if let Some(device) = &self.device {
            return Ok(device.write(|file| run.write_trace(file))?);
        }
        let path = self.file(path, label);
        let mut output = Output::open(&path)?;
        output.begin()?;
        if let Err(cause) = output.write(|file| run.write_trace(file)) {
            // A part of a trace is of no use.
            output.discard();
            return Err(cause.into());
        }
        output.complete()?;
        self.written.push(path);
        Ok(())
    }

    /// The file of a run: another one than those of all runs before.
    fn file(&self, path: &Path, label: &str) -> PathBuf {
        if !self.is_several {
            return path.to_owned();
        }
        let names = (1_usize..).map(|nth| match nth {
            1 => labelled(path, label),
            nth => labelled(path, &format!("{label}-{nth}")),
        });
        let mut names = names.filter(|name| !self.written.contains(name));
        names.next().unwrap_or_else(|| path.to_owned())
    }
}

/// The files that were written, unless that is the one that was named: lines for the end of the output.
impl fmt::Display for Traces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.written[..] {
            _ if self.path.is_none() || self.device.is_some() => Ok(()),
            [] => writeln!(f, "No trace was written, since nothing was run."),
            _ if !self.is_several => Ok(()),
            [one] => writeln!(f, "A trace was written: {}", one.display()),
            several => {
                writeln!(f, "{} traces were written:", several.len())?;
                several.iter().take(NAMED).try_for_each(|path| writeln!(f, "  {}", path.display()))?;
                match several.len().saturating_sub(NAMED) {
                    0 => Ok(()),
                    more => writeln!(f, "  and {more} more"),
                }
            }
        }
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
