//! Keys of the table `[executor]` for Ray, checked.

use super::{StudyError, environment::of_caller, error::Source, file::StudyFile};
use crate::executor::ray::{RaySettings, checked_address};

/// What a study asks of Ray; checked.
pub(super) fn ray(source: &Source<'_>, file: &StudyFile) -> Result<RaySettings, StudyError> {
    let table = &file.executor;
    let wrong = |key: &[&str], message: String| source.wrong(key, message);
    let address = table.address.as_deref().map(checked_address).transpose();
    let address = address.map_err(|problem| wrong(&["executor", "address"], problem))?;
    let bytes = |text: &str| {
        memory(text).ok_or_else(|| {
            let message =
                format!("`{text}` is no amount of memory: write it as \"500M\" or \"16G\"");
            wrong(&["executor", "memory"], message)
        })
    };
    let memory = table.memory.as_deref().map(bytes).transpose()?;
    let resources = table.resources.clone().unwrap_or_default();
    for (name, amount) in &resources {
        let key = ["executor", "resources", name.as_str()];
        let other = match name.as_str() {
            "CPU" => Some("cpus"),
            "GPU" => Some("gpus_per_job under [resources]"),
            "memory" => Some("memory"),
            _ => None,
        };
        if let Some(other) = other {
            let message = format!("how much {name} each job has is said by {other}");
            return Err(wrong(&key, message));
        }
        if !amount.is_finite() || *amount <= 0.0 {
            let message = format!("the amount of {name} must be above 0, and is {amount}");
            return Err(wrong(&key, message));
        }
    }
    for arm in &file.arm {
        if let Some((name, from)) = of_caller(&arm.env).first() {
            let message = format!(
                "{name} is to have the value that {from} has where the study is run, and that is not sent to Ray, which would show it to everybody: leave {name} out of env, and set it on the nodes, or in a line of prologue under [executor], such as \"export {name}=$(cat ~/{from})\"; where everybody may see it, runtime_env = {{ env_vars = {{ {name} = \"…\" }} }} does"
            );
            return Err(wrong(&["arm", &arm.place, "env", name], message));
        }
    }
    let variables = table.runtime_env.as_ref();
    if let Some(variables) = variables.and_then(|env| env.get("env_vars")) {
        let is_text = |values: &serde_json::Map<String, serde_json::Value>| {
            values.values().all(serde_json::Value::is_string)
        };
        if !variables.as_object().is_some_and(is_text) {
            let message = "env_vars is a table of variables, whose values are texts in quotes";
            return Err(wrong(
                &["executor", "runtime_env", "env_vars"],
                message.to_owned(),
            ));
        }
    }
    let own = RaySettings::default();
    Ok(RaySettings {
        address,
        cpus: table.cpus.unwrap_or(own.cpus),
        memory,
        resources,
        runtime_env: table.runtime_env.clone().map(serde_json::Value::Object),
        prologue: table.prologue.clone().unwrap_or_default(),
    })
}

/// An amount of memory in bytes, written as Slurm takes it: in MiB, or with K, M, G or T.
fn memory(text: &str) -> Option<u64> {
    let unit = text.trim_start_matches(|character: char| character.is_ascii_digit());
    let shift = match unit.to_ascii_uppercase().as_str() {
        "K" | "KB" | "KIB" => 10,
        "" | "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        "T" | "TB" | "TIB" => 40,
        _ => return None,
    };
    let count: u64 = text.strip_suffix(unit)?.parse().ok()?;
    count.checked_mul(1 << shift).filter(|&bytes| bytes > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_of_memory() {
        assert_eq!(memory("500M"), Some(500 << 20));
        assert_eq!(memory("16GiB"), Some(16 << 30));
        assert_eq!(memory("2000"), Some(2000 << 20));
        assert_eq!(memory("3t"), Some(3 << 40));
        for wrong in ["", "G", "0", "1.5G", "-1M", "16 G", "16P", "99999999T"] {
            assert_eq!(memory(wrong), None, "{wrong}");
        }
    }
}
