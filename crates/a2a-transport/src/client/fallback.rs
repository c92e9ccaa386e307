//! Another interface when the first cannot be reached.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use a2a_types::Method;

use crate::{
    CallFuture, CallOptions, ErrorKind, ResponseStream, Transport, TransportError, client::decorate::decorate,
};

/// Uses the first transport that a connection comes about with, and stays with it while it does.
#[derive(Debug)]
pub(crate) struct Fallback {
    candidates: Vec<Arc<dyn Transport>>,
    current: AtomicUsize,
}

impl Fallback {
    pub(crate) fn new(candidates: Vec<Arc<dyn Transport>>) -> Self {
        Self { candidates, current: AtomicUsize::new(0) }
    }

    /// Makes a call on one candidate after the other, each at most once. A request is only repeated when
    /// nothing of it was sent.
    fn unary<'a, R, T>(
        &'a self,
        _method: Method,
        request: R,
        options: CallOptions,
        operation: impl Fn(&'a dyn Transport, R, CallOptions) -> CallFuture<'a, T> + Send + 'a,
    ) -> CallFuture<'a, T>
    where
        R: Clone + Send + 'a,
        T: Send + 'a,
    {
        Box::pin(async move {
            let start = self.current.load(Ordering::Relaxed);
            let mut first_error = None;
            let number = self.candidates.len();
            for (place, candidate) in self.candidates.iter().enumerate().cycle().skip(start).take(number) {
                match operation(candidate.as_ref(), request.clone(), options.clone()).await {
                    Err(error) if error.is_connect() => {
                        crate::client::log::warn!("no connection to an interface, trying the next: {error}");
                        first_error = first_error.or(Some(error));
                    }
                    answered => {
                        self.current.store(place, Ordering::Relaxed);
                        return answered;
                    }
                }
            }
            Err(first_error
                .unwrap_or_else(|| TransportError::new(ErrorKind::NoInterface, "there is no interface")))
        })
    }

    fn streaming<'a, R: Clone + Send + 'a>(
        &'a self,
        method: Method,
        request: R,
        options: CallOptions,
        operation: impl Fn(&'a dyn Transport, R, CallOptions) -> CallFuture<'a, ResponseStream> + Send + 'a,
    ) -> CallFuture<'a, ResponseStream> {
        self.unary(method, request, options, operation)
    }
}

decorate!(Fallback);
