import CommandLine
import ControlProtocol
import Reports
import WatchProtoCore
import WatchProtoSecurity
import WatchProtoTransport

/// The cost of sealing at rest: keys, a thousand blobs three times over, all cores at once, a key
/// file, and a passphrase.
final class SealingBench {
    private(set) var series: [LatencySeries] = []
    private(set) var measured: [(id: String, measurement: Measurement)] = []
    private(set) var notes: [String] = []
    private let seed: UInt64
    private let directory: String
    let start = MonotonicClock.nowNanoseconds

    static let blobCount = 1000
    static let blobBytes = 1024
    static let rounds = 3
    static let keyReads = 1000
    let place = [UInt8](repeating: 7, count: 24)

    /// The ids of its rows.
    static func measures(_ target: Target) -> Bool {
        target.id.hasPrefix("aead.") || target.id.hasPrefix("key.") || target.id == "argon2id"
    }

    /// Makes a bench that keeps its key file in `directory`.
    init(seed: UInt64, directory: String) {
        self.seed = seed
        self.directory = directory
    }

    /// Measures all of it, one after the other.
    ///
    /// - Throws: exit code 70 where something cannot be measured; 130 after an interrupt.
    func run() throws(RigFailure) {
        do {
            try Interrupts.check()
            try measureKeys()
            try Interrupts.check()
            try measureKeyFile()
            let sealer = try AtRestSealer(key: AtRestKey.random())
            let blobs = makeBlobs()
            try measureBlobs(sealer, blobs)
            try measureAllCores(sealer, blobs)
            try measurePassphrase()
        } catch let failure as RigFailure {
            throw failure
        } catch {
            throw RigFailure(.software, "Sealing at rest could not be measured: \(error)")
        }
    }

    private func makeBlobs() -> [[UInt8]] {
        var generator = SeededGenerator(seed: seed)
        return (0..<Self.blobCount).map { _ in
            (0..<Self.blobBytes).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        }
    }

    // MARK: Keys

    private func measureKeys() throws(AtRestKeyError) {
        var filled = LatencySeries("key generation")
        for _ in 0..<1000 {
            try filled.time(since: start) { () throws(AtRestKeyError) in _ = try AtRestKey.random()
            }
        }
        keep("key.generate", filled)
    }

    /// Reads a key file, each time after the system was asked to forget its content: as at the
    /// start of an app.
    private func measureKeyFile() throws(AtRestKeyError) {
        let path = "\(directory)/measured.key"
        _ = try AtRestKey.createKeyFile(path)
        defer { Files.remove(path) }
        var filled = LatencySeries("key read from its file")
        for _ in 0..<Self.keyReads {
            Files.forgetContent(of: path)
            try filled.time(since: start) { () throws(AtRestKeyError) in
                _ = try AtRestKey(keyFile: path)
            }
        }
        keep("key.read", filled)
        series.removeLast()
        keep("key.read.android", filled)
    }

    /// Measures three derivations by the processor time they took: the time of other programs
    /// meanwhile is none of theirs.
    private func measurePassphrase() throws {
        let passphrase = Array("a passphrase of several words".utf8)
        var filled = LatencySeries("Argon2id")
        var worst: UInt64 = 0
        for _ in 0..<3 {
            try Interrupts.check()
            let begin = MonotonicClock.nowNanoseconds
            let before = SystemClock.threadNanoseconds
            _ = try AtRestKey(passphrase: passphrase.span, salt: AtRestKey.makeSalt())
            filled.record(
                SystemClock.threadNanoseconds - before, message: "Argon2id",
                atNanoseconds: begin - start)
            worst = max(worst, MonotonicClock.nowNanoseconds - begin)
        }
        keep("argon2id", filled, remark: "processor time")
        let milliseconds = Decimals.fixed(Double(worst) / 1e6, decimals: 0)
        notes.append(
            "AEAD rows: XChaCha20-Poly1305 as at rest, a random nonce each; memory: the growth of "
                + "the process meanwhile; Argon2id: processor time on one thread, by the clock at "
                + "most \(milliseconds) ms")
    }

    // MARK: Findings

    func keep(_ id: String, _ filled: LatencySeries, remark: String? = nil) {
        series.append(filled)
        guard var measurement = TargetTable.target(id)?.measurement(of: filled) else { return }
        measurement.remark = remark
        measured.append((id, measurement))
    }

    func found(_ id: String, _ actual: Double?, samples: Int = 1, _ remark: String? = nil) {
        measured.append((id, Measurement(actual, sampleCount: UInt64(samples), remark: remark)))
    }
}
