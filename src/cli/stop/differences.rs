//! What tells the problems of a sweep from each other, and what they have in common.

use super::{
    super::table::Align::{self, Left, Right},
    task::Task,
};

/// The figures in which problems differ: each is a column of the tables, and the others are in the headline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Differences {
    machine: bool,
    distribution: bool,
    sources: bool,
    bytes: bool,
    algorithm: bool,
}

impl Differences {
    pub(super) fn of(tasks: &[Task]) -> Differences {
        let Some(first) = tasks.first() else { return Differences::default() };
        let any = |differs: &dyn Fn(&Task) -> bool| tasks.iter().any(differs);
        Differences {
            machine: any(&|task| task.machine != first.machine),
            distribution: any(&|task| task.distribution != first.distribution),
            sources: any(&|task| task.sources() != first.sources()),
            bytes: any(&|task| task.bytes != first.bytes),
            algorithm: any(&|task| task.algorithms.len() > 1 || task.algorithms != first.algorithms),
        }
    }

    /// The titles of the columns.
    pub(super) fn titles(self) -> Vec<(&'static str, Align)> {
        let titles = [
            self.machine.then_some(("machine", Left)),
            self.distribution.then_some(("distribution", Left)),
            self.sources.then_some(("sources", Right)),
            self.bytes.then_some(("bytes", Right)),
        ];
        titles.into_iter().flatten().collect()
    }

    /// A problem's cells in these columns.
    pub(super) fn cells(self, task: &Task) -> Vec<String> {
        let cells = [
            self.machine.then(|| task.machine_name().to_owned()),
            self.distribution.then(|| task.distribution.clone()),
            self.sources.then(|| task.sources().to_string()),
            self.bytes.then(|| task.bytes.to_string()),
        ];
        cells.into_iter().flatten().collect()
    }

    /// What a problem has in common with all others, in words.
    pub(super) fn common(self, task: &Task) -> Vec<String> {
        let parts = [
            (!self.machine).then(|| task.machine_name().to_owned()),
            (!self.distribution).then(|| task.distribution.clone()),
            (!self.sources).then(|| task.count()),
            (!self.bytes).then(|| task.length()),
        ];
        parts.into_iter().flatten().collect()
    }

    /// For the names of files: what tells each of a problem's runs from all others.
    pub(super) fn labels(self, task: &Task) -> Vec<String> {
        let label = |algorithm: String| {
            let algorithm = self.algorithm.then_some(algorithm);
            let label = self.cells(task).into_iter().chain(algorithm).collect::<Vec<_>>().join("-");
            // A machine's name may have a slash in it.
            let is_harmless = |c: char| c.is_alphanumeric() || "-._+@".contains(c);
            label.chars().map(|c| if is_harmless(c) { c } else { '-' }).collect()
        };
        task.algorithms.iter().map(|algorithm| label(algorithm.to_string())).collect()
    }
}

#[cfg(test)]
mod tests {
    use multicomputer::stop::{Algorithm, Instance};

    use super::*;

    fn task(sources: &[usize], algorithms: &[Algorithm]) -> Task {
        Task {
            machine: 0,
            instance: Instance::new(&"2x2".parse().unwrap(), sources, &vec![8; sources.len()]).unwrap(),
            distribution: "row".to_owned(),
            bytes: 8,
            algorithms: algorithms.to_vec(),
            left_out: Vec::new(),
        }
    }

    #[test]
    fn only_what_differs_is_a_column() {
        let tasks = [&[0][..], &[0, 1]].map(|sources| task(sources, &[Algorithm::XOR]));
        let differences = Differences::of(&tasks);
        assert_eq!(differences.titles(), [("sources", Right)]);
        assert_eq!(differences.cells(&tasks[1]), ["2"]);
        assert_eq!(differences.common(&tasks[1]), ["paragon:2x2", "row", "8 B each"]);
        assert_eq!(differences.labels(&tasks[1]), ["2"]);
    }

    #[test]
    fn labels_are_fit_for_names_of_files() {
        let both = [Algorithm::XOR, Algorithm::TWO_STEP];
        let tasks = [task(&[0], &both), Task { machine: 1, ..task(&[0], &both) }];
        let differences = Differences::of(&tasks);
        assert_eq!(differences.labels(&tasks[0]), ["paragon-2x2-xor", "paragon-2x2-2-step"]);
        let alone = Differences::of(&tasks[..1]);
        assert_eq!(alone.titles(), []);
        assert_eq!(alone.labels(&tasks[0]), ["xor", "2-step"]);
    }
}
