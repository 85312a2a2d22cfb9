// Package spdx lists what a Go binary is made of, in the format of SPDX 2.3. It takes everything from what the compiler wrote into the
// binary.
package spdx

import (
	"fmt"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
)

const (
	unknown   = "NOASSERTION"
	documents = "SPDXRef-DOCUMENT"
)

// Document is a list of packages and of how they belong together.
type Document struct {
	Version           string         `json:"spdxVersion"`
	DataLicense       string         `json:"dataLicense"`
	ID                string         `json:"SPDXID"`
	Name              string         `json:"name"`
	Namespace         string         `json:"documentNamespace"`
	CreationInfo      CreationInfo   `json:"creationInfo"`
	Packages          []Package      `json:"packages"`
	Relationships     []Relationship `json:"relationships"`
	DocumentDescribes []string       `json:"documentDescribes"`
}

// CreationInfo says who made the document, and when.
type CreationInfo struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

// Package is a program or a module.
type Package struct {
	ID               string        `json:"SPDXID"`
	Name             string        `json:"name"`
	VersionInfo      string        `json:"versionInfo,omitempty"`
	DownloadLocation string        `json:"downloadLocation"`
	FilesAnalyzed    bool          `json:"filesAnalyzed"`
	LicenseConcluded string        `json:"licenseConcluded"`
	LicenseDeclared  string        `json:"licenseDeclared"`
	CopyrightText    string        `json:"copyrightText"`
	SourceInfo       string        `json:"sourceInfo,omitempty"`
	Checksums        []Checksum    `json:"checksums,omitempty"`
	ExternalRefs     []ExternalRef `json:"externalRefs,omitempty"`
}

// Checksum is that of a file.
type Checksum struct {
	Algorithm string `json:"algorithm"`
	Value     string `json:"checksumValue"`
}

// ExternalRef is a name of a package elsewhere.
type ExternalRef struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

// Relationship connects two elements.
type Relationship struct {
	Element string `json:"spdxElementId"`
	Type    string `json:"relationshipType"`
	Related string `json:"relatedSpdxElement"`
}

// Program is a binary.
type Program struct {
	Name, Version, License, Homepage string
	Digest                           string // SHA-256, in hexadecimal
	Info                             *debug.BuildInfo
}

// New describes a binary. The same binary always has the same description.
func New(p Program, created string) *Document {
	main := reference(p.Name)
	d := &Document{
		Version: "SPDX-2.3", DataLicense: "CC0-1.0", ID: documents, Name: p.Name + "-" + p.Version,
		Namespace:    p.Homepage + "/spdx/" + p.Digest,
		CreationInfo: CreationInfo{Created: created, Creators: []string{"Tool: hack/release"}},
		Packages: []Package{{
			ID: main, Name: p.Name, VersionInfo: p.Version, DownloadLocation: unknown, LicenseConcluded: p.License, LicenseDeclared: p.License,
			CopyrightText: unknown, Checksums: []Checksum{{"SHA256", p.Digest}},
		}},
		Relationships:     []Relationship{{documents, "DESCRIBES", main}},
		DocumentDescribes: []string{main},
	}
	d.contain(main, p.Info)
	return d
}

// Embed adds a program that the binary holds as a file.
func (d *Document) Embed(name string, info *debug.BuildInfo) {
	id := reference(name)
	d.add(Package{ID: id, Name: name, DownloadLocation: unknown, LicenseConcluded: unknown, LicenseDeclared: unknown, CopyrightText: unknown})
	d.relate(d.DocumentDescribes[0], id)
	d.contain(id, info)
}

// contain adds the modules that are linked into a program, and the library of Go.
func (d *Document) contain(program string, info *debug.BuildInfo) {
	d.module(program, "stdlib", strings.TrimPrefix(info.GoVersion, "go"), "")
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		if module.Version == "" {
			continue // a directory of this repository
		}
		d.module(program, module.Path, module.Version, module.Sum)
	}
}

func (d *Document) module(program, path, version, sum string) {
	p := Package{
		ID: reference(path + "-" + version), Name: path, VersionInfo: version, DownloadLocation: unknown, LicenseConcluded: unknown, LicenseDeclared: unknown,
		CopyrightText: unknown, ExternalRefs: []ExternalRef{{"PACKAGE-MANAGER", "purl", fmt.Sprintf("pkg:golang/%s@%s", path, version)}},
	}
	if sum != "" {
		p.SourceInfo = "go.sum " + sum
	}
	d.add(p)
	d.relate(program, p.ID)
}

// add adds a package once: programs share modules.
func (d *Document) add(p Package) {
	if !slices.ContainsFunc(d.Packages, func(other Package) bool { return other.ID == p.ID }) {
		d.Packages = append(d.Packages, p)
	}
}

func (d *Document) relate(whole, part string) {
	d.Relationships = append(d.Relationships, Relationship{whole, "CONTAINS", part})
}

var refused = regexp.MustCompile(`[^A-Za-z0-9.-]`)

// reference is an identifier of SPDX, which has letters, digits, dots and hyphens.
func reference(name string) string { return "SPDXRef-" + refused.ReplaceAllString(name, "-") }
