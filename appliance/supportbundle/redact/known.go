// Package redact takes secrets out of texts before they leave the machine: values that are known to be secret, and what looks like
// a secret. It knows nothing about where the texts come from.
package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"
)

const (
	// shortest is the length from which a value counts as a secret that can be found. Shorter ones are parts of ordinary words.
	shortest = 8
	// shortestNamed is that of values whose name says that they are secret.
	shortestNamed = 6
	// longest is that of values searched for as a whole. Of longer ones, only their lines are.
	longest = 8 << 10
	// depth bounds how often a secret is decoded that contains encoded secrets, such as a kubeconfig with a key.
	depth = 4
)

var (
	// field is a line of YAML or JSON whose name says that its value is secret.
	field = regexp.MustCompile(`(?i)"?[\w.-]*(?:token|password|passwd|secret|client-key-data|private-?key|aescbc|secretbox)[\w.-]*"?\s*[:=]\s*"?([^\s"',]{6,})`)
	// encoded is a line of a PEM block, or a value in base64.
	encoded = regexp.MustCompile(`[A-Za-z0-9+/_-]{32,}={0,2}`)
	// open are names of values in Secrets that are no secrets.
	open = regexp.MustCompile(`(?i)(\.crt|\.pub|\.pem\.cert|^ca|cert|bundle.*|namespace|user(name)?|url|server|host|region|name|email|issuer|bucket.*|provider|endpoint)$`)
	// sensitive are names of values that are secret, however short.
	sensitive = regexp.MustCompile(`(?i)token|passw|secret|\.key$|auth$|credential|private`)
	// encodedCertificate begins the base64 form of a certificate in PEM.
	encodedCertificate = base64.RawStdEncoding.EncodeToString([]byte("-----BEGIN CERT"))
	block              = regexp.MustCompile(`(?s)-----BEGIN (?:TRUSTED )?CERTIFICATE-----.*?-----END (?:TRUSTED )?CERTIFICATE-----`)
)

// Known is a set of values that are known to be secret.
type Known struct{ words map[string]bool }

// NewKnown returns an empty set.
func NewKnown() *Known { return &Known{words: map[string]bool{}} }

// Len is the number of values.
func (k *Known) Len() int { return len(k.words) }

// AddValue adds the value of that name in a Secret, and the secrets inside of it.
func (k *Known) AddValue(name string, value []byte) {
	text := strings.TrimSpace(string(value))
	least := shortest
	if sensitive.MatchString(name) {
		least = shortestNamed
	} else if open.MatchString(name) {
		return
	}
	if !strings.Contains(text, "\n") && utf8.ValidString(text) && !looksOpen(text) {
		k.add(text, least)
	}
	k.AddText(value)
}

// AddText adds what is secret in a file: keys, and values of fields with telling names. Certificates are not.
func (k *Known) AddText(text []byte) { k.addText(text, depth) }

func (k *Known) addText(text []byte, depth int) {
	if depth == 0 || !utf8.Valid(text) {
		return
	}
	text = block.ReplaceAll(text, nil)
	for _, match := range field.FindAllSubmatch(text, -1) {
		if value := string(match[1]); !looksOpen(value) {
			k.add(value, shortestNamed)
		}
	}
	for _, word := range encoded.FindAll(text, -1) {
		k.addEncoded(string(word), depth)
	}
	if first, _, several := bytes.Cut(text, []byte(",")); several && !bytes.ContainsAny(first, " \n{:\"") {
		k.add(string(first), shortest) // the token in a file of static tokens
	}
}

// isName tells names of objects and files from keys: names have hyphens but no capital letters, or many slashes.
func isName(word string) bool {
	return strings.Contains(word, "-") && strings.ToLower(word) == word || strings.Count(word, "/")*12 > len(word)
}

// addEncoded adds a word that may be a key.
func (k *Known) addEncoded(word string, depth int) {
	if strings.HasPrefix(word, encodedCertificate) || isName(word) {
		return
	}
	inner, err := base64.StdEncoding.DecodeString(word)
	if err == nil && utf8.Valid(inner) {
		k.addText(inner, depth-1)
		if !bytes.Contains(inner, []byte("PRIVATE KEY")) && len(inner) > 64 {
			return // a text whose secrets are known now
		}
	}
	k.add(word, shortest)
}

// looksOpen are values of telling names that are no secrets: names of files and objects, and addresses.
func looksOpen(value string) bool {
	if strings.HasPrefix(value, "https://") || strings.HasPrefix(value, "http://") {
		return !strings.Contains(value, "@")
	}
	return strings.HasPrefix(value, "/") || strings.HasPrefix(value, "-----BEGIN") || value == "default" || ordinary.MatchString(value)
}

// ordinary are words that everybody uses: lower case with hyphens, without digits and not long enough to be chosen at random.
var ordinary = regexp.MustCompile(`^(?:true|false|null|none|[a-z]+(?:-[a-z]+)+|[a-z]+(?:\.[a-z]+)+(?:/[a-z-]+)?)$`)

// add adds a value and the forms in which texts contain it.
func (k *Known) add(value string, least int) {
	if len(value) < least || len(value) > longest {
		return
	}
	k.words[value] = true
	if quoted, err := json.Marshal(value); err == nil {
		k.words[strings.Trim(string(quoted), `"`)] = true
	}
	k.words[url.QueryEscape(value)] = true
	for shift := range 3 { // base64 of a text that contains the value, which begins at any of three places
		padded := append(make([]byte, shift), value...)
		inner := base64.RawStdEncoding.EncodeToString(padded[:len(padded)/3*3])
		if inner = inner[min(len(inner), (shift*8+5)/6):]; len(inner) >= shortest {
			k.words[inner] = true
		}
	}
}
