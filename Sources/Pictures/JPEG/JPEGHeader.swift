/// The segments before the scan of a baseline JPEG (ITU-T T.81, annex B).
struct JPEGHeader: Sendable {
    /// A colour: its share of the pixels, and its tables.
    struct Component: Sendable {
        var identifier: UInt8
        /// Samples across and down, 1 or 2, of each block of the picture.
        var across: Int
        var down: Int
        var quantization: Int
        var direct = 0
        var alternating = 0
    }

    private(set) var width = 0
    private(set) var height = 0
    private(set) var components: [Component] = []
    /// Steps of each coefficient, in the order of the scan.
    private(set) var quantization = [[UInt16]?](repeating: nil, count: 4)
    private(set) var direct = [HuffmanTable?](repeating: nil, count: 4)
    private(set) var alternating = [HuffmanTable?](repeating: nil, count: 4)
    /// Units between two restart markers; 0 for none.
    private(set) var restartInterval = 0
    /// The first byte of the scan.
    private(set) var scan = 0

    /// Reads the segments up to the scan.
    init(_ bytes: Span<UInt8>) throws(PictureError) {
        guard bytes.count >= 4, bytes[0] == 0xFF, bytes[1] == 0xD8 else { throw .unknownFormat }
        var place = 2
        while true {
            guard place + 4 <= bytes.count else { throw .cutOff }
            guard bytes[place] == 0xFF else {
                throw .malformed("no marker where one belongs", at: place)
            }
            let marker = bytes[place + 1]
            if marker == 0xFF {
                place += 1
                continue
            }
            let begin = place + 4
            let length = Int(bytes[place + 2]) << 8 | Int(bytes[place + 3])
            guard length >= 2 else { throw .malformed("a segment of no length", at: place + 2) }
            let end = place + 2 + length
            guard end <= bytes.count else { throw .cutOff }
            let segment = bytes.extracting(begin..<end)
            switch marker {
            case 0xC0: try readFrame(segment, at: begin)
            case 0xC4: try readCodes(segment, at: begin)
            case 0xDB: try readSteps(segment, at: begin)
            case 0xDD:
                guard segment.count == 2 else { throw .malformed("a bad DRI", at: begin) }
                restartInterval = Int(segment[0]) << 8 | Int(segment[1])
            case 0xDA:
                try readScan(segment, at: begin)
                scan = end
                return
            case 0xC2: throw .unsupported("progressive coding")
            case 0xC1, 0xC3, 0xC5...0xC7, 0xC9...0xCF:
                throw .unsupported("a coding other than baseline")
            case 0xE0...0xEF, 0xFE: break
            default: throw .malformed("a marker that belongs elsewhere", at: place)
            }
            place = end
        }
    }

    private mutating func readFrame(_ segment: Span<UInt8>, at place: Int) throws(PictureError) {
        guard components.isEmpty else { throw .malformed("a second frame", at: place) }
        guard segment.count >= 6 else { throw .malformed("a frame that is too short", at: place) }
        guard segment[0] == 8 else { throw .unsupported("samples of \(segment[0]) bits") }
        height = Int(segment[1]) << 8 | Int(segment[2])
        width = Int(segment[3]) << 8 | Int(segment[4])
        guard width > 0, height > 0 else {
            throw .malformed("a frame without pixels", at: place)
        }
        let count = Int(segment[5])
        guard count == 1 || count == 3 else { throw .unsupported("\(count) components") }
        guard segment.count == 6 + 3 * count else {
            throw .malformed("a frame of the wrong length", at: place)
        }
        for index in 0..<count {
            let at = 6 + 3 * index
            let (across, down) = (Int(segment[at + 1] >> 4), Int(segment[at + 1] & 15))
            guard (1...2).contains(across), (1...2).contains(down) else {
                throw .unsupported("\(across) x \(down) samples of a component")
            }
            guard segment[at + 2] < 4 else {
                throw .malformed("a table of steps above 3", at: place + at + 2)
            }
            guard !components.contains(where: { $0.identifier == segment[at] }) else {
                throw .malformed("two components of one name", at: place + at)
            }
            components.append(
                Component(
                    identifier: segment[at], across: across, down: down,
                    quantization: Int(segment[at + 2])))
        }
        // Samples of a single component are not grouped, whatever they say (T.81, A.2.2).
        if count == 1 { (components[0].across, components[0].down) = (1, 1) }
    }

    private mutating func readSteps(_ segment: Span<UInt8>, at place: Int) throws(PictureError) {
        var index = 0
        while index < segment.count {
            let head = segment[index]
            guard head < 4 else {
                throw head & 15 < 4 && head < 32
                    ? .unsupported("steps of 16 bits") : .malformed("a bad DQT", at: place + index)
            }
            guard index + 65 <= segment.count else {
                throw .malformed("a DQT that is too short", at: place + index)
            }
            let steps = (0..<64).map { UInt16(segment[index + 1 + $0]) }
            guard !steps.contains(0) else { throw .malformed("a step of 0", at: place + index) }
            quantization[Int(head)] = steps
            index += 65
        }
    }

    private mutating func readCodes(_ segment: Span<UInt8>, at place: Int) throws(PictureError) {
        var index = 0
        while index < segment.count {
            let head = segment[index]
            guard head & 15 < 4, head < 32 else {
                throw .malformed("a bad DHT", at: place + index)
            }
            guard index + 17 <= segment.count else {
                throw .malformed("a DHT that is too short", at: place + index)
            }
            let counts = segment.extracting((index + 1)..<(index + 17))
            var total = 0
            for length in 0..<16 { total += Int(counts[length]) }
            guard total <= 256, index + 17 + total <= segment.count else {
                throw .malformed("a DHT that is too short", at: place + index)
            }
            let values = (0..<total).map { segment[index + 17 + $0] }
            let isDirect = head < 16
            guard !isDirect || values.allSatisfy({ $0 <= 11 }),
                let table = HuffmanTable(counts: counts, values: values)
            else { throw .malformed("codes that cannot be", at: place + index) }
            if isDirect { direct[Int(head)] = table } else { alternating[Int(head & 15)] = table }
            index += 17 + total
        }
    }

    private mutating func readScan(_ segment: Span<UInt8>, at place: Int) throws(PictureError) {
        guard !components.isEmpty else { throw .malformed("a scan before its frame", at: place) }
        let count = components.count
        guard segment.count == 4 + 2 * count, segment[0] == count else {
            throw .unsupported("more than one scan")
        }
        for index in 0..<count {
            let at = 1 + 2 * index
            guard segment[at] == components[index].identifier else {
                throw .malformed("a scan of another component", at: place + at)
            }
            let tables = (Int(segment[at + 1] >> 4), Int(segment[at + 1] & 15))
            guard tables.0 < 4, tables.1 < 4, direct[tables.0] != nil,
                alternating[tables.1] != nil,
                quantization[components[index].quantization] != nil
            else { throw .malformed("a table that was not given", at: place + at + 1) }
            (components[index].direct, components[index].alternating) = tables
        }
    }
}
