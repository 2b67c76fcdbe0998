/// An empty field that makes its owner address-only: methods are given the owner's address.
///
/// A peer has hundreds of fields. Without this the compiler takes it for a value that registers
/// could hold, and needs minutes to follow each of those fields through its methods.
@_rawLayout(size: 0, alignment: 1)
struct AddressOnly: ~Copyable, @unchecked Sendable {
    /// Embedded Swift destroys no type of this layout without one.
    deinit {}
}
