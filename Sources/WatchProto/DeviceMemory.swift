import Locks
import WatchProtoCore
import WatchProtoJournal
package import WatchProtoSecurity
import WatchProtoTransport

/// The part of a device's storage that is in memory: all of it where there is no file. A test may
/// give it to the next session, as if the device had restarted.
package final class DeviceMemory: Sendable {
    struct Contents {
        var device = DeviceID.random()
        var paired: [PairedDevice] = []
        var journals: [PairingID: MemoryJournal] = [:]
        var ledger = MemoryLedger()
        var plans = MemoryPlans()
        /// The kept values; as the file has them or is about to, where there is one.
        var kept: [StoredValue] = []
        /// Whether identities of given messages made room for others in this run.
        var hasDroppedMessages = false

        mutating func keep(_ value: StoredValue) {
            kept.removeAll { $0.isSame(as: value) }
            kept.append(value)
        }

        mutating func journal(
            of pairing: PairingID, pairedWith ticket: Ticket
        ) -> MemoryJournal {
            let journal = journals[pairing] ?? MemoryJournal(pairedWith: ticket)
            journals[pairing] = journal
            return journal
        }

        mutating func remove(_ pairings: [PairingID]) {
            paired.removeAll { pairings.contains($0.pairing) }
            for pairing in pairings { journals[pairing] = nil }
        }
    }

    private let contents: Mutex<Contents>
    /// The faults of the disk below the file; nil for none.
    let fault: JournalFault?

    /// The memory of a device that is paired with these.
    package init(pairedWith paired: [PairedDevice] = []) {
        contents = Mutex(Contents(paired: paired))
        fault = nil
    }

    /// The memory of a device whose disk fails, for tests.
    init(failingWith fault: JournalFault) {
        contents = Mutex(Contents())
        self.fault = fault
    }

    /// The pairings in memory.
    var paired: [PairedDevice] { contents.withLock { $0.paired } }

    /// The same as it is now, as a backup has it.
    package func copy() -> DeviceMemory {
        let copied = contents.withLock { contents in
            var copied = contents
            copied.journals = contents.journals.mapValues { $0.copy() }
            copied.ledger = contents.ledger.copy()
            copied.plans = contents.plans.copy()
            return copied
        }
        let made = DeviceMemory()
        made.contents.withLock { $0 = copied }
        return made
    }

    func withLock<Value>(_ body: (inout sending Contents) -> sending Value) -> sending Value {
        contents.withLock(body)
    }
}
