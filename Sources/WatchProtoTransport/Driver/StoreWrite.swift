/// A change to the application's own store that becomes durable together with journal entries: in
/// one transaction, both or neither.
///
/// Only the journal knows how to carry one out; a journal says which types it takes. That is how
/// *applied* comes to mean applied exactly once: the entry that says so and the store's change
/// cannot part.
package protocol StoreWrite: Sendable {}
