package targets_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idempotency-conformance/idemcheck/targets"
)

// authority signs certificates and writes PEM files.
type authority struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	a := &authority{dir: t.TempDir(), key: key}
	a.cert = &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	a.write(t, "ca.pem", "CERTIFICATE", a.sign(t, a.cert, &key.PublicKey))
	return a
}

func (a *authority) sign(t *testing.T, template *x509.Certificate, key *ecdsa.PublicKey) []byte {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key, a.key)
	require.NoError(t, err)
	return der
}

func (a *authority) write(t *testing.T, name, kind string, der []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(a.file(name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
}

func (a *authority) file(name string) string { return filepath.Join(a.dir, name) }

// issue makes a certificate for names and addresses, as name.pem and name.key.
func (a *authority) issue(t *testing.T, name string, ips ...net.IP) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	der := a.sign(t, &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		IPAddresses: ips, NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}, &key.PublicKey)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	a.write(t, name+".pem", "CERTIFICATE", der)
	a.write(t, name+".key", "PRIVATE KEY", pkcs8)
	pair, err := tls.LoadX509KeyPair(a.file(name+".pem"), a.file(name+".key"))
	require.NoError(t, err)
	return pair
}

// server is a TLS configuration for loopback.
func (a *authority) server(t *testing.T) *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{a.issue(t, "localhost", net.IPv4(127, 0, 0, 1))}}
}

// trust is the option of a sender that trusts the authority.
func (a *authority) trust(t *testing.T, section targets.TLS) func(*targets.SenderOptions) {
	t.Helper()
	if section.CA == "" {
		section.CA = a.file("ca.pem")
	}
	config, err := section.Config()
	require.NoError(t, err)
	return func(o *targets.SenderOptions) { o.TLS = config }
}

// listenTLS is listen with TLS.
func listenTLS(t *testing.T, config *tls.Config, serve func(*peerConn)) *peer {
	t.Helper()
	return listen(t, func(c *peerConn) {
		conn := tls.Server(c.Conn, config)
		c.Conn = conn
		c.br.Reset(conn)
		serve(c)
		conn.Close()
	})
}

func (p *peer) urlTLS() string { return "https://" + p.Addr().String() + "/v1/tasks" }

func TestTLS(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	p := listenTLS(t, a.server(t), answers(okAnswer))
	for name, with := range map[string]func(*targets.SenderOptions){
		"authority":   a.trust(t, targets.TLS{}),
		"name":        a.trust(t, targets.TLS{ServerName: "localhost"}),
		"skip verify": func(o *targets.SenderOptions) { o.TLS, _ = targets.TLS{SkipVerify: true}.Config() },
	} {
		for _, way := range []string{"send", "prepare"} {
			x := sendWay(t, way, create(p.urlTLS()), with)
			assert.Equal(t, 200, x.Status, name+way+x.Err)
			assert.Equal(t, "HTTP/1.1", x.Proto)
			assert.Equal(t, "ok", string(x.Content))
		}
	}
}

func TestTLSFailures(t *testing.T) {
	t.Parallel()
	a, other := newAuthority(t), newAuthority(t)
	p := listenTLS(t, a.server(t), answers(okAnswer))
	plain := listen(t, func(c *peerConn) {
		c.br.ReadByte()
		c.say("HTTP/1.1 400 Bad Request\r\n\r\n")
	})
	silent := listen(t, func(c *peerConn) { c.br.ReadByte() })
	for name, row := range map[string]struct {
		url, words string
		with       func(*targets.SenderOptions)
	}{
		"unknown authority": {p.urlTLS(), "signed by an unknown authority", other.trust(t, targets.TLS{})},
		"other name":        {p.urlTLS(), "not accepted: x509", a.trust(t, targets.TLS{ServerName: "orders.example"})},
		"no TLS":            {plain.urlTLS(), "does not speak TLS", a.trust(t, targets.TLS{})},
		"closed":            {silent.urlTLS(), "closed the connection during the TLS handshake", a.trust(t, targets.TLS{})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := send(t, sender(row.with), create(row.url))
			assert.Equal(t, targets.FailureTLS, x.Failure, x.Err)
			assert.Contains(t, x.Err, row.words)
			assert.Zero(t, x.Connected)
			assert.Zero(t, x.Status)
		})
	}
}

func TestTLSClientCertificate(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	a.issue(t, "client")
	config := a.server(t)
	config.ClientAuth, config.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
	pemBytes, err := os.ReadFile(a.file("ca.pem"))
	require.NoError(t, err)
	config.ClientCAs.AppendCertsFromPEM(pemBytes)
	p := listenTLS(t, config, answers(okAnswer))

	with := a.trust(t, targets.TLS{Cert: a.file("client.pem"), Key: a.file("client.key")})
	assert.Equal(t, 200, send(t, sender(with), create(p.urlTLS())).Status)
	x := send(t, sender(a.trust(t, targets.TLS{})), create(p.urlTLS()))
	assert.Equal(t, targets.FailureTLS, x.Failure, x.Err)
	assert.Contains(t, x.Err, "certificate required")
}

func TestTLSFiles(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	a.issue(t, "client")
	require.NoError(t, os.WriteFile(a.file("empty.pem"), nil, 0o600))
	for words, section := range map[string]targets.TLS{
		"tls.ca: open ":                 {CA: a.file("missing.pem")},
		"holds no PEM certificate":      {CA: a.file("empty.pem")},
		"tls: cert and key go together": {Cert: a.file("client.pem")},
		"tls.cert and tls.key: ":        {Cert: a.file("client.pem"), Key: a.file("ca.pem")},
	} {
		_, err := section.Config()
		assert.ErrorContains(t, err, words)
	}
}

// The records of a held request are encrypted before the release; the farewell must not be lost in the hold.
func TestTLSHangUpsEndWithoutFarewell(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	for _, way := range []string{"send", "prepare"} {
		p := listenTLS(t, a.server(t), func(c *peerConn) { c.rest() })
		attempt := create(p.urlTLS())
		attempt.Fault = targets.HangUpAfterWrite
		x := sendWay(t, way, attempt, a.trust(t, targets.TLS{}))
		assert.Equal(t, targets.FailureFault, x.Failure, x.Err)
		require.Eventually(t, func() bool { return len(p.requests()) == 1 }, soon, time.Millisecond)
		assert.Contains(t, p.requests()[0], `{"note":"hello"}`)
	}
}
