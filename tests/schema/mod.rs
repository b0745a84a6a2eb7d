//! Comparison of a type's JSON schema with its file in `docs/schema`.

use schemars::Schema;
use std::{fs, path::Path};

/// Fails unless a schema equals its file; with `FIESTA_BLESS` in the environment, writes the file.
#[track_caller]
pub(crate) fn is_written_down(name: &str, schema: &Schema) {
    let text = serde_json::to_string_pretty(schema).unwrap() + "\n";
    text_is_written_down(&format!("schema/{name}.json"), &text);
}

/// Fails unless a text equals its file in `docs`; with `FIESTA_BLESS` in the environment, writes
/// the file.
#[track_caller]
pub(crate) fn text_is_written_down(name: &str, text: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../docs")
        .join(name);
    if std::env::var_os("FIESTA_BLESS").is_some() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
    }
    let known = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        known == text,
        "{} is not what it is today: FIESTA_BLESS=1 writes it anew",
        file.display()
    );
}
