internal import ControlProtocol
internal import Locks
internal import WatchProto

/// The commands about packets.
extension Simulator {
    static let packetCommands = ["packets.start", "packets.stop", "packets.dump"]

    /// Lines of each kind that a log holds where nobody says how many, and at most.
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
            let page = { @Sendable (log: PacketLog) in log.page(after: Int(after), count) }
            return life.withLock { $0.packets }.map(page) ?? session.withPacketLog(page)
                ?? ["since_ns": 0, "sent": [], "arrived": [], "next": .null, "omitted": 0]
        }
    }
}

extension PacketLog {
    /// A page of the reply: packets from `first` on, at most `limit`; fewer where they carry more
    /// than `limit` records, but one at least.
    fileprivate func page(after first: Int, _ limit: Int) -> JSONObject {
        let total = max(sent.count, arrivals.count)
        var records = carried[carried.firstIndex(fromPacket: first)...].prefix(limit + 1)
        var end = min(first + limit, total)
        if records.count > limit, let last = records.last {
            end = min(end, max(first + 1, last.packet))
            records = carried[records.startIndex...]
        }
        let sent = sent.indices.clamped(to: first..<max(first, end)).map { place -> JSONValue in
            let packet = self.sent[place]
            var object = name(packet.session, packet.number, packet.at)
            object["bytes"] = .whole(packet.bytes)
            object["frames"] = .array(packet.frames.map { .string($0.controlName) })
            let own = records.prefix { $0.packet == place }
            records = records.dropFirst(own.count)
            if !own.isEmpty { object["records"] = .array(own.map(\.controlValue)) }
            return .object(object)
        }
        let arrived = arrivals.indices.clamped(to: first..<max(first, end)).map {
            place -> JSONValue in
            let packet = arrivals[place]
            var object = name(packet.session, packet.number, packet.at)
            if packet.isRecovered { object["restored"] = true }
            return .object(object)
        }
        return [
            "since_ns": .whole(start.nanoseconds), "sent": .array(sent), "arrived": .array(arrived),
            "next": end < total ? .whole(end) : .null, "omitted": .whole(omitted),
        ]
    }

    private func name(_ place: Int, _ number: UInt64, _ moment: Instant) -> JSONObject {
        let session = sessions[place]
        let receiver = session.receiver.map { Hex.text(UInt128($0.rawValue), digits: 8) }
        return [
            "session": .string(
                Hex.text(UInt128(session.sender.rawValue), digits: 8) + "-"
                    + (receiver ?? "early")),
            "number": .whole(number), "t_ns": .whole(moment.nanoseconds),
        ]
    }
}

extension [PacketLog.Carried] {
    /// The place of the first record that a packet from `packet` on carries; packets ascend.
    fileprivate func firstIndex(fromPacket packet: Int) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].packet < packet { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension PacketLog.Carried {
    fileprivate var controlValue: JSONValue {
        var object: JSONObject = [
            "epoch": .string(record.epoch.hex), "channel": .string(record.channel.controlName),
            "number": .whole(record.number.rawValue),
        ]
        if let offset { object["offset"] = .whole(offset) }
        return .object(object)
    }
}

extension FrameType {
    /// As the articles call it: small words, spaces between.
    fileprivate var controlName: String {
        "\(self)".map { $0.isUppercase ? " \($0.lowercased())" : "\($0)" }.joined()
    }
}
