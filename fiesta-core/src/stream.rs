//! Random number streams addressed by purpose and number: a checkpoint stores a counter alone.

use crate::ArmId;
use rand::{Rng, SeedableRng, rngs::ChaCha8Rng};

/// All the randomness of a study: one key, and a stream of its own for every purpose and number.
///
/// `ChaCha8` has 2⁶⁴ streams for a key; the top byte of the stream's number is the purpose, the
/// rest the count. The value of a stream never depends on which others were used before it.
#[derive(Debug, Clone)]
pub struct Streams {
    key: [u8; 32],
}

#[derive(Clone, Copy)]
enum Purpose {
    Decision = 1,
    Case = 2,
    Run = 3,
    Draws = 4,
    Splits = 5,
    Durations = 6,
    RunSeed = 7,
    Documents = 8,
    Parameter = 9,
    Groups = 10,
}

impl Streams {
    /// The streams of a study with this seed.
    pub fn new(seed: u64) -> Self {
        Self {
            key: ChaCha8Rng::seed_from_u64(seed).get_seed(),
        }
    }

    /// Returns the stream of a study's `number`-th decision.
    pub fn decision(&self, number: u64) -> ChaCha8Rng {
        self.stream(Purpose::Decision, number)
    }

    /// Returns the stream from which the seed of an arm's `turn`-th evaluation comes.
    pub fn case(&self, arm: ArmId, turn: u64) -> ChaCha8Rng {
        self.stream(Purpose::Case, ((arm.index() as u64) << 32) ^ turn)
    }

    /// Returns the stream of scores in the `number`-th run of a simulation.
    pub fn run(&self, number: u64) -> ChaCha8Rng {
        self.stream(Purpose::Run, number)
    }

    /// Returns the stream of splits in the `number`-th run of a simulation.
    pub fn splits(&self, number: u64) -> ChaCha8Rng {
        self.stream(Purpose::Splits, number)
    }

    /// Returns the stream of durations in the `number`-th run of a simulation.
    pub fn durations(&self, number: u64) -> ChaCha8Rng {
        self.stream(Purpose::Durations, number)
    }

    /// Returns the stream of the order in which a study queries its documents.
    pub fn documents(&self) -> ChaCha8Rng {
        self.stream(Purpose::Documents, 0)
    }

    /// Returns the random stream that decides where a study's `number`-th group of items begins in their order.
    pub fn group(&self, number: u64) -> ChaCha8Rng {
        self.stream(Purpose::Groups, number)
    }

    /// Returns the seed of the study that is the `number`-th run of a simulation.
    pub fn run_seed(&self, number: u64) -> u64 {
        self.stream(Purpose::RunSeed, number).next_u64()
    }

    /// Returns the stream from which a hyperparameter of this name is drawn, in the streams of one
    /// trial's seed.
    ///
    /// Its number is the name's 64-bit FNV-1a hash, folded to 56 bits: it depends on no other name.
    pub fn parameter(&self, name: &str) -> ChaCha8Rng {
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        self.stream(Purpose::Parameter, (hash >> 56) ^ (hash & ((1 << 56) - 1)))
    }

    /// Returns the `number`-th stream for Monte Carlo draws.
    pub fn draws(&self, number: u64) -> ChaCha8Rng {
        self.stream(Purpose::Draws, number)
    }

    fn stream(&self, purpose: Purpose, number: u64) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::from_seed(self.key);
        rng.set_stream(((purpose as u64) << 56) ^ number);
        rng
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests that the values of random streams never change: recorded studies rest on them.
    #[test]
    fn golden_values() {
        let streams = Streams::new(1);
        assert_eq!(streams.decision(0).next_u64(), 10_800_135_718_733_647_046);
        assert_eq!(streams.decision(1).next_u64(), 10_314_494_591_966_684_272);
        assert_eq!(
            streams.case(ArmId::new(2), 5).next_u64(),
            7_470_599_265_098_843_458
        );
        assert_eq!(streams.run(9).next_u64(), 3_873_324_169_325_205_726);
        assert_eq!(streams.documents().next_u64(), 800_498_276_004_897_688);
        assert_eq!(
            streams.parameter("lr").next_u64(),
            11_139_656_766_377_228_989
        );
    }

    #[test]
    fn a_stream_does_not_depend_on_its_neighbours() {
        let streams = Streams::new(3);
        let alone = streams.decision(4).next_u64();
        let _ = streams.decision(3).next_u64();
        let _ = streams.run(4).next_u64();
        assert_eq!(streams.decision(4).next_u64(), alone);
        assert_ne!(streams.run(4).next_u64(), alone);
    }
}
