internal import WatchProtoCore

/// The keyed hash of address cookies: BLAKE2b-128 of the key and the data.
enum BLAKE2bCookies: CookieHash {
    static func hash(_ bytes: [UInt8], key: [UInt8]) -> UInt128 {
        LittleEndian.value(BLAKE2b.hash(key, bytes, count: 16))
    }
}
