//! The tables of what is printed, and of what follows from it.

use super::{
    arithmetic,
    published::{EMBEDDINGS, FIGURES},
    unit::number,
};
use fiesta::report::{Align, Table};

pub(super) fn searches() -> Table {
    let mut table = Table::new([
        ("figure", Align::Left),
        ("tables", Align::Left),
        ("task", Align::Left),
        ("model", Align::Left),
        ("trials", Align::Right),
        ("a trial", Align::Right),
        ("best", Align::Right),
        ("on", Align::Left),
    ]);
    for figure in &FIGURES {
        for search in figure.searches {
            let cells = [
                figure.name,
                figure.tables,
                figure.task,
                search.model,
                &search.trials.to_string(),
                &format!("{} s", search.seconds),
                &format!("{:.3}", search.best),
                search.hardware,
            ];
            table.row(cells.map(ToOwned::to_owned), false);
        }
    }
    table
}

pub(super) fn facts() -> Table {
    let mut table = Table::new([
        ("", Align::Left),
        ("printed", Align::Left),
        ("recomputed", Align::Left),
        ("", Align::Right),
        ("", Align::Left),
        ("ratio", Align::Right),
        ("from", Align::Left),
    ]);
    for fact in arithmetic::facts() {
        let value = if fact.value < 1000.0 {
            number(fact.value)
        } else {
            format!("{:.0}", fact.value)
        };
        let cells = [
            fact.place,
            fact.printed,
            fact.what,
            &value,
            fact.unit,
            &fact
                .ratio()
                .map_or(String::new(), |ratio| format!("{ratio:.3}")),
            &fact.how,
        ];
        // What contradicts the paper stands out.
        table.row(cells.map(ToOwned::to_owned), fact.prints.is_some());
    }
    table
}

pub(super) fn budgets() -> Table {
    let head = [("budget", Align::Right), ("the paper says", Align::Left)];
    let models = EMBEDDINGS.iter().map(|search| (search.model, Align::Right));
    let mut table = Table::new(head.into_iter().chain(models));
    for budget in arithmetic::budgets() {
        let trials = budget.trials.iter().zip(&EMBEDDINGS);
        let trials = trials.map(|(&n, search)| {
            let beyond = if n > f64::from(search.trials) {
                "*"
            } else {
                ""
            };
            format!("{}{beyond}", number(n))
        });
        let head = [budget.name.to_owned(), budget.says.to_owned()];
        table.row(head.into_iter().chain(trials), false);
    }
    table
}
