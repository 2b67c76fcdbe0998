extension HTMLScript {
    /// The columns of records, read.
    static let records = #"""
        /// Moments of a record in microseconds since the run began; null where one never came. In
        /// the columns each counts from the one before it.
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
            const name = readName(names[place], source.prefixes, last);
            due += parseInt(dues[place], 36);
            let before = due;
            const at = moments.map((column) => {
              const after = number(column[place]);
              if (after === null) return null;
              before += after;
              return before;
            });
            const [sent, delivered, reached, applied] = at;
            const rest = number(latencies[place]);
            const code = parseInt(kind, 36);
            return {
              name, series: code >> 3, outcome: code & 7, due, sent, delivered, reached, applied,
              latency: rest === null ? null : ((reached || due) - due) * 1000 + rest, place,
            };
          });
        }
        /// The values that the face showed; from `turn` on the phone had a newer value.
        function readFace() {
          const source = data.face;
          if (!source || source.made === "") return [];
          const columns = ["names", "made", "outdated", "shown", "stayed"].map((name) =>
            source[name].split(","));
          const last = source.prefixes.map(() => 0);
          let made = 0;
          return columns[1].map((step, place) => {
            const name = readName(columns[0][place], source.prefixes, last);
            made += parseInt(step, 36);
            const outdated = columns[2][place] === "" ? Infinity
              : made + parseInt(columns[2][place], 36);
            const shown = made + parseInt(columns[3][place], 36);
            const replaced = shown + parseInt(columns[4][place], 36);
            return {name, made, shown, replaced,
              turn: Math.min(replaced, Math.max(shown, outdated))};
          });
        }
        /// A name is the place of its prefix and how far its number is from the last of that: by
        /// one where nothing says it, and no number at all after a bare colon.
        function readName(text, prefixes, last) {
          const [prefix, step] = text.split(":");
          const of = parseInt(prefix, 36);
          if (step === "") return prefixes[of];
          last[of] += step === undefined ? 1 : parseInt(step, 36);
          return prefixes[of] + last[of];
        }
        const face = readFace();
        const allRecords = readRecords();
        /// How long each stage took, in microseconds, in the order of the table; null where it is
        /// not known.
        function stagesOf(record) {
          const way = [record.due, record.sent, record.delivered, record.reached, record.applied];
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
