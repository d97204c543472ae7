//! Findings: errors of a program, with their places.

use std::{collections::BTreeSet, fmt};

use multicomputer::Rank;

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        /// The kind of an error of a program.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Kind {
            $($(#[$doc])* $name,)*
        }

        impl Kind {
            /// All kinds.
            pub const ALL: &[Kind] = &[$(Kind::$name),*];
        }

        impl fmt::Display for Kind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $(Kind::$name => $text,)* })
            }
        }
    };
}

// The order is that in which findings are reported: causes before what may follow from them.
kinds! {
    /// An argument of a call has a wrong value.
    InvalidArgument = "invalid argument";
    /// Ranks disagree on the root of a collective call.
    RootMismatch = "root mismatch";
    /// Ranks disagree on the operator of a reduction.
    OperatorMismatch = "operator mismatch";
    /// Data is sent and received with different basic datatypes.
    DatatypeMismatch = "datatype mismatch";
    /// Ranks disagree on the amount of data of a collective call, or a message is longer than its buffer.
    CountMismatch = "count mismatch";
    /// The tag of a message fits no receive that waits for it.
    TagMismatch = "tag mismatch";
    /// Calls that belong together are on different communicators.
    CommunicatorMismatch = "communicator mismatch";
    /// Calls are missing, or ranks make them in orders that do not fit.
    CallOrder = "call order";
    /// The program ends only if standard sends are buffered.
    BufferingDependence = "buffering dependence";
    /// The result depends on the order in which messages arrive.
    MessageRace = "message race";
    /// A buffer is used while an operation on it is in progress.
    LocalConcurrency = "local concurrency";
    /// Accesses to the memory of a window conflict.
    GlobalConcurrency = "global concurrency";
    /// A one-sided access, or the end of an epoch, without an epoch; an epoch without an end.
    MissingEpoch = "missing epoch";
    /// An epoch begins within another one.
    DoubledEpoch = "doubled epoch";
    /// A request is not completed.
    MissingWait = "missing wait";
    /// A persistent request is not started.
    MissingStart = "missing start";
    /// An object is not freed.
    Leak = "leak";
    /// The program ends with a failure of its own.
    Failure = "failure";
}

/// A call of a rank, with its source line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    /// The rank.
    pub rank: Rank,
    /// The function.
    pub function: &'static str,
    /// `FILE:LINE`, if it is known.
    pub place: Option<String>,
}

/// An error of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The kind.
    pub kind: Kind,
    /// What is wrong.
    pub text: String,
    /// The ranks on which it was found.
    pub ranks: BTreeSet<Rank>,
    /// Where to look first; `None` if no call is to blame.
    pub at: Option<Line>,
    /// Other calls that matter, such as that of the other side.
    pub others: Vec<Line>,
    /// More lines of text, such as the waits of a deadlock.
    pub details: Vec<String>,
    /// How to mend it; may be empty.
    pub help: String,
}

/// What two findings of one cause have in common: the same kind at the same source line, or the same text where no line is known.
pub type Key = (Kind, Option<String>, String);

impl Finding {
    /// A finding at a call.
    pub fn new(kind: Kind, text: impl Into<String>, at: Line) -> Finding {
        let ranks = [at.rank].into();
        Finding {
            kind,
            text: text.into(),
            ranks,
            at: Some(at),
            others: Vec::new(),
            details: Vec::new(),
            help: String::new(),
        }
    }

    /// A finding that belongs to no single call.
    pub fn of_ranks(kind: Kind, text: impl Into<String>, ranks: impl IntoIterator<Item = Rank>) -> Finding {
        let (ranks, text) = (ranks.into_iter().collect(), text.into());
        Finding { kind, text, ranks, at: None, others: Vec::new(), details: Vec::new(), help: String::new() }
    }

    /// Adds other calls that matter.
    #[must_use]
    pub fn with(mut self, others: Vec<Line>) -> Finding {
        self.others.extend(others);
        self
    }

    /// Adds lines of text.
    #[must_use]
    pub fn details(mut self, text: &str) -> Finding {
        self.details.extend(text.lines().map(str::to_owned));
        self
    }

    /// Says how to mend it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Finding {
        self.help = help.into();
        self
    }

    /// What makes another finding the same one.
    pub fn key(&self) -> Key {
        match &self.at {
            Some(Line { place: Some(place), function, .. }) => {
                (self.kind, Some(place.clone()), (*function).to_owned())
            }
            _ => (self.kind, None, self.text.clone()),
        }
    }

    /// Adds the ranks of a finding with the same cause. The text is that of the lowest rank, whichever finding is first.
    pub fn merge(&mut self, other: Finding) {
        let ranks = self.ranks.union(&other.ranks).copied().collect();
        let place = |finding: &Finding| {
            (finding.ranks.first().copied(), finding.text.clone(), finding.others.clone())
        };
        if place(&other) < place(self) {
            *self = other;
        }
        self.ranks = ranks;
    }

    /// The ranks as text, such as `rank 2` or `ranks 0, 1 and 3`; empty for none.
    fn ranks_text(&self) -> String {
        let ranks: Vec<Rank> = self.ranks.iter().copied().collect();
        match &ranks[..] {
            [] => String::new(),
            [one] => format!("rank {one}"),
            [first, .., last] if ranks.len() > 2 && last - first + 1 == ranks.len() => {
                format!("ranks {first} to {last}")
            }
            [most @ .., last] => {
                let most: Vec<String> = most.iter().map(Rank::to_string).collect();
                format!("ranks {} and {last}", most.join(", "))
            }
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {}, {}", self.rank, self.function)?;
        self.place.as_ref().map_or(Ok(()), |place| write!(f, " ({place})"))
    }
}

/// The form is `KIND: TEXT, RANKS (FILE:LINE)`, and more lines for other calls and what to do.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.text)?;
        if !self.ranks.is_empty() {
            write!(f, ", on {}", self.ranks_text())?;
        }
        if let Some(place) = self.at.as_ref().and_then(|line| line.place.as_ref()) {
            write!(f, " ({place})")?;
        }
        self.details.iter().try_for_each(|line| write!(f, "\n    {line}"))?;
        for line in &self.others {
            write!(f, "\n    see {line}")?;
        }
        if !self.help.is_empty() {
            write!(f, "\n    to mend it: {}", self.help)?;
        }
        Ok(())
    }
}
