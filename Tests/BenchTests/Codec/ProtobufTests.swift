import Foundation
import Testing
import WatchProtoCore
import WatchProtoRecords

@testable import Bench

/// The messages of ``Protobuf`` beside those of Debian's `protoc`; without it the test is skipped,
/// and says so.
@Suite struct ProtobufTests {
    private static let compiler: URL? = {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let found = path.split(separator: ":").map { "\($0)/protoc" }
            .first(where: FileManager.default.isExecutableFile)
        if found == nil {
            print("skipped: the sizes of Protocol Buffers; try: apt-get install protobuf-compiler")
        }
        return found.map { URL(fileURLWithPath: $0) }
    }()

    private static let schema = """
        syntax = "proto3";
        message List { repeated Medication records = 1; }
        message Medication {
          bytes id = 1;
          string name = 2;
          string dosage = 3;
          uint64 next_dose = 4;
          fixed32 color = 5;
          bool is_active = 6;
          bool is_overdue = 7;
          bool as_needed = 8;
          string instructions = 9;
          repeated uint32 minutes = 10;
          uint32 weekdays = 11;
          uint32 revision = 12;
          uint64 updated_at = 13;
        }
        """

    /// A record in the text format, which `protoc` reads.
    private static func text(_ medication: LightweightMedication) -> String {
        func quoted(_ bytes: some Sequence<UInt8>) -> String {
            let digits = bytes.map { "\\x" + String(0x100 + Int($0), radix: 16).suffix(2) }
            return "\"" + digits.joined() + "\""
        }
        let next = medication.nextDose?.wallTime.milliseconds ?? 0
        let flags = medication.flags
        let minutes = medication.schedule.slots.minutes.map { "minutes: \($0)" }
        return """
            records {
              id: \(quoted([UInt8](repeating: 0, count: 16)))
              name: \(quoted(medication.name.utf8))
              dosage: \(quoted(medication.dosage.text.utf8))
              next_dose: \(next)
              color: \(medication.color)
              is_active: \(flags.contains(.isActive))
              is_overdue: \(flags.contains(.isOverdue))
              as_needed: \(flags.contains(.asNeeded))
              instructions: \(quoted(medication.instructions.utf8))
              \(minutes.joined(separator: " "))
              weekdays: \(medication.schedule.weekdays.rawValue)
              revision: \(medication.revision)
              updated_at: \(medication.updatedAt.milliseconds)
            }

            """
    }

    @Test(.enabled(if: compiler != nil, "needs protobuf-compiler"))
    func messages_are_those_of_protoc() throws {
        let records = Array(CodecFixtures.records().prefix(200))
        let folder = TemporaryDirectory()
        try Self.schema.write(toFile: folder.file("list.proto"), atomically: true, encoding: .utf8)
        try records.map(Self.text).joined()
            .write(toFile: folder.file("list.txt"), atomically: true, encoding: .utf8)
        let (process, output) = (Process(), Pipe())
        process.executableURL = Self.compiler
        process.arguments = ["--encode=List", "--proto_path=" + folder.path, "list.proto"]
        process.standardInput = FileHandle(forReadingAtPath: folder.file("list.txt"))
        process.standardOutput = output
        try process.run()
        let bytes = [UInt8](output.fileHandleForReading.readDataToEndOfFile())
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        var list = Protobuf.Writer()
        for record in records { list.text(1, Protobuf.bytes(record)) }
        #expect(bytes == list.bytes)
    }
}
