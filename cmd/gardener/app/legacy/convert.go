package legacy

import (
	"encoding/json"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	strictjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

const (
	legacyGroup = "garden.sapcloud.io/v1beta1"
	firstCore   = "core.gardener.cloud/v1alpha1"
)

var (
	target = core.SchemeGroupVersion.String()
	types  = func() *runtime.Scheme {
		scheme := runtime.NewScheme()
		if err := core.AddToScheme(scheme); err != nil {
			panic(err) // the types of this binary
		}
		return scheme
	}()
)

// Options of a conversion.
type Options struct {
	// ProviderType is the provider type of Seeds and SecretBindings that do not name one.
	ProviderType string
	// Drop lists paths of fields, such as spec.addons.heapster, that are dropped from all objects.
	Drop []string
}

// Result holds the converted objects.
type Result struct {
	Objects []map[string]any
	Notes   []string // what was left out and why, each with its object
}

// Convert converts objects, which may refer to each other. Objects of other groups stay as they are. The error names every field
// that cannot be converted, with its object and path. Convert returns no result together with an error.
func Convert(objects []map[string]any, options Options) (*Result, error) {
	c := &converter{options: options, profiles: map[string]string{}, bindings: map[string]string{}, seeds: map[string]document{}, made: map[string]bool{}}
	objects = slices.Clone(objects)
	for i := range objects {
		objects[i] = runtime.DeepCopyJSON(objects[i])
		drop(objects[i], options.Drop)
		c.index(objects[i])
	}
	result, all := &Result{}, &Mistakes{}
	for _, one := range objects {
		name := nameOf(one)
		r := &run{}
		converted := c.object(r, one)
		r.leftovers()
		for _, note := range r.notes {
			result.Notes = append(result.Notes, name+": "+note)
		}
		var mistakes []string
		for _, err := range r.errs {
			mistakes = append(mistakes, err.Error())
		}
		if len(mistakes) == 0 {
			mistakes = check(converted)
		}
		for _, one := range mistakes {
			all.All = append(all.All, name+": "+one)
		}
		result.Objects = append(result.Objects, converted...)
	}
	if len(all.All) > 0 {
		return nil, all
	}
	return result, nil
}

// Mistakes lists all reasons why objects cannot be converted.
type Mistakes struct{ All []string }

// Error has one line for each mistake.
func (m *Mistakes) Error() string {
	text := "not everything can be converted:"
	for _, one := range m.All {
		text += "\n  " + one
	}
	return text
}

// object returns what an object becomes.
func (c *converter) object(r *run, object document) []map[string]any {
	version, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	n := r.node(object, nil)
	switch version {
	case legacyGroup:
		if convert, known := map[string]func(node, document) []document{
			"Project": projectFields, "Quota": quotaFields, "SecretBinding": c.bindingFields, "BackupInfrastructure": c.backupFields,
			"Seed": c.seedFields, "CloudProfile": c.profileFields, "Shoot": c.shootFields,
		}[kind]; known {
			return c.converted(n, kind, convert)
		}
		r.errs = append(r.errs, field.NotSupported(field.NewPath("kind"), kind, []string{"BackupInfrastructure", "CloudProfile", "Project", "Quota", "SecretBinding", "Seed", "Shoot"}))
		clear(object)
		return nil
	case firstCore, target:
		return c.converted(n, kind, newFields)
	default:
		same := runtime.DeepCopyJSON(object)
		clear(object)
		return []document{same}
	}
}

// converted writes what all objects have, and lets convert write the rest; it may add objects that come first.
func (c *converter) converted(n node, kind string, convert func(node, document) []document) []document {
	n.take("apiVersion")
	n.take("kind")
	n.leaveOut("status", "servers write it")
	out := document{"apiVersion": target, "kind": kind, "metadata": metadata(n.part("metadata"))}
	return append(convert(n, out), out)
}

// check decodes the results strictly, so that what was carried over as it is has no unknown fields either.
func check(objects []document) []string {
	var mistakes []string
	for _, one := range objects {
		version, _ := one["apiVersion"].(string)
		kind, _ := one["kind"].(string)
		if version != target {
			continue
		}
		typed, err := types.New(core.SchemeGroupVersion.WithKind(kind))
		if err != nil {
			return append(mistakes, fmt.Sprintf("kind %s is not known", kind))
		}
		raw, err := json.Marshal(one)
		if err != nil {
			return append(mistakes, err.Error())
		}
		strict, err := strictjson.UnmarshalStrict(raw, typed)
		if err != nil {
			strict = append(strict, err)
		}
		for _, mistake := range strict {
			mistakes = append(mistakes, mistake.Error())
		}
	}
	return mistakes
}

func nameOf(object document) string {
	kind, _ := object["kind"].(string)
	meta, _ := object["metadata"].(document)
	name, _ := meta["name"].(string)
	if namespace, _ := meta["namespace"].(string); namespace != "" {
		name = namespace + "/" + name
	}
	return kind + " " + name
}

// YAML returns the objects as YAML documents.
func (r *Result) YAML() ([]byte, error) {
	var out []byte
	for _, one := range r.Objects {
		raw, err := yaml.Marshal(one)
		if err != nil {
			return nil, fmt.Errorf("encode %s: %w", nameOf(one), err)
		}
		out = append(append(out, "---\n"...), raw...)
	}
	return out, nil
}
