//! Transports around transports.

/// Implements [`Transport`](crate::Transport) by two methods of the type, `unary` and `streaming`, which are given
/// the operation, its request and options, and how to make the call on another transport.
macro_rules! decorate {
    ($decorator:ty) => {
        decorate! { $decorator:
            unary send_message(SendMessageRequest) -> SendMessageResponse = SendMessage;
            streaming send_streaming_message(SendMessageRequest) -> ResponseStream = SendStreamingMessage;
            streaming subscribe_to_task(SubscribeToTaskRequest) -> ResponseStream = SubscribeToTask;
            unary get_task(GetTaskRequest) -> Task = GetTask;
            unary list_tasks(ListTasksRequest) -> ListTasksResponse = ListTasks;
            unary cancel_task(CancelTaskRequest) -> Task = CancelTask;
            unary create_push_config(TaskPushNotificationConfig) -> TaskPushNotificationConfig
                = CreateTaskPushNotificationConfig;
            unary get_push_config(GetTaskPushNotificationConfigRequest) -> TaskPushNotificationConfig
                = GetTaskPushNotificationConfig;
            unary list_push_configs(ListTaskPushNotificationConfigsRequest)
                -> ListTaskPushNotificationConfigsResponse = ListTaskPushNotificationConfigs;
            unary delete_push_config(DeleteTaskPushNotificationConfigRequest) -> ()
                = DeleteTaskPushNotificationConfig;
            unary get_extended_agent_card(GetExtendedAgentCardRequest) -> AgentCard = GetExtendedAgentCard;
        }
    };
    ($decorator:ty: $($kind:ident $operation:ident($request:ty) -> $answer:ty = $method:ident;)*) => {
        const _: () = {
            #[allow(clippy::wildcard_imports, reason = "names of all operations")]
            use a2a_types::*;
            use $crate::{CallFuture, CallOptions, ResponseStream, Transport};

            impl Transport for $decorator {
                $(
                    fn $operation(&self, request: $request, options: CallOptions) -> CallFuture<'_, $answer> {
                        self.$kind(Method::$method, request, options, |inner, request, options| {
                            inner.$operation(request, options)
                        })
                    }
                )*
            }
        };
    };
}

pub(crate) use decorate;
