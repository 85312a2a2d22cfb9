package redact

import (
	"regexp"
	"strings"
)

// LeftOut stands for a value that may contain secrets and is not needed.
const LeftOut = "[left out]"

var (
	// opaque are names of fields whose content only tenants and extensions know.
	opaque = regexp.MustCompile(`^(data|stringData|binaryData|providerConfig|infrastructureConfig|infrastructureProviderStatus|controlPlaneConfig|raw|inline|kubeconfig|userData|caBundle|content|values|clientConfig|auth)$`)
	// telling are names of fields with a secret.
	telling = regexp.MustCompile(`(?i)passw(or)?d|passphrase|token|secret|private-?key|client-key|credential|access-?key|api-?key`)
	// ours are the domains of annotations that this binary and Kubernetes write.
	ours = regexp.MustCompile(`(^|\.)(gardener\.cloud|kubernetes\.io|k8s\.io)/`)
)

// lastApplied contains the whole object as somebody applied it.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// Object takes out of an object, as decoded from JSON, what may contain secrets: values of variables, annotations of others,
// configuration of providers, and fields with telling names. It changes the object. Texts in it still need a Redactor.
func Object(object map[string]any) {
	delete(object, "data")
	if metadata, is := object["metadata"].(map[string]any); is {
		delete(metadata, "managedFields")
	}
	walk(object)
}

func walk(value any) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			walk(item)
		}
	case map[string]any:
		for name, item := range value {
			value[name] = visit(name, item)
		}
	}
}

// visit returns what is shown of a field.
func visit(name string, value any) any {
	switch typed := value.(type) {
	case string:
		if opaque.MatchString(name) || telling.MatchString(name) && !harmless.MatchString(name) {
			return LeftOut
		}
		return value
	case map[string]any:
		switch {
		case name == "annotations":
			annotations(typed)
			return typed
		case opaque.MatchString(name):
			return LeftOut
		}
	case []any:
		if name == "env" {
			variables(typed)
			return typed
		}
		if opaque.MatchString(name) && name != "values" { // of a selector
			return LeftOut
		}
	}
	walk(value)
	return value
}

func annotations(all map[string]any) {
	delete(all, lastApplied)
	for name := range all {
		if !ours.MatchString(name) || telling.MatchString(name) && !harmless.MatchString(name) || strings.Contains(name, "checksum") {
			all[name] = LeftOut
		}
	}
}

// variables leaves the names of environment variables and where they come from.
func variables(all []any) {
	for _, item := range all {
		if variable, is := item.(map[string]any); is {
			if _, has := variable["value"]; has {
				variable["value"] = LeftOut
			}
		}
	}
}
