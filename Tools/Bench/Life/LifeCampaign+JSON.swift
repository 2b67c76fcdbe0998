package import ControlProtocol
import WatchProtoCore

/// The file of a campaign.
extension LifeCampaign {
    /// The distributions over all lives and the figures of each life.
    package var json: JSONValue {
        [
            "format": "watchproto.life/1",
            "days": .whole(options.days),
            "pushes_allowed": .whole(options.pushes),
            "clock_error_min": .whole(options.clockError),
            "zone_min": .whole(options.zone),
            "fault": options.fault.map { .string($0.rawValue) } ?? .null,
            "passed": .bool(passes),
            "broken": .array(
                broken.map { seed, promises in
                    [
                        "seed": .whole(seed),
                        "promises": .array(promises.map { .string($0.rawValue) }),
                    ]
                }),
            "wake_ups_of_four_doses": wakeUpsOfFour.json,
            "wake_ups_within_goal": .bool(reachesWakeUps),
            "all": [
                "product": Self.spreads(results.map(\.product)),
                "without_planning": Self.spreads(results.map(\.unplanned)),
                "without_timeline": Self.spreads(results.map(\.frozen)),
            ],
            "seeds": .array(
                results.map { result in
                    [
                        "seed": .whole(result.options.seed),
                        "product": Self.spreads([result.product]),
                        "without_planning": Self.spreads([result.unplanned]),
                        "without_timeline": Self.spreads([result.frozen]),
                    ]
                }),
        ]
    }

    private static func spreads(_ all: [LifeFigures]) -> JSONValue {
        func whole(_ path: (LifeFigures) -> [Int]) -> JSONValue {
            LifeSpread(all.flatMap(path)).json
        }
        func times(_ path: (LifeFigures) -> [Int64]) -> JSONValue {
            LifeSpread(all.flatMap(path)).json
        }
        func decimal(_ path: (LifeFigures) -> [Double]) -> JSONValue {
            LifeSpread(all.flatMap(path)).json
        }
        var reasons = JSONObject()
        for reason in ComplicationReason.allCases {
            let sum = all.reduce(UInt64(0)) { $0 + $1.reasons[Int(reason.rawValue)] }
            reasons["\(reason)"] = .whole(sum)
        }
        return [
            "pushes_of_day": whole { $0.pushesOfDay },
            "most_pushes_in_24h": whole { [$0.mostPushes] },
            "median_pushes": whole { [$0.medianPushes] },
            "doses_of_day": whole { $0.doses },
            "wake_ups_of_day": whole { $0.wakeUps },
            "mj_of_day": decimal { $0.millijoules },
            "maintenance_mj_of_day": decimal { $0.maintenance },
            "age_linked_ms": times { $0.linkedAges },
            "age_unlinked_ms": times { $0.unlinkedAges },
            "age_own_ms": times { $0.ownAges },
            "age_state_ms": times { $0.stateAges },
            "wrong_ms": times { $0.wrong },
            "wrong_by_zone_ms": times { $0.wrongByZone },
            "held_ms": times { [$0.longestHeld] },
            "as_of_share": decimal { [Self.share($0.asOf, of: $0.watchOn)] },
            "unchecked_share": decimal { [Self.share($0.unchecked, of: $0.watchOn)] },
            "phone_dead_share": decimal { figures in
                [Self.share(figures.phoneDead, of: Int64(figures.doses.count) * LifeZones.day)]
            },
            "linked_share": decimal { figures in
                [Self.share(figures.linked, of: Int64(figures.doses.count) * LifeZones.day)]
            },
            "urgent_without_push": whole { [Int($0.missed)] },
            "dose_events": whole { [$0.events] },
            "reasons": .object(reasons),
        ]
    }

    private static func share(_ part: Int64, of whole: Int64) -> Double {
        whole > 0 ? Double(part) / Double(whole) : 0
    }
}
