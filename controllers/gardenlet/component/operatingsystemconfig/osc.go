// Package operatingsystemconfig builds the content of the machines of a worker pool: files and units, in two objects
// per pool. A machine boots from the object of purpose provision. The object of purpose reconcile describes a running
// machine.
//
// Both contain the files of the kubelet, since machines without a node agent, such as embedded ones, keep what they
// booted from.
package operatingsystemconfig

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/version"
	clientcmdv1 "k8s.io/client-go/tools/clientcmd/api/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/nodeagent/config"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// Paths on the machine.
const (
	pathKubelet    = "/var/lib/kubelet"
	pathConfig     = pathKubelet + "/config/kubelet"
	pathBootstrap  = pathKubelet + "/kubeconfig-bootstrap"
	pathKubeconfig = pathKubelet + "/kubeconfig-real"
	pathCA         = pathKubelet + "/ca.crt"
	pathSysctl     = "/etc/sysctl.d/99-k8s-general.conf"
	pathAuthorized = "/var/lib/gardener-user-authorized-keys"

	unitKubelet    = "kubelet.service"
	unitContainerd = "containerd.service"
	unitSysctl     = "systemd-sysctl.service"

	containerdSocket = "unix:///run/containerd/containerd.sock"
)

// Values are the inputs for the content of the machines of a pool.
type Values struct {
	Namespace string
	// Image is the appliance image, which contains the node agent.
	Image  string
	Worker gardencorev1beta1.Worker
	// Version of Kubernetes of the pool.
	Version string
	// Kubelet is the configuration in effect for the pool; nil for all defaults.
	Kubelet *gardencorev1beta1.KubeletConfig
	// APIServer is the URL of the API server for machines. CA verifies its certificate.
	APIServer string
	CA        []byte
	// KubeletCA verifies the client certificates of clients of the kubelet.
	KubeletCA []byte
	// BootstrapToken authenticates a new machine when it requests its own certificate.
	BootstrapToken string
	// ClusterDNS is the name server of pods.
	ClusterDNS string
	// NodeLocalDNS means that the nodes have a DNS cache.
	NodeLocalDNS bool
	// CABundle contains certificates in PEM that all machines of the CloudProfile trust in addition; nil if there are
	// none.
	CABundle *string
	// Rotation of the shoot's credentials; nil if there was none.
	Rotation *gardencorev1beta1.ShootCredentialsRotation
	// SSHPublicKeys are the lines of the file authorized_keys; empty if nobody may log in.
	SSHPublicKeys []byte
}

// Key identifies the content of the machines of a pool: machines are replaced when it changes. Switching the DNS cache
// on or off replaces machines of older versions. The key of a pool that is updated in place does not change with the version.
func Key(worker gardencorev1beta1.Worker, kubernetes string, nodeLocalDNS bool) string {
	cri := gardencorev1beta1.CRINameContainerD
	if worker.CRI != nil {
		cri = worker.CRI.Name
	}
	if inPlace(worker) {
		return keyOf(worker.Name, string(cri))
	}
	content := names.Minor(kubernetes) + string(cri)
	if nodeLocalDNS && rollsForCache(kubernetes) {
		content += "node-local-dns"
	}
	return keyOf(worker.Name, content)
}

func keyOf(pool, content string) string {
	sum := sha256.Sum256([]byte(content))
	return fmt.Sprintf("gardener-node-agent-%s-%s", pool, hex.EncodeToString(sum[:])[:5])
}

// rollsForCache reports whether switching the DNS cache on or off replaces machines of a version: those before 1.34.
func rollsForCache(kubernetes string) bool {
	parsed, err := version.ParseGeneric(kubernetes)
	return err == nil && parsed.LessThan(version.MajorMinor(1, 34))
}

func (v Values) key() string { return Key(v.Worker, v.Version, v.NodeLocalDNS) }

// Objects builds the two objects of a pool: for booting, and for running machines.
func Objects(v Values) (provision, reconcile *extensionsv1alpha1.OperatingSystemConfig, err error) {
	files, err := v.files()
	if err != nil {
		return nil, nil, fmt.Errorf("build files of worker pool %q: %w", v.Worker.Name, err)
	}
	bootstrap, err := v.bootstrapKubeconfig()
	if err != nil {
		return nil, nil, fmt.Errorf("build files of worker pool %q: %w", v.Worker.Name, err)
	}
	first := []extensionsv1alpha1.File{file(pathBootstrap, 0o600, bootstrap), file(config.PathBootstrapToken, 0o600, []byte(v.BootstrapToken))}
	provision = v.object("-init", extensionsv1alpha1.OperatingSystemConfigPurposeProvision, slices.Concat(files, first))
	reconcile = v.object("-original", extensionsv1alpha1.OperatingSystemConfigPurposeReconcile, files)
	return provision, reconcile, nil
}

func (v Values) object(suffix string, purpose extensionsv1alpha1.OperatingSystemConfigPurpose, files []extensionsv1alpha1.File) *extensionsv1alpha1.OperatingSystemConfig {
	out := &extensionsv1alpha1.OperatingSystemConfig{
		ObjectMeta: metav1.ObjectMeta{
			Name: v.key() + suffix, Namespace: v.Namespace,
			Labels: map[string]string{constants.LabelWorkerPool: v.Worker.Name},
		},
		Spec: extensionsv1alpha1.OperatingSystemConfigSpec{
			Purpose: purpose,
			Files:   files,
			Units:   v.units(),
		},
	}
	maps.Copy(out.Labels, names.Mutated())
	if image := v.Worker.Machine.Image; image != nil {
		out.Spec.Type = image.Name
		out.Spec.ProviderConfig = image.ProviderConfig
	}
	out.Spec.CRIConfig = &extensionsv1alpha1.CRIConfig{Name: extensionsv1alpha1.CRINameContainerD, CgroupDriver: ptr.To(extensionsv1alpha1.CgroupDriverSystemd)}
	if inPlace(v.Worker) {
		out.Spec.InPlaceUpdates = v.inPlaceUpdates()
	}
	if v.Worker.CRI != nil {
		out.Spec.CRIConfig.Name = extensionsv1alpha1.CRIName(v.Worker.CRI.Name)
	}
	return out
}

func (v Values) files() ([]extensionsv1alpha1.File, error) {
	kubelet, err := kubeletConfiguration(v)
	if err != nil {
		return nil, err
	}
	agent, err := v.agentConfiguration()
	if err != nil {
		return nil, err
	}
	out := []extensionsv1alpha1.File{
		program(binaryKubelet, kubeletImage+":v"+v.Version, "/kubelet"),
		file(pathConfig, 0o644, kubelet),
		file(pathCA, 0o644, v.KubeletCA),
		file(pathSysctl, 0o644, sysctls(v.Worker.Sysctls)),
		program(config.Binary, v.Image, "/gardener"),
		file(config.PathConfig, 0o600, agent),
		file(pathMonitor, 0o755, []byte(monitorScript)),
		file(pathSSHD, 0o755, []byte(sshdScript(len(v.SSHPublicKeys) > 0))),
	}
	if v.CABundle != nil {
		out = append(out, file("/etc/ssl/certs/cloudprofile-ca-bundle.crt", 0o644, []byte(*v.CABundle)))
	}
	if v.Worker.CABundle != nil {
		out = append(out, file("/etc/ssl/certs/worker-ca-bundle.crt", 0o644, []byte(*v.Worker.CABundle)))
	}
	if len(v.SSHPublicKeys) > 0 {
		out = append(out, file(pathAuthorized, 0o644, v.SSHPublicKeys), file(pathUser, 0o755, []byte(userScript)))
	}
	return out, nil
}

// bootstrapKubeconfig is used until the kubelet has its own certificate.
func (v Values) bootstrapKubeconfig() ([]byte, error) {
	const name = "kubelet-bootstrap"
	return json.MarshalIndent(clientcmdv1.Config{
		APIVersion: "v1", Kind: "Config", CurrentContext: name,
		Clusters:  []clientcmdv1.NamedCluster{{Name: name, Cluster: clientcmdv1.Cluster{Server: v.APIServer, CertificateAuthorityData: v.CA}}},
		Contexts:  []clientcmdv1.NamedContext{{Name: name, Context: clientcmdv1.Context{Cluster: name, AuthInfo: name}}},
		AuthInfos: []clientcmdv1.NamedAuthInfo{{Name: name, AuthInfo: clientcmdv1.AuthInfo{Token: v.BootstrapToken}}},
	}, "", "  ")
}

// program is a file of an image.
func program(path, from, inImage string) extensionsv1alpha1.File {
	return extensionsv1alpha1.File{
		Path: path, Permissions: ptr.To[uint32](0o755),
		Content: extensionsv1alpha1.FileContent{ImageRef: &extensionsv1alpha1.FileContentImageRef{Image: from, FilePathInImage: inImage}},
	}
}

func file(path string, mode uint32, content []byte) extensionsv1alpha1.File {
	return extensionsv1alpha1.File{
		Path: path, Permissions: ptr.To(mode),
		Content: inline(content),
	}
}

// inline is content in the object itself, encoded if it is not text.
func inline(content []byte) extensionsv1alpha1.FileContent {
	out := &extensionsv1alpha1.FileContentInline{Data: string(content)}
	if !utf8.Valid(content) {
		out.Encoding, out.Data = "b64", base64.StdEncoding.EncodeToString(content)
	}
	return extensionsv1alpha1.FileContent{Inline: out}
}
