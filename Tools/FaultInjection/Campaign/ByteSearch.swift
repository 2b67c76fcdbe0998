internal import Glibc

/// Looks for bytes in a file's.
enum ByteSearch {
    /// Whether `word`, which is not empty, stands in `bytes`.
    static func holds(_ bytes: [UInt8], _ word: [UInt8]) -> Bool {
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe word.withUnsafeBytes { word in
                guard var place = bytes.baseAddress, let first = unsafe word.first else {
                    return false
                }
                let end = unsafe place + bytes.count
                while unsafe end - place >= word.count {
                    let count = unsafe end - place - word.count + 1
                    guard let found = unsafe memchr(place, Int32(first), count) else {
                        return false
                    }
                    if unsafe memcmp(found, word.baseAddress!, word.count) == 0 { return true }
                    unsafe place = UnsafeRawPointer(found) + 1
                }
                return false
            }
        }
    }
}
