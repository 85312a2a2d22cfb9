package prometheus

import (
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// configuration is that of Prometheus, as far as it is used.
type configuration struct {
	Global        global   `json:"global"`
	RuleFiles     []string `json:"rule_files"`
	ScrapeConfigs []scrape `json:"scrape_configs"`
}

type global struct {
	ScrapeInterval     string            `json:"scrape_interval"`
	ScrapeTimeout      string            `json:"scrape_timeout"`
	EvaluationInterval string            `json:"evaluation_interval"`
	ExternalLabels     map[string]string `json:"external_labels"`
}

type scrape struct {
	JobName     string       `json:"job_name"`
	Scheme      string       `json:"scheme"`
	MetricsPath string       `json:"metrics_path,omitempty"`
	TLS         *tlsFiles    `json:"tls_config,omitempty"`
	Token       *token       `json:"authorization,omitempty"`
	Static      []static     `json:"static_configs,omitempty"`
	Nodes       []kubernetes `json:"kubernetes_sd_configs,omitempty"`
	Names       []addresses  `json:"dns_sd_configs,omitempty"`
	Relabel     []relabel    `json:"relabel_configs,omitempty"`
	SampleLimit int          `json:"sample_limit,omitempty"`
	BodyLimit   string       `json:"body_size_limit,omitempty"`
	// Redirects is always false: whoever answers for a node or a pod could send the Prometheus, with its token, anywhere.
	Redirects   bool `json:"follow_redirects"`
	TargetLimit int  `json:"target_limit,omitempty"`
	LabelLimit  int  `json:"label_limit,omitempty"`
	NameLimit   int  `json:"label_name_length_limit,omitempty"`
	ValueLimit  int  `json:"label_value_length_limit,omitempty"`
}

type tlsFiles struct {
	CA         string `json:"ca_file"`
	ServerName string `json:"server_name,omitempty"`
}

type token struct {
	File string `json:"credentials_file"`
}

type static struct {
	Targets []string          `json:"targets"`
	Labels  map[string]string `json:"labels,omitempty"`
}

type kubernetes struct {
	Role      string    `json:"role"`
	APIServer string    `json:"api_server"`
	TLS       *tlsFiles `json:"tls_config"`
	Token     *token    `json:"authorization"`
	Redirects bool      `json:"follow_redirects"` // always false
}

// addresses are those of a name: the pods of a headless Service.
type addresses struct {
	Names []string `json:"names"`
	Type  string   `json:"type"`
	Port  int32    `json:"port"`
}

type relabel struct {
	Sources     []string `json:"source_labels,omitempty"`
	Target      string   `json:"target_label,omitempty"`
	Replacement string   `json:"replacement,omitempty"`
	Regex       string   `json:"regex,omitempty"`
	Action      string   `json:"action,omitempty"`
}

// What users of a shoot can write, such as metrics of their nodes, must not fill the Prometheus. The other servers are the landscape's own.
const (
	mostSamples, mostSamplesOfUsers = 200_000, 20_000
	longestBody, longestBodyOfUsers = "24MB", "4MB"
	mostTargets                     = 500 // of a job; the program finds no more nodes
	mostLabels                      = 64  // of a series
	longestLabelName                = 256
	longestLabelValue               = 1024
)

// beside returns the path of a file of another directory, relative to that of the configuration.
func beside(dir, file string) string {
	return "../" + dir[strings.LastIndex(dir, "/")+1:] + "/" + file
}

func newConfiguration(cluster string, scrapes ...scrape) configuration {
	for i := range scrapes {
		scrapes[i].Relabel = append(scrapes[i].Relabel, relabel{Target: "cluster", Replacement: cluster})
		if scrapes[i].SampleLimit == 0 {
			scrapes[i].SampleLimit, scrapes[i].BodyLimit = mostSamples, longestBody
		}
		scrapes[i].TargetLimit, scrapes[i].LabelLimit, scrapes[i].NameLimit, scrapes[i].ValueLimit = mostTargets, mostLabels, longestLabelName, longestLabelValue
	}
	return configuration{
		Global:        global{ScrapeInterval: "30s", ScrapeTimeout: "10s", EvaluationInterval: "30s", ExternalLabels: map[string]string{"cluster": cluster}},
		RuleFiles:     []string{fileRules},
		ScrapeConfigs: scrapes,
	}
}

func (c configuration) encode() (string, error) {
	text, err := yaml.Marshal(c)
	return string(text), err
}

// api is an API server that is asked for its own metrics, and forwards questions to others.
type api struct {
	host  string // with the port
	ca    string // files
	token string
}

func (a api) secured() (*tlsFiles, *token) { return &tlsFiles{CA: a.ca}, &token{File: a.token} }

// server is a server whose certificate the same authority has signed, and that asks the same API server who may read.
func (a api) server(job, target, instance string) scrape {
	secured, as := a.secured()
	return scrape{JobName: job, Scheme: "https", TLS: secured, Token: as, Static: []static{{Targets: []string{target}, Labels: map[string]string{"instance": instance}}}}
}

// kubelets are asked through the proxy subresource of their nodes.
func (a api) kubelets(job, path string) scrape {
	secured, as := a.secured()
	return scrape{
		JobName: job, Scheme: "https", TLS: secured, Token: as, SampleLimit: mostSamplesOfUsers, BodyLimit: longestBodyOfUsers,
		Nodes: []kubernetes{{Role: "node", APIServer: "https://" + a.host, TLS: secured, Token: as}},
		Relabel: []relabel{
			{Target: "__address__", Replacement: a.host},
			{Sources: []string{"__meta_kubernetes_node_name"}, Target: "__metrics_path__", Replacement: "/api/v1/nodes/$1/proxy" + path},
		},
	}
}

// service is a Service of the cluster, asked through its proxy subresource.
func (a api) service(job, namespace, service string) scrape {
	out := a.server(job, a.host, service)
	out.SampleLimit, out.BodyLimit = mostSamplesOfUsers, longestBodyOfUsers
	out.MetricsPath = "/api/v1/namespaces/" + namespace + "/services/" + service + "/proxy/metrics"
	return out
}

// pods are all those of a headless Service. Their certificate, if they have one, is for the name.
func (a api) pods(job, service string, port int32, name string) scrape {
	secured, as := a.secured()
	secured.ServerName = name
	return scrape{JobName: job, Scheme: "https", TLS: secured, Token: as, Names: []addresses{{Names: []string{service}, Type: "A", Port: port}}}
}

// plain are all pods of a headless Service that speak HTTP, and tell everybody whom network policies let in.
func plain(job, service string, port int32) scrape {
	return scrape{JobName: job, Scheme: "http", Names: []addresses{{Names: []string{service}, Type: "A", Port: port}}}
}

// forShoot are the files of the access to a shoot, or to a virtual garden.
func forShoot(host string) api {
	return api{host: host, ca: beside(dirCA, secretsmanager.KeyBundle), token: beside(dirAccess, constants.DataKeyToken)}
}
