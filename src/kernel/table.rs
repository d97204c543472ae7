//! The requests of one node, with the completion times of the complete ones.
//!
//! A wait for the first of several requests examines the few complete requests instead of all requests that it waits for: a node may have a
//! thousand posted receives.

use std::collections::{BTreeMap, BTreeSet, VecDeque, btree_map};

use super::request::Request;
use crate::{
    time::Time,
    wire::{RequestId, reserve_one},
};

/// The requests of a node.
#[derive(Debug, Default)]
pub(super) struct Requests {
    states: BTreeMap<RequestId, Request>,
    /// The complete requests, in the order of their completion times.
    complete: VecDeque<(Time, RequestId)>,
    /// The receives that have not been waited for, in the order of their posting times.
    receives: BTreeSet<(Time, RequestId)>,
}

impl Requests {
    pub(super) fn get(&self, request: RequestId) -> Option<&Request> {
        self.states.get(&request)
    }

    /// The posting time of the oldest receive that has not been waited for.
    pub(super) fn oldest_receive(&self) -> Option<Time> {
        self.receives.first().map(|&(posted, _)| posted)
    }

    pub(super) fn iter(&self) -> btree_map::Iter<'_, RequestId, Request> {
        self.states.iter()
    }

    /// Adds a request, or changes its state.
    pub(super) fn insert(&mut self, request: RequestId, state: Request) {
        let (since, posted) = (state.complete_since(), state.posted());
        if let Some(before) = self.states.insert(request, state) {
            self.forget_instants(request, &before);
        }
        self.receives.extend(posted.map(|posted| (posted, request)));
        if let Some(since) = since {
            reserve_one(&mut self.complete);
            let later = self.complete.iter().rev().take_while(|&&end| end > (since, request)).count();
            self.complete.insert(self.complete.len() - later, (since, request));
        }
    }

    pub(super) fn remove(&mut self, request: RequestId) -> Option<Request> {
        let state = self.states.remove(&request)?;
        self.forget_instants(request, &state);
        Some(state)
    }

    fn forget_instants(&mut self, request: RequestId, state: &Request) {
        if let Some(since) = state.complete_since()
            && let Ok(at) = self.complete.binary_search(&(since, request))
        {
            self.complete.remove(at);
        }
        if let Some(posted) = state.posted() {
            self.receives.remove(&(posted, request));
        }
    }

    /// Removes all requests.
    pub(super) fn take(&mut self) -> BTreeMap<RequestId, Request> {
        self.complete.clear();
        self.receives.clear();
        std::mem::take(&mut self.states)
    }

    /// Returns the first complete request among several: its completion time and its index in `among`. Ties go to the lowest index.
    pub(super) fn first_complete(&self, among: &[RequestId]) -> Option<(Time, usize)> {
        let mut passed = 0;
        while let Some(&(since, _)) = self.complete.get(passed) {
            let is_there = |&request: &RequestId| self.complete.binary_search(&(since, request)).is_ok();
            if let Some(place) = among.iter().position(is_there) {
                return Some((since, place));
            }
            passed = self.complete.partition_point(|&(other, _)| other <= since);
        }
        None
    }
}
