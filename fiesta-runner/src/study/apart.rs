//! Arms that cannot be told apart, as the same work is done for both.

use super::{Study, inputs::mentions, placeholder::Placeholder::Arm};
use crate::{
    ordinary,
    run::{HYPERPARAMETER, JobVariable},
};
use fiesta_core::ArmId;
use fiesta_policies::random_search::Space;
use serde_json::json;
use std::{
    collections::HashMap,
    env,
    io::Read,
    path::{Path, PathBuf},
};

impl Study {
    /// Returns two arms whose differences reach neither their commands, their variables nor a
    /// worker. `None` if there are none, or the study file says that commands read the arm from
    /// their environment (`arm_from`).
    ///
    /// A file that a command names, and in which the name of the arm's variable stands, is taken to
    /// read it.
    pub fn alike(&self) -> Option<[ArmId; 2]> {
        if self.worker.is_some() || self.is_of_functions() || self.file.arm_from.is_some() {
            return None;
        }
        let mut seen: HashMap<String, ArmId> = HashMap::new();
        for arm in self.arms.ids() {
            let reach = self.reach(arm);
            if let Some(&first) = seen.get(&reach)
                && !self.reads(arm, &[Arm.variable()])
                && !(self.searches_apart(first, arm)
                    && self.reads(arm, &[HYPERPARAMETER, JobVariable::Setting.name()]))
            {
                return Some([first, arm]);
            }
            seen.entry(reach).or_insert(arm);
        }
        None
    }

    /// Describes all differences between arms that can reach an arm's command.
    fn reach(&self, arm: ArmId) -> String {
        let job = &self.jobs[arm.index()];
        let space = self.search.as_ref().map(|search| search.space(arm));
        let command = job.command.fill(|word| match word {
            "arm" => self.arms.name(arm).to_owned(),
            word => {
                let mut own = space.into_iter().flat_map(Space::parameters);
                let own = own.find(|(name, _)| *name == word);
                format!("{word} {own:?}")
            }
        });
        let gpus = job.gpus.map(|gpus| gpus.to_string());
        json!([command, job.environment, gpus]).to_string()
    }

    fn searches_apart(&self, first: ArmId, second: ArmId) -> bool {
        let search = self.search.as_ref();
        search.is_some_and(|search| search.space(first) != search.space(second))
    }

    /// Whether an arm's command, or a file that the command names, contains the name of one of
    /// these variables.
    fn reads(&self, arm: ArmId, variables: &[&str]) -> bool {
        let command = &self.jobs[arm.index()].command;
        let script = command
            .program()
            .and_then(|program| self.script(arm, program));
        variables.iter().any(|variable| command.mentions(variable))
            || self.inputs[arm.index()]
                .iter()
                .any(|input| input.mentions(variables))
            || script.is_some_and(|script| mentions(&script, variables))
    }

    /// Finds the script that a program name means in `PATH`. `None` if it is not a script.
    fn script(&self, arm: ArmId, program: &str) -> Option<PathBuf> {
        let places = self
            .own_variable(arm, "PATH")
            .or_else(|| env::var_os("PATH"))?;
        let mut places = env::split_paths(&places).map(|place| self.directory.join(place));
        let found = places.find(|place| place.join(program).is_file())?;
        Some(found.join(program)).filter(|found| is_script(found))
    }
}

fn is_script(path: &Path) -> bool {
    let mut beginning = [0; 2];
    let read = ordinary::open(path).and_then(|mut file| file.read_exact(&mut beginning));
    read.is_ok() && beginning == *b"#!"
}
