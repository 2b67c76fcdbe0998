/// The address that datagrams come from and go to, as the environment encodes it: for UDP the IPv6
/// address, port and scope; elsewhere any value that is equal for equal addresses.
package struct PathAddress: Hashable, Sendable {
    /// For UDP the 128 bits of the address.
    package var host: UInt128
    /// For UDP port and scope.
    package var port: UInt64

    /// Makes an address.
    package init(host: UInt128, port: UInt64) {
        self.host = host
        self.port = port
    }
}
