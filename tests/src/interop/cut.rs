//! A way to a server that breaks once.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, copy},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// Passes connections on to a server, and cuts the first event stream after some events. Gone when dropped.
#[derive(Debug)]
pub(super) struct Cut {
    /// Host and port, in place of the server's.
    pub(super) authority: String,
    happened: Arc<AtomicBool>,
    accepting: JoinHandle<()>,
}

impl Cut {
    /// A way to the server at this authority.
    pub(super) async fn before(server: String, events: usize) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let authority = listener.local_addr()?.to_string();
        let happened = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&happened);
        let accepting = tokio::spawn(async move {
            let mut connections = tokio::task::JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                let (server, flag) = (server.clone(), Arc::clone(&flag));
                connections.spawn(async move {
                    // Whatever ends a connection, the other side sees it end.
                    let _ = pass(client, &server, events, &flag).await;
                });
            }
        });
        Ok(Self { authority, happened, accepting })
    }

    /// Whether a stream was cut.
    pub(super) fn happened(&self) -> bool {
        self.happened.load(Ordering::SeqCst)
    }
}

impl Drop for Cut {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn pass(
    mut client: TcpStream,
    server: &str,
    events: usize,
    happened: &AtomicBool,
) -> std::io::Result<()> {
    let mut server = TcpStream::connect(server).await?;
    let (mut from_client, mut to_client) = client.split();
    let (mut from_server, mut to_server) = server.split();
    let answers = async {
        let mut seen = Vec::new();
        let mut buffer = [0; 4096];
        loop {
            let length = from_server.read(&mut buffer).await?;
            let piece = buffer.get(..length).unwrap_or_default();
            if piece.is_empty() {
                return to_client.shutdown().await;
            }
            to_client.write_all(piece).await?;
            seen.extend_from_slice(piece);
            // Blank lines end events; JSON has none.
            let blank_lines = count(&seen, b"\n\n") + count(&seen, b"\n\r\n");
            let is_stream = count(&seen, b"text/event-stream") > 0;
            if is_stream && blank_lines > events && !happened.swap(true, Ordering::SeqCst) {
                return Ok(());
            }
        }
    };
    tokio::select! {
        ended = answers => ended,
        ended = copy(&mut from_client, &mut to_server) => ended.map(|_| ()),
    }
}

fn count(text: &[u8], wanted: &[u8]) -> usize {
    text.windows(wanted.len()).filter(|window| *window == wanted).count()
}
