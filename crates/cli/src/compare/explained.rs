//! Explanations of the times of runs, for the end of the output.

use std::fmt;

use multicomputer::Run;

/// Explanations of the runs so far, if requested.
#[derive(Debug, Default)]
pub(crate) struct Explanations {
    is_requested: bool,
    /// Label and explanation of each run.
    texts: Vec<(String, String)>,
}

impl Explanations {
    pub(crate) fn new(is_requested: bool) -> Explanations {
        Explanations { is_requested, texts: Vec::new() }
    }

    /// Adds the explanation of a run, or the reason why there is none.
    pub(crate) fn add<T>(&mut self, label: &str, run: &Run<T>) {
        if self.is_requested {
            let text = run.explain().map_or_else(|cause| cause.to_string(), |text| text.to_string());
            self.texts.push((label.to_owned(), text));
        }
    }
}

impl fmt::Display for Explanations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_requested && self.texts.is_empty() {
            return writeln!(f, "\nNo explanation: nothing was run.");
        }
        self.texts.iter().try_for_each(|(label, text)| writeln!(f, "\n{label}: {text}"))
    }
}
