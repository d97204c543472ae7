//! Contents of the chapter: all algorithms, equations and figures.

use std::fmt;

use multicomputer::textbook::{FIGURES, Topic};

use super::super::table::{
    Align::{Left, Right},
    Table,
};

/// List of the contents, displayed as tables.
pub(super) struct List;

impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "Kumar, Grama, Gupta, Karypis: Introduction to Parallel Computing, sections 4.1 and 4.2\n"
        )?;
        let mut topics = Table::new(["name", "section", "network", "title"].map(|title| (title, Left)));
        let mut equations = Table::new([("name", Left), ("equation", Right), ("time", Left)]);
        for topic in Topic::all() {
            topics.row([topic.name(), topic.section(), topic.network(), topic.title()].map(str::to_owned));
            let number = topic.equation_number().unwrap_or("-");
            equations.row([topic.name(), number, topic.formula()].map(str::to_owned));
        }
        let mut figures = Table::new(["figure", "algorithm", "network", "title"].map(|title| (title, Left)));
        for figure in &FIGURES {
            let (name, topic) = (figure.name(), figure.topic.name());
            figures.row([&name, topic, figure.network, figure.title].map(str::to_owned));
        }
        writeln!(f, "{topics}\n{equations}\n{NOTATION}\n\n{figures}\n{LEFT_OUT}")
    }
}

const NOTATION: &str = "\
p nodes, c_i of them along dimension i of a mesh; n sources; m words to a message. t_s = alpha is the start-up time of a
message, t_w the time of a word: its bytes times beta. gamma is the time for combining two words.";

const LEFT_OUT: &str = "Figures 4.1 and 4.8 define the operations; they have no steps.";
