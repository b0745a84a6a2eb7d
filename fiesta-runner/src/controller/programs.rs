//! The check that the arms' programs and variables are there, before the first job of a study is
//! run.

use super::RunError;
use crate::run::inherited;
use crate::study::Study;
use fiesta_core::ArmId;
use rustix::fs::{Access, access};
use std::{env, path::Path};

/// Looks for all that a study's jobs need, and for what tells its arms apart.
///
/// # Errors
/// [`RunError::Refused`] for the first arm that cannot be evaluated.
pub(super) fn check(study: &Study) -> Result<(), RunError> {
    check_variables(study)?;
    check_programs(study)?;
    check_policy(study)?;
    check_arms(study)
}

/// Looks for every program that is the same for all of an arm's evaluations: a mistake in the last
/// arm's command should not cost the first arm's evaluations. What cannot be known beforehand is
/// left to the jobs.
///
/// # Errors
/// [`RunError::Refused`] for the first arm whose program is missing or not executable.
fn check_programs(study: &Study) -> Result<(), RunError> {
    for arm in study.arms().ids() {
        if let Some(program) = study.program(arm)
            && let Err(reason) = look_for(study, Some(arm), program)
        {
            return Err(RunError::of_arm(study.arms().name(arm), reason));
        }
    }
    Ok(())
}

/// Looks for the program of a policy that is a command.
///
/// # Errors
/// [`RunError::Policy`] if it is missing or not executable.
fn check_policy(study: &Study) -> Result<(), RunError> {
    let Some([program, ..]) = study.policy_command() else {
        return Ok(());
    };
    look_for(study, None, program)
        .map_err(|reason| RunError::Policy(format!("the policy cannot be asked: {reason}")))
}

/// Looks for every variable that the study file takes from the environment of whoever runs the
/// study.
///
/// # Errors
/// [`RunError::Refused`] for the first arm with one that is not set, or empty.
pub(super) fn check_variables(study: &Study) -> Result<(), RunError> {
    for arm in study.arms().ids() {
        inherited(&study.caller_variables(arm))
            .map_err(|missing| RunError::of_arm(study.arms().name(arm), missing))?;
    }
    Ok(())
}

/// Looks for two arms that do the same work: one of them would win by chance.
///
/// # Errors
/// [`RunError::Refused`] for the first two.
pub(super) fn check_arms(study: &Study) -> Result<(), RunError> {
    let Some(arms) = study.alike() else {
        return Ok(());
    };
    let [first, second] = arms.map(|arm| study.arms().name(arm));
    Err(RunError::Refused(format!(
        "the arms `{first}` and `{second}` cannot be told apart: their commands and variables are the same, and no file that the command names reads FIESTA_ARM: put {{arm}} into the command, or give each arm a command or variables (env) of its own; if the program reads FIESTA_ARM all the same, say arm_from = \"environment\" at the top of the study file"
    )))
}

fn look_for(study: &Study, arm: Option<ArmId>, program: &str) -> Result<(), String> {
    let not_executable = || {
        format!(
            "the command `{program}` is not executable: chmod +x it, or name its interpreter first"
        )
    };
    if program.contains('/') {
        let path = study.directory.join(program);
        return match (path.exists(), is_executable(&path)) {
            (_, true) => Ok(()),
            (true, false) => Err(not_executable()),
            (false, false) => Err(format!("the command `{}` does not exist", path.display())),
        };
    }
    // The arm's own, or the one that its jobs inherit.
    let own = arm.and_then(|arm| study.own_variable(arm, "PATH"));
    let Some(places) = own.or_else(|| env::var_os("PATH")) else {
        return Ok(());
    };
    let candidates: Vec<_> = env::split_paths(&places)
        .map(|place| study.directory.join(place).join(program))
        .filter(|path| path.is_file())
        .collect();
    match candidates.as_slice() {
        [] => Err(format!(
            "the command `{program}` was not found: install it, or give its full path (in PATH: {})",
            places.to_string_lossy()
        )),
        found if found.iter().any(|path| is_executable(path)) => Ok(()),
        _ => Err(not_executable()),
    }
}

fn is_executable(path: &Path) -> bool {
    path.is_file() && access(path, Access::EXEC_OK).is_ok()
}
