import Foundation

/// Files that tests read.
enum TestFiles {
    /// The package's own folder.
    static let package = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Other people's files, beside the package; they are not part of it and may be absent.
    static let vectors = package.deletingLastPathComponent().appending(path: "shared/vectors")

    /// The project's own input.
    static let medications = package.appending(path: "Fixtures/medications")

    /// Whether other people's files are there; says so where they are not.
    static let hasVectors: Bool = {
        let isThere = FileManager.default.fileExists(atPath: vectors.appending(path: "fhir").path())
        if !isThere { print("skipped: ../shared/vectors is not beside the package") }
        return isThere
    }()

    static func bytes(_ url: URL) throws -> [UInt8] { [UInt8](try Data(contentsOf: url)) }

    /// The files of a folder, by name.
    static func list(_ folder: URL, _ suffix: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.lastPathComponent.hasSuffix(suffix) }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
    }
}
