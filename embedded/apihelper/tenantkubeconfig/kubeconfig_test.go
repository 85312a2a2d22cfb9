package tenantkubeconfig_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/gardener-up/gardener-up/embedded/apihelper/tenantkubeconfig"
)

const (
	head     = "apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n"
	clusters = "clusters: [{name: c, cluster: {server: 'https://example.org:6443'}}]\n"
	users    = "users: [{name: u, user: {token: topsecret}}]\n"
)

var refused = map[string]struct{ text, want string }{
	"something else":             {"{", "cannot be parsed"},
	"content of another kind":    {"apiVersion: v1\nkind: Secret\ndata: {a: topsecret}\n", "cannot be parsed"},
	"a token that is a list":     {head + clusters + "users: [{name: u, user: {token: [topsecret]}}]", "cannot be parsed"},
	"a program":                  {head + clusters + "users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: topsecret, interactiveMode: Never}}}]", `user "u" runs a program`},
	"a plugin":                   {head + clusters + "users: [{name: u, user: {auth-provider: {name: gcp}}}]", `user "u" runs a program`},
	"a file with a token":        {head + clusters + "users: [{name: u, user: {tokenFile: /topsecret}}]", `user "u" refers to a file`},
	"a file beside a token":      {head + clusters + "users: [{name: u, user: {token: topsecret, tokenFile: /etc/passwd}}]", `user "u" refers to a file`},
	"a file with a certificate":  {head + clusters + "users: [{name: u, user: {client-certificate: /topsecret}}]", `user "u" refers to a file`},
	"a file with a key":          {head + clusters + "users: [{name: u, user: {client-key: /topsecret}}]", `user "u" refers to a file`},
	"another user":               {head + clusters + "users: [{name: u, user: {token: topsecret, as: admin}}]", `user "u" impersonates`},
	"another UID":                {head + clusters + "users: [{name: u, user: {as-uid: topsecret}}]", `user "u" impersonates`},
	"other groups":               {head + clusters + "users: [{name: u, user: {as-groups: ['system:masters']}}]", `user "u" impersonates`},
	"extra values":               {head + clusters + "users: [{name: u, user: {as-user-extra: {a: [b]}}}]", `user "u" impersonates`},
	"a file with an authority":   {head + users + "clusters: [{name: c, cluster: {server: 'https://a', certificate-authority: /ca}}]", `cluster "c" refers to a file`},
	"a proxy":                    {head + users + "clusters: [{name: c, cluster: {server: 'https://a', proxy-url: 'http://127.0.0.1:1'}}]", `cluster "c" uses a proxy`},
	"a server that is a socket":  {head + users + "clusters: [{name: c, cluster: {server: 'unix:///run/docker.sock'}}]", `server of cluster "c"`},
	"a server that is a path":    {head + users + "clusters: [{name: c, cluster: {server: /run/docker.sock}}]", `server of cluster "c"`},
	"a server with a password":   {head + users + "clusters: [{name: c, cluster: {server: 'https://u:topsecret@a'}}]", `server of cluster "c"`},
	"a server with a query":      {head + users + "clusters: [{name: c, cluster: {server: 'https://a/?topsecret'}}]", `server of cluster "c"`},
	"a program of another user":  {head + clusters + "users: [{name: u, user: {token: topsecret}}, {name: v, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: sh, interactiveMode: Never}}}]", `user "v" runs a program`},
	"a proxy of another cluster": {head + users + "clusters: [{name: c, cluster: {server: 'https://a'}}, {name: d, cluster: {server: 'https://a', proxy-url: 'http://a'}}]", `cluster "d" uses a proxy`},
}

func TestParse(t *testing.T) {
	for name, tc := range refused {
		t.Run("GAC-2 it refuses "+name, func(t *testing.T) {
			err := tenantkubeconfig.Check([]byte(tc.text))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("error is %v, want one with %q", err, tc.want)
			}
			if strings.Contains(err.Error(), "topsecret") {
				t.Errorf("the error quotes the kubeconfig: %v", err)
			}
		})
	}
	t.Run("users alone are enough for admission plugins", func(t *testing.T) {
		if err := tenantkubeconfig.Check([]byte("apiVersion: v1\nkind: Config\nusers: [{name: '*', user: {token: t}}]\n")); err != nil {
			t.Error(err)
		}
	})
}

func TestRewrite(t *testing.T) {
	const more = "extensions: [{name: e, extension: {path: /etc/passwd}}]\npreferences: {colors: true}\nsomething: else\n"
	got, err := tenantkubeconfig.Rewrite([]byte(head + clusters + users + more))
	if err != nil {
		t.Fatal(err)
	}
	want := `apiVersion: v1
clusters:
- cluster:
    server: https://example.org:6443
  name: c
contexts:
- context:
    cluster: c
    user: u
  name: c
current-context: c
kind: Config
users:
- name: u
  user:
    token: topsecret
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("it keeps known fields only (-want +got):\n%s", diff)
	}
}

func TestRewriteKeepsCredentials(t *testing.T) {
	t.Run("GAC-2 embedded certificates, user names and passwords stay", func(t *testing.T) {
		const all = "users: [{name: u, user: {client-certificate-data: Y2VydA==, client-key-data: a2V5, username: somebody, password: topsecret}}]\n"
		got, err := tenantkubeconfig.Rewrite([]byte(head + clusters + all))
		if err != nil {
			t.Fatal(err)
		}
		config, err := clientcmd.Load(got)
		if err != nil {
			t.Fatal(err)
		}
		user := config.AuthInfos["u"]
		if string(user.ClientCertificateData) != "cert" || string(user.ClientKeyData) != "key" || user.Username != "somebody" || user.Password != "topsecret" {
			t.Errorf("the user is %+v", user)
		}
	})
}

func TestAccess(t *testing.T) {
	t.Run("it leads to the cluster of the current context without a proxy", func(t *testing.T) {
		t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
		access, err := tenantkubeconfig.Access([]byte(head + clusters + users))
		if err != nil {
			t.Fatal(err)
		}
		if access.Host != "https://example.org:6443" || access.BearerToken != "topsecret" {
			t.Errorf("access: host %q", access.Host)
		}
		request, _ := http.NewRequest(http.MethodGet, access.Host, nil)
		if access.Proxy == nil {
			t.Fatal("the environment chooses the proxy")
		}
		if proxy, err := access.Proxy(request); proxy != nil || err != nil {
			t.Errorf("proxy: %v, %v", proxy, err)
		}
	})
	for name, tc := range map[string]struct{ text, want string }{
		"no cluster": {"apiVersion: v1\nkind: Config\n", "names no cluster"},
		"no server":  {head + users + "clusters: [{name: c, cluster: {tls-server-name: a}}]\n", "not complete"},
		"no context": {"apiVersion: v1\nkind: Config\n" + users + clusters + "current-context: gone\n", "not complete"},
	} {
		t.Run("it refuses "+name, func(t *testing.T) {
			if _, err := tenantkubeconfig.Access([]byte(tc.text)); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error is %v, want one with %q", err, tc.want)
			}
		})
	}
}

func FuzzRewrite(f *testing.F) {
	f.Add([]byte(head + clusters + users))
	for _, tc := range refused {
		f.Add([]byte(tc.text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		once, err := tenantkubeconfig.Rewrite(text)
		if err != nil {
			return
		}
		parsed, err := clientcmd.Load(once)
		if err != nil {
			t.Fatalf("what is written cannot be read: %v", err)
		}
		for _, user := range parsed.AuthInfos {
			if user.Exec != nil || user.AuthProvider != nil || user.TokenFile+user.ClientKey+user.ClientCertificate+user.Impersonate != "" {
				t.Errorf("user %+v", user)
			}
		}
		for _, cluster := range parsed.Clusters {
			if cluster.CertificateAuthority+cluster.ProxyURL != "" {
				t.Errorf("cluster %+v", cluster)
			}
		}
		if twice, err := tenantkubeconfig.Rewrite(once); err != nil || !bytes.Equal(once, twice) {
			t.Errorf("written twice it differs: %v\n%s\n%s", err, once, twice)
		}
	})
}

func TestCheckData(t *testing.T) {
	const program = "users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: topsecret, interactiveMode: Never}}}]\n"
	for name, tc := range map[string]struct{ key, value, want string }{
		"the key kubeconfig must hold one":        {"kubeconfig", "[", "cannot be parsed"},
		"it may be empty":                         {"kubeconfig", "", ""},
		"other content of other keys passes":      {"a", "the users and clusters", ""},
		"another key":                             {"a", head + clusters + program, `in key "a" is not allowed: user "u" runs a program`},
		"no kind":                                 {"a", program, "runs a program"},
		"a repeated list":                         {"a", "users: []\n" + program, "runs a program"},
		"another case":                            {"a", head + "USERS: []\n" + program, "runs a program"},
		"a kind that is corrected later":          {"a", "kind: Other\nkind: Config\n" + program, "runs a program"},
		"a mark of the byte order":                {"a", "\xef\xbb\xbf" + head + program, "runs a program"},
		"JSON with a repeated list":               {"a", `{"users":[],"users":[{"name":"u","user":{"tokenFile":"/topsecret"}}]}`, "refers to a file"},
		"a merged part":                           {"a", "x: &x\n  " + program + "<<: *x\n", "runs a program"},
		"a kubeconfig with inline data passes":    {"a", head + clusters + users, ""},
		"what clients cannot read is no question": {"a", "users: {a: {exec: {command: topsecret}}}\n", ""},
	} {
		t.Run("GAC-2 "+name, func(t *testing.T) {
			err := tenantkubeconfig.CheckData(map[string][]byte{tc.key: []byte(tc.value)})
			if (err == nil) != (tc.want == "") || err != nil && (!strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "topsecret")) {
				t.Errorf("error is %v, want %q", err, tc.want)
			}
		})
	}
}
