internal import CPosix
internal import Glibc
internal import WatchProtoCore

/// A bound UDP socket. A datagram is a packet.
struct UDPSocket: Sendable {
    /// The socket is bound and never connected, because any sender's datagrams arrive at one
    /// socket.
    let descriptor: Int32

    /// Opens a socket at `place` (`bind`).
    static func open(_ place: UDPAddress) -> Result<UDPSocket, SystemErrorNumber> {
        var system = place.system
        return retryOnInterrupt { unsafe watchproto_udp_open(&system, 1) }
            .map { UDPSocket(descriptor: $0) }
    }

    /// Sends one datagram (`sendmsg`).
    func send(_ bytes: Span<UInt8>, to place: UDPAddress) -> Result<Int, SystemErrorNumber> {
        var none: UInt8 = 0
        var system = place.system
        // The next call reports an earlier datagram's refusal, for any address.
        for _ in 0..<3 {
            let result = unsafe bytes.withUnsafeBufferPointer { bytes in
                retryOnInterrupt {
                    unsafe watchproto_udp_send(
                        descriptor, &none, 0, bytes.baseAddress, bytes.count, &system)
                }
            }
            guard case .failure(let number) = result else { return result }
            switch number.rawValue {
            case ECONNREFUSED: continue
            // No room on the way: lost, as on any other part of it.
            case ENOBUFS: return .success(bytes.count)
            default: return result
            }
        }
        return .success(bytes.count)
    }

    /// Receives one datagram into the front of `buffer`. A refusal counts only if `isOurs` returns
    /// true for its port.
    func receive(
        into buffer: inout MutableSpan<UInt8>, refusedBy isOurs: (UDPAddress) -> Bool
    ) -> CarrierRead {
        var none: UInt8 = 0
        var source = watchproto_place()
        var age: UInt64 = 0
        let capacity = buffer.count
        while true {
            let result = unsafe buffer.withUnsafeMutableBufferPointer { bytes in
                retryOnInterrupt {
                    unsafe watchproto_udp_receive(
                        descriptor, &none, 0, bytes.baseAddress, bytes.count, &source, &age)
                }
            }
            switch result {
            case .success(let count):
                if count > capacity { return .ignored(.tooLarge) }
                return .datagram(count, from: UDPAddress(source).address)
            case .failure(let number):
                if let place = takeRefusal() {
                    if isOurs(place) { return .portRefused }
                    continue
                }
                let isNothing = number.isWouldBlock || number.rawValue == ECONNREFUSED
                return isNothing ? .nothingYet : .failed(number.failure(of: "recvmsg"))
            }
        }
    }

    /// Takes the system's report of a port that refused a datagram; nil if there is none.
    private func takeRefusal() -> UDPAddress? {
        var place = watchproto_place()
        return unsafe watchproto_udp_take_refusal(descriptor, &place) == 1 ? UDPAddress(place) : nil
    }
}

extension UDPAddress {
    /// The address in the core's form.
    var address: PathAddress {
        let place = system
        return PathAddress(
            host: UInt128(place.high) << 64 | UInt128(place.low),
            port: UInt64(place.family) << 16 | UInt64(place.port))
    }

    /// Makes the place from an address that ``address`` gave.
    init(_ address: PathAddress) {
        self.init(
            watchproto_place(
                high: UInt64(truncatingIfNeeded: address.host >> 64),
                low: UInt64(truncatingIfNeeded: address.host),
                port: UInt16(truncatingIfNeeded: address.port),
                family: UInt8(truncatingIfNeeded: address.port >> 16)))
    }
}
