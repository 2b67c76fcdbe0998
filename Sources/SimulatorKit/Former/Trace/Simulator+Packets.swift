internal import ControlKit
internal import Synchronization
internal import WatchProto

/// The commands about packets.
extension Simulator {
    static let packetCommands = ["packets.start", "packets.stop", "packets.dump"]

    /// Lines of each kind that a list holds where nobody says how many, and at most.
    private static let packetLines = (usual: Int64(100_000), most: Int64(1_000_000))

    /// Packets of one page, and about as many records in them: with them a reply stays below a
    /// line's limit.
    private static let packetPage = 2000

    func logPackets(_ request: ControlRequest) throws(ControlError) -> JSONObject {
        switch request.command {
        case "packets.start":
            let lines = Self.packetLines
            let limit = try request.optionalInteger("limit", in: 1...lines.most)
            life.withLock { $0.packets = nil }
            session.logPackets(limit: Int(limit ?? lines.usual))
            return JSONObject()
        case "packets.stop":
            let log = session.withPacketLog { $0 }
            session.logPackets(limit: nil)
            life.withLock { $0.packets = log ?? $0.packets }
            return JSONObject()
        default:
            let after = try request.optionalInteger("after", in: 0...Int64(Int32.max)) ?? 0
            let limit = try request.optionalInteger("limit", in: 1...Int64.max) ?? Int64.max
            let count = Int(min(limit, Int64(Self.packetPage)))
            let page = { @Sendable log in Self.page(of: log, from: Int(after), limit: count) }
            return life.withLock { $0.packets }.map(page) ?? session.withPacketLog(page)
                ?? ["since_ns": 0, "sent": [], "arrived": [], "next": .null, "omitted": 0]
        }
    }

    private static func page(of log: PacketLog, from first: Int, limit: Int) -> JSONObject {
        let page = log.page(from: first, limit: limit)
        var carried = page.carried
        let sent = page.sent.indices.map { place -> JSONValue in
            let packet = page.sent[place]
            var object = packetName(packet.session, packet.number, packet.at, in: log)
            object["bytes"] = .whole(packet.bytes)
            object["frames"] = .array(packet.frames.names.map { .string($0) })
            var records: [JSONValue] = []
            while let next = carried.first, Int(next.packet) == place {
                records.append(value(of: next, in: log))
                carried.removeFirst()
            }
            if !records.isEmpty { object["records"] = .array(records) }
            return .object(object)
        }
        let arrived = page.arrivals.map { packet -> JSONValue in
            var object = packetName(packet.session, packet.number, packet.at, in: log)
            if packet.isRestored { object["restored"] = true }
            return .object(object)
        }
        return [
            "since_ns": .whole(log.start.nanoseconds), "sent": .array(sent),
            "arrived": .array(arrived), "next": page.next.map { .whole($0) } ?? .null,
            "omitted": .whole(log.omitted),
        ]
    }

    private static func packetName(
        _ session: UInt16, _ number: UInt64, _ moment: Instant, in log: PacketLog
    ) -> JSONObject {
        let session = log.sessions[Int(session)]
        let receiver =
            session.receiver == 0 ? "early" : Hex.text(UInt128(session.receiver), digits: 8)
        return [
            "session": .string(Hex.text(UInt128(session.sender), digits: 8) + "-" + receiver),
            "number": .whole(number), "t_ns": .whole(moment.nanoseconds),
        ]
    }

    private static func value(of carried: PacketLog.Carried, in log: PacketLog) -> JSONValue {
        var object: JSONObject = [
            "epoch": .string(log.epochs[Int(carried.epoch)].hex),
            "lane": .string(carried.lane.controlName), "number": .whole(carried.number),
        ]
        if carried.offset >= 0 { object["offset"] = .whole(carried.offset) }
        return .object(object)
    }
}
