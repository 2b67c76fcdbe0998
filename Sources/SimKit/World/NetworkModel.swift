// The simulation's links are those of the network model; who imports the simulation sees them.
@_exported public import NetworkModel
