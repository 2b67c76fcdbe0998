internal import CPosix
internal import Glibc
internal import Synchronization
internal import WatchProto

/// A bound datagram socket and what is said through it.
///
/// Every datagram begins with a code and the number of the link it belongs to (one byte, then four,
/// lowest first), so that a restarted side is told from the old one and nothing of an earlier link
/// gets into a later one. The article *The wire format* lists the codes; a test compares.
struct DatagramDoor: Sendable {
    enum Kind: UInt8, CaseIterable {
        /// The rest is a packet of the link.
        case packet = 0
        /// The connecting side opens the link of this number.
        case hail = 1
        /// It is open for the listening side.
        case welcome = 2
        /// Not now.
        case busy = 3
        /// The listening side has just started: hail me. The number means nothing.
        case call = 4
        /// The link of this number is closed.
        case end = 5
        /// A hail, and the rest is a packet of the link already (over UDP only).
        case opening = 6
    }

    /// What came through the door.
    enum Arrival {
        case datagram(Kind, link: UInt32, bytes: Int)
        case ignored(IgnoredDatagram)
        case nothing
        case failed(CarrierFailure)
    }

    static var headerBytes: Int { 5 }
    /// With the header under the system's limits, and the packet under a peer's.
    static var largestPacketBytes: Int { (1 << 16) - 16 }

    /// Bound to our own path, never connected: strangers can be told apart, and counted.
    let descriptor: Int32
    let counterpart: String

    /// Sends one datagram (`sendmsg`); gives its bytes, header included.
    func send(
        _ kind: Kind, link: UInt32, _ bytes: Span<UInt8>
    ) -> Result<Int, SystemErrorNumber> {
        let header: InlineArray<5, UInt8> = [
            kind.rawValue, UInt8(truncatingIfNeeded: link), UInt8(truncatingIfNeeded: link >> 8),
            UInt8(truncatingIfNeeded: link >> 16), UInt8(truncatingIfNeeded: link >> 24),
        ]
        var path = counterpart
        let span = header.span
        return path.withUTF8 { path in
            unsafe span.withUnsafeBufferPointer { header in
                unsafe bytes.withUnsafeBufferPointer { bytes in
                    retryOnInterrupt {
                        unsafe watchproto_unix_send(
                            descriptor, header.baseAddress, header.count, bytes.baseAddress,
                            bytes.count, path.baseAddress, path.count)
                    }
                }
            }
        }
    }

    /// Says something without a packet. A full queue is a failure here.
    func say(_ kind: Kind, link: UInt32) -> Result<Int, SystemErrorNumber> {
        send(kind, link: link, Span())
    }

    /// Takes one datagram whose packet nobody can use: only whose it is counts.
    func receiveHeader() -> Arrival {
        var none = [UInt8](repeating: 0, count: 1)
        var span = none.mutableSpan
        return receive(into: &span, keepsPacket: false)
    }

    /// Takes one datagram; its packet goes to the front of `buffer`.
    func receive(into buffer: inout MutableSpan<UInt8>) -> Arrival {
        receive(into: &buffer, keepsPacket: true)
    }

    private func receive(
        into buffer: inout MutableSpan<UInt8>, keepsPacket: Bool
    ) -> Arrival {
        var header: InlineArray<5, UInt8> = .init(repeating: 0)
        var isExpected: Int32 = 0
        var path = counterpart
        let capacity = buffer.count
        var headerSpan = header.mutableSpan
        let result = path.withUTF8 { path in
            unsafe headerSpan.withUnsafeMutableBufferPointer { header in
                unsafe buffer.withUnsafeMutableBufferPointer { bytes in
                    retryOnInterrupt {
                        unsafe watchproto_unix_receive(
                            descriptor, header.baseAddress, header.count, bytes.baseAddress,
                            bytes.count, path.baseAddress, path.count, &isExpected)
                    }
                }
            }
        }
        switch result {
        case .failure(let number) where number.isWouldBlock: return .nothing
        case .failure(let number): return .failed(number.failure(of: "recvmsg"))
        case .success(let count):
            guard isExpected != 0 else { return .ignored(.stranger) }
            guard count >= Self.headerBytes, let kind = Kind(rawValue: header[0]) else {
                return .ignored(.stranger)
            }
            if keepsPacket, count - Self.headerBytes > capacity { return .ignored(.tooLarge) }
            var link: UInt32 = 0
            for index in 0..<4 { link |= UInt32(header[1 + index]) << UInt32(8 * index) }
            return .datagram(kind, link: link, bytes: count - Self.headerBytes)
        }
    }
}
