// swift-tools-version: 6.2
import Foundation
import PackageDescription

// Targets stand lowest layer first; a target may depend only on what stands above it in this list.
let package = Package(
    name: "WatchProto",
    products: [
        .library(name: "WatchProto", targets: ["WatchProto"]),
        .library(name: "WatchProtoRecords", targets: ["WatchProtoRecords"]),
        .library(name: "WatchSecurity", targets: ["WatchSecurity"]),
        .library(name: "WatchTransport", targets: ["WatchTransport"]),
        .library(name: "WatchJournal", targets: ["WatchJournal"]),
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
        // The variadic and macro-only parts of POSIX, as plain functions.
        .systemLibrary(name: "CPosix"),
        // The protocol core: no I/O, no clock, no randomness of its own; imports nothing.
        .target(name: "WatchProtoCore", swiftSettings: optimised),
        // The name under which all other targets import the core.
        .target(name: "WatchProto", dependencies: ["WatchProtoCore"], swiftSettings: optimised),
        // Medications, doses, complication states, their codecs and deltas; the table of kinds that
        // a peer is given.
        .target(
            name: "WatchProtoRecords", dependencies: ["WatchProto"], swiftSettings: optimised),
        // Handshake, sealing, and keys at rest; the only user of libsodium and libargon2.
        .target(
            name: "WatchSecurity",
            dependencies: ["WatchProto", "CSodium", "CArgon2"],
            swiftSettings: optimised),
        // Carriers, the driver thread, the one clock read, `CompanionSession`; pairing on a link.
        .target(
            name: "WatchTransport",
            dependencies: ["WatchProto", "WatchProtoRecords", "WatchSecurity", "CPosix"],
            swiftSettings: optimised),
        // The durable journal and the application's store beside it; the only user of SQLite.
        .target(
            name: "WatchJournal",
            dependencies: [
                "WatchProto", "WatchSecurity", "WatchTransport", "CSQLite", "CPosix",
            ],
            swiftSettings: optimised),
        // A file system for SQLite that records what is asked of it, and can fail.
        .target(name: "CRecordingVFS", dependencies: ["CSQLite"]),
        // The medications and doses of a device: tables beside the journal, and their queries.
        .target(
            name: "DeviceStore", dependencies: ["WatchProto", "WatchProtoRecords", "WatchJournal"],
            swiftSettings: optimised),
        // Crash states of the real journal file, replayed call by call.
        .target(
            name: "CrashKit",
            dependencies: [
                "WatchProto", "WatchProtoRecords", "WatchSecurity", "WatchTransport",
                "WatchJournal", "CSQLite",
                "CRecordingVFS",
            ],
            swiftSettings: optimised),
        // A model of a link, as a value: delay, loss, queues and outages; the named profiles.
        .target(name: "NetworkModel", dependencies: ["WatchProto"], swiftSettings: optimised),
        // The deterministic world: virtual links, restarts, scenarios, checkers.
        .target(
            name: "SimKit", dependencies: ["WatchProto", "WatchProtoRecords", "NetworkModel"],
            swiftSettings: optimised),
        // JSON with source positions and the JSON-lines control protocol, without Foundation.
        .target(name: "ControlKit", swiftSettings: optimised),
        // The phone's full medication record, its projection for the watch, and the importers.
        .target(
            name: "PhoneKit",
            dependencies: ["WatchProto", "WatchProtoRecords", "DeviceStore", "ControlKit"],
            swiftSettings: optimised),
        // What both simulators share: arguments, the control channel, traces.
        .target(
            name: "SimulatorKit",
            dependencies: [
                "WatchProto", "WatchProtoRecords", "WatchSecurity", "WatchTransport",
                "WatchJournal", "DeviceStore",
                "CrashKit", "ControlKit", "CPosix",
            ],
            swiftSettings: settings),
        // Histograms, the report, command lines, child processes.
        .target(
            name: "RigKit", dependencies: ["WatchProto", "ControlKit", "CPosix"],
            swiftSettings: optimised),
        // A link's weather as text and as a file, and the link model in real time between sockets.
        .target(
            name: "LinkKit",
            dependencies: [
                "WatchProto", "WatchTransport", "NetworkModel", "ControlKit", "RigKit", "CPosix",
            ],
            swiftSettings: optimised),
        // What else carries messages on this machine, to stand beside the product in one run.
        .target(
            name: "PeerKit",
            dependencies: [
                "WatchProto", "WatchSecurity", "WatchTransport", "ControlKit", "RigKit", "CPosix",
            ],
            swiftSettings: optimised),
        // What the codec costs: sizes, times and heap objects over realistic records.
        .target(
            name: "CodecBench",
            dependencies: ["WatchProto", "WatchProtoRecords", "WatchSecurity", "ControlKit"],
            swiftSettings: optimised),
        // How near the peer comes to physics: two peers, two link models, and the ideal beside them.
        .target(
            name: "FloorKit",
            dependencies: [
                "WatchProto", "WatchProtoRecords", "NetworkModel", "ControlKit", "RigKit",
                "CodecBench",
            ],
            swiftSettings: optimised),
        // Written situations, performed by the simulators or in the world, and judged alike.
        .target(
            name: "ScenarioKit",
            dependencies: [
                "WatchProto", "WatchProtoRecords", "WatchTransport", "SimKit", "ControlKit",
                "RigKit", "LinkKit",
            ],
            swiftSettings: optimised),
        // What every decoder must hold under hostile bytes; run by the fuzzers and by unit tests.
        .target(
            name: "FuzzTargets",
            dependencies: [
                "WatchProto", "WatchProtoRecords", "WatchSecurity", "ControlKit", "PhoneKit",
            ],
            swiftSettings: optimised),
        .executableTarget(
            name: "PhoneSim",
            dependencies: [
                "WatchProto", "WatchProtoRecords", "WatchSecurity", "WatchTransport",
                "WatchJournal", "DeviceStore",
                "ControlKit", "PhoneKit", "SimulatorKit",
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "WatchSim",
            dependencies: [
                "WatchProto", "WatchProtoRecords", "WatchSecurity", "WatchTransport",
                "WatchJournal", "DeviceStore",
                "ControlKit", "SimulatorKit",
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "Rig",
            dependencies: [
                "WatchProto", "WatchProtoRecords", "WatchSecurity", "WatchTransport",
                "WatchJournal", "CrashKit",
                "SimKit", "DeviceStore", "ControlKit", "CodecBench", "PhoneKit", "SimulatorKit",
                "RigKit", "FloorKit", "LinkKit", "PeerKit", "ScenarioKit", "CPosix",
            ],
            swiftSettings: settings),
        // Reads the tables of the articles and the fixtures, for the tests that hold them against
        // the code.
        .target(
            name: "Articles", dependencies: ["ControlKit"], path: "Tests/Articles",
            swiftSettings: settings),
        .testTarget(
            name: "WatchProtoRecordsTests",
            dependencies: ["WatchProto", "WatchProtoRecords", "ControlKit", "Articles"],
            swiftSettings: settings),
        .testTarget(
            name: "WatchProtoCoreTests", dependencies: ["WatchProtoCore", "Articles"],
            swiftSettings: settings),
        .testTarget(
            name: "WatchSecurityTests",
            dependencies: ["WatchProto", "WatchSecurity"],
            swiftSettings: settings),
        // The vectors of the articles, and the peer in Python that was written from them.
        .testTarget(
            name: "WireTests",
            dependencies: ["WatchProto", "WatchProtoCore", "WatchSecurity", "Articles"],
            swiftSettings: settings),
        .testTarget(
            name: "WatchTransportTests",
            dependencies: [
                "WatchProto", "WatchProtoRecords", "WatchSecurity", "WatchTransport", "CPosix",
                "Articles",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "WatchJournalTests",
            dependencies: [
                "WatchProto", "WatchProtoRecords", "WatchSecurity", "WatchTransport",
                "WatchJournal", "CSQLite",
                "CPosix",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "DeviceStoreTests",
            dependencies: [
                "WatchProto", "WatchProtoRecords", "WatchSecurity", "WatchJournal", "DeviceStore",
                "PhoneKit",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "CrashKitTests",
            dependencies: [
                "WatchProto", "WatchProtoRecords", "WatchTransport", "WatchJournal", "CSQLite",
                "CrashKit",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SimKitTests",
            dependencies: [
                "WatchProto", "WatchProtoRecords", "WatchSecurity", "SimKit", "Articles",
            ],
            swiftSettings: settings),
        .testTarget(name: "ControlKitTests", dependencies: ["ControlKit"], swiftSettings: settings),
        .testTarget(
            name: "SimulatorKitTests",
            dependencies: [
                "WatchProto", "WatchProtoRecords", "ControlKit", "DeviceStore", "SimulatorKit",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "PhoneKitTests",
            dependencies: [
                "WatchProto", "WatchProtoRecords", "DeviceStore", "ControlKit", "PhoneKit",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "FloorKitTests",
            dependencies: [
                "WatchProto", "WatchProtoRecords", "WatchSecurity", "NetworkModel", "RigKit",
                "FloorKit",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "RigKitTests", dependencies: ["WatchProto", "ControlKit", "RigKit"],
            swiftSettings: settings),
        .testTarget(
            name: "LinkKitTests",
            dependencies: [
                "WatchProto", "WatchTransport", "NetworkModel", "ControlKit", "RigKit", "LinkKit",
                "Articles", "CPosix",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "PeerKitTests", dependencies: ["WatchProto", "RigKit", "PeerKit"],
            swiftSettings: settings),
        .testTarget(
            name: "ScenarioKitTests",
            dependencies: [
                "WatchProto", "WatchSecurity", "SimKit", "ControlKit", "RigKit", "LinkKit",
                "ScenarioKit",
            ],
            swiftSettings: settings),
        // A stand-in for both simulators that plants faults; for the tests of rig.
        .executableTarget(
            name: "ScriptedSimulator", dependencies: ["ControlKit"],
            path: "Tests/ScriptedSimulator",
            swiftSettings: settings),
        // The built programs, run as a user runs them.
        .testTarget(
            name: "ProcessTests",
            dependencies: [
                "WatchProto", "WatchProtoRecords", "WatchSecurity", "WatchTransport",
                "WatchJournal", "SimKit",
                "DeviceStore", "ControlKit", "SimulatorKit", "RigKit", "FloorKit", "LinkKit",
                "PhoneSim", "WatchSim", "Rig", "ScriptedSimulator", "CPosix",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "CodecBenchTests",
            dependencies: ["WatchProto", "WatchProtoRecords", "WatchSecurity", "CodecBench"],
            swiftSettings: settings),
        .testTarget(
            name: "FuzzTargetsTests",
            dependencies: ["WatchProto", "WatchProtoRecords", "WatchSecurity", "FuzzTargets"],
            swiftSettings: settings),
        // The models of the identity protocol in `Models`, searched by programs in C.
        .testTarget(name: "ModelTests", swiftSettings: settings),
        // The rules of the house that the compiler does not hold.
        .testTarget(name: "StructureTests", swiftSettings: settings),
    ]
)

/// The fuzzers are built only when asked for (`scripts/fuzz`): they need flags and a runtime of
/// their own. Each is one of `FuzzTarget.all`.
let fuzzers =
    [
        "medication", "dose-event", "complication", "delta", "agreement", "frame", "datagram",
        "stream", "peer-stream", "peer-datagram", "paired-peer", "journal-entries",
        "stored-medication", "json", "fhir", "control", "pairing",
        "hello",
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
    package.products.removeAll { $0.name != "rig" || !kept.contains("Rig") }
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
    ]
}

/// The same, and optimised in debug builds too: the tests of these targets compute for minutes
/// where they are not. `assert` stays on. Flags of this kind are refused in a package that another
/// depends on by version; there these targets are built as usual,
/// and with `WATCHPROTO_PLAIN`, where a change shall compile soon.
var optimised: [SwiftSetting] {
    let isPlain = Context.environment["WATCHPROTO_PLAIN"] != nil
    if isPlain || Context.packageDirectory.contains("/checkouts/") { return settings }
    return settings + [
        .unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))
    ]
}
