// Package snapshot names the backups of an etcd and sorts them. It reads and writes no data.
//
// The names are those of etcd-backup-restore, layout v2: v2/Full-<start>-<end>-<unix time> and v2/Incr-<start>-<end>-<unix time>,
// followed by the suffix of the compression and by ".final" for the last backup before a control plane moves.
package snapshot
