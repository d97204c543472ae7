//! Where the time of each run went, for the end of the output.

use std::fmt;

use multicomputer::Run;

/// The explanations of the runs so far, if they are asked for.
#[derive(Debug, Default)]
pub(crate) struct Explanations {
    is_asked_for: bool,
    /// For each run its name and the text.
    texts: Vec<(String, String)>,
}

impl Explanations {
    pub(crate) fn new(is_asked_for: bool) -> Explanations {
        Explanations { is_asked_for, texts: Vec::new() }
    }

    /// Explains a run that is called so; of one that cannot be, it is said why.
    pub(crate) fn add<T>(&mut self, label: &str, run: &Run<T>) {
        if self.is_asked_for {
            let text = run.explain().map_or_else(|cause| cause.to_string(), |text| text.to_string());
            self.texts.push((label.to_owned(), text));
        }
    }
}

impl fmt::Display for Explanations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_asked_for && self.texts.is_empty() {
            return writeln!(f, "\nNo explanation: nothing was run.");
        }
        self.texts.iter().try_for_each(|(label, text)| writeln!(f, "\n{label}: {text}"))
    }
}
