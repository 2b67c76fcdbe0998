import CommandLine
import NetworkEmulation
import Simulation
import WatchProtoTransport

/// A link with network conditions between two simulators: datagrams through a link model in this
/// process.
struct ConditionedLink {
    /// The addresses that the simulators are given.
    let phone: LinkAddress
    let watch: LinkAddress
    let conditioner: LinkConditioner

    /// Opens the link.
    ///
    /// - Parameter pair: the number of the pair, which sets its link apart from others of this run.
    /// - Throws: exit code 69 where the addresses cannot be had.
    init(
        _ conditions: NetworkConditions, datagramBytes: Int? = nil, pair: UInt16 = 0, seed: UInt64
    ) throws(RigFailure) {
        let sides = [0, 1].map { side in
            OwnAddress.udp(
                7001 + 2 * pair + side,
                datagramBytes: datagramBytes ?? Self.datagramBytes(on: conditions),
                sendInterval: conditions.up.options.sendInterval)
        }
        (phone, watch) = (sides[0], sides[1])
        do throws(LinkConditioner.Refusal) {
            conditioner = try LinkConditioner(
                listening: phone, connecting: watch, conditions: conditions, seed: seed)
        } catch {
            throw RigFailure(.unreachable, "Cannot open the link: \(error).")
        }
    }

    /// The largest datagram where none is named: the length that a radio with a connection interval
    /// carries in one packet, or a length that passes everywhere.
    static func datagramBytes(on conditions: NetworkConditions) -> Int {
        conditions.up.options.sendInterval > .zero ? 244 : 1200
    }
}

extension NetworkConditions {
    /// Two devices that cannot hear each other never become a pair.
    ///
    /// - Throws: exit code 69 where nothing gets through.
    func checkOpen() throws(RigFailure) {
        guard !closedWays.isEmpty else { return }
        var reasons: [String] = []
        var ways = ["another --profile ('rig profiles' lists them)"]
        for closure in Closure.allCases {
            let places = closedWays.filter { $0.closure == closure }.map { closed in
                closed.way == .up
                    ? "from the phone to the watch" : "from the watch to the phone"
            }
            guard !places.isEmpty else { continue }
            reasons.append(
                (closure == .loss ? "Loss is 100% " : "The rate is 0 ")
                    + places.joined(separator: " and ") + ".")
            ways.append(closure == .loss ? "a lower loss" : "a rate above 0")
        }
        let advice =
            ways.count == 2
            ? ways.joined(separator: " or ") : "\(ways[0]), \(ways[1]) and \(ways[2])"
        throw RigFailure(
            .unreachable, "PhoneSim cannot reach WatchSim: nothing gets through on \(name).",
            details: reasons + [
                "Try: \(advice); 'rig run' performs links that come and go."
            ])
    }
}
