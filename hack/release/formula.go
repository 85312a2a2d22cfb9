package main

import (
	"io"
	"strings"
	"text/template"
)

// formula installs the archive of an architecture. Homebrew runs on Linux, too, and this binary runs nowhere else.
var formula = template.Must(template.New("formula").Parse(`class {{.Class}} < Formula
  desc "{{.Description}}"
  homepage "{{.Homepage}}"
  version "{{.Version}}"
  license "{{.License}}"

  depends_on :linux
{{range .Archives}}
  on_{{.Processor}} do
    url "{{.URL}}"
    sha256 "{{.Digest}}"
  end
{{end}}
  def install
    bin.install "{{.Name}}"
    man1.install Dir["man1/*.1.gz"]
    bash_completion.install "completions/bash/{{.Name}}"
    fish_completion.install "completions/fish/{{.Name}}.fish"
    zsh_completion.install "completions/zsh/_{{.Name}}"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/{{.Name}} version")
  end
end
`))

// processors is how Homebrew names architectures.
var processors = map[string]string{"amd64": "intel", "arm64": "arm"}

func (r *release) writeFormula(programs []program) error {
	type archive struct{ Processor, URL, Digest string }
	var archives []archive
	for _, p := range programs {
		name := r.archiveName(p.Architecture) + ".tar.gz"
		digest, err := digestOf(r.file(name))
		if err != nil {
			return err
		}
		archives = append(archives, archive{processors[p.Architecture], r.Downloads + "/" + name, digest})
	}
	return create(r.file(r.Name+".rb"), func(w io.Writer) error {
		return formula.Execute(w, map[string]any{
			"Class": strings.ToUpper(r.Name[:1]) + r.Name[1:], "Name": r.Name, "Description": r.Description, "Homepage": r.Homepage,
			"License": r.License, "Version": strings.TrimPrefix(r.Version, "v"), "Archives": archives,
		})
	})
}
