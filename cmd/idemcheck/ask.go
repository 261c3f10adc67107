package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// talk is a conversation with a person.
type talk struct {
	in    *bufio.Reader
	out   io.Writer
	ended bool // nobody is there any more
}

func newTalk(in io.Reader, out io.Writer) *talk { return &talk{in: bufio.NewReader(in), out: out} }

// line asks and gives the answer without white space around it; empty where nobody answers.
func (t *talk) line(question string) string {
	fmt.Fprintf(t.out, "%s: ", question)
	text, err := t.in.ReadString('\n')
	t.ended = err != nil
	return strings.TrimSpace(text)
}

// number asks for one; false where the person cannot tell, or is not there.
func (t *talk) number(ctx context.Context, question string) (int, bool, error) {
	for range 5 {
		text := t.line(question + "? [a number, or ? if you cannot tell]")
		if n, err := strconv.Atoi(text); err == nil && n >= 0 {
			return n, true, nil
		}
		if text == "?" || t.ended || ctx.Err() != nil {
			break
		}
	}
	return 0, false, nil
}

// yes asks whether to go on; nothing but y or yes is one.
func (t *talk) yes(question string) bool {
	answer := strings.ToLower(t.line(question + " [y/N]"))
	return answer == "y" || answer == "yes"
}
