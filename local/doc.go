// Package local is the provider type local. It is for landscapes on one host. Machines are pods of the seed, volumes
// and backups are directories, and the embedded DNS server serves the records. Each kind has its own package. This
// package adds their controllers to the manager of a seed and registers them in the garden. Only appliance imports it.
package local
