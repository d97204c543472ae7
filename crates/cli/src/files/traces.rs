//! Trace and picture files of a command's runs.
//!
//! One run writes to the given path. Each of several runs writes to its own file, named after the run:
//! `trace-row-virtual.json` for `trace.json`. A device receives the content of all runs. A replay page has all runs in
//! one file.

use std::{
    fmt,
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
};

use multicomputer::Run;
use multicomputer_picture::PictureOptions;

use super::{
    super::{error::Error, recording::RecordOptions},
    output::Output,
    page::Page,
};

/// Maximum number of files that are listed.
const MAX_LISTED: usize = 20;

/// Trace, picture and replay files of a command.
#[derive(Debug)]
pub(crate) struct Traces {
    trace: Files,
    diagram: Files,
    heat: Files,
    page: Page,
    picture: PictureOptions,
}

impl Traces {
    /// Checks that the files of the runs named by `labels` can be written.
    pub(crate) fn create(options: &RecordOptions, labels: &[String]) -> Result<Traces, Error> {
        let mut traces = Traces {
            trace: Files::create("trace", options.trace.as_deref(), labels)?,
            diagram: Files::create("space-time diagram", options.svg.as_deref(), labels)?,
            heat: Files::create("heat map", options.heat.as_deref(), labels)?,
            page: Page::default(),
            picture: options.picture.clone().unwrap_or_default(),
        };
        // Holds the first file of each kind at the same time, so that the same path for two kinds is refused.
        let all = [&traces.trace, &traces.diagram, &traces.heat].map(|files| files.first(labels));
        let held = all.into_iter().collect::<Result<Vec<_>, Error>>()?;
        traces.page = Page::create(options.replay.as_deref(), labels.len() as u64)?;
        drop(held);
        Ok(traces)
    }

    /// Writes the requested files of a run. `label` is a part of file names; `title` is for pictures, `heading` for the
    /// run on a page with several runs.
    pub(crate) fn write<T>(
        &mut self,
        label: &str,
        [title, heading]: [&str; 2],
        run: &Run<T>,
    ) -> Result<(), Error> {
        self.trace.write(label, |file| run.write_trace(file))?;
        // Drawing fails only if `--picture` chooses ranks or instants that the run does not have.
        let svg = |file: &File, svg: Result<String, _>| {
            let mut file = file;
            file.write_all(svg.map_err(io::Error::other)?.as_bytes())
        };
        self.diagram.write(label, |file| svg(file, self.picture.diagram(title, run).to_svg()))?;
        self.heat.write(label, |file| svg(file, self.picture.heat(title, run).to_svg()))?;
        self.page.add([title, heading], run)
    }

    /// Writes the files with all runs, after the last run.
    pub(crate) fn finish(&mut self) -> Result<(), Error> {
        self.page.finish()
    }
}

impl fmt::Display for Traces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}{}", self.trace, self.diagram, self.heat, self.page)
    }
}

/// Files of one kind, and the paths written so far.
#[derive(Debug)]
struct Files {
    kind: &'static str,
    /// `None` if not requested.
    path: Option<PathBuf>,
    device: Option<Output>,
    is_several: bool,
    written: Vec<PathBuf>,
}

impl Files {
    fn create(kind: &'static str, path: Option<&Path>, labels: &[String]) -> Result<Files, Error> {
        let device = path.map(Output::device).transpose().map_err(Error::usage)?.flatten();
        let path = path.map(Path::to_owned);
        Ok(Files { kind, path, device, is_several: labels.len() > 1, written: Vec::new() })
    }

    /// Returns the file of the first run, after checking that the files of all runs can be written.
    fn first(&self, labels: &[String]) -> Result<Option<Output>, Error> {
        let (Some(path), None) = (&self.path, &self.device) else { return Ok(None) };
        let open = |file: &Path| Output::open(file).map_err(Error::usage);
        if !self.is_several {
            return open(path).map(Some);
        }
        labels.iter().try_for_each(|label| open(&labelled(path, label)).map(drop))?;
        labels.first().map(|label| open(&labelled(path, label))).transpose()
    }

    /// Writes the file of the run named by `label`, if requested.
    fn write(&mut self, label: &str, content: impl FnOnce(&File) -> io::Result<()>) -> Result<(), Error> {
        let Some(path) = &self.path else { return Ok(()) };
        if let Some(device) = &self.device {
            return Ok(device.write(content)?);
        }
        let path = self.file(path, label);
        let mut output = Output::open(&path)?;
        output.begin()?;
        if let Err(cause) = output.write(content) {
            // An incomplete file is useless.
            output.discard();
            return Err(cause.into());
        }
        output.complete()?;
        self.written.push(path);
        Ok(())
    }

    /// Returns the path for a run, different from the paths of all earlier runs.
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

/// Formats the paths written, for the end of the output; nothing if the only path is the given one.
impl fmt::Display for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.kind;
        match &self.written[..] {
            _ if self.path.is_none() || self.device.is_some() => Ok(()),
            [] => writeln!(f, "No {kind} was written: nothing was run."),
            _ if !self.is_several => Ok(()),
            [one] => writeln!(f, "A {kind} was written: {}", one.display()),
            several => {
                writeln!(f, "{} {kind}s were written:", several.len())?;
                several.iter().take(MAX_LISTED).try_for_each(|path| writeln!(f, "  {}", path.display()))?;
                match several.len().saturating_sub(MAX_LISTED) {
                    0 => Ok(()),
                    more => writeln!(f, "  and {more} more"),
                }
            }
        }
    }
}

/// Returns the path with a label before its extension.
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
