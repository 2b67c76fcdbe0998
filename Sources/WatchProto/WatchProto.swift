// The protocol core that the package is built with: the former one, or, where Package.swift finds
// WATCHPROTO_CORE=new in the environment, the new one. Everything else imports this module.
#if NEW_CORE
    @_exported public import WatchProtoCore
#else
    @_exported public import FormerCore
#endif
