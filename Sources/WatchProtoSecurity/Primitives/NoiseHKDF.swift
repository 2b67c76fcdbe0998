internal import CSodium

/// HKDF as Noise defines it (revision 34, section 4.3): two or three outputs of 64 bytes.
enum NoiseHKDF {
    /// Two outputs, the second cut to a key.
    static func two(
        _ chainingKey: Secret, _ input: UnsafeBufferPointer<UInt8>
    ) throws(SecurityFailure) -> (chainingKey: Secret, key: Secret) {
        unsafe try withOutputs(chainingKey, input) { outputs throws(SecurityFailure) in
            (
                unsafe try copy(outputs, .large, chainingKey.arena),
                unsafe try copy(outputs + 64, .small, chainingKey.arena)
            )
        }
    }

    /// Two outputs, both cut to a key.
    static func twoKeys(
        _ chainingKey: Secret, _ input: UnsafeBufferPointer<UInt8>
    ) throws(SecurityFailure) -> (first: Secret, second: Secret) {
        unsafe try withOutputs(chainingKey, input) { outputs throws(SecurityFailure) in
            (
                unsafe try copy(outputs, .small, chainingKey.arena),
                unsafe try copy(outputs + 64, .small, chainingKey.arena)
            )
        }
    }

    /// Three outputs: a chaining key, an input of the hash that becomes public, and a key.
    static func three(
        _ chainingKey: Secret, _ input: UnsafeBufferPointer<UInt8>
    ) throws(SecurityFailure) -> (chainingKey: Secret, hashed: [UInt8], key: Secret) {
        unsafe try withOutputs(chainingKey, input) { outputs throws(SecurityFailure) in
            (
                unsafe try copy(outputs, .large, chainingKey.arena),
                unsafe [UInt8](UnsafeBufferPointer(start: outputs + 64, count: 64)),
                unsafe try copy(outputs + 128, .small, chainingKey.arena)
            )
        }
    }

    // MARK: Computing

    /// Passes all three outputs, on the stack, and wipes them afterwards.
    private static func withOutputs<Value>(
        _ chainingKey: Secret, _ input: UnsafeBufferPointer<UInt8>,
        _ body: (UnsafePointer<UInt8>) throws(SecurityFailure) -> Value
    ) throws(SecurityFailure) -> Value {
        let size = BLAKE2b.byteCount
        // Three outputs, then the temporary key.
        let result: Result<Value, SecurityFailure> = unsafe withUnsafeTemporaryAllocation(
            of: UInt8.self, capacity: 4 * size
        ) { memory in
            let outputs = memory.baseAddress!
            let key = unsafe UnsafeBufferPointer(start: outputs + 3 * size, count: size)
            let none = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
            unsafe chainingKey.withBytes { chainingKey in
                unsafe HMACBLAKE2b.authenticate(
                    into: outputs + 3 * size, key: chainingKey, input, none)
            }
            for index in 0..<3 {
                let previous =
                    unsafe index == 0
                    ? none
                    : UnsafeBufferPointer(start: outputs + (index - 1) * size, count: size)
                unsafe withUnsafePointer(to: UInt8(index + 1)) { number in
                    unsafe HMACBLAKE2b.authenticate(
                        into: outputs + index * size, key: key, previous,
                        UnsafeBufferPointer(start: number, count: 1))
                }
            }
            defer { unsafe sodium_memzero(outputs, 4 * size) }
            do throws(SecurityFailure) {
                return .success(unsafe try body(outputs))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private static func copy(
        _ bytes: UnsafePointer<UInt8>, _ size: KeyArena.SlotSize, _ arena: KeyArena
    ) throws(SecurityFailure) -> Secret {
        unsafe try Secret(size, in: arena) { output in
            unsafe output.update(from: bytes, count: size.rawValue)
        }
    }
}
