import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'

/**
 * Links are valid for 6 to 12 hours. All links to a file that are made within six hours are equal, so that browsers
 * find the file in their cache.
 */
const STEP_MS = 6 * 60 * 60_000
/** What a link leads to. A token for one is worth nothing for another. */
type Purpose = 'content links' | 'package links' | 'package originals'
const MAC_BYTES = 16

const macOf = (key: Buffer, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest().subarray(0, MAC_BYTES)

/** Returns a URL at which everybody can read the file until it expires. The caller decides who gets it. */
export const signFile = (environment: Environment, file: { readonly key: string; readonly name: string }): string =>
  `${readContentUrl(environment)}/f/${signKey(environment, 'content links', file.key)}/${encodeURIComponent(file.name)}`

/** Returns a token with which everybody can read what has this key, until it expires. */
export function signKey(environment: Environment, purpose: Purpose, key: string): string {
  const step = Math.floor(environment.clock().getTime() / STEP_MS) + 2
  const text = `${key}.${step.toString(36)}`
  return `${text}.${macOf(environment.keyFor(purpose), text).toString('base64url')}`
}

/** Returns the origin of uploaded files, without which they cannot be used. */
export function readContentUrl({ contentUrl }: Environment): string {
  if (contentUrl === undefined)
    throw fail('impossibleNow', 'Files cannot be used here: the operator has to set CONTENT_URL to a second host name')
  return contentUrl
}

/** Reads a token of `signKey`. Returns undefined if it was changed, has expired or is for something else. */
export function readToken(
  environment: Environment,
  purpose: Purpose,
  token: string,
): { key: string; expiresMs: number } | undefined {
  const [, text = '', key = '', step = '', mac = ''] =
    /^(([\w-]{1,64})\.([0-9a-z]{1,8}))\.([\w-]{22})$/.exec(token) ?? []
  const given = Buffer.from(mac, 'base64url')
  if (given.length !== MAC_BYTES) return undefined
  const isSigned = environment.keysFor(purpose).some((one) => timingSafeEqual(macOf(one, text), given))
  const expiresMs = Number.parseInt(step, 36) * STEP_MS
  return isSigned && expiresMs > environment.clock().getTime() ? { key, expiresMs } : undefined
}
