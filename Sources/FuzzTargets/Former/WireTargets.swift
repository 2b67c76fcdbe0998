import WatchProto

extension FuzzTarget {
    /// A whole packet is read to its end or refused, and what was read has one encoding. Skipped
    /// frames are the exception: what is not understood is not kept.
    static let frame = FuzzTarget("frame") { bytes in
        let limits = Limits()
        var reader = WireReader(bytes.span)
        do throws(WireError) {
            while !reader.isAtEnd {
                let start = reader.offset
                let frame = try Frame.read(&reader, limits: limits)
                guard reader.offset > start else { return "a frame that takes no bytes" }
                if case .skipped = frame { continue }
                var writer = WireWriter()
                frame.write(to: &writer, limits: limits)
                guard writer.bytes[...] == bytes[start..<reader.offset] else {
                    return "read as \(frame), which is written as \(writer.bytes)"
                }
            }
            return nil
        } catch {
            return offsetComplaint(error, bytes.count)
        }
    }

    /// What is read of a greeting encodes to the bytes it was read from; more may follow.
    static let greeting = FuzzTarget("greeting") { bytes in
        do throws(WireError) {
            let greeting = try Greeting.decode(bytes.span, limits: Limits())
            return bytes.starts(with: greeting.encoded())
                ? nil : "decoded, but encodes to other bytes"
        } catch {
            return offsetComplaint(error, bytes.count)
        }
    }

    /// The header of a datagram, and the packets in clear behind it.
    ///
    /// Input: eight bytes for the largest number received so far, then the datagram.
    static let datagram = FuzzTarget("datagram") { input in
        guard input.count >= 8 else { return nil }
        let largest = input[..<8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let bytes = [UInt8](input[8...])
        var reader = WireReader(bytes.span)
        do throws(WireError) {
            let header = try DatagramHeader.read(&reader)
            var writer = WireWriter()
            header.write(to: &writer)
            guard writer.bytes[...] == bytes[..<reader.offset] else {
                return "the header \(header) is written as \(writer.bytes)"
            }
            if header.numberBytes > 0, let wrong = numberComplaint(header, largest) { return wrong }
            switch header.kind {
            case .transport, .early: return nil
            case .handshake:
                try HandshakePacket.read(&reader, limits: Limits()).write(to: &writer)
                return writer.bytes == bytes ? nil : "a handshake packet is written otherwise"
            case .notice:
                // Bytes behind a notice are for newer versions.
                let notice = try NoticePacket.read(&reader)
                let packet = notice.packet(on: .datagram(largestBytes: 1200))
                return packet[1...] == bytes[1..<reader.offset]
                    ? nil : "a notice is written otherwise"
            }
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
        guard whole.held == chunked.held else { return "the rest differs" }
        guard whole.held <= limit + 5 else { return "holds \(whole.held) bytes" }
        return nil
    }

    /// What a stream turned out to hold.
    private struct Unframed {
        var packets: [[UInt8]] = []
        var isRefused = false
        var held = 0

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
            held = framing.heldBytes
        }
    }
}
