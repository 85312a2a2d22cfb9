package seedrestriction_test

import (
	"encoding/json"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// FuzzHandler looks for bodies that end the process, and for a Seed or a Lease of another seed that passes.
func FuzzHandler(f *testing.F) {
	kinds := []struct{ group, version, kind, resource string }{
		{"", "v1", "Secret", "secrets"}, {"", "v1", "ConfigMap", "configmaps"}, {"", "v1", "Event", "events"}, {"events.k8s.io", "v1", "Event", "events"},
		{"coordination.k8s.io", "v1", "Lease", "leases"}, {"certificates.k8s.io", "v1", "CertificateSigningRequest", "certificatesigningrequests"},
		{"core.gardener.cloud", "v1beta1", "Seed", "seeds"}, {"core.gardener.cloud", "v1beta1", "Shoot", "shoots"},
		{"core.gardener.cloud", "v1beta1", "BackupBucket", "backupbuckets"}, {"core.gardener.cloud", "v1beta1", "BackupEntry", "backupentries"},
		{"core.gardener.cloud", "v1beta1", "ControllerInstallation", "controllerinstallations"}, {"core.gardener.cloud", "v1beta1", "ShootState", "shootstates"},
		{"core.gardener.cloud", "v1beta1", "InternalSecret", "internalsecrets"}, {"", "v1", "ServiceAccount", "serviceaccounts"}, {"", "v1", "Namespace", "namespaces"},
		{"rbac.authorization.k8s.io", "v1", "ClusterRoleBinding", "clusterrolebindings"}, {"operations.gardener.cloud", "v1alpha1", "Bastion", "bastions"},
		{"seedmanagement.gardener.cloud", "v1alpha1", "ManagedSeed", "managedseeds"}, {"seedmanagement.gardener.cloud", "v1alpha1", "Gardenlet", "gardenlets"},
	}
	operations := []admissionv1.Operation{admissionv1.Create, admissionv1.Update, admissionv1.Delete}
	for i, object := range []client.Object{
		secret("garden", "backup-b", nil), nil, nil, event("Shoot", "garden-b", "shoot"), nil, nil, seed("b", "garden/backup-b"), shoot("garden-b", "b", "x"),
		bucket("uid-b", "b", "backup-b"), entry("b", "uid-b"), nil, nil,
	} {
		text := []byte("{}")
		if object != nil {
			var err error
			if text, err = json.Marshal(object); err != nil {
				f.Fatal(err)
			}
		}
		for operation := range operations {
			f.Add(byte(i), byte(operation), "garden", "b", text, text)
		}
	}
	for kind := range kinds {
		for operation := range operations {
			f.Add(byte(kind), byte(operation), "garden", "b", []byte(nil), []byte(nil))
		}
	}
	f.Add(byte(6), byte(0), "", "b", []byte(`{"metadata":{"name":"b"}}`), []byte(nil))
	var checked *admission.Handler
	f.Fuzz(func(t *testing.T, kind, operation byte, namespace, name string, object, old []byte) {
		if checked == nil {
			var h admission.Handler = handler(t)
			checked = &h
		}
		of := kinds[int(kind)%len(kinds)]
		request := admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
			Kind:      metav1.GroupVersionKind{Group: of.group, Version: of.version, Kind: of.kind},
			Resource:  metav1.GroupVersionResource{Group: of.group, Version: of.version, Resource: of.resource},
			Operation: operations[int(operation)%len(operations)], Namespace: namespace, Name: name,
			UserInfo: authenticationv1.UserInfo{Username: user, Groups: []string{"gardener.cloud:system:seeds"}},
		}}
		if request.Operation != admissionv1.Delete {
			request.Object = runtime.RawExtension{Raw: object}
		}
		if request.Operation != admissionv1.Create {
			request.OldObject = runtime.RawExtension{Raw: old}
		}
		response := (*checked).Handle(t.Context(), request)
		if of.kind == "Seed" && request.Operation == admissionv1.Create && response.Allowed {
			made := struct{ Metadata struct{ Name string } }{}
			if err := json.Unmarshal(object, &made); err != nil || made.Metadata.Name != "a" {
				t.Errorf("allowed: %s (%v)", object, err)
			}
		}
	})
}
