import WatchProtoCore
package import WatchProtoJournal

/// One place of a campaign once more, with what led to it.
package struct CrashReplay: Sendable {
    /// The calls of the disk until the crash, and the moment at which each batch was acknowledged,
    /// a line each.
    package var lines: [String] = []
    /// The fault of the journal that was opened then; nil for none.
    package var complaint: String?

    /// Runs it.
    ///
    /// - Throws: ``NoSuchPlace``, or ``CrashFailure`` or another error when the run could not be
    ///   made.
    package init(
        family: CrashFamily, seed: UInt64, at place: CrashPlace, directory: String
    ) throws {
        try self.init(
            family: family, seed: seed, at: place, directory: directory, mutants: [])
    }

    /// Runs it with bugs planted in the journal, for tests.
    package init(
        family: CrashFamily, seed: UInt64, at place: CrashPlace, directory: String,
        mutants: Set<JournalMutant>
    ) throws {
        let scratch = try ScratchDirectory(in: directory)
        let recorder = CrashRecorder(
            family: family, seed: seed, mutants: mutants, fault: place.fault)
        let recording = try recorder.record(in: scratch)
        guard place.fault == nil || recording.faultsMet > 0 else {
            throw NoSuchPlace(
                description: "the run makes only \(recording.calls.count) calls: none fails")
        }
        let recovery = CrashRecovery(
            verifier: CrashVerifier(recording: recording, family: family), scratch: scratch)
        guard let first = place.points.first else {
            tell(recording, until: recording.calls.count)
            complaint = recovery.verifier.outcome(in: scratch)
                .complaint(recording.promise(at: .max))
            return
        }
        try Self.check(first, recording.calls)
        tell(recording, until: first.callCount)
        let promise = recording.promise(at: first.callCount)
        let disk = CrashRecovery.disk(
            recording.calls.prefix(first.callCount), on: recording.base)
        let files = disk.files(after: first.fate)
        tell(files, after: "the crash")
        let (outcome, calls) = try recovery.run(from: files)
        complaint = outcome.complaint(promise)
        guard complaint == nil, place.points.count > 1 else { return }
        let second = place.points[1]
        try Self.check(second, calls)
        tell(calls.prefix(second.callCount), "recovery ")
        let left = CrashRecovery.disk(calls.prefix(second.callCount), on: files)
            .files(after: second.fate)
        tell(left, after: "the crash of the recovery")
        complaint = try recovery.run(from: left).outcome.complaint(promise)
    }

    private static func check(_ point: CrashPoint, _ calls: [DiskCall]) throws {
        guard point.callCount <= calls.count else {
            throw NoSuchPlace(
                description: "there are only \(calls.count) calls, not \(point.callCount)")
        }
    }

    private mutating func tell(_ recording: CrashRecording, until count: Int) {
        var told = 0
        for number in 0...count {
            if number > 0 { tell(recording.calls[number - 1..<number], "") }
            let promised = recording.promised(at: number)
            if promised > told { lines.append("\(number): \(promised) batches acknowledged") }
            told = promised
        }
    }

    private mutating func tell(_ calls: ArraySlice<DiskCall>, _ word: String) {
        for index in calls.indices { lines.append("\(word)\(index + 1): \(calls[index])") }
    }

    private mutating func tell(_ files: [DiskImage.NamedFile], after event: String) {
        let text = files.map { "\($0.name) (\($0.bytes.count) bytes)" }.joined(separator: ", ")
        lines.append("after \(event): \(text.isEmpty ? "no file" : text)")
    }
}

/// A run does not go so far, or no call of it fails: the place is of another run.
package struct NoSuchPlace: Error, Hashable, Sendable, CustomStringConvertible {
    /// How far it goes.
    package var description: String
}
