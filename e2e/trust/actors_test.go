package trust

import (
	"strings"
	"time"
)

// everybodyInGarden are the rights of every authenticated user. Resources of the API servers that answer about the caller only are
// among them.
const everybodyInGarden = `
cluster read   cloudprofiles.core.gardener.cloud exposureclasses.core.gardener.cloud seeds.core.gardener.cloud
cluster create selfsubjectaccessreviews.authorization.k8s.io selfsubjectrulesreviews.authorization.k8s.io selfsubjectreviews.authentication.k8s.io
cluster create tokenreviews.authentication.k8s.io
`

// What the roles of a project may, besides.
const (
	rightsOfViewer = `
own     read   configmaps events resourcequotas serviceaccounts events.events.k8s.io
own     read   shoots.core.gardener.cloud plants.core.gardener.cloud secretbindings.core.gardener.cloud quotas.core.gardener.cloud
own     read   namespacedcloudprofiles.core.gardener.cloud credentialsbindings.security.gardener.cloud workloadidentities.security.gardener.cloud
own     read   openidconnectpresets.settings.gardener.cloud bastions.operations.gardener.cloud
own     read   roles.rbac.authorization.k8s.io rolebindings.rbac.authorization.k8s.io
own     create shoots/viewerkubeconfig.core.gardener.cloud
itself  get    namespaces projects.core.gardener.cloud
`
	rightsOfMember = `
own     write  secrets configmaps
own     read   events resourcequotas serviceaccounts events.events.k8s.io
own     write  shoots.core.gardener.cloud plants.core.gardener.cloud secretbindings.core.gardener.cloud quotas.core.gardener.cloud
own     write  namespacedcloudprofiles.core.gardener.cloud credentialsbindings.security.gardener.cloud workloadidentities.security.gardener.cloud
own     write  openidconnectpresets.settings.gardener.cloud bastions.operations.gardener.cloud
own     write  roles.rbac.authorization.k8s.io rolebindings.rbac.authorization.k8s.io
own     create shoots/adminkubeconfig.core.gardener.cloud shoots/viewerkubeconfig.core.gardener.cloud
itself  get                     namespaces
itself  get,patch,update,delete projects.core.gardener.cloud
`
	rightsOfAccessManager = `
itself  get,patch,update,manage-members projects.core.gardener.cloud
`
	rightsOfServiceAccountManager = `
own     write  serviceaccounts
own     create serviceaccounts/token
`
)

// projectRights compares what each role of a project may do with everything that the garden has: in the namespace of the project,
// in that of another project, in the namespaces of the landscape and of the seed, and in the cluster.
func projectRights(f *fixture) {
	members := make([]string, 0, 4)
	for name, role := range map[string]string{"the-member": "admin", "the-viewer": "viewer", "the-access-manager": "uam", "the-service-account-manager": "serviceaccountmanager"} {
		members = append(members, `{"op":"add","path":"/spec/members/-","value":{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"`+name+`","roles":["`+role+`"]}}`)
	}
	f.Kubectl(f.Garden(), "patch", "project", "local", "--type=json", "-p", "["+strings.Join(members, ",")+"]")
	f.Kubectl(f.Garden(), "create", "-f", f.File("other.yaml", "apiVersion: core.gardener.cloud/v1beta1\nkind: Project\nmetadata: {name: other}\nspec: {namespace: garden-other}\n"))
	f.Eventually(time.Minute, "the members have their roles", func() (bool, string) {
		bindings := f.Kubectl(f.Garden(), "-n", project, "get", "rolebindings", "-o", "jsonpath={.items[*].subjects[*].name}") +
			f.Kubectl(f.Garden(), "get", "clusterrolebinding", "gardener.cloud:system:project-uam:local", "-o", "jsonpath={.subjects[*].name}")
		return strings.Contains(bindings, "the-member") && strings.Contains(bindings, "the-viewer") && strings.Contains(bindings, "the-service-account-manager") && strings.Contains(bindings, "the-access-manager"), bindings
	})
	f.mustMatch(f.cluster(f.Garden()), map[string]actor{
		"member":                  {user: "the-member", may: rightsOfMember},
		"viewer":                  {user: "the-viewer", may: rightsOfViewer},
		"access manager":          {user: "the-access-manager", may: rightsOfAccessManager},
		"service account manager": {user: "the-service-account-manager", may: rightsOfServiceAccountManager},
		"nobody":                  {user: "somebody-else"},
		"extension":               serviceAccount("seed-local", "extension-e2e", ""),
	}, everybodyInGarden, map[string]place{
		"own": {namespace: project}, "foreign": {namespace: "garden-other"}, "landscape": {namespace: "garden"}, "seed": {namespace: "seed-local"},
		"cluster": {}, "itself": {project, "local"}, "other": {"garden-other", "other"},
	})
}

const everybodyInClusters = `
cluster create selfsubjectaccessreviews.authorization.k8s.io selfsubjectrulesreviews.authorization.k8s.io selfsubjectreviews.authentication.k8s.io
`

// seedRights compares what the service accounts of the seed may do outside of their own namespaces: components of a control plane,
// an extension, and pods that ask for nothing.
func seedRights(f *fixture) {
	actors := map[string]actor{
		"extension":                    serviceAccount("extension-e2e", "extension", ""),
		"pods of the control plane":    serviceAccount(technical, "default", ""),
		"etcd":                         serviceAccount(technical, "etcd-main", ""),
		"etcd of events":               serviceAccount(technical, "etcd-events", ""),
		"resource manager":             serviceAccount(technical, "gardener-resource-manager", ""),
		"machine controller manager":   serviceAccount(technical, "machine-controller-manager", ""),
		"cloud controller manager":     serviceAccount(technical, "cloud-controller-manager", ""),
		"pods of the namespace garden": serviceAccount("garden", "default", ""),
		"seed admission": serviceAccount("garden", "gardener-seed-admission-controller", `
cluster create,delete,get,list,patch,update,watch mutatingwebhookconfigurations.admissionregistration.k8s.io validatingwebhookconfigurations.admissionregistration.k8s.io
`),
		"webhooks of the provider": serviceAccount("extension-provider-local", "gardener-extension-provider-local-webhook", ""),
		"nobody":                   {user: "somebody-else"},
	}
	for line := range strings.Lines(f.Kubectl(f.Seed(), "get", "serviceaccounts", "-A", "-o", `jsonpath={range .items[*]}{.metadata.namespace}/{.metadata.name}{"\n"}{end}`)) {
		namespace, account, _ := strings.Cut(strings.TrimSpace(line), "/")
		known := func() bool {
			for _, who := range actors {
				if who.user == serviceAccount(namespace, account, "").user {
					return true
				}
			}
			return false
		}
		if (namespace == technical || namespace == "garden") && !known() {
			f.t.Errorf("the table says nothing about the service account %s/%s", namespace, account)
		}
	}
	f.mustMatch(f.cluster(f.Seed()), actors, everybodyInClusters, map[string]place{
		"system": {namespace: "kube-system"}, "foreign": {namespace: "shoot--local--foreign"}, "cluster": {},
	})
}

// viewerOfShoot compares what a viewer kubeconfig allows in the shoot: it reads, but nothing that is or gives a credential, and it
// reaches into no pod and no node.
func viewerOfShoot(f *fixture) {
	c := f.cluster(f.shoot)
	places := map[string]place{"default": {namespace: "default"}, "system": {namespace: "kube-system"}, "cluster": {}}
	for _, group := range []string{"gardener.cloud:project:viewers", "gardener.cloud:system:viewers"} {
		allowed := f.allowed(c, actor{user: "viewer", groups: []string{group}}, places)
		for at, verbs := range parseRights(everybodyInClusters) {
			if allowed[at] == verbs {
				delete(allowed, at)
			}
		}
		for at, verbs := range allowed {
			if verbs != "get list watch" && verbs != "get list" && (verbs != "get" || !strings.Contains(at, "/")) {
				f.t.Errorf("%s may %s %s", group, verbs, at)
			}
			for _, part := range []string{" secrets", "token", "/exec", "/attach", "/proxy", "/portforward"} {
				if strings.Contains(at, part) {
					f.t.Errorf("%s may %s %s", group, verbs, at)
				}
			}
		}
		if len(allowed) < 20 || allowed["default pods"] == "" || allowed["cluster nodes"] == "" || allowed["system configmaps"] == "" {
			f.t.Errorf("%s may do no more than %v", group, allowed)
		}
	}
	f.mustMatch(c, map[string]actor{"nobody": {user: "somebody-else"}, "pods": serviceAccount("default", "default", "")}, everybodyInClusters, places)
}
