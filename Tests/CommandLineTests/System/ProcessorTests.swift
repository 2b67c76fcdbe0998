import CommandLine
import Testing

@Suite struct ProcessorTests {
    @Test(arguments: [
        ("Name:\trig\nCpus_allowed:\t3\nCpus_allowed_list:\t0-1\n", [0, 1]),
        ("Cpus_allowed_list:\t2,4-6\n", [2, 4, 5, 6]), ("Cpus_allowed_list:\t7\n", [7]),
        ("Cpus_allowed_list:\t\n", []), ("Name:\trig\n", []), ("Cpus_allowed_list:\t3-1\n", []),
    ])
    func the_usable_ones_are_read(status: String, processors: [Int]) {
        #expect(Files.processors(listedIn: status) == processors)
    }

    @Test func there_is_one_at_least() {
        #expect(!Files.usableProcessors.isEmpty)
        #expect(Files.usableProcessors.count <= Files.processorCount)
    }
}
