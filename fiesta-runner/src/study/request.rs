//! The request of an evaluation: the object that a worker reads, or a function is given.

use super::{ItemsError, Study, items::PoolKey};
use crate::named::named;
use fiesta_core::Evaluation;
use fiesta_policies::random_search::Setting;
use serde_json::{Map, Value};
use std::path::Path;

named! {
    /// A key of a request.
    pub(crate) enum RequestKey {
        /// Name of the case, which its answer repeats.
        Id = "id",
        /// Name of the arm.
        Arm = "arm",
        /// Number of the split, from 0 (studies of splits).
        Split = "split",
        /// The item itself: a line's JSON as it stands there, a row as an object, of a file its path
        /// (studies of `items`).
        Item = "item",
        /// Id of the item (studies of `items`).
        ItemId = "item_id",
        /// Path of a file with the document (studies of `documents`).
        Document = "document",
        /// Id of the document (studies of `documents`).
        DocumentId = "document_id",
        /// Seed of the evaluation.
        Seed = "seed",
        /// Hyperparameters, an object (random search).
        Setting = "setting",
    }
}

impl Study {
    /// Makes the request of an evaluation for a worker or a function. `run` is the run's directory.
    /// The name of the case is added when the request is sent.
    pub(super) fn request(
        &self,
        evaluation: &Evaluation,
        setting: &Setting,
        run: &Path,
    ) -> Result<Map<String, Value>, ItemsError> {
        use RequestKey::{Arm, Document, DocumentId, Item, ItemId, Seed, Setting, Split};
        let case = &evaluation.case;
        let mut request = Map::new();
        let mut tell = |key: RequestKey, value| request.insert(key.name().to_owned(), value);
        tell(Arm, self.arms.name(evaluation.arm).into());
        match &self.items {
            Some(items) => {
                let id = items.id(case.split).into();
                match items.key() {
                    PoolKey::Items => {
                        tell(Item, items.value(case.split, run)?);
                        tell(ItemId, id);
                    }
                    PoolKey::Documents => {
                        let path = items.path(case.split, run);
                        tell(Document, path.to_string_lossy().into_owned().into());
                        tell(DocumentId, id);
                    }
                }
            }
            None => {
                tell(Split, self.split(case).into());
            }
        }
        tell(Seed, case.seed.into());
        if !setting.is_empty() {
            tell(Setting, serde_json::json!(setting));
        }
        Ok(request)
    }
}
