package storagelimit

import (
	"context"
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
)

// chain counts what reaches the admission behind the guard.
type chain struct{ admitted, validated int }

func (c *chain) Handles(admission.Operation) bool { return true }
func (c *chain) Admit(context.Context, admission.Attributes, admission.ObjectInterfaces) error {
	c.admitted++
	return nil
}
func (c *chain) Validate(context.Context, admission.Attributes, admission.ObjectInterfaces) error {
	c.validated++
	return nil
}

func configMap(text string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-dev", Name: "a"}, Data: map[string]string{"text": text}}
}

func TestFullStorage(t *testing.T) {
	alice := &user.DefaultInfo{Name: "alice", Groups: []string{"system:authenticated"}}
	finalized, freed := configMap("text"), configMap("text")
	finalized.Finalizers = []string{"example.org/keep"}
	freed.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: strings.Repeat("m", 100)}}
	longer, shorter := configMap("much longer text"), configMap("")
	confirmed, longConfirmed := configMap("text"), configMap("text")
	confirmed.Annotations = map[string]string{"confirmation.gardener.cloud/deletion": "true"}
	longConfirmed.Annotations = map[string]string{"confirmation.gardener.cloud/deletion": strings.Repeat("x", 100)}
	configMaps, tokenReviews := schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, schema.GroupVersionResource{Group: "authentication.k8s.io", Version: "v1", Resource: "tokenreviews"}
	for name, tc := range map[string]struct {
		user        user.Info
		operation   admission.Operation
		resource    schema.GroupVersionResource
		subresource string
		old, new    runtime.Object
		dryRun      bool
		refused     bool
	}{
		"APP-5 users create nothing":                          {operation: admission.Create, new: longer, refused: true},
		"APP-5 users make nothing larger":                     {operation: admission.Update, old: shorter, new: longer, refused: true},
		"APP-5 users make nothing larger by a status":         {operation: admission.Update, subresource: "status", old: shorter, new: longer, refused: true},
		"APP-5 users make objects smaller":                    {operation: admission.Update, old: longer, new: shorter},
		"APP-5 users remove finalizers":                       {operation: admission.Update, old: finalized, new: freed},
		"APP-5 users confirm deletions":                       {operation: admission.Update, old: configMap("text"), new: confirmed},
		"APP-5 users store nothing in a confirmation":         {operation: admission.Update, old: configMap("text"), new: longConfirmed, refused: true},
		"APP-5 users delete":                                  {operation: admission.Delete, old: longer},
		"users open streams":                                  {operation: admission.Connect},
		"users ask for tokens":                                {operation: admission.Create, subresource: "token", new: longer},
		"users ask for reviews":                               {operation: admission.Create, resource: tokenReviews, new: longer},
		"users try":                                           {operation: admission.Create, new: longer, dryRun: true},
		"APP-5 service accounts of users create nothing":      {user: &user.DefaultInfo{Name: "system:serviceaccount:garden-dev:robot", Groups: []string{"system:serviceaccounts", "system:serviceaccounts:garden-dev"}}, operation: admission.Create, new: longer, refused: true},
		"APP-5 strangers create nothing":                      {user: &user.DefaultInfo{Name: "system:anonymous"}, operation: admission.Create, new: longer, refused: true},
		"APP-5 components of Kubernetes write":                {user: &user.DefaultInfo{Name: "system:kube-controller-manager"}, operation: admission.Create, new: longer},
		"APP-5 controllers of Kubernetes write":               {user: &user.DefaultInfo{Name: "system:serviceaccount:kube-system:job-controller", Groups: []string{"system:serviceaccounts:kube-system"}}, operation: admission.Create, new: longer},
		"APP-5 nodes write":                                   {user: &user.DefaultInfo{Name: "system:node:a", Groups: []string{"system:nodes"}}, operation: admission.Update, old: shorter, new: longer},
		"APP-5 gardenlets write":                              {user: &user.DefaultInfo{Name: "gardener.cloud:system:seed:local", Groups: []string{"gardener.cloud:system:seeds"}}, operation: admission.Update, old: shorter, new: longer},
		"APP-5 the landscape itself and its operator write":   {user: &user.DefaultInfo{Name: "gardener.cloud:appliance", Groups: []string{"system:masters"}}, operation: admission.Create, new: longer},
		"APP-5 operators write":                               {user: &user.DefaultInfo{Name: "alice", Groups: []string{"operators"}}, operation: admission.Create, new: longer},
		"a name that only looks like a component does not do": {user: &user.DefaultInfo{Name: "gardener.cloud:appliance"}, operation: admission.Create, new: longer, refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			who, resource, behind := tc.user, tc.resource, &chain{}
			if who == nil {
				who = alice
			}
			if resource.Resource == "" {
				resource = configMaps
			}
			full := false
			guarded := Guard(behind, Limit{Operators: "operators", Full: func(namespace string, _ int64) error {
				if !full {
					return nil
				}
				return errors.New("about 80 % are used; delete something of " + namespace)
			}})
			attributes := admission.NewAttributesRecord(tc.new, tc.old, corev1.SchemeGroupVersion.WithKind("ConfigMap"), "garden-dev", "a", resource, tc.subresource, tc.operation, nil, tc.dryRun, who)
			if err := guarded.(admission.ValidationInterface).Validate(t.Context(), attributes, nil); err != nil || behind.validated != 1 {
				t.Fatalf("with room: %v, %d calls", err, behind.validated)
			}
			full = true
			err := guarded.(admission.ValidationInterface).Validate(t.Context(), attributes, nil)
			if refused := apierrors.ReasonForError(err) == Reason; refused != tc.refused || err != nil != tc.refused {
				t.Fatalf("error = %v", err)
			}
			if tc.refused && !strings.Contains(err.Error(), "delete something of garden-dev") {
				t.Errorf("error = %v", err)
			}
			if err := guarded.(admission.MutationInterface).Admit(t.Context(), attributes, nil); err != nil || behind.admitted != 1 {
				t.Errorf("admit: %v, %d calls", err, behind.admitted)
			}
		})
	}
}

// TestGrowth tells the storage by how much requests enlarge it, so that it can share out the room.
func TestGrowth(t *testing.T) {
	alice := &user.DefaultInfo{Name: "alice"}
	for name, tc := range map[string]struct {
		operation admission.Operation
		old       runtime.Object
		want      int64 // as much as the text has, and 100 at most beside it
	}{
		"APP-5 a creation counts as a whole":      {operation: admission.Create, want: 1000},
		"APP-5 an update counts by what it adds":  {operation: admission.Update, old: configMap(strings.Repeat("x", 400)), want: 600},
		"APP-5 an update that removes is no more": {operation: admission.Update, old: configMap(strings.Repeat("x", 1500)), want: -500},
	} {
		t.Run(name, func(t *testing.T) {
			got := int64(0)
			guarded := Guard(nil, Limit{Full: func(namespace string, more int64) error {
				got += more
				return nil
			}})
			attributes := admission.NewAttributesRecord(configMap(strings.Repeat("x", 1000)), tc.old, corev1.SchemeGroupVersion.WithKind("ConfigMap"), "garden-dev", "a",
				schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, "", tc.operation, nil, false, alice)
			if err := guarded.(admission.ValidationInterface).Validate(t.Context(), attributes, nil); err != nil {
				t.Fatal(err)
			}
			if got < tc.want || got > tc.want+100 {
				t.Errorf("%d bytes", got)
			}
		})
	}
}

func TestFullDisk(t *testing.T) {
	component := &user.DefaultInfo{Name: "system:kube-scheduler"}
	longer, shorter := configMap("much longer text"), configMap("")
	for name, tc := range map[string]struct {
		user      user.Info
		operation admission.Operation
		old, new  runtime.Object
		veryLow   bool
		refused   bool
	}{
		"users create nothing on a disk that is nearly full":     {operation: admission.Create, new: longer, refused: true},
		"users delete on a disk that is nearly full":             {operation: admission.Delete, old: longer},
		"components create on a disk that is nearly full":        {user: component, operation: admission.Create, new: longer},
		"components create nothing on a full disk":               {user: component, operation: admission.Create, new: longer, veryLow: true, refused: true},
		"components renew leases on a full disk":                 {user: component, operation: admission.Update, old: longer, new: longer, veryLow: true},
		"components remove finalizers and fields on a full disk": {user: component, operation: admission.Update, old: longer, new: shorter, veryLow: true},
		"components delete on a full disk":                       {user: component, operation: admission.Delete, old: longer, veryLow: true},
	} {
		t.Run("APP-5 "+name, func(t *testing.T) {
			var who user.Info = &user.DefaultInfo{Name: "alice"}
			if tc.user != nil {
				who = tc.user
			}
			low := false
			guarded := Guard(&chain{}, Limit{Disk: func(essential bool) error {
				if low && (!essential || tc.veryLow) {
					return errors.New("only 5 MiB are free")
				}
				return nil
			}})
			attributes := admission.NewAttributesRecord(tc.new, tc.old, corev1.SchemeGroupVersion.WithKind("ConfigMap"), "garden-dev", "a",
				schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, "", tc.operation, nil, false, who)
			if err := guarded.(admission.ValidationInterface).Validate(t.Context(), attributes, nil); err != nil {
				t.Fatalf("with room: %v", err)
			}
			low = true
			err := guarded.(admission.ValidationInterface).Validate(t.Context(), attributes, nil)
			if refused := apierrors.ReasonForError(err) == Reason; refused != tc.refused || err != nil != tc.refused {
				t.Errorf("error = %v", err)
			}
		})
	}
}

func TestDiskOfEtcds(t *testing.T) {
	of := map[string]string{"configmaps": "main", "events": "events"}
	for name, tc := range map[string]struct {
		short    string // the etcd whose disk is short of room for users
		resource string
		user     user.Info
		refused  bool
	}{
		"users write nothing into an etcd whose disk is nearly full": {short: "main", resource: "configmaps", refused: true},
		"they write into another one":                                {short: "events", resource: "configmaps"},
		"the etcd of a resource counts":                              {short: "events", resource: "events", refused: true},
		"components go on":                                           {short: "main", resource: "configmaps", user: &user.DefaultInfo{Name: "system:kube-scheduler"}},
	} {
		t.Run("APP-5 "+name, func(t *testing.T) {
			guarded := Guard(&chain{}, Limit{Etcds: func(resource schema.GroupResource, essential bool) error {
				if of[resource.Resource] == tc.short && !essential {
					return errors.New("about 90 MiB are free")
				}
				return nil
			}})
			if tc.user == nil {
				tc.user = &user.DefaultInfo{Name: "alice"}
			}
			attributes := admission.NewAttributesRecord(configMap("text"), nil, schema.GroupVersionKind{Kind: "ConfigMap"}, "garden-dev", "a",
				schema.GroupVersionResource{Version: "v1", Resource: tc.resource}, "", admission.Create, nil, false, tc.user)
			err := guarded.(admission.ValidationInterface).Validate(t.Context(), attributes, nil)
			if (err != nil) != tc.refused {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestNoLimit(t *testing.T) {
	behind := &chain{}
	if Guard(behind, Limit{}) != admission.Interface(behind) {
		t.Error("an API server without a limit has a guard")
	}
}
