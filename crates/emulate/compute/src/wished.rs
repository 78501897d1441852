//! `LUTHIER_NATIVE`: the runs of instructions that a user wants as host code.

use std::{env, fmt};

use crate::{HostCode, NoHostCode, Pool};

impl Pool {
    /// [`Pool::translate`] as the user says in `LUTHIER_NATIVE`: with the fewest lane-wise instructions in a row that are host code from the
    /// first time on, or `often` for [`HostCode::OFTEN`], as without the variable. With 0 there is no host code. The error is for the user.
    pub fn translate_as_wished(&self) -> Result<(), String> {
        let said = env::var_os("LUTHIER_NATIVE").unwrap_or_default();
        let said = said.to_string_lossy();
        let wanted = match (&*said, said.parse()) {
            ("" | "often", _) => HostCode::OFTEN,
            (_, Ok(0)) => return Ok(()),
            (_, Ok(least)) => HostCode::at_once(least),
            (_, Err(_)) => {
                return Err(unused(format_args!(
                    "{said} is neither a number nor `often`"
                )));
            }
        };
        match self.translate(wanted) {
            // Many hosts lack these vectors, and the user has not asked for them.
            Err(NoHostCode::NoVectors) if said.is_empty() => Ok(()),
            done => done.map_err(|why| unused(format_args!("{why}"))),
        }
    }
}

fn unused(why: fmt::Arguments<'_>) -> String {
    format!("luthier: LUTHIER_NATIVE is not used: {why}")
}
