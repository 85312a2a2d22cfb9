package paths

import "path/filepath"

// Run is the directory of a running daemon.
type Run struct{ dir string }

// Socket is the daemon's control socket.
func (r Run) Socket() string { return filepath.Join(r.dir, "control.sock") }

// Spool is a directory for changes of the etcd of that name that are in no snapshot yet.
func (r Run) Spool(name string) string { return filepath.Join(r.dir, "spool", name) }

// Backup is a directory for what a backup of the whole landscape collects before it is written.
func (r Run) Backup() string { return filepath.Join(r.dir, "backup") }

// Config is the configuration of the last start.
func (r Run) Config() string { return filepath.Join(r.dir, "landscape.yaml") }

// EtcdSocket is the Unix socket of the etcd member of that name.
func (r Run) EtcdSocket(name string) string { return filepath.Join(r.dir, name+".sock") }

// Failure is where a daemon leaves the reason of its end.
func (r Run) Failure() string { return filepath.Join(r.dir, "failure.json") }

// Crash is where the runtime leaves what a crash of the daemon says.
func (r Run) Crash() string { return filepath.Join(r.dir, "crash.txt") }
