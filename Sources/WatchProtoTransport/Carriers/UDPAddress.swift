internal import CPosix

/// The address and port of a UDP socket.
struct UDPAddress: Hashable, Sendable {
    private var family: UInt8
    private var high: UInt64
    private var low: UInt64
    private var port: UInt16

    init(_ endpoint: UDPEndpoint) {
        high = 0
        port = endpoint.port
        switch endpoint.host {
        case .v4(let number):
            family = 4
            low = UInt64(number)
        case .v6:
            family = 6
            low = 1
        }
    }

    /// The same host with a port that the system chooses.
    var anyPort: UDPAddress {
        var place = self
        place.port = 0
        return place
    }

    init(_ place: watchproto_place) {
        family = place.family
        high = place.high
        low = place.low
        port = place.port
    }

    var system: watchproto_place {
        watchproto_place(high: high, low: low, port: port, family: family)
    }
}
