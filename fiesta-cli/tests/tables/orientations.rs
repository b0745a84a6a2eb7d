//! Tables of methods and data sets in both orientations, drawn with a fixed seed: no command that is proposed
//! names a data set the winner without the other reading beside it.

use super::{answer, proposals, support::Bench};
use serde_json::Value;
use std::collections::BTreeMap;

/// Number of tables that are drawn.
const TABLES: u64 = 80;
const SETS: [&str; 8] = [
    "ImageNet",
    "CIFAR-10",
    "GSM8K",
    "MMLU",
    "HellaSwag",
    "DTD",
    "EuroSAT",
    "SST-2",
];
const MODELS: [&str; 6] = [
    "ResNet-50",
    "ViT-B/16",
    "GPT-4o",
    "Llama-3-8B",
    "Qwen2.5",
    "Gemma 2",
];
const SYLLABLES: [&str; 12] = [
    "ka", "lo", "mi", "zu", "te", "ro", "pin", "sal", "dur", "vek", "hol", "fen",
];

/// Random number generator: a linear congruence, of which the high bits count.
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % bound as u64).unwrap()
    }

    fn name(&mut self, used: &mut Vec<String>) -> String {
        loop {
            let parts: Vec<&str> = (0..3).map(|_| SYLLABLES[self.below(12)]).collect();
            if !used.contains(&parts.concat()) {
                used.push(parts.concat());
                return parts.concat();
            }
        }
    }
}

/// A drawn table.
struct Drawn {
    text: String,
    methods: Vec<String>,
    /// Whether names tell which side the methods are on.
    is_told: bool,
    has_spreads: bool,
}

fn drawn(number: u64) -> Drawn {
    let mut draws = Draws(20_261_128 + 7919 * number);
    let mut used = Vec::new();
    let (count, sets) = (3 + draws.below(4), 3 + draws.below(5));
    let (are_models, are_known) = (draws.below(3) == 0, draws.below(3) == 0);
    let mut methods: Vec<String> = (0..count).map(|_| draws.name(&mut used)).collect();
    let mut sets: Vec<String> = (0..sets).map(|_| draws.name(&mut used)).collect();
    if are_models {
        methods = MODELS[..count]
            .iter()
            .map(|&name| name.to_owned())
            .collect();
    }
    if are_known {
        sets = SETS[..sets.len()]
            .iter()
            .map(|&name| name.to_owned())
            .collect();
    }
    let is_turned = draws.below(2) == 0;
    let corner = match draws.below(4) {
        0 => "",
        1 if is_turned => "Dataset",
        1 => "Method",
        2 if is_turned => "Benchmark",
        2 => "Model",
        // The corner names what stands above.
        _ if is_turned && are_known => "Method",
        _ if are_known => "Task",
        _ => "",
    };
    let has_spreads = draws.below(3) == 0;
    let has_mean = draws.below(4) == 0 && !has_spreads;
    let mut rows = vec![[vec![corner.to_owned()], sets.clone()].concat()];
    rows[0].extend(has_mean.then(|| "Average".to_owned()));
    for (place, method) in methods.iter().enumerate() {
        let scores: Vec<f64> = (0..sets.len())
            .map(|set| 50.0 + 5.0 * set as f64 + 1.5 * place as f64 + 0.1 * draws.below(9) as f64)
            .collect();
        let spread = if has_spreads {
            format!(" ± 0.{}", 2 + place)
        } else {
            String::new()
        };
        let cell = |score: &f64| format!("{score:.1}{spread}");
        let mut row: Vec<String> = [method.clone()]
            .into_iter()
            .chain(scores.iter().map(cell))
            .collect();
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        row.extend(has_mean.then(|| format!("{mean:.2}")));
        rows.push(row);
    }
    if is_turned {
        let column = |place: usize| rows.iter().map(|row| row[place].clone()).collect();
        rows = (0..rows[0].len()).map(column).collect();
    }
    let lines = rows.iter().map(|row| row.join(",") + "\n");
    Drawn {
        text: lines.collect(),
        is_told: matches!(corner, "Dataset" | "Benchmark" | "Model")
            || corner.is_empty() && (has_mean || are_known),
        methods,
        has_spreads,
    }
}

/// Returns the winner of an answer.
fn winner(answer: &Value) -> String {
    let arms = answer["arms"].as_array().unwrap().iter();
    let p = |arm: &&Value| arm["probability_best"].as_f64().unwrap();
    let best = arms.max_by(|a, b| p(a).total_cmp(&p(b))).unwrap();
    best["name"].as_str().unwrap().to_owned()
}

#[test]
fn no_data_set_wins_without_the_other_reading() {
    let bench = Bench::new();
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for number in 0..TABLES {
        let table = drawn(number);
        let name = format!("table{number}.csv");
        bench.file(&name, &table.text);
        let mut call: Vec<String> = ["belief", &name, "--direction", "maximize"]
            .map(str::to_owned)
            .into();
        if table.has_spreads {
            call.extend(["--spread", "se"].map(str::to_owned));
        }
        let (mut winners, mut told) = (Vec::new(), String::new());
        if let Some(answered) = answer(&bench, &call) {
            winners.push(winner(&answered));
        } else {
            let words: Vec<&str> = call.iter().map(String::as_str).collect();
            told = bench.fiesta(&words).stderr;
            let answers = proposals(&told);
            let answers = answers.iter().filter_map(|call| answer(&bench, call));
            winners.extend(answers.map(|answer| winner(&answer)));
        }
        let is_method = |winner: &String| table.methods.contains(winner);
        let (right, wrong): (Vec<_>, Vec<_>) = winners.into_iter().partition(is_method);
        let sides = ["methods are the rows: ", "methods are the columns: "];
        let are_both_told = sides.iter().all(|side| told.contains(side));
        let context = format!("{}{told}", table.text);
        assert!(
            wrong.is_empty() || !right.is_empty() && are_both_told,
            "{context}"
        );
        assert!(wrong.is_empty() || !table.is_told, "{context}");
        let kind = match (right.is_empty(), wrong.is_empty()) {
            (true, _) => "no answer",
            (false, true) => "alone",
            (false, false) => "both",
        };
        *counts.entry(kind).or_default() += 1;
    }
    println!("{counts:?}");
    assert_eq!(counts.get("no answer"), None, "{counts:?}");
}
