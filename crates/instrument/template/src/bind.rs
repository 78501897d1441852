//! Registers into a template: bits into its bytes.

use crate::{BindError, Template};

/// The registers and values for a template's groups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Binding {
    /// The first register of every group, in the order of [`Template::groups`].
    pub first: Vec<u16>,
    /// Leaves out the waits at the end that only guard memory writes.
    pub drop_tail: bool,
}

impl Binding {
    /// The registers that the template was compiled with.
    pub fn identity(template: &Template) -> Binding {
        Binding {
            first: template.groups.iter().map(|group| group.first).collect(),
            drop_tail: false,
        }
    }
}

/// The code of `template` on the registers of `binding`. [`Template::relocations`] hold for it unchanged.
pub fn bind(template: &Template, binding: &Binding) -> Result<Vec<u8>, BindError> {
    let mut code = Vec::new();
    bind_into(template, binding, &mut code)?;
    Ok(code)
}

/// Appends the code of `template` on the registers of `binding` to `code`; appends nothing on failure.
pub fn bind_into(
    template: &Template,
    binding: &Binding,
    code: &mut Vec<u8>,
) -> Result<(), BindError> {
    if binding.first.len() != template.groups.len() {
        return Err(BindError::Count {
            expected: template.groups.len(),
            given: binding.first.len(),
        });
    }
    for (index, (group, &first)) in template.groups.iter().zip(&binding.first).enumerate() {
        if first % group.alignment.max(1) != 0 {
            return Err(BindError::Alignment {
                group: index,
                file: group.file,
                alignment: group.alignment,
                first,
            });
        }
        if u32::from(first) + u32::from(group.width) > u32::from(group.limit) {
            return Err(BindError::Limit {
                group: index,
                file: group.file,
                width: group.width,
                limit: group.limit,
                first,
            });
        }
    }
    let start = code.len();
    let tail = if binding.drop_tail {
        template.droppable_tail as usize
    } else {
        0
    };
    code.extend_from_slice(&template.code[..template.code.len().saturating_sub(tail)]);
    let code = &mut code[start..];
    for patch in &template.patches {
        let register = u32::from(binding.first[usize::from(patch.group)] + patch.offset);
        let at = patch.bit as usize / 32 * 4;
        // The dropped tail has no register fields.
        let Some(bytes) = code.get_mut(at..at + 4) else {
            continue;
        };
        let word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        let position = patch.bit % 32;
        let mask = (1u32 << patch.length) - 1;
        let field = (register >> patch.shift & mask) << position;
        bytes.copy_from_slice(&(word & !(mask << position) | field).to_le_bytes());
    }
    Ok(())
}
