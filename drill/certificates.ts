import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Certificate {
  readonly key: string
  readonly cert: string
}

export interface Authority {
  readonly cert: string
  issue(name: string, others?: readonly string[]): Certificate
}

const openssl = (folder: string, ...args: string[]) =>
  void execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

/** Creates a certificate authority, as docs/fleet.md does. Returns the path of its certificate. */
export function createAuthority(folder: string): string {
  const files = ['-keyout', 'ca.key', '-out', 'ca.crt']
  openssl(folder, 'req', '-x509', ...NEW_KEY, '-days', '3650', '-subj', '/CN=fleet', ...files)
  return join(folder, 'ca.crt')
}

/** Opens the authority that `createAuthority` has created in this folder. */
export function openAuthority(folder: string): Authority {
  const read = (file: string) => readFileSync(join(folder, file), 'utf8')
  return {
    cert: read('ca.crt'),
    issue: (name, others = [`DNS:${name}`]) => {
      writeFileSync(join(folder, `${name}.ext`), `subjectAltName=${others.join(',')}\n`)
      openssl(folder, 'req', ...NEW_KEY, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.csr`)
      const by = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '3650', '-extfile', `${name}.ext`]
      openssl(folder, 'x509', '-req', '-in', `${name}.csr`, ...by, '-out', `${name}.crt`)
      return { key: read(`${name}.key`), cert: read(`${name}.crt`) }
    },
  }
}
