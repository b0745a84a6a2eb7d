//! Fuzzing of files of scores and of counts.

use super::fuzz;
use fiesta::records::{self, Reading, read_counts_from, read_from, write_csv, write_jsonl};
use std::collections::BTreeMap;

const LONG: &str = "arm,split,seed,score,cost,duration,status,note\nlstm,0,1,0.71,1.5,30,,a\nlstm,1,2,0.73,,31.5,ok,\"b, \"\"c\"\"\"\ngru,0,3,0.69,2,29,,\ngru,1,4,,2,29,failed,\n";
const WIDE: &str = "lstm,gru,atae\n0.71,0.69,0.5\n0.73,0.68,0.51\n,0.7,\n";
const TABS: &str = "arm\tscore\nlstm\t0.71\ngru\t0.69\n";
const LINES: &str = "{\"arm\":\"lstm\",\"split\":0,\"seed\":1,\"score\":0.71,\"extra\":{\"a\":[1,2]}}\n{\"arm\":\"gru\",\"score\":0.69,\"cost\":1e-3}\n\n{\"arm\":\"gru\",\"score\":6.9E-1}\n";
const OBJECT: &str = "{\"lstm\": [0.71, 0.73], \"gru\": [0.69, 0.68, 0.7]}";
const LIST: &str = "[{\"arm\": \"lstm\", \"score\": 0.71}, {\"arm\": \"gru\", \"score\": 0.69}]";
const COUNTS: &str = "arm,document,class,tp,fp,tn,fn,cost\ntagger,news-17,a,12,4,0,3,1\ntagger,news-17,b,1,0,2,0,1\nother,news-17,a,10,4,0,5,2\nother,news-18,a,1,1,1,1,\n";
const COUNTS_LINES: &str = "{\"arm\":\"tagger\",\"document\":\"d1\",\"tp\":3,\"fp\":1,\"fn\":0}\n{\"arm\":\"other\",\"document\":\"d1\",\"tp\":2,\"fp\":1,\"tn\":9,\"fn\":1}\n";

const WORDS: [&str; 14] = [
    "arm", "score", "split", "seed", "cost", "duration", "document", "class", "status", "failed",
    "tp", "\"a\nb\"", "'=cmd()", "[]",
];

/// Returns the scores of each arm by its name, as some formats lose the order of arms.
fn by_name(records: &records::Evaluations) -> BTreeMap<&str, Vec<f64>> {
    let names = records.arms().iter().map(String::as_str);
    names.zip(records.by_arm()).collect()
}

/// Function that writes records in one of the formats.
type Write = fn(&records::Evaluations, &mut Vec<u8>) -> std::io::Result<()>;

#[test]
fn files_of_scores() {
    let inputs = [LONG, WIDE, TABS, LINES, OBJECT, LIST].map(str::as_bytes);
    fuzz("files of scores", &inputs, &WORDS, |input| {
        let Ok(found) = read_from(input, None, &Reading::default(), "fuzz") else {
            return false;
        };
        assert!(
            found
                .records()
                .iter()
                .all(|record| record.score.is_finite())
        );
        // What was read can be written, and is then the same.
        let forms: [Write; 2] = [
            |records: &records::Evaluations, to: &mut Vec<u8>| write_csv(to, records),
            |records: &records::Evaluations, to: &mut Vec<u8>| write_jsonl(to, records),
        ];
        for write in forms {
            let mut written = Vec::new();
            write(&found, &mut written).unwrap();
            let again = read_from(written.as_slice(), None, &Reading::default(), "again");
            let text = String::from_utf8_lossy(&written);
            match again {
                Ok(again) => assert_eq!(by_name(&again), by_name(&found), "{text}"),
                Err(error) => assert!(found.records().is_empty(), "{error}\n{text}"),
            }
        }
        true
    });
}

#[test]
fn files_of_counts() {
    let inputs = [COUNTS, COUNTS_LINES].map(str::as_bytes);
    fuzz("files of counts", &inputs, &WORDS, |input| {
        read_counts_from(input, None, "fuzz").is_ok()
    });
}
