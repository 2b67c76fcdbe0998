internal import CPosix
internal import Glibc
internal import Locks
internal import WatchProtoCore

/// Passes datagrams on unchanged: one end of a network emulator between two sides.
///
/// On the phone's side it stands in for the watch. It is bound to the address, and answers the last
/// sender (UDP) or the path with ".peer". On the other side it stands in for the phone.
package final class DatagramPort: Sendable {
    /// The result of a receive.
    package enum Arrival: Hashable, Sendable {
        /// A datagram at the front of the buffer: its length, and its age in nanoseconds as
        /// reported by the system.
        case datagram(bytes: Int, age: UInt64)
        /// A datagram that was not for this link, or was longer than the buffer. It was dropped.
        case ignored
        case nothing
    }

    /// The result of a send.
    package enum Departure: Hashable, Sendable {
        case sent
        /// There is no room now.
        case full
        /// Nobody is there, or the system refused.
        case nobody
    }

    private enum Kind {
        case file(claim: SocketPath, counterpart: String)
        case udp
    }

    /// Readable when a datagram has arrived.
    package let descriptor: Int32
    private let kind: Kind
    private let side: LinkSide
    /// The address to answer over UDP.
    private let counterpart: Mutex<UDPAddress?>

    /// Binds a port for `side` of a link of lossy datagrams; nil for another kind of address.
    ///
    /// - Throws: ``LinkError`` if the address is in use, or the system refuses.
    package init?(_ address: LinkAddress, side: LinkSide) throws(LinkError) {
        self.side = side
        switch address {
        case .unixDatagram(let path):
            let other = path + LinkAddress.datagramPeerSuffix
            let own = side == .listening ? path : other
            descriptor = try SocketKind.datagram.make().orLinkError(
                "socket", on: "a socket for '\(own)'")
            counterpart = Mutex(nil)
            do throws(LinkError) {
                let claim = try SocketPath.claim(own, binding: descriptor)
                claim.announce()
                kind = .file(claim: claim, counterpart: side == .listening ? other : path)
            } catch {
                DescriptorCall.close(descriptor)
                throw error
            }
        case .udp(let endpoint):
            let wanted = UDPAddress(endpoint)
            var system = (side == .listening ? wanted : wanted.anyPort).system
            switch retryOnInterrupt({ unsafe watchproto_udp_open(&system, 0) }) {
            case .success(let number): descriptor = number
            case .failure(let number) where number.rawValue == EADDRINUSE:
                throw .portInUse(address: "udp:\(endpoint)")
            case .failure(let number):
                throw .system(number.failure(of: "bind"), subject: "udp:\(endpoint)")
            }
            counterpart = Mutex(side == .listening ? nil : wanted)
            kind = .udp
        default: return nil
        }
    }

    /// Receives one datagram into the front of `buffer`.
    package func receive(into buffer: inout [UInt8]) -> Arrival {
        var age: UInt64 = 0
        var isExpected: Int32 = 1
        var source = watchproto_place()
        let capacity = buffer.count
        var none: UInt8 = 0
        let result: Result<Int, SystemErrorNumber>
        switch kind {
        case .file(_, var path):
            result = unsafe buffer.withUnsafeMutableBufferPointer { bytes in
                path.withUTF8 { path in
                    retryOnInterrupt {
                        unsafe watchproto_unix_receive(
                            descriptor, &none, 0, bytes.baseAddress, bytes.count,
                            path.baseAddress, path.count, &isExpected)
                    }
                }
            }
        case .udp:
            result = unsafe buffer.withUnsafeMutableBufferPointer { bytes in
                retryOnInterrupt {
                    unsafe watchproto_udp_receive(
                        descriptor, &none, 0, bytes.baseAddress, bytes.count, &source, &age)
                }
            }
        }
        guard case .success(let count) = result else { return .nothing }
        guard isExpected != 0, count <= capacity else { return .ignored }
        if case .udp = kind, !isFromCounterpart(UDPAddress(source)) { return .ignored }
        return .datagram(bytes: count, age: age)
    }

    /// Whether the datagram is from the counterpart. On the listening side the last sender is the
    /// counterpart.
    private func isFromCounterpart(_ source: UDPAddress) -> Bool {
        counterpart.withLock { counterpart in
            guard side == .listening else { return counterpart == source }
            counterpart = source
            return true
        }
    }

    /// Sends `bytes` as one datagram.
    package func send(_ bytes: [UInt8]) -> Departure {
        var none: UInt8 = 0
        let result: Result<Int, SystemErrorNumber>
        switch kind {
        case .file(_, var path):
            result = unsafe bytes.withUnsafeBufferPointer { bytes in
                path.withUTF8 { path in
                    retryOnInterrupt {
                        unsafe watchproto_unix_send(
                            descriptor, &none, 0, bytes.baseAddress, bytes.count,
                            path.baseAddress, path.count)
                    }
                }
            }
        case .udp:
            guard var system = counterpart.withLock({ $0?.system }) else { return .nobody }
            result = unsafe bytes.withUnsafeBufferPointer { bytes in
                retryOnInterrupt {
                    unsafe watchproto_udp_send(
                        descriptor, &none, 0, bytes.baseAddress, bytes.count, &system)
                }
            }
        }
        switch result {
        case .success: return .sent
        case .failure(let number) where number.isWouldBlock: return .full
        case .failure(let number) where number.rawValue == ENOBUFS: return .full
        case .failure: return .nobody
        }
    }

    /// Closes the socket and removes its file. Call it once.
    package func close() {
        if case .file(let claim, _) = kind { claim.remove() }
        DescriptorCall.close(descriptor)
    }
}
