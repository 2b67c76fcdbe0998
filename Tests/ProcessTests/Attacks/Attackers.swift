import CPosix
import ControlProtocol
import Foundation
import Glibc
import Locks

/// Blows of an attacker on a thread of its own, so many a second, bounded in count and time.
final class Onslaught: Sendable {
    private let isOver = Mutex(false)
    private let struck = Mutex(0)
    private let ended = DispatchSemaphore(value: 0)

    /// Begins at once.
    ///
    /// - Parameters:
    ///   - rate: blows a second.
    ///   - seconds: the longest time it lasts.
    ///   - limit: the most blows it deals.
    ///   - blow: is told its number, counted from 0; it must return soon.
    init(
        rate: Double, seconds: Double = 9, limit: Int = 100_000,
        _ blow: @escaping @Sendable (Int) -> Void
    ) {
        let start = watchproto_monotonic_nanoseconds()
        let end = start + UInt64(seconds * 1e9)
        Thread.detachNewThread { [self] in
            var count = 0
            while count < limit, !isOver.withLock({ $0 }) {
                let now = watchproto_monotonic_nanoseconds()
                let due = start + UInt64(Double(count) / rate * 1e9)
                guard now < end else { break }
                guard now >= due else {
                    usleep(UInt32(min((due - now) / 1000 + 1, 20_000)))
                    continue
                }
                blow(count)
                count += 1
                struck.withLock { $0 = count }
            }
            ended.signal()
        }
    }

    /// Blows dealt so far.
    var count: Int { struck.withLock { $0 } }

    /// Ends it and waits for its thread; to be called once.
    func end() {
        isOver.withLock { $0 = true }
        ended.wait()
    }
}

/// A UDP socket of somebody who knows an endpoint and no key.
struct UDPAttacker: Sendable {
    let number: Int32

    /// - Parameter link: where he sends to, as `--link` names it.
    init(facing link: String) {
        number = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var place = UDPRelay.place(of: link)
        let isConnected = unsafe withUnsafeBytes(of: &place) { bytes in
            unsafe connect(
                number, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress!,
                socklen_t(bytes.count)) == 0
        }
        precondition(number >= 0 && isConnected)
    }

    /// Sends one datagram; what finds no room is lost.
    func say(_ bytes: [UInt8]) {
        _ = unsafe Glibc.send(number, bytes, bytes.count, Int32(MSG_DONTWAIT))
    }

    /// Bytes that have come in answer, which are taken.
    func answeredBytes() -> Int {
        var sum = 0
        var buffer = [UInt8](repeating: 0, count: 2048)
        while true {
            let count = unsafe recv(number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            guard count >= 0 else { return sum }
            sum += count
        }
    }

    func leave() { close(number) }
}

/// The resident memory of a process, in bytes; 0 where it is gone.
func residentBytes(of pid: pid_t) -> Int {
    let file = unsafe fopen("/proc/\(pid)/statm", "r")
    guard let file = unsafe file else { return 0 }
    defer { unsafe fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    guard unsafe fgets(&line, Int32(line.count), file) != nil else { return 0 }
    let bytes = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    let text = String(decoding: bytes, as: UTF8.self)
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
}

/// Seconds since a moment of the monotonic clock, in nanoseconds.
func seconds(since start: UInt64) -> Double {
    Double(watchproto_monotonic_nanoseconds() - start) / 1e9
}

extension Program {
    /// Starts a simulator whose log goes to a file: a pipe that nobody reads would fill up, and
    /// its writer would stand still.
    static func logging(to file: String, _ name: String, _ words: [String]) throws -> Program {
        let script = "exec \"$0\" \"$@\" 2>'\(file)'"
        return try Program("/bin/sh", ["-c", script, path(name)] + words)
    }
}

/// A watch that is paired with one phone, which is out of reach, and whoever comes meanwhile.
final class Siege {
    let bench = Bench()
    let link: String
    let watch: Program

    /// - Parameter link: where the watch listens; nil for a Unix socket of the bench's.
    init(at link: String? = nil) throws {
        try Pair.couple(bench)
        self.link = link ?? bench.link()
        let words = ["--link", self.link, "--journal", bench.path("w")]
        watch = try .logging(to: "/dev/null", "WatchSim", words)
        // The listener stands when the file is read, which `ready` does not wait for.
        try watch.call("status")
    }

    /// Starts the known phone.
    ///
    /// - Parameters:
    ///   - limit: seconds after which it is given up.
    ///   - way: what the phone connects to; nil for the watch itself.
    /// - Returns: the seconds from its start until it has a session, and how that reads; so many as
    ///   `limit` where it got none.
    func admission(
        within limit: Double = 4, through way: String? = nil
    ) throws -> (seconds: Double, text: String) {
        let words = ["--link", way ?? link, "--journal", bench.path("p")]
        let phone = try Program("PhoneSim", words)
        let start = watchproto_monotonic_nanoseconds()
        let reply = try phone.request(
            "wait",
            [
                "event": "reachability", "reachable": true,
                "timeout_ms": .whole(Int(limit * 1000)),
            ])
        guard reply["ok"] == true else {
            let words = phone.events.compactMap { $0["meaning"]?.string ?? $0["reason"]?.string }
            return (limit, "not let in within \(limit) s; it was told \(Set(words).sorted())")
        }
        let taken = seconds(since: start)
        return (taken, "let in after \(taken) s")
    }
}

/// A connection to a Unix stream socket of somebody who holds no key. Nothing of it ever waits.
final class StreamAttacker: Sendable {
    let number: Int32
    /// Whether there was room for it at the door.
    let isConnected: Bool

    init(at path: String) {
        let type =
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            | Int32(SOCK_NONBLOCK.rawValue)
        number = socket(AF_UNIX, type, 0)
        let bytes = Array(path.utf8)
        isConnected = unsafe watchproto_unix_connect(number, bytes, bytes.count) == 0
    }

    /// Writes what there is room for.
    ///
    /// - Returns: the bytes taken; nil where the connection is over.
    func say(_ bytes: some Collection<UInt8>) -> Int? {
        let bytes = Array(bytes)
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        let count = unsafe send(number, bytes, bytes.count, flags)
        if count >= 0 { return count }
        return errno == EAGAIN ? 0 : nil
    }

    func leave() { close(number) }
}
