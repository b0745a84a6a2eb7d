//! The keys below `[executor]` of studies on Ray.

use super::{Ray, RaySettings, address::checked};
use crate::keys::{check_cpus, check_lines, open, planned, settings};
use fiesta_runner::{
    executor::{EngineKeys, EngineKind, Executor, ExecutorError, Site, WrongKey},
    run::RunSpec,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Studies whose `executor.kind` is `"ray"`.
pub(crate) const KIND: EngineKind = EngineKind::new::<RayKeys>(
    "ray",
    NAME,
    &[
        "cpus",
        "memory",
        "prologue",
        "interval",
        "visibility",
        "program",
        "address",
        "resources",
        "runtime_env",
    ],
)
.with_tables(&[
    ("resources", "{ a100 = 1 }"),
    ("runtime_env", "{ pip = [\"torch\"] }"),
]);

pub(super) const NAME: &str = "Ray";

// What both kinds have says the same, and is documented for both.
#[derive(Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct RayKeys {
    /// CPUs of a job. Default: that of the partition (Slurm), 1 (Ray).
    cpus: Option<u64>,
    /// Memory of a job, such as `"16G"`.
    memory: Option<String>,
    /// Lines of shell before each job: modules, an environment.
    prologue: Option<Vec<String>>,
    /// How often the engine is asked about all jobs at once. Default `"5s"`.
    interval: Option<String>,
    /// How long the shared directory may take to show a file that another machine wrote. Default
    /// `"30s"`.
    visibility: Option<String>,
    /// Program on the nodes, such as a static `fiesta-supervisor`. Default: a copy of the running
    /// one.
    program: Option<String>,
    /// Address of Ray's dashboard. Default: `RAY_API_SERVER_ADDRESS`, `RAY_ADDRESS`, or this
    /// machine's.
    address: Option<String>,
    /// Ray's own resources of a job, such as `{ a100 = 1 }`.
    resources: Option<BTreeMap<String, f64>>,
    /// Runtime environment of Ray's jobs, passed on as it is.
    runtime_env: Option<Map<String, Value>>,
}

impl RayKeys {
    /// Checks the keys, and returns the settings for Ray.
    fn settings(&self) -> Result<RaySettings, WrongKey> {
        let address = self.address.as_deref().map(checked).transpose();
        let address = address.map_err(|problem| WrongKey::new(&["address"], problem))?;
        let bytes = |text: &str| {
            memory(text).ok_or_else(|| {
                let message =
                    format!("`{text}` is no amount of memory: write it as \"500M\" or \"16G\"");
                WrongKey::new(&["memory"], message)
            })
        };
        let memory = self.memory.as_deref().map(bytes).transpose()?;
        let resources = self.resources.clone().unwrap_or_default();
        for (name, amount) in &resources {
            check_resource(name, *amount)
                .map_err(|message| WrongKey::new(&["resources", name], message))?;
        }
        let variables = self.runtime_env.as_ref();
        if let Some(variables) = variables.and_then(|env| env.get("env_vars")) {
            let is_text = |values: &Map<String, Value>| values.values().all(Value::is_string);
            if !variables.as_object().is_some_and(is_text) {
                return Err(WrongKey::new(
                    &["runtime_env", "env_vars"],
                    "env_vars is a table of variables, whose values are texts in quotes",
                ));
            }
        }
        Ok(RaySettings {
            address,
            cpus: self.cpus.unwrap_or(RaySettings::default().cpus),
            memory,
            resources,
            runtime_env: self.runtime_env.clone().map(Value::Object),
            prologue: self.prologue.clone().unwrap_or_default(),
        })
    }

    fn ray(&self) -> Result<Ray, ExecutorError> {
        let settings = self.settings().map_err(|wrong| wrong.to_string());
        settings.and_then(Ray::new).map_err(of_ray)
    }
}

fn of_ray(words: String) -> ExecutorError {
    ExecutorError::Engine { name: NAME, words }
}

/// Checks an amount of a resource that the cluster itself names.
fn check_resource(name: &str, amount: f64) -> Result<(), String> {
    let other = match name {
        "CPU" => Some("cpus"),
        "GPU" => Some("gpus_per_job under [resources]"),
        "memory" => Some("memory"),
        _ => None,
    };
    if let Some(other) = other {
        return Err(format!("how much {name} each job has is said by {other}"));
    }
    if !amount.is_finite() || amount <= 0.0 {
        return Err(format!(
            "the amount of {name} must be above 0, and is {amount}"
        ));
    }
    Ok(())
}

impl EngineKeys for RayKeys {
    fn check(&self) -> Result<(), WrongKey> {
        check_cpus(self.cpus)?;
        check_lines("prologue", self.prologue.as_ref())?;
        settings(self.interval.as_ref(), self.visibility.as_ref())?;
        self.settings().map(drop)
    }

    fn refused_variable(&self, name: &str, from: &str) -> Option<String> {
        Some(format!(
            "{name} is to have the value that {from} has where the study is run, and that is not sent to Ray, which would show it to everybody: leave {name} out of env, and set it on the nodes, or in a line of prologue under [executor], such as \"export {name}=$(cat ~/{from})\"; where everybody may see it, runtime_env = {{ env_vars = {{ {name} = \"…\" }} }} does"
        ))
    }

    fn open(&self, site: &Site) -> Result<Box<dyn Executor>, ExecutorError> {
        let settings = settings(self.interval.as_ref(), self.visibility.as_ref());
        let settings = settings.unwrap_or_default();
        open(site, self.program.as_ref(), settings, || {
            let ray = self.ray()?;
            // Where jobs may wait or run already, a head that is gone is waited for.
            if !site.batches().exists() {
                ray.check().map_err(of_ray)?;
            }
            Ok(ray)
        })
    }

    fn preview(&self, runs: &[RunSpec], site: &Site) -> Result<Vec<String>, ExecutorError> {
        let ray = self.ray()?;
        let batches = planned(runs, site, self.program.as_ref(), &ray);
        Ok(batches.iter().map(|batch| ray.preview(batch)).collect())
    }
}

/// Returns an amount of memory in bytes, given as for Slurm: in MiB, or with K, M, G or T.
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
