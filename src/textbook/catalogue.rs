//! The contents of chapter 4 of the book: its algorithms and its example with their networks, and its figures.

use super::Algorithm;
use crate::names;

/// An algorithm of chapter 4, or its application example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Topic {
    /// One of the algorithms.
    Algorithm(Algorithm),
    /// Example 4.1, matrix-vector multiplication: see [`matrix_vector`](super::matrix_vector()).
    MatrixVector,
}

impl Topic {
    /// Returns all topics: the algorithms in the order of the book, then the example.
    pub fn all() -> impl Iterator<Item = Topic> {
        Algorithm::ALL.iter().copied().map(Topic::Algorithm).chain([Topic::MatrixVector])
    }

    /// Returns the [number or name](Algorithm::name) of the algorithm, or `example-4.1`, as used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Topic::Algorithm(algorithm) => algorithm.name(),
            Topic::MatrixVector => "example-4.1",
        }
    }

    /// Returns the topic with this name, number or alias. Case, hyphens, underscores and blanks are ignored.
    ///
    /// ```
    /// use multicomputer::textbook::{Algorithm, Topic};
    /// assert_eq!(Topic::named("4.7"), Some(Topic::Algorithm(Algorithm::HYPERCUBE_ALL_TO_ALL)));
    /// assert_eq!(Topic::named("example-4.1"), Some(Topic::MatrixVector));
    /// assert_eq!(Topic::named("4.9"), None);
    /// ```
    pub fn named(name: &str) -> Option<Topic> {
        let known = name.parse().ok().map(Topic::Algorithm);
        let is_example = names::normalized(name) == names::normalized(Topic::MatrixVector.name());
        known.or_else(|| is_example.then_some(Topic::MatrixVector))
    }

    /// Returns the name and the aliases.
    pub fn spellings(self) -> impl Iterator<Item = &'static str> {
        let aliases = match self {
            Topic::Algorithm(algorithm) => algorithm.aliases(),
            Topic::MatrixVector => &[],
        };
        [self.name()].into_iter().chain(aliases.iter().copied())
    }

    /// Returns a short title.
    pub fn title(self) -> &'static str {
        match self {
            Topic::Algorithm(algorithm) => algorithm.about(),
            Topic::MatrixVector => "a matrix times a vector on a mesh",
        }
    }

    /// Returns the section of the book.
    pub fn section(self) -> &'static str {
        match self {
            Topic::Algorithm(algorithm) => algorithm.section(),
            Topic::MatrixVector => "4.1.1",
        }
    }

    /// Returns the formula of the time, in the notation of [`Algorithm::formula`]. For the product of a matrix and a vector, the matrix has
    /// `N x N` elements on `r` by `c` nodes.
    pub fn formula(self) -> &'static str {
        match self {
            Topic::Algorithm(algorithm) => algorithm.formula(),
            Topic::MatrixVector => {
                "(t_s + t_w N/c) log2 r + gamma N^2/(r c) + (t_s + (t_w + gamma) N/r) log2 c"
            }
        }
    }

    /// Returns the number of the equation, if the book gives it one.
    pub fn equation_number(self) -> Option<&'static str> {
        match self {
            Topic::Algorithm(algorithm) => algorithm.equation_number(),
            Topic::MatrixVector => None,
        }
    }

    /// Returns the network for which the topic is designed.
    pub fn network(self) -> &'static str {
        match self {
            Topic::Algorithm(algorithm) => algorithm.network(),
            Topic::MatrixVector => "mesh:4x4",
        }
    }
}

/// A figure of the chapter, as an algorithm or example on a network.
///
/// ```
/// use multicomputer::textbook::BookFigure;
///
/// let congestion = BookFigure::named("fig-4.12").expect("a figure");
/// assert_eq!((congestion.topic.name(), congestion.network), ("4.7", "ring:8"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BookFigure {
    /// The number of the figure in the book.
    pub number: &'static str,
    /// A short title.
    pub title: &'static str,
    /// The algorithm or example.
    pub topic: Topic,
    /// The network.
    pub network: &'static str,
}

/// The figures of the chapter that show steps, in the order of the book.
pub static FIGURES: [BookFigure; 10] = [
    BookFigure {
        number: "4.2",
        title: "one-to-all broadcast on an eight-node ring",
        topic: Topic::Algorithm(Algorithm::ONE_TO_ALL),
        network: "ring:8",
    },
    BookFigure {
        number: "4.3",
        title: "reduction on an eight-node ring",
        topic: Topic::Algorithm(Algorithm::ALL_TO_ONE),
        network: "ring:8",
    },
    BookFigure {
        number: "4.4",
        title: "a 4 x 4 matrix times a vector",
        topic: Topic::MatrixVector,
        network: "mesh:4x4",
    },
    BookFigure {
        number: "4.5",
        title: "one-to-all broadcast on a 16-node mesh",
        topic: Topic::Algorithm(Algorithm::MESH_ONE_TO_ALL),
        network: "mesh:4x4",
    },
    BookFigure {
        number: "4.6",
        title: "one-to-all broadcast on a three-dimensional hypercube",
        topic: Topic::Algorithm(Algorithm::ONE_TO_ALL),
        network: "hypercube:8",
    },
    BookFigure {
        number: "4.7",
        title: "one-to-all broadcast on an eight-node tree",
        topic: Topic::Algorithm(Algorithm::ONE_TO_ALL),
        network: "tree:8",
    },
    BookFigure {
        number: "4.9",
        title: "all-to-all broadcast on an eight-node ring",
        topic: Topic::Algorithm(Algorithm::RING_ALL_TO_ALL),
        network: "ring:8",
    },
    BookFigure {
        number: "4.10",
        title: "all-to-all broadcast on a 3 x 3 mesh",
        topic: Topic::Algorithm(Algorithm::MESH_ALL_TO_ALL),
        network: "mesh:3x3",
    },
    BookFigure {
        number: "4.11",
        title: "all-to-all broadcast on an eight-node hypercube",
        topic: Topic::Algorithm(Algorithm::HYPERCUBE_ALL_TO_ALL),
        network: "hypercube:8",
    },
    BookFigure {
        number: "4.12",
        title: "congestion when the hypercube's procedure is mapped onto a ring",
        topic: Topic::Algorithm(Algorithm::HYPERCUBE_ALL_TO_ALL),
        network: "ring:8",
    },
];

impl BookFigure {
    /// Returns the name on the command line: `fig-4.12`.
    pub fn name(&self) -> String {
        format!("fig-{}", self.number)
    }

    /// Returns the figure with this name: its number after `fig` or `figure`. Case, hyphens, underscores and blanks are ignored.
    pub fn named(name: &str) -> Option<&'static BookFigure> {
        let plain = names::normalized(name);
        let number = plain.strip_prefix("figure").or_else(|| plain.strip_prefix("fig"))?;
        FIGURES.iter().find(|figure| figure.number == number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{collective::Task, model::MachineSpec, textbook::Figure};

    /// Returns the maximum number of messages over one link in one step, if every rank has ten bytes.
    fn most_on_a_link(algorithm: Algorithm, network: &str) -> u64 {
        let machine: MachineSpec = network.parse().unwrap();
        let elements = 10 * machine.nodes() as u64;
        let task = Task::builder(&machine, algorithm.operation()).elements(elements).build().unwrap();
        let figure = Figure::of(&algorithm.plan(&task).unwrap());
        figure.steps().iter().filter_map(|step| step.busiest()).map(|busiest| busiest.messages).max().unwrap()
    }

    #[test]
    fn nothing_shares_a_link_on_the_network_that_an_algorithm_is_made_for() {
        for &algorithm in Algorithm::ALL {
            assert_eq!(most_on_a_link(algorithm, algorithm.network()), 1, "{algorithm}");
        }
    }

    #[test]
    fn of_the_figures_only_the_last_one_shows_congestion() {
        for figure in &FIGURES {
            assert_eq!(BookFigure::named(&figure.name()), Some(figure));
            assert_eq!(BookFigure::named(&format!("Figure {}", figure.number)), Some(figure));
            if let Topic::Algorithm(algorithm) = figure.topic {
                let expected = if figure.number == "4.12" { 4 } else { 1 };
                assert_eq!(most_on_a_link(algorithm, figure.network), expected, "{}", figure.name());
            }
        }
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<&str> = Topic::all().map(Topic::name).collect();
        names.sort_unstable();
        assert!(names.is_sorted_by(|one, next| one < next));
        assert!(Topic::all().all(|topic| Topic::named(topic.name()) == Some(topic)));
        assert_eq!([BookFigure::named("4.12"), BookFigure::named("fig-4.8")], [None, None]);
    }
}
