import WatchProtoCore
import WatchProtoRecords

extension FuzzTarget {
    static let medication = FuzzTarget("medication") { bytes in
        roundTripComplaint(bytes, LightweightMedication.init(decoding:))
    }

    static let doseEvent = FuzzTarget("dose-event") { bytes in
        roundTripComplaint(bytes, DoseEvent.init(decoding:))
    }

    static let complication = FuzzTarget("complication") { bytes in
        roundTripComplaint(bytes, ComplicationState.init(decoding:))
    }

    /// The complaint where `decode` accepts bytes that its result does not encode to, or blames a
    /// place outside them; nil for none.
    static func roundTripComplaint<Record: RecordCodable>(
        _ bytes: [UInt8], _ decode: ([UInt8]) throws(WireError) -> Record
    ) -> String? {
        let record: Record
        do throws(WireError) {
            record = try decode(bytes)
        } catch {
            return offsetComplaint(error, bytes.count)
        }
        do throws(EncodingRefusal) {
            if try record.encoded() != bytes { return "decoded, but encodes to other bytes" }
        } catch {
            return "decoded, but does not encode: \(error)"
        }
        return record.encodedSize == bytes.count ? nil : "encodedSize is \(record.encodedSize)"
    }

    /// The complaint about an error whose offset lies outside the input; nil for none.
    static func offsetComplaint(_ error: WireError, _ count: Int) -> String? {
        (0...count).contains(error.offset) ? nil : "an error outside the input: \(error)"
    }
}
