//! Problems of a comparison as columns and words, and the columns in which they differ.

use std::fmt;

use multicomputer::{s_to_p, units::format_bytes};
use multicomputer_study::Problem;

use super::super::{count::counted, files::harmless};

/// Maximum width, in characters, of a matrix that is printed as numbers.
const MAX_WIDTH: usize = 100;

/// Columns of problems, and whether they are words.
pub(super) const COLUMNS: [(&str, bool); 20] = [
    ("operation", true),
    ("members", true),
    ("size", false),
    ("root", false),
    ("distribution", true),
    ("sources", false),
    ("matrix", true),
    ("fan_out", false),
    ("skew", false),
    ("matrix_seed", false),
    ("class", true),
    ("uniform", false),
    ("sent", false),
    ("received", false),
    ("fan_in", false),
    ("entries", false),
    ("total_bytes", false),
    ("bytes", false),
    ("element", false),
    ("in_order", false),
];

/// A cell of a problem: its column, its text, and its words in a heading; empty if headings do not tell it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    column: &'static str,
    text: String,
    words: String,
}

/// Returns a cell.
pub(crate) fn cell(column: &'static str, text: impl ToString, words: impl Into<String>) -> Cell {
    Cell { column, text: text.to_string(), words: words.into() }
}

/// A problem with its cells.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) problem: Problem,
    /// Index of the machine.
    pub(super) machine: usize,
    cells: Vec<Cell>,
}

impl Task {
    /// Creates a task; `given` are the cells that the problem itself does not tell.
    pub(crate) fn new(problem: Problem, given: impl IntoIterator<Item = Cell>) -> Task {
        let name = problem.machine().name();
        let operation = problem.operation().name();
        let operation = match problem {
            Problem::Collective(_) => cell("operation", operation, operation),
            // The title of the command names the operation.
            _ => cell("operation", operation, ""),
        };
        let mut cells = vec![operation, cell("machine", name, name)];
        cells.extend(given);
        cells.extend(own_cells(&problem));
        Task { problem, machine: 0, cells }
    }

    /// Returns the text of a cell; empty if the column does not apply.
    pub(super) fn text(&self, column: &str) -> &str {
        self.cells.iter().find(|cell| cell.column == column).map_or("", |cell| &cell.text)
    }

    /// Returns the words of the columns for which `is_told` is true.
    fn words(&self, is_told: impl Fn(&str) -> bool) -> Vec<&str> {
        let told = self.cells.iter().filter(|cell| !cell.words.is_empty() && is_told(cell.column));
        told.map(|cell| cell.words.as_str()).collect()
    }

    /// Returns whether an earlier task is the same problem.
    pub(super) fn is_same(&self, other: &Task) -> bool {
        (self.machine, &self.cells) == (other.machine, &other.cells)
    }

    /// Returns whether two different tasks have the same matrix.
    pub(super) fn has_same_matrix(&self, other: &Task) -> bool {
        match (&self.problem, &other.problem) {
            (Problem::AllToAll(one), Problem::AllToAll(other)) => one.matrix() == other.matrix(),
            _ => false,
        }
    }

    /// Returns a picture of the problem: the sources on the grid, or the figures and the entries of the matrix.
    pub(super) fn picture(&self) -> Option<String> {
        match &self.problem {
            Problem::Collective(_) => None,
            Problem::SToP(instance) => {
                let grid = instance.machine().topology().grid()?;
                Some(s_to_p::picture(grid, instance.sources()))
            }
            Problem::AllToAll(instance) => {
                let matrix = instance.matrix();
                let numbers = matrix.to_string();
                let fits = numbers.lines().all(|line| line.len() <= MAX_WIDTH);
                let numbers = if fits { numbers + "\n" } else { String::new() };
                Some(format!("{}\n{numbers}{}", matrix.figures(), matrix.picture()))
            }
        }
    }
}

/// Returns the cells that a problem tells.
fn own_cells(problem: &Problem) -> Vec<Cell> {
    let range = |lengths: &[u64]| {
        let (least, most) = (lengths.iter().min().copied(), lengths.iter().max().copied());
        (least.unwrap_or(0), most.unwrap_or(0))
    };
    match problem {
        Problem::Collective(task) => {
            let members = match (task.size(), task.machine().nodes()) {
                (1, nodes) if nodes > 1 => "1 member".to_owned(),
                (1, _) => "1 node".to_owned(),
                (size, nodes) if size == nodes => format!("all {nodes} nodes"),
                (size, nodes) => format!("{size} of {nodes} nodes"),
            };
            let root = task.operation().has_root().then(|| task.root());
            let element = match task.element_bytes() {
                1 => String::new(),
                element => format!("elements of {}", format_bytes(element)),
            };
            let blocks = (0..task.size()).map(|rank| task.block(rank)).map(|block| block.end - block.start);
            let bytes = match range(&blocks.collect::<Vec<u64>>()) {
                (least, most) if most - least > task.element_bytes() => {
                    let [all, least, most] = [task.bytes(), least, most].map(format_bytes);
                    format!("{all} in blocks of {least} to {most}")
                }
                _ => format_bytes(task.bytes()),
            };
            let order = if task.is_in_order() { "in rank order" } else { "" };
            let root = root.map(|root| cell("root", root, format!("root {root}")));
            let cells = [
                cell("element", task.element_bytes(), element),
                cell("in_order", task.is_in_order(), order),
                cell("bytes", task.bytes(), bytes),
            ];
            [cell("size", task.size(), members)].into_iter().chain(root).chain(cells).collect()
        }
        Problem::SToP(instance) => {
            let sources = instance.sources().len();
            let (bytes, words) = match range(instance.lengths()) {
                (least, most) if least < most => (
                    format!("{least}..{most}"),
                    format!("{} to {} each", format_bytes(least), format_bytes(most)),
                ),
                (_, most) => (most.to_string(), format!("{} each", format_bytes(most))),
            };
            vec![cell("sources", sources, counted(sources, "source")), cell("bytes", bytes, words)]
        }
        Problem::AllToAll(instance) => {
            let figures = instance.matrix().figures();
            vec![
                cell("class", figures.class, ""),
                cell("uniform", figures.is_uniform, ""),
                cell("sent", figures.sent, ""),
                cell("received", figures.received, ""),
                cell("fan_in", figures.fan_in, ""),
                cell("entries", figures.messages, ""),
                cell("total_bytes", figures.bytes, ""),
            ]
        }
    }
}

/// Formats a problem: `s-to-p, paragon:10x10, cross, 30 sources, 2 KiB each`.
impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rest = self.words(|column| column != "operation").join(", ");
        write!(f, "{}, {rest}", self.text("operation"))
    }
}

/// Columns in which problems differ. Tables contain these columns, headings the others.
#[derive(Clone, Debug)]
pub(super) struct Differences(pub(super) Vec<&'static str>);

impl Differences {
    pub(super) fn of(tasks: &[Task]) -> Differences {
        let mut keys = Vec::new();
        let told = tasks.iter().flat_map(|task| &task.cells).filter(|cell| !cell.words.is_empty());
        for column in told.map(|cell| cell.column) {
            // Two machines may have the same name.
            let differs = |task: &Task| {
                task.text(column) != tasks[0].text(column)
                    || column == "machine" && task.machine != tasks[0].machine
            };
            if !keys.contains(&column) && tasks.iter().any(differs) {
                keys.push(column);
            }
        }
        Differences(keys)
    }

    /// Returns the words that a problem has in common with all others.
    pub(super) fn common(&self, task: &Task) -> String {
        task.words(|column| !self.0.contains(&column)).join(", ")
    }

    /// Returns a label for the file names of a run: the cells in which problems differ, as far as others do not determine
    /// them, and `rest`.
    pub(super) fn label(&self, task: &Task, rest: impl IntoIterator<Item = String>) -> String {
        let is_determined = |column: &str| ["size", "root", "element", "in_order"].contains(&column);
        let keys = self.0.iter().filter(|column| !is_determined(column));
        let keys = keys.map(|column| task.text(column).to_owned());
        harmless(&keys.chain(rest).collect::<Vec<_>>().join("-"), "-._+@")
    }
}
