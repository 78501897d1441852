//! `LUTHIER_NATIVE`: the runs of instructions that a user wants as host code.

use std::env;

use crate::{HostCode, Pool};

impl Pool {
    /// [`Pool::translate`] as the user says in `LUTHIER_NATIVE`: with the fewest lane-wise instructions in a row that are host code from the
    /// first time on, or `often` for [`HostCode::OFTEN`]. Without the variable there is no host code. The error is for the user.
    pub fn translate_as_wished(&self) -> Result<(), String> {
        let said = env::var("LUTHIER_NATIVE").unwrap_or_default();
        let wanted = match (said.as_str(), said.parse()) {
            ("", _) | (_, Ok(0)) => return Ok(()),
            ("often", _) => Ok(HostCode::OFTEN),
            (_, Ok(least)) => Ok(HostCode::at_once(least)),
            (_, Err(_)) => Err(format!("{said} is neither a number nor `often`")),
        };
        let done = wanted.and_then(|wanted| self.translate(wanted).map_err(|why| why.to_string()));
        done.map_err(|why| format!("luthier: LUTHIER_NATIVE is not used: {why}"))
    }
}
