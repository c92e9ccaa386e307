//! Sends the updates of a task to its webhooks.
//!
//! A webhook follows a task as any subscriber does, for as long as somebody works on it; so what it is sent
//! is in order, and what is not sent yet is bounded.

use std::sync::Arc;

use a2a_types::{RpcError, StreamResponse, TaskPushNotificationConfig, v03};

use super::{Shared, live::Event, registry::Handle, subscription::Subscription};
use crate::{
    errors::invalid,
    json::to_line,
    store::{Owner, PushConfig},
    system,
    webhook::Webhooks,
};

/// Checks a configuration and gives it an id if it has none.
pub(super) fn complete(config: &mut TaskPushNotificationConfig, webhooks: &Webhooks) -> Result<(), RpcError> {
    webhooks.check(config).map_err(|problem| invalid("url", &problem.to_string()))?;
    if config.id.is_empty() {
        config.id = system::new_id();
    }
    // It is implied by the owner of the task.
    config.tenant = String::new();
    Ok(())
}

/// Lets all webhooks of a task follow it that do not yet.
pub(super) async fn follow(handle: &Handle, owner: &Owner) {
    let shared = handle.shared();
    if shared.card.capabilities.push_notifications != Some(true) {
        return;
    }
    match shared.store.push_configs(handle.id().to_owned()).await {
        Ok(configs) => configs.iter().for_each(|config| follow_one(handle, owner, &config.config.id)),
        Err(error) => tracing::error!(task = handle.id(), %error, "push configurations cannot be read"),
    }
}

/// Lets one webhook follow a task, if somebody works on that.
pub(super) fn follow_if_live(shared: &Arc<Shared>, owner: &Owner, task_id: &str, config_id: &str) {
    if let Some(handle) = Handle::find(shared, task_id) {
        follow_one(&handle, owner, config_id);
    }
}

fn follow_one(handle: &Handle, owner: &Owner, config_id: &str) {
    if let Some(id) = handle.subscribe_webhook(config_id) {
        let events = Subscription::of(handle.clone(), owner.clone(), id);
        tokio::spawn(deliver(handle.clone(), owner.clone(), events, config_id.to_owned()));
    }
}

async fn deliver(handle: Handle, owner: Owner, mut events: Subscription, config_id: String) {
    while let Some(event) = events.next().await {
        // It is read anew each time: it may have been replaced or removed.
        let configs = match handle.shared().store.push_configs(handle.id().to_owned()).await {
            Ok(configs) => configs,
            Err(error) => {
                tracing::error!(task = handle.id(), %error, "push configurations cannot be read");
                continue;
            }
        };
        let Some(config) = configs.into_iter().find(|config| config.config.id == config_id) else { return };
        let Some(body) = body(&handle, &owner, &event, &config).await else { continue };
        if let Err(error) = handle.shared().webhooks.send(&config.config, body).await {
            tracing::warn!(task = handle.id(), config = config_id, %error, "a push notification was not delivered");
        }
    }
}

/// What a webhook is sent: the payload, or in 0.3 the task, whenever its status changes.
async fn body(handle: &Handle, owner: &Owner, event: &Event, config: &PushConfig) -> Option<String> {
    let payload = event.payload().ok()?;
    if !config.legacy {
        return Some(event.json().to_owned());
    }
    match payload {
        StreamResponse::Task(task) => Some(to_line(&v03::JsonRpc(&**task))),
        StreamResponse::StatusUpdate(_) => {
            let found = handle.shared().store.get(owner.clone(), handle.id().to_owned()).await;
            found.ok().flatten().map(|record| to_line(&v03::JsonRpc(&record.task)))
        }
        _ => None,
    }
}
