// Package beside runs a node agent in the process of a kubelet, for machines that are directories of the landscape's own machine.
//
// Whoever administers a shoot can change the OperatingSystemConfig in it. A directory does not contain its files as a machine does, so
// the agent writes nothing that the shoot says. The files come from the user data in the seed. The agent compares these with the
// OperatingSystemConfig, and reports at the Node that it has been applied when both say the same.
package beside
