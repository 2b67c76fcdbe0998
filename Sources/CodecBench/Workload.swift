import WatchProto

/// A medication as an application holds it, encoded where it lies. (An element of an array would
/// be copied for the call, its texts retained and released.)
final class HeldMedication {
    let value: LightweightMedication

    init(_ value: LightweightMedication) { self.value = value }

    @inline(never)
    func encode(into output: inout OutputSpan<UInt8>) -> UInt64 {
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
    /// The holders, each retained once, without a reference count for each look at them.
    let held: [Unmanaged<HeldMedication>]
    let encodings: [[UInt8]]
    let naive: [[UInt8]]
    /// All encodings in a row, as they lie in a receive buffer.
    let heap: [UInt8]
    let ranges: [Range<Int>]
    let order: [Int]
    let leftOut: Int

    var count: Int { medications.count }

    deinit {
        for index in unsafe held.indices { unsafe held[index].release() }
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

    init(_ samples: [CodecSample]) {
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
        unsafe held = medications.map { unsafe Unmanaged.passRetained(HeldMedication($0)) }
        naive = medications.map(NaiveCodec.encode)
        var heap: [UInt8] = []
        var ranges: [Range<Int>] = []
        for bytes in encodings {
            ranges.append(heap.count..<heap.count + bytes.count)
            heap += bytes
        }
        self.heap = heap
        self.ranges = ranges
        order = Measurement.shuffledOrder(medications.count, seed: 7)
    }

    /// A number that hangs on every result of `operation` over all records.
    @inline(never)
    func pass(_ operation: CodecOperation) -> UInt64 {
        switch operation {
        case .memcpy: copyBytes()
        case .encode: encode()
        case .decode: decode()
        case .view: view()
        case .lazy: decodeLazily()
        case .naiveEncode: encodeNaively()
        case .naiveDecode: decodeNaively()
        }
    }

    func encode() -> UInt64 {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { buffer in
            var sum: UInt64 = 0
            for index in order {
                var output = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
                sum &+= unsafe held[index]._withUnsafeGuaranteedRef {
                    $0.encode(into: &output)
                }
            }
            return sum
        }
    }

    func copyBytes() -> UInt64 {
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

    func decode() -> UInt64 {
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
    func view() -> UInt64 {
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
    func decodeLazily() -> UInt64 {
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

    func encodeNaively() -> UInt64 {
        var sum: UInt64 = 0
        for index in order { sum &+= UInt64(NaiveCodec.encode(medications[index]).count) }
        return sum
    }

    func decodeNaively() -> UInt64 {
        var sum: UInt64 = 0
        for index in order {
            if let value = NaiveCodec.decode(naive[index]) { sum &+= UInt64(value.revision) }
        }
        return sum
    }
}
