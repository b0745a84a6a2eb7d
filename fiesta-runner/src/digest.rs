//! Digests of bytes: FNV-1a in 64 bits.

use std::fmt;

/// The hash FNV-1a in 64 bits, over pieces whose lengths count.
///
/// It tells what was edited or damaged from what was not: two texts have the same but once in 10¹⁹
/// times. It is no protection against somebody who wants them to agree. Recorded in ledgers, so
/// that it may never change.
///
/// Source: Fowler, Noll, Vo, "The FNV non-cryptographic hash algorithm" (draft-eastlake-fnv).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Digest(u64);

const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

impl Default for Digest {
    fn default() -> Self {
        Self(BASIS)
    }
}

impl Digest {
    /// The digest of one piece.
    pub(crate) fn of(piece: &[u8]) -> Self {
        let mut digest = Self::default();
        digest.add(piece);
        digest
    }

    /// Adds a piece: `ab` and `c` are not `a` and `bc`.
    pub(crate) fn add(&mut self, piece: &[u8]) {
        self.hash(piece);
        self.hash(&(piece.len() as u64).to_le_bytes());
    }

    fn hash(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(PRIME);
        }
    }

    /// As a database keeps it.
    pub(crate) fn number(self) -> i64 {
        self.0.cast_signed()
    }

    pub(crate) fn from_number(number: i64) -> Self {
        Self(number.cast_unsigned())
    }

    pub(crate) fn bytes(self) -> [u8; 8] {
        self.0.to_le_bytes()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test vectors of the source.
    #[test]
    fn is_fnv_1a() {
        let hash = |text: &str| {
            let mut digest = Digest::default();
            digest.hash(text.as_bytes());
            digest.0
        };
        assert_eq!(hash(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(hash("foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn pieces_do_not_run_together() {
        let of = |pieces: [&str; 2]| {
            let mut digest = Digest::default();
            for piece in pieces {
                digest.add(piece.as_bytes());
            }
            digest
        };
        assert_ne!(of(["ab", "c"]), of(["a", "bc"]));
        assert_ne!(of(["", "c"]), of(["c", ""]));
        assert_eq!(of(["a", "b"]), of(["a", "b"]));
    }
}
