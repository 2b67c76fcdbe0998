import Testing

/// A check that fails on the former core, for this reason, and must hold on the new one.
func failsOnFormerCore(_ reason: Comment, _ check: () throws -> Void) rethrows {
    #if NEW_CORE
        try check()
    #else
        withKnownIssue(reason) { try check() }
    #endif
}
