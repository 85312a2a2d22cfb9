package trust

import (
	"encoding/base64"
	"strings"
	"time"
)

// foreign is another seed, and a project without shoots on the seed of the landscape.
const foreign = `apiVersion: core.gardener.cloud/v1beta1
kind: Seed
metadata: {name: foreign}
spec:
  provider: {type: local, region: local, zones: ["0"]}
  networks: {nodes: 127.0.0.0/24, pods: 10.3.0.0/16, services: 10.4.0.0/16, shootDefaults: {pods: 100.96.0.0/11, services: 100.64.0.0/13}}
  ingress: {domain: foreign.example.org, controller: {kind: nginx}}
  dns: {provider: {type: local, secretRef: {namespace: garden, name: internal-domain}}}
  settings: {scheduling: {visible: false}, verticalPodAutoscaler: {enabled: false}}
---
apiVersion: core.gardener.cloud/v1beta1
kind: Project
metadata: {name: foreign}
spec: {namespace: garden-foreign}
`

// foreignSecrets are in namespaces that the garden makes for them.
const foreignSecrets = `apiVersion: v1
kind: Secret
metadata: {name: access, namespace: seed-foreign}
---
apiVersion: v1
kind: Secret
metadata: {name: cloud, namespace: garden-foreign}
---
apiVersion: v1
kind: Secret
metadata: {name: unrelated, namespace: ` + project + `}
---
apiVersion: v1
kind: Secret
metadata: {name: robot, namespace: garden}
`

// foreignLogin is the access of operators to the other seed, as package seedlogin makes it for running seeds.
const foreignLogin = `apiVersion: v1
kind: Secret
metadata:
  name: foreign.login
  namespace: garden
  ownerReferences: [{apiVersion: core.gardener.cloud/v1beta1, kind: Seed, name: foreign, uid: UID}]
`

const (
	foreignLease   = "apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: {name: foreign, namespace: gardener-system-seed-lease}\n"
	foreignBinding = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: foreign}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}\nsubjects: [{kind: Group, name: 'gardener.cloud:system:seeds', apiGroup: rbac.authorization.k8s.io}]\n"
)

// gardenletElsewhere uses the certificate of the landscape's gardenlet for what belongs to another seed, to projects and to the
// landscape.
func gardenletElsewhere(f *fixture) {
	encoded := f.Kubectl(f.Seed(), "-n", "garden", "get", "secret", "gardenlet-kubeconfig", "-o", "jsonpath={.data.kubeconfig}")
	text, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		f.t.Fatal(err)
	}
	gardenlet := f.File("gardenlet.yaml", string(text))
	f.Kubectl(f.Garden(), "create", "-f", f.File("foreign.yaml", foreign))
	f.Eventually(time.Minute, "the namespaces of the seed and of the project exist", func() (bool, string) {
		r := f.TryKubectl(f.Garden(), "get", "namespace", "seed-foreign", "garden-foreign")
		return r.Code == 0, r.Stderr
	})
	f.Kubectl(f.Garden(), "create", "-f", f.File("foreign-secrets.yaml", foreignSecrets))
	uid := f.Kubectl(f.Garden(), "get", "seed", "foreign", "-o", "jsonpath={.metadata.uid}")
	f.Kubectl(f.Garden(), "create", "-f", f.File("foreign-login.yaml", strings.ReplaceAll(foreignLogin, "UID", uid)))
	f.Kubectl(f.Garden(), "-n", "garden", "get", "secret", "local.login") // the real one has such a name
	for _, own := range [][]string{
		{"-n", project, "get", "shoot", name},
		{"get", "seed", "local"},
		{"-n", "gardener-system-seed-lease", "get", "lease", "local"},
		{"-n", "seed-local", "get", "secrets"},
	} {
		f.Kubectl(gardenlet, own...) // so the refusals are not for another reason
	}
	for _, args := range [][]string{
		{"-n", "seed-foreign", "get", "secret", "access"},
		{"-n", "seed-foreign", "get", "secrets"},
		{"-n", "seed-foreign", "create", "token", "default"},
		{"-n", "garden", "get", "secret", "foreign.login"},
		{"patch", "seed", "local", "--type=merge", "--patch", `{"spec":{"resources":[{"name":"any","resourceRef":{"apiVersion":"v1","kind":"Secret","name":"foreign.login"}}]}}`},
		{"-n", "garden", "get", "secret", "robot"},
		{"patch", "seed", "local", "--type=merge", "--patch", `{"spec":{"resources":[{"name":"any","resourceRef":{"apiVersion":"v1","kind":"Secret","name":"robot"}}]}}`},
		{"-n", "garden-foreign", "get", "secret", "cloud"},
		{"get", "namespace", "garden-foreign"},
		{"get", "project", "foreign"},
		{"-n", project, "get", "secret", "unrelated"},
		{"-n", project, "get", "secrets"},
		{"-n", project, "create", "secret", "generic", "any"},
		{"get", "secrets", "-A"},
		{"get", "secrets", "-A", "--as=somebody", "--as-group=system:masters"},
		{"-n", "garden", "create", "token", "default"},
		{"-n", "kube-system", "get", "configmap", "extension-apiserver-authentication"},
		{"annotate", "seed", "foreign", "gardener.cloud/operation=reconcile"},
		{"delete", "seed", "foreign", "--wait=false"},
		{"-n", "gardener-system-seed-lease", "create", "-f", f.File("foreign-lease.yaml", foreignLease)},
		{"create", "-f", f.File("foreign-binding.yaml", foreignBinding)},
		{"create", "namespace", "garden-more"},
		{"delete", "project", "local", "--wait=false"},
	} {
		r := f.TryKubectl(gardenlet, args...)
		refused := strings.Contains(r.Stderr, "(Forbidden)") || strings.Contains(r.Stderr, "forbidden: ") || strings.Contains(r.Stderr, "denied the request: ")
		if r.Code == 0 || !refused {
			f.t.Errorf("kubectl %s: code %d: %s%s", strings.Join(args, " "), r.Code, r.Stdout, r.Stderr)
		}
	}
}
