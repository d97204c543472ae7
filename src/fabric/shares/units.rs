//! The unit of rates. Rates are integers, so that the free capacity of a resource depends only on the flows that use it, not on the order
//! in which flows started and ended.
//!
//! The limit of a flow (the rate of its out-port) is a whole number of units, and so are its fractions with small denominators: resources
//! that are full at the same rate are full at exactly the same share. With up to 2^7 flows a unit is at most 2^-52 of the limit, the
//! resolution of an `f64`. With more flows it is at most 2^-59 of the sum of their limits, which fits in 64 bits.

/// A number divisible by all numbers up to 16.
const DIVISIBLE: i64 = 720_720;
/// The number of bits of the limit, if the number of flows permits: an `f64` represents the limit and all rates below it exactly.
const MAX_BITS: u32 = 53;

/// The unit of rates, and the conversion from and to bytes per second.
#[derive(Clone, Copy, Debug)]
pub(super) struct Units {
    /// The maximum rate of a flow, that of its out-port, in bytes per second; may be infinite.
    limit: f64,
    /// The limit in units. If the limit is infinite, this number is larger than any share.
    limit_units: i64,
    /// The same rate in bytes per second and in units.
    scale: (f64, i64),
    /// The maximum number of flows.
    flows: i64,
}

impl Units {
    /// Creates units for rates up to `limit`, or up to the largest capacity `widest` if the limit is infinite.
    pub(super) fn new(limit: f64, widest: f64, flows: usize) -> Units {
        let flows = flows.max(1);
        // Sums of rates are at most `limit_units * flows`, which must stay below 2^62.
        let bits = (60 - flows.ilog2()).min(MAX_BITS);
        let whole = DIVISIBLE << (bits - DIVISIBLE.ilog2() - 1);
        let (scale, limit_units) = if limit.is_finite() { (limit, whole) } else { (widest, 2 * whole) };
        Units { limit, limit_units, scale: (scale, whole), flows: flows as i64 }
    }

    /// Returns the maximum rate of a flow in units.
    #[inline]
    pub(super) fn limit(&self) -> i64 {
        self.limit_units
    }

    /// Returns an upper bound of the rounding remainder: less free capacity may be left over from dividing a resource among its flows.
    #[inline]
    pub(super) fn remainder(&self) -> i64 {
        self.flows
    }

    /// Converts a capacity to units. The result is at most the sum of the limits of all flows, and at least one unit per flow, so that no
    /// flow stalls.
    pub(super) fn count(&self, capacity: f64) -> i64 {
        let (scale, whole) = self.scale;
        let ratio = capacity / scale;
        let most = self.limit_units * self.flows;
        // A small multiple of the scale is converted exactly, even if it has a rounding error.
        let units = match near_whole(ratio) {
            Some(times) => times as i64 as i128 * i128::from(whole),
            None => (ratio * whole as f64).round() as i128,
        };
        units.clamp(i128::from(self.flows), i128::from(most)) as i64
    }

    /// Returns the rate of a flow at its limit, in bytes per second.
    #[inline]
    pub(super) fn limit_rate(&self) -> f64 {
        self.limit
    }

    /// Converts a share of a capacity to bytes per second. A capacity below one unit per flow is counted as one unit per flow; its shares
    /// are scaled down accordingly.
    pub(super) fn part_of(&self, share: i64, capacity: f64) -> f64 {
        match self.count(capacity) == self.flows {
            true => self.rate(share) * (capacity / self.rate(self.flows)),
            false => self.rate(share),
        }
    }

    /// Converts a share to bytes per second.
    #[inline]
    pub(super) fn rate(&self, share: i64) -> f64 {
        let (scale, whole) = self.scale;
        share as f64 / whole as f64 * scale
    }
}

/// Returns the nearest whole number if the ratio of two capacities differs from it only by rounding.
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
        // A capacity that units can represent is not scaled.
        let wide = units.count(5e8);
        assert_eq!(units.part_of(wide / 2, 5e8), units.rate(wide / 2));
    }
}
