//! The routes of the HTTP+JSON binding (§11).

use http::Method as Verb;

use super::request::percent_decode;

/// What a path names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Resource {
    SendMessage,
    SendStreamingMessage,
    Tasks,
    Task(String),
    CancelTask(String),
    SubscribeToTask(String),
    PushConfigs(String),
    PushConfig(String, String),
    ExtendedCard,
}

/// A path, understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Route {
    /// Whether it is a route of 0.3, which begins with `/v1`.
    pub(super) legacy: bool,
    /// Tenant in the path; empty for none.
    pub(super) tenant: String,
    pub(super) resource: Resource,
}

impl Route {
    /// The route of a path. `legacy` is whether `/v1` means 0.3.
    pub(super) fn parse(path: &str, legacy: bool) -> Option<Self> {
        let path = path.trim_start_matches('/').trim_end_matches('/');
        let segments: Vec<String> = path.split('/').map(percent_decode).collect();
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        if legacy && let ["v1", rest @ ..] = segments.as_slice() {
            return Some(Self { legacy: true, tenant: String::new(), resource: resource(rest, "card")? });
        }
        if let Some(resource) = resource(&segments, "extendedAgentCard") {
            return Some(Self { legacy: false, tenant: String::new(), resource });
        }
        let (tenant, rest) = segments.split_first()?;
        let resource = resource(rest, "extendedAgentCard")?;
        Some(Self { legacy: false, tenant: (*tenant).to_owned(), resource })
    }
}

fn resource(segments: &[&str], card: &str) -> Option<Resource> {
    let owned = |id: &str| id.to_owned();
    Some(match segments {
        ["message:send"] => Resource::SendMessage,
        ["message:stream"] => Resource::SendStreamingMessage,
        ["tasks"] => Resource::Tasks,
        ["tasks", id] => match id.rsplit_once(':') {
            Some((id, "cancel")) => Resource::CancelTask(owned(id)),
            Some((id, "subscribe")) => Resource::SubscribeToTask(owned(id)),
            _ => Resource::Task(owned(id)),
        },
        ["tasks", id, "pushNotificationConfigs"] => Resource::PushConfigs(owned(id)),
        ["tasks", id, "pushNotificationConfigs", config] => Resource::PushConfig(owned(id), owned(config)),
        [name] if *name == card => Resource::ExtendedCard,
        _ => return None,
    })
}

impl Resource {
    /// The verbs that a resource knows.
    pub(super) fn verbs(&self) -> &'static [Verb] {
        match self {
            Self::SendMessage | Self::SendStreamingMessage | Self::CancelTask(_) => &[Verb::POST],
            Self::Tasks | Self::Task(_) | Self::ExtendedCard => &[Verb::GET],
            Self::SubscribeToTask(_) | Self::PushConfigs(_) => &[Verb::GET, Verb::POST],
            Self::PushConfig(..) => &[Verb::GET, Verb::DELETE],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        let of = |path| Route::parse(path, true).map(|route| (route.legacy, route.tenant, route.resource));
        let v1 = |tenant: &str, resource| Some((false, tenant.to_owned(), resource));
        let id = || "t 1".to_owned();
        for (path, expect) in [
            ("/message:send", v1("", Resource::SendMessage)),
            ("message:stream/", v1("", Resource::SendStreamingMessage)),
            ("/tasks", v1("", Resource::Tasks)),
            ("/tasks/t%201", v1("", Resource::Task(id()))),
            ("/tasks/t%201:cancel", v1("", Resource::CancelTask(id()))),
            ("/tasks/t%201:subscribe", v1("", Resource::SubscribeToTask(id()))),
            ("/message%3Asend", v1("", Resource::SendMessage)),
            ("/tasks/t%201%3Acancel", v1("", Resource::CancelTask(id()))),
            ("/tasks/a:b", v1("", Resource::Task("a:b".to_owned()))),
            ("/tasks/t%201/pushNotificationConfigs", v1("", Resource::PushConfigs(id()))),
            ("/tasks/t%201/pushNotificationConfigs/c", v1("", Resource::PushConfig(id(), "c".to_owned()))),
            ("/extendedAgentCard", v1("", Resource::ExtendedCard)),
            ("/north%2Fquay/tasks", v1("north/quay", Resource::Tasks)),
            ("/north/message:send", v1("north", Resource::SendMessage)),
            ("/v1/message:send", Some((true, String::new(), Resource::SendMessage))),
            ("/v1/card", Some((true, String::new(), Resource::ExtendedCard))),
            ("/v1/nothing", None),
            ("/", None),
            ("/a/b/tasks", None),
            ("/tasks/1/other", None),
        ] {
            assert_eq!(of(path), expect, "{path}");
        }
        assert_eq!(Route::parse("/v1/message:send", false).unwrap().tenant, "v1");
    }
}
