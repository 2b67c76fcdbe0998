/// The codes and parts of entries.
extension JournalCoding {
    private enum Code: UInt8 {
        case opened = 1
        case ticketEntered = 2
        case ticketProgress = 3
        case counters = 4
        case epoch = 5
        case queued = 6
        case cancellationAsked = 7
        case committedThere = 8
        case settled = 9
        case tailLost = 10
        case value = 12
        case removalFloor = 13
        case received = 14
        case decided = 15
        case passed = 16
        case repeated = 17
        case watermark = 18
        case counterpartRemovalFloor = 19
        case topMoved = 20
        case pathMeasured = 21
        case numbered = 22
        case ended = 23
        case held = 24
        case key = 11
        case address = 25
    }

    /// The most tickets that one entry marks as abandoned.
    static let listLimit = 1 << 20

    static func write(_ entry: JournalEntry, to writer: inout WireWriter) {
        switch entry {
        case .opened(let epoch, let reservationEnd):
            writer.byte(Code.opened.rawValue)
            writer.uint64(epoch.rawValue)
            writer.varint(reservationEnd)
        case .ticketEntered(let ticket):
            writer.byte(Code.ticketEntered.rawValue)
            write(ticket, to: &writer)
        case .ticketProgress(let own, let counterpart):
            writer.byte(Code.ticketProgress.rawValue)
            writer.varint(own)
            writer.varint(counterpart.map { $0 + 1 } ?? 0)
        case .counters(let reserved, let counterpart):
            writer.byte(Code.counters.rawValue)
            writer.varint(reserved)
            writer.varint(counterpart)
        case .epoch(let epoch, let mark):
            writer.byte(Code.epoch.rawValue)
            writer.uint64(epoch.rawValue)
            writer.byte(mark.rawValue)
        case .removalFloor(let version):
            writer.byte(Code.removalFloor.rawValue)
            writer.varint(version)
        case .watermark(let epoch, let channel, let number):
            writer.byte(Code.watermark.rawValue)
            writer.uint64(epoch.rawValue)
            writer.byte(channel.rawValue)
            writer.varint(number)
        case .counterpartRemovalFloor(let version, let epoch):
            writer.byte(Code.counterpartRemovalFloor.rawValue)
            writer.varint(version)
            writer.uint64(epoch.rawValue)
        case .topMoved(let epoch):
            writer.byte(Code.topMoved.rawValue)
            writer.uint64(epoch.rawValue)
        case .tailLost(let epoch, let channel, let last):
            writer.byte(Code.tailLost.rawValue)
            writer.uint64(epoch.rawValue)
            writer.byte(channel.rawValue)
            writer.varint(last)
        case .pathMeasured(let memory):
            writer.byte(Code.pathMeasured.rawValue)
            writer.varint(memory.bytesPerSecond)
            writer.varint(memory.roundTripMicroseconds)
            writer.varint(UInt64(memory.lossPerTenThousand))
        case .address(let address):
            writer.byte(Code.address.rawValue)
            writer.uint128(address.host)
            writer.uint64(address.port)
        case .numbered(let epoch, let channel, let last):
            writer.byte(Code.numbered.rawValue)
            writer.uint64(epoch.rawValue)
            writer.byte(channel.rawValue)
            writer.varint(last)
        case .passed(let epoch, let channel, let first, let last, let exception):
            writer.byte(Code.passed.rawValue)
            writer.uint64(epoch.rawValue)
            writer.byte(channel.rawValue)
            writer.varint(first)
            writer.varint(last - first)
            write(exception, to: &writer)
        case .queued, .cancellationAsked, .committedThere, .settled, .value, .received, .decided,
            .repeated, .ended, .held, .key:
            writeRecordEntry(entry, to: &writer)
        }
    }

    private static func writeRecordEntry(_ entry: JournalEntry, to writer: inout WireWriter) {
        switch entry {
        case .queued(let record):
            writer.byte(Code.queued.rawValue)
            write(record, to: &writer)
        case .cancellationAsked(let id, let outcome):
            writer.byte(Code.cancellationAsked.rawValue)
            write(id, to: &writer)
            write(outcome, to: &writer)
        case .committedThere(let id):
            writer.byte(Code.committedThere.rawValue)
            write(id, to: &writer)
        case .settled(let id, let outcome):
            writer.byte(Code.settled.rawValue)
            write(id, to: &writer)
            write(outcome, to: &writer)
        case .value(let record, let outcome, let seen):
            writer.byte(Code.value.rawValue)
            write(record, to: &writer)
            writer.byte(outcome == nil ? 0 : 1)
            if let outcome { write(outcome, to: &writer) }
            writer.varint(seen)
        case .received(let record, let disposition, let time):
            writer.byte(Code.received.rawValue)
            write(record, to: &writer)
            write(disposition, to: &writer)
            writer.uint64(UInt64(bitPattern: time.milliseconds))
        case .decided(let id, let disposition):
            writer.byte(Code.decided.rawValue)
            write(id, to: &writer)
            write(disposition, to: &writer)
        case .ended(let id, let count, let outcome, let isLostSince):
            writer.byte(Code.ended.rawValue)
            write(id, to: &writer)
            writer.varint(count)
            write(outcome, to: &writer)
            writer.byte(isLostSince ? 1 : 0)
        case .held(let record, let followers):
            writer.byte(Code.held.rawValue)
            write(record, to: &writer)
            writer.varint(UInt64(followers.count))
            for id in followers { write(id, to: &writer) }
        case .key(let key, let id, let disposition, let time):
            writer.byte(Code.key.rawValue)
            writer.uint128(key)
            write(id, to: &writer)
            write(disposition, to: &writer)
            writer.uint64(UInt64(bitPattern: time.milliseconds))
        case .repeated(let id, let first, let disposition):
            writer.byte(Code.repeated.rawValue)
            write(id, to: &writer)
            write(first, to: &writer)
            write(disposition, to: &writer)
        default: break
        }
    }

    static func readEntry(_ reader: inout WireReader) throws(WireError) -> JournalEntry {
        let start = reader.offset
        let code = try reader.byte("journal entry")
        switch Code(rawValue: code) {
        case .opened:
            return .opened(
                try readEpoch(&reader), reservationEnd: try readVersionNumber(&reader))
        case .ticketEntered: return .ticketEntered(try readTicketEntry(&reader))
        case .ticketProgress:
            let own = try readVersionNumber(&reader)
            let counterpart = try readVersionNumber(&reader)
            return .ticketProgress(
                own: own, counterpart: counterpart == 0 ? nil : counterpart - 1)
        case .counters:
            return .counters(
                reserved: try readVersionNumber(&reader),
                counterpart: try readVersionNumber(&reader))
        case .epoch:
            let epoch = try readEpoch(&reader)
            let at = reader.offset
            let mark = try reader.byte("mark of an epoch")
            guard let mark = EpochMark(rawValue: mark) else {
                throw WireError(
                    .unknownCode, at: at, expected: "mark 0 to 7", found: UInt64(mark))
            }
            return .epoch(epoch, mark)
        case .queued: return .queued(try readOutbound(&reader))
        case .cancellationAsked:
            return .cancellationAsked(try readID(&reader), try readOutcome(&reader))
        case .committedThere: return .committedThere(try readID(&reader))
        case .settled: return .settled(try readID(&reader), try readOutcome(&reader))
        case .tailLost:
            return .tailLost(
                try readEpoch(&reader), try reader.channel(),
                last: try reader.number())
        case .numbered:
            return .numbered(
                try readEpoch(&reader), try reader.channel(),
                last: try reader.number())
        case .ended: return try readEnded(&reader)
        case .value:
            return .value(
                try readOutbound(&reader),
                try readFlag(&reader) ? try readOutcome(&reader) : nil,
                seen: try readVersionNumber(&reader))
        case .removalFloor: return .removalFloor(try readVersionNumber(&reader))
        case .received:
            return .received(
                try readInbound(&reader), try readDisposition(&reader), at: try readTime(&reader))
        case .decided: return .decided(try readID(&reader), try readDisposition(&reader))
        case .passed: return try readPassed(&reader)
        case .held: return try readHeld(&reader)
        case .key:
            return .key(
                try reader.uint128("idempotency key"), try readID(&reader),
                try readDisposition(&reader), at: try readTime(&reader))
        case .repeated:
            return .repeated(
                try readID(&reader), of: try readID(&reader), try readDisposition(&reader))
        case .watermark:
            return .watermark(
                try readEpoch(&reader), try reader.channel(),
                try readVersionNumber(&reader))
        case .counterpartRemovalFloor:
            return .counterpartRemovalFloor(
                try readVersionNumber(&reader), try readEpoch(&reader))
        case .topMoved: return .topMoved(try readEpoch(&reader))
        case .pathMeasured: return .pathMeasured(try readPath(&reader, at: start))
        case .address:
            return .address(
                PathAddress(
                    host: try reader.uint128("address"), port: try reader.uint64("port")))
        case nil:
            throw WireError(
                .unknownCode, at: start, expected: "journal entry 1 to 26", found: UInt64(code))
        }
    }
}
