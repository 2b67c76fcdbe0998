internal import CPosix
internal import CommandLine
internal import Glibc
internal import Locks
internal import WatchProtoCore

/// A broker that runs for one peer alone, with files of its own.
final class PeerProgram: Sendable {
    private let process = Mutex<ChildProcess?>(nil)
    let name: String
    let directory: String
    private let executable: String

    init(_ name: String, _ executable: String) throws(PeerFailure) {
        self.name = name
        self.executable = executable
        do throws(SystemError) {
            directory = try Files.makeTemporaryDirectory("rig-peer")
        } catch {
            throw PeerFailure("no temporary directory: \(error)")
        }
    }

    deinit { end() }

    func write(_ text: String, to file: String) throws(PeerFailure) {
        do throws(SystemError) {
            try Files.write(Array(text.utf8), to: "\(directory)/\(file)")
        } catch {
            throw PeerFailure("cannot write \(file): \(error)")
        }
    }

    func start(_ arguments: [String]) throws(PeerFailure) {
        // Its output goes to a file: a full pipe would stop it.
        let words =
            ["-c", "exec \"$0\" \"$@\" >'\(directory)/words' 2>&1", executable] + arguments
        do throws(SystemError) {
            try process.withLock { process throws(SystemError) in
                process = try ChildProcess(name: name, executable: "/bin/sh", arguments: words)
            }
        } catch {
            throw PeerFailure("\(name) cannot be started: \(error)")
        }
    }

    /// Waits until it has ended by itself.
    ///
    /// - Returns: whether it has.
    func awaitEnd(within seconds: Int) -> Bool {
        for _ in 0..<(seconds * 500) {
            guard process.withLock({ $0?.poll() ?? false }) else { return true }
            usleep(2000)
        }
        return false
    }

    /// The end of what it wrote, in one line.
    var lastWords: String {
        let text = try? Files.read("\(directory)/words")
        return String(decoding: (text ?? []).suffix(200), as: UTF8.self)
            .split(separator: "\n").last.map { String($0) } ?? "it said nothing"
    }

    /// Ends it by SIGKILL, which it cannot see coming.
    func kill() {
        process.withLock { process in
            guard let running = process else { return }
            running.kill()
            while running.poll() { usleep(1000) }
            process = nil
        }
    }

    func end() {
        kill()
        Files.removeDirectory(directory)
    }

    /// A port of 127.0.0.1 that nobody has in this moment.
    static func freePort() throws(PeerFailure) -> UInt16 {
        let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard made >= 0 else { throw PeerFailure("no socket (errno \(errno))") }
        defer { close(made) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let answer = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                guard unsafe bind(made, raw, size) == 0 else { return false }
                return unsafe getsockname(made, raw, &size) == 0
            }
        }
        guard answer else { throw PeerFailure("no free port (errno \(errno))") }
        return UInt16(bigEndian: address.sin_port)
    }
}
