//! Setting of a table row: the machine and the seed, as columns and as a text for titles.
//!
//! CSV files contain all columns. Tables contain the columns in which machines differ. Titles contain what all rows
//! have in common and the machine's name does not tell.

use multicomputer::{model::MachineSpec, units::format_bytes};
use multicomputer_study::Row;

use super::{
    compare::column::{Column, Figure},
    count::counted,
};

/// Names of the columns after `machine`, `nodes`, `rows` and `columns`, and before `seed`.
macro_rules! setting_columns {
    () => {
        "ports placement rendezvous noise noise_seed faults alpha_us beta_ns_per_byte machine_hash"
    };
}
pub(super) use setting_columns;

/// Names of all columns before `seed`.
macro_rules! machine_columns {
    () => {
        concat!("machine rows columns nodes ", $crate::setting::setting_columns!())
    };
}
pub(super) use machine_columns;

/// All columns with their titles in tables, and whether they are words.
const COLUMNS: [(&str, &str, bool); 14] = [
    ("machine", "machine", true),
    ("rows", "rows", false),
    ("columns", "columns", false),
    ("nodes", "nodes", false),
    ("ports", "ports", false),
    ("placement", "placement", true),
    ("rendezvous", "rendezvous", false),
    ("noise", "noise", true),
    ("noise_seed", "noise seed", false),
    ("faults", "faults", true),
    ("alpha_us", "alpha us", false),
    ("beta_ns_per_byte", "beta ns/B", false),
    ("machine_hash", "machine hash", true),
    ("seed", "seed", false),
];

/// Columns of settings that the name of a machine does not tell.
const NOT_IN_NAME: [&str; 5] = ["placement", "rendezvous", "noise", "noise_seed", "faults"];

/// Columns of parameters that the name of a preset or a topology tells.
const IN_NAME: [&str; 4] = ["ports", "alpha_us", "beta_ns_per_byte", "machine_hash"];

/// Default seed.
pub(super) const DEFAULT_SEED: u64 = 1;

/// The machine and the seed of a row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Setting {
    /// A cell for each of the [`COLUMNS`]; empty if the column does not apply.
    cells: [String; COLUMNS.len()],
    /// Whether the name and the other columns determine all parameters.
    is_defined_by_name: bool,
}

impl Setting {
    /// Returns the setting of a machine, with the noise and faults of its runs, and of a command's seed.
    pub(super) fn of(machine: &MachineSpec, seed: u64) -> Setting {
        let mut row = Row::default();
        row.set_machine(machine);
        row.set_disturbances(machine);
        let cells = row.cells();
        let noise_seed = machine.noise().map(|noise| noise.kind_and_seed().1.to_string());
        let cell = |(name, ..): (&str, _, _)| match name {
            "noise_seed" => noise_seed.clone().unwrap_or_default(),
            "seed" => seed.to_string(),
            name => cells
                .iter()
                .find(|(column, _)| column == name)
                .map_or_else(String::new, |(_, cell)| cell.clone()),
        };
        let is_defined_by_name = named(machine).is_some_and(|named| named.hash() == row.machine_hash);
        Setting { cells: COLUMNS.map(cell), is_defined_by_name }
    }

    fn cell(&self, column: &str) -> &str {
        COLUMNS.iter().position(|(name, ..)| *name == column).map_or("", |place| &self.cells[place])
    }

    /// Returns the text after the machine's name in a title: `, noise interval=1ms,length=50us (noise seed 7), seed 3`;
    /// empty for the defaults.
    pub(super) fn title(&self) -> String {
        let [alpha, beta, hash] =
            ["alpha_us", "beta_ns_per_byte", "machine_hash"].map(|column| self.cell(column));
        let parameters = format!(", alpha {alpha} us, beta {beta} ns/B, machine hash {hash}");
        let parameters = if self.is_defined_by_name { String::new() } else { parameters };
        parameters + &self.title_without_parameters()
    }

    /// Returns the [title](Self::title) without alpha, beta and the machine hash, for places where the parameters are printed separately.
    pub(super) fn title_without_parameters(&self) -> String {
        self.disturbances().into_iter().chain(self.seed()).map(|part| format!(", {part}")).collect()
    }

    /// Returns the title of one machine; for several machines, the settings that they have in common and that are not
    /// defaults.
    pub(super) fn common_title(settings: &[&Setting]) -> String {
        let Some(first) = settings.first() else { return String::new() };
        if settings.iter().all(|setting| setting == first) {
            return first.title();
        }
        let differing = differing(settings);
        let is_same = |column: &str| !differing.contains(&column);
        let mut parts = Vec::new();
        if is_same("ports") && first.has_own_ports() {
            parts.push(counted(first.cell("ports"), "port"));
        }
        if is_same("placement") && first.cell("placement") != "identity" {
            parts.push(first.cell("placement").to_owned());
        }
        if ["rendezvous", "noise", "noise_seed", "faults"].into_iter().all(is_same) {
            parts.extend(first.disturbances());
        }
        parts.into_iter().chain(first.seed()).map(|part| format!(", {part}")).collect()
    }

    /// Describes the seed, unless it is the default.
    fn seed(&self) -> Option<String> {
        let seed = self.cell("seed");
        (seed != DEFAULT_SEED.to_string()).then(|| format!("seed {seed}"))
    }

    /// Describes rendezvous, noise and faults.
    fn disturbances(&self) -> Vec<String> {
        let [rendezvous, noise, seed, faults] =
            ["rendezvous", "noise", "noise_seed", "faults"].map(|column| self.cell(column));
        let rendezvous =
            rendezvous.parse().ok().map(|from| format!("rendezvous from {}", format_bytes(from)));
        let noise = (!noise.is_empty()).then(|| format!("noise {noise} (noise seed {seed})"));
        let faults = (!faults.is_empty()).then(|| format!("faults {faults}"));
        [rendezvous, noise, faults].into_iter().flatten().collect()
    }

    /// Returns whether the number of ports differs from that of the machine with this name (1 if the name is not that of a known machine).
    fn has_own_ports(&self) -> bool {
        let named = self.cell("machine").parse::<MachineSpec>();
        named.map_or(1, |named| named.parameters().ports()).to_string() != self.cell("ports")
    }
}

/// Returns the columns in which the machines of a table differ although their names do not tell it; empty for one
/// machine.
pub(super) fn differing(settings: &[&Setting]) -> Vec<&'static str> {
    let is_defined = settings.iter().all(|setting| setting.is_defined_by_name);
    let in_name = IN_NAME.into_iter().filter(|column| *column == "ports" || !is_defined);
    let differs =
        |column: &&str| settings.iter().any(|setting| setting.cell(column) != settings[0].cell(column));
    in_name.chain(NOT_IN_NAME).filter(differs).collect()
}

/// Returns all columns, for rows with a setting.
pub(super) fn columns<'c, R>(of: impl Fn(&R) -> &Setting + Copy + 'c) -> Vec<Column<'c, R>> {
    let column = |(name, title, is_left): (&'static str, &str, bool)| {
        let column = Column::new(name, move |row: &R| Figure::text_or_none(of(row).cell(name))).titled(title);
        if is_left { column.left() } else { column }
    };
    COLUMNS.map(column).into()
}

/// Returns the machine denoted by the base name of `machine`, with its ports and placements.
fn named(machine: &MachineSpec) -> Option<MachineSpec> {
    let mut named: MachineSpec = machine.base_name().parse().ok()?;
    if named.parameters().ports() != machine.parameters().ports() {
        named = named.with_ports(machine.parameters().ports()).ok()?;
    }
    for placement in machine.placements() {
        named = named.with_placement(placement.clone()).ok()?;
    }
    Some(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(machine: &str) -> Setting {
        Setting::of(&machine.parse().unwrap(), DEFAULT_SEED)
    }

    #[test]
    fn titles_say_what_the_name_does_not() {
        assert_eq!(setting("paragon:4x4").title(), "");
        let file = MachineSpec::from_toml(
            "name = \"paragon:4x4\"\ntopology = \"mesh:4x4\"\nrendezvous = 8192\n[parameters]\nalpha = \"3 us\"\nbeta = \"2 ns/B\"",
        );
        let setting = Setting::of(&file.unwrap(), 7);
        let hash = setting.cell("machine_hash");
        assert_eq!(
            setting.title(),
            format!(", alpha 3 us, beta 2 ns/B, machine hash {hash}, rendezvous from 8 KiB, seed 7")
        );
    }

    #[test]
    fn tables_have_the_columns_that_names_do_not_tell() {
        let (small, large) = (setting("paragon:4x4"), setting("cm5:8"));
        assert!(differing(&[&small, &large]).is_empty());
        let ported = |machine: &str, seed| {
            Setting::of(&machine.parse::<MachineSpec>().unwrap().with_ports(2).unwrap(), seed)
        };
        assert_eq!(differing(&[&small, &ported("paragon:4x4", 1)]), ["ports"]);
        let both = [&ported("paragon:4x4", 3), &ported("cm5:8", 3)];
        assert_eq!(Setting::common_title(&both), ", 2 ports, seed 3");
        let noisy = "paragon:4x4".parse::<MachineSpec>().unwrap();
        let noisy = Setting::of(&noisy.with_noise("interval=1ms,length=1us".parse().unwrap()), 1);
        assert_eq!(differing(&[&small, &noisy]), ["noise", "noise_seed"]);
        assert_eq!(
            Setting::common_title(&[&noisy, &noisy]),
            ", noise interval=1ms,length=1us (noise seed 1)"
        );
    }
}
