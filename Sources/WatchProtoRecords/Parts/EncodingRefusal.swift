/// Why a record was not encoded. The caller is at fault; nothing was written.
public enum EncodingRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The record takes `bytes`, over its budget of `limit`. Shorten instructions, then the name;
    /// never a strength or an amount.
    case tooLarge(bytes: Int, limit: Int)
    /// The buffer has room for `free` bytes and the record takes `bytes`.
    case noRoom(bytes: Int, free: Int)

    /// The refused value, the reason, and the remedy.
    public var description: String {
        switch self {
        case .tooLarge(bytes: 0, let limit) where limit > 0:
            "the name has no bytes; give it 1 to \(limit)"
        case .tooLarge(let bytes, let limit):
            "the record takes \(bytes) bytes, its budget is \(limit): shorten its texts"
        case .noRoom(let bytes, let free):
            "the record takes \(bytes) bytes, the buffer has room for \(free)"
        }
    }
}
