// Package backuprestore is the component backup-restore: it runs a member of an etcd, examines its data before it starts,
// restores them if they are lost, and backs them up. The packages below it are the parts; this one has the commands.
package backuprestore
