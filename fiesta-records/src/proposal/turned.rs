//! Tables of numbers that may be read in two ways: rows or columns may be the systems, and a column may
//! hold the right answers.

use super::{
    candidates::{names_gold, names_no_candidate},
    column::Sample,
    names_arms, names_summary,
    sides::{Side, are_cases, are_numbers, either, side},
    systems::SystemsTable,
    table::ArmsTable,
    words::{no_system, plain, role_of},
};
use crate::{Choice, HeaderProblem, Reading, excerpt};
use std::collections::HashSet;

impl Sample {
    /// Returns the table with a row for each system, if the names of a table that may have a column
    /// for each arm say that its rows are the arms. Refuses one whose rows and columns may both be
    /// the arms, or in which a column may hold the right answers.
    pub(crate) fn check_turned(
        &self,
        table: &ArmsTable,
        options: &Reading,
    ) -> Result<Option<SystemsTable>, HeaderProblem> {
        let columns = &options.columns;
        let given = [("item", &columns.item), ("split", &columns.split)];
        for (flag, name) in given {
            if let Some(name) = name.as_deref().filter(|name| names_arms(name)) {
                let name = excerpt(name);
                return Err(self.either(
                    format!(
                        "`{name}` is by its name what is compared, and --{flag} says that its rows are none of it: leave --{flag} out, or name the columns of the systems with --arms"
                    ),
                    None,
                    table,
                ));
            }
        }
        // In the long form, labels are others.
        let is_long =
            |name: &String| names_arms(name) || no_system(&plain(name)) == Some("a metric");
        let gold = self.names.iter().position(|name| names_gold(name));
        if let Some(gold) = gold.filter(|_| !self.names.iter().any(is_long)) {
            let are_predictions = self.are_predictions(gold);
            return Err(self.either(
                format!(
                    "`{}` may hold the right answers, and is no system: predictions of the systems are read with --gold, their scores with --arms",
                    excerpt(&self.names[gold])
                ),
                are_predictions.then(|| ("gold", self.names[gold].clone())),
                table,
            ));
        }
        let (first, is_named) = (&self.names[0], names_arms(&self.names[0]));
        let place = match table.key {
            Some((place, "item")) => place,
            // Anything may have a name.
            None if table.arms.len() > 1
                && (is_named || first.trim().eq_ignore_ascii_case("name"))
                && self.names_rows(0) =>
            {
                0
            }
            _ => return Ok(None),
        };
        let corner = &self.names[place];
        let side = self.side(place);
        let arms: Vec<&str> = table.arms.iter().map(|&arm| &*self.names[arm]).collect();
        // Bare numbers may be the steps of a training as well.
        let are_numbers = are_numbers(&arms);
        let is_settled = match side {
            Some(Side::Rows) => is_named,
            Some(Side::Columns) => true,
            None => !is_named && !are_cases(&arms) && !self.may_be_systems(place),
        };
        if options.paired_rows || is_settled {
            return Ok(None);
        }
        let systems = self.systems_table(true);
        if side == Some(Side::Rows) && !are_numbers && systems.is_some() {
            return Ok(systems);
        }
        if systems.is_none() && table.doubt.is_some() {
            return Ok(None);
        }
        let rows: Vec<&str> = self.known(place).collect();
        let (problem, choices) = either(corner, &rows, &arms);
        Err(HeaderProblem::Choose { problem, choices })
    }

    /// Returns whether each row has another text in a column.
    pub(crate) fn names_rows(&self, place: usize) -> bool {
        let mut names = self.known(place);
        self.distinct(place) == self.cells.len() && names.all(|name| name.parse::<f64>().is_err())
    }

    /// Returns the side of the table that names what is compared, as far as names tell.
    pub(super) fn side(&self, place: usize) -> Option<Side> {
        let rows: Vec<&str> = self.known(place).collect();
        let columns: Vec<&str> = self
            .names
            .iter()
            .skip(place + 1)
            .map(|name| &**name)
            .collect();
        side(self.names.get(place)?, &rows, &columns)
    }

    /// Returns the error that a table can be read in this `way`, or with its columns for systems.
    fn either(
        &self,
        problem: String,
        way: Option<(&'static str, String)>,
        table: &ArmsTable,
    ) -> HeaderProblem {
        let arms = table.arms.iter().map(|&arm| self.names[arm].as_str());
        let arms: Vec<&str> = arms.filter(|name| !names_gold(name)).collect();
        let is_sayable =
            way.is_none() && arms.len() > 1 && !arms.iter().any(|arm| arm.contains(','));
        let columns = is_sayable.then(|| ("arms", arms.join(",")));
        let ways = way.into_iter().chain(columns);
        let choices = ways.flat_map(|(flag, value)| Choice::among(flag, [value]));
        HeaderProblem::Choose {
            problem,
            choices: choices.collect(),
        }
    }

    /// Returns the error that a column may be a system in spite of its name, which is that of a metric
    /// or a setting (`kappa`, `batch-norm`), as its numbers are like those of several columns with
    /// names of their own, below names of items or data sets. `None` for any other table.
    pub(crate) fn one_known(&self, key: Option<(usize, &str)>) -> Option<HeaderProblem> {
        let (key, _) = key.filter(|(place, _)| role_of(&self.names[*place]).is_some())?;
        let is_other = |place: &usize| {
            let name = &self.names[*place];
            *place != key && !names_summary(name) && !names_no_candidate(name, &self.names)
        };
        let all: Vec<usize> = (0..self.names.len()).filter(is_other).collect();
        let known = |place: &usize| no_system(&plain(&self.names[*place]));
        let (named, free): (Vec<usize>, Vec<usize>) = all
            .iter()
            .copied()
            .partition(|place| known(place).is_some());
        let [one] = named[..] else { return None };
        let what = known(&one).filter(|what| matches!(*what, "a metric" | "a setting"))?;
        let are_alike = all.iter().all(|&place| self.numbers(place).is_some())
            && self.unlike(&all).is_none()
            && !all.iter().any(|&place| self.names[place].contains(','));
        let names = |places: &[usize]| {
            let names = places.iter().map(|&place| self.names[place].as_str());
            names.collect::<Vec<_>>().join(",")
        };
        (free.len() > 1 && are_alike).then(|| HeaderProblem::Choose {
            problem: format!(
                "`{}` is by its name {what}, and has numbers like those of the other columns: say with --arms whether it is one of the systems",
                excerpt(&self.names[one])
            ),
            choices: Choice::among("arms", [names(&all), names(&free)]),
        })
    }

    /// Returns whether most cells of some other column are right answers.
    fn are_predictions(&self, gold: usize) -> bool {
        let labels: HashSet<&str> = self.known(gold).collect();
        let holds = |place: usize| {
            let right = self
                .known(place)
                .filter(|cell| labels.contains(cell))
                .count();
            place != gold && 2 * right > self.cells.len()
        };
        labels.len() > 1 && (0..self.names.len()).any(holds)
    }

    /// Returns whether the names of rows may be those of systems: there are few, they are short, and
    /// they are not one name with numbers.
    pub(super) fn may_be_systems(&self, place: usize) -> bool {
        const MOST: usize = 40;
        let names: Vec<&str> = self.known(place).collect();
        let stem = |name: &str| {
            name.trim_end_matches(|c: char| c.is_ascii_digit())
                .to_owned()
        };
        let is_short = |name: &&str| name.len() <= MOST && name.split_whitespace().count() < 5;
        let are_numbered = names.windows(2).all(|pair| stem(pair[0]) == stem(pair[1]));
        names.len() <= MOST && names.iter().all(is_short) && !are_numbered
    }
}
