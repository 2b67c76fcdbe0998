import Reports
import WatchProtoCore
import WatchProtoRecords

/// A medication as an application holds it, encoded where it lies. (It cannot be copied: an element
/// of an array would be, for each call.)
struct HeldMedication: ~Copyable {
    let value: LightweightMedication

    @inline(never)
    borrowing func encode(into output: inout OutputSpan<UInt8>) -> UInt64 {
        do throws(EncodingRefusal) {
            try value.encode(into: &output)
        } catch {
            return 0
        }
        return UInt64(output.count) &+ UInt64(output[output.count - 1])
    }
}

/// The records of one measurement and what is done with them.
@safe
final class Workload {
    let medications: [LightweightMedication]
    let held: UnsafeMutableBufferPointer<HeldMedication>
    let encodings: [[UInt8]]
    let naive: [[UInt8]]
    /// The codings against the table of words.
    let coded: [[UInt8]]
    let reference: CodingReference
    /// All encodings in a row, as they lie in a receive buffer.
    let heap: [UInt8]
    let ranges: [Range<Int>]
    /// Orders of the records: each pass of a timing takes another, since a branch predictor learns
    /// an order it sees twice.
    let orders: [[Int]]
    let leftOut: Int

    var count: Int { medications.count }

    deinit {
        unsafe held.deinitialize().deallocate()
    }

    /// Texts that Swift cannot hold within a `String` itself.
    var longStrings: Int {
        medications.reduce(0) { sum, value in
            sum
                + [value.name, value.dosage.strength, value.instructions].count {
                    $0.utf8.count > 15
                }
        }
    }

    init(_ samples: [CodecSample], passes: Int) {
        var medications: [LightweightMedication] = []
        var encodings: [[UInt8]] = []
        for sample in samples {
            guard let bytes = try? sample.medication.encoded() else { continue }
            medications.append(sample.medication)
            encodings.append(bytes)
        }
        self.medications = medications
        self.encodings = encodings
        leftOut = samples.count - medications.count
        unsafe held = .allocate(capacity: medications.count)
        for (index, medication) in medications.enumerated() {
            unsafe held.initializeElement(at: index, to: HeldMedication(value: medication))
        }
        naive = medications.map(NaiveCodec.encode)
        let reference = CodedSizes.reference(medications)
        self.reference = reference
        coded = medications.map { Vocabulary.shared.encode([$0], reference) ?? [] }
        var heap: [UInt8] = []
        var ranges: [Range<Int>] = []
        for bytes in encodings {
            ranges.append(heap.count..<heap.count + bytes.count)
            heap += bytes
        }
        self.heap = heap
        self.ranges = ranges
        let count = medications.count
        orders = (0..<max(1, passes)).map { CodecTimes.shuffledOrder(count, seed: UInt64($0)) }
    }

    /// A number that hangs on every result of `operation` over all records in the order `number`.
    @inline(never)
    func pass(_ operation: CodecOperation, _ number: Int) -> UInt64 {
        let order = orders[number]
        return switch operation {
        case .memcpy: copyBytes(order)
        case .encode: encode(order)
        case .decode: decode(order)
        case .view: view(order)
        case .lazy: decodeLazily(order)
        case .code: code(order)
        case .uncode: uncode(order)
        case .naiveEncode: encodeNaively(order)
        case .naiveDecode: decodeNaively(order)
        }
    }

    func encode(_ order: [Int]) -> UInt64 {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { buffer in
            var sum: UInt64 = 0
            for index in order {
                var output = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
                sum &+= unsafe held[index].encode(into: &output)
            }
            return sum
        }
    }

    func copyBytes(_ order: [Int]) -> UInt64 {
        var sum: UInt64 = 0
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { buffer in
            unsafe heap.withUnsafeBytes { heap in
                for index in order {
                    let range = ranges[index]
                    unsafe UnsafeMutableRawBufferPointer(buffer).copyMemory(
                        from: UnsafeRawBufferPointer(rebasing: heap[range]))
                    unsafe sum &+= UInt64(buffer[range.count - 1])
                }
            }
        }
        return sum
    }

    func decode(_ order: [Int]) -> UInt64 {
        var sum: UInt64 = 0
        let heap = heap
        let span = heap.span
        for index in order {
            let bytes = span.extracting(ranges[index])
            if let value = try? LightweightMedication(decoding: bytes) {
                sum &+= UInt64(value.revision) &+ UInt64(value.name.utf8.count)
                sum ^= UInt64(value.instructions.utf8.count)
            }
        }
        return sum
    }

    /// Reads every field where it lies; of a text its length and its last byte.
    func view(_ order: [Int]) -> UInt64 {
        var sum: UInt64 = 0
        let heap = heap
        let span = heap.span
        for index in order {
            do throws(WireError) {
                let view = try MedicationView(span.extracting(ranges[index]))
                sum &+= UInt64(truncatingIfNeeded: view.id.rawValue) ^ UInt64(view.color)
                sum &+= UInt64(view.revision) ^ UInt64(view.flags.rawValue)
                sum &+= UInt64(bitPattern: view.updatedAt.milliseconds)
                sum &+= UInt64(view.nextDose?.minutes.magnitude ?? 0)
                sum &+= UInt64(view.schedule.slots.count) ^ UInt64(view.schedule.weekdays.rawValue)
                sum &+= UInt64(view.form.rawValue) ^ UInt64(view.nameBytes.count)
                sum &+= UInt64(view.strengthBytes.count)
                sum &+= UInt64(view.instructionsBytes.count)
            } catch {
                return 0
            }
        }
        return sum
    }

    /// Makes lazy records and reads what a list sorted by next dose reads.
    func decodeLazily(_ order: [Int]) -> UInt64 {
        var sum: UInt64 = 0
        let heap = heap
        for index in order {
            do throws(WireError) {
                let record = try LazyMedication(heap, ranges[index])
                sum &+= UInt64(record.revision) ^ UInt64(record.flags.rawValue)
                sum &+= UInt64(record.nextDose?.minutes.magnitude ?? 0)
            } catch {
                return 0
            }
        }
        return sum
    }

    func code(_ order: [Int]) -> UInt64 {
        var sum: UInt64 = 0
        for index in order {
            let coding = Vocabulary.shared.encode([medications[index]], reference)
            sum &+= UInt64(coding?.count ?? 0)
        }
        return sum
    }

    func uncode(_ order: [Int]) -> UInt64 {
        var sum: UInt64 = 0
        for index in order {
            let values = try? Vocabulary.shared.decode(
                coded[index], [medications[index].id], reference)
            sum &+= UInt64(values?.first?.revision ?? 0)
        }
        return sum
    }

    func encodeNaively(_ order: [Int]) -> UInt64 {
        var sum: UInt64 = 0
        for index in order { sum &+= UInt64(NaiveCodec.encode(medications[index]).count) }
        return sum
    }

    func decodeNaively(_ order: [Int]) -> UInt64 {
        var sum: UInt64 = 0
        for index in order {
            if let value = NaiveCodec.decode(naive[index]) { sum &+= UInt64(value.revision) }
        }
        return sum
    }
}
