import Testing
import WatchProtoCore
import WatchProtoRecords
import WatchProtoSecurity

@testable import Bench

/// The bytes of a dose that was taken or skipped, from the watch to the phone, and of the phone's
/// answers.
@Suite struct DosePacketTests {
    /// Datagrams as of Bluetooth Low Energy.
    private static let small = CarrierTraits(
        framing: .datagram(largestBytes: FirstSync.datagramBytes), isLossy: true)

    @Test(arguments: [CarrierTraits.stream, small])
    func a_dose_fits_a_datagram_and_its_answers_the_smallest_class(
        _ carrier: CarrierTraits
    ) throws {
        let medications = CodecFixtures.records().filter {
            $0.nextDose != nil && (try? $0.encoded()) != nil
        }.prefix(20)
        let exchange = WireExchange(
            carrier, between: try SimulatedPair(seed: 1),
            at: CodedSizes.reference(Array(medications)))
        let classes = PaddingClasses.standard
        var random = SeededGenerator(seed: 3)
        for medication in medications {
            for status in [DoseStatus.taken, .skipped] {
                let draft = PaddingTable.dose(medication, status, &random)
                let sizes = exchange.sizes(of: draft, from: .watch)
                // Its frame has a head of six bytes and an idempotency key of 16.
                #expect((57...59).contains(draft.payload.count))
                #expect(sizes.first == -(draft.payload.count + 22))
                // One class above the smallest, which all answers are of.
                #expect(classes.paddedLength(of: -(sizes.first ?? 0)) == 128)
                #expect(sizes.allSatisfy { $0 < 0 || classes.paddedLength(of: $0) == 64 })
                let largest = exchange.packetSizes.max() ?? 0
                #expect(largest == (carrier.isLossy ? 151 : 146))
                #expect(largest <= FirstSync.datagramBytes)
            }
        }
    }
}
