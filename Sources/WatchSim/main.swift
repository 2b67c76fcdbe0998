import ReferenceDevice

Simulator.run(WatchApplication())
