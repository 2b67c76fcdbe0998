internal import CZdict
internal import CZstd
internal import ControlProtocol
internal import WatchProtoRecords

/// The mean bytes of the same medications in formats that others use, each record alone.
package struct OtherSizes: Hashable, Sendable {
    /// CBOR (RFC 8949) of the JSON record, with the identity as 16 bytes.
    package var cborMean: Double
    /// Protocol Buffers (proto3) with the fields of the JSON record, the identity as 16 bytes.
    package var protobufMean: Double
    /// Zstandard (RFC 8878) at level 19 over the JSON text, with a dictionary of 16 KB that was
    /// trained on 2,000 other generated records.
    package var zstdJSONMean: Double
    /// The same over the canonical encoding, with a dictionary of 110 KB that was trained on 20,000
    /// other generated records.
    package var zstdMean: Double
    /// The same over batches of 100 canonical encodings.
    package var zstdBatchMean: Double

    private static let level: Int32 = 19
    private static let smallDictionary = dictionary(
        of: 16_384, from: CodecFixtures.records(count: 2_000, seed: 2).map(RecordFile.json))
    private static let largeDictionary = dictionary(
        of: 112_640, from: CodecFixtures.records(count: 20_000, seed: 2).map(plain))

    /// Measures the sizes.
    init(_ medications: [LightweightMedication]) {
        let count = Double(max(1, medications.count))
        let texts = medications.map(RecordFile.json)
        let id = [UInt8](repeating: 0, count: 16)
        let cbor = texts.reduce(0) { sum, text in
            let value = (try? JSONParser.parse(text))?.value ?? .null
            return sum + CBOR.bytes(value, replacing: ["id": id]).count
        }
        let protobuf = medications.reduce(0) { $0 + Protobuf.bytes($1).count }
        cborMean = Double(cbor) / count
        protobufMean = Double(protobuf) / count
        zstdJSONMean = Double(Self.compressed(texts, Self.smallDictionary)) / count
        let encodings = medications.map(Self.plain)
        let batches = stride(from: 0, to: encodings.count, by: Vocabulary.largestBatch).map {
            Array(encodings[$0..<min(encodings.count, $0 + Vocabulary.largestBatch)].joined())
        }
        zstdMean = Double(Self.compressed(encodings, Self.largeDictionary)) / count
        zstdBatchMean = Double(Self.compressed(batches, Self.largeDictionary)) / count
    }

    /// The rows of the report.
    func lines(jsonMean: Double) -> [String] {
        let tenths = CodecReport.tenths
        return [
            "Others     JSON \(tenths(jsonMean)) B, CBOR \(tenths(cborMean)), "
                + "protobuf \(tenths(protobufMean)), zstd over JSON with a dictionary of 16 KB "
                + "(2,000 records) \(tenths(zstdJSONMean)); each record alone, with its identity",
            "           zstd over the plain encoding with a dictionary of 110 KB (20,000 records): "
                + "\(tenths(zstdMean)) B alone, \(tenths(zstdBatchMean)) in batches of "
                + "\(Vocabulary.largestBatch), with the identities",
        ]
    }

    private static func plain(_ medication: LightweightMedication) -> [UInt8] {
        (try? medication.encoded()) ?? []
    }

    /// A dictionary of at most so many bytes for texts like these; empty if there are too few.
    private static func dictionary(of bytes: Int, from texts: [[UInt8]]) -> [UInt8] {
        let joined = texts.flatMap { $0 }
        let sizes = texts.map(\.count)
        return unsafe [UInt8](unsafeUninitializedCapacity: bytes) { buffer, count in
            let size = unsafe ZDICT_trainFromBuffer(
                buffer.baseAddress, bytes, joined, sizes, UInt32(sizes.count))
            count = ZDICT_isError(size) == 0 ? size : 0
        }
    }

    /// The bytes of the frames of texts, each alone.
    private static func compressed(_ texts: [[UInt8]], _ dictionary: [UInt8]) -> Int {
        let context = unsafe ZSTD_createCCtx()
        defer { _ = unsafe ZSTD_freeCCtx(context) }
        let prepared = unsafe ZSTD_createCDict(dictionary, dictionary.count, level)
        defer { _ = unsafe ZSTD_freeCDict(prepared) }
        return texts.reduce(0) { sum, text in
            var frame = [UInt8](repeating: 0, count: ZSTD_compressBound(text.count))
            let size = unsafe ZSTD_compress_usingCDict(
                context, &frame, frame.count, text, text.count, prepared)
            return sum + (ZSTD_isError(size) == 0 ? size : text.count)
        }
    }
}
