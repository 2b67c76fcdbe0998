/// Who opens a link: one side waits at the address, the other comes to it.
package enum LinkSide: Hashable, Sendable, CaseIterable {
    /// Waits at the address for the counterpart. By default the watch.
    case listening
    /// Comes to the address. By default the phone.
    case connecting
}
