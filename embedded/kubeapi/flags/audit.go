package flags

// Audit is what a server notes about requests, and where.
type Audit struct {
	Policy     string
	Log        string // path; "-" is standard output
	LogSize    int    // megabytes of a file of the log
	LogBackups int    // old files of the log
	Webhook    string // kubeconfig
}

func (l Audit) add(a *args) {
	a.text("audit-policy-file", l.Policy)
	a.text("audit-log-path", l.Log)
	a.number("audit-log-maxsize", l.LogSize)
	a.number("audit-log-maxbackup", l.LogBackups)
	a.text("audit-webhook-config-file", l.Webhook)
}
