//! Files with other code objects in them: whatever is read can be written, and what was put in is found again.
#![no_main]

use codeobj::{Error, replace, walk};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let claims_much = codeobj::compressed::Header::parse(data).is_ok_and(|header| header.unpacked_size > 1 << 24);
    if claims_much {
        return;
    }
    let same = replace::code_objects(data, &mut |object| Ok::<_, Error>(object.to_vec()));
    if let Ok(same) = &same {
        assert!(same == data, "nothing was changed");
    }
    let mut put = 0;
    let grown = replace::code_objects(data, &mut |object| {
        put += 1;
        Ok::<_, Error>([object, &[0x5a; 5000]].concat())
    });
    if let Ok(grown) = grown
        && put > 0
        && let Ok(contents) = walk(&grown)
    {
        let found = contents.code_objects().filter(|entry| entry.bytes.ends_with(&[0x5a; 5000]));
        assert!(found.count() <= put);
    }
});
