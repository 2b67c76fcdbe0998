import Foundation
import Testing
import WatchProto

@testable import FuzzTargets

@Suite struct HostileSessionTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test func golden_frames_written_into_a_session_find_nothing() throws {
        let table = try String(
            contentsOf: Self.root.appendingPathComponent("Fixtures/wire/frames/golden.tsv"),
            encoding: .utf8)
        for line in table.split(separator: "\n") where !line.hasPrefix("#") {
            let columns = line.split(separator: "\t")
            let frame = try #require(columns.last.flatMap { Self.bytes(String($0)) })
            guard frame.count < 256 else { continue }
            let block = [UInt8(frame.count)] + frame
            for options in [UInt8](0...15) {
                let session = [options, 2, 3, 0x83, 4, 1] + block + [2, 4]
                for name in ["peer-stream", "peer-datagram"] {
                    let complaint = FuzzTarget.named(name).complaint(session)
                    #expect(complaint == nil, "\(name): \(columns[0])")
                }
            }
        }
    }

    /// Hostile frames must reach the victim's tables, or the sessions show nothing.
    @Test(arguments: [true, false])
    func a_lie_in_a_session_is_believed_and_survived(isStream: Bool) throws {
        // A receipt: the background lane of the first epoch is applied up to 1.
        let receipt: [UInt8] = [0x12, 0x42, 0, 2, 0]
        var session = HostileSession([0, 2, 4, 2, 1, 5] + receipt, isStream: isStream)
        #expect(session.run() == nil)
        var lying = HostileSession([0, 2, 1, 5] + receipt, isStream: isStream)
        #expect(lying.run() == nil)
        #expect(lying.lied == [true] && lying.delivered == 0)
        var honest = HostileSession([0, 2, 2], isStream: isStream)
        #expect(honest.run() == nil)
        #expect(honest.lied == [false, false] && honest.delivered == 2)
    }

    private static func bytes(_ hexadecimal: String) -> [UInt8]? {
        let digits = hexadecimal.compactMap(\.hexDigitValue)
        guard digits.count == hexadecimal.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map {
            UInt8(digits[$0] * 16 + digits[$0 + 1])
        }
    }
}
