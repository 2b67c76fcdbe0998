import ControlProtocol

// A stand-in for PhoneSim and WatchSim that speaks their control protocol and makes up the rest:
// there is no link, only two files beside the socket's path in which each side writes what it
// "sent". It is started under one of the two names, and plants the fault that SCRIPTED_FAULT names,
// such as `watch:silent`.

var simulator = ScriptedSimulator(arguments: CommandLine.arguments)
simulator.run()
