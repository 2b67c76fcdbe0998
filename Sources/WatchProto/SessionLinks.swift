import Locks
import WatchProtoCore
import WatchProtoTransport

/// Makes the sources of a session's links: for the session, and for a pairing.
struct SessionLinks: Sendable {
    private enum Origin {
        case address(LinkAddress)
        case carrier(any CompanionCarrier)
        case test(@Sendable () -> any CarrierSource)
    }

    private let origin: Origin
    let reports = LinkReports()

    /// - Throws: `OpenError.badLink`; the caller is at fault.
    init(_ link: SessionLink) throws(OpenError) {
        switch link {
        case .address(let text):
            do throws(LinkAddressError) {
                origin = .address(try LinkAddress(text))
            } catch {
                throw .badLink("\(error)")
            }
        case .carrier(let carrier):
            if let fault = carrier.delivery.fault { throw .badLink(fault) }
            origin = .carrier(carrier)
        }
    }

    /// For tests: each source comes from this function.
    init(_ make: @escaping @Sendable () -> any CarrierSource) { origin = .test(make) }

    /// Whether both open the same links, which one session at a time can have.
    func isSame(as other: SessionLinks) -> Bool {
        if case .address(let one) = origin, case .address(let another) = other.origin {
            return one == another
        }
        return reports === other.reports
    }

    func makeSource(_ role: DeviceRole) -> any CarrierSource {
        switch origin {
        case .address(let address):
            address.makeSource(side: role == .watch ? .listening : .connecting)
        case .carrier(let carrier): AppCarrierSource(carrier, reports)
        case .test(let make): make()
        }
    }

    func makePairingSource(_ role: DeviceRole, showsCode: Bool) -> any CarrierSource {
        guard case .address(let address) = origin else { return makeSource(role) }
        return address.makePairingSource(role: role, showsCode: showsCode)
    }

    /// A failure in words.
    func text(of failure: CarrierFailure) -> String {
        (failure == .appCarrier ? reports.newest : nil) ?? failure.text
    }
}

/// The newest error that the application's carrier threw.
final class LinkReports: Sendable {
    private let text = Mutex<String?>(nil)

    var newest: String? { text.withLock { $0 } }

    func failed(_ text: String) { self.text.withLock { $0 = text } }
}
