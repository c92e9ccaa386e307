//! Warnings through `tracing`, which come to nothing without the feature of that name.

#[cfg(feature = "tracing")]
pub(crate) use tracing::warn;

#[cfg(not(feature = "tracing"))]
macro_rules! warn_nowhere {
    ($($argument:tt)*) => {{
        let _ = format_args!($($argument)*);
    }};
}
#[cfg(not(feature = "tracing"))]
pub(crate) use warn_nowhere as warn;
