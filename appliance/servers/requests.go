package servers

import (
	"path/filepath"

	"github.com/gardener-up/gardener-up/embedded/gardenapi"
	"github.com/gardener-up/gardener-up/embedded/kubeapi/flags"
)

// requestFlags sets the limits and the audit log of requests to the garden's kube-apiserver, as configured.
func (in GardenInputs) requestFlags(f *flags.Flags) {
	requests := in.Settings.Requests
	f.MaxRequests, f.MaxMutatingRequests = requests.MaxInFlight, requests.MaxMutatingInFlight
	if f.Audit.Policy, f.Audit.Log, f.Audit.Webhook = in.audit(GardenAPIServer); f.Audit.Log != "" {
		f.Extra = append(f.Extra, "--audit-log-maxsize=100", "--audit-log-maxbackup=3") // as in embedded/gardenapi
	}
}

// limitRequests does the same for the Gardener API server.
func (in GardenInputs) limitRequests(c gardenapi.Config) gardenapi.Config {
	requests := in.Settings.Requests
	c.MaxRequestsInFlight, c.MaxMutatingRequestsInFlight = int(*requests.MaxInFlight), int(*requests.MaxMutatingInFlight)
	c.MaxRequestsPerUser, c.MaxWatchesPerUser = int(*requests.MaxInFlightPerUser), int(*requests.MaxWatchesPerUser)
	c.AuditPolicyFile, c.AuditLogFile, c.AuditWebhookFile = in.audit(GardenerAPIServer)
	return c
}

func (in GardenInputs) audit(server string) (policy, log, webhook string) {
	audit := in.Settings.Audit
	if audit == nil {
		return "", "", ""
	}
	if audit.LogDir != "" {
		log = filepath.Join(audit.LogDir, server+"-audit.log")
	}
	return audit.PolicyFile, log, audit.WebhookFile
}
