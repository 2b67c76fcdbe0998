import Testing

@testable import FormerCore

@Suite struct DatagramHeaderTests {
    /// Every number the sender may have in flight is told apart, however much was lost before it.
    @Test func numbers_are_completed_whatever_was_lost() throws {
        for seed in UInt64(1)...200 {
            var generator = SeededGenerator(seed: seed)
            let acknowledged = generator.uniform(in: 0...100_000)
            let span = generator.uniform(in: 1...600)
            let number = acknowledged + span
            let header = DatagramHeader(
                kind: .transport, hint: 7, number: number, largestAcknowledged: acknowledged)
            var writer = WireWriter()
            header.write(to: &writer)
            var reader = WireReader(writer.bytes.span)
            let read = try DatagramHeader.read(&reader)
            // The receiver has at least what it acknowledged, and at most what was sent after it.
            let largest = acknowledged + generator.uniform(in: 0...(span + 300))
            #expect(
                read.number(near: largest) == number,
                "\(number) after \(acknowledged), largest \(largest)")
        }
    }

    @Test func the_first_numbers_need_no_acknowledgement() throws {
        for number in UInt64(0)..<700 {
            let header = DatagramHeader(
                kind: .transport, hint: 7, number: number, largestAcknowledged: nil)
            var writer = WireWriter()
            header.write(to: &writer)
            var reader = WireReader(writer.bytes.span)
            #expect(try DatagramHeader.read(&reader).number(near: nil) == number)
        }
    }
}
