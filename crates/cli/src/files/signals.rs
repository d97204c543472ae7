//! What happens to partial files when a signal ends the program: an empty one is removed; one with rows stays, as after a failed run,
//! and if `--resume` can continue it, a message names it.

use std::{
    collections::BTreeSet,
    fs,
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
};

use parking_lot::Mutex;

/// The empty partial files of this process.
static EMPTY: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// The message about the table that `--resume` can continue.
static UNFINISHED: Mutex<Option<String>> = Mutex::new(None);

/// Sets the table that is named when a signal ends the program.
pub(super) fn set_unfinished(path: &Path, partial: &Path, rows: u64) {
    watch();
    *UNFINISHED.lock() = Some(format!(
        "interrupted: {} is unchanged; {} in {}; repeat the command with --resume to continue",
        path.display(),
        if rows == 1 { "1 finished row is".to_owned() } else { format!("{rows} finished rows are") },
        partial.display()
    ));
}

/// Forgets the table, which is complete.
pub(super) fn clear_unfinished() {
    *UNFINISHED.lock() = None;
}

/// Adds an empty partial file.
pub(super) fn add(partial: PathBuf) {
    watch();
    EMPTY.lock().insert(partial);
}

/// Removes a partial file from the list, because it has content now or has been deleted.
pub(super) fn remove(partial: &PathBuf) {
    EMPTY.lock().remove(partial);
}

/// Starts the thread that waits for signals, once.
#[cfg(unix)]
fn watch() {
    use std::{sync::Once, thread};

    use signal_hook::{
        consts::{SIGHUP, SIGINT, SIGTERM},
        iterator::Signals,
        low_level::emulate_default_handler,
    };

    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        let ignored = ignored();
        let ends = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
        // If this fails, signals end the process as they do by default.
        let Ok(mut signals) = Signals::new(ends) else { return };
        let wait = move || {
            for signal in signals.forever() {
                for partial in EMPTY.lock().iter() {
                    // The file is empty: no data is lost if it cannot be deleted.
                    let _ = fs::remove_file(partial);
                }
                if let Some(message) = &*UNFINISHED.lock() {
                    // On a terminal the progress bar may be in the line. If standard error is closed, the message is lost.
                    let _ = writeln!(
                        io::stderr(),
                        "{}{message}",
                        if io::stderr().is_terminal() { "\n" } else { "" }
                    );
                }
                let _ = emulate_default_handler(signal);
            }
        };
        let _ = thread::Builder::new().name("signals".into()).spawn(wait);
    });
}

/// Returns the signals that the parent process has set to be ignored, as `nohup` does; bit `n - 1` is signal `n`. Known
/// on Linux only.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let word = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    word.and_then(|word| u64::from_str_radix(word.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(not(unix))]
fn watch() {}
