//! `multicomputer completions` and `multicomputer man`: texts made from the command line itself.

use std::io::Write;

use clap::Args;
use clap_complete::Shell;
use clap_mangen::Man;

use super::{command_line, command_named, error::Error};

/// Arguments of `completions`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  multicomputer completions bash > ~/.local/share/bash-completion/completions/multicomputer
  multicomputer completions zsh > ~/.zfunc/_multicomputer     with ~/.zfunc in fpath
  multicomputer completions fish > ~/.config/fish/completions/multicomputer.fish")]
pub(super) struct CompletionsArguments {
    /// Choose the shell
    shell: Shell,
}

/// Arguments of `man`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  multicomputer man > ~/.local/share/man/man1/multicomputer.1
  multicomputer man study | man -l -")]
pub(super) struct ManArguments {
    /// Choose the command that the page describes [default: all commands, in one line each]
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

/// Prints the completions of a shell.
pub(super) fn completions(arguments: &CompletionsArguments, out: &mut impl Write) -> Result<(), Error> {
    // The generator panics if it cannot write, so it writes to memory.
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut command_line(), "multicomputer", &mut text);
    Ok(out.write_all(&text)?)
}

/// Prints a manual page.
pub(super) fn man(arguments: &ManArguments, out: &mut impl Write) -> Result<(), Error> {
    let mut command = command_line();
    let name = arguments.command.as_ref().map(|given| command_named(&command, given));
    let name = name.transpose().map_err(Error::usage)?;
    command.build();
    if let Some(name) = name {
        let inner = command.find_subcommand(&name).cloned();
        // Only the command `help` has no page of its own.
        command = inner.map_or(command, |inner| inner.display_name(format!("multicomputer-{name}")));
    }
    Ok(Man::new(command).render(out)?)
}
