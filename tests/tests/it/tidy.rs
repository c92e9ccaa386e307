//! The invariants of `docs/architecture.md` that a compiler does not see.

use std::path::{Path, PathBuf};

/// The folder of the published and the test crates.
fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates")
}

/// Sources of the crates, without their tests: path within `crates/`, and text.
fn sources() -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> =
        crates().read_dir().unwrap().map(|entry| entry.unwrap().path().join("src")).collect();
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(crates()).unwrap().to_string_lossy().replace('\\', "/");
                let text = std::fs::read_to_string(&path).unwrap();
                // Unit tests stand at the end of a file.
                let text = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default().to_owned();
                found.push((name, text));
            }
        }
    }
    assert!(found.len() > 100, "the sources were found");
    found
}

/// Every file that has one of the words is one of those that may.
fn only(may: &[&str], words: &[&str]) {
    for (name, text) in sources() {
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let named = code.clone().find(|line| words.iter().any(|word| line.contains(word)));
        if let Some(line) = named {
            assert!(
                may.iter().any(|allowed| name.starts_with(allowed)),
                "{name} has no business with: {line}"
            );
        }
    }
}

fn dependencies(of: &str) -> String {
    let manifest = std::fs::read_to_string(crates().join(of).join("Cargo.toml")).unwrap();
    let after = manifest.split("[dependencies]").nth(1).unwrap();
    after.split("[dev-dependencies]").next().unwrap().to_owned()
}

#[test]
fn tls_is_named_where_connections_are_made() {
    only(&["a2a-transport/src/client/http/connect.rs", "a2a-server/src/webhook/client.rs"], &["rustls::"]);
}

#[test]
fn hyper_is_named_where_requests_are_made_or_served() {
    let may = ["a2a-transport/src/client/http/", "a2a-server/src/"];
    only(&may, &["hyper::", "hyper_util::"]);
}

#[test]
fn times_of_day_and_ids_have_one_source_a_side() {
    let words = ["SystemTime::now", "Timestamp::now", "fastrand::", "Uuid::new_v4"];
    only(&["a2a-agent/src/system.rs", "a2a-server/src/"], &words);
}

#[test]
fn the_pure_crates_have_no_runtime_and_the_layers_no_shortcut() {
    for pure in ["a2a-types", "a2a-translate"] {
        let dependencies = dependencies(pure);
        for runtime in ["tokio", "hyper", "futures", "async", "rand"] {
            assert!(!dependencies.contains(runtime), "{pure} depends on {runtime}");
        }
    }
    for below in ["a2a-transport", "a2a-server"] {
        assert!(!dependencies(below).contains("a2a-translate"), "{below} depends on a2a-translate");
    }
}
