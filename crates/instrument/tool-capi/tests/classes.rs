//! Tools get all bits of an instruction's effects, by the names that they have here.

use isa::Effects;
use tool_abi::CONSTANTS;

#[test]
fn every_class_is_an_effect_of_the_same_name() {
    let prefix = "LUTHIER_CLASS_";
    for (name, effect) in Effects::all().iter_names() {
        // (The header has a word for it that is none of the assembler's.)
        let name = if name == "SENDMSG" { "MESSAGE" } else { name };
        let name = format!("{prefix}{name}");
        let row = CONSTANTS.iter().find(|row| row.name == name);
        assert_eq!(row.map(|row| row.value), Some(effect.bits()), "{name}");
    }
    let classes = CONSTANTS.iter().filter(|row| row.name.starts_with(prefix));
    assert_eq!(classes.count(), Effects::all().iter_names().count());
}
