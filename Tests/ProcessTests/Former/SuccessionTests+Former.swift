import ControlKit
import DeviceStore
import Testing
import WatchJournal
import WatchProto
import WatchProtoRecords
import WatchTransport

extension SimulatorSuccessionTests {
    /// An earlier version left the journal of the former pairing there, with nobody's name on it.
    @Test func what_an_earlier_version_left_is_forgotten_by_its_pairing() throws {
        let watch = try start("WatchSim", "w")
        let phone = try start("PhoneSim", "p")
        try pair(watch, phone)
        try end(phone)
        let options = JournalOptions(stores: [DeviceSchema.schema])
        let file = try JournalFile(path: bench.path("p"), options: options)
        let epoch = EpochID(rawValue: 5)
        let record = OutboundRecord(
            id: RecordID(epoch: epoch, lane: .background, number: RecordNumber(1)),
            draft: RecordDraft(
                lane: .background, kind: .userInfo, payload: Array("SECRETWORD".utf8)))
        _ = try file.journal(for: PairingID(rawValue: 99)).persist(
            [
                .epochOpened(
                    epoch, parent: nil, parentHighest: Lane.allCases.map { _ in RecordNumber(0) }),
                .queued(record),
            ], writes: [], receipt: JournalReceipt(rawValue: 1), mailbox: JournalMailbox(wake: nil))
        file.close()
        #expect(holds("SECRETWORD", "p"))
        let again = try start("PhoneSim", "p")
        let rows = try again.call("pair.list")["pairings"]?.array ?? []
        #expect(rows.map { $0["state"] } == ["active", "replaced"])
        try again.call("pair.forget", ["pairing": rows[1]["pairing"] ?? .null])
        #expect(try again.call("pair.list")["pairings"]?.array?.count == 1)
        try again.wait("reachability", ["reachable": true])
        try end(again)
        #expect(!holds("SECRETWORD", "p"))
    }
}
