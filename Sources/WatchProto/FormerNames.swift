// The words of the new core for what the former core names otherwise, so that a file can serve
// both. The file goes when the former core goes.
#if !NEW_CORE
    public typealias Channel = Lane
    public typealias PeerEnvironment = PeerHost
#endif
