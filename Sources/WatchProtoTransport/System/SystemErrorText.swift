internal import CPosix

/// The system's texts for its error numbers.
package enum SystemErrorText {
    /// The text for `number`, in the C locale's English.
    package static func of(_ number: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        unsafe buffer.withUnsafeMutableBufferPointer { buffer in
            unsafe watchproto_error_text(number, buffer.baseAddress, buffer.count)
        }
        return String(
            decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
