import CPosix
import Glibc
import Locks
import WatchProtoTransport

/// Two networks of their own, each with one device, for programs that speak IP: packets sent into
/// one device are read here, and packets written here arrive there.
///
/// Nothing of the system changes: networks and devices are gone with the descriptors, whichever way
/// the process ends. It needs the rights of root, and `/dev/net/tun`.
package final class LinkTunnel: Sendable {
    /// Why there is none: the call that the system refused.
    package struct Refusal: Error, Hashable, Sendable {
        /// The call, in words.
        package var call: String
        /// Its error number.
        package var number: Int32
    }

    /// Bytes of the largest IP packet, as on most networks.
    package static let packetBytes = 1_500

    /// One of the two networks.
    struct End: Sendable {
        /// The device's packets.
        var packets: Int32 = -1
        /// The network itself, to be entered by a thread.
        var space: Int32 = -1
        /// The device's address.
        var address: UInt32
    }

    /// The phone's side.
    let near: End
    /// The watch's side.
    let far: End

    /// Makes both networks.
    ///
    /// - Throws: the call that the system refused; nothing is left then.
    package init() throws(Refusal) {
        // Addresses for measurements of networks (RFC 2544): nobody's.
        let near = try Self.open(0xC612_0001)
        do throws(Refusal) {
            far = try Self.open(0xC612_0002)
        } catch {
            Self.close(near)
            throw error
        }
        self.near = near
    }

    deinit {
        Self.close(near)
        Self.close(far)
    }

    private static func close(_ end: End) {
        _ = Glibc.close(end.packets)
        _ = Glibc.close(end.space)
    }

    /// A thread that has entered a network is there for good: each is made on one of its own.
    private static func open(_ address: UInt32) throws(Refusal) -> End {
        let made = Mutex<Result<End, Refusal>>(.failure(Refusal(call: "a thread", number: EAGAIN)))
        do throws(SystemErrorNumber) {
            try SystemThread {
                var (space, step): (Int32, Int32) = (-1, 0)
                let packets = unsafe watchproto_tunnel_open(
                    address, Int32(Self.packetBytes), &space, &step)
                let number = errno
                made.withLock {
                    $0 =
                        packets < 0
                        ? .failure(Refusal(call: Self.steps[Int(step)], number: number))
                        : .success(End(packets: packets, space: space, address: address))
                }
            }.join()
        } catch {
            throw Refusal(call: "pthread_create", number: error.rawValue)
        }
        return try made.withLock { $0 }.get()
    }

    private static let steps = [
        "unshare of the network", "open of /dev/net/tun", "TUNSETIFF", "the device's address",
        "open of /proc/thread-self/ns/net",
    ]
}

extension LinkTunnel.Refusal: CustomStringConvertible {
    /// `unshare of the network: Operation not permitted (errno 1)`.
    package var description: String {
        let text = unsafe strerror(number).map { unsafe String(cString: $0) }
        return "\(call): \(text ?? "refused") (errno \(number))"
    }
}
