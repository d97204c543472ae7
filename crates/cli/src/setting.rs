//! Setting of a table row: the machine and the seed, as columns and as a text for titles.
//!
//! CSV files contain all columns. Tables contain the columns in which machines differ. Titles contain what all rows
//! have in common and the machine's name does not tell.

use multicomputer::{Span, model::MachineSpec, topology::Grid, units::format_bytes};

use super::{compare::column::Column, count::counted};

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

/// Columns of settings that the name of a machine does not tell.
const NOT_IN_NAME: [&str; 5] = ["placement", "rendezvous", "noise", "noise_seed", "faults"];

/// Columns of parameters that the name of a preset or a topology tells.
const IN_NAME: [&str; 4] = ["ports", "alpha_us", "beta_ns_per_byte", "machine_hash"];

/// Default seed.
pub(super) const DEFAULT_SEED: u64 = 1;

/// The machine and the seed of a row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Setting {
    machine: String,
    nodes: usize,
    grid: Option<Grid>,
    ports: u32,
    placement: String,
    rendezvous: Option<u64>,
    noise: Option<(String, u64)>,
    faults: Option<String>,
    seed: u64,
    alpha: Span,
    beta: String,
    hash: String,
    /// Whether the name and the other columns determine all parameters.
    is_defined_by_name: bool,
}

impl Setting {
    /// Returns the setting of a machine, with the noise and faults of its runs, and of a command's seed.
    pub(super) fn of(machine: &MachineSpec, seed: u64) -> Setting {
        let placements: Vec<String> = machine.placements().iter().map(ToString::to_string).collect();
        let faults = machine.faults().map(|faults| {
            let faults_and_detours = faults.list().iter().map(ToString::to_string);
            let detours = (!faults.has_detours()).then(|| "no-detours".to_owned());
            faults_and_detours.chain(detours).collect::<Vec<_>>().join(" ")
        });
        let hash = machine.hash();
        Setting {
            machine: machine.base_name().to_owned(),
            nodes: machine.nodes(),
            grid: machine.topology().grid(),
            ports: machine.parameters().ports(),
            placement: if placements.is_empty() { "identity".to_owned() } else { placements.join(" ") },
            rendezvous: machine.rendezvous(),
            noise: machine.noise().map(|noise| noise.kind_and_seed()),
            faults,
            seed,
            alpha: machine.parameters().alpha(),
            beta: nanoseconds(machine.parameters().beta()),
            is_defined_by_name: named(machine).is_some_and(|named| named.hash() == hash),
            hash,
        }
    }

    /// Returns the text after the machine's name in a title: `, noise interval=1ms,length=50us (noise seed 7), seed 3`;
    /// empty for the defaults.
    pub(super) fn title(&self) -> String {
        let parameters =
            format!(", alpha {}, beta {} ns/B, machine hash {}", self.alpha, self.beta, self.hash);
        let parameters = if self.is_defined_by_name { String::new() } else { parameters };
        parameters + &self.title_without_parameters()
    }

    /// Returns the [title](Self::title) without alpha, beta and the machine hash, for places where the parameters are printed separately.
    pub(super) fn title_without_parameters(&self) -> String {
        let seed = (self.seed != DEFAULT_SEED).then(|| format!("seed {}", self.seed));
        self.disturbances().into_iter().chain(seed).map(|part| format!(", {part}")).collect()
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
            parts.push(counted(u64::from(first.ports), "port"));
        }
        if is_same("placement") && first.placement != "identity" {
            parts.push(first.placement.clone());
        }
        if ["rendezvous", "noise", "noise_seed", "faults"].into_iter().all(is_same) {
            parts.extend(first.disturbances());
        }
        if first.seed != DEFAULT_SEED {
            parts.push(format!("seed {}", first.seed));
        }
        parts.into_iter().map(|part| format!(", {part}")).collect()
    }

    /// Describes rendezvous, noise and faults.
    fn disturbances(&self) -> Vec<String> {
        let rendezvous = self.rendezvous.map(|from| format!("rendezvous from {}", format_bytes(from)));
        let noise = self.noise.as_ref().map(|(noise, seed)| format!("noise {noise} (noise seed {seed})"));
        let faults = self.faults.as_ref().map(|faults| format!("faults {faults}"));
        [rendezvous, noise, faults].into_iter().flatten().collect()
    }

    /// Returns whether the number of ports differs from that of the machine with this name (1 if the name is not that of a known machine).
    fn has_own_ports(&self) -> bool {
        let named = self.machine.parse::<MachineSpec>();
        named.map_or(self.ports != 1, |named| named.parameters().ports() != self.ports)
    }
}

/// Returns the columns in which the machines of a table differ although their names do not tell it; empty for one
/// machine.
pub(super) fn differing(settings: &[&Setting]) -> Vec<&'static str> {
    let columns = columns(|setting: &&Setting| setting);
    let is_defined = settings.iter().all(|setting| setting.is_defined_by_name);
    let in_name = IN_NAME.into_iter().filter(|column| *column == "ports" || !is_defined);
    let all = in_name.chain(NOT_IN_NAME);
    all.filter(|name| {
        columns.iter().filter(|column| column.is_named(name)).any(|column| {
            let mut cells = settings.iter().map(|setting| column.figure(setting));
            let first = cells.next();
            cells.any(|cell| Some(cell) != first)
        })
    })
    .collect()
}

/// Returns all columns, for rows with a setting.
pub(super) fn columns<'c, R>(of: impl Fn(&R) -> &Setting + Copy + 'c) -> Vec<Column<'c, R>> {
    vec![
        Column::new("machine", move |row: &R| of(row).machine.clone()).left(),
        Column::new("nodes", move |row: &R| of(row).nodes),
        Column::new("rows", move |row: &R| of(row).grid.map(|grid| grid.rows)),
        Column::new("columns", move |row: &R| of(row).grid.map(|grid| grid.columns)),
        Column::new("ports", move |row: &R| of(row).ports),
        Column::new("placement", move |row: &R| of(row).placement.clone()).left(),
        Column::new("rendezvous", move |row: &R| of(row).rendezvous),
        Column::new("noise", move |row: &R| of(row).noise.clone().map(|(noise, _)| noise)).left(),
        Column::new("noise_seed", move |row: &R| of(row).noise.as_ref().map(|(_, seed)| *seed))
            .titled("noise seed"),
        Column::new("faults", move |row: &R| of(row).faults.clone()).left(),
        Column::new("seed", move |row: &R| of(row).seed),
        Column::new("alpha_us", move |row: &R| of(row).alpha).titled("alpha {unit}").own_unit(),
        Column::new("beta_ns_per_byte", move |row: &R| of(row).beta.clone()).titled("beta ns/B"),
        Column::new("machine_hash", move |row: &R| of(row).hash.clone()).titled("machine hash").left(),
    ]
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

/// Converts seconds to nanoseconds by shifting the decimal exponent, because 30.6e-9 times 1e9 is not 30.6.
fn nanoseconds(seconds: f64) -> String {
    let text = format!("{seconds:e}");
    let shifted = text.split_once('e').and_then(|(digits, exponent)| {
        let exponent: i32 = exponent.parse().ok()?;
        format!("{digits}e{}", exponent + 9).parse::<f64>().ok()
    });
    shifted.unwrap_or(seconds * 1e9).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(machine: &str) -> Setting {
        Setting::of(&machine.parse().unwrap(), DEFAULT_SEED)
    }

    #[test]
    fn a_time_per_byte_has_the_digits_that_it_was_given() {
        for (seconds, text) in [(30.6e-9, "30.6"), (0.0, "0"), (1.5e-11, "0.015"), (3e-6, "3000")] {
            assert_eq!(nanoseconds(seconds), text);
        }
    }

    #[test]
    fn titles_say_what_the_name_does_not() {
        assert_eq!(setting("paragon:4x4").title(), "");
        let file = MachineSpec::from_toml(
            "name = \"paragon:4x4\"\ntopology = \"mesh:4x4\"\nrendezvous = 8192\n[parameters]\nalpha = \"3 us\"\nbeta = \"2 ns/B\"",
        );
        let setting = Setting::of(&file.unwrap(), 7);
        let hash = &setting.hash;
        assert_eq!(
            setting.title(),
            format!(", alpha 3 us, beta 2 ns/B, machine hash {hash}, rendezvous from 8 KiB, seed 7")
        );
    }

    #[test]
    fn tables_have_the_columns_that_names_do_not_tell() {
        let (small, large) = (setting("paragon:4x4"), setting("cm5:8"));
        assert!(differing(&[&small, &large]).is_empty());
        let ported = Setting::of(&"paragon:4x4".parse::<MachineSpec>().unwrap().with_ports(2).unwrap(), 1);
        assert_eq!(differing(&[&small, &ported]), ["ports"]);
        let large = Setting::of(&"cm5:8".parse::<MachineSpec>().unwrap().with_ports(2).unwrap(), 3);
        let ported = Setting { seed: 3, ..ported };
        assert_eq!(Setting::common_title(&[&ported, &large]), ", 2 ports, seed 3");
        let noisy = "paragon:4x4".parse::<MachineSpec>().unwrap();
        let noisy = Setting::of(&noisy.with_noise("interval=1ms,length=1us".parse().unwrap()), 1);
        assert_eq!(differing(&[&small, &noisy]), ["noise", "noise_seed"]);
        assert_eq!(
            Setting::common_title(&[&noisy, &noisy]),
            ", noise interval=1ms,length=1us (noise seed 1)"
        );
    }
}
