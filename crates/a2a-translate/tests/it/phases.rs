//! The diagram of the machine, transition by transition.

use a2a_translate::{
    CountingClock, CountingIds, End, Phase, ReplyContext, ReplyTranslator, TranslateOptions,
};
use a2a_types::{Role, StreamResponse, TaskState};

use crate::support::{artifact, message, status, task};

fn machine() -> ReplyTranslator {
    ReplyTranslator::new(
        ReplyContext::new("session", "Remote"),
        TranslateOptions::default(),
        CountingIds::default(),
        CountingClock::default(),
    )
}

/// Inputs by name, and the phase they lead to; `None`: the one before, but `Opening` becomes `Running`.
fn inputs() -> Vec<(&'static str, StreamResponse, Option<Phase>)> {
    let mut inputs = vec![
        ("message", message("m", vec!["x".into()]).into(), Some(Phase::Settled)),
        ("artifact", artifact("t-1", "a", vec!["x".into()]).into(), None),
    ];
    for (state, phase) in [
        (TaskState::Unspecified, Phase::Running),
        (TaskState::Submitted, Phase::Running),
        (TaskState::Working, Phase::Running),
        (TaskState::Other("TASK_STATE_BECALMED".to_owned()), Phase::Running),
        (TaskState::AuthRequired, Phase::AuthRequired),
        (TaskState::InputRequired, Phase::Settled),
        (TaskState::Completed, Phase::Settled),
        (TaskState::Canceled, Phase::Settled),
        (TaskState::Failed, Phase::Settled),
        (TaskState::Rejected, Phase::Settled),
    ] {
        inputs.push(("status", status("t-1", state.clone(), ""), Some(phase)));
        inputs.push(("task", task("t-1", state, Vec::new()), Some(phase)));
    }
    inputs
}

#[test]
fn every_input_in_every_phase() {
    for (before, phase) in [
        (None, Phase::Opening),
        (Some(status("t-1", TaskState::Working, "")), Phase::Running),
        (Some(status("t-1", TaskState::AuthRequired, "")), Phase::AuthRequired),
        (Some(status("t-1", TaskState::Completed, "")), Phase::Settled),
    ] {
        for (name, input, next) in inputs() {
            let mut machine = machine();
            before.clone().map(|before| machine.handle(before)).transpose().unwrap();
            assert_eq!(machine.phase(), phase);
            machine.handle(input).unwrap();
            let next = next.unwrap_or(if phase == Phase::Opening { Phase::Running } else { phase });
            assert_eq!(machine.phase(), next, "{name} in {phase:?}");
            assert_eq!(machine.settled(), next == Phase::Settled);
            assert!(machine.understood());
        }
    }
}

#[test]
fn what_is_not_understood_changes_nothing() {
    let mut echo = message("m", vec!["x".into()]);
    echo.role = Role::User;
    for input in [StreamResponse::default(), echo.into()] {
        let mut machine = machine();
        machine.handle(input).unwrap();
        assert_eq!(machine.phase(), Phase::Opening);
        assert!(!machine.understood());
    }
}

#[test]
fn after_the_end_there_is_nothing() {
    let mut machine = machine();
    machine.handle(status("t-1", TaskState::Completed, "x")).unwrap();
    let outcome = machine.finish(End::Ended).clone();
    while machine.poll_event().is_some() {}
    machine.handle(status("t-1", TaskState::Failed, "y")).unwrap();
    assert_eq!(machine.finish(End::Cancelled), &outcome);
    assert_eq!(machine.poll_event(), None);
    assert_eq!(machine.phase(), Phase::Ended);
}

#[test]
fn the_running_task_is_the_one_last_seen_at_work() {
    let mut machine = machine();
    let mut step = |input, running| {
        machine.handle(input).unwrap();
        assert_eq!(machine.running_task_id(), running);
    };
    step(artifact("t-1", "a", Vec::new()).into(), Some("t-1"));
    step(status("t-1", TaskState::Working, ""), Some("t-1"));
    step(artifact("t-2", "a", Vec::new()).into(), Some("t-1"));
    step(status("t-2", TaskState::Submitted, ""), Some("t-2"));
    step(status("t-2", TaskState::InputRequired, ""), None);
    step(task("t-3", TaskState::Working, Vec::new()), Some("t-3"));
    step(message("m", Vec::new()).into(), None);
}
