package container

import (
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	prefix = "machine.local.provider.extensions.gardener.cloud/"

	// Label of every order; its value is LabelValue.
	Label, LabelValue = prefix + "runtime", "container"
	// Finalizer of an order. It stays until the container is gone.
	Finalizer = prefix + "container"
	// ReportAnnotation holds the host's report.
	ReportAnnotation = prefix + "report"
	// StartAnnotation asks the host to start a stopped container. Each new value is one request, and reports repeat the
	// value.
	StartAnnotation = prefix + "start"

	// ReleasedAnnotation says that the machine of an order that is deleted goes on without it, for another seed.
	ReleasedAnnotation = prefix + "released"

	// SecretType of orders.
	SecretType corev1.SecretType = prefix + "container"

	secretPrefix                                                        = "machine-"
	keyMachine, keyClass, keyNode, keyProviderID, keyImage, keyUserData = "machine", "class", "node", "providerID", "image", "userdata"
)

// Order is what the host needs to make a machine. It never changes after it was written.
type Order struct {
	// Namespace and Machine name the Machine, Class its MachineClass.
	Namespace, Machine, Class string
	// Node is the name of the node, ProviderID the provider ID of the node.
	Node, ProviderID string
	// Image of the container.
	Image string
	// UserData is the document that the machine boots from.
	UserData []byte
}

// Key is the key of the Secret of a Machine.
func Key(namespace, machine string) (string, string) { return namespace, secretPrefix + machine }

// Secret is the order as a Secret.
func (o Order) Secret() *corev1.Secret {
	namespace, name := Key(o.Namespace, o.Machine)
	immutable := true
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: name, Labels: map[string]string{Label: LabelValue}, Finalizers: []string{Finalizer},
		},
		Type:      SecretType,
		Immutable: &immutable,
		Data: map[string][]byte{
			keyMachine: []byte(o.Machine), keyClass: []byte(o.Class), keyNode: []byte(o.Node), keyProviderID: []byte(o.ProviderID),
			keyImage: []byte(o.Image), keyUserData: o.UserData,
		},
	}
}

// OrderOf reads an order. All of its fields are required.
func OrderOf(secret *corev1.Secret) (Order, error) {
	for _, key := range []string{keyMachine, keyClass, keyNode, keyProviderID, keyImage, keyUserData} {
		if len(secret.Data[key]) == 0 {
			return Order{}, fmt.Errorf("order %s/%s has no %s", secret.Namespace, secret.Name, key)
		}
	}
	text := func(key string) string { return string(secret.Data[key]) }
	return Order{
		Namespace: secret.Namespace, Machine: text(keyMachine), Class: text(keyClass), Node: text(keyNode),
		ProviderID: text(keyProviderID), Image: text(keyImage), UserData: secret.Data[keyUserData],
	}, nil
}

// Released reports whether the machine of an order goes on when the order is deleted.
func Released(order metav1.Object) bool { return order.GetAnnotations()[ReleasedAnnotation] == "true" }

// State of a machine.
type State string

// States in the order in which a machine passes through them. A report without a state has not been written yet.
const (
	// Making means that the container is being made or has not booted yet.
	Making State = "Making"
	// Running means that the machine was told to boot. Its node appears later.
	Running State = "Running"
	// Stopped means that the container exists and does not run.
	Stopped State = "Stopped"
	// Gone means that the container no longer exists. The machine will not come back.
	Gone State = "Gone"
)

// Report is the host's report about a machine.
type Report struct {
	State State `json:"state,omitempty"`
	// Message is the last error; empty if there was none.
	Message string `json:"message,omitempty"`
	// Container is the container's name, ContainerID its ID in the engine.
	Container   string `json:"container,omitempty"`
	ContainerID string `json:"containerID,omitempty"`
	// IP of the machine on the engine's network.
	IP string `json:"ip,omitempty"`
	// Start repeats the last request of StartAnnotation that was carried out.
	Start string `json:"start,omitempty"`
	// Memory is for the host itself.
	Memory json.RawMessage `json:"memory,omitempty"`
}

// ReportOf reads the report. An unreadable report counts as none.
func ReportOf(object metav1.Object) Report {
	report := Report{}
	if err := json.Unmarshal([]byte(object.GetAnnotations()[ReportAnnotation]), &report); err != nil {
		return Report{}
	}
	return report
}

// Encode is the value of the annotation.
func (r Report) Encode() string {
	data, err := json.Marshal(r)
	if err != nil {
		panic(fmt.Sprintf("encode report: %v", err)) // the type always encodes
	}
	return string(data)
}
