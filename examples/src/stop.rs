//! When a server that runs in the foreground is to end.

use tokio::sync::oneshot;

/// Waits for Ctrl-C; or, if asked to, for the end of standard input, so that a server whose starter is gone goes too.
pub async fn asked_to_stop(watch_stdin: bool) {
    let interrupted = tokio::signal::ctrl_c();
    if !watch_stdin {
        let _ = interrupted.await;
        return;
    }
    let (ended, end) = oneshot::channel();
    // A thread of its own: the runtime would not end before one of its own that reads.
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
        let _ = ended.send(());
    });
    tokio::select! {
        _ = interrupted => {}
        _ = end => {}
    }
}
