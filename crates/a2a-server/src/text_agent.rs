//! Serves a function from text to text.

use a2a_types::Part;
use futures::{Stream, StreamExt as _};

use crate::{
    executor::{AgentExecutor, BoxError, ExecuteFuture, RequestContext},
    updater::TaskUpdater,
};

/// An agent made of a function: it takes a message and gives its answer as a stream of text, which becomes
/// an artifact in as many chunks.
///
/// ```
/// use a2a_server::{BoxError, RequestContext, text_agent};
/// use futures::stream;
///
/// let agent = text_agent(|context: RequestContext| {
///     let words: Vec<_> = context.text().split_inclusive(' ').map(|word| Ok::<_, BoxError>(word.to_owned())).collect();
///     stream::iter(words)
/// });
/// ```
///
/// An error of the stream fails the task.
pub fn text_agent<F, S>(answer: F) -> impl AgentExecutor
where
    F: Fn(RequestContext) -> S + Send + Sync + 'static,
    S: Stream<Item = Result<String, BoxError>> + Send + 'static,
{
    TextAgent(answer)
}

struct TextAgent<F>(F);

impl<F, S> AgentExecutor for TextAgent<F>
where
    F: Fn(RequestContext) -> S + Send + Sync + 'static,
    S: Stream<Item = Result<String, BoxError>> + Send + 'static,
{
    fn execute(&self, context: RequestContext, updater: TaskUpdater) -> ExecuteFuture<'_> {
        let chunks = (self.0)(context);
        Box::pin(async move {
            updater.working(()).await?;
            let mut artifact = updater.artifact("answer");
            let mut chunks = std::pin::pin!(chunks);
            while let Some(chunk) = chunks.next().await {
                let chunk = chunk?;
                if !chunk.is_empty() {
                    artifact.chunk(Part::text(chunk)).await?;
                }
            }
            updater.complete(()).await?;
            Ok(())
        })
    }
}
