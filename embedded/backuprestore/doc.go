// Package backuprestore is the component backup-restore. It runs a member of an etcd, examines its data before it starts, restores
// them if they are lost, and backs them up. This package has the commands. The packages below it do the work.
package backuprestore
