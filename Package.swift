// swift-tools-version: 6.2
import Foundation
import PackageDescription

// Targets stand lowest layer first; a target may depend only on what stands above it in this list.
// `Sources` holds the library and the two devices, `Tools` the rig and what it is made of.
let package = Package(
    name: "WatchProto",
    products: [
        .library(name: "WatchProto", targets: ["WatchProto"]),
        .library(name: "WatchProtoCore", targets: ["WatchProtoCore"]),
        .library(name: "WatchProtoTesting", targets: ["WatchProtoTesting"]),
        .executable(name: "PhoneSim", targets: ["PhoneSim"]),
        .executable(name: "WatchSim", targets: ["WatchSim"]),
        .executable(name: "rig", targets: ["Rig"]),
    ],
    targets: [
        // libsodium, as packaged by the system.
        .systemLibrary(
            name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        // SQLite, as packaged by the system, and its variadic and macro-only parts.
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        // libargon2, as packaged by the system: Argon2id with more than one lane.
        .systemLibrary(
            name: "CArgon2", pkgConfig: "libargon2", providers: [.apt(["libargon2-dev"])]),
        // libzstd, as packaged by the system.
        .systemLibrary(
            name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        // The variadic and macro-only parts of POSIX, as plain functions.
        .systemLibrary(name: "CPosix"),

        // The standard library's locks; in a build for the thread sanitizer, locks that it can see.
        .target(name: "Locks", swiftSettings: settings),
        // The protocol core: no I/O, no clock, no randomness of its own; imports nothing.
        library("WatchProtoCore", []),
        // Medications, doses, complication states, their codecs and deltas; the table of kinds that
        // a peer is given.
        .target(name: "CVocabulary", exclude: ["table.bin"]),
        library("WatchProtoRecords", ["WatchProtoCore", "CVocabulary", "CZstd"]),
        // Handshake, sealing, and keys at rest; the only user of libsodium and libargon2.
        library("WatchProtoSecurity", ["WatchProtoCore", "CSodium", "CArgon2"]),
        // Carriers, the driver thread, the one clock read, pairing on a link.
        library(
            "WatchProtoTransport",
            ["WatchProtoCore", "WatchProtoRecords", "WatchProtoSecurity", "CPosix"]),
        // The durable journal and the application's store beside it; the only user of SQLite.
        library(
            "WatchProtoJournal",
            ["WatchProtoCore", "WatchProtoSecurity", "WatchProtoTransport", "CSQLite", "CPosix"]),
        // The one module that an app imports.
        library("WatchProto", libraries),

        // JSON with source positions and the JSON-lines control protocol, without Foundation.
        library("ControlProtocol", []),
        // Arguments, help, completions, manual pages; child processes and files of a command.
        tool("CommandLine", ["WatchProtoCore", "ControlProtocol", "CPosix"]),
        // A file system for SQLite that records what is asked of it, and can fail.
        .target(name: "CRecordingVFS", dependencies: ["CSQLite"], path: "Tools/CRecordingVFS"),
        // Crash states of the real journal file, replayed call by call; disks that fail.
        tool("FaultInjection", libraries + ["CSQLite", "CRecordingVFS"]),
        // Pictures as a watch has them: decoded in bounded memory, made smaller, kept for a while.
        library("Pictures", ["WatchProtoCore", "WatchProtoTransport"]),
        // Pictures as a phone prepares them; the only user of libjpeg-turbo and libpng.
        .target(
            name: "CPictures",
            linkerSettings: [.linkedLibrary("jpeg"), .linkedLibrary("png16"), .linkedLibrary("z")]),
        library("PictureCoding", ["WatchProtoCore", "Pictures", "CPictures"]),
        // The common part of both devices: store, importers, projection, control commands.
        library(
            "ReferenceDevice",
            libraries + [
                "WatchProto", "ControlProtocol", "CommandLine", "FaultInjection", "Pictures",
                "CPosix",
            ]),
        program(
            "PhoneSim",
            libraries + [
                "WatchProto", "ControlProtocol", "CommandLine", "ReferenceDevice", "Pictures",
                "PictureCoding",
            ]),
        program(
            "WatchSim",
            libraries + [
                "WatchProto", "ControlProtocol", "CommandLine", "ReferenceDevice", "Pictures",
            ]),

        // A model of a link as a value, and the deterministic world: virtual links, restarts,
        // scenarios, checkers, mutants; the ledgers of a phone and two watches.
        tool("Simulation", libraries + ["WatchProto"]),
        // A connected pair in memory, for the tests of an app.
        tool("WatchProtoTesting", libraries + ["WatchProto", "Simulation"]),
        // Histograms, targets and reports: tables, JSON, JUnit, HTML, hlog, Prometheus; faces.
        tool(
            "Reports",
            ["WatchProtoCore", "WatchProtoRecords", "ControlProtocol", "CommandLine", "CPosix"]),
        // A link's weather as text and as a file, and the link model in real time between sockets.
        tool(
            "NetworkEmulation",
            [
                "WatchProtoCore", "WatchProtoTransport", "Simulation", "ControlProtocol",
                "CommandLine", "Reports", "CPosix",
            ]),
        // The training of dictionaries of libzstd, which only the bench uses.
        .systemLibrary(
            name: "CZdict", path: "Tools/CZdict", pkgConfig: "libzstd",
            providers: [.apt(["libzstd-dev"])]),
        // Loads, comparison and shards; the codec's cost, the peer against physics, and what else
        // carries messages on this machine.
        tool(
            "Bench",
            [
                "WatchProtoCore", "WatchProtoRecords", "WatchProtoSecurity", "WatchProtoTransport",
                "ControlProtocol", "CommandLine", "Simulation", "Reports", "CPosix", "CZstd",
                "CZdict",
            ]),
        // Scenarios, performed by the simulators or in the world, and evaluated alike.
        tool(
            "Scenarios",
            [
                "WatchProtoCore", "WatchProtoRecords", "WatchProtoTransport", "ControlProtocol",
                "CommandLine", "Simulation", "Reports", "NetworkEmulation", "Bench",
            ]),
        // What every decoder must hold under hostile bytes; run by the fuzzers and by unit tests.
        tool(
            "FuzzTargets",
            [
                "WatchProtoCore", "WatchProtoRecords", "WatchProtoSecurity", "WatchProtoTransport",
                "WatchProto", "ControlProtocol", "ReferenceDevice", "Pictures", "PictureCoding",
            ]),
        program(
            "Rig",
            libraries + ["WatchProto"] + rooms + ["Pictures", "PictureCoding", "CPosix"],
            in: "Tools"),

        // Reads the tables of the articles and the fixtures, for the tests that hold them against
        // the code.
        .target(
            name: "Articles", dependencies: ["ControlProtocol"], path: "Tests/Articles",
            swiftSettings: settings),
        // The records, for the digests of values that are coded and of those that are not.
        tests("WatchProtoCoreTests", ["WatchProtoCore", "WatchProtoRecords", "Articles"]),
        tests(
            "WatchProtoRecordsTests",
            ["WatchProtoCore", "WatchProtoRecords", "ControlProtocol", "Articles"]),
        tests("WatchProtoSecurityTests", ["WatchProtoCore", "WatchProtoSecurity"]),
        // The vectors of the articles, and the peer in Python that was written from them.
        tests("WireTests", ["WatchProtoCore", "WatchProtoSecurity", "Articles"]),
        tests(
            "WatchProtoTransportTests",
            [
                "WatchProtoCore", "WatchProtoRecords", "WatchProtoSecurity", "WatchProtoTransport",
                "CPosix", "Articles",
            ]),
        // The library as an app sees it: these tests import nothing else of it.
        tests("WatchProtoTests", libraries + ["WatchProto"]),
        // An app's tests: they import the two products alone.
        tests("WatchProtoTestingTests", ["WatchProto", "WatchProtoTesting"]),
        // A phone and two watches for days.
        tests(
            "HouseholdTests",
            ["WatchProto", "WatchProtoCore", "WatchProtoSecurity", "WatchProtoTesting", "CPosix"]),
        tests("WatchProtoJournalTests", libraries + ["CSQLite", "CPosix"]),
        tests("ControlProtocolTests", ["ControlProtocol"]),
        tests("CommandLineTests", ["WatchProtoCore", "ControlProtocol", "CommandLine"]),
        tests("FaultInjectionTests", libraries + ["CSQLite", "FaultInjection"]),
        tests(
            "ReferenceDeviceTests",
            libraries + [
                "WatchProto", "ControlProtocol", "CommandLine", "ReferenceDevice", "Articles",
                "Pictures",
            ]
        ),
        tests(
            "PicturesTests", ["WatchProtoCore", "WatchProtoTransport", "Pictures", "PictureCoding"]
        ),
        tests(
            "SimulationTests",
            libraries + ["WatchProto", "Simulation", "Articles"]),
        tests(
            "ReportsTests",
            ["WatchProtoCore", "WatchProtoRecords", "ControlProtocol", "CommandLine", "Reports"]),
        tests(
            "NetworkEmulationTests",
            [
                "WatchProtoCore", "WatchProtoTransport", "Simulation", "ControlProtocol",
                "CommandLine", "Reports", "NetworkEmulation", "Articles", "CPosix",
            ]),
        tests(
            "BenchTests",
            [
                "WatchProtoCore", "WatchProtoRecords", "WatchProtoSecurity", "WatchProtoTransport",
                "ControlProtocol", "CommandLine", "Simulation", "Reports", "Bench",
            ]),
        tests("BrokerTests", ["WatchProtoCore", "CommandLine", "Bench"]),
        tests("ScenariosTests", libraries + rooms),
        tests(
            "FuzzTargetsTests",
            [
                "WatchProtoCore", "WatchProtoRecords", "WatchProtoSecurity", "WatchProto",
                "Pictures", "PictureCoding", "FuzzTargets", "Articles",
            ]),
        // A stand-in for both simulators that plants faults; for the tests of rig.
        .executableTarget(
            name: "ScriptedSimulator", dependencies: ["ControlProtocol"],
            path: "Tests/ScriptedSimulator", swiftSettings: settings),
        // The built programs, run as a user runs them.
        tests(
            "ProcessTests",
            libraries + rooms + [
                "PhoneSim", "WatchSim", "Rig", "ScriptedSimulator", "Pictures", "PictureCoding",
                "CPosix",
            ]),
        // The models of the identity protocol in `Models`, searched by programs in C.
        tests("ModelTests", []),
        // The rules of the house that the compiler does not hold.
        tests("StructureTests", []),
    ]
)

/// The layers of the library below its face.
var libraries: [Target.Dependency] {
    [
        "WatchProtoCore", "WatchProtoRecords", "WatchProtoSecurity", "WatchProtoTransport",
        "WatchProtoJournal",
    ]
}

/// The parts of the rig.
var rooms: [Target.Dependency] {
    [
        "ControlProtocol", "CommandLine", "FaultInjection", "ReferenceDevice", "Simulation",
        "Reports", "NetworkEmulation", "Bench", "Scenarios",
    ]
}

@MainActor func library(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(
        name: name, dependencies: name == "WatchProtoCore" ? [] : dependencies + ["Locks"],
        swiftSettings: settings)
}

@MainActor func tool(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(
        name: name, dependencies: dependencies + ["Locks"], path: "Tools/" + name,
        swiftSettings: settings)
}

@MainActor func program(
    _ name: String, _ dependencies: [Target.Dependency], in place: String = "Sources"
) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies + ["Locks"], path: place + "/" + name,
        swiftSettings: settings)
}

@MainActor func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies + ["Locks"], swiftSettings: settings)
}

/// The fuzzers are built only when asked for (`scripts/fuzz`): they need flags and a runtime of
/// their own. Each is one of `FuzzTarget.all`.
let fuzzers =
    [
        "medication", "dose-event", "complication", "delta", "coding", "agreement", "frame",
        "datagram", "stream", "peer-stream", "peer-datagram", "paired-peer", "journal-entries",
        "stored-medication", "json", "fhir", "fhir-doses", "control", "pairing", "hello",
        "files", "file-exchange", "compression", "picture", "picture-file", "picture-message",
    ]
if Context.environment["WATCHPROTO_FUZZ"] != nil {
    package.targets += fuzzers.map { name in
        .executableTarget(
            name: "fuzz-" + name, dependencies: ["FuzzTargets"], path: "Fuzz/" + name,
            swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])])
    }
}

/// Only these targets and what they depend on: `WATCHPROTO_ONLY=SimKitTests swift test`.
if let names = Context.environment["WATCHPROTO_ONLY"] {
    var kept: Set<String> = []
    var rest = names.split(separator: ",").map(String.init)
    while let name = rest.popLast() {
        guard kept.insert(name).inserted else { continue }
        for case .byNameItem(let other, _) in package.targets.first(where: { $0.name == name })?
            .dependencies ?? []
        {
            rest.append(other)
        }
    }
    package.targets.removeAll { !kept.contains($0.name) }
    package.products.removeAll {
        $0 is Product.Library || !kept.contains($0.name == "rig" ? "Rig" : $0.name)
    }
}

/// One set of rules for every target.
var settings: [SwiftSetting] {
    [
        .swiftLanguageMode(.v6),
        .strictMemorySafety(),
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableExperimentalFeature("Lifetimes"),
        .enableExperimentalFeature("RawLayout"),
    ]
        + (Context.environment["WATCHPROTO_SANITIZE"] == "thread"
            ? [.define("SANITIZE_THREAD")] : [])
}
