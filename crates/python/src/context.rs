//! What the nodes of a run of Python share.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use multicomputer::Rank;

/// The places of the last calls of all nodes, and whether Ctrl-C was pressed.
#[derive(Debug)]
pub(crate) struct Context {
    places: Mutex<Vec<Option<String>>>,
    interrupted: AtomicBool,
}

impl Context {
    pub(crate) fn new(nodes: usize) -> Context {
        Context { places: Mutex::new(vec![None; nodes]), interrupted: AtomicBool::new(false) }
    }

    /// Stores the place of the call that a node was in when the run ended. Later calls leave it unchanged.
    pub(crate) fn store_place(&self, rank: Rank, place: String) {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)[rank].get_or_insert(place);
    }

    /// Returns the stored places.
    pub(crate) fn into_places(self) -> Vec<Option<String>> {
        self.places.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the run at the next call of each node.
    pub(crate) fn interrupt(&self) {
        self.interrupted.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }
}
