// Package local is the provider type local: a provider for landscapes that run on one host, with machines that are pods
// of the seed, directories for volumes and backups, and the embedded DNS server for records. Each kind has a package of its own;
// this one adds their controllers to the manager of a seed and describes them to the garden.
// Only appliance imports it.
package local
