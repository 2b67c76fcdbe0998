import ControlProtocol
import Testing

@testable import CommandLine
@testable import Reports

@Suite struct HostFactsTests {
    private static let head = "fedcba9876543210fedcba9876543210fedcba98"

    @Test(
        arguments: [
            ("# branch.oid \(head)\n# branch.head main\n", false, head),
            ("# branch.oid \(head)\n# branch.head main\n", true, head + "+changes"),
            ("# branch.oid \(head)\n1 .M N... 100644 Sources/a.swift\n", false, head + "+changes"),
            ("# branch.oid \(head)\n? Sources/new.swift\n", false, head + "+changes"),
            ("# branch.oid (initial)\n", false, nil), ("", false, nil), ("nonsense", true, nil),
        ] as [(String, Bool, String?)])
    func the_commit_is_that_of_the_sources(text: String, isStale: Bool, commit: String?) {
        #expect(HostFacts.commit(inStatus: text, isStale: isStale) == commit)
    }

    @Test(
        arguments: [
            ("processor\t: 0\nmodel\t\t: 1\nmodel name\t: AMD EPYC 7571\n", "AMD EPYC 7571"),
            ("processor\t: 0\n\nModel\t\t: Raspberry Pi 5\n", "Raspberry Pi 5"),
            ("processor\t: 0\n", nil), ("", nil),
        ] as [(String, String?)])
    func the_processor_is_named(text: String, name: String?) {
        #expect(HostFacts.processorModel(in: text) == name)
    }

    /// The facts tell machines apart, and name none.
    @Test func no_name_and_no_path_of_a_machine_is_told() throws {
        let own = try #require(Files.ownExecutable)
        let facts = HostFacts.members(build: "debug", executable: own)
        #expect(
            facts.members.map(\.name) == [
                "cpus", "cpu_model", "architecture", "kernel", "swift", "build", "commit",
            ])
        let text = JSONWriter.text(.object(facts))
        let name = String(
            decoding: try Files.read("/proc/sys/kernel/hostname").dropLast(), as: UTF8.self)
        // A name that is a word of every kernel, such as "vm", tells nothing.
        #expect(name.utf8.count < 4 || !text.contains(name))
        #expect(!text.contains("/"), "\(text)")
    }

    @Test func a_program_outside_of_a_package_is_of_no_commit() {
        #expect(HostFacts.commit(of: "/bin/sh") == nil)
        #expect(HostFacts.commit(of: "/nowhere/rig") == nil)
    }

    @Test func what_a_program_prints_is_read_where_it_ends_well() {
        #expect(ProgramOutput.of("/bin/sh", ["-c", "echo one; echo two >&2"]) == "one\n")
        #expect(ProgramOutput.of("/bin/sh", ["-c", "echo one; exit 3"]) == nil)
        #expect(ProgramOutput.of("/nowhere", []) == nil)
        #expect(ProgramOutput.of("/bin/sh", ["-c", "yes"]) == nil)
    }
}
