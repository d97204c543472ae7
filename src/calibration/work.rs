//! Concurrent operations of all nodes, and their times in seconds: the components of measurements.
//!
//! Messages go to all other nodes in turn, as in collective operations; between the same two nodes they take less time.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use crate::{
    comm::{Group, Node},
    error::{CommError, Failure},
    payload::Payload,
    rank::Rank,
};

/// The part of one node in measurements that all nodes make together. All times are seconds per operation on this node.
pub(super) struct Work<'n> {
    world: &'n Group<'n>,
    messages: u32,
    /// The barrier before each measurement.
    barrier: fn(&Group<'_>) -> Result<(), CommError>,
}

impl<'n> Work<'n> {
    /// Creates work in which every node sends this number of messages per measurement.
    pub(super) fn new(node: &'n Node<'_>, messages: u32) -> Work<'n> {
        Work { world: node.world(), messages, barrier: |world| world.world_barrier() }
    }

    /// Creates work with a barrier of messages before each measurement, as programs use on a machine without a hardware barrier.
    #[cfg(feature = "mpi")]
    pub(super) fn after_messages(node: &'n Node<'_>, messages: u32) -> Work<'n> {
        Work { barrier: |world| world.barrier(), ..Work::new(node, messages) }
    }

    fn to(&self, nth: u32) -> Rank {
        (self.world.rank() + distance(nth, self.messages, self.world.size())) % self.world.size()
    }

    fn from(&self, nth: u32) -> Rank {
        let nodes = self.world.size();
        (self.world.rank() + nodes - distance(nth, self.messages, nodes)) % nodes
    }

    /// Measures barriers of all nodes.
    pub(super) fn barriers(&self) -> Result<f64, Failure> {
        self.each(|_| self.world.world_barrier())
    }

    /// Measures sends of empty messages to all other nodes in turn. The messages remain for [`receives`](Work::receives).
    pub(super) fn sends(&self) -> Result<f64, Failure> {
        self.each(|nth| self.world.send(self.to(nth), Payload::empty()))
    }

    /// Measures the receives of the messages of [`sends`](Work::sends).
    pub(super) fn receives(&self) -> Result<f64, Failure> {
        self.each(|nth| self.world.recv(self.from(nth)).map(drop))
    }

    /// Measures steps in which every node sends to one node and receives from another.
    pub(super) fn steps(&self, data: &Payload) -> Result<f64, Failure> {
        self.each(|nth| self.world.sendrecv(self.to(nth), data.clone(), self.from(nth)).map(drop))
    }

    /// Measures the sum of two vectors into a new vector.
    pub(super) fn combine(&self, data: &[f64]) -> Result<f64, Failure> {
        Ok(self.timed(|| combine(data))?.as_secs_f64())
    }

    /// Measures a copy of a vector.
    pub(super) fn copy(&self, data: &[f64]) -> Result<f64, Failure> {
        Ok(self.timed(|| copy(data))?.as_secs_f64())
    }

    /// Measures work, including the wait until all nodes have finished it.
    #[cfg(feature = "mpi")]
    pub(super) fn together(&self, work: impl FnOnce() -> Result<(), CommError>) -> Result<f64, Failure> {
        let time = self.timed(|| {
            work()?;
            (self.barrier)(self.world)
        })?;
        Ok(time.as_secs_f64())
    }

    /// Measures steps of a collective operation in which all nodes take part: in each step every node sends to one node
    /// and receives from another, at twice the distance of the previous step.
    #[cfg(feature = "mpi")]
    pub(super) fn spread(&self, data: &Payload) -> Result<f64, Failure> {
        let (world, nodes) = (self.world, self.world.size());
        self.each(|nth| {
            let distance = (1 << nth) % nodes;
            let (to, from) = ((world.rank() + distance) % nodes, (world.rank() + nodes - distance) % nodes);
            world.sendrecv(to, data.clone(), from).map(drop)
        })
    }

    /// Measures steps along a path of a tree: a message is relayed through some nodes while all others wait.
    #[cfg(feature = "mpi")]
    pub(super) fn relay(&self, through: &[Rank], data: &Payload) -> Result<f64, Failure> {
        let world = self.world;
        let place = through.iter().position(|&node| node == world.rank());
        let time = self.timed(|| {
            let Some(place) = place else { return Ok(()) };
            let came = match place.checked_sub(1) {
                Some(before) => world.recv(through[before])?.payload,
                None => data.clone(),
            };
            through.get(place + 1).map_or(Ok(()), |&next| world.send(next, came))
        })?;
        Ok(time.as_secs_f64() / (through.len() - 1).max(1) as f64)
    }

    /// Returns the mean time of an operation that is executed once per message.
    fn each(&self, one: impl FnMut(u32) -> Result<(), CommError>) -> Result<f64, Failure> {
        let time = self.timed(|| (0..self.messages).try_for_each(one))?;
        Ok(time.as_secs_f64() / f64::from(self.messages))
    }

    /// Returns the time of work that all nodes start together, after a barrier.
    fn timed(&self, work: impl FnOnce() -> Result<(), CommError>) -> Result<Duration, Failure> {
        (self.barrier)(self.world)?;
        let begin = Instant::now();
        work()?;
        Ok(begin.elapsed())
    }
}

/// Adds a vector to itself.
pub(super) fn combine(data: &[f64]) -> Result<(), CommError> {
    let sum: Vec<f64> = black_box(data).iter().zip(black_box(data)).map(|(one, other)| one + other).collect();
    black_box(sum);
    Ok(())
}

/// Copies a vector.
pub(super) fn copy(data: &[f64]) -> Result<(), CommError> {
    black_box(black_box(data).to_vec());
    Ok(())
}

/// Returns the distance in ranks to the target of message `nth`: all distances in turn, or evenly spaced distances if there are fewer
/// messages than other nodes. A single node sends to itself.
fn distance(nth: u32, messages: u32, nodes: usize) -> usize {
    let (nth, messages, others) = (nth as usize, messages as usize, (nodes - 1).max(1));
    1 + if messages < others { nth * others / messages } else { nth % others }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_go_to_all_others_in_turn_or_to_some_far_apart() {
        let distances = |messages, nodes| -> Vec<usize> {
            (0..messages).map(|nth| distance(nth, messages, nodes)).collect()
        };
        assert_eq!(distances(5, 4), [1, 2, 3, 1, 2]);
        assert_eq!(distances(4, 17), [1, 5, 9, 13]);
        assert_eq!(distances(2, 1), [1, 1], "to itself, which is the next on a ring of one");
    }
}
