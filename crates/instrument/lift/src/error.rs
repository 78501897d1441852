/// The reason why a code object could not be lifted at all. A part of it that is merely unclear is an [`crate::Unresolved`] instead.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The object is relocatable, so that its code has no addresses yet.
    #[error(
        "the code object is relocatable: addresses are not known before linking; link it first (`ld.lld -shared`)"
    )]
    NotLinked,
    /// The object cannot be read.
    #[error(transparent)]
    CodeObject(#[from] codeobj::Error),
    /// There is no decoder for the object's target.
    #[error(transparent)]
    Decoder(#[from] isa::Error),
}
