//! The first floor: hyper, and counting line ends.

use http_body_util::BodyExt as _;

use crate::{client::Found, raw::Pool, workload::Workload};

pub(crate) async fn read(pool: &Pool, address: &str, workload: &Workload) -> Found {
    let (sender, mut response) = pool.request(address, workload).await?;
    let mut lines = 0;
    while let Some(frame) = response.frame().await {
        if let Some(data) = frame?.data_ref() {
            lines += memchr::memchr_iter(b'\n', data).count();
        }
    }
    pool.put(sender)?;
    Ok(lines)
}
