package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// nginxConf makes nginx's cache keep answers by the key that a request bears. A request that finds another on its way
// waits for it.
const nginxConf = `
daemon off; master_process off; pid PID; error_log stderr;
events {}
http {
  access_log off;
  client_body_temp_path TEMP/body; proxy_temp_path TEMP/proxy; fastcgi_temp_path TEMP/f; uwsgi_temp_path TEMP/u; scgi_temp_path TEMP/s;
  proxy_cache_path CACHE keys_zone=answers:1m use_temp_path=off;
  map $http_idempotency_key $bare { "" 1; default 0; }
  server {
    listen LISTEN;
    location / {
      proxy_pass http://SERVICE;
      proxy_cache answers;
      proxy_cache_methods POST;
      proxy_cache_key $http_idempotency_key;
      proxy_cache_valid 201 1h;
      proxy_cache_lock on;
      proxy_cache_bypass $bare;
      proxy_no_cache $bare;
      proxy_ignore_client_abort ABORT;
    }
  }
}
`

// nginxes are the ways to run nginx, each with its proxy_ignore_client_abort: "off" is what nginx does by itself.
var nginxes = map[string]string{"nginx": "off", "nginx-patient": "on"}

// startNginx runs Debian's nginx before the service. The function it gives waits for nginx's end.
func startNginx(ctx context.Context, public, service, data, abort string) (func(), error) {
	if data == "" {
		return nil, errors.New("nginx needs -data")
	}
	folder, err := filepath.Abs(data)
	if err != nil {
		return nil, err
	}
	temp := filepath.Join(folder, "temp")
	if err := os.MkdirAll(temp, 0o700); err != nil {
		return nil, err
	}
	conf := strings.NewReplacer(
		"PID", filepath.Join(folder, "nginx.pid"), "TEMP", temp, "CACHE", filepath.Join(folder, "cache"),
		"ABORT", abort, "LISTEN", public, "SERVICE", service).Replace(nginxConf)
	file := filepath.Join(folder, "nginx.conf")
	if err := os.WriteFile(file, []byte(conf), 0o600); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "nginx", "-p", folder, "-c", file)
	cmd.Stderr = os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start nginx: %w", err)
	}
	for range 100 { // until it listens
		c, err := net.DialTimeout("tcp", public, time.Second)
		if err == nil {
			c.Close()
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	return func() { cmd.Wait() }, nil
}
