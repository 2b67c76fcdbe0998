package import ControlProtocol

extension CodecReport {
    /// The report for programs.
    package var json: JSONValue {
        let rows = operations.map { operation -> JSONValue in
            [
                "name": .string(operation.name), "ns": .number(operation.nanoseconds),
                "goal_ns": operation.goalNanoseconds.map { .number($0) } ?? .null,
                "objects": operation.allocations.map { .number($0) } ?? .null,
            ]
        }
        return [
            "schema": "rig.codec/1", "records": .whole(records), "rounds": .whole(rounds),
            "meets_goals": .bool(meetsGoals),
            "mean_bytes": .number(sizes.mean), "goal_mean_bytes": .number(sizes.goalMean),
            "p99_bytes": .whole(sizes.p99), "largest_bytes": .whole(sizes.largest),
            "coded_mean_bytes": .number(coded.aloneMean),
            "goal_coded_mean_bytes": .number(codedGoals.alone),
            "coded_largest_bytes": .whole(coded.largest),
            "coded_batch_mean_bytes": .number(coded.batchMean),
            "goal_coded_batch_mean_bytes": .number(codedGoals.batch),
            "json_mean_bytes": .number(sizes.jsonMean),
            "cbor_mean_bytes": .number(others.cborMean),
            "protobuf_mean_bytes": .number(others.protobufMean),
            "zstd_json_mean_bytes": .number(others.zstdJSONMean),
            "zstd_mean_bytes": .number(others.zstdMean),
            "zstd_batch_mean_bytes": .number(others.zstdBatchMean),
            "update_mean_bytes": .number(updates.dose.mean),
            "goal_update_mean_bytes": .number(UpdateSizes.goals.mean),
            "update_largest_bytes": .whole(updates.dose.largest),
            "goal_update_largest_bytes": .whole(UpdateSizes.goals.largest),
            "edit_mean_bytes": .number(updates.edit.mean),
            "edit_largest_bytes": .whole(updates.edit.largest),
            "new": .array(
                new.rows.map { row in
                    [
                        "carrier": .string(row.carrier),
                        "alone_mean_bytes": .number(row.alone.mean),
                        "alone_largest_bytes": .whole(row.alone.largest),
                        "first_sync_bytes": .number(row.firstSync),
                    ]
                }),
            "first_sync_ble": .array(
                [("before", firstSync.before), ("after", firstSync.after)].map { name, row in
                    [
                        "coding": .string(name), "packets": .number(row.packets),
                        "bytes": .number(row.bytes), "ms": .number(row.milliseconds),
                        "longest_ms": .number(row.longestMilliseconds),
                    ]
                }),
            "padding": .array(
                padding.rows.map { row in
                    [
                        "classes": .string(row.name), "bits": .number(row.bits),
                        "guessed": .number(row.guessed), "bytes": .number(row.bytes),
                    ]
                }),
            "operations": .array(rows),
        ]
    }
}
