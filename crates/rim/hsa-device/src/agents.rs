//! Facts about agents and their memory, from the runtime.

use hsa_sys::{
    Handle,
    constants::{SEGMENT_GLOBAL, agent_info, isa_info, pool_info},
};

use crate::{
    About, Result,
    runtime::{Runtime, check, collect},
};

/// `hsa_amd_agent_info_t`: compute units, `u32`.
const COMPUTE_UNITS: u32 = 0xa002;
/// `hsa_system_info_t`: version of the runtime's interface, `u16` each.
const SYSTEM_VERSION: [u32; 2] = [0, 1];

impl Runtime {
    pub fn agent_u32(&self, agent: Handle, attribute: u32) -> Result<u32> {
        let mut value = 0_u32;
        // SAFETY: the attributes asked for here are u32.
        check("hsa_agent_get_info", unsafe {
            (self.agent_get_info)(agent, attribute, (&raw mut value).cast())
        })?;
        Ok(value)
    }

    /// An attribute that is a `char[64]`.
    fn agent_text(&self, agent: Handle, attribute: u32) -> Result<String> {
        let mut text = [0_u8; 64];
        // SAFETY: the attributes asked for here are texts of at most 64 bytes.
        check("hsa_agent_get_info", unsafe {
            (self.agent_get_info)(agent, attribute, text.as_mut_ptr().cast())
        })?;
        Ok(until_zero(&text))
    }

    pub fn about(&self, agent: Handle) -> Result<About> {
        let isas = collect("hsa_agent_iterate_isas", |each, data| {
            // SAFETY: the callback and its data are of `collect`, which outlives the call.
            unsafe { (self.agent_iterate_isas)(agent, each, data) }
        })?;
        let mut isa = String::new();
        if let Some(&first) = isas.first() {
            let mut length = 0_u32;
            // SAFETY: the first attribute is a u32, the second a text of so many bytes.
            unsafe {
                check(
                    "hsa_isa_get_info_alt",
                    (self.isa_get_info)(first, isa_info::NAME_LENGTH, (&raw mut length).cast()),
                )?;
                let mut text = vec![0_u8; length as usize + 1];
                check(
                    "hsa_isa_get_info_alt",
                    (self.isa_get_info)(first, isa_info::NAME, text.as_mut_ptr().cast()),
                )?;
                isa = until_zero(&text);
            }
        }
        let mut version = [0_u16; 2];
        for (part, attribute) in version.iter_mut().zip(SYSTEM_VERSION) {
            // SAFETY: both attributes are u16.
            check("hsa_system_get_info", unsafe {
                (self.system_get_info)(attribute, (part as *mut u16).cast())
            })?;
        }
        Ok(About {
            isa,
            product: self
                .agent_text(agent, agent_info::PRODUCT_NAME)
                .unwrap_or_default(),
            compute_units: self.agent_u32(agent, COMPUTE_UNITS)?,
            runtime: format!("HSA {}.{}", version[0], version[1]),
        })
    }

    /// Global memory of an agent: `flag` says which.
    pub fn pool(&self, agent: Handle, flag: u32) -> Option<Handle> {
        let pools = collect("hsa_amd_agent_iterate_memory_pools", |each, data| {
            // SAFETY: the callback and its data are of `collect`, which outlives the call.
            unsafe { (self.iterate_pools)(agent, each, data) }
        });
        let number = |pool: Handle, attribute: u32| {
            let mut value = 0_u32;
            // SAFETY: the attributes asked for here are u32, or a bool, which is smaller.
            let status = unsafe { (self.pool_get_info)(pool, attribute, (&raw mut value).cast()) };
            (status == 0).then_some(value)
        };
        pools.ok()?.into_iter().find(|&pool| {
            number(pool, pool_info::SEGMENT) == Some(SEGMENT_GLOBAL)
                && number(pool, pool_info::GLOBAL_FLAGS).is_some_and(|flags| flags & flag != 0)
                && number(pool, pool_info::ALLOCATION_ALLOWED).is_some_and(|allowed| allowed != 0)
        })
    }
}

fn until_zero(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0);
    String::from_utf8_lossy(&bytes[..end.unwrap_or(bytes.len())])
        .trim()
        .to_owned()
}
