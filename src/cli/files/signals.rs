//! What a signal that ends the program leaves: no partial file that has no content yet.
//!
//! A partial file with rows stays, as after any other end: it has what was finished by then.

use std::{collections::BTreeSet, fs, path::PathBuf};

use parking_lot::Mutex;

/// The partial files of this process without content.
static EMPTY: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Notes a partial file that has no content yet.
pub(super) fn add(partial: PathBuf) {
    watch();
    EMPTY.lock().insert(partial);
}

/// Forgets a partial file, which has content now or is removed.
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
        // Where signals cannot be waited for they end the process as they would without this.
        let Ok(mut signals) = Signals::new(ends) else { return };
        let wait = move || {
            for signal in signals.forever() {
                for partial in EMPTY.lock().iter() {
                    // It is empty: no loss if it stays.
                    let _ = fs::remove_file(partial);
                }
                let _ = emulate_default_handler(signal);
            }
        };
        let _ = thread::Builder::new().name("signals".into()).spawn(wait);
    });
}

/// The signals that this process was started to ignore, as by `nohup`: bit `n - 1` is signal `n`. Only Linux tells them.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let word = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    word.and_then(|word| u64::from_str_radix(word.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(not(unix))]
fn watch() {}
