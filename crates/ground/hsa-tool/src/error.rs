use hsa_sys::{Status, constants::status};

/// Why the runtime did not do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// It was shut down or never started.
    #[error("the HSA runtime is not running")]
    NotRunning,
    #[error("{call} failed: status {status:#x}")]
    Call { call: &'static str, status: Status },
    #[error("this HSA runtime does not have {call}")]
    Missing { call: &'static str },
}

/// The result of the call of this name that returned `status`. An iteration that was ended early has not failed.
pub fn check(call: &'static str, status: Status) -> Result<(), Error> {
    match status {
        status::SUCCESS | status::INFO_BREAK => Ok(()),
        status::NOT_INITIALIZED => Err(Error::NotRunning),
        status => Err(Error::Call { call, status }),
    }
}
