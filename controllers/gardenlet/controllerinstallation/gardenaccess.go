package controllerinstallation

import (
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientcmdv1 "k8s.io/client-go/tools/clientcmd/api/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/bootstrap"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

const (
	// accessName is the part of the name of the Secret with the token after its prefix.
	accessName = "extension"
	// kubeconfigName is the name of the Secret with the kubeconfig for Jobs, and the first part of the name of the one for other workloads.
	kubeconfigName = "generic-garden-kubeconfig"
	// gardenDirectory is where pods of extensions find their access to the garden.
	gardenDirectory = "/var/run/secrets/gardener.cloud/garden/generic-kubeconfig"
)

// gardenAccess is how the pods of an installation reach the garden: by a kubeconfig that is the same for all of them, and a token of a
// ServiceAccount in the namespace of the seed in the garden. The gardenlet keeps the token fresh, see its tokenrequestor.
type gardenAccess struct {
	kubeconfig *corev1.Secret
	// jobKubeconfig has the same content as kubeconfig, and a name that does not depend on it: the template of a Job is immutable.
	jobKubeconfig *corev1.Secret
	token         *corev1.Secret // without data, which others write
}

func newGardenAccess(installation, namespace string, garden bootstrap.Garden) (gardenAccess, error) {
	raw, err := json.Marshal(kubeconfigOf(garden))
	if err != nil {
		return gardenAccess{}, fmt.Errorf("encode kubeconfig of the garden: %w", err)
	}
	data := map[string][]byte{"kubeconfig": raw}
	return gardenAccess{
		kubeconfig: pod.Secret(kubeconfigName, namespace, data),
		jobKubeconfig: &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: kubeconfigName}, Type: corev1.SecretTypeOpaque, Data: data,
		},
		token: &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: namespace, Name: constants.SecretNamePrefixGardenAccess + accessName,
				Labels: map[string]string{
					resourcesv1alpha1.ResourceManagerPurpose: resourcesv1alpha1.LabelPurposeTokenRequest,
					resourcesv1alpha1.ResourceManagerClass:   resourcesv1alpha1.ResourceManagerClassGarden,
				},
				Annotations: map[string]string{resourcesv1alpha1.ServiceAccountName: namespacePrefix + installation},
			},
			Type: corev1.SecretTypeOpaque,
		},
	}, nil
}

// gardenAccess returns the access of the installation's pods, unless its deployment refuses it or the landscape has none.
func (r *Reconciler) gardenAccess(
	installation *gardencorev1beta1.ControllerInstallation, deployment *gardencorev1beta1.ControllerDeployment,
) (*gardenAccess, error) {
	if r.Address == nil || !ptr.Deref(deployment.InjectGardenKubeconfig, true) {
		return nil, nil
	}
	garden, err := r.Address.Now()
	if err != nil {
		return nil, err
	}
	access, err := newGardenAccess(installation.Name, namespacePrefix+installation.Name, garden)
	return &access, err
}

func kubeconfigOf(garden bootstrap.Garden) clientcmdv1.Config {
	const name = "garden"
	return clientcmdv1.Config{
		APIVersion: "v1", Kind: "Config", CurrentContext: name,
		Clusters: []clientcmdv1.NamedCluster{{Name: name, Cluster: clientcmdv1.Cluster{
			Server: garden.Server, TLSServerName: garden.ServerName, CertificateAuthorityData: garden.CA,
		}}},
		Contexts:  []clientcmdv1.NamedContext{{Name: name, Context: clientcmdv1.Context{Cluster: name, AuthInfo: "extension"}}},
		AuthInfos: []clientcmdv1.NamedAuthInfo{{Name: "extension", AuthInfo: clientcmdv1.AuthInfo{TokenFile: gardenDirectory + "/token"}}},
	}
}
