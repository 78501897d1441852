/// Why a code object could not be lifted at all. What is merely unclear inside it is an [`crate::Unresolved`] instead.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(
        "the code object is relocatable: addresses are not known before linking; link it first (`ld.lld -shared`)"
    )]
    NotLinked,
    #[error(transparent)]
    CodeObject(#[from] codeobj::Error),
    #[error(transparent)]
    Decoder(#[from] isa::Error),
}
