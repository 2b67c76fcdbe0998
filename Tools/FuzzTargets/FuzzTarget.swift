/// One decoder under hostile bytes.
///
/// To add one: a file here with its check, its name in ``all`` and in `Package.swift`'s list of
/// fuzz targets, and `Fuzz/NAME/Entry.swift`, a copy of another with the name changed. A crash that
/// the fuzzer finds is kept in `Fixtures/fuzz/NAME`, which a unit test replays.
package struct FuzzTarget: Sendable {
    /// The name of the target, of its executable (after `fuzz-`) and of its fixtures' folder.
    package let name: String
    /// The complaint about the way in which the decoder took the bytes; nil when there is none. A
    /// trap inside is a finding as well.
    package let complaint: @Sendable ([UInt8]) -> String?

    /// Makes the target of that name.
    package init(_ name: String, complaint: @escaping @Sendable ([UInt8]) -> String?) {
        self.name = name
        self.complaint = complaint
    }

    /// The target called `name`, which must be one.
    package static func named(_ name: String) -> FuzzTarget {
        guard let target = all.first(where: { $0.name == name }) else {
            preconditionFailure("no fuzz target is called \(name)")
        }
        return target
    }

    /// Stops the process when there is a complaint: a fuzzer's entry point calls this. `bytes` may
    /// be nil only when `count` is 0.
    package static func run(_ name: StaticString, _ bytes: UnsafePointer<UInt8>?, _ count: Int) {
        let input = unsafe [UInt8](UnsafeBufferPointer(start: bytes, count: count))
        if let complaint = named(name.description).complaint(input) { fatalError(complaint) }
    }
}
