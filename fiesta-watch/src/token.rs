//! The random token in the page's address.

use rustix::rand::{GetRandomFlags, getrandom};
use std::{fmt::Write as _, io};
use subtle::ConstantTimeEq;

/// Number of random bytes of a token: 128 bits cannot be guessed.
const BYTES: usize = 16;

/// Secret token of the page's address. Debug output does not show it.
pub(super) struct Token(String);

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

impl Token {
    pub(super) fn random() -> io::Result<Self> {
        let mut bytes = [0; BYTES];
        let mut filled = 0;
        while filled < BYTES {
            filled += getrandom(&mut bytes[filled..], GetRandomFlags::empty())?;
        }
        let mut text = String::with_capacity(2 * BYTES);
        for byte in bytes {
            let _ = write!(text, "{byte:02x}");
        }
        Ok(Self(text))
    }

    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// Returns whether a text is the token, in a time that depends only on the length.
    pub(super) fn is(&self, given: &str) -> bool {
        bool::from(self.0.as_bytes().ct_eq(given.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ_and_only_the_whole_one_is_taken() {
        let (one, other) = (Token::random().unwrap(), Token::random().unwrap());
        assert_eq!(one.text().len(), 2 * BYTES);
        assert!(one.is(one.text()) && !one.is(other.text()));
        for wrong in ["", &one.text()[1..], &format!("{}0", one.text())] {
            assert!(!one.is(wrong));
        }
        assert_eq!(format!("{one:?}"), "Token(…)");
    }
}
