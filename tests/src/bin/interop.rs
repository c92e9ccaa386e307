//! Runs the interoperability suite and prints its tables.
//!
//! `interop --cache FOLDER [--require] [--table NAME] [--column TEXT] [--row TEXT]`: the SDKs are in `FOLDER`, where
//! `tests/interop/run` puts them; our own programs are beside this one. A table can be chosen by its name (`client`,
//! `server`, `agentscope`, `itk`), columns and rows of the first two by a part of theirs. The exit code is 1 if a result is not
//! as it should be, or with `--require` if something could not be run, and 2 if the suite is broken.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints")]

use std::process::ExitCode;

use a2a_tests::interop::{Cell, Options, Places, Report, suite};

#[tokio::main]
async fn main() -> ExitCode {
    match interop().await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("interop: {error}");
            ExitCode::from(2)
        }
    }
}

/// Runs the suite; whether all is well.
async fn interop() -> Result<bool, String> {
    let mut options = Options::default();
    let mut cache = None;
    let mut args = std::env::args().skip(1);
    while let Some(flag) = args.next() {
        if flag == "--require" {
            options.require = true;
            continue;
        }
        let value = args.next().ok_or_else(|| format!("{flag} needs a value"))?;
        match flag.as_str() {
            "--cache" => cache = Some(value),
            "--table" => options.table = value,
            "--column" => options.column = value,
            "--row" => options.row = value,
            _ => return Err(format!("unknown flag {flag}")),
        }
    }
    let places = Places::new(cache.ok_or("no SDKs: --cache FOLDER")?)?;
    let Report { tables, sdks, missing, .. } = suite(&places, &options).await?;
    let mut failures = 0;
    for table in tables {
        println!("{}", table.markdown());
        let faults = table.count(|cell| matches!(cell, Cell::Fault(_)));
        let passes = table.count(|cell| matches!(cell, Cell::Pass));
        println!("{passes} passed, {faults} known faults of the peer, {} failed\n", table.failures());
        failures += table.failures();
    }
    println!("peers: {}", sdks.join(", "));
    for reason in &missing {
        println!("not run: {reason}");
    }
    Ok(failures == 0 && (missing.is_empty() || !options.require))
}
