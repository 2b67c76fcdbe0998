package import WatchProtoCore

extension LinkAddress {
    /// Opens carriers for a pairing at this address.
    ///
    /// Over UDP a listening side knows no address before the first packet, and the side that enters
    /// the code speaks first. Therefore the side that displays the code listens there, whichever
    /// device it is. On other carriers the watch listens.
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
