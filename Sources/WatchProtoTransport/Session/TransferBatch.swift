package import WatchProtoCore

/// The result of drafts that were given at once.
package struct TransferBatch: Hashable, Sendable {
    /// The identities of the accepted drafts, in order from the first.
    package internal(set) var accepted: [RecordID] = []
    /// Why a draft was refused; nil if all were accepted. That draft and all later ones have
    /// changed nothing.
    package internal(set) var refusal: SendRefusal?

    /// Makes the result.
    package init(accepted: [RecordID] = [], refusal: SendRefusal? = nil) {
        self.accepted = accepted
        self.refusal = refusal
    }
}
