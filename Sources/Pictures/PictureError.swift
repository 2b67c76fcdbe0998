/// The reasons for which bytes are no picture to this device. The maker of the bytes is at fault.
package enum PictureError: Error, Equatable, Sendable {
    /// Neither JPEG nor PNG.
    case unknownFormat
    /// The bytes end before the picture does.
    case cutOff
    /// The format allows it, and this reader does not take it: progressive coding, for example.
    case unsupported(String)
    /// The format forbids it, with the place in bytes.
    case malformed(String, at: Int)
    /// More pixels, or more memory, than the reader may take.
    case tooLarge(width: Int, height: Int)
    /// The library that reads or writes pictures said this.
    case library(String)

    /// The reason as a clause.
    package var text: String {
        switch self {
        case .unknownFormat: "the bytes are neither a JPEG nor a PNG"
        case .cutOff: "the bytes end before the picture does"
        case .unsupported(let what): "the picture has \(what), which is not read here"
        case .malformed(let what, let place): "\(what), at byte \(place)"
        case .tooLarge(let width, let height):
            "the picture of \(width) x \(height) pixels is too large"
        case .library(let text): "the picture cannot be read: \(text)"
        }
    }
}
