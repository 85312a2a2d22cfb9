// Package snapshot names the backups of an etcd and sorts them. It reads and writes no data.
//
// The names are those of etcd-backup-restore, layout v2: v2/Full-<start>-<end>-<unix time> and v2/Incr-<start>-<end>-<unix time>,
// followed by the suffix of the compression, by ".age" if they are encrypted, and by ".final" for the last backup before a control plane moves.
//
// # Order
//
// Snapshots are ordered by their revisions, because clocks are put back and forth, and members have different ones. Revisions only rise: also a
// restored etcd continues with a higher one than all snapshots have. Only data that somebody has put back to an earlier state, with the disk of a virtual
// machine for example, go on from a revision before their snapshots. Snapshots of such an etcd are a new generation, which their names say by ".g1", ".g2" and so on
// after the suffix, and which comes after all earlier ones. Times tell how old snapshots are, and order only those of one revision.
package snapshot
