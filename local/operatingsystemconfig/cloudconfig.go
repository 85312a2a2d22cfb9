package operatingsystemconfig

import (
	"path"

	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/local/userdata"
)

// unitDir is where systemd looks for units first.
const unitDir = "/etc/systemd/system"

// unitMode is the mode of the files of units.
const unitMode = 0o644

// cloudInit is the document of cloud-init. CoreOS has units of its own in it.
type cloudInit struct {
	WriteFiles []cloudFile `json:"write_files,omitempty"`
	RunCommand [][]string  `json:"runcmd,omitempty"`
	CoreOS     *coreosPart `json:"coreos,omitempty"`
}

type cloudFile struct {
	Path        string `json:"path"`
	Permissions string `json:"permissions"`
	Encoding    string `json:"encoding,omitempty"`
	Content     string `json:"content"`
}

type coreosPart struct {
	Units []coreosUnit `json:"units,omitempty"`
}

type coreosUnit struct {
	Name    string         `json:"name"`
	Command string         `json:"command,omitempty"`
	Enable  bool           `json:"enable,omitempty"`
	Content string         `json:"content,omitempty"`
	DropIns []coreosDropIn `json:"drop-ins,omitempty"`
}

type coreosDropIn struct {
	Name    string `json:"name"`
	Content string `json:"content"`
}

// coreosConfig lists units beside files. coreos-cloudinit writes, enables and starts them.
func coreosConfig(d userdata.Document) ([]byte, error) {
	out := cloudInit{WriteFiles: cloudFiles(d.Files), CoreOS: &coreosPart{}}
	for _, unit := range d.Units {
		rendered := coreosUnit{Name: unit.Name, Command: unit.Command, Enable: unit.Enable != nil && *unit.Enable, Content: unit.Content}
		for _, d := range unit.DropIns {
			rendered.DropIns = append(rendered.DropIns, coreosDropIn(d))
		}
		out.CoreOS.Units = append(out.CoreOS.Units, rendered)
	}
	return out.encode()
}

// cloudConfig has the units among the files. When a machine boots, cloud-init runs the commands for them, too; the command that reloads only writes
// the files.
func cloudConfig(d userdata.Document) ([]byte, error) {
	out := cloudInit{WriteFiles: cloudFiles(append(d.Files, unitFiles(d.Units)...))}
	for _, command := range unitCommands(d.Units) {
		out.RunCommand = append(out.RunCommand, append([]string{"systemctl"}, command...))
	}
	return out.encode()
}

func (c cloudInit) encode() ([]byte, error) {
	data, err := yaml.Marshal(c)
	return append([]byte("#cloud-config\n"), data...), err
}

func cloudFiles(files []userdata.File) []cloudFile {
	var out []cloudFile
	for _, file := range files {
		out = append(out, cloudFile{Path: file.Path, Permissions: file.Mode, Encoding: file.Encoding, Content: file.Content})
	}
	return out
}

// unitFiles are the files that make the units.
func unitFiles(units []userdata.Unit) []userdata.File {
	var out []userdata.File
	for _, unit := range units {
		file := path.Join(unitDir, unit.Name)
		if unit.Content != "" {
			out = append(out, userdata.NewFile(file, unitMode, []byte(unit.Content)))
		}
		for _, dropIn := range unit.DropIns {
			out = append(out, userdata.NewFile(path.Join(file+".d", dropIn.Name), unitMode, []byte(dropIn.Content)))
		}
	}
	return out
}

// unitCommands are the arguments of systemctl that make the units run as wanted.
func unitCommands(units []userdata.Unit) [][]string {
	out := [][]string{{"daemon-reload"}}
	for _, unit := range units {
		if unit.Enable != nil {
			out = append(out, []string{map[bool]string{true: "enable", false: "disable"}[*unit.Enable], unit.Name})
		}
		if unit.Command != "" {
			out = append(out, []string{unit.Command, unit.Name})
		}
	}
	return out
}
