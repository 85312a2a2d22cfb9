package config

import "testing"

func TestMissingImages(t *testing.T) {
	for name, tc := range map[string]struct {
		set                string
		missing            *bool
		containers         string
		simulatesIfMissing bool
	}{
		"auto is the default and simulates what is missing": {"", nil, ContainersAuto, true},
		"sandbox does not":                          {ContainersSandbox, nil, ContainersSandbox, false},
		"unless somebody wants it":                  {ContainersSandbox, new(true), ContainersSandbox, true},
		"auto does not, either, if nobody wants it": {ContainersAuto, new(false), ContainersAuto, false},
	} {
		t.Run("APP-17 "+name, func(t *testing.T) {
			l, err := Load("", func(l *Landscape) { l.Containers, l.SimulateMissingImages = tc.set, tc.missing })
			if err != nil {
				t.Fatal(err)
			}
			if l.Containers != tc.containers || *l.SimulateMissingImages != tc.simulatesIfMissing {
				t.Errorf("containers: %s, simulateMissingImages: %t", l.Containers, *l.SimulateMissingImages)
			}
		})
	}
	if _, err := Load("", func(l *Landscape) { l.Containers = "docker" }); err == nil {
		t.Error("APP-17 an unknown value is accepted")
	}
}
