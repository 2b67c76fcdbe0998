import Glibc
import Testing
import WatchProtoCore
import WatchProtoSecurity

@testable import WatchProtoJournal

/// Keys in the journal's file: kept, replaced, forgotten, sealed, and not to be found afterwards.
@Suite(.timeLimit(.minutes(3)))
struct KeysTests {
    let directory = TemporaryDirectory()
    var path: String { directory.file("j") }
    let devices: [PairedDevice]

    /// The commit that forgets a pairing.
    private static let commitsOfErasing = 1
    /// The pairings with a journal once these keys are kept.
    private static func begun(_ device: PairedDevice) -> [PairingID] { [device.pairing] }

    init() throws {
        devices = try (1...3).map { try SimulatedPair(seed: $0).phone }
    }

    private func open(
        _ key: any PayloadKey = UnsealedPayloads(), _ fault: JournalFault? = nil
    ) throws -> JournalFile {
        var options = JournalOptions(key: key)
        options.fault = fault
        return try JournalFile(path: path, options: options)
    }

    /// Whether any file of the directory holds these bytes, or the beginning of them.
    private func holds(_ bytes: [UInt8]) -> Bool {
        directory.contents.values.contains { $0.contains(bytes) }
    }

    /// The secrets that nobody else may know: the static key and the key of the pairing.
    private func secrets(_ device: PairedDevice) -> [[UInt8]] {
        let bytes = device.exposed()
        return [Array(bytes[82..<114]), Array(bytes[114..<146])]
    }

    private func isHeld(_ device: PairedDevice) -> Bool { secrets(device).contains(where: holds) }

    private func other(_ device: PairedDevice, than counterpart: UInt128) throws -> PairedDevice {
        var bytes = device.exposed()
        for place in 0..<16 {
            bytes[34 + place] = UInt8(truncatingIfNeeded: counterpart >> (8 * place))
        }
        return try #require(PairedDevice(exposed: bytes))
    }

    @Test func a_device_has_one_name_for_as_long_as_its_file_lives() throws {
        var names: Set<DeviceID> = []
        for _ in 0..<3 {
            let file = try open()
            names.insert(try file.deviceID())
            names.insert(try file.deviceID())
            file.abandon()
        }
        #expect(names.count == 1)
    }

    @Test(arguments: [nil, 5] as [UInt8?])
    func what_is_kept_survives_a_kill(key: UInt8?) throws {
        let key: any PayloadKey = key.map { ToyKey(key: $0) } ?? UnsealedPayloads()
        var file = try open(key)
        #expect(try file.pairedDevices().isEmpty)
        let first = try other(devices[0], than: 100)
        let second = try other(devices[1], than: 200)
        try file.keep(first)
        try file.keep(second)
        for _ in 0..<2 {
            file.abandon()
            file = try open(key)
            #expect(
                try file.pairedDevices().map { $0.exposed() }
                    == [first, second].map { $0.exposed() })
        }
        file.close()
    }

    @Test func keys_are_sealed_where_the_journal_is_and_otherwise_nobody_else_reads_the_file()
        throws
    {
        let file = try open()
        // Somebody opened it to others before there was anything to hide.
        _ = unsafe chmod(path, 0o644)
        try file.keep(devices[0])
        #expect(isHeld(devices[0]))
        for name in ["j", "j-wal"] {
            var facts = stat()
            #expect(unsafe stat(directory.file(name), &facts) == 0)
            #expect(facts.st_mode & 0o777 == 0o600)
        }
        file.abandon()
        for name in directory.names { directory.remove(name) }
        let key = AtRestPayloads(key: try AtRestKey.createKeyFile(directory.file("key")))
        let sealed = try open(key)
        let name = try sealed.deviceID()
        try sealed.keep(devices[0])
        #expect(!isHeld(devices[0]))
        let bytes = (0..<16).map { UInt8(truncatingIfNeeded: name.rawValue >> (8 * $0)) }
        #expect(!holds(bytes) && !holds(bytes.reversed()))
        sealed.close()
        #expect(!isHeld(devices[0]))
    }

    @Test func pairing_anew_with_a_device_takes_the_place_of_the_earlier_one() throws {
        let file = try open()
        try file.keep(devices[0])
        try file.journal(for: devices[0].pairing).give([opened, queued(1)], to: try Post())
        try file.flush()
        // The same two devices, as every simulated pair is.
        try file.keep(devices[1])
        #expect(try file.pairedDevices().map(\.pairing) == [devices[1].pairing])
        #expect(!isHeld(devices[0]))
        #expect(isHeld(devices[1]))
        #expect(Set(file.pairings) == Set([devices[0].pairing] + Self.begun(devices[1])))
        file.close()
    }

    @Test(arguments: [nil, 5] as [UInt8?])
    func the_pairing_in_use_is_the_last_and_the_others_keep_theirs(key: UInt8?) throws {
        let key: any PayloadKey = key.map { ToyKey(key: $0) } ?? UnsealedPayloads()
        var file = try open(key)
        let kept = try (0..<3).map { try other(devices[$0], than: 100 * UInt128($0 + 1)) }
        for device in kept {
            try file.keep(device)
            try file.journal(for: device.pairing).give([opened, queued(1)], to: try Post())
        }
        #expect(try file.activate(kept[0].pairing))
        // It is so already, and one that is not known is not.
        #expect(try file.activate(kept[0].pairing))
        #expect(try !file.activate(PairingID(rawValue: 7)))
        for _ in 0..<2 {
            #expect(
                try file.pairedDevices().map { $0.exposed() }
                    == [kept[1], kept[2], kept[0]].map { $0.exposed() })
            for device in kept {
                let image = try file.journal(for: device.pairing).restore()
                #expect(image.outboundInOrder().count == 1)
            }
            file.abandon()
            file = try open(key)
        }
        // A forgotten pairing goes with the bytes of its former row.
        try file.forget(kept[0].pairing)
        #expect(!isHeld(kept[0]))
        #expect(try file.pairedDevices().map(\.pairing) == kept[1...].map(\.pairing))
        file.close()
    }

    @Test(arguments: [false, true])
    func what_is_forgotten_is_not_in_the_file(isFolded: Bool) throws {
        let word = Array("Levothyroxine 50".utf8)
        let kept = try other(devices[1], than: 200)
        var options = JournalOptions()
        if isFolded { options.logBytesBeforeImage = 0 }
        var file = try JournalFile(path: path, options: options)
        try file.keep(devices[0])
        try file.keep(kept)
        let post = try Post()
        for number in 1...20 as ClosedRange<UInt64> {
            let entries = (number == 1 ? [opened] : []) + [queued(number, word)]
            try file.journal(for: devices[0].pairing).give(entries, number, to: post)
            try file.journal(for: kept.pairing).give(
                (number == 1 ? [opened] : []) + [queued(number, [7])], number, to: post)
            try file.flush()
        }
        let image = try file.journal(for: kept.pairing).restore()
        #expect(holds(word))
        #expect(try file.forget(devices[0].pairing))
        #expect(!holds(word))
        #expect(!isHeld(devices[0]))
        #expect(isHeld(kept))
        #expect(try !file.forget(devices[0].pairing))
        #expect(try file.journal(for: devices[0].pairing).restore() == JournalImage())
        // The journal goes on, and what it wrote since is found by whoever opens it next.
        try file.journal(for: kept.pairing).give([queued(21, [8])], 21, to: post)
        try file.flush()
        file.abandon()
        file = try JournalFile(path: path, options: options)
        var expected = image
        expected.apply(queued(21, [8]))
        #expect(try file.journal(for: kept.pairing).restore() == expected)
        #expect(file.pairings == [kept.pairing])
        #expect(try file.pairedDevices().map(\.pairing) == [kept.pairing])
        file.close()
        #expect(!holds(word) && !isHeld(devices[0]))
    }

    /// Under a key, too: what is sealed could be opened by whoever gets the key later.
    @Test func the_sealed_bytes_of_what_is_forgotten_are_gone() throws {
        let file = try open(ToyKey(key: 5))
        let kept = try other(devices[1], than: 200)
        try file.keep(devices[0])
        try file.keep(kept)
        try file.journal(for: devices[0].pairing).give([opened, queued(1)], to: try Post())
        try file.flush()
        func bodies(_ table: String) throws -> [[UInt8]] {
            try file.read { store in
                try store.query("SELECT body FROM \(table) ORDER BY 1") {
                    (row: borrowing SQLRow) throws(StoreFailure) in row.blob(0)
                }
            }
        }
        let (keys, log) = (try bodies("journal_keys"), try bodies("journal_log"))
        #expect(keys.count == 2 && log.count == 1 + 2 * Self.begun(kept).count)
        #expect((keys + log).allSatisfy(holds))
        #expect(try file.forget(devices[0].pairing))
        let left = try bodies("journal_keys")
        #expect(left.count == 1 && left.allSatisfy(holds))
        for gone in keys where !left.contains(gone) {
            // Nor a piece of it, in the file or in its log.
            for start in stride(from: 0, through: gone.count - 16, by: 16) {
                #expect(!holds(Array(gone[start..<start + 16])), "from \(start)")
            }
        }
        #expect(!log.contains(where: holds))
        file.close()
        #expect(!log.contains(where: holds))
    }

    /// The crash comes at the n-th commit or copy from the beginning of forgetting on.
    @Test(arguments: 0...3)
    func a_crash_while_forgetting_leaves_all_of_it_or_nothing(after count: Int) throws {
        let word = Array("Levothyroxine 50".utf8)
        let left = Count()
        let fault = JournalFault { call in
            switch call {
            case .commit, .checkpoint: left.next() <= 0 ? 10 : nil
            default: nil
            }
        }
        let file = try open(UnsealedPayloads(), fault)
        try file.keep(devices[0])
        try file.journal(for: devices[0].pairing).give([opened, queued(1, word)], to: try Post())
        try file.flush()
        left.set(count)
        #expect(throws: JournalError.self) { try file.forget(devices[0].pairing) }
        #expect(file.failure != nil)
        file.abandon()
        let again = try open()
        let isKept = try again.pairedDevices().isEmpty == false
        #expect(isKept == (count < Self.commitsOfErasing))
        #expect((again.pairings == [devices[0].pairing]) == isKept)
        again.close()
        #expect(holds(word) == isKept)
        #expect(isHeld(devices[0]) == isKept)
    }

    @Test func a_store_is_erased_in_the_same_transaction() throws {
        let file = try JournalFile(path: path, options: JournalOptions(stores: [StoreTests.doses]))
        try file.keep(devices[0])
        try file.journal(for: devices[0].pairing).give(
            [opened], writes: [StoreTests.insert(1, "Levothyroxine")], to: try Post())
        try file.forget(devices[0].pairing, writes: [SQLWrite("DELETE FROM dose")])
        file.close()
        #expect(!holds(Array("Levothyroxine".utf8)))
    }

    @Test(arguments: [nil, 5] as [UInt8?])
    func a_pairing_can_take_the_place_of_all_others(key: UInt8?) throws {
        let key: any PayloadKey = key.map { ToyKey(key: $0) } ?? UnsealedPayloads()
        let options = JournalOptions(key: key, stores: [StoreTests.doses])
        var file = try JournalFile(path: path, options: options)
        let kept = try (0..<3).map { try other(devices[$0], than: 100 * UInt128($0 + 1)) }
        for (number, device) in kept[..<2].enumerated() {
            try file.keep(device)
            try file.journal(for: device.pairing).give(
                [opened, queued(1)],
                writes: [StoreTests.insert(Int64(number), "Levothyroxine")], to: try Post())
        }
        try file.keep(
            kept[2], erasing: kept[..<2].map(\.pairing), writes: [SQLWrite("DELETE FROM dose")])
        for _ in 0..<2 {
            #expect(try file.pairedDevices().map(\.pairing) == [kept[2].pairing])
            #expect(file.pairings == Self.begun(kept[2]))
            #expect(!kept[..<2].contains(where: isHeld))
            #expect(!holds(Array("Levothyroxine".utf8)))
            // The journal goes on.
            let journal = try file.journal(for: kept[2].pairing)
            let count = try journal.restore().outboundInOrder().count
            journal.give(count == 0 ? [opened, queued(1)] : [queued(2)], to: try Post())
            try file.flush()
            file.abandon()
            file = try JournalFile(path: path, options: options)
            let image = try file.journal(for: kept[2].pairing).restore()
            #expect(image.outboundInOrder().count > count)
            try file.forget(kept[2].pairing)
            try file.keep(kept[2])
        }
        file.close()
    }

    /// The crash comes at the n-th commit or copy from the beginning of it on.
    @Test(arguments: 0...3)
    func a_crash_while_one_takes_the_place_of_another_leaves_one_of_the_two(
        after count: Int
    ) throws {
        let word = Array("Levothyroxine 50".utf8)
        let left = Count()
        let fault = JournalFault { call in
            switch call {
            case .commit, .checkpoint: left.next() <= 0 ? 10 : nil
            default: nil
            }
        }
        let second = try other(devices[1], than: 200)
        let file = try open(UnsealedPayloads(), fault)
        try file.keep(devices[0])
        try file.journal(for: devices[0].pairing).give([opened, queued(1, word)], to: try Post())
        try file.flush()
        left.set(count)
        #expect(throws: JournalError.self) {
            try file.keep(second, erasing: [devices[0].pairing])
        }
        file.abandon()
        let again = try open()
        let isFormer = count < Self.commitsOfErasing
        let expected = isFormer ? devices[0] : second
        #expect(try again.pairedDevices().map(\.pairing) == [expected.pairing])
        #expect((again.pairings == [devices[0].pairing]) == isFormer)
        again.close()
        #expect(holds(word) == isFormer)
        #expect(isHeld(devices[0]) == isFormer && isHeld(second) != isFormer)
    }

    @Test(arguments: [
        "UPDATE journal_keys SET body = x'00'",
        "UPDATE journal_meta SET value = x'00' WHERE name = 'device'",
    ])
    func altered_keys_are_found_when_the_file_is_opened(_ sql: String) throws {
        var file = try open()
        _ = try file.deviceID()
        try file.keep(devices[0])
        file.close()
        try Database(path: path, creating: false).run(sql)
        let error = #expect(throws: JournalError.self) { file = try open() }
        #expect(error?.kind == .damaged)
    }
}
