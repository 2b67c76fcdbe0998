import ControlProtocol
import Glibc

/// The words of a command line as the system has them.
package enum GivenArguments {
    /// The words as text.
    ///
    /// - Parameter words: the bytes of each word, the program's name aside.
    /// - Throws: exit code 64 for a word that is not UTF-8. Repaired, a path would name another
    ///   file.
    package static func text(of words: [[UInt8]]) throws(RigFailure) -> [String] {
        var texts: [String] = []
        for (place, word) in words.enumerated() {
            guard let text = String(validating: word, as: UTF8.self) else {
                throw RigFailure(
                    .usage,
                    "Argument \(place + 1) is not UTF-8: "
                        + "'\(Excerpt.line(String(decoding: word, as: UTF8.self)))'.",
                    details: ["Try: give the file another name, or a link with one."])
            }
            texts.append(text)
        }
        return texts
    }

    /// The words that this process was given, the program's name aside.
    ///
    /// - Throws: exit code 64 for a word that is not UTF-8.
    package static func ofThisProcess() throws(RigFailure) -> [String] {
        var words: [[UInt8]] = []
        for place in 1..<max(1, Int(Swift.CommandLine.argc)) {
            guard let word = unsafe Swift.CommandLine.unsafeArgv[place] else { break }
            let bytes = unsafe UnsafeBufferPointer(start: word, count: strlen(word))
            words.append(unsafe bytes.map(UInt8.init(bitPattern:)))
        }
        return try text(of: words)
    }
}
