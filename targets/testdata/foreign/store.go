package main

import (
	"bufio"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// shown is what the API says about a record.
type shown struct {
	ID       string `json:"id"`
	Event    string `json:"event"`
	Account  string `json:"account"`
	Revision string `json:"revision,omitempty"`
	Note     string `json:"note"`
}

// record is an order or a note.
type record struct {
	shown
	Kind    string `json:"kind"`
	Tenant  string `json:"tenant"`
	Deleted bool   `json:"deleted,omitempty"`
}

// store keeps the records in memory and, where it has a file, writes each change to its end.
type store struct {
	mu      sync.Mutex
	records []*record // in order of creation
	file    *os.File
}

// openStore reads the records of an earlier process; no folder keeps them in memory only.
func openStore(folder string) (*store, error) {
	s := &store{}
	if folder == "" {
		return s, nil
	}
	var err error
	if s.file, err = os.OpenFile(filepath.Join(folder, "records.jsonl"), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600); err != nil {
		return nil, fmt.Errorf("open the records: %w", err)
	}
	for dec := json.NewDecoder(bufio.NewReader(s.file)); ; {
		var r record
		switch err := dec.Decode(&r); {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF): // a kill may leave half a line
			return s, nil
		case err != nil:
			return nil, fmt.Errorf("read the records: %w", err)
		}
		s.apply(&r)
	}
}

// apply takes over one line of the file.
func (s *store) apply(r *record) {
	if r.Deleted {
		s.drop(r.ID)
		return
	}
	s.records = append(s.records, r)
}

func (s *store) add(r *record) error {
	id := make([]byte, 8)
	rand.Read(id)
	r.ID = r.Kind[:1] + "_" + hex.EncodeToString(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.write(r); err != nil {
		return err
	}
	s.records = append(s.records, r)
	return nil
}

func (s *store) remove(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.write(&record{shown: shown{ID: id}, Deleted: true}); err != nil {
		return err
	}
	s.drop(id)
	return nil
}

func (s *store) drop(id string) {
	for i, r := range s.records {
		if r.ID == id {
			s.records = append(s.records[:i], s.records[i+1:]...)
			return
		}
	}
}

func (s *store) write(r *record) error {
	if s.file == nil {
		return nil
	}
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode a record: %w", err)
	}
	if _, err := s.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write a record: %w", err)
	}
	return nil
}

// find gives a tenant's records that contain a text.
func (s *store) find(kind, tenant, text string) []shown {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []shown{}
	for _, r := range s.records {
		if r.Kind == kind && r.Tenant == tenant && strings.Contains(r.Event+" "+r.Account+" "+r.Note, text) {
			list = append(list, r.shown)
		}
	}
	return list
}

// get gives a tenant's record; nil when it has none of that id.
func (s *store) get(kind, tenant, id string) *record {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.records {
		if r.Kind == kind && r.Tenant == tenant && r.ID == id {
			return r
		}
	}
	return nil
}
