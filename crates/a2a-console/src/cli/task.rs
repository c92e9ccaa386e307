//! `a2a task`: operations on tasks.

use a2a_agent::A2aAgentState;
use a2a_transport::CallOptions;
use a2a_types::{CancelTaskRequest, GetTaskRequest, ListTasksRequest};

use super::{
    CommandResult,
    args::{ListTasks, OneTask, Task},
    connect::Peer,
};
use crate::{
    failure::Exit,
    output::Output,
    signals::Signals,
    turn::{OnInterrupt, play},
};

pub(super) async fn run(task: Task, output: &mut Output) -> CommandResult {
    let mut signals = Signals::new()?;
    match task {
        Task::Get(args) => {
            let (peer, request) = (find(&args, &mut signals).await?, GetTaskRequest::new(args.id));
            let call = peer.transport()?;
            let task = signals.unless_stopped(call.get_task(request, CallOptions::default())).await?;
            output.value(&task)?;
        }
        Task::Cancel(args) => {
            let (peer, request) = (find(&args, &mut signals).await?, CancelTaskRequest::new(args.id));
            let call = peer.transport()?;
            let task = signals.unless_stopped(call.cancel_task(request, CallOptions::default())).await?;
            output.value(&task)?;
        }
        Task::List(args) => {
            let peer = signals.unless_stopped(Peer::find(&args.url, &args.connection)).await?;
            let (call, request) = (peer.transport()?, list_request(args));
            let tasks = signals.unless_stopped(call.list_tasks(request, CallOptions::default())).await?;
            output.value(&tasks)?;
        }
        Task::Subscribe(args) => {
            let peer = find(&args, &mut signals).await?;
            output.set_place(&args.url);
            let mut state = A2aAgentState::new();
            state.running_task_id = Some(args.id);
            let mut agent = peer.agent(&args.reply, state)?;
            // Whoever only watches a task does not end it by looking away.
            return Ok(play(agent.resume(), output, &mut signals, OnInterrupt::Leave).await?.exit);
        }
    }
    Ok(Exit::Success)
}

async fn find(args: &OneTask, signals: &mut Signals) -> Result<Peer, crate::failure::Failure> {
    signals.unless_stopped(Peer::find(&args.url, &args.connection)).await
}

fn list_request(args: ListTasks) -> ListTasksRequest {
    let mut request = ListTasksRequest::default();
    request.context_id = args.context.unwrap_or_default();
    request.status = args.status.unwrap_or_default();
    request
}
