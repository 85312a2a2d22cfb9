package kubeapiserver

import (
	"fmt"

	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
)

// configVersion is the API group and version of the documents that kube-apiserver reads.
const configVersion = "apiserver.config.k8s.io/v1"

const (
	keyEncryption     = "encryption-configuration.yaml"
	keyAuditPolicy    = "audit-policy.yaml"
	keyAuthentication = "config.yaml"
	keyAuthorization  = "authorization-configuration.yaml"
	keyAdmission      = "admission-configuration.yaml"
	keyOIDCCA         = "ca.crt"
	keyTokenWebhook   = "kubeconfig"
)

// file is a config map or secret and where it is mounted.
type file struct {
	dir    string
	object client.Object
	secret bool
}

type files struct {
	encryption, audit, authentication, authorization, authorizers, admission, pluginKubeconfigs, oidcCA, egress, tokenWebhook *file
}

func (f files) all() []*file {
	var out []*file
	for _, one := range []*file{f.encryption, f.audit, f.authentication, f.authorization, f.authorizers, f.admission, f.pluginKubeconfigs, f.oidcCA, f.egress, f.tokenWebhook} {
		if one != nil {
			out = append(out, one)
		}
	}
	return out
}

func (f files) objects() []client.Object {
	var out []client.Object
	for _, one := range f.all() {
		out = append(out, one.object)
	}
	return out
}

// mounts joins files that share a directory.
func (f files) mounts() []pod.Mount {
	var out []pod.Mount
	byDir := map[string]int{}
	for _, one := range f.all() {
		i, known := byDir[one.dir]
		if !known {
			i = len(out)
			byDir[one.dir] = i
			out = append(out, pod.Mount{Path: one.dir})
		}
		if one.secret {
			out[i].Secrets = append(out[i].Secrets, one.object.GetName())
		} else {
			out[i].ConfigMaps = append(out[i].ConfigMaps, one.object.GetName())
		}
	}
	if f.audit != nil {
		out = append(out, pod.Mount{Path: dirAuditLog, EmptyDir: true})
	}
	return out
}

func buildFiles(v Values) (files, error) {
	var out files
	encryption, err := encryptionConfiguration(v)
	if err != nil {
		return out, err
	}
	out.encryption = &file{dir: dirEncryption, secret: true, object: pod.Secret("kube-apiserver-etcd-encryption-configuration", v.Namespace, map[string][]byte{keyEncryption: encryption})}
	if v.AuditPolicy != "" {
		out.audit = &file{dir: dirAudit, object: pod.ConfigMap("audit-policy-config", v.Namespace, map[string]string{keyAuditPolicy: v.AuditPolicy})}
	}
	if v.Authentication != "" {
		document, err := authenticationConfiguration(v)
		if err != nil {
			return out, err
		}
		out.authentication = &file{dir: dirAuthentication, object: pod.ConfigMap("authentication-config", v.Namespace, map[string]string{keyAuthentication: document})}
	}
	if oidc := v.Config.OIDCConfig; oidc != nil && ptr.Deref(oidc.CABundle, "") != "" {
		out.oidcCA = &file{dir: dirOIDC, secret: true, object: pod.Secret("kube-apiserver-oidc-cabundle", v.Namespace, map[string][]byte{keyOIDCCA: []byte(*oidc.CABundle)})}
	}
	if out.authorization, out.authorizers, err = authorizationFiles(v); err != nil {
		return out, err
	}
	if v.Egress != nil || v.Authorization != nil {
		document, err := egressConfiguration(v.Egress)
		if err != nil {
			return out, fmt.Errorf("encode egress selector configuration: %w", err)
		}
		out.egress = &file{dir: dirEgress, object: pod.ConfigMap("kube-apiserver-egress-selector-config", v.Namespace, map[string]string{keyEgress: string(document)})}
	}
	if v.TokenWebhook != nil {
		out.tokenWebhook = &file{dir: dirTokenWebhook, secret: true, object: pod.Secret("kube-apiserver-token-webhook", v.Namespace, map[string][]byte{keyTokenWebhook: v.TokenWebhook.Kubeconfig})}
	}
	out.admission, out.pluginKubeconfigs, err = admissionFiles(v)
	return out, err
}
