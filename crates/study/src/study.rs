//! Studies: axes x algorithms -> rows.

use multicomputer::{model::MachineSpec, names, units::parse_seconds};

use crate::{
    Axis, Operation, Rows, Shard, StudyError, algorithms,
    case::{Point, Values},
    clock, machine,
    problem::Elements,
    spelling::{read_effort, read_fraction},
    values::ValueKind,
};

/// Maximum number of cases.
const MAX_CASES: u64 = 1 << 40;

/// The choice of cases that are run and not only predicted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Runs {
    /// Cases whose time a prediction cannot tell: with noise, faults or another clock than virtual time, and algorithms with random choices.
    #[default]
    Needed,
    /// All cases, with data that every node checks.
    All,
    /// No case.
    None,
}

impl Runs {
    /// All choices with their names.
    const NAMES: [(&'static str, Runs); 3] =
        [("needed", Runs::Needed), ("all", Runs::All), ("none", Runs::None)];

    /// Returns the name: `needed`, `all` or `none`.
    pub fn name(self) -> &'static str {
        Runs::NAMES.into_iter().find(|&(_, runs)| runs == self).map_or("needed", |(name, _)| name)
    }

    /// Reads a name.
    ///
    /// # Errors
    ///
    /// A text with the nearest name and all names.
    pub fn named(text: &str) -> Result<Runs, String> {
        let plain = names::normalized(text);
        let known = Runs::NAMES.map(|(name, _)| name);
        let named = Runs::NAMES.into_iter().find(|(name, _)| *name == plain);
        let unknown =
            || names::unknown("choice of runs", text, names::nearest(text, known), &known.join(", "));
        named.map(|(_, runs)| runs).ok_or_else(unknown)
    }
}

/// A study: the values of its axes, and its algorithms. The cases are all combinations of the values.
///
/// ```
/// use multicomputer_study::{Axis, Shard, Study};
///
/// let mut study = Study::default();
/// study.set(Axis::Operation, "broadcast")?;
/// study.set(Axis::Machine, "paragon,torus")?;
/// study.set(Axis::Nodes, "4..16")?;
/// study.set_algorithms("binomial,auto");
/// let rows: Vec<_> = study.rows(Shard::WHOLE)?.collect::<Result<_, _>>()?;
/// assert_eq!(rows.len(), 2 * 3 * 2);
/// assert!(rows.iter().all(|row| row.time_us >= row.bound_us));
/// # Ok::<(), multicomputer_study::StudyError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Study {
    /// A title for tables and charts.
    pub title: Option<String>,
    /// Whether runs send lengths without data.
    pub phantom: bool,
    /// The choice of cases that are run.
    pub runs: Runs,
    pub(crate) values: Values,
    pub(crate) algorithms: Vec<String>,
    pub(crate) elements: Elements,
}

impl Study {
    /// Sets the values of an axis: `16..1024`, `1,2,5`, `1..30+1`.
    ///
    /// # Errors
    ///
    /// [`StudyError::Value`] if the list or one of its values cannot be read.
    pub fn set(&mut self, axis: Axis, values: &str) -> Result<(), StudyError> {
        let values = axis.kind().expand(values).map_err(|cause| StudyError::Value { axis, cause })?;
        self.set_values(axis, values)
    }

    /// Sets the values of an axis one by one. Commas in names have no meaning here; numbers may be ranges.
    ///
    /// # Errors
    ///
    /// [`StudyError::Value`] if a value cannot be read.
    pub fn set_each<T: AsRef<str>>(
        &mut self,
        axis: Axis,
        values: impl IntoIterator<Item = T>,
    ) -> Result<(), StudyError> {
        let mut all: Vec<String> = Vec::new();
        for value in values {
            match axis.kind() {
                ValueKind::Name | ValueKind::Noise | ValueKind::Machine => {
                    all.push(value.as_ref().trim().to_owned())
                }
                kind => {
                    let cause = |cause| StudyError::Value { axis, cause };
                    all.extend(kind.expand(value.as_ref()).map_err(cause)?);
                }
            }
        }
        self.set_values(axis, all)
    }

    fn set_values(&mut self, axis: Axis, values: Vec<String>) -> Result<(), StudyError> {
        let cause = |cause| StudyError::Value { axis, cause };
        if values.is_empty() {
            return Err(cause("give at least one value".to_owned()));
        }
        values.iter().try_for_each(|value| check(axis, value)).map_err(cause)?;
        self.values.insert(axis, values);
        Ok(())
    }

    /// Sets the algorithms: names with commas between them, or `all`. Names that mean no algorithm of an operation are left out there.
    pub fn set_algorithms(&mut self, names: &str) {
        self.algorithms = algorithms::read_algorithms(names);
    }

    /// Sets the length of an element in bytes [default: 8 if the operation combines, otherwise 1].
    pub fn set_element(&mut self, bytes: u64) {
        self.elements.bytes = Some(bytes.max(1));
    }

    /// Sets whether elements are combined in rank order, as for an operator that is not commutative.
    pub fn set_in_order(&mut self, in_order: bool) {
        self.elements.in_order = in_order;
    }

    /// Returns the values of an axis that is set.
    pub fn values(&self, axis: Axis) -> Option<&[String]> {
        self.values.get(&axis).map(Vec::as_slice)
    }

    /// Returns the axes that vary, in nesting order.
    pub fn varied(&self) -> Vec<Axis> {
        self.values.iter().filter(|(_, values)| values.len() > 1).map(|(&axis, _)| axis).collect()
    }

    /// Returns the names of the algorithms; empty if the study has the default, `auto`.
    pub fn algorithms(&self) -> &[String] {
        &self.algorithms
    }

    /// Returns the number of cases: the product of the numbers of values.
    ///
    /// # Errors
    ///
    /// [`StudyError::TooManyCases`] if it is above 2^40.
    pub fn cases(&self) -> Result<u64, StudyError> {
        let product = self.values.values().try_fold(1_u64, |product, values| {
            product.checked_mul(values.len() as u64).filter(|&product| product <= MAX_CASES)
        });
        product.ok_or(StudyError::TooManyCases { most: MAX_CASES })
    }

    /// Returns the machine of the first case, without noise and faults.
    ///
    /// # Errors
    ///
    /// A text that says why there is no such machine.
    pub fn machine(&self) -> Result<MachineSpec, String> {
        machine::planned(&Point::nth(&self.values, 0))
    }

    /// Returns the number of rows: of each case one for each algorithm of its operation.
    ///
    /// # Errors
    ///
    /// [`StudyError`] if the study cannot be computed.
    pub fn row_count(&self) -> Result<u64, StudyError> {
        let study = self.resolved()?;
        let operations = study.operations();
        let algorithms = |&operation| algorithms::of(operation, &study.algorithms).len() as u64;
        let cases = study.cases()? / operations.len().max(1) as u64;
        Ok(operations.iter().map(algorithms).sum::<u64>().saturating_mul(cases))
    }

    /// Returns the rows of a part of the study, made one case at a time.
    ///
    /// # Errors
    ///
    /// [`StudyError`] if an algorithm is unknown, or if the study has too many cases.
    pub fn rows(&self, shard: Shard) -> Result<Rows, StudyError> {
        Rows::new(self.resolved()?, shard)
    }

    /// The study with its defaults filled in, checked: operations, algorithms, and one fault value for each link.
    pub(crate) fn resolved(&self) -> Result<Study, StudyError> {
        let mut study = self.clone();
        study.values.entry(Axis::Operation).or_insert_with(|| vec!["broadcast".to_owned()]);
        if study.algorithms.is_empty() {
            study.algorithms = vec!["auto".to_owned()];
        }
        let operations = study.operations();
        let check = |name: &String| {
            algorithms::check_algorithm(&operations, name).map_err(StudyError::UnknownAlgorithm)
        };
        study.algorithms.iter().try_for_each(check)?;
        // An axis that changes nothing is most likely a mistake.
        for &axis in study.values.keys() {
            if let Some(cause) = study.without_effect(axis, &operations) {
                return Err(StudyError::Value { axis, cause });
            }
        }
        let has_each_link = study
            .values(Axis::Fault)
            .is_some_and(|faults| faults.iter().any(|fault| machine::each_link_instant(fault).is_some()));
        if has_each_link {
            study.expand_each_link()?;
        }
        study.cases()?;
        Ok(study)
    }

    /// Why an axis changes nothing in this study; `None` if it has an effect, or may have.
    fn without_effect(&self, axis: Axis, operations: &[Operation]) -> Option<String> {
        let reasons: Vec<Option<&str>> =
            operations.iter().map(|&operation| axis.is_only_for(operation)).collect();
        if let (Some(Some(what)), true) = (reasons.first(), reasons.iter().all(Option::is_some)) {
            let names: Vec<&str> = operations.iter().map(|operation| operation.name()).collect();
            return Some(format!(
                "it has no effect on {}: it is for {what}; remove it, or add such an operation",
                names.join(", ")
            ));
        }
        match axis {
            Axis::Seed if !self.is_random(operations) => Some(
                "it has no effect, because nothing is random: remove it, or add noise, skew, an algorithm with random \
                 choices, or --run all"
                    .to_owned(),
            ),
            Axis::LinkExcess => {
                let machines = self.values(Axis::Machine).map_or(1, <[String]>::len);
                let with_one = |nth: usize| {
                    let mut values = self.values.clone();
                    values.entry(Axis::Machine).and_modify(|names| *names = vec![names[nth].clone()]);
                    // A machine that cannot be built is refused with its case.
                    let machine = machine::planned(&Point::nth(&values, 0)).ok()?;
                    let topology = machine.topology();
                    (0..topology.links()).all(|link| topology.capacity(link).is_some()).then(|| machine.name().to_owned())
                };
                let names = (0..machines).map(with_one).collect::<Option<Vec<_>>>()?;
                Some(format!(
                    "it has no effect on {}, whose links have their own capacities: remove it, or add another machine",
                    names.join(", ")
                ))
            }
            _ => None,
        }
    }

    /// Whether the seed may decide something: noise (machine files may have some), messages, schedules, or data of runs.
    fn is_random(&self, operations: &[Operation]) -> bool {
        let any =
            |axis, is: fn(&String) -> bool| self.values(axis).is_some_and(|values| values.iter().any(is));
        let has_random_schedules = || {
            let algorithms = algorithms::of(Operation::AllToAll, &self.algorithms);
            algorithms.iter().any(algorithms::Algorithm::is_random)
        };
        self.runs == Runs::All
            || any(Axis::Noise, |noise| noise != "none")
            || any(Axis::Clock, |clock| clock != "virtual")
            || any(Axis::Machine, |machine| machine.ends_with(".toml"))
            || operations.contains(&Operation::AllToAll)
                && (self.values(Axis::Skew).is_some() || has_random_schedules())
    }

    /// Replaces the fault value `each-link` by one value for each link of the machine.
    fn expand_each_link(&mut self) -> Result<(), StudyError> {
        let error = |cause| StudyError::Value { axis: Axis::Fault, cause };
        let of_networks = [Axis::Machine, Axis::Nodes, Axis::Shape, Axis::Placement];
        if let Some(axis) =
            of_networks.into_iter().find(|&axis| self.values(axis).is_some_and(|values| values.len() > 1))
        {
            return Err(error(format!("each-link needs one network, and {axis} varies")));
        }
        let network = machine::planned(&Point::nth(&self.values, 0)).map_err(error)?;
        let faults = self.values.remove(&Axis::Fault).unwrap_or_default();
        let faults = faults.into_iter().flat_map(|fault| match machine::each_link_instant(&fault) {
            Some(instant) => machine::each_link(&network, instant),
            None => vec![fault],
        });
        self.values.insert(Axis::Fault, faults.collect());
        Ok(())
    }

    /// The operations, which were checked when they were set.
    pub(crate) fn operations(&self) -> Vec<Operation> {
        let names = self.values(Axis::Operation).unwrap_or_default();
        names.iter().filter_map(|name| Operation::named(name).ok()).collect()
    }
}

/// Refuses a value that no case could have. Values that depend on other axes, such as a root, are checked with the case.
fn check(axis: Axis, value: &str) -> Result<(), String> {
    match axis {
        Axis::Operation => Operation::named(value).map(drop),
        Axis::Clock => clock::read(value).map(drop),
        Axis::Noise => machine::noise(value).map(drop),
        Axis::Fault => match machine::each_link_instant(value) {
            Some(instant) => parse_seconds(instant).map(drop).map_err(|cause| cause.to_string()),
            None => machine::faults(value).map(drop),
        },
        Axis::Effort => read_effort(value).map(drop),
        Axis::Skew => read_fraction(value).map(drop),
        Axis::Rendezvous => machine::rendezvous(value).map(drop),
        Axis::Distribution => {
            value.parse::<multicomputer::s_to_p::Distribution>().map(drop).map_err(|cause| cause.to_string())
        }
        Axis::Placement => {
            value.parse::<multicomputer::topology::Placement>().map(drop).map_err(|cause| cause.to_string())
        }
        Axis::Machine if value.contains(':') || value.ends_with(".toml") => Ok(()),
        Axis::Machine => {
            let is_known = |known: &str| names::normalized(known) == names::normalized(value);
            if multicomputer::model::known_names().any(is_known)
                || value.starts_with(|first: char| first.is_ascii_digit())
            {
                return Ok(());
            }
            value.parse::<multicomputer::model::MachineSpec>().map(drop).map_err(|cause| cause.to_string())
        }
        _ => match axis.kind() {
            ValueKind::Name | ValueKind::Noise | ValueKind::Machine => Ok(()),
            kind => kind.number(value).map(drop),
        },
    }
}
