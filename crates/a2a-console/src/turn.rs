//! One reply, from its first event to what is left of it.

use std::{
    io,
    time::{Duration, Instant},
};

use a2a_agent::{AgentError, Event, Msg, ReplyFinishedReason, ReplyStream, TaskState};
use futures::{FutureExt as _, StreamExt as _};
use tokio::time::{MissedTickBehavior, interval};

use crate::{
    failure::{Exit, Failure},
    output::Output,
    signals::{Signals, Stop},
};

/// What is left of a reply.
#[derive(Debug)]
pub(crate) struct Played {
    /// The message, as far as it has come; `None` if the reply did not start.
    pub(crate) msg: Option<Msg>,
    /// The state that the task was last in.
    pub(crate) state: Option<TaskState>,
    /// Whether the user interrupted it.
    pub(crate) interrupted: bool,
    /// What the reply means for the program.
    pub(crate) exit: Exit,
    /// Whether the program is to end now.
    pub(crate) leave: bool,
}

/// What the first interrupt does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnInterrupt {
    /// It cancels the remote task.
    #[cfg(feature = "cli")]
    Cancel,
    /// It cancels the remote task, unless that waits for an authorisation: then it only stops listening, since the
    /// user may have to say something before anything more comes.
    CancelUnlessWaiting,
    /// It leaves; the remote task goes on.
    #[cfg(feature = "cli")]
    Leave,
}

/// What comes next.
enum Next {
    Item(Option<Result<Event, AgentError>>),
    Stop(Stop),
    Tick,
}

/// Plays a reply to an output. A second interrupt leaves at once, and so does termination.
///
/// # Errors
///
/// The output's.
pub(crate) async fn play(
    mut stream: ReplyStream<'_>,
    output: &mut Output,
    signals: &mut Signals,
    on_interrupt: OnInterrupt,
) -> io::Result<Played> {
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut last_event = Instant::now();
    let mut cancelling = false;
    let mut hinted = false;
    let mut failure = None;
    loop {
        // An agent that never pauses does not keep the user from being heard.
        let next = if let Some(stop) = signals.next().now_or_never() {
            Next::Stop(stop)
        } else if let Some(item) = stream.next().now_or_never() {
            Next::Item(item)
        } else {
            output.idle()?;
            tokio::select! {
                biased;
                item = stream.next() => Next::Item(item),
                stop = signals.next() => Next::Stop(stop),
                _ = ticks.tick(), if output.is_watched() => Next::Tick,
            }
        };
        let item = match next {
            Next::Item(item) => item,
            Next::Stop(stop) => {
                match on_interrupt {
                    _ if stop == Stop::Terminate || cancelling => {
                        return leave(&stream, cancelling, output);
                    }
                    #[cfg(feature = "cli")]
                    OnInterrupt::Leave => return leave(&stream, cancelling, output),
                    OnInterrupt::CancelUnlessWaiting if waits(&stream) => {
                        return stop_listening(&stream, output);
                    }
                    _ => {}
                }
                cancelling = true;
                stream.cancel_handle().cancel();
                output.note("cancelling; Ctrl-C again leaves at once")?;
                continue;
            }
            Next::Tick => {
                let silence = last_event.elapsed();
                if silence >= PATIENCE {
                    if on_interrupt == OnInterrupt::CancelUnlessWaiting && waits(&stream) && !hinted {
                        hinted = true;
                        output.note("the agent waits; Ctrl-C brings back the prompt, to answer it")?;
                    }
                    output.waiting(stream.task_state(), silence)?;
                }
                continue;
            }
        };
        last_event = Instant::now();
        match item {
            Some(Ok(event)) => output.event(&event, stream.task_state())?,
            Some(Err(error)) => failure = Some(Failure::from(error)),
            None => break,
        }
    }
    let msg = stream.message().cloned();
    output.end(msg.as_ref(), failure.as_ref())?;
    let exit = match (&failure, msg.as_ref().and_then(|msg| msg.finished_reason)) {
        (Some(failure), _) => failure.exit(),
        (None, Some(ReplyFinishedReason::Error)) => Exit::PeerFailed,
        (None, Some(ReplyFinishedReason::Interrupted)) => Exit::Interrupted,
        _ => Exit::Success,
    };
    Ok(Played { msg, state: stream.task_state().cloned(), interrupted: cancelling, exit, leave: false })
}

/// Whether the task waits for an authorisation, without an end of the reply.
fn waits(stream: &ReplyStream<'_>) -> bool {
    stream.task_state() == Some(&TaskState::AuthRequired)
}

/// Stops listening to a reply whose task waits for the user.
fn stop_listening(stream: &ReplyStream<'_>, output: &mut Output) -> io::Result<Played> {
    let msg = stream.message().cloned();
    output.end(msg.as_ref(), None)?;
    let state = stream.task_state().cloned();
    Ok(Played { msg, state, interrupted: true, exit: Exit::Success, leave: false })
}

/// Leaves a reply that goes on without us.
fn leave(stream: &ReplyStream<'_>, cancelling: bool, output: &mut Output) -> io::Result<Played> {
    let failure = Failure::cancelled(if cancelling {
        "left before the agent had confirmed the cancellation"
    } else {
        "left the reply; the task of the agent goes on"
    });
    let msg = stream.message().cloned();
    output.end(msg.as_ref(), Some(&failure))?;
    let state = stream.task_state().cloned();
    Ok(Played { msg, state, interrupted: true, exit: failure.exit(), leave: true })
}

/// How often the waiting time is shown anew.
const TICK: Duration = Duration::from_millis(250);
/// Silence before a waiting time is shown.
const PATIENCE: Duration = Duration::from_secs(1);

#[cfg(all(test, unix))]
mod tests {
    use std::sync::Arc;

    use a2a_agent::{A2aAgent, AgentCard};
    use a2a_testkit::{Answer, ScriptedTransport};
    use a2a_types::{Artifact, Method, Part, StreamResponse, TaskArtifactUpdateEvent};
    use nix::{
        sys::signal::{Signal, kill},
        unistd::Pid,
    };
    use tokio::signal::unix::{SignalKind, signal};

    use super::*;
    use crate::{output::Format, render::Verbosity};

    #[tokio::test]
    async fn an_agent_that_never_pauses_is_left_all_the_same() {
        let payload = || {
            let artifact = Artifact::new("a-1", vec![Part::text("x")]);
            StreamResponse::from(TaskArtifactUpdateEvent::new("t-1", "c-1", artifact))
        };
        let transport = ScriptedTransport::new()
            .answer(Method::SendStreamingMessage, Answer::payloads((0..1000).map(|_| payload())));
        let mut card = AgentCard::new("Tide Desk", Vec::new());
        card.capabilities.streaming = Some(true);
        let mut agent = A2aAgent::builder(card).transport(Arc::new(transport)).build().unwrap();
        let mut signals = Signals::new().unwrap();
        let mut arrived = signal(SignalKind::terminate()).unwrap();
        kill(Pid::this(), Signal::SIGTERM).unwrap();
        arrived.recv().await.unwrap();
        let mut output = Output::standard(Format::Message, Verbosity::Quiet);
        let played =
            play(agent.reply_stream("go"), &mut output, &mut signals, OnInterrupt::CancelUnlessWaiting).await;
        let played = played.unwrap();
        assert!(played.leave);
        assert_eq!(played.exit, Exit::Interrupted);
    }
}
