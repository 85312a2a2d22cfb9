package extensionvalidation

import (
	"net"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

func ingressRanges(spec map[string]any, report func(string, ...any)) {
	for i, entry := range list(spec, "ingress") {
		block, _ := entry["ipBlock"].(map[string]any)
		if cidr := text(block, "cidr"); !isRange(cidr) {
			report("spec.ingress[%d].ipBlock.cidr %q is not a range of addresses", i, cidr)
		}
	}
}

func networkRanges(spec map[string]any, report func(string, ...any)) {
	for _, key := range []string{"podCIDR", "serviceCIDR"} {
		for _, cidr := range strings.Split(text(spec, key), ",") {
			if !isRange(cidr) {
				report("spec.%s %q is not a range of addresses", key, cidr)
			}
		}
	}
}

func recordName(spec map[string]any, report func(string, ...any)) {
	name := strings.TrimPrefix(text(spec, "name"), "*.")
	if problems := validation.IsDNS1123Subdomain(name); len(problems) > 0 && text(spec, "recordType") != "TXT" {
		report("spec.name %q is not a domain name", name)
	}
}

// recordValues depend on the type of the record: addresses of its family, one other name, or any text.
func recordValues(spec map[string]any, report func(string, ...any)) {
	values, _ := spec["values"].([]any)
	kind := text(spec, "recordType")
	if kind == "CNAME" && len(values) > 1 {
		report("spec.values has %d entries, a CNAME has one", len(values))
	}
	for i, value := range values {
		value, _ := value.(string)
		ip := net.ParseIP(value)
		var good bool
		switch kind {
		case "A":
			good = ip != nil && ip.To4() != nil
		case "AAAA":
			good = ip != nil && ip.To4() == nil
		case "CNAME":
			good = len(validation.IsDNS1123Subdomain(strings.TrimSuffix(value, "."))) == 0
		case "TXT":
			good = value != ""
		default:
			report("spec.recordType %q is not one of A, AAAA, CNAME, TXT", kind)
			return
		}
		if !good {
			report("spec.values[%d] %q is not a value of a record of type %s", i, value, kind)
		}
	}
}

func units(spec map[string]any, report func(string, ...any)) {
	unique(list(spec, "units"), "name", "spec.units", report)
}

func files(spec map[string]any, report func(string, ...any)) {
	entries := list(spec, "files")
	unique(entries, "path", "spec.files", report)
	for i, file := range entries {
		if name := text(file, "path"); name != "" && !path.IsAbs(name) {
			report("spec.files[%d].path %q is not absolute", i, name)
		}
		content, _ := file["content"].(map[string]any)
		sources := 0
		for _, key := range []string{"inline", "secretRef", "imageRef"} {
			if content[key] != nil {
				sources++
			}
		}
		if sources != 1 {
			report("spec.files[%d].content has %d of inline, secretRef and imageRef instead of one", i, sources)
		}
	}
}

func pools(spec map[string]any, report func(string, ...any)) {
	entries := list(spec, "pools")
	unique(entries, "name", "spec.pools", report)
	for i, pool := range entries {
		if text(pool, "machineType") == "" {
			report("spec.pools[%d].machineType is missing", i)
		}
		minimum, _ := pool["minimum"].(int64)
		maximum, _ := pool["maximum"].(int64)
		if minimum < 0 || minimum > maximum {
			report("spec.pools[%d] has between %d and %d machines", i, minimum, maximum)
		}
	}
}

func unique(entries []map[string]any, key, where string, report func(string, ...any)) {
	var seen []string
	for i, entry := range entries {
		switch name := text(entry, key); {
		case name == "":
			report("%s[%d].%s is missing", where, i, key)
		case slices.Contains(seen, name):
			report("%s[%d].%s %q is there twice", where, i, key, name)
		default:
			seen = append(seen, name)
		}
	}
}

func isRange(cidr string) bool {
	_, _, err := net.ParseCIDR(cidr)
	return err == nil
}

func text(object map[string]any, key string) string {
	value, _ := object[key].(string)
	return value
}

func list(object map[string]any, key string) []map[string]any {
	items, _ := object[key].([]any)
	var entries []map[string]any
	for _, item := range items {
		entry, _ := item.(map[string]any)
		entries = append(entries, entry)
	}
	return entries
}
