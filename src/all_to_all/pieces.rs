//! Exchanges by a schedule of pieces: messages of the matrix, whole or cut, sent directly or through other ranks.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    Instance, Piece,
    procedure::{Draft, ExchangeError, Procedure, Transport},
    rounds::contents::BlockPayloads,
};
use crate::{
    pattern::{Delivery, DeliveryError, Schedule},
    payload::{Payload, PayloadError},
    plan::{by_rules, check_blocks},
    rank::Rank,
};

impl Draft {
    /// Creates a draft from a schedule whose block `k` is piece `k`. The pieces of each pair of ranks must be listed in order of their
    /// offsets. Data of a rank for itself is not moved and is in no piece.
    pub fn new(pieces: Vec<Piece>, schedule: Schedule) -> Draft {
        let blocks_by = |end: fn(&Piece) -> Rank| {
            let mut blocks: Vec<u32> = (0..pieces.len() as u32).collect();
            blocks.sort_by_key(|&block| end(&pieces[block as usize]));
            blocks
        };
        let (by_sender, by_receiver) = (blocks_by(|piece| piece.from), blocks_by(|piece| piece.to));
        Draft::by(Pieces { pieces, by_sender, by_receiver, schedule: schedule.into() })
    }
}

/// Procedure that moves pieces by a schedule.
#[derive(Debug)]
struct Pieces {
    pieces: Vec<Piece>,
    /// Block numbers sorted by sender and by receiver, so that a rank finds its own blocks by binary search.
    by_sender: Vec<u32>,
    by_receiver: Vec<u32>,
    schedule: Arc<Schedule>,
}

impl Pieces {
    /// Returns the blocks of one rank with their pieces. `blocks` is sorted by the rank that `end` gives.
    fn of(&self, rank: Rank, blocks: &[u32], end: fn(&Piece) -> Rank) -> impl Iterator<Item = (u32, &Piece)> {
        let piece = |block: u32| &self.pieces[block as usize];
        let first = blocks.partition_point(|&block| end(piece(block)) < rank);
        let count = blocks[first..].partition_point(|&block| end(piece(block)) == rank);
        blocks[first..first + count].iter().map(move |&block| (block, piece(block)))
    }
}

impl Procedure for Pieces {
    fn schedule(&self) -> Option<Arc<Schedule>> {
        Some(self.schedule.clone())
    }

    fn moved(&self) -> Option<(Vec<Piece>, Schedule)> {
        Some((self.pieces.clone(), (*self.schedule).clone()))
    }

    fn check(&self, instance: &Instance) -> Result<(), DeliveryError> {
        let (ranks, matrix) = (instance.size(), instance.matrix());
        check_blocks(&self.schedule, ranks, self.pieces.iter().map(|piece| piece.bytes))?;
        // For each pair of ranks: the end of the pieces checked so far, and the block of the last of these pieces.
        let mut ends: BTreeMap<(Rank, Rank), (u64, u32)> = BTreeMap::new();
        for (block, &Piece { from, to, start, bytes }) in (0..).zip(&self.pieces) {
            let wrong = |problem: String| DeliveryError::Piece { block, problem };
            if from.max(to) >= ranks || from == to {
                return Err(wrong(format!(
                    "it goes from rank {from} to {to}: allowed are two different ranks of {ranks}"
                )));
            }
            let (end, _) = ends.get(&(from, to)).copied().unwrap_or_default();
            if start != end {
                return Err(wrong(format!(
                    "it starts at byte {start} of the message from rank {from} to {to}: expected is byte {end}"
                )));
            }
            ends.insert((from, to), (end.saturating_add(bytes), block));
        }
        let pairs = (0..ranks).flat_map(|from| (0..ranks).map(move |to| (from, to)));
        for (from, to) in pairs.filter(|(from, to)| from != to) {
            let (given, block) = ends.get(&(from, to)).copied().unwrap_or_default();
            let expected = matrix.get(from, to);
            if given != expected {
                let problem = format!(
                    "the pieces from rank {from} to {to} have {given} bytes in total, the message has {expected}"
                );
                return Err(DeliveryError::Piece { block, problem });
            }
        }
        let numbers: Vec<u32> = (0..self.pieces.len() as u32).collect();
        let piece = |block: u32| &self.pieces[block as usize];
        let delivery = Delivery::new(&self.schedule, &numbers, |rank, block| piece(block).from == rank);
        by_rules(instance, delivery).check(|rank, block| {
            let &Piece { from, to, bytes, .. } = piece(block);
            (to == rank && bytes > 0).then_some(from..from + 1)
        })
    }

    fn carry_out(
        &self,
        transport: &mut Transport<'_>,
        outgoing: Vec<Payload>,
    ) -> Result<Vec<Payload>, ExchangeError> {
        let rank = transport.group.rank();
        let own = self.of(rank, &self.by_sender, |piece| piece.from).map(|(block, piece)| {
            Ok((block, outgoing[piece.to].slice(piece.start..piece.start + piece.bytes)?))
        });
        let mut cargo = BlockPayloads::new(&self.schedule, own.collect::<Result<_, PayloadError>>()?)
            .kept_after_sending();
        transport.walk(&self.schedule, &mut cargo)?;
        let mut incoming = vec![Vec::new(); outgoing.len()];
        for (block, piece) in self.of(rank, &self.by_receiver, |piece| piece.to) {
            incoming[piece.from].push(cargo.remove(block));
        }
        Ok(incoming.into_iter().map(Payload::concat).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Machine,
        all_to_all::{Algorithm, ManyToMany, Matrix},
        model::MachineSpec,
        pattern::{Builder, Exchange, Transfer},
        plan::PlanError,
    };

    /// Returns a draft that sends all data through rank 0, each message in two halves.
    fn forwarded_by_0(instance: &Instance) -> Draft {
        let halves = Piece::whole(instance).into_iter().flat_map(|piece| {
            let half = piece.bytes / 2;
            [Piece { bytes: half, ..piece }, Piece { start: half, bytes: piece.bytes - half, ..piece }]
        });
        let pieces: Vec<Piece> = halves.collect();
        let origins: Vec<Rank> = pieces.iter().map(|piece| piece.from).collect();
        let sizes: Vec<u64> = pieces.iter().map(|piece| piece.bytes).collect();
        let mut builder = Builder::new(instance.size(), &origins, &sizes, Exchange::Overlapped);
        let transfer = |(block, from, to)| Transfer { from, to, blocks: [block].into() };
        let numbered = || (0_u32..).zip(&pieces);
        let there =
            numbered().filter(|(_, piece)| piece.from > 0).map(|(block, piece)| (block, piece.from, 0));
        builder.iteration(there.map(transfer));
        let on = numbered().filter(|(_, piece)| piece.to > 0).map(|(block, piece)| (block, 0, piece.to));
        builder.iteration(on.map(transfer));
        let schedule = builder.finish();
        Draft::new(pieces, schedule)
    }

    fn matrix() -> Arc<Matrix> {
        Arc::new(Matrix::of(5, |from, to| (from * 3 + to) as u64).unwrap())
    }

    #[test]
    fn pieces_may_be_cut_and_forwarded() {
        let machine: MachineSpec = "paragon:1x5".parse().unwrap();
        let hub = Algorithm::custom("hub", |instance: &Instance| Ok(forwarded_by_0(instance)));
        let instance = Instance::new(&machine, matrix()).unwrap();
        let plan = hub.plan(&instance).unwrap();
        assert_eq!((plan.algorithm(), plan.name()), (&hub, "hub"));
        let run = Machine::builder(machine).build().unwrap().run(|node| {
            let data = |from: usize, to: usize| vec![(10 * from + to) as u8; from * 3 + to];
            let mine: Vec<Vec<u8>> = (0..5).map(|to| data(node.rank(), to)).collect();
            let came = node.world().using(&hub).all_to_allv_known(&matrix(), &mine)?;
            Ok((0..5).all(|from| came[from] == data(from, node.rank())))
        });
        let run = run.unwrap();
        assert_eq!((run.outputs, run.report.makespan), (vec![true; 5], plan.prediction().unwrap().modeled));
        // *Auto* is faster than the custom algorithm. Random scheduling has no prediction, so the custom algorithm is chosen.
        let auto = Algorithm::AUTO.plan(&instance).unwrap();
        assert_eq!(Algorithm::AUTO.or(&hub).plan(&instance).unwrap().name(), auto.name());
        assert_eq!(Algorithm::RANDOM.or(&hub).plan(&instance).unwrap().name(), "hub");
    }

    #[test]
    fn drafts_that_do_not_deliver_are_refused() {
        let instance = Instance::new(&"line:5".parse().unwrap(), matrix()).unwrap();
        let fault = |change: fn(&mut Vec<Piece>)| {
            let hub = Algorithm::custom("hub", move |instance: &Instance| {
                let mut pieces = Piece::whole(instance);
                let sizes: Vec<u64> = pieces.iter().map(|piece| piece.bytes).collect();
                let origins: Vec<Rank> = pieces.iter().map(|piece| piece.from).collect();
                let mut builder = Builder::new(5, &origins, &sizes, Exchange::InTurn);
                let transfer = |(block, piece): (u32, &Piece)| Transfer {
                    from: piece.from,
                    to: piece.to,
                    blocks: [block].into(),
                };
                builder.iteration((0..).zip(&pieces).map(transfer));
                change(&mut pieces);
                Ok(Draft::new(pieces, builder.finish()))
            });
            match hub.plan(&instance) {
                Ok(_) => "none".to_owned(),
                Err(PlanError::Undelivered { cause, .. }) => cause.to_string(),
                Err(other) => panic!("{other}"),
            }
        };
        assert_eq!(fault(|_| ()), "none");
        assert_eq!(
            fault(|pieces| pieces[3].to = 9),
            "the piece of block 3 does not fit: it goes from rank 0 to 9: allowed are two different ranks of 5"
        );
        assert_eq!(
            fault(|pieces| pieces[3].start = 1),
            "the piece of block 3 does not fit: it starts at byte 1 of the message from rank 0 to 4: expected is byte 0"
        );
        assert_eq!(fault(|pieces| pieces.truncate(19)), "19 pieces are given for a schedule of 20 blocks");
        assert_eq!(
            fault(|pieces| pieces.swap(0, 4)),
            "block 0 has 1 byte in the schedule, but its piece has 3"
        );
    }
}
