import WatchProtoCore
package import WatchProtoTransport

/// Changes, limits, and the names of files.
extension PictureCache {
    /// Writes a picture that came: ``keep(count:as:version:now:)`` follows. It needs no cache.
    ///
    /// - Parameters:
    ///   - jpeg: its bytes.
    ///   - directory: that of the cache.
    /// - Throws: the error number; the disk is at fault.
    package static func write(_ jpeg: [UInt8], in directory: String) throws(SystemErrorNumber) {
        let part = "\(directory)/\(Self.part)"
        do throws(SystemErrorNumber) {
            let file = try OpenFile(writing: part)
            try file.truncate(to: 0)
            try file.write(jpeg.span, at: 0)
        } catch {
            Directories.remove(part)
            throw error
        }
    }

    private static let part = "new"

    /// Keeps the picture that was written. Pictures of the medication of another version go.
    ///
    /// A file that was under way may end after the message about its removal. So behind a removal a
    /// picture is not fresh until ``confirm(_:now:)``.
    ///
    /// - Parameters:
    ///   - count: its bytes.
    ///   - name: the picture.
    ///   - version: its version.
    ///   - now: milliseconds of the wall clock.
    /// - Throws: the error number; the disk is at fault.
    package mutating func keep(
        count: Int, as name: PictureName, version: UInt64, now: UInt64
    ) throws(SystemErrorNumber) {
        for size in PictureSize.allCases {
            let other = PictureName(name.medication, size)
            guard let known = entries[other] else { continue }
            // The thumbnail of a version has one form, which may come twice.
            let isSame = known.version == version
            if other == name || !isSame {
                remove(other, keepsDecoded: isSame && size == .thumbnail)
            }
        }
        let isRemoved = removed.contains(name.medication)
        let age = isRemoved ? UInt64(limits.freshness.nanosecondsClamped / 1_000_000) : 0
        let entry = Entry(version: version, confirmed: now - min(now, age), bytes: count)
        let part = "\(directory)/\(Self.part)"
        do throws(SystemErrorNumber) {
            try Directories.rename(part, to: path(name, entry))
        } catch {
            Directories.remove(part)
            throw error
        }
        entries[name] = entry
        trim(now: now)
    }

    /// The phone has the same picture still, by the wall clock in milliseconds.
    package mutating func confirm(_ name: PictureName, now: UInt64) {
        removed.removeAll { $0 == name.medication }
        guard let entry = entries[name] else { return }
        var confirmed = entry
        confirmed.confirmed = now
        let isMoved = (try? Directories.rename(path(name, entry), to: path(name, confirmed))) != nil
        if isMoved { entries[name] = confirmed }
    }

    /// Removes the pictures of a medication. Another one is not fresh until ``confirm(_:now:)``.
    package mutating func remove(medication: UInt128) {
        removed = removed.filter { $0 != medication }.suffix(Self.mostRemoved - 1) + [medication]
        for size in PictureSize.allCases { remove(PictureName(medication, size)) }
    }

    /// Removals that are remembered.
    private static let mostRemoved = 64

    /// Removes all pictures.
    package mutating func removeAll() { for name in names { remove(name) } }

    mutating func remove(_ name: PictureName, keepsDecoded: Bool = false) {
        if !keepsDecoded { memory.removeAll { $0.name == name } }
        guard let entry = entries.removeValue(forKey: name) else { return }
        Directories.remove(path(name, entry))
    }

    /// Gives memory back.
    ///
    /// - Parameter all: thumbnails too; else pictures that fill a screen alone.
    /// - Returns: the decoded pictures that went, and their bytes.
    package mutating func shed(all: Bool) -> (pictures: Int, bytes: Int) {
        let former = (memory.count, memoryBytes)
        memory.removeAll { all || $0.name.size == .whole }
        if memory.isEmpty { memory = [] }
        return (former.0 - memory.count, former.1 - memoryBytes)
    }

    /// Removes what the limits do not allow; those that were confirmed first go first. A clock that
    /// was set back tells nothing of those before it, so they go before them.
    mutating func trim(now: UInt64) {
        func confirmed(_ entry: Entry) -> UInt64 { entry.confirmed > now ? 0 : entry.confirmed }
        let oldest = entries.sorted { confirmed($0.value) < confirmed($1.value) }
        var (count, bytes) = (entries.count, diskBytes)
        for (name, entry) in oldest {
            let isOld =
                now > entry.confirmed
                && .milliseconds(now - entry.confirmed) > limits.age
            if isOld {
                counters.removed.age += 1
            } else if count > limits.count {
                counters.removed.count += 1
            } else if bytes > limits.diskBytes {
                counters.removed.bytes += 1
            } else {
                continue
            }
            count -= 1
            bytes -= entry.bytes
            remove(name)
        }
    }

    // MARK: Names of files

    func path(_ name: PictureName, _ entry: Entry) -> String {
        let parts = [
            String(pairing, radix: 16), String(name.medication, radix: 16), "\(name.size.rawValue)",
            String(entry.version, radix: 16), String(entry.confirmed, radix: 16),
        ]
        return "\(directory)/\(parts.joined(separator: "-")).jpg"
    }

    static func entry(of file: String) -> (pairing: UInt128, PictureName, Entry)? {
        guard file.hasSuffix(".jpg") else { return nil }
        let parts = file.dropLast(4).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 5, let pairing = UInt128(parts[0], radix: 16),
            let medication = UInt128(parts[1], radix: 16),
            let size = UInt8(parts[2]).flatMap(PictureSize.init),
            let version = UInt64(parts[3], radix: 16), let confirmed = UInt64(parts[4], radix: 16)
        else { return nil }
        return (
            pairing, PictureName(medication, size),
            Entry(version: version, confirmed: confirmed, bytes: 0)
        )
    }
}
