//! A macro for enumerations whose members users choose by name.

/// Gives the members of an enumeration the names by which users choose them: `ALL`, `name`, the
/// traits [`Display`](std::fmt::Display) and [`FromStr`](std::str::FromStr), and the error of a text
/// that is no name. Serves FIESTA's other crates; the one that uses it needs thiserror.
#[doc(hidden)]
#[macro_export]
macro_rules! names {
    (
        $type:ident { $( $member:ident = $name:literal ),+ }
        $(#[$meta:meta])+ $unknown:ident
    ) => {
        impl $type {
            /// All members.
            pub const ALL: [Self; [$($name),+].len()] = [$( Self::$member ),+];

            /// Returns the name by which users choose the member.
            pub const fn name(self) -> &'static str {
                match self { $( Self::$member => $name ),+ }
            }
        }

        impl ::std::fmt::Display for $type {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.name())
            }
        }

        #[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
        $(#[$meta])+
        pub struct $unknown(String);

        impl ::std::str::FromStr for $type {
            type Err = $unknown;

            fn from_str(text: &str) -> Result<Self, $unknown> {
                let named = Self::ALL.into_iter().find(|member| member.name() == text);
                named.ok_or_else(|| $unknown(text.to_owned()))
            }
        }
    };
}
