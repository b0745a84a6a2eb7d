//! Placeholders of commands, and the environment variables with the same values.

use super::items::PoolKey;
use crate::named::named;

named! {
    /// A value that differs between evaluations, for which a command may have a placeholder.
    pub(crate) enum Placeholder {
        /// Name of the arm.
        Arm = "arm",
        /// Number of the split, from 0 (studies of splits).
        Split = "split",
        /// Id of the item: its key `id`, or its place in the file (studies of `items`).
        Item = "item",
        /// Path of a file with the item (studies of `items`).
        ItemFile = "item_file",
        /// Path of a file with the document (studies of `documents`).
        Document = "document",
        /// Id of the document (studies of `documents`).
        DocumentId = "document_id",
        /// Seed of the evaluation, from 0 to 2³¹ − 1: what is random follows it.
        Seed = "seed",
        /// Name of the run, another one for each attempt: for a directory of its own. The variable
        /// marks all of its processes.
        Run = "run",
    }
}

use Placeholder::{Arm, Document, DocumentId, Item, ItemFile, Run, Seed, Split};

impl Placeholder {
    /// Returns the placeholders of a study of splits or, with `pool`, of items or documents.
    pub(crate) fn of(pool: Option<PoolKey>) -> &'static [Self] {
        match pool {
            None => &[Arm, Split, Seed, Run],
            Some(PoolKey::Items) => &[Arm, Item, ItemFile, Seed, Run],
            Some(PoolKey::Documents) => &[Arm, Document, DocumentId, Seed, Run],
        }
    }

    /// Returns the name of the environment variable with the same value.
    pub(crate) fn variable(self) -> &'static str {
        match self {
            Arm => "FIESTA_ARM",
            Split => "FIESTA_SPLIT",
            Item => "FIESTA_ITEM_ID",
            ItemFile => "FIESTA_ITEM",
            Document => "FIESTA_DOCUMENT",
            DocumentId => "FIESTA_DOCUMENT_ID",
            Seed => "FIESTA_SEED",
            Run => "FIESTA_RUN",
        }
    }
}
