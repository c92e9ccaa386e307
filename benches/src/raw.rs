//! Connections of hyper and nothing on top: what the floors stand on.

use std::{
    error::Error,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use bytes::Bytes;
use http_body_util::Full;
use hyper::{Request, Response, body::Incoming, client::conn::http1};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use crate::workload::Workload;

type Sender = http1::SendRequest<Full<Bytes>>;

/// Connections that are used again.
#[derive(Default)]
pub(crate) struct Pool {
    idle: Mutex<Vec<Sender>>,
    last_id: AtomicU64,
}

impl Pool {
    /// Asks for the stream of a workload. The connection comes back by [`put`](Self::put).
    pub(crate) async fn request(
        &self,
        address: &str,
        workload: &Workload,
    ) -> Result<(Sender, Response<Incoming>), Box<dyn Error>> {
        let idle = self.idle.lock().map_err(|_| "poisoned")?.pop();
        let mut sender = match idle {
            Some(sender) => sender,
            None => connect(address).await?,
        };
        sender.ready().await?;
        let id = self.last_id.fetch_add(1, Ordering::Relaxed);
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"SendStreamingMessage"}}"#);
        let request = Request::post(format!("/{workload}"))
            .header("host", address)
            .header("content-type", "application/json")
            .body(Full::new(Bytes::from(body)))?;
        let response = sender.send_request(request).await?;
        Ok((sender, response))
    }

    /// Keeps a connection, or closes it if there are as many as our own client keeps.
    pub(crate) fn put(&self, sender: Sender) -> Result<(), Box<dyn Error>> {
        let mut idle = self.idle.lock().map_err(|_| "poisoned")?;
        if idle.len() < MAX_IDLE {
            idle.push(sender);
        }
        Ok(())
    }
}

const MAX_IDLE: usize = 64;

async fn connect(address: &str) -> Result<Sender, Box<dyn Error>> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    // It ends with the process.
    tokio::spawn(async move { drop(connection.await) });
    Ok(sender)
}
