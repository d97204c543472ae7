//! What is said of algorithms.

use super::Algorithm;

impl Algorithm {
    /// What it does, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Algorithm::Auto => "the fastest that is found among those that can be predicted, but for sorting",
            Algorithm::Linear => {
                "linear permutation: in round k everybody exchanges with the node k away; uniform only"
            }
            Algorithm::Modified => {
                "linear permutation of any lengths: they are told first, and all wait after each round"
            }
            Algorithm::Pairwise => "linear permutation of any lengths, without telling and without waiting",
            Algorithm::Random { .. } => {
                "distributed random scheduling: whoever has time is asked, by active messages"
            }
            Algorithm::Measured { .. } => "random, where busy nodes say for how long",
            Algorithm::Early { .. } => "random, where nodes give their go-ahead shortly before they are free",
            Algorithm::Improved { .. } => "random, where nodes do both",
            Algorithm::TwoStage => "everything is spread evenly over all nodes first, and then delivered",
            Algorithm::Shuffled { .. } => "two-stage, with the parts shuffled among the nodes in between",
            Algorithm::Sorting => "all data is sorted by its destination, across the whole machine",
            Algorithm::Colored => "as few rounds as possible, by coloring the edges of the graph of messages",
            Algorithm::Balanced => "colored, with rounds mixed so that links are less crowded",
            Algorithm::Sliced => "colored, of slices of messages, so that all rounds are equally long",
            Algorithm::Packed => "a plan by the clock that keeps nodes busy and links free",
            Algorithm::Relayed => "two-stage, without telling and without waiting",
            Algorithm::Detour => {
                "full rounds of slices; what crowded links cannot carry goes by way of others"
            }
            Algorithm::Bruck => "few long messages, passed on by others, instead of many short ones",
            Algorithm::Mixed => "bruck for short messages, and colored for long ones",
        }
    }
}
