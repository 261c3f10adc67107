// Command shop is what the tests run in containers: an API, the store behind it, and targets that do not start.
package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	roles := map[string]func(){
		"serve": serve,
		"store": store,
		"mute":  func() { fmt.Println("warming up"); time.Sleep(time.Hour) },
		"exit": func() {
			fmt.Println("listening soon")
			fmt.Fprintln(os.Stderr, "no database:", os.Getenv("PASSWORD"))
			os.Exit(3)
		},
		"check": check,
		"fail":  func() { fmt.Println("not yet"); os.Exit(1) },
	}
	roles[os.Args[1]]()
}

// serve is the API: notes in a file, and what the tests ask of it.
func serve() {
	// Nobody else stops the first process of a container.
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM)
	go func() {
		<-asked
		note("stopped")
		os.Exit(0)
	}()
	note("started")
	http.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		if os.Getenv("SICK") != "" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	http.HandleFunc("GET /notes", func(w http.ResponseWriter, _ *http.Request) {
		notes, _ := os.ReadFile("/data/notes")
		w.Write(notes)
	})
	http.HandleFunc("GET /env", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, os.Getenv(r.URL.Query().Get("name")))
	})
	http.HandleFunc("GET /name", func(w http.ResponseWriter, _ *http.Request) {
		name, _ := os.Hostname()
		io.WriteString(w, name)
	})
	http.HandleFunc("GET /ask", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, ask(os.Getenv("STORE"))) })
	http.HandleFunc("GET /exit", func(http.ResponseWriter, *http.Request) { os.Exit(4) })
	http.HandleFunc("GET /hang", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	fmt.Println("serving with", os.Getenv("PASSWORD"))
	fmt.Fprintln(os.Stderr, http.ListenAndServe(":8080", nil))
	os.Exit(1)
}

func note(text string) {
	file, err := os.OpenFile("/data/notes", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		fmt.Fprintln(file, text)
		file.Close()
	}
}

// store answers each line with how many lines it was asked so far by anybody.
func store() {
	listener, err := net.Listen("tcp", ":7000")
	if err != nil {
		panic(err)
	}
	fmt.Println("store is up")
	lines := make(chan int, 1)
	lines <- 0
	for {
		conn, err := listener.Accept()
		if err != nil {
			panic(err)
		}
		go func() {
			for in := bufio.NewScanner(conn); in.Scan(); {
				n := <-lines + 1
				lines <- n
				fmt.Fprintf(conn, "line %d\n", n)
			}
			conn.Close()
		}()
	}
}

// ask asks a store once.
func ask(address string) string {
	conn, err := net.DialTimeout("tcp", address, 5*time.Second)
	if err != nil {
		return err.Error()
	}
	defer conn.Close()
	fmt.Fprintln(conn, "ask")
	answer, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return err.Error()
	}
	return answer
}

// check succeeds where the store answers.
func check() {
	conn, err := net.Dial("tcp", "127.0.0.1:7000")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	conn.Close()
}
