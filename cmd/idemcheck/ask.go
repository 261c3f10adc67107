package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// asker gives a function that puts a question to a person and reads a number; "?" means that they cannot tell.
func asker(in io.Reader, out io.Writer) func(context.Context, string) (int, bool, error) {
	lines := bufio.NewReader(in)
	return func(ctx context.Context, question string) (int, bool, error) {
		for range 5 {
			fmt.Fprintf(out, "%s? [a number, or ? if you cannot tell] ", question)
			text, err := lines.ReadString('\n')
			if text = strings.TrimSpace(text); text == "?" {
				return 0, false, nil
			}
			if n, convErr := strconv.Atoi(text); convErr == nil && n >= 0 {
				return n, true, nil
			}
			if err != nil || ctx.Err() != nil {
				return 0, false, nil // nobody is there any more
			}
		}
		return 0, false, nil
	}
}
