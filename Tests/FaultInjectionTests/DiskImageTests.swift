import Testing

@testable import FaultInjection

/// The files after a loss of power, call by call.
@Suite struct DiskImageTests {
    private func disk(_ calls: DiskCall...) -> DiskImage {
        CrashRecovery.disk(calls, on: [("a", [1, 2, 3])])
    }

    private func write(_ name: String, _ bytes: [UInt8], at offset: Int = 0) -> DiskCall {
        DiskCall(kind: .write, path: "/d/\(name)", offset: offset, bytes: bytes)
    }

    private func call(
        _ kind: DiskCall.Kind, _ name: String, _ offset: Int = 0, to target: String? = nil
    ) -> DiskCall {
        DiskCall(kind: kind, path: "/d/\(name)", offset: offset, target: target.map { "/d/\($0)" })
    }

    private func files(_ disk: DiskImage, _ fate: DiskImage.Fate) -> [String: [UInt8]] {
        Dictionary(uniqueKeysWithValues: disk.files(after: fate).map { ($0.name, $0.bytes) })
    }

    /// All that torn fates can leave of it.
    private func torn(_ disk: DiskImage) -> Set<[String: [UInt8]]> {
        Set((0..<200).map { files(disk, .tear(seed: $0)) })
    }

    @Test func a_write_is_sure_once_it_is_synced() {
        let open = disk(write("a", [9], at: 1))
        #expect(files(open, .keepAll) == ["a": [1, 9, 3]])
        #expect(files(open, .dropUnsynced) == ["a": [1, 2, 3]])
        #expect(torn(open) == [["a": [1, 9, 3]], ["a": [1, 2, 3]]])
        let synced = disk(write("a", [9], at: 1), call(.sync, "a"))
        #expect(!synced.hasUnsynced)
        #expect(files(synced, .dropUnsynced) == ["a": [1, 9, 3]])
    }

    @Test func a_write_is_torn_at_sectors() {
        let disk = disk(write("a", [UInt8](repeating: 7, count: 1024), at: 512 - 3))
        let counts = torn(disk).map { files in files["a"]!.count { $0 == 7 } }
        #expect(Set(counts) == [0, 3, 512, 515, 509, 512, 1021, 1024])
    }

    /// The name of a new file is the directory's, not the file's.
    @Test func a_new_file_is_there_once_the_directory_is_synced() {
        let calls = [call(.create, "b"), write("b", [5]), call(.sync, "b")]
        var disk = CrashRecovery.disk(calls, on: [])
        #expect(files(disk, .dropUnsynced) == [:])
        #expect(torn(disk) == [[:], ["b": [5]]])
        disk.apply(call(.syncDirectory, ""))
        #expect(files(disk, .dropUnsynced) == ["b": [5]])
    }

    @Test func a_log_that_sqlite_makes_has_its_name_with_the_first_sync() {
        var disk = disk(call(.create, "a-wal"), write("a-wal", [5]))
        #expect(files(disk, .dropUnsynced) == ["a": [1, 2, 3]])
        disk.apply(call(.sync, "a-wal"))
        #expect(files(disk, .dropUnsynced) == ["a": [1, 2, 3], "a-wal": [5]])
    }

    @Test func a_name_is_given_whole_or_not_at_all() {
        let calls = [
            call(.create, "b"), write("b", [5]), call(.syncDirectory, ""),
            call(.rename, "b", to: "c"),
        ]
        var disk = CrashRecovery.disk(calls, on: [])
        // The content of the file is not synced.
        #expect(files(disk, .dropUnsynced) == ["b": []])
        #expect(torn(disk) == [["b": []], ["c": []], ["b": [5]], ["c": [5]]])
        disk.apply(call(.syncDirectory, ""))
        #expect(files(disk, .dropUnsynced) == ["c": []])
    }

    @Test func a_file_that_was_deleted_may_come_back() {
        #expect(torn(disk(call(.delete, "a"))) == [[:], ["a": [1, 2, 3]]])
        #expect(files(disk(call(.delete, "a", 1)), .dropUnsynced) == [:])
        #expect(!disk(call(.delete, "b")).hasUnsynced)
    }

    /// The system may have dropped what it could not write, and says so once only.
    @Test func what_a_failed_sync_was_to_keep_stays_in_doubt() {
        var failed = call(.sync, "a")
        failed.isFailed = true
        let disk = disk(
            write("a", [9], at: 1), failed, write("a", [8], at: 2), call(.sync, "a"))
        #expect(files(disk, .keepAll) == ["a": [1, 9, 8]])
        #expect(files(disk, .dropUnsynced) == ["a": [1, 2, 8]])
        #expect(torn(disk) == [["a": [1, 9, 8]], ["a": [1, 2, 8]]])
        // Written once more it is sure.
        var mended = disk
        mended.apply(write("a", [9], at: 1))
        mended.apply(call(.sync, "a"))
        #expect(torn(mended) == [["a": [1, 9, 8]]])
    }

    /// The model against the files of the real disk.
    @Test(arguments: CrashFamily.allCases)
    func with_everything_kept_the_files_are_those_of_the_disk(_ family: CrashFamily) throws {
        let scratch = try ScratchDirectory(in: CrashCampaignTests.directory)
        let recording = try CrashRecorder(family: family, seed: 4).record(in: scratch)
        let disk = CrashRecovery.disk(recording.calls, on: recording.base)
        let modelled = files(disk, .keepAll).filter { $0.key != "journal-lock" }
        let real = try scratch.contents().filter { $0.name != "journal-lock" }
        #expect(modelled == Dictionary(uniqueKeysWithValues: real))
    }
}
