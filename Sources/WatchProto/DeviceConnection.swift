import WatchProtoCore
import WatchProtoSecurity
import WatchProtoTransport

/// The session below with one device, and what belongs to that device alone.
struct DeviceConnection: Sendable {
    let driven: DriverSession
    let device: PairedDevice
    let links: SessionLinks
    let exchanges: DeviceExchanges
    let events: DriverEvents

    /// Ends it.
    func close() {
        driven.close()
        exchanges.end()
    }

    /// Ends it as a crash does.
    func abandon() {
        driven.abandon()
        exchanges.end()
    }
}

extension [DeviceConnection] {
    /// The status of a record in the session that knows it.
    func status(of id: TransferID) -> RecordStatus {
        for connection in self {
            let status = connection.driven.status(of: id)
            if status != .unknown { return status }
        }
        return .unknown
    }

    /// All of them want a link.
    ///
    /// - Throws: the first error; the others want a link all the same.
    func activate() throws(LinkError) {
        var failure: LinkError?
        for connection in self {
            do throws(LinkError) { try connection.driven.activate() } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }
}
