package operatingsystemconfig

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/access"
	"github.com/gardener-up/gardener-up/controllers/nodeagent/config"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// agentConfiguration is the configuration of the node agents of the pool.
func (v Values) agentConfiguration() ([]byte, error) {
	return config.Configuration{
		APIServer: config.APIServer{Server: v.APIServer, CABundle: v.CA},
		Controllers: config.Controllers{
			OperatingSystemConfig: config.OperatingSystemConfig{SecretName: v.key(), KubernetesVersion: v.Version},
			Token:                 config.Token{SyncConfigs: []config.TokenSync{{SecretName: config.Name, Path: config.PathToken}}},
		},
	}.Encode()
}

// AgentAccess builds the Secret in the seed for the token of node agents. The resource manager of the shoot fills it
// and copies it into the shoot.
func AgentAccess(namespace string) *corev1.Secret {
	secret := access.ShootAccess(config.Name, namespace)
	secret.Annotations[resourcesv1alpha1.TokenRequestorTargetSecretName] = config.Name
	secret.Annotations[resourcesv1alpha1.TokenRequestorTargetSecretNamespace] = metav1.NamespaceSystem
	return secret
}

// AgentSecret builds the Secret in the shoot that node agents of a pool read. It contains the object as completed by
// extensions, with the content of Secrets instead of references. read returns the value of a key of a Secret in the
// seed.
func AgentSecret(pool, key string, osc *extensionsv1alpha1.OperatingSystemConfig, read func(name, key string) ([]byte, error)) (*corev1.Secret, error) {
	resolved := &extensionsv1alpha1.OperatingSystemConfig{
		TypeMeta: metav1.TypeMeta{APIVersion: extensionsv1alpha1.SchemeGroupVersion.String(), Kind: extensionsv1alpha1.OperatingSystemConfigResource},
		Spec:     *osc.Spec.DeepCopy(),
	}
	resolved.Status.ExtensionFiles, resolved.Status.ExtensionUnits = osc.Status.ExtensionFiles, osc.Status.ExtensionUnits
	for i := range resolved.Spec.Files {
		file := &resolved.Spec.Files[i]
		ref := file.Content.SecretRef
		if ref == nil {
			continue
		}
		data, err := read(ref.Name, ref.DataKey)
		if err != nil {
			return nil, fmt.Errorf("resolve file %s: %w", file.Path, err)
		}
		file.Content = inline(data)
	}
	raw, err := yaml.Marshal(resolved)
	if err != nil {
		return nil, fmt.Errorf("encode operating system config: %w", err)
	}
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: key, Namespace: metav1.NamespaceSystem, Labels: map[string]string{
			constants.GardenRole: constants.GardenRoleOperatingSystemConfig, constants.LabelWorkerPool: pool,
		}},
		Type: corev1.SecretTypeOpaque,
		Data: map[string][]byte{config.DataKey: raw},
	}, nil
}

// AgentRights builds the permissions of node agents in the shoot, which may read the named Secrets, and of machines
// that have only a bootstrap token yet.
func AgentRights(secrets []string) []client.Object {
	meta := metav1.ObjectMeta{Name: config.Name, Namespace: metav1.NamespaceSystem}
	first := metav1.ObjectMeta{Name: config.Name + "-bootstrap", Namespace: metav1.NamespaceSystem}
	cluster := metav1.ObjectMeta{Name: "gardener.cloud:system:" + config.Name}
	agent := rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: metav1.NamespaceSystem, Name: config.Name}
	core := func(resource string, names []string, verbs ...string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{resource}, ResourceNames: names, Verbs: verbs}
	}
	return []client.Object{
		&rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{core("secrets", append([]string{config.Name}, secrets...), "get", "list", "watch")}},
		&rbacv1.RoleBinding{
			ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: meta.Name}, Subjects: []rbacv1.Subject{agent},
		},
		&rbacv1.ClusterRole{ObjectMeta: cluster, Rules: []rbacv1.PolicyRule{core("nodes", nil, "get", "patch")}},
		&rbacv1.ClusterRoleBinding{
			ObjectMeta: cluster, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: cluster.Name}, Subjects: []rbacv1.Subject{agent},
		},
		&rbacv1.Role{ObjectMeta: first, Rules: []rbacv1.PolicyRule{core("secrets", []string{config.Name}, "get")}},
		&rbacv1.RoleBinding{
			ObjectMeta: first, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: first.Name},
			Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: "system:bootstrappers"}},
		},
	}
}
