internal import Glibc
import WatchProtoCore

/// The states of the disk in which a crash of one run may leave it, moment by moment.
struct CrashStates {
    /// One of them.
    struct State {
        var point: CrashPoint
        var files: [DiskImage.NamedFile]
        /// Counts those that differ: one that holds the same bytes as another of this call or the
        /// one before has its number.
        var number: Int
        var isNew: Bool
    }

    var recording: CrashRecording
    var seed: UInt64
    /// Torn states at each call.
    var tornStates: Int

    /// Gives `body` each of them in turn, until it returns false; says how many differ.
    @discardableResult
    func each(_ body: (State) throws -> Bool) rethrows -> Int {
        var disk = DiskImage(holding: recording.base)
        var generator = SeededGenerator(seed: seed)
        var near: [State] = []
        var count = 0
        for callCount in 0...recording.calls.count {
            if callCount > 0 { disk.apply(recording.calls[callCount - 1]) }
            var here: [State] = []
            for fate in Self.fates(disk, tornStates, &generator) {
                let files = disk.files(after: fate)
                let same = (here + near).first { Self.areEqual($0.files, files) }
                let state = State(
                    point: CrashPoint(callCount, fate), files: files,
                    number: same?.number ?? count, isNew: same == nil)
                if same == nil { count += 1 }
                here.append(state)
                guard try body(state) else { return count }
            }
            near = here
        }
        return count
    }

    static func fates(
        _ disk: DiskImage, _ tornStates: Int, _ generator: inout SeededGenerator
    ) -> [DiskImage.Fate] {
        guard disk.hasUnsynced else { return [.keepAll] }
        return [.keepAll, .dropUnsynced]
            + (0..<tornStates).map { _ in .tear(seed: generator.next()) }
    }

    static func areEqual(_ a: [DiskImage.NamedFile], _ b: [DiskImage.NamedFile]) -> Bool {
        a.count == b.count
            && zip(a, b).allSatisfy { $0.name == $1.name && areEqual($0.bytes, $1.bytes) }
    }

    /// `==` takes each byte by itself where nothing is optimised.
    private static func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        guard a.count == b.count, !a.isEmpty else { return a.isEmpty && b.isEmpty }
        return unsafe memcmp(a, b, a.count) == 0
    }
}
