//! An option for each axis of a study.

use std::collections::BTreeMap;

use clap::{Arg, ArgMatches, Command};
use multicomputer_study::Axis;

/// The values of the axes that are given.
#[derive(Clone, Debug, Default)]
pub(super) struct AxisOptions {
    pub(super) values: BTreeMap<Axis, String>,
}

impl clap::FromArgMatches for AxisOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<AxisOptions, clap::Error> {
        let mut options = AxisOptions::default();
        options.update_from_arg_matches(matches)?;
        Ok(options)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for axis in Axis::all() {
            if let Some(values) = matches.get_many::<String>(axis.name()) {
                // An option that is repeated adds values.
                self.values.insert(axis, values.cloned().collect::<Vec<_>>().join(","));
            }
        }
        Ok(())
    }
}

impl clap::Args for AxisOptions {
    fn augment_args(command: Command) -> Command {
        Axis::all().fold(command, |command, axis| {
            let help = format!("Vary {}", axis.help());
            let option = Arg::new(axis.name()).long(axis.name()).value_name("VALUES").help(help);
            let option = option.action(clap::ArgAction::Append).allow_negative_numbers(true);
            // One-letter aliases are names of quantities and not of options.
            let aliases = axis.aliases().iter().copied().filter(|alias| alias.len() > 1);
            command.arg(option.aliases(aliases).help_heading("Axes"))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}
