package observe

import (
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
	_ "modernc.org/sqlite" // the driver "sqlite"
)

// openSource makes a source without connecting. The forms are postgres://…, postgresql://…, mysql://…, mariadb://… and
// sqlite:FILE. Errors never contain the DSN, since it contains the password.
func openSource(dsn string) (source, error) {
	scheme, _, _ := strings.Cut(dsn, ":")
	switch strings.ToLower(scheme) {
	case "postgres", "postgresql":
		return openPostgres(dsn)
	case "mysql", "mariadb":
		return openMySQL(dsn)
	case "sqlite":
		return openSQLite(dsn)
	}
	return source{}, errors.New("the dsn must begin with sqlite: or with postgres://, postgresql://, mysql:// or mariadb://")
}

func openMySQL(dsn string) (source, error) {
	c, err := mysqlConfig(dsn)
	if err != nil {
		return source{}, err
	}
	connector, err := mysql.NewConnector(c)
	if err != nil {
		return source{}, errors.New("the mysql dsn is not valid")
	}
	return source{db: newPool(sql.OpenDB(connector), noGuard), name: "mysql", hide: hiding(c.Passwd)}, nil
}

// mysqlConfig translates mysql://user:password@host:3306/database?parameter=value into the driver's form. The
// parameters are the driver's own; socket=FILE takes the place of the host.
func mysqlConfig(dsn string) (*mysql.Config, error) {
	u, err := parseURL(dsn)
	if err != nil {
		return nil, err
	}
	if u.Opaque != "" {
		return nil, errors.New("the mysql dsn must look like mysql://user:password@host:3306/database")
	}
	params, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, errors.New("the parameters of the mysql dsn are not valid")
	}
	address := "tcp(" + net.JoinHostPort(orElse(u.Hostname(), "127.0.0.1"), orElse(u.Port(), "3306")) + ")"
	if socket := params.Get("socket"); socket != "" {
		address = "unix(" + socket + ")"
		params.Del("socket")
	}
	c, err := mysql.ParseDSN(address + "/?" + params.Encode())
	if err != nil {
		return nil, errors.New("the address or the parameters of the mysql dsn are not valid")
	}
	c.User = u.User.Username()
	c.Passwd, _ = u.User.Password()
	c.DBName = strings.TrimPrefix(u.Path, "/")
	// Whatever the DSN says: one statement, no files of this machine, arguments apart from the text.
	c.MultiStatements, c.AllowAllFiles, c.InterpolateParams = false, false, false
	if c.Timeout == 0 {
		c.Timeout = 10 * time.Second // of dialling
	}
	c.Logger = &mysql.NopLogger{}
	return c, nil
}

func openSQLite(dsn string) (source, error) {
	uri, err := sqliteURI(dsn)
	if err != nil {
		return source{}, err
	}
	db, err := sql.Open("sqlite", uri)
	if err != nil {
		return source{}, fmt.Errorf("open sqlite: %w", err)
	}
	return source{db: newPool(db, readOnly), name: "sqlite", hide: hiding("")}, nil
}

// sqliteURI translates sqlite:FILE (also sqlite://FILE, so that sqlite:///abs works) into a URI that opens the file
// read-only, never creates it, and waits for a writer for up to five seconds.
func sqliteURI(dsn string) (string, error) {
	_, file, _ := strings.Cut(dsn, ":")
	file = strings.TrimPrefix(file, "//")
	switch {
	case file == "" || strings.ContainsRune(file, 0):
		return "", errors.New("the sqlite dsn must name a file: sqlite:FILE")
	case strings.HasPrefix(file, ":memory:"):
		return "", errors.New("the sqlite dsn must name a file: a database in memory belongs to one process")
	}
	path := filepath.ToSlash(file)
	if filepath.VolumeName(file) != "" {
		path = "/" + path
	}
	// All that a URI or the driver would take for syntax is escaped; a path may contain any of it.
	escaped := (&url.URL{Path: path}).EscapedPath()
	if strings.HasPrefix(escaped, "//") {
		escaped = "//" + escaped // a host comes first where there are two slashes
	}
	return "file:" + escaped + "?mode=ro&_busy_timeout=5000&_query_only=1", nil
}

// parseURL hides the reason of a failure, which quotes the URL and with it the password.
func parseURL(dsn string) (*url.URL, error) {
	u, err := url.Parse(dsn)
	if err != nil {
		return nil, errors.New("the dsn is not a valid URL (special characters in a password are written as %XX)")
	}
	return u, nil
}

// hiding takes a password out of texts, as it is and as it stands in a URL.
func hiding(password string) func(string) string {
	if password == "" {
		return func(s string) string { return s }
	}
	const hidden = "[hidden]"
	return strings.NewReplacer(password, hidden, url.QueryEscape(password), hidden, url.PathEscape(password), hidden).Replace
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
