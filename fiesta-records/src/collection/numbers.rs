//! Numbers of the rows of a table, held in as little memory as they allow.

/// Numbers of the rows of a table: of all rows, of some rows, or of none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Numbers {
    /// The numbers of the rows are not known.
    #[default]
    Unknown,
    /// The row at place k, from 0, has the number k plus the given one.
    Places(u64),
    /// All rows have numbers, which are these.
    All(Vec<u64>),
    /// Some rows have numbers: the number of each row, `None` for a row without one.
    Some(Vec<Option<u64>>),
}

impl Numbers {
    /// Returns the number of the row at this place. `None` if it has none.
    ///
    /// # Panics
    /// If there is no such row, unless it could be the next.
    pub fn get(&self, place: usize) -> Option<u64> {
        match self {
            Self::Unknown => None,
            Self::Places(first) => Some(first + place as u64),
            Self::All(numbers) => Some(numbers[place]),
            Self::Some(numbers) => numbers[place],
        }
    }

    /// Adds the number of the row at this place, which is the next.
    pub fn push(&mut self, place: usize, number: Option<u64>) {
        match (&mut *self, number) {
            (Self::Unknown, None) => {}
            (Self::Places(first), Some(number)) if number == *first + place as u64 => {}
            (Self::All(numbers), Some(number)) => numbers.push(number),
            (Self::Some(numbers), number) => numbers.push(number),
            (_, number) => {
                let before = (0..place).map(|place| self.get(place));
                let all: Vec<Option<u64>> = before.chain([number]).collect();
                let known: Option<Vec<u64>> = all.iter().copied().collect();
                *self = known.map_or(Self::Some(all), Self::All);
            }
        }
    }
}
