import WatchProtoCore

extension FuzzTarget {
    /// A whole packet is read to its end or refused, and a packet that was read has one encoding.
    /// Skipped frames are the exception: frames that are not understood are not kept.
    static let frame = FuzzTarget("frame") { bytes in
        var reader = WireReader(bytes.span)
        do throws(WireError) {
            while !reader.isAtEnd {
                let start = reader.offset
                let (type, frame) = try Frame.read(&reader)
                guard reader.offset > start else { return "a frame that takes no bytes" }
                guard type != nil else { continue }
                var writer = WireWriter()
                frame.write(to: &writer)
                guard writer.bytes[...] == bytes[start..<reader.offset] else {
                    return "read as \(frame), which is written as \(writer.bytes)"
                }
            }
            return nil
        } catch {
            return offsetComplaint(error, bytes.count)
        }
    }

    /// A hello is read to its end or refused, and has one encoding. Zeros may follow it.
    ///
    /// Input: a byte of which bit 0 says message 1 (0) or 2 (1), then the hello.
    static let hello = FuzzTarget("hello") { input in
        guard let first = input.first else { return nil }
        let bytes = [UInt8](input[1...])
        var reader = WireReader(bytes.span)
        do throws(WireError) {
            let hello = try Hello.read(
                &reader, epoch: EpochID(rawValue: 0x1111), isAnswer: first & 1 != 0)
            let end = reader.offset
            try reader.finishPadding("the end of the hello, or zeros")
            var writer = WireWriter()
            hello.write(to: &writer)
            guard writer.bytes == Array(bytes[..<end]) else {
                return "\(hello) is written as \(writer.bytes)"
            }
            return hello.size == end ? nil : "the size is said to be \(hello.size)"
        } catch {
            return offsetComplaint(error, bytes.count)
        }
    }

    /// The header of a datagram, and the packets in clear behind it.
    ///
    /// Input: a byte of which bit 0 says that the carrier can lose, eight bytes for the largest
    /// number received so far, then the datagram.
    static let datagram = FuzzTarget("datagram") { input in
        guard input.count >= 9 else { return nil }
        let largest = input[1..<9].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let bytes = [UInt8](input[9...])
        var reader = WireReader(bytes.span)
        var writer = WireWriter()
        do throws(WireError) {
            let header = try DatagramHeader.read(&reader, isLossy: input[0] & 1 != 0)
            header.write(to: &writer)
            guard writer.bytes[...] == bytes[..<reader.offset] else {
                return "the header \(header) is written as \(writer.bytes)"
            }
            if header.numberBytes > 0, let wrong = numberComplaint(header, largest) { return wrong }
            switch header.kind {
            case .transport, .early: return nil
            case .initiation:
                try InitiationPacket.read(&reader).write(to: &writer)
            case .response: try ResponsePacket.read(&reader).write(to: &writer)
            case .refusal: try RefusalPacket.read(&reader).write(to: &writer)
            case .reset: try ResetPacket.read(&reader).write(to: &writer)
            case .advisory: try AdvisoryPacket.read(&reader).write(to: &writer)
            case .pairing:
                let (version, packet) = try PairingPacket.read(&reader)
                packet.write(version: version, to: &writer)
            }
            return writer.bytes == bytes ? nil : "\(header.kind) is written otherwise"
        } catch {
            return offsetComplaint(error, bytes.count)
        }
    }

    /// A completed number ends in the bytes that travelled, and no other such number is nearer to
    /// the one expected (RFC 9000, A.3).
    private static func numberComplaint(
        _ header: DatagramHeader, _ largest: UInt64
    ) -> String? {
        let window: UInt64 = 1 << UInt64(8 * header.numberBytes)
        for near in [nil, largest] {
            let number = header.number(near: near)
            guard number & (window - 1) == header.number else {
                return "\(header) near \(largest) gives \(number)"
            }
            // Near either end of the numbers there may be no nearer one.
            guard let near, near > window, near < .max - 2 * window else { continue }
            let distance = number > near + 1 ? number - near - 1 : near + 1 - number
            guard distance <= window / 2 else { return "\(number) is far from \(near)" }
        }
        return nil
    }

    /// A stream cut otherwise holds the same packets, or is refused at the same place.
    ///
    /// Input: a byte of which bit 7 says the limit (64 bytes or 65 536) and the rest the length of
    /// the first chunk, a byte that the lengths of later chunks follow from, then the stream.
    static let stream = FuzzTarget("stream") { input in
        guard input.count >= 2 else { return nil }
        let limit = input[0] & 0x80 == 0 ? 64 : 1 << 16
        let bytes = [UInt8](input[2...])
        let whole = Unframed(bytes, limit: limit) { bytes.count }
        var next = Int(input[0] & 0x7F)
        let chunked = Unframed(bytes, limit: limit) {
            defer { next = (next * 5 + Int(input[1])) % 61 }
            return next + 1
        }
        guard whole.packets == chunked.packets else { return "other packets in other chunks" }
        guard whole.isRefused == chunked.isRefused else { return "refused in some chunks only" }
        guard whole.partial == chunked.partial else { return "the rest differs" }
        guard whole.partial <= limit + 5 else { return "stores \(whole.partial) bytes" }
        return nil
    }

    /// The packets found in a stream, and its rest.
    private struct Unframed {
        var packets: [[UInt8]] = []
        var isRefused = false
        var partial = 0

        /// Takes `bytes` in, as a peer does, in chunks of the lengths that `chunk` gives.
        init(_ bytes: [UInt8], limit: Int, chunk: () -> Int) {
            var framing = StreamFraming(limitBytes: limit)
            var rest = bytes[...]
            while !rest.isEmpty, !isRefused {
                let part = [UInt8](rest.prefix(max(chunk(), 1)))
                rest = rest.dropFirst(part.count)
                let joined = framing.take(part.span)
                var start = 0
                do throws(WireError) {
                    while start < joined.count,
                        let found = try framing.find(in: joined.span, from: start)
                    {
                        packets.append([found.kind.rawValue] + joined[found.body])
                        start = found.body.upperBound
                    }
                } catch {
                    // A peer ends the link, and keeps nothing of it.
                    isRefused = true
                    return
                }
                framing.keep(joined.span.extracting(start..<joined.count))
            }
            partial = framing.partialBytes
        }
    }
}
