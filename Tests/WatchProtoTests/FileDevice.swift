import Locks
import WatchProtoCore
import WatchProtoSecurity
import WatchProtoTransport

@testable import WatchProto

/// One device with files, whose worker halts until a test lets it run.
struct FileDevice {
    /// The clock of the device and its disk, and what it reported and delivered.
    final class Surroundings: Sendable {
        let now = Mutex<Instant>(.zero)
        /// The room on the disk; nil for that of the real one.
        let freeBytes = Mutex<UInt64?>(nil)
        let reports = Mutex<[FileReport]>([])
        let paths = Mutex<[String]>([])

        /// The problems of an offer that were reported.
        func problems(of id: RecordID) -> [String] {
            reports.withLock { $0 }.filter { $0.id == id }.compactMap(\.problem)
        }

        func freeBytes(of file: borrowing OpenFile) throws(SystemErrorNumber) -> UInt64 {
            if let bytes = freeBytes.withLock({ $0 }) { return bytes }
            return try file.freeBytes()
        }
    }

    let link = KeepingLink()
    let work = ManualWorker()
    let surroundings = Surroundings()
    let center: FileCenter
    let exchange: FileExchange

    init(_ role: DeviceRole, directory: String? = nil) throws {
        center = FileCenter(
            try DeviceStorage(role, nil), directory: directory, work,
            freeBytes: { [surroundings] file throws(SystemErrorNumber) in
                try surroundings.freeBytes(of: file)
            },
            now: { [surroundings] in surroundings.now.withLock { $0 } },
            report: { [surroundings] report in
                surroundings.reports.withLock { $0.append(report) }
            })
        exchange = FileExchange(center)
        exchange.begin(link, with: 7)
        exchange.reachable(true)
        work.run()
    }

    /// The record of the file with this number, which has it as well.
    static func record(
        _ number: Int, _ content: [UInt8], metadata: [UInt8] = []
    ) -> InboundRecord {
        var digest = FileDigest()
        digest.update(content.span)
        let offer = FileOffer(
            size: UInt64(content.count), hash: digest.finish(), name: "a\(number)",
            metadata: metadata)
        return InboundRecord(
            id: KeepingLink.record(number, .bulk), kind: .file, key: nil, payload: offer.bytes,
            idempotencyKey: UInt128(number))
    }

    /// Receives the offer of the file with this number.
    @discardableResult
    func offer(_ number: Int, _ content: [UInt8], metadata: [UInt8] = []) -> Disposition {
        receive(Self.record(number, content, metadata: metadata))
    }

    func receive(_ record: InboundRecord) -> Disposition {
        exchange.receive(record) { [surroundings] whole in
            guard let file = try? ReceivedFile(decoding: whole.payload, key: nil) else { return }
            surroundings.paths.withLock { $0.append(file.path) }
        }
    }

    func say(_ message: FileMessage, of file: Int) {
        exchange.received(message.bytes(of: UInt128(file)))
    }

    /// The messages that it sent.
    func sent() -> [(file: Int, message: FileMessage)] {
        link.contents.withLock { $0.sent }.compactMap { _, draft in
            let read = try? FileMessage.read(draft.payload)
            return read.map { (Int($0.file), $0.message) }
        }
    }

    /// The files of which it wanted bytes.
    var asked: [Int] {
        sent().compactMap { file, message in
            if case .wanted = message { file } else { nil }
        }
    }

    func pass(_ time: Duration) {
        let now = surroundings.now.withLock { now in
            now = now.advanced(by: time)
            return now
        }
        exchange.wake(at: now)
        work.run()
    }
}
