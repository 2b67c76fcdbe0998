/// How a side opens a link: one side listens at the address, the other connects to it.
package enum LinkSide: Hashable, Sendable, CaseIterable {
    /// Listens at the address for the counterpart. By default the watch.
    case listening
    /// Connects to the address. By default the phone.
    case connecting
}
