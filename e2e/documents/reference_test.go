package documents

import (
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"

	"github.com/gardener-up/gardener-up/e2e/documents/console"
	"github.com/gardener-up/gardener-up/e2e/documents/follow"
	"github.com/gardener-up/gardener-up/e2e/framework"
	"github.com/gardener-up/gardener-up/embedded/kubeversion"
)

// pages are the documents that TestDocuments follows after the README's tour.
var pages = []string{
	"docs/getting-started.md", "docs/troubleshooting.md", "docs/clients.md", "docs/security.md", "docs/rotation.md",
	"docs/configuration.md", "docs/extensions.md", "docs/howto.md", "docs/monitoring.md", "docs/bundle.md",
}

// Documents that come later. After the migration, seed two is no longer empty; after the deletion, sun is gone.
const (
	migration = "docs/migration.md"
	deletion  = "docs/deletion.md"
)

// elsewhere are the examples that tests in other directories run.
var elsewhere = map[string]string{
	"gardener image save gardener.tar && docker load -i gardener.tar":                                                             "e2e/kind",
	"gardener seed add three --provider kind --timeout 10m":                                                                       "e2e/kind",
	"gardener etcd restore etcd-seed --seed two --yes":                                                                            "e2e/seeds",
	"gardener garden rotate --start":                                                                                              "e2e/settings",
	"gardener garden rotate --complete":                                                                                           "e2e/settings",
	"gardener bundle push --key bundle.key.pub landscape.bundle registry.example.org":                                             "e2e/containers",
	"gardener bootstrap --kubeconfig runtime.yaml --domain garden.example.org --image registry.example.org/gardener:v1 --dry-run": "e2e/alone",
	"gardener bootstrap --kubeconfig runtime.yaml --domain garden.example.org --image registry.example.org/gardener:v1":           "e2e/alone",
	"gardener bootstrap --kubeconfig runtime.yaml --domain garden.example.org --load":                                             "e2e/bootstrap",
	"gardener bootstrap status --kubeconfig runtime.yaml":                                                                         "e2e/alone",
	"gardener bootstrap kubeconfig --kubeconfig runtime.yaml > garden.yaml":                                                       "e2e/alone",
	"gardener bootstrap kubeconfig --kubeconfig runtime.yaml --server https://127.0.0.1:8443 > garden.yaml":                       "e2e/alone",
	"gardener service install":                                  "e2e/machine",
	"gardener service install --now":                            "e2e/machine",
	"gardener service status":                                   "e2e/machine",
	"gardener service status -o json":                           "e2e/machine",
	"gardener service uninstall":                                "e2e/machine",
	"gardener bootstrap remove --kubeconfig runtime.yaml --yes": "e2e/alone",
}

// act is a part of the story that the examples of the reference tell. before runs first, to make what its commands need, and after last.
type act struct {
	what     string
	before   []string
	commands []string
	after    []string
}

// acts begin where the README's tour ends: the shoots local and sun in garden-local, the seeds local and two.
var acts = []act{
	{what: "what needs no landscape", commands: []string{
		"gardener version -o json", "gardener exit-codes", "gardener exit-codes -o json",
		"gardener config template > landscape.yaml", "gardener config view", "gardener config view -o json",
		"gardener up -f landscape.yaml", "gardener convert -f old.yaml | gardener kubectl apply -f -",
		"gardener help exit-codes", "gardener shoot --help", "gardener completion --help", "gardener component apiserver --help",
		"gardener doctor", "gardener man ~/.local/share/man/man1", "gardener component etcd --data-dir=./etcd",
	}},
	{what: "looking", before: []string{"gardener shoot create sun -n garden-dev --workers 0"}, commands: []string{
		"gardener status", "gardener status -o json", "gardener landscape list", "gardener landscape list -o wide", "gardener landscape list --watch",
		"gardener events", "gardener events -n garden-dev --watch", "gardener events --shoot garden-dev/sun -o yaml",
		"gardener shoot list", "gardener shoot list -n garden-local -o wide", "gardener shoot list --watch",
		"gardener shoot describe sun", "gardener shoot describe garden-dev/sun -o yaml", "gardener shoot wait sun --timeout 5m",
		"gardener seed list", "gardener seed list -o wide", "gardener seed list --watch",
		"gardener logs --follow", "gardener logs two --tail=100", "gardener logs --since 10m --shoot garden-local/sun", "gardener logs --part gardenlet",
		"gardener logs --since 1h -o text > today.log",
		"gardener kubectl --kubeconfig <(gardener kubeconfig seed) -n shoot--local--sun logs deployment/kube-apiserver",
		"gardener kubectl get shoots -A", "gardener support-bundle", "gardener kubectl get cloudprofile local -o yaml",
	}},
	{what: "metrics", commands: []string{
		"gardener metrics", "gardener metrics scrape-config > prometheus.yml", "gardener metrics get --scope garden --name 'etcd_*'",
		"gardener metrics get --scope garden", "gardener metrics get --scope shoot/garden-local/sun --name apiserver_request_total --name 'etcd_*'",
		"gardener metrics get --name up", "gardener metrics token > metrics.token", "gardener metrics token --expiration 24h > metrics.token",
		"gardener metrics scrape-config --token-file /etc/prometheus/metrics.token > prometheus.yml",
	}},
	{what: "backups", before: []string{"mkdir -p /mnt/backups"}, commands: []string{
		"gardener backup create --to /mnt/backups", "gardener backup create --to monday.tar.zst", "gardener backup list --in /mnt/backups",
		"gardener backup list --in /mnt/backups -o json", "gardener backup verify monday.tar.zst", "gardener backup key backup.key > backup.pub",
		"gardener backup create --to /mnt/backups --encrypt-to backup.pub --keep 7",
	}},
	{what: "kubeconfigs", commands: []string{
		"gardener credential garden", "mkdir -p ~/.garden", "gardener gardenctl-config > ~/.garden/gardenctl-v2.yaml",
		"cp ~/.garden/gardenctl-v2.yaml ~/.garden/gardenlogin.yaml",
		"gardener kubeconfig garden > garden.yaml", "gardener kubeconfig garden --expiration 1h > garden.yaml",
		"gardener kubeconfig garden --expiration 168h", "gardener gardenctl-config --all",
		"gardener kubeconfig shoot garden-local/local > shoot.yaml", "gardener kubeconfig shoot garden-local/local --merge ~/.kube/config",
		"gardener kubeconfig shoot garden-local/local --merge ~/.kube/config --no-switch", "gardener kubeconfig seed > seed.yaml",
		"gardener kubeconfig seed two > two.yaml", "gardener kubeconfig shoot sun > sun.yaml",
		"gardener kubeconfig shoot garden-dev/sun --expiration 8h > sun.yaml",
		"gardener kubeconfig shoot sun > sun.yaml", "KUBECONFIG=sun.yaml gardener kubectl get nodes",
	}},
	{what: "a component alone", commands: []string{"gardener component scheduler --config scheduler.yaml"}},
	{what: "images and parts", before: []string{
		"gardener image load --name docker.io/library/nginx:1.29 ./oci-layout",
		"mkdir -p charts/app && echo '{apiVersion: v2, name: app, version: 1.0.0}' > charts/app/Chart.yaml",
	}, commands: []string{
		"gardener image load --name example.org/app:1 ./oci-layout", "gardener image list -o yaml",
		"gardener bundle create --key bundle.key --with store:nginx:1.29 --with ./charts/app landscape.bundle", "gardener bundle verify --key bundle.key.pub landscape.bundle",
		"gardener bundle list landscape.bundle", "gardener bundle list landscape.bundle -o json", "gardener image load --key bundle.key.pub landscape.bundle",
		"gardener image remove docker.io/library/nginx:1.29",
		"gardener part stop gardener-scheduler", "gardener part start gardener-scheduler",
	}},
	{what: "a shoot, day after day", commands: []string{
		"gardener shoot hibernate sun --dry-run", "gardener shoot rotate sun --start --dry-run", "gardener shoot delete sun --dry-run",
		"gardener shoot migrate sun --to two --dry-run", "gardener seed add four --dry-run -o yaml",
		"gardener garden rotate --start --dry-run", "gardener garden rotate --of observability", "gardener status --timeout 2m",
		"gardener shoot backup sun", "gardener shoot backup sun --full", "gardener shoot snapshots sun", "gardener shoot snapshots sun -o json",
		"gardener etcd snapshots", "gardener etcd snapshots etcd-garden -o json", "gardener etcd snapshots --seed two",
		"gardener shoot reconcile sun", "gardener shoot maintain sun", "gardener shoot rotate sun --of observability",
		"gardener shoot rotate local --of observability",
	}},
	// The state is that of an operation that is not tried again. e2e/rows retries a shoot that has come to it by itself.
	{what: "a shoot that has failed", before: []string{
		`kubectl -n garden-local patch shoot sun --subresource=status --type=merge -p '{"status":{"lastOperation":{"state":"Failed"}}}'`,
	}, commands: []string{"gardener shoot retry sun"}},
}

// seedAct follows the migration of sun to seed two, and its deletion.
var seedAct = act{what: "the end of a seed", commands: []string{"gardener shoot delete garden-dev/sun --yes --timeout 20m", "gardener seed remove two --dry-run", "gardener seed remove two"}}

// oldGroupAct is late, since kubectl may remember a while that shoots are of two groups. Discovery lists the old one some moments after its
// definition is established, so the reader looks until it does.
var oldGroupAct = act{what: "a garden of the old group", before: []string{
	"kubectl create -f oldgroup.yaml", "kubectl get shoots.garden.sapcloud.io -A", "kubectl create -f oldshoot.yaml", "set -o pipefail",
}, commands: []string{
	"kubectl get shoots.garden.sapcloud.io -A -o yaml | gardener convert -f -",
}, after: []string{
	`test "$(kubectl get shoots.garden.sapcloud.io -A -o yaml | gardener convert -f - | grep -c '^apiVersion: core.gardener.cloud/v1beta1$')" = 1`,
	"kubectl delete -f oldgroup.yaml",
}}

// shootsAct is for a reader in a hurry, who orders shoots and does not wait for them. They go with the landscape. Other pages create shoots
// in the same ways and wait, so here nobody makes them: the gardenlet is stopped.
var shootsAct = act{what: "other shoots", before: []string{"gardener part stop gardenlet"}, commands: []string{
	"gardener shoot create sun --dry-run > sun.yaml", "gardener shoot create sun",
	"gardener shoot create moon --kubernetes 1.35 --workers 2", "gardener shoot create empty --workers 0",
	"gardener shoot example | gardener kubectl apply -f -", "gardener shoot delete sun --yes",
}}

// restoreAct follows the README's end, too: what the backup had comes back, and goes again.
var restoreAct = act{what: "a restoration", commands: []string{"gardener backup restore monday.tar.zst"}, after: []string{"gardener down --purge --yes"}}

// lastAct follows the README's end: nothing is left.
var lastAct = act{what: "after the purge", commands: []string{"gardener run", "gardener down --all"}}

// allActs are all that TestDocuments plays.
func allActs() []act {
	return slices.Concat(acts, []act{seedAct, oldGroupAct, shootsAct, restoreAct, lastAct})
}

// play runs the examples of an act.
func (a act) play(t *testing.T, r *follow.Reader) {
	t.Helper()
	var steps []console.Step
	of := follow.Examples(t)
	for _, command := range slices.Concat(a.before, a.commands, a.after) {
		steps = append(steps, placed(of, command))
	}
	r.Follow(t, "the reference of the command line: "+a.what, steps)
}

// placed is a step of the reference with its page and line. What an act needs beforehand is on no page.
func placed(of []console.Step, command string) console.Step {
	if i := slices.IndexFunc(of, func(s console.Step) bool { return follow.WithoutComment(s.Command) == command }); i >= 0 {
		return console.Step{File: of[i].File, Line: of[i].Line, Command: command}
	}
	return console.Step{File: "e2e/documents", Command: command}
}

// prepare makes the files that examples read.
func prepare(t *testing.T, home *framework.Landscape) {
	t.Helper()
	image, err := random.Image(1<<10, 1)
	if err != nil {
		t.Fatal(err)
	}
	file, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	file.OS, file.Architecture = "linux", runtime.GOARCH // as bundles need it
	if image, err = mutate.ConfigFile(image, file); err != nil {
		t.Fatal(err)
	}
	images, err := layout.Write(filepath.Join(home.Dir, "oci-layout"), empty.Index)
	if err == nil {
		err = images.AppendImage(image)
	}
	if err != nil {
		t.Fatal(err)
	}
	home.File("scheduler.yaml", "{apiVersion: scheduler.config.gardener.cloud/v1alpha1, kind: SchedulerConfiguration, clientConnection: {kubeconfig: garden.yaml}}\n")
	home.File("old.yaml", "{apiVersion: garden.sapcloud.io/v1beta1, kind: Project, metadata: {name: old}, spec: {namespace: garden-old}}\n")
	home.File("oldgroup.yaml", oldGroup)
	home.File("oldshoot.yaml", oldShoot)
}

// oldGroup and oldShoot are what gardens had before core.gardener.cloud.
const (
	oldGroup = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shoots.garden.sapcloud.io}
spec:
  group: garden.sapcloud.io
  names: {kind: Shoot, listKind: ShootList, plural: shoots, singular: shoot}
  scope: Namespaced
  versions:
  - {name: v1beta1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`
	oldShoot = `apiVersion: garden.sapcloud.io/v1beta1
kind: Shoot
metadata: {name: old, namespace: garden-local}
spec:
  cloud:
    profile: cloud
    region: eu-west-1
    secretBindingRef: {name: account}
    aws:
      machineImage: {name: linux, version: 2.0.0}
      networks: {vpc: {cidr: 10.250.0.0/16}, internal: [10.250.112.0/22], public: [10.250.96.0/22], workers: [10.250.0.0/19]}
      workers: [{name: cpu, machineType: m4.large, volumeType: gp2, volumeSize: 20Gi, autoScalerMin: 2, autoScalerMax: 4}]
      zones: [eu-west-1a]
  kubernetes: {version: ` + kubeversion.Number + `}
  dns: {domain: old.example.net}
`
)
