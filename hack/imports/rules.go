package imports

// rules for imports.
var rules = []Rule{
	{
		Packages: []string{"./embedded/apis/..."},
		Imports:  []string{"..."},
		Allowed:  []string{"std", "k8s.io/...", "./embedded/apis/...", "sigs.k8s.io/yaml", "google.golang.org/protobuf/encoding/protowire"},
		InTests:  []string{"github.com/google/go-cmp/...", "sigs.k8s.io/controller-runtime/pkg/client", "./embedded/testenv"},
		Reason:   "API types are a leaf that everyone may import",
		Refused: []Import{
			{From: "./embedded/apis/core/v1beta1", To: "./embedded/apihelper/core"},
			{From: "./embedded/apis/core/v1beta1", To: "sigs.k8s.io/controller-runtime/pkg/client"},
			{From: "./embedded/apis/crds", To: "./embedded/gardenapi", Test: true},
		},
	},
	{
		Packages: []string{"./appliance/component"},
		Imports:  []string{"..."},
		Allowed:  []string{"std"},
		InTests:  []string{"github.com/google/go-cmp/...", "go.uber.org/goleak"},
		Reason:   "the contract of components needs the standard library only",
		Refused: []Import{
			{From: "./appliance/component", To: "github.com/go-logr/logr"},
			{From: "./appliance/component", To: "./appliance/paths"},
			{From: "./appliance/component", To: "./appliance/paths", Test: true},
		},
	},
	{
		Packages: []string{"./embedded/..."},
		Imports:  []string{"./appliance/...", "./controllers/...", "./local/...", "./providers/..."},
		Reason:   "servers do not know who runs them",
		Refused: []Import{
			{From: "./embedded/etcd", To: "./appliance/component"},
			{From: "./embedded/node", To: "./local"},
			{From: "./embedded/dns", To: "./controllers/internal/flow", Test: true},
		},
	},
	{
		Packages: []string{"./embedded/sandbox/wire", "./embedded/sandbox/podnet/inside", "./embedded/sandbox/podnet/handover", "./embedded/sandbox/podnet/kernel", "./embedded/sandbox/ids"},
		Imports:  []string{"..."},
		Allowed: []string{"std", "golang.org/x/sys/unix", "github.com/vishvananda/netlink", "github.com/google/nftables/...", "github.com/mdlayher/netlink",
			"./embedded/sandbox/wire", "./embedded/sandbox/podnet/handover"},
		InTests: []string{"./embedded/sandbox/podnet/kernel"},
		Reason:  "the agent of each pod contains these packages, so they have to be small",
		Refused: []Import{
			{From: "./embedded/sandbox/podnet/inside", To: "k8s.io/apimachinery/pkg/util/sets"},
			{From: "./embedded/sandbox/podnet/inside", To: "./embedded/sandbox/podnet"},
			{From: "./embedded/sandbox/wire", To: "github.com/go-logr/logr"},
		},
	},
	{
		Packages: []string{"./controllers/..."},
		Imports:  []string{"./embedded/..."},
		Allowed: []string{"./embedded/apis/...", "./embedded/apihelper/...", "./embedded/atomicfile", "./embedded/certificate", "./embedded/kubeversion",
			"./embedded/incluster", "./embedded/podsignature", "./embedded/backuprestore/location", "./embedded/polled", "./embedded/drain", "./embedded/podreach", "./embedded/wallclock", "./embedded/pages", "./embedded/shortanswers",
			"./embedded/webhook",                 // serves the webhooks of a controller process, also those of providers
			"./embedded/etcd/configfile",         // renders and reads text only
			"./embedded/kubeapi/flags",           // renders text only, and links nothing of Kubernetes
			"./embedded/apivalidation/operator"}, // no server validates this group
		InTests: []string{"./embedded/testenv", "./embedded/testport", "./embedded/testwait", "./embedded/gardenapi/gardenapitest", "./embedded/webhook/webhooktest", "./embedded/networkpolicy", "./embedded/wallclock/wallclocktest"},
		Reason:  "controllers reach clusters through clients, not through servers",
		Refused: []Import{
			{From: "./controllers/gardenlet/seed", To: "./embedded/kubeapi"},
			{From: "./controllers/gardenlet/component/kubeapiserver", To: "./embedded/kubeapi/openapi"},
			{From: "./controllers/gardenlet/seed", To: "./embedded/kubeapi", Test: true},
			{From: "./controllers/gardenlet/seed", To: "./embedded/testenv"},
		},
	},
	{
		Packages: []string{"./controllers/..."},
		Imports:  []string{"./appliance/...", "./local/..."},
		Reason:   "controllers reach providers through the contract",
		Refused: []Import{
			{From: "./controllers/machine", To: "./local/machine"},
			{From: "./controllers/machine", To: "./local", Test: true},
			{From: "./controllers/druid", To: "./appliance/store"},
		},
	},
	{
		Packages: []string{"./providers/..."},
		Imports:  []string{"./appliance/...", "./controllers/...", "./local/..."},
		Reason:   "the contract lies below those who use it",
		Refused: []Import{
			{From: "./providers/contract", To: "./controllers/internal/conditions"},
			{From: "./providers/memory", To: "./local"},
		},
	},
	{
		Packages: []string{"./local/..."},
		Imports:  []string{"./appliance/...", "./controllers/..."},
		Reason:   "the appliance composes the provider",
		Refused: []Import{
			{From: "./local", To: "./controllers/machine"},
			{From: "./local/cluster", To: "./appliance/paths", Test: true},
		},
	},
	{
		Packages: []string{"..."},
		Except:   []string{"./cmd/..."},
		Imports:  []string{"./cmd/..."},
		Reason:   "nobody imports the command line",
		Refused:  []Import{{From: "./appliance", To: "./cmd/gardener/app"}, {From: "./e2e/tour", To: "./cmd/gardener/app", Test: true}},
	},
	{
		Packages: []string{"..."},
		Except:   []string{"./e2e/...", "./hack/bench/...", "./hack/conformance"},
		Imports:  []string{"./e2e/..."},
		Reason:   "only measurements and other end-to-end tests import end-to-end tests",
		Refused:  []Import{{From: "./appliance", To: "./e2e/framework"}, {From: "./appliance", To: "./e2e/framework/cli", Test: true}},
	},
	{
		Packages: []string{"..."},
		Except:   []string{"./hack/...", "./e2e/documents"},
		Imports:  []string{"./hack/..."},
		Reason:   "the product does not need the tools that build and measure it",
		Refused:  []Import{{From: "./local/cluster", To: "./hack/kind/images/echo"}},
	},
	{
		Packages: []string{"..."},
		Except: []string{"./e2e/framework", "./e2e/framework/poller", "./hack/bench/...", "./embedded/testenv", "./embedded/gardenapi/gardenapitest",
			"./embedded/webhook/webhooktest"},
		Imports: forTests,
		InTests: forTests,
		Reason:  "only tests and measurements use what is for tests",
		Refused: []Import{
			{From: "./appliance", To: "./embedded/testenv"},
			{From: "./embedded/node/runtime", To: "./embedded/testwait"},
			{From: "./embedded/oidcwebhook", To: "./embedded/testissuer"},
			{From: "./controllers/machine", To: "./embedded/gardenapi/gardenapitest"},
			{From: "./embedded/gardenapi/admission", To: "./embedded/testmutation"},
			{From: "./controllers/resourcemanager", To: "./embedded/webhook/webhooktest"},
		},
	},
	{
		Packages: []string{"..."},
		Except:   []string{"./appliance/store"},
		Imports:  []string{"github.com/tidwall/buntdb", "github.com/tidwall/btree"},
		Reason:   "only the store knows how local state is kept",
		Refused:  []Import{{From: "./appliance", To: "github.com/tidwall/buntdb"}, {From: "./local", To: "github.com/tidwall/btree", Test: true}},
	},
	{
		Packages: []string{"..."},
		Except:   []string{"./local/cluster"},
		Imports:  []string{"sigs.k8s.io/kind/..."},
		Reason:   "only the package of the cluster knows the library of kind",
		Refused:  []Import{{From: "./local", To: "sigs.k8s.io/kind/pkg/cluster"}, {From: "./e2e/kind", To: "sigs.k8s.io/kind/pkg/cluster", Test: true}},
	},
	{
		Packages: []string{"..."},
		Except:   []string{"./controllers/verticalautoscaler"},
		Imports:  []string{"k8s.io/autoscaler/..."},
		Allowed:  []string{"k8s.io/autoscaler/vertical-pod-autoscaler/pkg/apis/autoscaling.k8s.io/v1"},
		Reason:   "the vertical pod autoscaler keeps settings in globals and ends the process when it gives up",
		Refused:  []Import{{From: "./controllers/autoscaler", To: "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/utils/vpa"}},
	},
}

// forTests are the packages that only tests need.
var forTests = []string{"./embedded/testenv", "./embedded/testissuer", "./embedded/testmutation", "./embedded/testport", "./embedded/testskip", "./embedded/testwait",
	"./embedded/gardenapi/gardenapitest", "./embedded/webhook/webhooktest"}

// linkers are the packages that link k8s.io/kubernetes, directly or through another package. All others build in
// seconds.
var linkers = []string{
	"./appliance",
	"./appliance/operatorhost",
	"./appliance/seeds",
	"./appliance/seeds/embedded",
	"./appliance/seeds/first",
	"./appliance/seeds/kind",
	"./appliance/seeds/own",
	"./appliance/servers",
	"./appliance/tokenwebhook",
	"./cmd/gardener",
	"./cmd/gardener/app",
	"./embedded/garden",
	"./embedded/kubeapi",
	"./embedded/kubeapi/openapi",
	"./embedded/kubeapi/podaddress",
	"./embedded/kubeapi/tokenkeys",
	"./embedded/kubecontroller",
	"./embedded/kubescheduler",
	"./embedded/node",
	"./embedded/node/machine",
	"./embedded/node/probes",
	"./embedded/node/volume",
	"./hack/conformance", // the list of the images of tests only
	"./hack/conformance/images",
}
