//! What every store must do, and what each does besides.

use std::{sync::Arc, time::SystemTime};

use a2a_server::{
    Caller, Cursor, MemoryStore, Owner, PushConfig, StoreError, TaskChange, TaskQuery, TaskStore,
};
use a2a_types::{
    Artifact, Message, Part, Role, Task, TaskArtifactUpdateEvent, TaskPushNotificationConfig, TaskState,
    TaskStatus, Timestamp,
};

/// Every store there is, empty.
fn stores() -> Vec<Arc<dyn TaskStore>> {
    vec![
        Arc::new(MemoryStore::new()),
        #[cfg(feature = "sqlite")]
        Arc::new(a2a_server::SqliteStore::in_memory().unwrap()),
    ]
}

fn owner(name: &str) -> Owner {
    Owner::new("", &Caller::new(name))
}

fn status(state: TaskState, second: u32) -> TaskStatus {
    TaskStatus::new(state).with_timestamp(Timestamp::from_text(format!("2026-01-01T00:00:{second:02}.000Z")))
}

fn task(id: &str, second: u32) -> Task {
    let mut task = Task::new(id, "c", status(TaskState::Submitted, second));
    task.history.push(Message::new("m", Role::User, vec![Part::text("hello")]));
    task
}

fn set(state: TaskState, second: u32) -> TaskChange {
    TaskChange::Status { status: Box::new(status(state, second)) }
}

fn artifact(text: &str) -> TaskArtifactUpdateEvent {
    TaskArtifactUpdateEvent::new("t", "c", Artifact::new("a", vec![Part::text(text)]))
}

fn chunk(text: &str, append: bool) -> TaskChange {
    let mut update = artifact(text);
    update.append = append;
    TaskChange::Artifact(Box::new(update))
}

#[tokio::test]
async fn a_task_is_the_sum_of_its_changes() {
    for store in stores() {
        let me = owner("me");
        let mut expect = task("t", 0);
        store.create(me.clone(), expect.clone()).await.unwrap();
        assert!(matches!(store.create(me.clone(), expect.clone()).await, Err(StoreError::Conflict)));
        let note = Message::new("n", Role::Agent, vec![Part::text("on it")]);
        let question = status(TaskState::InputRequired, 4).with_message(note.clone());
        let changes = [
            set(TaskState::Working, 1),
            chunk("one ", false),
            chunk("two ", true),
            TaskChange::Status { status: Box::new(status(TaskState::Working, 2).with_message(note)) },
            chunk("three", true),
            TaskChange::Status { status: Box::new(question) },
            TaskChange::Continue {
                message: Box::new(Message::new("m2", Role::User, vec![Part::text("go on")])),
                status: Box::new(status(TaskState::Working, 5)),
            },
            chunk("new", false),
            TaskChange::Snapshot(Box::new({
                let mut snapshot = task("t", 6);
                snapshot
                    .artifacts
                    .push(Artifact::new("b", vec![Part::data(serde_json::json!({ "n": 1.0 }))]));
                snapshot
            })),
            set(TaskState::Completed, 7),
        ];
        for (index, change) in changes.into_iter().enumerate() {
            let version = index as u64 + 1;
            let stale = store.update("t".to_owned(), version + 1, change.clone()).await;
            assert!(matches!(stale, Err(StoreError::Conflict)));
            store.update("t".to_owned(), version, change.clone()).await.unwrap();
            change.apply(&mut expect);
            let record = store.get(me.clone(), "t".to_owned()).await.unwrap().unwrap();
            assert_eq!(record.version, version + 1);
            assert_eq!(record.task, expect, "{store:?} after change {index}");
            assert_eq!(record.owner, me);
        }
        let texts: Vec<_> =
            expect.history.iter().map(|message| message.parts[0].as_text().unwrap()).collect();
        assert_eq!(texts, ["hello", "on it", "on it", "go on"]);
        assert!(matches!(
            store.update("nope".to_owned(), 1, chunk("x", false)).await,
            Err(StoreError::Conflict)
        ));
    }
}

#[tokio::test]
async fn nobody_sees_the_tasks_of_others() {
    for store in stores() {
        store.create(owner("me"), task("t", 0)).await.unwrap();
        for other in [owner("you"), owner(""), Owner::new("tenant", &Caller::new("me"))] {
            assert!(store.get(other.clone(), "t".to_owned()).await.unwrap().is_none());
            assert_eq!(store.list(TaskQuery::new(other)).await.unwrap().total, 0);
        }
        assert!(store.get(owner("me"), "t".to_owned()).await.unwrap().is_some());
    }
}

#[tokio::test]
async fn lists_are_ordered_filtered_and_paged() {
    for store in stores() {
        let me = owner("me");
        for number in 0..10_u32 {
            let mut task = task(&format!("t{number}"), number / 2);
            task.context_id = format!("c{}", number % 2);
            store.create(me.clone(), task).await.unwrap();
        }
        store.update("t3".to_owned(), 1, set(TaskState::Completed, 30)).await.unwrap();
        let mut query = TaskQuery::new(me.clone());
        query.page_size = 4;
        let mut ids = Vec::new();
        loop {
            let page = store.list(query.clone()).await.unwrap();
            assert_eq!(page.total, 10);
            ids.extend(page.tasks.iter().map(|task| task.id.clone()));
            if page.next_page_token.is_empty() {
                break;
            }
            query.page_token = page.next_page_token;
            // A task that comes to the front meanwhile neither shifts nor repeats the others.
            store
                .update("t3".to_owned(), if ids.len() == 4 { 2 } else { 3 }, set(TaskState::Completed, 40))
                .await
                .unwrap();
        }
        assert_eq!(ids, ["t3", "t9", "t8", "t7", "t6", "t5", "t4", "t2", "t1", "t0"]);
        let found = async |change: &dyn Fn(&mut TaskQuery)| {
            let mut query = TaskQuery::new(me.clone());
            change(&mut query);
            let page = store.list(query).await.unwrap();
            assert_eq!(page.total, page.tasks.len());
            page.tasks.into_iter().map(|task| task.id).collect::<Vec<_>>()
        };
        assert_eq!(found(&|query| query.state = Some(TaskState::Completed)).await, ["t3"]);
        assert_eq!(
            found(&|query| query.context_id = Some("c0".to_owned())).await,
            ["t8", "t6", "t4", "t2", "t0"]
        );
        let since = Timestamp::from_text("2026-01-01T01:00:04.000+01:00");
        assert_eq!(found(&|query| query.status_since = Some(since.clone())).await, ["t3", "t9", "t8"]);
        let mut query = TaskQuery::new(me);
        query.page_token = "junk".to_owned();
        assert!(matches!(store.list(query).await, Err(StoreError::InvalidToken)));
    }
    assert_eq!(Cursor::from_token("12.a.b").unwrap().to_token(), "12.a.b");
}

#[tokio::test]
async fn artifacts_are_listed_when_they_are_wanted() {
    for store in stores() {
        store.create(owner("me"), task("t", 0)).await.unwrap();
        store.update("t".to_owned(), 1, chunk("x", false)).await.unwrap();
        for wanted in [false, true] {
            let mut query = TaskQuery::new(owner("me"));
            query.with_artifacts = wanted;
            let page = store.list(query).await.unwrap();
            assert_eq!(page.tasks[0].artifacts.len(), usize::from(wanted));
            assert_eq!(page.tasks[0].history.len(), 1);
        }
    }
}

#[tokio::test]
async fn what_nobody_but_an_agent_can_end_is_found() {
    for store in stores() {
        for (id, state) in [
            ("a", TaskState::Submitted),
            ("b", TaskState::Working),
            ("c", TaskState::InputRequired),
            ("d", TaskState::AuthRequired),
            ("e", TaskState::Failed),
        ] {
            let mut task = task(id, 0);
            task.status.state = state;
            store.create(owner(id), task).await.unwrap();
        }
        store.update("b".to_owned(), 1, chunk("kept", false)).await.unwrap();
        let mut found = store.unfinished().await.unwrap();
        found.sort_by(|one, two| one.task.id.cmp(&two.task.id));
        let found: Vec<_> = found
            .iter()
            .map(|record| (record.task.id.as_str(), record.owner.caller.as_str(), record.version))
            .collect();
        assert_eq!(found, [("a", "a", 1), ("b", "b", 2)]);
    }
}

#[tokio::test]
async fn push_configurations_come_and_go() {
    for store in stores() {
        let config = |id: &str, url: &str, legacy| {
            let mut config = TaskPushNotificationConfig::new(url);
            config.id = id.to_owned();
            config.task_id = "t".to_owned();
            let mut config = PushConfig::new(config);
            config.legacy = legacy;
            config
        };
        let unknown = store.put_push_config(config("a", "https://a.example", false), 2).await;
        assert!(matches!(unknown, Err(StoreError::Conflict)));
        store.create(owner("me"), task("t", 0)).await.unwrap();
        store.put_push_config(config("b", "https://b.example", true), 2).await.unwrap();
        store.put_push_config(config("a", "https://a.example", false), 2).await.unwrap();
        let full = store.put_push_config(config("c", "https://c.example", false), 2).await;
        assert!(matches!(full, Err(StoreError::Full { .. })));
        store.put_push_config(config("a", "https://new.example", false), 2).await.unwrap();
        let expect = [config("a", "https://new.example", false), config("b", "https://b.example", true)];
        assert_eq!(store.push_configs("t".to_owned()).await.unwrap(), expect);
        store.delete_push_config("t".to_owned(), "a".to_owned()).await.unwrap();
        store.delete_push_config("t".to_owned(), "a".to_owned()).await.unwrap();
        assert_eq!(store.push_configs("t".to_owned()).await.unwrap(), expect[1..]);
        assert!(store.push_configs("other".to_owned()).await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn of_writes_at_the_same_time_one_wins() {
    for store in stores() {
        store.create(owner("me"), task("t", 0)).await.unwrap();
        let writes = (0..20).map(|second| store.update("t".to_owned(), 1, set(TaskState::Working, second)));
        let results = futures::future::join_all(writes).await;
        assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    }
}

#[tokio::test]
async fn memory_is_bounded_in_bytes_too() {
    let store = MemoryStore::new().with_max_bytes(100_000);
    let me = owner("me");
    let text = |length: usize| TaskChange::Artifact(Box::new(artifact(&"x".repeat(length))));
    for id in ["done", "waiting", "working"] {
        store.create(me.clone(), task(id, 0)).await.unwrap();
        store.update(id.to_owned(), 1, text(30_000)).await.unwrap();
    }
    store.update("done".to_owned(), 2, set(TaskState::Completed, 2)).await.unwrap();
    store.update("waiting".to_owned(), 2, set(TaskState::InputRequired, 1)).await.unwrap();
    assert!((90_000..100_000).contains(&store.stats().bytes), "{:?}", store.stats());
    let found = async |id: &str| store.get(me.clone(), id.to_owned()).await.unwrap().is_some();
    // A task that is over goes first, then one that waits; a replacement counts for what it adds.
    for (version, length, done, waiting) in
        [(2, 30_000, true, true), (3, 50_000, false, true), (4, 90_000, false, false)]
    {
        store.update("working".to_owned(), version, text(length)).await.unwrap();
        assert_eq!((found("done").await, found("waiting").await), (done, waiting), "{length}");
    }
    let grown = store.update("working".to_owned(), 5, text(100_000)).await;
    assert!(matches!(grown, Err(StoreError::Full { .. })), "{grown:?}");
    assert!(matches!(store.create(me.clone(), task("new", 0)).await, Ok(())));
    let mut large = task("large", 0);
    large.artifacts.push(artifact(&"x".repeat(20_000)).artifact);
    assert!(matches!(store.create(me.clone(), large).await, Err(StoreError::Full { .. })));
    store.update("working".to_owned(), 5, set(TaskState::Completed, 3)).await.unwrap();
    store.update("new".to_owned(), 1, text(90_000)).await.unwrap();
    store.update("new".to_owned(), 2, set(TaskState::Completed, 4)).await.unwrap();
    assert!(!found("working").await);
    assert_eq!(store.stats().tasks, 1);
}

#[tokio::test]
async fn a_page_ends_before_it_becomes_too_large() {
    for store in stores() {
        for id in ["a", "b", "c"] {
            let mut task = task(id, 0);
            task.history = vec![Message::new("m", Role::User, vec![Part::text("x".repeat(9 << 20))])];
            store.create(owner("me"), task).await.unwrap();
        }
        let mut query = TaskQuery::new(owner("me"));
        let first = store.list(query.clone()).await.unwrap();
        assert_eq!((first.tasks.len(), first.total), (2, 3));
        query.page_token = first.next_page_token;
        let second = store.list(query).await.unwrap();
        assert_eq!((second.tasks[0].id.as_str(), second.next_page_token.as_str()), ("a", ""));
    }
}

#[tokio::test]
async fn memory_makes_room_by_forgetting_what_is_over() {
    let store = MemoryStore::with_max_tasks(3);
    let me = owner("me");
    for (second, id) in ["done early", "waits", "done late"].into_iter().enumerate() {
        store.create(me.clone(), task(id, second as u32)).await.unwrap();
    }
    store.update("done late".to_owned(), 1, set(TaskState::Completed, 20)).await.unwrap();
    store.update("done early".to_owned(), 1, set(TaskState::Failed, 10)).await.unwrap();
    store.update("waits".to_owned(), 1, set(TaskState::InputRequired, 5)).await.unwrap();
    for (new, gone) in [("a", "done early"), ("b", "done late"), ("c", "waits")] {
        store.create(me.clone(), task(new, 30)).await.unwrap();
        assert!(store.get(me.clone(), gone.to_owned()).await.unwrap().is_none(), "{gone}");
    }
    // All that is left is running.
    assert!(matches!(store.create(me.clone(), task("d", 31)).await, Err(StoreError::Full { .. })));
    let stats = store.stats();
    assert_eq!((stats.tasks, stats.created, stats.evicted, stats.refused), (3, 6, 3, 1));
}

#[cfg(feature = "sqlite")]
mod sqlite {
    use a2a_server::SqliteStore;

    use super::*;

    #[tokio::test]
    async fn what_is_confirmed_is_there_when_the_file_is_opened_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tasks.db");
        let store = SqliteStore::open(&path).unwrap();
        store.create(owner("me"), task("t", 0)).await.unwrap();
        store.update("t".to_owned(), 1, chunk("one", false)).await.unwrap();
        // While another one has it open, too.
        let again = SqliteStore::open(&path).unwrap();
        let record = again.get(owner("me"), "t".to_owned()).await.unwrap().unwrap();
        assert_eq!((record.version, record.task.artifacts.len()), (2, 1));
        again.update("t".to_owned(), 2, set(TaskState::Completed, 1)).await.unwrap();
        let late = store.update("t".to_owned(), 2, chunk("two", true)).await;
        assert!(matches!(late, Err(StoreError::Conflict)));
    }

    #[tokio::test]
    async fn a_file_of_something_else_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.txt");
        std::fs::write(&path, "no database, but long enough to be looked at closely").unwrap();
        assert!(matches!(SqliteStore::open(&path), Err(StoreError::Failed(_))));
        assert!(matches!(
            SqliteStore::open(folder.path().join("no/such/folder")),
            Err(StoreError::Failed(_))
        ));
    }

    #[tokio::test]
    async fn old_tasks_can_be_removed() {
        let store = SqliteStore::in_memory().unwrap();
        store.create(owner("me"), task("running", 0)).await.unwrap();
        store.create(owner("me"), task("over", 0)).await.unwrap();
        store.update("over".to_owned(), 1, set(TaskState::Completed, 1)).await.unwrap();
        assert_eq!(store.remove_finished(SystemTime::UNIX_EPOCH).await.unwrap(), 0);
        assert_eq!(store.remove_finished(SystemTime::now()).await.unwrap(), 1);
        assert_eq!(store.list(TaskQuery::new(owner("me"))).await.unwrap().tasks[0].id, "running");
    }
}
