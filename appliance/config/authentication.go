package config

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/apis/apiserver"
	"k8s.io/apiserver/pkg/apis/apiserver/install"
	"k8s.io/apiserver/pkg/apis/apiserver/validation"
	authenticationcel "k8s.io/apiserver/pkg/authentication/cel"
)

// readAuthentication reports what kube-apiserver would refuse, before it starts.
func readAuthentication(file string) error {
	data, err := readFile(file)
	if err != nil {
		return err
	}
	scheme := runtime.NewScheme()
	install.Install(scheme)
	out := &apiserver.AuthenticationConfiguration{}
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDecoder(apiserver.SchemeGroupVersion)
	if err := runtime.DecodeInto(decoder, data, out); err != nil {
		return err
	}
	return validation.ValidateAuthenticationConfiguration(authenticationcel.NewDefaultCompiler(), out, nil).ToAggregate()
}
