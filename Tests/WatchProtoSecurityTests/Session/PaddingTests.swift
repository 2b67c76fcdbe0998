import Testing

@testable import WatchProtoSecurity

@Suite struct PaddingTests {
    /// Plaintext and padded length, by the table of the documentation.
    static let table = [
        (0, 64), (1, 64), (63, 64), (64, 128), (100, 128), (200, 256), (255, 256), (256, 512),
        (512, 768), (1024, 1280), (1279, 1280), (2047, 2048), (2048, 3072), (3071, 3072),
        (8191, 8192), (8192, 12_288), (65_535, 65_536), (65_536, 69_632), (1 << 20, 1_052_672),
    ]

    @Test(arguments: table) func lengths_follow_the_table(count: Int, padded: Int) {
        #expect(PaddingClasses.standard.paddedLength(of: count) == padded)
    }

    @Test func lengths_never_shrink_and_are_fixed_points() {
        var before = 0
        for count in 0..<70_000 {
            let padded = PaddingClasses.standard.paddedLength(of: count)
            #expect(padded > count)
            #expect(padded >= before)
            #expect(PaddingClasses.standard.paddedLength(of: padded - 1) == padded)
            before = padded
        }
    }

    @Test func a_datagram_is_not_exceeded() {
        let classes = PaddingClasses.standard
        #expect(classes.paddedLength(of: 1100, atMost: 1200) == 1200)
        #expect(classes.paddedLength(of: 1199, atMost: 1200) == 1200)
        #expect(classes.paddedLength(of: 100, atMost: 128) == 128)
        #expect(classes.paddedLength(of: 10, atMost: 128) == 64)
    }

    @Test func more_than_fits_is_the_callers_fault() async {
        await #expect(processExitsWith: .failure) {
            _ = PaddingClasses.standard.paddedLength(of: 1200, atMost: 1200)
        }
    }

    @Test func without_classes_one_byte_is_added() {
        for count in [0, 1, 63, 64, 1000] {
            #expect(PaddingClasses.off.paddedLength(of: count) == count + 1)
        }
    }

    @Test(arguments: [PaddingClasses.standard, .off])
    func what_was_padded_is_unpadded(classes: PaddingClasses) {
        for ending in [[], [0], [0x80], [0x80, 0], [0, 0, 0], [1]] as [[UInt8]] {
            for count in [0, 1, 60, 61, 62, 63, 64, 250, 300, 2100] {
                let header: [UInt8] = [0x80, 0, 0]
                let packet = header + [UInt8](repeating: 7, count: count) + ending
                var padded = packet
                classes.pad(&padded, from: 3)
                #expect(padded.count - 3 == classes.paddedLength(of: packet.count - 3))
                let isPadded = PaddingClasses.unpad(&padded, from: 3)
                #expect(isPadded)
                #expect(padded == packet)
            }
        }
    }

    @Test func what_was_not_padded_is_told() {
        for packet in [[], [0], [0, 0, 0], [1], [0x81, 0], [0x80, 1, 0]] as [[UInt8]] {
            var bytes = [0x80] + packet
            let isPadded = PaddingClasses.unpad(&bytes, from: 1)
            #expect(!isPadded)
            #expect(bytes == [0x80] + packet)
        }
    }
}
