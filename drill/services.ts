import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'
import type { Service } from './machine.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

export const etcd = (settings: string): Service => ({
  name: 'etcd',
  user: 'etcd',
  command: ['/usr/bin/etcd'],
  env: parseEnv(settings) as Record<string, string>,
})
export const PATRONI: Service = {
  name: 'patroni',
  user: 'postgres',
  command: ['/usr/bin/patroni', '/etc/patroni/config.yml'],
}
export const PGBACKREST: Service = { name: 'pgbackrest', user: 'postgres', command: ['/usr/bin/pgbackrest', 'server'] }
export const HAPROXY: Service = {
  name: 'haproxy',
  user: 'root',
  command: ['/usr/sbin/haproxy', '-Ws', '-f', '/etc/haproxy/haproxy.cfg', '-p', '/run/haproxy.pid'],
}
export const KEEPALIVED: Service = {
  name: 'keepalived',
  user: 'root',
  command: ['/usr/sbin/keepalived', '--dont-fork', '--log-console', '--log-detail'],
}

/** A command of the platform, with the settings of its machine. */
export const groundschool = (...args: string[]): Service => ({
  name: 'groundschool',
  user: 'nobody',
  command: [`${ROOT}node_modules/.bin/node`, `${ROOT}bin/groundschool.js`, ...args],
  env: {
    CONFIG_FILE: '/etc/groundschool.env',
    NODE_EXTRA_CA_CERTS: '/etc/drill-ca.crt',
    HOME: '/var/lib/groundschool',
  },
})

/** Settings of deploy/fleet that are too large for a drill on one computer. */
export const SMALL: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'patroni.yml': {
    'shared_buffers: 32GB': 'shared_buffers: 128MB',
    'effective_cache_size: 96GB': 'effective_cache_size: 512MB',
    'maintenance_work_mem: 2GB': 'maintenance_work_mem: 64MB',
    'max_wal_size: 16GB': 'max_wal_size: 512MB',
    'max_connections: 530': 'max_connections: 200',
  },
  'haproxy.cfg': { 'maxconn 40000': 'maxconn 2000' },
}
