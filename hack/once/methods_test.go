package once

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mostMethods is how many methods a type may have in rooms where types grew until everything hung on one of them.
const mostMethods = 25

var (
	smallTypes = []string{"appliance/", "controllers/gardenlet/shoot/", "controllers/resourcemanager/", "embedded/imagestore/"}
	method     = regexp.MustCompile(`(?m)^func \((?:\w+ )?\*?(\w+)(?:\[[^\]]*\])?\) `)
)

func TestTypesStaySmall(t *testing.T) {
	counts := map[string]int{}
	for path, text := range sources(t) {
		for _, room := range smallTypes {
			if !strings.HasPrefix(path, room) || strings.HasSuffix(path, "_test.go") {
				continue
			}
			for _, found := range method.FindAllStringSubmatch(text, -1) {
				counts[filepath.Dir(path)+"."+found[1]]++
			}
		}
	}
	if counts["appliance/store.Store"] == 0 {
		t.Error("no method of appliance/store.Store is found: this rule cannot fail")
	}
	for name, count := range counts {
		if count > mostMethods {
			t.Errorf("%s has %d methods, more than %d: split it", name, count, mostMethods)
		}
	}
}
