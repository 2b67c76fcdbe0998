internal import CPosix
internal import Glibc
internal import WatchProto

/// A bound UDP socket and what is said through it: the words and the header of ``DatagramDoor``.
struct UDPDoor: Sendable {
    typealias Kind = DatagramDoor.Kind

    /// What came through the door.
    enum Arrival {
        case datagram(Kind, link: UInt32, bytes: Int, from: UDPPlace)
        /// Nobody has the port there that something was sent to.
        case refused(by: UDPPlace)
        case ignored(IgnoredDatagram)
        case nothing
        case failed(CarrierFailure)
    }

    /// Bound, never connected: whoever comes is told from the counterpart, and counted.
    let descriptor: Int32

    /// Opens a door at `place` (`bind`).
    static func open(_ place: UDPPlace) -> Result<UDPDoor, SystemErrorNumber> {
        var system = place.system
        return retryOnInterrupt { unsafe watchproto_udp_open(&system, 1) }
            .map { UDPDoor(descriptor: $0) }
    }

    /// Sends one datagram (`sendmsg`); gives its bytes, header included.
    func send(
        _ kind: Kind, link: UInt32, _ bytes: Span<UInt8>, to place: UDPPlace
    ) -> Result<Int, SystemErrorNumber> {
        let header: InlineArray<5, UInt8> = [
            kind.rawValue, UInt8(truncatingIfNeeded: link), UInt8(truncatingIfNeeded: link >> 8),
            UInt8(truncatingIfNeeded: link >> 16), UInt8(truncatingIfNeeded: link >> 24),
        ]
        var system = place.system
        let span = header.span
        // An earlier datagram's refusal comes out of the next call, whatever that one is for.
        for _ in 0..<3 {
            let result = unsafe span.withUnsafeBufferPointer { header in
                unsafe bytes.withUnsafeBufferPointer { bytes in
                    retryOnInterrupt {
                        unsafe watchproto_udp_send(
                            descriptor, header.baseAddress, header.count, bytes.baseAddress,
                            bytes.count, &system)
                    }
                }
            }
            guard case .failure(let number) = result else { return result }
            switch number.rawValue {
            case ECONNREFUSED: continue
            // No room on the way: lost, as on any other part of it.
            case ENOBUFS: return .success(bytes.count + DatagramDoor.headerBytes)
            default: return result
            }
        }
        return .success(bytes.count + DatagramDoor.headerBytes)
    }

    /// Says something without a packet. What finds no room is lost, as it may be on the way.
    func say(_ kind: Kind, link: UInt32, to place: UDPPlace) {
        _ = send(kind, link: link, Span(), to: place)
    }

    /// Takes one datagram; its packet goes to the front of `buffer`.
    func receive(into buffer: inout MutableSpan<UInt8>) -> Arrival {
        var header: InlineArray<5, UInt8> = .init(repeating: 0)
        var source = watchproto_place()
        var age: UInt64 = 0
        let capacity = buffer.count
        var headerSpan = header.mutableSpan
        let result = unsafe headerSpan.withUnsafeMutableBufferPointer { header in
            unsafe buffer.withUnsafeMutableBufferPointer { bytes in
                retryOnInterrupt {
                    unsafe watchproto_udp_receive(
                        descriptor, header.baseAddress, header.count, bytes.baseAddress,
                        bytes.count, &source, &age)
                }
            }
        }
        switch result {
        case .failure(let number):
            if let place = takeRefusal() { return .refused(by: place) }
            let isNothing = number.isWouldBlock || number.rawValue == ECONNREFUSED
            return isNothing ? .nothing : .failed(number.failure(of: "recvmsg"))
        case .success(let count):
            guard count >= DatagramDoor.headerBytes, let kind = Kind(rawValue: header[0]) else {
                return .ignored(.stranger)
            }
            if count - DatagramDoor.headerBytes > capacity { return .ignored(.tooLarge) }
            var link: UInt32 = 0
            for index in 0..<4 { link |= UInt32(header[1 + index]) << UInt32(8 * index) }
            return .datagram(
                kind, link: link, bytes: count - DatagramDoor.headerBytes, from: UDPPlace(source))
        }
    }

    /// Takes the news that nobody has a port that was sent to; nil when there is none.
    func takeRefusal() -> UDPPlace? {
        var place = watchproto_place()
        return unsafe watchproto_udp_take_refusal(descriptor, &place) == 1 ? UDPPlace(place) : nil
    }
}
