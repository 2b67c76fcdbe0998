package import WatchProtoCore

extension LinkAddress {
    /// Opens carriers for a pairing at this address.
    ///
    /// Over UDP a side that waits knows no address before a packet has come, and the side that was
    /// given the code speaks first. So the side that displays the code waits there, whichever
    /// device it is; elsewhere the watch does.
    ///
    /// - Parameters:
    ///   - role: this device.
    ///   - showsCode: whether this device displays the code.
    package func makePairingSource(role: DeviceRole, showsCode: Bool) -> any CarrierSource {
        var waits = role == .watch
        if case .udp = self { waits = showsCode }
        return makeSource(side: waits ? .listening : .connecting)
    }
}
