#!/bin/sh
# /usr/local/sbin/pgbackrest-metrics on backup1: writes when the newest backup of each type was completed, for the
# node_exporter of this machine. Backups in which pgBackRest found damaged pages do not count.
set -eu
target=${1:-/var/lib/prometheus/node-exporter/pgbackrest.prom}
info=$(runuser -u postgres -- pgbackrest --output=json --log-level-console=off info)
{
  echo '# HELP pgbackrest_newest_backup_seconds When the newest backup was completed (Unix time)'
  echo '# TYPE pgbackrest_newest_backup_seconds gauge'
  echo "$info" | jq -r '
    .[] | .name as $stanza | [.backup[] | select(.error != true)] | group_by(.type)[]
    | "pgbackrest_newest_backup_seconds{stanza=\"\($stanza)\",type=\"\(.[0].type)\"} \(map(.timestamp.stop) | max)"'
} > "$target.new"
chmod 644 "$target.new"
mv "$target.new" "$target"
