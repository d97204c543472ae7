//! The unit in which rates are counted: whole numbers, so that what is free on a resource depends on which flows use it, not
//! on the order in which they came and went.
//!
//! The limit of a flow, the rate of its out-port, is a whole number of units, and so are all its parts of small
//! denominators: places that are full at the same rate are so exactly. A unit is at most 2^-52 of the limit, what a real number
//! resolves, with up to 2^7 flows, and with more of them at most 2^-59 of the sum of their limits, which has room in 64 bits.

/// A number that all numbers up to 16 divide.
const DIVISIBLE: i64 = 720_720;
/// The bits of the limit, if the number of flows leaves so many: a real number holds it and all rates below it exactly.
const MOST_BITS: u32 = 53;

/// The unit of rates, and the conversion from and to bytes per second.
#[derive(Clone, Copy, Debug)]
pub(super) struct Units {
    /// The rate that the out-port allows a flow, in bytes per second; it may be infinite.
    limit: f64,
    /// The same in units. If it is infinite, this is more than any share.
    limit_units: i64,
    /// A rate in bytes per second and in units.
    scale: (f64, i64),
    /// The number of flows that there may be.
    flows: i64,
}

impl Units {
    /// Counts rates up to `limit`, or up to the capacity `widest` of the widest resource if that is infinite.
    pub(super) fn new(limit: f64, widest: f64, flows: usize) -> Units {
        let flows = flows.max(1);
        // Sums of rates are at most `limit_units * flows`, which has to stay below 2^62.
        let bits = (60 - flows.ilog2()).min(MOST_BITS);
        let whole = DIVISIBLE << (bits - DIVISIBLE.ilog2() - 1);
        let (scale, limit_units) = if limit.is_finite() { (limit, whole) } else { (widest, 2 * whole) };
        Units { limit, limit_units, scale: (scale, whole), flows: flows as i64 }
    }

    /// The rate that no flow exceeds.
    #[inline]
    pub(super) fn limit(&self) -> i64 {
        self.limit_units
    }

    /// Below this, what is free on a resource may be what is left over in sharing it out.
    #[inline]
    pub(super) fn remainder(&self) -> i64 {
        self.flows
    }

    /// A capacity, in units. One that is enough for all flows counts as just enough for them, and one that is too little
    /// for a unit each as enough for that, so that no flow stands still.
    pub(super) fn count(&self, capacity: f64) -> i64 {
        let (scale, whole) = self.scale;
        let ratio = capacity / scale;
        let most = self.limit_units * self.flows;
        // A small multiple of the scale is that multiple, also if rounding has moved it.
        let units = match near_whole(ratio) {
            Some(times) => times as i64 as i128 * i128::from(whole),
            None => (ratio * whole as f64).round() as i128,
        };
        units.clamp(i128::from(self.flows), i128::from(most)) as i64
    }

    /// The rate of a flow at its limit, in bytes per second.
    #[inline]
    pub(super) fn limit_rate(&self) -> f64 {
        self.limit
    }

    /// A share of a capacity in bytes per second. Shares of a capacity that is too little for a unit each are counted as if it
    /// were enough, and are that much less.
    pub(super) fn part_of(&self, share: i64, capacity: f64) -> f64 {
        match self.count(capacity) == self.flows {
            true => self.rate(share) * (capacity / self.rate(self.flows)),
            false => self.rate(share),
        }
    }

    /// A share in bytes per second.
    #[inline]
    pub(super) fn rate(&self, share: i64) -> f64 {
        let (scale, whole) = self.scale;
        share as f64 / whole as f64 * scale
    }
}

/// The whole number that a ratio of two capacities is, if nothing but rounding has moved it away from that.
pub(crate) fn near_whole(ratio: f64) -> Option<f64> {
    let near = ratio.round();
    ((ratio - near).abs() <= 4.0 * f64::EPSILON * near).then_some(near)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_a_capacity_below_a_unit_for_each_flow_add_up_to_it() {
        let flows = 1 << 20;
        let units = Units::new(1e9, 1e9, flows);
        let capacity = 10.0;
        let counted = units.count(capacity);
        assert_eq!(counted, flows as i64);
        let half = units.part_of(counted / 2, capacity);
        assert!((half - 5.0).abs() < 1e-9, "{half}");
        // One that units tell is what it is.
        let wide = units.count(5e8);
        assert_eq!(units.part_of(wide / 2, 5e8), units.rate(wide / 2));
    }
}
