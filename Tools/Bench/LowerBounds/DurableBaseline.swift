internal import CPosix
internal import Glibc
internal import Locks
internal import WatchProtoCore
package import WatchProtoTransport

/// The lower bound under every durable figure: a bare loop that writes a record to a file of its
/// own, sends it over a Unix socket and calls `fdatasync`, while the other side reads, writes and
/// calls `fdatasync` on its own file. Both sides' disks work at once. Nothing of ours is in
/// between.
package enum DurableBaseline {
    /// The records to write and send, how often, and where.
    package struct Options: Hashable, Sendable {
        /// The directory of both files, on the disk that the figure is about.
        package var directory: String
        /// Records measured one by one.
        package var rounds = 1_000
        /// Records before those, not measured.
        package var warmUpRounds = 50
        /// From one intended send to the next; none is sent before the last one is durable.
        package var intervalNanoseconds: UInt64 = 2_000_000
        /// Bytes of a record.
        package var recordBytes = 200
        /// Whether both files have their length before the first record: a file that grows waits
        /// for the file system's own bookkeeping too.
        package var hasRoom = false
        /// Records of a flood, in all.
        package var floodRecords = 400_000
        /// Records of a flood that share one write, one send and one `fdatasync`.
        package var floodGroup = 1_024

        /// The usual choice of everything, with files in `directory`.
        package init(directory: String) { self.directory = directory }
    }

    /// Sleeps until `nanoseconds` on the monotonic clock, the last stretch awake: a sleeper is late
    /// by more than what is measured here.
    package static func sleep(until nanoseconds: UInt64) {
        while true {
            let now = watchproto_monotonic_nanoseconds()
            guard now < nanoseconds else { return }
            let left = nanoseconds - now
            if left > 200_000 { usleep(UInt32(clamping: (left - 150_000) / 1000)) }
        }
    }

    /// One record at a time, from the intended send to the later of both files' `fdatasync`.
    ///
    /// - Returns: each latency in nanoseconds, in order.
    /// - Throws: ``LinkError`` when the system gives no files, sockets or threads, or a call fails.
    package static func run(_ options: Options) throws(LinkError) -> [UInt64] {
        let sides = try Sides(options.directory)
        defer { sides.remove() }
        let count = options.warmUpRounds + options.rounds
        if options.hasRoom { try sides.makeRoom(count * options.recordBytes) }
        let durable = Mutex([UInt64](repeating: 0, count: count))
        let receiving = try thread {
            var record = [UInt8](repeating: 0, count: options.recordBytes)
            for round in 0..<count {
                guard sides.right.read(&record), sides.received.append(record[...]),
                    sides.received.synchronize()
                else { break }
                let now = watchproto_monotonic_nanoseconds()
                durable.withLock { $0[round] = now }
                guard sides.right.write([1]) else { break }
            }
            sides.right.close()
        }
        let samples = send(count, options, sides) { round in durable.withLock { $0[round] } }
        sides.left.close()
        receiving.join()
        guard samples.count == count else { throw failure("fdatasync") }
        return Array(samples.dropFirst(options.warmUpRounds))
    }

    /// As many records as the files and the socket take, in groups.
    ///
    /// - Returns: records a second, from the first write to the last `fdatasync` of either side.
    /// - Throws: ``LinkError`` as ``run(_:)``.
    package static func flood(_ options: Options) throws(LinkError) -> Double {
        let sides = try Sides(options.directory)
        defer { sides.remove() }
        let groups = max(1, options.floodRecords / options.floodGroup)
        let size = options.floodGroup * options.recordBytes
        let arrived = Mutex(0)
        let receiving = try thread {
            var group = [UInt8](repeating: 0, count: size)
            for _ in 0..<groups {
                guard sides.right.read(&group), sides.received.append(group[...]),
                    sides.received.synchronize()
                else { break }
                arrived.withLock { $0 += 1 }
            }
            sides.right.close()
        }
        let start = watchproto_monotonic_nanoseconds()
        let group = [UInt8](repeating: 0x5A, count: size)
        for _ in 0..<groups {
            guard sides.sent.append(group[...]), sides.left.write(group),
                sides.sent.synchronize()
            else { break }
        }
        receiving.join()
        let end = watchproto_monotonic_nanoseconds()
        sides.left.close()
        guard arrived.withLock({ $0 }) == groups else { throw failure("fdatasync") }
        return Double(groups * options.floodGroup) * 1e9 / Double(end - start)
    }

    private static func send(
        _ count: Int, _ options: Options, _ sides: Sides, _ durable: (Int) -> UInt64
    ) -> [UInt64] {
        let record = [UInt8](repeating: 0x5A, count: options.recordBytes)
        var answer: [UInt8] = [0]
        var samples: [UInt64] = []
        samples.reserveCapacity(count)
        var start = watchproto_monotonic_nanoseconds()
        for round in 0..<count {
            // A late record delays no moment of the schedule: later records count the wait for it.
            start += options.intervalNanoseconds
            sleep(until: start)
            guard sides.sent.append(record[...]), sides.left.write(record),
                sides.sent.synchronize()
            else { break }
            let own = watchproto_monotonic_nanoseconds()
            guard sides.left.read(&answer) else { break }
            samples.append(max(own, durable(round)) - start)
        }
        return samples
    }

    /// Both ends of a socket and a file for each.
    private struct Sides: Sendable {
        let left: BlockingSocket
        let right: BlockingSocket
        let sent: AppendedFile
        let received: AppendedFile

        init(_ directory: String) throws(LinkError) {
            (left, right) = try BlockingSocket.pair()
            let name = "\(directory)/baseline-\(watchproto_monotonic_nanoseconds())"
            do throws(LinkError) {
                sent = try AppendedFile.make(at: name + "-sent")
            } catch {
                left.close()
                right.close()
                throw error
            }
            do throws(LinkError) {
                received = try AppendedFile.make(at: name + "-received")
            } catch {
                left.close()
                right.close()
                sent.remove()
                throw error
            }
        }

        func makeRoom(_ count: Int) throws(LinkError) {
            guard sent.makeRoom(count), received.makeRoom(count) else { throw failure("write") }
        }

        func remove() {
            sent.remove()
            received.remove()
        }
    }

    private static func thread(
        _ body: @escaping @Sendable () -> Void
    ) throws(LinkError) -> SystemThread {
        do throws(SystemErrorNumber) {
            return try SystemThread(body)
        } catch {
            throw .system(error.failure(of: "pthread_create"), subject: "a measuring thread")
        }
    }

    private static func failure(_ call: StaticText) -> LinkError {
        .system(CarrierFailure(call: call, errorNumber: EIO), subject: "the durable baseline")
    }
}
