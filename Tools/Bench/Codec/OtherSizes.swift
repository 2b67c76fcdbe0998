internal import CZstd
internal import ControlProtocol
internal import WatchProtoRecords

/// The mean bytes of the same medications in formats that others use, each record alone.
package struct OtherSizes: Hashable, Sendable {
    /// CBOR (RFC 8949) of the JSON record, with the identity as 16 bytes.
    package var cborMean: Double
    /// Protocol Buffers (proto3) with the fields of the JSON record, the identity as 16 bytes.
    package var protobufMean: Double
    /// Zstandard (RFC 8878) at level 19 over the JSON text, with a dictionary that was trained on
    /// 2,000 other generated records.
    package var zstdMean: Double

    private static let dictionaryBytes = 16_384
    private static let level: Int32 = 19

    /// Measures the sizes.
    init(_ medications: [LightweightMedication]) {
        let count = Double(max(1, medications.count))
        let dictionary = Self.dictionary(
            CodecFixtures.records(count: 2_000, seed: 2).map(RecordFile.json))
        let texts = medications.map(RecordFile.json)
        let id = [UInt8](repeating: 0, count: 16)
        let cbor = texts.reduce(0) { sum, text in
            let value = (try? JSONParser.parse(text))?.value ?? .null
            return sum + CBOR.bytes(value, replacing: ["id": id]).count
        }
        let protobuf = medications.reduce(0) { $0 + Protobuf.bytes($1).count }
        cborMean = Double(cbor) / count
        protobufMean = Double(protobuf) / count
        zstdMean = Double(Self.compressed(texts, dictionary)) / count
    }

    /// A dictionary for texts like these; empty if there are too few.
    private static func dictionary(_ texts: [[UInt8]]) -> [UInt8] {
        let joined = texts.flatMap { $0 }
        let sizes = texts.map(\.count)
        return unsafe [UInt8](unsafeUninitializedCapacity: dictionaryBytes) { buffer, count in
            let size = unsafe ZDICT_trainFromBuffer(
                buffer.baseAddress, dictionaryBytes, joined, sizes, UInt32(sizes.count))
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
