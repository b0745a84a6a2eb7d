//! A macro for enumerations whose members have a name for users and a description. The reference
//! page and the program take both from one list.

/// Declares an enumeration whose members have names and documentation: `Arm = "arm"`.
macro_rules! named {
    (
        $(#[$meta:meta])*
        $visible:vis enum $type:ident {
            $( $(#[doc = $line:literal])+ $member:ident = $name:literal, )+
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $visible enum $type {
            $( $(#[doc = $line])+ $member, )+
        }

        #[cfg_attr(
            not(feature = "schema"),
            allow(dead_code, reason = "the reference page alone has all of it")
        )]
        impl $type {
            /// All members, in the order of the reference page.
            pub(crate) const ALL: &[Self] = &[$( Self::$member, )+];

            /// Returns the name of the member for users.
            pub(crate) const fn name(self) -> &'static str {
                match self { $( Self::$member => $name, )+ }
            }

            /// Returns the documentation of the member.
            pub(crate) const fn about(self) -> &'static str {
                match self { $( Self::$member => concat!($($line),+), )+ }
            }
        }
    };
}

pub(crate) use named;

#[cfg(test)]
mod tests {
    named! {
        /// Enumeration of two letters, to test the macro.
        enum Letter {
            /// The first,
            /// of two.
            A = "a",
            /// The second of two.
            B = "b",
        }
    }

    #[test]
    fn documentation_is_at_hand() {
        assert_eq!(Letter::ALL, [Letter::A, Letter::B]);
        assert_eq!(Letter::A.about().trim(), "The first, of two.");
        assert_eq!(Letter::B.name(), "b");
    }
}
