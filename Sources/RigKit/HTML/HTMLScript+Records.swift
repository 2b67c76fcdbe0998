extension HTMLScript {
    /// The columns of records, read.
    static let records = #"""
        /// Moments of a record in microseconds since the run began; null where one never came.
        function readRecords() {
          const source = data.records;
          if (!source || source.kinds === "") return [];
          const split = (text) => text.split(",");
          const number = (text) => text === "" ? null : parseInt(text, 36);
          const kinds = split(source.kinds);
          const names = split(source.names);
          const dues = split(source.due);
          const latencies = split(source.latency);
          const moments = source.moments.map(split);
          const last = source.prefixes.map(() => 0);
          let due = 0;
          return kinds.map((kind, place) => {
            const [prefix, step] = names[place].split(":");
            const of = parseInt(prefix, 36);
            if (step !== "") last[of] += parseInt(step, 36);
            due += parseInt(dues[place], 36);
            const at = moments.map((column) => {
              const after = number(column[place]);
              return after === null ? null : due + after;
            });
            const [accepted, sent, delivered, visible, durable, applied] = at;
            const code = parseInt(kind, 36);
            return {
              name: source.prefixes[of] + (step === "" ? "" : last[of]),
              series: code >> 3, outcome: code & 7, due, accepted, sent, delivered, applied,
              committed: durable === null ? visible : durable,
              latency: number(latencies[place]), place,
            };
          });
        }
        /// How long each stage took, in microseconds, in the order of the table.
        function stagesOf(record) {
          const way = [record.due, record.sent, record.delivered, record.committed, record.applied];
          return stageNames.map((name, place) =>
            way[place] === null || way[place + 1] === null ? null
              : Math.max(0, way[place + 1] - way[place]));
        }
        /// The records of the longest latencies first, as in the table.
        function slowestFirst(records) {
          return records.filter((record) => record.latency !== null)
            .sort((left, right) => right.latency - left.latency || left.place - right.place);
        }

        """#
}
