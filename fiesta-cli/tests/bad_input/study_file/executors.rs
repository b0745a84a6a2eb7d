//! Tests of refused `[executor]` tables of studies.

use super::refuse;
use crate::support::{Bench, STUDY, code};

#[test]
fn what_ray_is_asked_for() {
    const LOCAL: &str = "kind = \"local\"";
    refuse(&[
        (
            LOCAL,
            "kind = \"ray\"\npartition = \"gpu\"",
            "partition",
            &[
                "`partition` says nothing to ray",
                "it is for slurm",
                "address, resources",
            ],
        ),
        (
            LOCAL,
            "kind = \"slurm\"\nruntime_env = {}",
            "runtime_env",
            &["`runtime_env` says nothing to slurm", "partition"],
        ),
        (
            LOCAL,
            "kind = \"local\"\naddress = \"http://head:8265\"",
            "address",
            &[
                "`address` is for an engine, and these jobs run on this machine",
                "kind = \"ray\"",
            ],
        ),
        (
            LOCAL,
            "kind = \"ray\"\naddress = \"head:6379\"",
            "address",
            &["`head:6379` is no address of Ray's dashboard", "http://"],
        ),
        (
            LOCAL,
            "kind = \"ray\"\nmemory = \"much\"",
            "memory",
            &["`much` is no amount of memory", "16G"],
        ),
        (
            LOCAL,
            "kind = \"ray\"\nresources = { GPU = 1 }",
            "GPU",
            &["how much GPU each job has is said by gpus_per_job"],
        ),
        (
            LOCAL,
            "kind = \"ray\"\nresources = { a100 = 0 }",
            "a100",
            &["the amount of a100 must be above 0"],
        ),
        (
            LOCAL,
            "kind = \"ray\"\nruntime_env = { env_vars = { A = 1 } }",
            "env_vars",
            &["env_vars is a table of variables, whose values are texts"],
        ),
    ]);
}

/// Tests that a kind of executor for machines without a scheduler is refused: they run Ray.
#[test]
fn a_kind_that_is_none() {
    refuse(&[(
        "kind = \"local\"",
        "kind = \"ssh\"",
        "kind = \"ssh\"",
        &[
            "there is no executor `ssh` (known: local, slurm, ray, functions; ",
            "machines without a scheduler run Ray: docs/ray.md)",
        ],
    )]);
}

/// Tests that workers on an engine are refused, as they belong to this machine.
#[test]
fn a_worker_on_an_engine() {
    for kind in ["slurm", "ray"] {
        let study = STUDY
            .replace("kind = \"local\"", &format!("kind = \"{kind}\""))
            .replace(
                "command = [\"sh\", \"score.sh\", \"{arm}\", \"{split}\", \"{seed}\"]",
                "",
            )
            + "\n[worker]\ncommand = [\"sh\", \"score.sh\"]\n";
        Bench::with_study(&study)
            .fiesta(&["run", "study.toml"])
            .says(
                code::USAGE,
                &[
                    "study.toml:25: workers run on this machine",
                    "instead of a [worker]",
                    &format!("leave {kind} out"),
                ],
            );
    }
}

/// Tests that variables of the caller, which Ray does not get, are refused and not left out.
#[test]
fn variables_of_the_caller_on_ray() {
    let study = Bench::with_study(&STUDY.replace("kind = \"local\"", "kind = \"ray\""));
    study.edit(
        "study.toml",
        "name = \"low\"",
        "name = \"low\"\nenv = { TOKEN = { from = \"MY_TOKEN\" } }",
    );
    study.fiesta(&["run", "study.toml"]).says(
        code::USAGE,
        &[
            "study.toml:29",
            "TOKEN",
            "the value that MY_TOKEN has where the study is run",
            "not sent to Ray",
            "export TOKEN=",
            "prologue under [executor]",
        ],
    );
}
