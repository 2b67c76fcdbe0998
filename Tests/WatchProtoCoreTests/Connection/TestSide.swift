@testable import WatchProtoCore

/// One side of a pairing as far as the connection is concerned: counters, openings and the rules
/// that the contract gives to the peer, with messages whose content says where they belong.
struct TestSide {
    var connection: Connection
    let role: DeviceRole
    var epoch: EpochID
    /// The counter of its own messages 1, as a journal would hold it.
    var ownCounter: UInt64 = 0
    /// No handshake message leaves while an entry is in flight (rule W).
    var isStable = true
    /// Whether early data is taken.
    var takesEarly = true
    /// Sessions by ticket that this side opened, in order.
    var sessions: [Ticket] = []
    var confirmed = 0
    var current: SessionInfo?
    var isConfirmed = false
    var nextNumber: UInt64 = 0
    var earlyNumber: UInt64 = 0
    var received: [(ticket: Ticket, content: [UInt8])] = []
    var early: [[UInt8]] = []
    var ends: [ConnectionEnd] = []
    var events: [ConnectionEvent] = []
    var initiations = 0
    var crossed = 0
    var wantsCarrier = false
    var lastHeard = Instant.zero
    var refusedHighest: UInt64?

    init(
        _ role: DeviceRole, security: AnySecurity, epoch: UInt64, highest: UInt64 = 0,
        configuration: ConnectionConfiguration = ConnectionConfiguration()
    ) {
        self.role = role
        self.epoch = EpochID(rawValue: epoch)
        connection = Connection(
            configuration, security: security, highestCounter: highest)
        connection.firstTimeout = .milliseconds(300)
    }

    var isLossy: Bool { connection.carrier?.isLossy == true }

    /// Handles everything that is to be handled and gives the packets that leave.
    mutating func drain(at now: Instant) -> [OutgoingPacket] {
        while let event = connection.nextEvent(at: now) { handle(event, at: now) }
        drive(at: now)
        while let event = connection.nextEvent(at: now) { handle(event, at: now) }
        var packets: [OutgoingPacket] = []
        while let packet = connection.nextOutgoing() { packets.append(packet) }
        return packets
    }

    private mutating func handle(_ event: ConnectionEvent, at now: Instant) {
        events.append(event)
        switch event {
        case .carrierWanted: wantsCarrier = true
        case .carrierClosed(let end), .sessionEnded(let end):
            ends.append(end)
            current = nil
        case .established(let info):
            begin(info)
            isConfirmed = true
            lastHeard = now
        case .confirmed:
            confirmed += 1
            isConfirmed = true
            lastHeard = now
        case .packet(let packet):
            lastHeard = now
            guard let current else { return }
            received.append((current.ticket, Array(packet.bytes[packet.start...])))
        case .earlyPacket(let packet):
            guard takesEarly else { return }
            early.append(Array(packet.bytes[packet.start...]))
        case .refused(let highest):
            refusedHighest = highest
            ownCounter = max(ownCounter, highest)
        case .requested: crossed += connection.request?.isCrossed == true ? 1 : 0
        case .advisory, .probeWanted, .renewalDue: break
        }
        // A peer does this after each input.
        drive(at: now)
    }

    private mutating func drive(at now: Instant) {
        guard isStable else { return }
        if connection.mayRespond {
            let info = connection.respond(
                hello: [1, 2, 3], epoch: epoch, counter: ownCounter, keepsTicket: false, at: now)
            if let info {
                begin(info)
                isConfirmed = false
            }
        } else if connection.wantsInitiation {
            ownCounter += 1
            current = nil
            if connection.initiate(
                hello: [4, 5, 6], epoch: epoch, counter: ownCounter, at: now)
            {
                initiations += 1
                earlyNumber = 0
            }
        }
    }

    private mutating func begin(_ info: SessionInfo) {
        current = info
        sessions.append(info.ticket)
        nextNumber = 0
    }

    /// A packet of the session whose content names session, sender and number; nil without one.
    mutating func message(at now: Instant) -> OutgoingPacket? {
        guard let current, connection.canSeal, connection.sendAllowance > 64 else { return nil }
        let content = Self.content(current.ticket, role, nextNumber)
        let packet = connection.seal(content, number: isLossy ? nextNumber : nil, at: now)
        nextNumber += 1
        return packet.map { OutgoingPacket(bytes: $0, address: connection.address) }
    }

    static func content(_ ticket: Ticket, _ role: DeviceRole, _ number: UInt64) -> [UInt8] {
        [role.rawValue] + ToyHash.bytes(ticket.rawValue) + ToyHash.bytes(number)
    }

    /// An early packet whose content names its sender's opening.
    mutating func earlyMessage() -> OutgoingPacket? {
        guard connection.canSealEarly else { return nil }
        let content = [role.rawValue] + ToyHash.bytes(earlyNumber)
        let packet = connection.sealEarly(content, number: earlyNumber)
        earlyNumber += 1
        return packet.map { OutgoingPacket(bytes: $0, address: connection.address) }
    }
}

extension Connection {
    /// Gives up this side's message 1; another one follows.
    mutating func abandonInitiation() {
        if initiated != nil { handshake?.beginAnew() }
    }
}
