package bootstrap

import (
	"context"
	"crypto/x509"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// The ConfigMap in which the garden publishes its authorities, in every namespace. During a rotation it has the former and the new one.
const rootNamespace, rootName, rootKey = metav1.NamespacePublic, "kube-root-ca.crt", "ca.crt"

// authorities are those that the garden publishes. A garden that does not tell them is trusted as before.
func authorities(ctx context.Context, garden Garden, cert, key []byte) []byte {
	published, err := publishedBy(ctx, garden, cert, key)
	if err != nil {
		log.FromContext(ctx).Info("The garden does not tell its authorities, so the known ones are kept", "reason", err.Error())
		return garden.CA
	}
	return published
}

func publishedBy(ctx context.Context, garden Garden, cert, key []byte) ([]byte, error) {
	access, err := newCredential(garden, cert, key)
	if err != nil {
		return nil, err
	}
	client, err := kubernetes.NewForConfig(access.config())
	if err != nil {
		return nil, err
	}
	root, err := client.CoreV1().ConfigMaps(rootNamespace).Get(ctx, rootName, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	ca := []byte(root.Data[rootKey])
	if !x509.NewCertPool().AppendCertsFromPEM(ca) {
		return nil, errors.New("the ConfigMap kube-root-ca.crt has no certificate")
	}
	return ca, nil
}
