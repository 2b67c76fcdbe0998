internal import WatchProtoCore
package import WatchProtoSecurity

/// Payloads sealed at rest with XChaCha20-Poly1305, under a key or a passphrase.
///
/// The header in the file: method (1 key, 2 passphrase) · for a passphrase its salt (16 bytes),
/// passes, memory in KiB and lanes (varints) · the key's check value (16 bytes).
package struct AtRestPayloads: PayloadKey {
    private enum Source: Sendable {
        case key(AtRestKey)
        case passphrase(Argon2idParameters, @Sendable () throws(PayloadKeyRefusal) -> [UInt8])
    }

    private let source: Source

    /// Seals under a key, such as one read from a key file.
    package init(key: AtRestKey) { source = .key(key) }

    /// Seals under a key that Argon2id derives from a passphrase.
    ///
    /// - Parameters:
    ///   - parameters: those of a new journal; an existing one keeps its own.
    ///   - passphrase: returns the passphrase. It is called whenever a key is derived, twice for a
    ///     new journal. The bytes are wiped afterwards.
    package init(
        parameters: Argon2idParameters = .standard,
        passphrase: @escaping @Sendable () throws(PayloadKeyRefusal) -> [UInt8]
    ) {
        source = .passphrase(parameters, passphrase)
    }

    /// Derives the key and compares its check value with the header's.
    ///
    /// - Throws: ``PayloadKeyRefusal`` if they differ or no key can be derived. The owner of the
    ///   key is at fault, or an attacker who altered the file.
    package func unlock(
        _ header: [UInt8]?
    ) throws(PayloadKeyRefusal) -> (sealing: any PayloadSealing, header: [UInt8]) {
        do {
            let (sealer, own) = try seal(header)
            guard header == nil || header == own else {
                throw PayloadKeyRefusal("it was sealed under another key or passphrase")
            }
            return (sealer, own)
        } catch let error as PayloadKeyRefusal {
            throw error
        } catch {
            throw PayloadKeyRefusal("\(error)")
        }
    }

    private func seal(_ header: [UInt8]?) throws -> (AtRestSealer, [UInt8]) {
        var writer = WireWriter()
        let key: AtRestKey
        switch source {
        case .key(let given):
            guard header == nil || header?.first == 1 else {
                throw PayloadKeyRefusal(
                    header?.first == 2
                        ? "it was sealed with a passphrase, not with a key"
                        : "it is not sealed: open it without a key")
            }
            writer.byte(1)
            key = given
        case .passphrase(let parameters, let ask):
            let (salt, parameters) = try header.map(Self.read) ?? (AtRestKey.makeSalt(), parameters)
            writer.byte(2)
            writer.append(salt)
            writer.varint(UInt64(parameters.passes))
            writer.varint(UInt64(parameters.memoryKibibytes))
            writer.varint(UInt64(parameters.lanes))
            var passphrase = try ask()
            defer { AtRestKey.wipe(&passphrase) }
            key = try AtRestKey(passphrase: passphrase.span, salt: salt, parameters: parameters)
        }
        let sealer = try AtRestSealer(key: key)
        writer.append(sealer.keyCheck)
        return (sealer, writer.bytes)
    }

    private static func read(_ header: [UInt8]) throws -> (salt: [UInt8], Argon2idParameters) {
        var reader = WireReader(header.span)
        do {
            guard try reader.byte("method") == 2 else {
                throw PayloadKeyRefusal(
                    header.first == 1
                        ? "it was sealed with a key, not with a passphrase"
                        : "it is not sealed: open it without a passphrase")
            }
            let salt = [UInt8](copying: try reader.bytes(AtRestKey.saltByteCount, "salt"))
            let limit = UInt64(UInt32.max)
            let parameters = try Argon2idParameters(
                passes: Int(try reader.varint("passes", atMost: limit)),
                memoryKibibytes: Int(try reader.varint("memory", atMost: limit)),
                lanes: Int(try reader.varint("lanes", atMost: limit)))
            return (salt, parameters)
        } catch let error as WireError {
            throw PayloadKeyRefusal("its header does not say how it is sealed: \(error)")
        }
    }
}

extension AtRestSealer: PayloadSealing {}
