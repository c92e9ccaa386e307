//! More of everything than anybody needs.

use a2a_translate::Msg;
use a2a_types::{Part, TaskState};

use crate::support::{Reply, artifact, status, task};

#[test]
fn text_of_many_open_artifacts_goes_where_it_belongs() {
    const ARTIFACTS: usize = 100;
    let chunk = |at: usize, text: String, append| {
        let mut chunk = artifact("t-1", &format!("a-{at}"), vec![Part::text(text)]);
        chunk.append = append;
        chunk.into()
    };
    let begun = (0..ARTIFACTS).map(|at| chunk(at, format!("{at} begins"), false));
    // In an order that is neither that of the artifacts nor its reverse.
    let gone_on =
        (0..ARTIFACTS).map(|at| at * 37 % ARTIFACTS).map(|at| chunk(at, ", and ends".to_owned(), true));
    let over = [status("t-1", TaskState::Completed, "")];
    let reply = Reply::new(begun.chain(gone_on).chain(over));

    let expected: Vec<String> = (0..ARTIFACTS).map(|at| format!("{at} begins, and ends")).collect();
    assert_eq!(reply.texts(), expected);
    let mut one_by_one = Msg::reply();
    for event in &reply.events {
        one_by_one.append_event(event);
    }
    assert_eq!(one_by_one, reply.msg());
    assert!(one_by_one.content.iter().all(|block| block.as_text().is_some()));
}

/// A snapshot may use an id more than once: those of one id are told apart by their order, be they few or many.
#[test]
fn artifacts_of_one_id_are_told_apart() {
    for count in [4, 40] {
        let snapshot = |state, text: &str| {
            let artifacts = (0..count).map(|at| {
                let parts = vec![Part::text(format!("{at}{text}"))];
                artifact("t-1", &format!("a-{}", at % 2), parts).artifact
            });
            task("t-1", state, artifacts.collect())
        };
        let reply = Reply::new([
            snapshot(TaskState::Working, " begins"),
            snapshot(TaskState::Working, " begins, and goes on"),
            snapshot(TaskState::Completed, " begins, and goes on"),
        ]);
        let expected: Vec<String> = (0..count).map(|at| format!("{at} begins, and goes on")).collect();
        assert_eq!(reply.texts(), expected);
    }
}

/// What a status message costs does not grow with the artifacts: it is compared with the latest 256.
#[test]
fn a_status_message_repeats_an_artifact_if_that_is_among_the_latest() {
    for (after, told_again) in [(255, false), (256, true)] {
        let artifacts = (0..=after)
            .map(|at| artifact("t-1", &format!("a-{at}"), vec![Part::text(format!("text {at}"))]).into());
        let reply = Reply::new(artifacts.chain([status("t-1", TaskState::Completed, "text 0")]));
        let told = reply.texts().iter().filter(|text| *text == "text 0").count();
        assert_eq!(told == 2, told_again, "{after}");
    }
}
