//! Calls as `tracing` spans.

use tracing::{Span, field::Empty};

use crate::{
    TransportError,
    client::intercept::{InterceptedCall, Interceptor, Outcome},
};

/// Makes a span of every call, named `a2a_call`, with the operation, ids, number of payloads, duration and kind
/// of error. Never contents, headers or credentials.
///
/// The span closes when the call is over; in between nothing is entered, as the work is done elsewhere.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct TracingInterceptor;

impl TracingInterceptor {
    /// The interceptor.
    pub fn new() -> Self {
        Self
    }
}

impl Interceptor for TracingInterceptor {
    fn before(&self, call: &mut InterceptedCall) -> Result<(), TransportError> {
        let known = |id: &str| Some(id.to_owned()).filter(|id| !id.is_empty());
        let span = tracing::info_span!(
            "a2a_call",
            operation = call.method.as_str(),
            task_id = known(&call.task_id),
            context_id = known(&call.context_id),
            message_id = known(&call.message_id),
            payloads = Empty,
            duration_ms = Empty,
            error = Empty,
            http_status = Empty,
        );
        call.state.insert(span);
        Ok(())
    }

    fn after(&self, call: &InterceptedCall, outcome: &Outcome<'_>) {
        let Some(span) = call.state.get::<Span>() else { return };
        span.record("payloads", outcome.payloads);
        span.record("duration_ms", u64::try_from(outcome.duration.as_millis()).unwrap_or(u64::MAX));
        if let Err(error) = outcome.result {
            span.record("error", error.kind().as_str());
            if let Some(status) = error.http_status() {
                span.record("http_status", status);
            }
        }
    }
}
