import WatchProtoCore
package import WatchProtoRecords
package import WatchProtoSecurity

/// The bytes on the link of medications that the watch does not have yet, sealed and padded.
/// Measured on the packets of two peers.
package struct NewSizes: Hashable, Sendable {
    /// The figures over one carrier.
    package struct Row: Hashable, Sendable {
        /// `stream`, or `datagram` for datagrams of 1,200 bytes that can be lost.
        package var carrier: String
        /// The packet of a medication that leaves alone.
        package var alone: ByteSpread
        /// All packets of the phone in a first synchronization, in bytes for each medication.
        package var firstSync: Double
    }

    /// Medications of a first synchronization.
    package static let listLength = 100

    /// A row for each carrier.
    package var rows: [Row]
    /// Medications measured alone.
    package var medications: Int
    /// First synchronizations measured on each carrier; less than 100 medications only if there are
    /// no more.
    package var lists: Int
    /// Values that did not leave, and lists that did not arrive: a fault of the peers.
    package var lost: Int

    /// Measures on `medications`; those over the byte budget are left out. Each list is sent in a
    /// session of its own.
    ///
    /// - Throws: `PairingFailure` without memory for keys; the system is at fault.
    package static func measure(
        _ medications: [LightweightMedication]
    ) throws(PairingFailure) -> NewSizes {
        let pair = try SimulatedPair(seed: 1)
        let reference = CodedSizes.reference(medications)
        let fitting = medications.filter { (try? $0.encoded()) != nil }
        let lists = stride(from: 0, to: fitting.count, by: listLength).map {
            Array(fitting[$0..<min(fitting.count, $0 + listLength)])
        }
        var sizes = NewSizes(rows: [], medications: fitting.count, lists: lists.count, lost: 0)
        for (name, carrier) in carriers {
            let alone = lists.flatMap { list in
                let exchange = WireExchange(carrier, between: pair, at: reference)
                return list.compactMap { exchange.send($0)?.packetBytes }
            }
            let synchronized = lists.compactMap {
                WireExchange(carrier, between: pair, at: reference).synchronize($0)
            }
            let sum = synchronized.reduce(0, +)
            sizes.lost += fitting.count - alone.count + lists.count - synchronized.count
            sizes.rows.append(
                Row(
                    carrier: name, alone: ByteSpread(alone),
                    firstSync: Double(sum) / Double(max(1, fitting.count))))
        }
        return sizes
    }

    /// The carriers that are measured.
    static let carriers: [(name: String, traits: CarrierTraits)] = [
        ("stream", .stream),
        ("datagram", CarrierTraits(framing: .datagram(largestBytes: 1_200), isLossy: true)),
    ]

    /// The rows of the report.
    var lines: [String] {
        let tenths = CodecReport.tenths
        func carriers(_ figures: (Row) -> String) -> String {
            rows.map { "\($0.carrier) \(figures($0))" }.joined(separator: "; ")
        }
        return [
            "New        a medication alone, its packet: "
                + carriers {
                    "mean \(tenths($0.alone.mean)) B, max \($0.alone.largest)"
                },
            "           a first sync of \(Self.listLength), all packets of the phone: "
                + carriers { "\(tenths($0.firstSync)) B a medication" }
                + (lost > 0 ? "; LOST: \(lost)" : ""),
            "           with prefix or header, padding and tag; \(medications) medications, "
                + "\(lists) first syncs",
        ]
    }
}
