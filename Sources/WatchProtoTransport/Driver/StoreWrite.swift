/// A change to the application's own store. It becomes durable in one transaction with journal
/// entries: both or neither.
///
/// Only the journal can carry one out; each journal states which types it takes. A record therefore
/// counts as applied exactly when its change is in the store.
package protocol StoreWrite: Sendable {}
