internal import CArgon2

/// Argon2id (RFC 9106, version 0x13) by libargon2.
///
/// libsodium always computes it with one lane; with four lanes the key is different. The lanes run
/// one after the other on the calling thread.
enum Argon2id {
    /// Writes `count` bytes derived from `passphrase` to `output`.
    ///
    /// - Throws: ``AtRestKeyError/Fault/systemRefused``, in practice if there is no memory.
    static func derive(
        into output: UnsafeMutablePointer<UInt8>, count: Int, passphrase: Span<UInt8>,
        salt: [UInt8], parameters: Argon2idParameters, secret: [UInt8] = [],
        associatedData: [UInt8] = []
    ) throws(AtRestKeyError) {
        // The context's inputs are not const in C, but without the flags that ask for it (default)
        // nothing is written to them.
        let code = unsafe passphrase.withUnsafeBufferPointer { passphrase in
            unsafe salt.withUnsafeBufferPointer { salt in
                unsafe secret.withUnsafeBufferPointer { secret in
                    unsafe associatedData.withUnsafeBufferPointer { associatedData in
                        var context = unsafe Argon2_Context()
                        unsafe context.out = output
                        unsafe context.outlen = UInt32(count)
                        unsafe (context.pwd, context.pwdlen) = input(passphrase)
                        unsafe (context.salt, context.saltlen) = input(salt)
                        unsafe (context.secret, context.secretlen) = input(secret)
                        unsafe (context.ad, context.adlen) = input(associatedData)
                        unsafe context.t_cost = UInt32(parameters.passes)
                        unsafe context.m_cost = UInt32(parameters.memoryKibibytes)
                        unsafe context.lanes = UInt32(parameters.lanes)
                        unsafe context.threads = 1
                        unsafe context.version = ARGON2_VERSION_13.rawValue
                        return unsafe watchproto_argon2id(&context)
                    }
                }
            }
        }
        guard code == ARGON2_OK.rawValue else { throw refusal(code, parameters) }
    }

    private static func input(
        _ bytes: UnsafeBufferPointer<UInt8>
    ) -> (UnsafeMutablePointer<UInt8>?, UInt32) {
        guard bytes.count > 0 else { return (nil, 0) }
        return unsafe (UnsafeMutablePointer(mutating: bytes.baseAddress), UInt32(bytes.count))
    }

    private static func refusal(_ code: Int32, _ parameters: Argon2idParameters) -> AtRestKeyError {
        let text = unsafe watchproto_argon2_error(code).map { unsafe String(cString: $0) }
        return AtRestKeyError(
            .systemRefused, "Argon2id", seen: "'\(text ?? "unknown")' (libargon2 \(code))",
            expected: "\(parameters.memoryKibibytes) KiB of memory for a moment",
            remedy: "free memory, or raise the limit of this process")
    }
}
