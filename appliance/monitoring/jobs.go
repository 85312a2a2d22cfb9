package monitoring

// Jobs, as others name them.
const (
	jobAPIServer  = "kube-apiserver"
	jobEtcd       = "etcd"
	jobKubelet    = "kubelet"
	jobResources  = "kubelet-resources" // what containers use
	jobManagers   = "gardener"          // the controllers of all roles, which run in one process
	jobParts      = "landscape"
	jobConditions = "gardener-conditions"
)

// thisProcess is the value of the label process of targets whose servers run in the process of the landscape. Libraries of Kubernetes and
// of etcd count once per process, so these targets show the sum of what the servers in the process do.
const thisProcess = "landscape"

const labelProcess = "process"

// metricsPath is where servers serve metrics, this one and others, and the path that clients need the right for.
const metricsPath = "/metrics"
