import Glibc
import Testing

@testable import WatchProtoCore

@Suite("Memory of a peer over many sessions")
struct PeerMemoryTests {
    @Test("A session leaves no memory behind")
    func sessions() async {
        // A process of its own: other tests take memory meanwhile.
        await #expect(processExitsWith: .success) {
            let pair = PeerPair.connected(.datagrams())
            try PeerMemoryTests.reconnect(pair, 100)
            let before = PeerMemoryTests.residentBytes()
            try PeerMemoryTests.reconnect(pair, 100)
            // About 1,060,000 bytes where `session?.x = y` leaks, 0 to 200,000 otherwise.
            #expect(PeerMemoryTests.residentBytes() - before < 400_000)
        }
    }

    /// Breaks the link and makes it anew, each time with records of both sides in early packets.
    static func reconnect(_ pair: PeerPair, _ count: Int) throws {
        for _ in 0..<count {
            pair.isLinkPossible = false
            pair.cutLink()
            for side in [pair.phone, pair.watch] {
                for number in UInt8(0)..<5 {
                    try pair.send(side, [UInt8](repeating: number, count: 900))
                }
            }
            pair.isLinkPossible = true
            pair.linkWanted()
            pair.run(for: .seconds(1))
            try #require(pair.isActive && pair.watch.delivered.count == 5)
            for side in [pair.phone, pair.watch] {
                (side.delivered, side.events, side.batches, side.packetsSent) = ([], [], [], [])
            }
        }
    }

    /// The resident memory of this process.
    static func residentBytes() -> Int {
        guard let file = unsafe fopen("/proc/self/statm", "r") else { return 0 }
        defer { unsafe _ = fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard unsafe fgets(&line, Int32(line.count), file) != nil else { return 0 }
        let bytes = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let numbers = bytes.split(separator: UInt8(ascii: " "))
        let pages = Int(String(decoding: numbers[1], as: UTF8.self)) ?? 0
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
