package extensionvalidation

// rule holds the constraints of a kind that its schema cannot express.
type rule struct {
	resource string
	// required lists fields of the spec that must not be empty.
	required [][]string
	// immutable lists fields of the spec that must not change.
	immutable [][]string
	checks    []check
}

// check adds the mistakes that it finds in the spec.
type check func(spec map[string]any, report func(format string, args ...any))

func paths(names ...[]string) [][]string { return names }

func at(fields ...string) []string { return fields }

// rules cover all kinds of extensions.gardener.cloud except Cluster, which only mirrors other objects. Every spec has a
// type, which is immutable.
var rules = map[string]rule{
	"BackupBucket": {resource: "backupbuckets", required: paths(at("region"), at("secretRef", "name"), at("secretRef", "namespace")), immutable: paths(at("region"))},
	"BackupEntry": {
		resource: "backupentries", required: paths(at("region"), at("bucketName"), at("secretRef", "name"), at("secretRef", "namespace")),
		immutable: paths(at("region")),
	},
	"Bastion":          {resource: "bastions", required: paths(at("userData"), at("ingress")), immutable: paths(at("userData")), checks: []check{ingressRanges}},
	"ContainerRuntime": {resource: "containerruntimes", required: paths(at("binaryPath"), at("workerPool", "name"))},
	"ControlPlane":     {resource: "controlplanes", required: paths(at("region"), at("secretRef", "name")), immutable: paths(at("region"), at("purpose"))},
	"DNSRecord": {
		resource: "dnsrecords", required: paths(at("secretRef", "name"), at("name"), at("recordType"), at("values")),
		immutable: paths(at("name"), at("recordType")), checks: []check{recordName, recordValues},
	},
	"Extension":      {resource: "extensions"},
	"Infrastructure": {resource: "infrastructures", required: paths(at("region"), at("secretRef", "name")), immutable: paths(at("region"))},
	"Network": {
		resource: "networks", required: paths(at("podCIDR"), at("serviceCIDR")), immutable: paths(at("podCIDR"), at("serviceCIDR")),
		checks: []check{networkRanges},
	},
	"OperatingSystemConfig": {
		resource: "operatingsystemconfigs", required: paths(at("purpose")), immutable: paths(at("purpose"), at("criConfig", "name")), checks: []check{units, files},
	},
	"Worker": {resource: "workers", required: paths(at("region"), at("secretRef", "name"), at("pools")), immutable: paths(at("region")), checks: []check{pools}},
}

// Resources are the resources that the webhook validates.
func Resources() []string {
	var names []string
	for _, kind := range kinds {
		names = append(names, rules[kind].resource)
	}
	return names
}

// kinds has the order of the registration.
var kinds = []string{
	"BackupBucket", "BackupEntry", "Bastion", "ContainerRuntime", "ControlPlane", "DNSRecord", "Extension", "Infrastructure", "Network",
	"OperatingSystemConfig", "Worker",
}
