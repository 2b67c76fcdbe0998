/// Numbers of things, in words.
package enum Counted {
    /// `1 record`, `2 records`; the plural is the noun with an s.
    package static func words(_ count: some BinaryInteger, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}
