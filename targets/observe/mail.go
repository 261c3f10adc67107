package observe

import (
	"bytes"
	"encoding/base64"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"strings"
)

// The bounds of a mail's structure; what lies beyond is searched in its encoded form only.
const (
	maxDepth = 8
	maxParts = 200
)

// readMail decodes a mail as far as it can: a marker may stand in an encoded subject, in base64, or across the soft
// line breaks of quoted-printable. The raw text is kept as well, so that a malformed mail is not lost.
func readMail(raw []byte) message {
	m := message{texts: []string{string(raw)}, size: len(raw)}
	parsed, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return m
	}
	m.header = textproto.MIMEHeader(parsed.Header)
	r := &mailReader{}
	r.headers(m.header)
	r.part(m.header, parsed.Body, 0)
	for _, t := range r.texts {
		m.size += len(t)
	}
	m.texts = append(m.texts, r.texts...)
	return m
}

// mailReader collects the decoded texts of a mail.
type mailReader struct {
	texts []string
	parts int
}

// headers decodes the encoded words of RFC 2047.
func (r *mailReader) headers(h textproto.MIMEHeader) {
	var d mime.WordDecoder
	for _, values := range h {
		for _, v := range values {
			if text, err := d.DecodeHeader(v); err == nil && text != v {
				r.texts = append(r.texts, text)
			}
		}
	}
}

func (r *mailReader) part(h textproto.MIMEHeader, body io.Reader, depth int) {
	if r.parts++; r.parts > maxParts || depth > maxDepth {
		return
	}
	media, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err == nil && strings.HasPrefix(media, "multipart/") {
		r.multipart(multipart.NewReader(body, params["boundary"]), depth)
		return
	}
	// What could be decoded before an error is searched too.
	text, _ := io.ReadAll(decoded(h.Get("Content-Transfer-Encoding"), body))
	if media == "message/rfc822" {
		r.attached(text, depth)
	}
	r.texts = append(r.texts, string(text))
}

func (r *mailReader) multipart(parts *multipart.Reader, depth int) {
	for r.parts <= maxParts {
		// Raw: NextPart would decode quoted-printable and nothing else.
		p, err := parts.NextRawPart()
		if err != nil {
			return
		}
		r.headers(p.Header)
		r.part(p.Header, p, depth+1)
	}
}

// attached reads a mail within a mail.
func (r *mailReader) attached(raw []byte, depth int) {
	m, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return
	}
	r.headers(textproto.MIMEHeader(m.Header))
	r.part(textproto.MIMEHeader(m.Header), m.Body, depth+1)
}

// decoded undoes a transfer encoding (RFC 2045 section 6).
func decoded(encoding string, body io.Reader) io.Reader {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "base64":
		return base64.NewDecoder(base64.StdEncoding, body)
	case "quoted-printable":
		return quotedprintable.NewReader(body)
	}
	return body
}
