import WatchProto

/// Two peers with a carrier between them that loses nothing, on which somebody else can write to
/// the first.
final class FuzzPair {
    let carrier: CarrierTraits
    private let role: DeviceRole
    /// Gets the hostile bytes, and its own records are followed.
    let victim: FuzzSide
    private(set) var other: FuzzSide
    private(set) var now = Instant.zero
    /// What does not hold, found on the way.
    private(set) var complaint: String?
    /// The header of the datagram that reached the victim last, as one who listens has it.
    private(set) var lastHeader: DatagramHeader?
    /// The session of the victim as a listener knows it.
    private(set) var victimSession: UInt32 = 0
    private(set) var otherSession: UInt32 = 0

    init(_ carrier: CarrierTraits, victim role: DeviceRole) {
        self.carrier = carrier
        self.role = role
        victim = FuzzSide(role, epoch: 0x1111)
        other = FuzzSide(role == .phone ? .watch : .phone, epoch: 0x2222)
    }

    /// Puts a counterpart that knows nothing in the place of the other side.
    func replaceOther(epoch: UInt64) {
        cut()
        other = FuzzSide(role == .phone ? .watch : .phone, epoch: epoch)
    }

    private var sides: [FuzzSide] { [victim, other] }

    /// Opens the link, whatever the backoff says.
    func connect() {
        for side in sides {
            side.peer.activate(at: now)
            side.drain(at: now)
            side.host.closed = nil
            side.peer.linkUp(carrier, at: now)
            side.drain(at: now)
        }
    }

    /// Ends the link on both sides; what was on its way is lost.
    func cut() {
        for side in sides {
            side.peer.linkDown(CarrierFailure(call: "end of stream", errorNumber: 0), at: now)
            side.drain(at: now)
            side.host.wire = []
            side.host.closed = nil
        }
    }

    /// Opens a link again that a side has closed.
    func mend() {
        guard victim.host.closed != nil || other.host.closed != nil else { return }
        cut()
        connect()
    }

    /// Carries bytes to and fro until nothing moves.
    func settle() {
        for _ in 0..<500 {
            guard !victim.host.wire.isEmpty || !other.host.wire.isEmpty else { return }
            carry(from: victim, to: other)
            carry(from: other, to: victim)
        }
        complaint = complaint ?? "the pair does not come to rest"
    }

    private func carry(from: FuzzSide, to: FuzzSide) {
        var chunks: [[UInt8]] = []
        swap(&chunks, &from.host.wire)
        for chunk in chunks {
            listen(to: chunk, fromVictim: from === victim)
            to.receive(chunk, at: now)
        }
        from.drain(at: now)
    }

    private func listen(to chunk: [UInt8], fromVictim: Bool) {
        var reader = WireReader(chunk.span)
        guard carrier.framing != .stream, let header = try? DatagramHeader.read(&reader) else {
            return
        }
        if !fromVictim, header.numberBytes > 0 { lastHeader = header }
        if header.kind == .handshake,
            let packet = try? HandshakePacket.read(&reader, limits: Limits())
        {
            if fromVictim {
                victimSession = packet.senderSession
            } else {
                otherSession = packet.senderSession
            }
        }
    }

    /// Moves time to each deadline in turn until `wait` has passed.
    func advance(by wait: Duration) {
        let end = now.advanced(by: wait)
        for _ in 0..<2_000 {
            let deadlines = [victim.peer.nextDeadline, other.peer.nextDeadline].compactMap { $0 }
            guard let next = deadlines.min(), next <= end else {
                now = end
                return
            }
            now = max(now, next)
            for side in sides {
                if let deadline = side.peer.nextDeadline, deadline <= now {
                    side.peer.wake(at: now)
                    side.drain(at: now)
                }
            }
            settle()
        }
        complaint = complaint ?? "timers without end"
        now = max(now, end)
    }
}
