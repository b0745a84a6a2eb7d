//! Comparison of a type's JSON schema with its file in `docs/schema`.

use schemars::Schema;
use std::{fs, path::Path};

/// Fails unless the schema is that of the file; with `FIESTA_BLESS` in the environment, writes it.
#[track_caller]
pub(crate) fn is_written_down(name: &str, schema: &Schema) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schema");
    let file = directory.join(format!("{name}.json"));
    let text = serde_json::to_string_pretty(schema).unwrap() + "\n";
    if std::env::var_os("FIESTA_BLESS").is_some() {
        fs::create_dir_all(&directory).unwrap();
        fs::write(&file, &text).unwrap();
    }
    let known = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        known == text,
        "{} is not the schema of today",
        file.display()
    );
}
