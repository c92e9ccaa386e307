//! `docs/interop.md` says what there is.

use std::{fs, path::Path};

use serde_json::Value;

fn file(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)).unwrap()
}

#[test]
fn every_known_fault_has_its_row() {
    let docs = file("docs/interop.md");
    let faults: Vec<Value> = serde_json::from_str(&file("tests/interop/faults.json")).unwrap();
    assert!(!faults.is_empty());
    for fault in faults {
        let text = fault["fault"].as_str().unwrap();
        assert!(docs.contains(text), "no row for: {text}");
    }
}

#[test]
fn every_workaround_names_a_test() {
    let docs = file("docs/interop.md");
    let section = docs.split("## What we work around").nth(1).unwrap().split("\n## ").next().unwrap();
    let rows: Vec<&str> = section.lines().filter(|line| line.starts_with("| ")).skip(2).collect();
    assert!(rows.len() > 10);
    let mut tests = String::new();
    for folder in ["crates", "tests/tests", "examples/tests"] {
        read_all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder), &mut tests);
    }
    for row in rows {
        let named = row.trim_end_matches('|').rsplit('|').next().unwrap();
        let named: Vec<&str> =
            named.split('`').skip(1).step_by(2).filter(|name| name.contains('_')).collect();
        assert!(!named.is_empty(), "no test: {row}");
        for name in named {
            let is_there = tests.contains(&format!("fn {name}(")) || tests.contains(&format!("    {name}\n"));
            assert!(is_there, "there is no test {name}");
        }
    }
}

/// All Rust below a folder, but for what was built.
fn read_all(folder: &Path, text: &mut String) {
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_all(&path, text);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            text.push_str(&fs::read_to_string(path).unwrap());
        }
    }
}
