//! Runs golden cases and says which differ.
//!
//! `golden [--emit OUT.jsonl] CASES…`: the cases are files of JSON (one case) or JSON Lines (many). Prints the name of
//! each case that differs, with the first difference, and `N passed, N failed` at last. `--emit` writes one line per
//! case, with the results as they came. A case without `expect` is run and emitted, not compared. The exit code is 1
//! if a case differs, and 2 if the cases cannot be read.
//!
//! `golden --bless OWN.jsonl CASES…` writes the expectations of our own for these cases anew, to be reviewed: what
//! comes out now, of each case that is not as with AgentScope.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints")]

use std::{
    fs::File,
    io::{BufWriter, Write as _},
    path::PathBuf,
    process::ExitCode,
};

use a2a_tests::golden::{
    OwnExpectations, Verdict, difference_from_agentscope, judge, name, normalize, read_cases, run,
};
use serde_json::json;

fn main() -> ExitCode {
    match golden() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("golden: {error}");
            ExitCode::from(2)
        }
    }
}

/// Runs the cases; the number of those that differ.
fn golden() -> Result<usize, String> {
    let mut emit = None;
    let mut bless = None;
    let mut files = Vec::new();
    let mut args = std::env::args_os().skip(1);
    while let Some(arg) = args.next() {
        if arg == "--emit" {
            let path = PathBuf::from(args.next().ok_or("--emit needs a file")?);
            let file = File::create(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            emit = Some(BufWriter::new(file));
        } else if arg == "--bless" {
            bless = Some(PathBuf::from(args.next().ok_or("--bless needs a file")?));
        } else {
            files.push(PathBuf::from(arg));
        }
    }
    if files.is_empty() {
        return Err("no cases: golden [--emit OUT.jsonl] CASES…".to_owned());
    }

    let own = OwnExpectations::reviewed()?;
    if let Some(path) = bless {
        let mut differing = Vec::new();
        for file in files {
            for case in read_cases(&file)? {
                let mut results = run(&case)?;
                if difference_from_agentscope(&case, &results).is_some() {
                    normalize(&case, &mut results);
                    differing.push((name(&case).to_owned(), results));
                }
            }
        }
        println!("{} expectations", differing.len());
        return std::fs::write(&path, own.renew(&differing))
            .map(|()| 0)
            .map_err(|error| format!("{}: {error}", path.display()));
    }
    let (mut passed, mut failed) = (0, 0);
    for file in files {
        for case in read_cases(&file)? {
            let results = run(&case);
            let verdict = match &results {
                Err(error) => Verdict::Different(error.clone()),
                Ok(_) if case.get("expect").is_none() => Verdict::Equal,
                Ok(results) => judge(&case, results, &own),
            };
            match verdict {
                Verdict::Different(difference) => {
                    println!("{}: {difference}", name(&case));
                    failed += 1;
                }
                _ => passed += 1,
            }
            if let Some(out) = &mut emit {
                let line = json!({"name": name(&case), "expect": results.unwrap_or_default()});
                writeln!(out, "{line}").map_err(|error| format!("--emit: {error}"))?;
            }
        }
    }
    if let Some(mut out) = emit {
        out.flush().map_err(|error| format!("--emit: {error}"))?;
    }
    println!("{passed} passed, {failed} failed");
    Ok(failed)
}
