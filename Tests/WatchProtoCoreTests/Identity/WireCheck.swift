import Testing

@testable import WatchProtoCore

/// Checks that hold for every frame and message.
enum WireCheck {
    /// Bytes read as they were written: all of them, and the same value comes back. Every shorter
    /// form is refused.
    static func roundTrips<Value: Equatable>(
        _ value: Value, _ bytes: [UInt8], typed type: FrameType? = nil,
        refusesShorter: Bool = true,
        read: (inout WireReader) throws(WireError) -> Value
    ) {
        let start = type == nil ? 0 : 1
        if let type { #expect(bytes.first == type.rawValue) }
        let body = Array(bytes[start...])
        #expect(Self.read(body, read) == value)
        guard refusesShorter else { return }
        for count in 0..<body.count {
            #expect(Self.read(Array(body[..<count]), read) == nil, "\(count) of \(body.count)")
        }
    }

    /// The value read from the bytes; nil where they are refused or not used up.
    static func read<Value>(
        _ bytes: [UInt8], _ read: (inout WireReader) throws(WireError) -> Value
    ) -> Value? {
        var reader = WireReader(bytes.span)
        do throws(WireError) {
            let value = try read(&reader)
            return reader.isAtEnd ? value : nil
        } catch {
            return nil
        }
    }

    /// Random bytes, and damaged ones, are read or refused; what is read is written as it was read.
    static func survives<Value>(
        _ seed: UInt64, _ bytes: [UInt8], read: (inout WireReader) throws(WireError) -> Value,
        write: (Value, inout WireWriter) -> Void
    ) {
        var generator = SeededGenerator(seed: seed)
        var damaged = bytes
        if generator.chance(0.3) || damaged.isEmpty {
            damaged = (0..<Int(generator.next() % 80)).map { _ in
                UInt8(truncatingIfNeeded: generator.next())
            }
        } else {
            for _ in 0...(generator.next() % 3) {
                let place = Int(generator.next() % UInt64(damaged.count))
                damaged[place] = UInt8(truncatingIfNeeded: generator.next())
            }
        }
        var reader = WireReader(damaged.span)
        let value: Value
        do throws(WireError) { value = try read(&reader) } catch { return }
        var writer = WireWriter()
        write(value, &writer)
        #expect(writer.bytes == Array(damaged[..<reader.offset]))
    }
}
