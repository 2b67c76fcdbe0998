// Room for WatchTransport.
