/// One entry: a code, then its parts.
///
/// ```text
///  1 epochOpened              epoch · 0, or 1 and the parent · highest number used, per lane
///  2 queued                   record
///  3 reached                  record's identity · stage
///  4 settled                  record's identity · outcome
///  5 epochRetired             epoch
///  6 counterpartEpoch         epoch · rank · 0, or 1 and its parent
///  7 counterpartEpochRetired  epoch
///  8 received                 record · disposition
///  9 disposed                 record's identity · disposition
/// 10 withdrawn                record's identity · outcome
/// 11 counterpartFloor         lane · epoch · floor
/// 12 counterpartKeyForgotten  lane · key
/// 13 epochLost                epoch · 0, or 1 and the epoch before it
/// 14 adopted                  value of an own key
/// 15 counterpartEpochAbandoned  epoch
/// 16 keyRemembered            key · record's identity · disposition · moment
/// 17 repeated                 record's identity · identity of the first · disposition
/// 18 withdrawalAsked          record's identity · outcome: cancelled or expired
/// 19 ownKeyForgotten          lane · key
/// 20 handshakesReserved       number
/// 21 handshakeTaken           number
/// 22 pathMeasured             bytes a second · round trip in microseconds · loss of 10,000
/// 23 openingMet               epoch
/// 24 counterpartMet           epoch · epochs before it
/// 25 counterpartRefused       epoch
/// ```
extension JournalCoding {
    func write(_ entry: JournalEntry, to writer: inout WireWriter) {
        switch entry {
        case .epochOpened(let epoch, let parent, let parentHighest):
            writer.byte(1)
            writer.uint64(epoch.rawValue)
            Self.writeOptional(parent, to: &writer)
            Self.writePerLane(parentHighest.map(\.rawValue), to: &writer)
        case .queued(let record):
            writer.byte(2)
            write(record, to: &writer)
        case .reached(let id, let stage):
            writer.byte(3)
            Self.write(id, to: &writer)
            writer.byte(stage.rawValue)
        case .settled(let id, let outcome):
            writer.byte(4)
            Self.write(id, to: &writer)
            Self.write(outcome, to: &writer)
        case .epochRetired(let epoch):
            writer.byte(5)
            writer.uint64(epoch.rawValue)
        case .counterpartEpoch(let epoch, let rank, let parent):
            writer.byte(6)
            writer.uint64(epoch.rawValue)
            writer.varint(rank)
            Self.writeOptional(parent, to: &writer)
        case .counterpartEpochRetired(let epoch):
            writer.byte(7)
            writer.uint64(epoch.rawValue)
        case .received(let record, let disposition):
            writer.byte(8)
            write(record, to: &writer)
            Self.write(disposition, to: &writer)
        case .disposed(let id, let disposition):
            writer.byte(9)
            Self.write(id, to: &writer)
            Self.write(disposition, to: &writer)
        case .withdrawn(let id, let outcome):
            writer.byte(10)
            Self.write(id, to: &writer)
            Self.write(outcome, to: &writer)
        case .counterpartFloor(let epoch, let lane, let floor):
            writer.byte(11)
            Self.write(RecordID(epoch: epoch, lane: lane, number: floor), to: &writer)
        case .counterpartKeyForgotten(let lane, let key):
            writer.byte(12)
            writer.byte(lane.rawValue)
            write(name: key.rawValue, to: &writer)
        case .epochLost(let epoch, let after):
            writer.byte(13)
            writer.uint64(epoch.rawValue)
            Self.writeOptional(after, to: &writer)
        case .adopted(let value):
            writer.byte(14)
            write(value, to: &writer)
        case .counterpartEpochAbandoned(let epoch):
            writer.byte(15)
            writer.uint64(epoch.rawValue)
        case .keyRemembered(let key, let id, let disposition, let at):
            writer.byte(16)
            write(key, id, disposition, at, to: &writer)
        case .repeated(let id, let first, let disposition):
            writer.byte(17)
            Self.write(id, to: &writer)
            Self.write(first, to: &writer)
            Self.write(disposition, to: &writer)
        case .withdrawalAsked(let id, let outcome):
            writer.byte(18)
            Self.write(id, to: &writer)
            Self.write(outcome, to: &writer)
        case .handshakesReserved(let end):
            writer.byte(20)
            writer.varint(end)
        case .handshakeTaken(let number):
            writer.byte(21)
            writer.varint(number)
        case .pathMeasured(let memory):
            writer.byte(22)
            Self.write(memory, to: &writer)
        case .openingMet(let epoch):
            writer.byte(23)
            writer.uint64(epoch.rawValue)
        case .counterpartMet(let epoch, let former):
            writer.byte(24)
            writer.uint64(epoch.rawValue)
            Self.writeList(former, to: &writer) { $1.uint64($0.rawValue) }
        case .counterpartRefused(let epoch):
            writer.byte(25)
            writer.uint64(epoch.rawValue)
        case .ownKeyForgotten(let lane, let key):
            writer.byte(19)
            writer.byte(lane.rawValue)
            write(name: key.rawValue, to: &writer)
        }
    }

    func readEntry(_ reader: inout WireReader) throws(WireError) -> JournalEntry {
        let start = reader.offset
        let code = try reader.byte("journal entry")
        switch code {
        case 1:
            let epoch = EpochID(rawValue: try reader.uint64("epoch"))
            let parent = try Self.readOptionalEpoch(&reader)
            let highest = try Self.readPerLane(&reader, "parent's highest number", from: 0)
            return .epochOpened(
                epoch, parent: parent, parentHighest: highest.map { RecordNumber($0) })
        case 2: return .queued(try readOutbound(&reader))
        case 3:
            let id = try Self.readID(&reader)
            return .reached(id, try Self.readStage(&reader))
        case 4:
            let id = try Self.readID(&reader)
            return .settled(id, try Self.readOutcome(&reader))
        case 5: return .epochRetired(EpochID(rawValue: try reader.uint64("epoch")))
        case 6:
            let epoch = EpochID(rawValue: try reader.uint64("epoch"))
            let rank = try Self.readRank(&reader)
            let parent = try Self.readOptionalEpoch(&reader)
            return .counterpartEpoch(epoch, rank: rank, parent: parent)
        case 7: return .counterpartEpochRetired(EpochID(rawValue: try reader.uint64("epoch")))
        case 8:
            let record = try readInbound(&reader)
            return .received(record, try Self.readDisposition(&reader))
        case 9:
            let id = try Self.readID(&reader)
            return .disposed(id, try Self.readDisposition(&reader))
        case 10:
            let id = try Self.readID(&reader)
            return .withdrawn(id, try Self.readOutcome(&reader))
        case 11:
            let id = try Self.readID(&reader)
            return .counterpartFloor(id.epoch, id.lane, floor: id.number)
        case 12:
            let lane = try Lane.read(&reader)
            let key = try readName(&reader, "key", at: .forgottenKey(pairing, lane))
            return .counterpartKeyForgotten(lane, RecordKey(rawValue: key))
        case 13:
            let epoch = EpochID(rawValue: try reader.uint64("epoch"))
            return .epochLost(epoch, after: try Self.readOptionalEpoch(&reader))
        case 14: return .adopted(try readOwnValue(&reader))
        case 15:
            return .counterpartEpochAbandoned(EpochID(rawValue: try reader.uint64("epoch")))
        case 16 where version >= 2:
            let (key, memory) = try readKey(&reader)
            return .keyRemembered(key, memory.id, memory.word, at: memory.notedAt)
        case 17 where version >= 2:
            let id = try Self.readID(&reader)
            let first = try Self.readID(&reader)
            return .repeated(id, of: first, try Self.readDisposition(&reader))
        case 18 where version >= 3:
            let id = try Self.readID(&reader)
            return .withdrawalAsked(id, try Self.readWithdrawal(&reader))
        case 19 where version >= 3:
            let lane = try Lane.read(&reader)
            let key = try readName(&reader, "key", at: .ownForgottenKey(pairing, lane))
            return .ownKeyForgotten(lane, RecordKey(rawValue: key))
        case 20 where version >= 4:
            return .handshakesReserved(try reader.varint("reserved numbers of handshakes"))
        case 21 where version >= 4:
            return .handshakeTaken(try reader.varint("number of a handshake"))
        case 22 where version >= 6: return .pathMeasured(try Self.readPath(&reader))
        case 23 where version >= 7: return .openingMet(try Greeting.readEpoch(&reader))
        case 24 where version >= 7:
            let epoch = try Greeting.readEpoch(&reader)
            return .counterpartMet(epoch, former: try Self.readFormer(&reader))
        case 25 where version >= 7: return .counterpartRefused(try Greeting.readEpoch(&reader))
        default:
            throw WireError(
                .unknownCode, at: start, expected: "journal entry of the body's format",
                found: UInt64(code))
        }
    }
}
