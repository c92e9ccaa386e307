//! What a process has used, as Linux counts it.

use std::{error::Error, fs};

/// CPU time of all threads of this process, in nanoseconds.
pub(crate) fn cpu_ns() -> Result<u64, Box<dyn Error>> {
    let mut total = 0;
    for thread in fs::read_dir("/proc/self/task")? {
        let text = fs::read_to_string(thread?.path().join("schedstat"))?;
        total += text.split(' ').next().unwrap_or_default().parse::<u64>()?;
    }
    Ok(total)
}

/// Most memory this process has had resident, in KiB.
pub(crate) fn peak_kib() -> Result<u64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
    Ok(line.trim().trim_end_matches(" kB").trim().parse()?)
}
