import { fail } from '../../kernel/errors.ts'
import { PERMISSIONS, type PluginKind, PURPOSES } from './schema.ts'

export function checkPurposes(kind: PluginKind, purposes: readonly string[]): void {
  const known: readonly string[] = PURPOSES[kind]
  const wrong = purposes.find((purpose) => !known.includes(purpose))
  if (wrong !== undefined)
    throw fail('validationFailed', `addresses.${wrong}: a plugin of this kind has URLs for ${known.join(', ')}`)
}

export function checkPermissions(kind: PluginKind, permissions: readonly string[]): void {
  const known: readonly string[] = PERMISSIONS[kind]
  const wrong = permissions.find((permission) => !known.includes(permission))
  if (wrong !== undefined)
    throw fail('validationFailed', `permissions: a plugin of this kind can request ${known.join(', ')}, not ${wrong}`)
}

/** Returns what an active plugin needs and this one lacks; undefined if nothing is missing. */
export function findMissing(plugin: {
  readonly kind: PluginKind
  readonly granted: readonly string[]
  readonly purposes: readonly string[]
  readonly redirectUris: readonly string[]
}): string | undefined {
  const { kind, granted, purposes, redirectUris } = plugin
  if (granted.length === 0) return 'a permission: ask an administrator to grant one'
  if (kind === 'ai') return undefined
  if (!granted.includes('ato')) return 'the permission ato: ask an administrator to grant it'
  if (!purposes.includes('request')) return 'a URL for requests: set addresses.request'
  return redirectUris.length === 0 ? 'a redirect URI, because its users sign in' : undefined
}
