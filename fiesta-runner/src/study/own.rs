//! Policies, posteriors and stopping rules that are not built in: how a study file names them, and
//! the program that makes them.

use super::{
    OwnParts, Study, StudyError,
    budget::{some_time, time_of},
    error::Source,
    file::StudyFile,
};
use crate::policy::{Asked, CommandPolicy};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::{fmt, time::Duration};

/// A policy, a posterior or a stopping rule: one that is built in, or the program's own.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    untagged,
    expecting = "expected a name, or a table such as { own = \"NAME\", parameters = { width = 2 } } or { command = [\"python\", \"policy.py\"] }"
)]
pub(super) enum Method {
    Name(String),
    Own(OwnTable),
    Command(CommandTable),
}

/// A part of the program that runs the study. Both keys identify the study.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct OwnTable {
    /// Name of the part.
    pub(super) own: String,
    /// Parameters that the decisions of the part depend on.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(super) parameters: Map<String, Value>,
}

/// A policy that is a command.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct CommandTable {
    /// The command as a list of arguments.
    pub(super) command: Vec<String>,
    /// Longest time of an answer, such as `"5min"`. Default one minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) timeout: Option<String>,
    /// Digests of the files that the command names.
    #[serde(skip_deserializing, skip_serializing_if = "Map::is_empty")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub(super) files: Map<String, Value>,
}

impl CommandTable {
    fn timeout(&self) -> Duration {
        let timeout = self.timeout.as_deref().map(|text| time_of("timeout", text));
        timeout.and_then(Result::ok).unwrap_or(ANSWER)
    }
}

/// Longest time of a policy's answer if the study file sets none.
const ANSWER: Duration = Duration::from_mins(1);

impl Method {
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Name(name) => name,
            Self::Own(table) => &table.own,
            Self::Command(_) => "{ command = … }",
        }
    }

    fn own(&self) -> Option<&OwnTable> {
        match self {
            Self::Name(_) | Self::Command(_) => None,
            Self::Own(table) => Some(table),
        }
    }
}

/// Returns the name of a built-in part. `None` if there is no name, or the part is the program's own.
pub(super) fn built_in(method: Option<&Method>) -> Option<&str> {
    method.and_then(|method| match method {
        Method::Name(name) => Some(name.as_str()),
        Method::Own(_) | Method::Command(_) => None,
    })
}

/// A method of a study that a program may provide itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The choice of the arm to evaluate next.
    Policy,
    /// The distribution of the arms' means.
    Posterior,
    /// The decision when to stop.
    Stopping,
}

impl Part {
    const ALL: [Self; 3] = [Self::Policy, Self::Posterior, Self::Stopping];

    /// Returns the method's key below `[design]`, and its name in words.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Policy => ("policy", "policy"),
            Self::Posterior => ("posterior", "posterior"),
            Self::Stopping => ("stopping", "stopping rule"),
        }
    }

    fn of(self, file: &StudyFile) -> Option<&Method> {
        let design = &file.design;
        match self {
            Self::Policy => design.policy.as_ref(),
            Self::Posterior => design.posterior.as_ref(),
            Self::Stopping => design.stopping.as_ref(),
        }
    }

    fn is_known(self, name: &str) -> bool {
        let is = |&(known, _): &(&str, &str)| known == name;
        match self {
            Self::Policy => fiesta_policies::POLICIES.iter().any(is),
            Self::Posterior => {
                name == fiesta_posterior::f_measure::NAME || fiesta_posterior::ABOUT.iter().any(is)
            }
            Self::Stopping => fiesta_policies::stopping::NAMES.iter().any(is),
        }
    }
}

/// Checks the names of the methods that the program provides.
pub(super) fn check_own(source: &Source<'_>, file: &StudyFile) -> Result<(), StudyError> {
    for part in Part::ALL {
        let (key, words) = part.words();
        let method = part.of(file);
        if let Some(Method::Command(table)) = method {
            check_command(source, part, table)?;
        }
        let Some(own) = method.and_then(Method::own) else {
            continue;
        };
        let name = &own.own;
        let is_shown = !name.trim().is_empty() && !name.chars().any(char::is_control);
        let message = if !is_shown {
            format!("a {words} of the program's own needs a name that can be shown: own = \"NAME\"")
        } else if part.is_known(name) {
            format!(
                "{name} is a {words} that is built in: write {key} = \"{name}\", or give the program's own {words} another name"
            )
        } else {
            continue;
        };
        return Err(source.wrong(&["design", key], message));
    }
    Ok(())
}

/// Checks a method that is a command.
fn check_command(source: &Source<'_>, part: Part, table: &CommandTable) -> Result<(), StudyError> {
    let (key, words) = part.words();
    if part != Part::Policy {
        let message = format!(
            "a {words} cannot be a command, only a policy can: name one that is built in, or the program's own"
        );
        return Err(source.wrong(&["design", key], message));
    }
    if table.command.first().is_none_or(String::is_empty) {
        let message = "the command of the policy is empty: write for example command = [\"python\", \"policy.py\"]";
        return Err(source.wrong(&["design", key, "command"], message));
    }
    let timeout = table.timeout.as_ref();
    let checked = timeout.map(|text| some_time(source, &["design", key, "timeout"], text));
    checked.transpose().map(drop)
}

/// Function that makes the program's own methods, at the start of each selector.
pub(super) struct MakeParts(Box<Make>);

type Make = dyn Fn(&Study, usize) -> OwnParts + Send + Sync;

impl fmt::Debug for MakeParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MakeParts")
    }
}

/// The error that a study file names other methods than the program provides.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PartsError(String);

impl Study {
    /// Takes the parts that the study names as the program's own, such as
    /// `policy = { own = "even" }` under `[design]`: the runs, the ledger and its replays then use
    /// them. `make` is called for the beginning of each selector, with the number of its arms, which
    /// are the first of the study's.
    ///
    /// The name and the parameters of each part stand in the study file, and identify the study: a
    /// ledger that was begun with others is refused. A policy must decide by the view and its stream
    /// of random numbers alone, since a study that is resumed makes its decisions again.
    ///
    /// # Errors
    /// [`PartsError`] if the study names a part that `make` does not give, or the other way round.
    ///
    /// # Example
    /// ```
    /// use fiesta_core::{Next, Policy, View};
    /// use fiesta_runner::{Study, study::{OwnParts, Part}};
    ///
    /// /// Evaluates the arm that was evaluated least, as long as none had this many.
    /// struct Even(u64);
    /// impl Policy for Even {
    ///     fn next(&mut self, view: &View<'_>, _: &mut dyn rand::Rng) -> Next {
    ///         let least = view.with_case_left().min_by_key(|&arm| view.attempts(arm));
    ///         match least {
    ///             Some(arm) if view.attempts(arm) < self.0 => Next::Evaluate(arm),
    ///             _ if view.total_pending() > 0 => Next::Wait,
    ///             _ => view.empirical_best().map_or(Next::Wait, Next::Finished),
    ///         }
    ///     }
    /// }
    ///
    /// let text = r#"
    ///     name = "x"
    ///     metric.name = "f1"
    ///     executor.kind = "functions"
    ///     design.policy = { own = "even", parameters = { most = 20 } }
    ///     arm = [{ name = "a" }, { name = "b" }]
    /// "#;
    /// let study = Study::in_memory(text, ".".as_ref())?.with_parts(|study, _| {
    ///     let most = study.own_parameters(Part::Policy)["most"].as_u64();
    ///     let policy = Even(most.unwrap_or(10));
    ///     OwnParts { policy: Some(Box::new(policy)), ..OwnParts::default() }
    /// })?;
    /// assert_eq!(study.policy(), "even");
    /// # let _ = study.selector()?.ask()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_parts(
        self,
        make: impl Fn(&Self, usize) -> OwnParts + Send + Sync + 'static,
    ) -> Result<Self, PartsError> {
        let made = make(&self, self.arms.len());
        for part in Part::ALL {
            let is_given = match part {
                Part::Policy => made.policy.is_some(),
                Part::Posterior => made.posterior.is_some(),
                Part::Stopping => made.stopping.is_some(),
            };
            let (key, words) = part.words();
            let named = part.of(&self.file).and_then(Method::own);
            let message = match named {
                None if is_given => format!(
                    "the program gives a {words} of its own, and the study names none: write {key} = {{ own = \"NAME\" }} under [design], by which its ledger knows the {words}"
                ),
                Some(own) if !is_given => format!(
                    "the study names {} as the program's own {words}, and the program gives none: give one, or name one that is built in",
                    own.own
                ),
                _ => continue,
            };
            return Err(PartsError(message));
        }
        Ok(Self {
            make_parts: Some(MakeParts(Box::new(make))),
            ..self
        })
    }

    /// Returns the command that is the study's policy. `None` if the policy is another one.
    pub(crate) fn policy_command(&self) -> Option<&[String]> {
        Some(&self.command_table()?.command)
    }

    fn command_table(&self) -> Option<&CommandTable> {
        match self.file.design.policy.as_ref()? {
            Method::Command(table) => Some(table),
            Method::Name(_) | Method::Own(_) => None,
        }
    }

    /// Returns the policy that asks the study's command. `None` if its policy is no command.
    pub(super) fn command_policy(&self) -> Option<CommandPolicy> {
        let table = self.command_table()?;
        let items = self.items.as_ref();
        let ids =
            items.map(|items| (0..items.len() as u64).map(|number| items.id(number).to_owned()));
        Some(CommandPolicy::new(Asked {
            command: table.command.clone(),
            directory: self.directory.clone(),
            state: self.state_directory(),
            timeout: table.timeout(),
            arms: self.arms.names().to_vec(),
            direction: self.metric().direction(),
            items: ids.map(Iterator::collect).unwrap_or_default(),
            trouble: self.policy_trouble.clone(),
        }))
    }

    /// Returns the parameters that the study file gives a part of the program's own. `Null` if that
    /// part is built in.
    pub fn own_parameters(&self, part: Part) -> Value {
        let own = part.of(&self.file).and_then(Method::own);
        own.map_or(Value::Null, |own| Value::Object(own.parameters.clone()))
    }

    /// Makes the program's own methods for a selector of `arms` arms, if the program provides any.
    pub(super) fn parts(&self, arms: usize) -> OwnParts {
        let make = self.make_parts.as_ref();
        make.map_or_else(OwnParts::default, |make| (make.0)(self, arms))
    }

    /// Returns the name of a method that another program provides. `None` if this program has the
    /// method.
    pub(super) fn part_elsewhere(&self, part: Part) -> Option<&str> {
        let own = part.of(&self.file).and_then(Method::own);
        let own = own.filter(|_| self.make_parts.is_none())?;
        Some(&own.own)
    }

    /// Checks that this program has every method that the study uses. The ledger can be shown in
    /// any case.
    ///
    /// # Errors
    /// [`PartsError`] with the part that is another program's.
    pub(crate) fn has_parts(&self) -> Result<(), PartsError> {
        for part in Part::ALL {
            if let Some(name) = self.part_elsewhere(part) {
                let ((key, words), path) = (part.words(), self.path.display());
                return Err(PartsError(format!(
                    "the {words} {name} of {path} is that of another program ({key} = {{ own = \"{name}\" }}): run that program; `fiesta status`, `report`, `log` and `export` show what it has done"
                )));
            }
        }
        Ok(())
    }

    /// Returns the note that the numbers shown are of another posterior than the study's own. `None`
    /// if they are the study's.
    #[cfg(feature = "report")]
    pub(crate) fn note_of_posterior(&self) -> Option<String> {
        let name = self.part_elsewhere(Part::Posterior)?;
        Some(format!(
            "The posterior {name}, by which this study decides, is known to the program that runs it alone: what is believed here is by the posterior {}.",
            self.posterior()
        ))
    }
}
