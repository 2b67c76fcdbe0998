import Glibc
import Locks
import Testing
import WatchProtoCore
import WatchProtoRecords

@testable import WatchProtoTransport

/// Both sides dial, and both listen.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct CrossingTests {
    /// Listens at one path and comes to another.
    final class BothWays: CarrierSource {
        private let listener: ListenerSource
        private let connector: ConnectorSource

        init(own: String, other: String, _ kind: SocketKind) {
            listener = ListenerSource(path: own, kind: kind)
            connector = ConnectorSource(path: other, kind: kind)
        }

        var waitsForCounterpart: Bool { true }
        var readinessDescriptor: Int32? { listener.readinessDescriptor }
        func prepare() throws(LinkError) { try listener.prepare() }
        func rest() -> Bool { listener.rest() }
        func open(_ occasion: OpeningOccasion) -> CarrierOpening {
            occasion == .asked ? connector.open(.asked) : listener.open(.sign)
        }
        func close(leavingFiles: Bool) {
            listener.close(leavingFiles: leavingFiles)
            connector.close(leavingFiles: leavingFiles)
        }
    }

    @Test(
        "two sides that dial at once keep one connection (C-20, C-42)",
        arguments: ListenerTests.connected)
    func crossing(_ kind: SocketKind) async throws {
        for _ in 0..<30 {
            let directory = TemporaryDirectory()
            let paths = [directory.file("p"), directory.file("w")]
            func make(_ role: DeviceRole) throws -> DriverSession {
                let own = Int(role.rawValue)
                return try DriverSession(
                    DriverConfiguration(
                        PeerConfiguration(
                            role: role, pairing: PairingID(rawValue: 7), kinds: .product)),
                    source: BothWays(own: paths[own], other: paths[1 - own], kind),
                    security: testSecurity(role), delegate: Recorder())
            }
            let phone = try make(.phone)
            let watch = try make(.watch)
            // Both have found somebody before either reads anything.
            phone.suspendLink()
            watch.suspendLink()
            try phone.activate()
            try watch.activate()
            phone.resumeLink()
            watch.resumeLink()
            #expect(
                await eventually(within: .seconds(5)) {
                    phone.activationState == .activated && watch.activationState == .activated
                })
            let id = try phone.transfer(background([1]))
            let back = try watch.transfer(background([2]))
            #expect(
                await eventually {
                    phone.status(of: id) == .settled(.applied)
                        && watch.status(of: back) == .settled(.applied)
                })
            // The connection that lost is over, and the session is not.
            await pause(.milliseconds(20))
            #expect(phone.activationState == .activated && watch.activationState == .activated)
            phone.close()
            watch.close()
        }
    }
}
