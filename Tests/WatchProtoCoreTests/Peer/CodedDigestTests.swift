import Testing
import WatchProtoRecords

@testable import WatchProtoCore

/// The digests of medications that are coded, and of those that are not.
@Suite struct CodedDigestTests {
    /// How a side sees a set: the digest, and the fingerprint of each value.
    private struct View: Hashable {
        var digest: UInt64
        var fingerprints: [UInt64]
    }

    private static func medication(_ number: Int, _ revision: UInt32) -> LightweightMedication {
        let names = ["Metformin", "Zyxtor", "Aspirin", "Lévothyrox"]
        return LightweightMedication(
            id: MedicationID(rawValue: UInt128(number)), name: names[number % 4],
            dosage: Dosage(strength: "\(number) mg", form: .tablet),
            schedule: DoseSchedule(slots: DoseSlots(minutes: [480, 1_200]) ?? DoseSlots()),
            instructions: "Take with food", revision: revision,
            updatedAt: WallTime(milliseconds: 1_700_000_000_000 + Int64(revision) * 61_234))
    }

    /// Medications of a side, five of them, in this revision.
    private static func set(_ role: DeviceRole, _ revision: UInt32) throws -> [SyncValue] {
        try (0..<5).map { number in
            let medication = medication(number + (role == .phone ? 1 : 101), revision)
            return SyncValue(
                key: medication.recordKey, kind: .medication, payload: try medication.encoded())
        }
    }

    private static func pair(_ phone: UInt32?, _ watch: UInt32?) -> PeerPair {
        var conditions = PeerPair.Conditions()
        var kinds = RecordKinds.product
        kinds.codingTable = phone
        conditions.kinds[.phone] = kinds
        kinds.codingTable = watch
        conditions.kinds[.watch] = kinds
        conditions.watchIsAhead = 3_600_000
        return PeerPair.connected(conditions)
    }

    /// Sends a set until the counterpart has applied it. Returns the bytes that left.
    private func send(_ values: [SyncValue], _ pair: PeerPair, _ side: PeerPair.Side) -> Int {
        let before = side.bytesSent
        var ids: [RecordID] = []
        pair.input(side) { peer, now in
            let result = try? peer.synchronize(
                .context, values, kinds: [.medication], removalKind: .medicationRemoval, at: now)
            if case .queued(let queued) = result { ids = queued }
        }
        #expect(ids.count == values.count)
        let isDone = pair.run { ids.allSatisfy { side.settled($0) == .applied } }
        #expect(isDone)
        pair.run(for: .seconds(2))
        return side.bytesSent - before
    }

    private func fingerprint(_ kind: ContentKind?, _ payload: [UInt8]?) throws -> UInt64 {
        VersionDigest.fingerprint(try #require(kind), try #require(payload))
    }

    /// The set of a side as its sender and as the receiver of the counterpart have it.
    private func views(
        _ pair: PeerPair, _ side: PeerPair.Side, _ values: [SyncValue]
    ) throws -> (sent: View, held: View) {
        var (sent, held): (View?, View?)
        var fault: (any Error)?
        let names = values.map { ValueName(channel: .context, key: $0.key) }
        pair.input(side) { peer, _ in
            do {
                sent = View(
                    digest: peer.rooms.values.values.digest(),
                    fingerprints: try names.map { name in
                        let record = peer.rooms.values.values[name]?.newest
                        return try fingerprint(record?.kind, record?.payload)
                    })
            } catch { fault = error }
        }
        pair.input(pair.other(side)) { peer, _ in
            do {
                held = View(
                    digest: peer.rooms.heldValues.presentation.digest,
                    fingerprints: try names.map { name in
                        let record = peer.rooms.heldValues.held(name)
                        return try fingerprint(record?.kind, record?.payload)
                    })
            } catch { fault = error }
        }
        if let fault { throw fault }
        return (try #require(sent), try #require(held))
    }

    @Test("W-27, F-28: both sides have the same digests of medications, whatever the tables are")
    func digests() throws {
        let table = try #require(RecordKinds.product.codingTable)
        var all: [[View]] = []
        var bytes: [Int] = []
        for watch in [table, table &+ 1, nil] as [UInt32?] {
            let pair = Self.pair(table, watch)
            var (seen, left): ([View], Int) = ([], 0)
            for revision in [1, 2] as [UInt32] {
                for side in [pair.phone, pair.watch] {
                    left += send(try Self.set(side.role, revision), pair, side)
                }
                for side in [pair.phone, pair.watch] {
                    let values = try Self.set(side.role, revision)
                    let (sent, held) = try views(pair, side, values)
                    #expect(sent == held)
                    #expect(
                        sent.fingerprints
                            == values.map { VersionDigest.fingerprint($0.kind, $0.payload) })
                    seen.append(sent)
                }
            }
            #expect(Set(seen).count == 4)
            all.append(seen)
            bytes.append(left)
        }
        #expect(all[0] == all[1] && all[0] == all[2])
        // Two peers with the same table have coded the medications, and no others.
        #expect(bytes[1] == bytes[2] && bytes[0] < bytes[1] * 3 / 4, "\(bytes)")
    }
}
