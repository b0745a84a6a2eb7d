//! Digests of bytes: FNV-1a in 64 bits.

use std::{
    fmt,
    io::{self, Read},
};

/// The hash FNV-1a in 64 bits, over pieces whose lengths count.
///
/// It tells what was edited or damaged from what was not: two texts have the same but once in 10¹⁹
/// times. It is no protection against somebody who wants them to agree. Recorded in ledgers, so
/// that it may never change.
///
/// Source: Fowler, Noll, Vo, "The FNV non-cryptographic hash algorithm" (draft-eastlake-fnv).
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Digest(u64);

const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

impl Default for Digest {
    fn default() -> Self {
        Self(BASIS)
    }
}

impl Digest {
    /// Computes the digest of one piece.
    pub(crate) fn of(piece: &[u8]) -> Self {
        let mut digest = Self::default();
        digest.add(piece);
        digest
    }

    /// Computes the digest of all that a reader yields, without holding it in memory.
    ///
    /// # Errors
    /// As the reader.
    pub(crate) fn of_reader(mut reader: impl Read) -> io::Result<Self> {
        let mut digest = Self::default();
        let (mut length, mut buffer) = (0_u64, vec![0; 1 << 16]);
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => {
                    digest.hash(&buffer[..read]);
                    length += read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        digest.hash(&length.to_le_bytes());
        Ok(digest)
    }

    /// Adds a piece with its length, so that the pieces `ab` and `c` differ from `a` and `bc`.
    pub(crate) fn add(&mut self, piece: &[u8]) {
        self.hash(piece);
        self.hash(&(piece.len() as u64).to_le_bytes());
    }

    fn hash(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(PRIME);
        }
    }

    /// Returns the digest as the signed number that a database stores.
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

    /// Tests the hash against the test vectors of its authors.
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
    fn a_piece_that_is_read_has_the_same() {
        let piece = vec![7; 200_001];
        assert_eq!(Digest::of_reader(&*piece).unwrap(), Digest::of(&piece));
        assert_eq!(Digest::of_reader(io::empty()).unwrap(), Digest::of(b""));
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
