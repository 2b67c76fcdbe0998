internal import CPosix
internal import Glibc
internal import WatchProto

/// Tells when what a full queue has refused can be sent after all.
///
/// It is a socket connected to the counterpart, because an unconnected one always looks writable.
/// It belongs to the process that stands at the counterpart's path now: whoever comes up there
/// later needs another one.
struct DatagramGauge: Sendable {
    private let door: Int32
    private let connected: Int32

    init(_ door: DatagramDoor) throws(CarrierFailure) {
        switch SocketKind.datagram.make() {
        case .failure(let number): throw number.failure(of: "socket")
        case .success(let connected):
            if case .failure(let number) = SocketPath.connect(connected, to: door.counterpart) {
                Descriptor.close(connected)
                throw number.failure(of: "connect")
            }
            self.door = door.descriptor
            self.connected = connected
        }
    }

    /// What becomes writable when there is room: the door while our own buffer is what is full,
    /// else the gauge. To be asked for right after the send that was refused.
    var writableWithRoom: Int32 {
        var set = pollfd(fd: door, events: Int16(POLLOUT), revents: 0)
        return unsafe watchproto_poll(&set, 1, 0) == 1 ? connected : door
    }

    func close() { Descriptor.close(connected) }
}
