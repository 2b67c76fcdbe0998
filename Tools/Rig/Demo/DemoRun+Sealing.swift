import CommandLine
import ControlProtocol
import Glibc
import Reports
import WatchProtoCore
import WatchProtoSecurity

extension DemoRun {
    /// Measures what sealing at rest takes, by itself and on one thread, once everything else has
    /// been measured: Argon2id fills 64 MiB and would disturb what runs beside it.
    func measureSealing() throws(RigFailure) {
        progress.step("measuring sealing at rest")
        let wallNanoseconds: UInt64
        do throws(AtRestKeyError) {
            let key = try measureKeys()
            try measureSealer(try AtRestSealer(key: key))
            wallNanoseconds = try measurePassphrase()
        } catch {
            throw RigFailure(.software, "Sealing at rest could not be measured: \(error)")
        }
        let milliseconds = Decimals.fixed(Double(wallNanoseconds) / 1e6, decimals: 0)
        notes.append(
            "AEAD rows: XChaCha20-Poly1305 as at rest, a random nonce each; Argon2id: processor "
                + "time on one thread, by the clock at most \(milliseconds) ms")
    }

    private func measureKeys() throws(AtRestKeyError) -> AtRestKey {
        var series = LatencySeries("key generation")
        for _ in 0..<1000 {
            try time(&series) { () throws(AtRestKeyError) in _ = try AtRestKey.random() }
        }
        evaluate("key.generate", series)
        return try AtRestKey.random()
    }

    /// Seals a thousand random blobs of 1 KB, then opens them.
    private func measureSealer(_ sealer: AtRestSealer) throws(AtRestKeyError) {
        var generator = SeededGenerator(seed: options.seed)
        let place = [UInt8](repeating: 7, count: 24)
        let blobs = (0..<1000).map { _ in
            (0..<1024).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        }
        var seals = LatencySeries("AEAD seal")
        var opens = LatencySeries("AEAD open")
        var sealed: [[UInt8]] = []
        var opened: [[UInt8]?] = []
        sealed.reserveCapacity(blobs.count)
        opened.reserveCapacity(blobs.count)
        let begin = MonotonicClock.nowNanoseconds
        for blob in blobs {
            time(&seals) { sealed.append(sealer.seal(blob, associatedData: place)) }
        }
        for blob in sealed {
            time(&opens) { opened.append(try? sealer.open(blob, associatedData: place)) }
        }
        let nanoseconds = MonotonicClock.nowNanoseconds - begin
        evaluate("aead.seal", seals)
        evaluate("aead.open", opens)
        let good = zip(blobs, opened).count { $0 == $1 }
        if good == blobs.count, nanoseconds > 0 {
            found("aead.rate", Double(good) * 1e9 / Double(nanoseconds))
        } else {
            found("aead.rate", 0, "\(blobs.count - good) did not open")
        }
    }

    /// Measures three derivations by the processor time they took: what others on this machine took
    /// meanwhile is none of theirs.
    ///
    /// - Returns: the most wall time that one took, in nanoseconds.
    private func measurePassphrase() throws(AtRestKeyError) -> UInt64 {
        let passphrase = Array("a passphrase of several words".utf8)
        var series = LatencySeries("Argon2id")
        var worst: UInt64 = 0
        for _ in 0..<3 {
            let begin = MonotonicClock.nowNanoseconds
            let before = Self.processorNanoseconds
            _ = try AtRestKey(passphrase: passphrase.span, salt: AtRestKey.makeSalt())
            series.record(
                Self.processorNanoseconds - before, message: "Argon2id",
                atNanoseconds: begin - min(start, begin))
            worst = max(worst, MonotonicClock.nowNanoseconds - begin)
        }
        evaluate("argon2id", series, remark: "processor time")
        return worst
    }

    /// What this thread has taken of processors; the corresponding clock is
    /// CLOCK_THREAD_CPUTIME_ID.
    private static var processorNanoseconds: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    func time<Failure: Error>(
        _ series: inout LatencySeries, _ body: () throws(Failure) -> Void
    ) throws(Failure) {
        let begin = MonotonicClock.nowNanoseconds
        try body()
        let end = MonotonicClock.nowNanoseconds
        let name = series.name
        series.record(end - begin, message: name, atNanoseconds: begin - min(start, begin))
    }
}
