//! Every golden case, against AgentScope's results or ours.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::PathBuf,
};

use a2a_tests::golden::{OwnExpectations, Verdict, judge, name, read_cases, run};
use serde_json::Value;

fn data(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data/golden").join(path)
}

fn hand_cases() -> Vec<Value> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(data("hand")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().flat_map(|file| read_cases(file).unwrap()).collect()
}

fn random_cases() -> Vec<Value> {
    read_cases(&data("random.jsonl")).unwrap()
}

/// Runs the cases and gives the names of those that are ours, not AgentScope's.
fn check(cases: &[Value]) -> BTreeSet<String> {
    let own = OwnExpectations::reviewed().unwrap();
    let mut ours = BTreeSet::new();
    let mut different = Vec::new();
    for case in cases {
        match run(case).map_or_else(Verdict::Different, |results| judge(case, &results, &own)) {
            Verdict::Equal => {}
            Verdict::Own => {
                ours.insert(name(case).to_owned());
            }
            Verdict::Different(difference) => different.push(format!("{}: {difference}", name(case))),
            verdict => different.push(format!("{}: {verdict:?}", name(case))),
        }
    }
    assert!(different.is_empty(), "{} of {} differ:\n{}", different.len(), cases.len(), different.join("\n"));
    ours
}

#[test]
fn hand() {
    let cases = hand_cases();
    assert_eq!(cases.len(), 98);
    check(&cases);
}

#[test]
fn random() {
    let cases = random_cases();
    assert_eq!(cases.len(), 400);
    check(&cases);
}

/// Every expectation of our own is of a case that differs, and says why by names that are written down.
#[test]
fn own_expectations_are_explained() {
    let document =
        fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/differences.md")).unwrap();
    let own = OwnExpectations::reviewed().unwrap();
    let mut named: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, expectation) in own.iter() {
        assert!(!expectation.differences.is_empty(), "{name}: no difference is named");
        for difference in &expectation.differences {
            *named.entry(difference).or_default() += 1;
        }
    }
    for (difference, count) in &named {
        let row = document.lines().find(|line| line.starts_with(&format!("| `{difference}` |")));
        let row = row.unwrap_or_else(|| panic!("{difference} is not in docs/differences.md"));
        assert!(row.ends_with(&format!("| {count} |")), "{difference}: the document should say {count}");
    }
    let cases: Vec<Value> = hand_cases().into_iter().chain(random_cases()).collect();
    let differing = check(&cases);
    let explained: BTreeSet<String> = own.iter().map(|(name, _)| name.to_owned()).collect();
    assert_eq!(differing, explained, "expectations of our own that no case needs");
}
