import Bench
import CommandLine
import ControlProtocol
import Reports
import WatchProtoCore
import WatchProtoSecurity
import WatchProtoTransport

/// The rounds of `rig lab files`: two simulators, and the bare loops beside them.
final class FilesRun {
    /// Nanoseconds of each round.
    private(set) var product: [UInt64] = []
    private(set) var sealed: [UInt64] = []
    private(set) var sendFile: [UInt64] = []
    /// The bytes by which the most memory of a device grew, after a first file of one block.
    private(set) var grown: (phone: UInt64, watch: UInt64) = (0, 0)

    /// The socket of the link, and everything else of the run.
    private let links: String
    private let work: String
    private var before: (phone: UInt64, watch: UInt64) = (0, 0)
    private let timeout: Duration
    private let supervisor = Supervisor()
    private let sealer: AtRestSealer
    private let phone: SimulatorProcess
    private let watch: SimulatorProcess
    private var file: String { "\(work)/file.bin" }

    /// Starts and pairs the devices, and makes the file.
    ///
    /// - Throws: exit code 69 where the devices do not meet, 70 where one does not start, 73 where
    ///   the file cannot be made.
    init(
        _ mebibytes: Int, in place: String, _ programs: String, timeout: Duration
    ) throws(RigFailure) {
        let links = try TemporaryPlace.make("rig-files", socket: "link")
        let work = "\(place)/rig-files-\(MonotonicClock.nowNanoseconds)"
        (self.links, self.work) = (links, work)
        self.timeout = timeout
        let supervisor = supervisor
        do {
            sealer = try AtRestSealer(key: .random())
            _ = try Files.makeDirectory("\(work)/in")
            (phone, watch) = try SimulatorProcess.startPair(
                programs, link: "unix:\(links)/link", journalsIn: work,
                watch: ["--inbox", "\(work)/in"], supervisor, timeout: timeout)
            // Code that the first block of all needs is not meant.
            try make(1, of: Self.blockBytes)
            _ = try send()
            for device in [phone, watch] { try device.forgetPeakMemory() }
            before = (phone.peakMemoryBytes ?? 0, watch.peakMemoryBytes ?? 0)
            try make(mebibytes)
        } catch {
            Files.removeDirectory(work)
            Files.removeDirectory(links)
            throw Self.failure(error)
        }
    }

    private static func failure(_ error: any Error) -> RigFailure {
        error as? RigFailure
            ?? RigFailure(.cannotWrite, "\(error)", details: ["Try: another --directory."])
    }

    private static let blockBytes = 8_192

    /// Makes the file anew, of so many parts of this size that differ.
    private func make(_ count: Int, of bytes: Int = 1 << 20) throws(SystemError) {
        var generator = SeededGenerator(seed: 3)
        var part = (0..<bytes).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        try Files.write(to: file, mode: 0o600) { write throws(SystemError) in
            for number in 0..<count {
                part[number % bytes] &+= 1
                try write(part)
            }
        }
    }

    /// A turn of each; the first one alternates.
    ///
    /// - Throws: exit code 70 or 75 of a device; 73 where the disk failed.
    func take(_ round: Int) throws(RigFailure) {
        do {
            if round % 2 == 0 { product.append(try send()) }
            sealed.append(try FileBaseline.sealed(file, in: work, sealer))
            sendFile.append(try FileBaseline.sendFile(file, in: work))
            if round % 2 == 1 { product.append(try send()) }
        } catch {
            throw Self.failure(error)
        }
        grown = (
            (phone.peakMemoryBytes ?? 0) - min(before.phone, phone.peakMemoryBytes ?? 0),
            (watch.peakMemoryBytes ?? 0) - min(before.watch, watch.peakMemoryBytes ?? 0)
        )
    }

    /// Sends the file. Returns the nanoseconds until the watch has told its client.
    private func send() throws(RigFailure) -> UInt64 {
        let start = MonotonicClock.nowNanoseconds
        try phone.call("send", ["kind": "file", "path": .string(file)], timeout: timeout)
        let arrived = try watch.event("record.arrived", timeout: timeout)
        let time = MonotonicClock.nowNanoseconds - start
        guard let path = arrived["path"]?.string, Files.size(path) == Files.size(file) else {
            throw RigFailure(.protocolBroken, "WatchSim told another file.")
        }
        Files.remove(path)
        Files.removeEmptyDirectory(String(path.dropLast("/file.bin".utf8.count)))
        for device in [phone, watch] { _ = device.takeEvents() }
        return time
    }

    /// Ends both devices and removes the files.
    func end() {
        phone.quit()
        watch.quit()
        Files.removeDirectory(work)
        Files.removeDirectory(links)
    }
}
