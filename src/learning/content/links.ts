import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'

/**
 * Links are valid for 6 to 12 hours. All links to a file that are made within six hours are equal, so that browsers
 * find the file in their cache.
 */
const STEP_MS = 6 * 60 * 60_000
const PURPOSE = 'content links'
const MAC_BYTES = 16

const macOf = (key: Buffer, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest().subarray(0, MAC_BYTES)

/** Returns a URL at which everybody can read the file until it expires. The caller decides who gets it. */
export function signFile(environment: Environment, file: { readonly key: string; readonly name: string }): string {
  const step = Math.floor(environment.clock().getTime() / STEP_MS) + 2
  const text = `${file.key}.${step.toString(36)}`
  const mac = macOf(environment.keyFor(PURPOSE), text).toString('base64url')
  return `${readContentUrl(environment)}/f/${text}.${mac}/${encodeURIComponent(file.name)}`
}

/** Returns the origin of uploaded files, without which they cannot be used. */
export function readContentUrl({ contentUrl }: Environment): string {
  if (contentUrl === undefined)
    throw fail('impossibleNow', 'Files cannot be used here: the operator has to set CONTENT_URL to a second host name')
  return contentUrl
}

/** Reads a token of `signFile`. Returns undefined if it was changed or has expired. */
export function readToken(environment: Environment, token: string): { key: string; expiresMs: number } | undefined {
  const [, text = '', key = '', step = '', mac = ''] =
    /^(([\w-]{1,64})\.([0-9a-z]{1,8}))\.([\w-]{22})$/.exec(token) ?? []
  const given = Buffer.from(mac, 'base64url')
  if (given.length !== MAC_BYTES) return undefined
  const isSigned = environment.keysFor(PURPOSE).some((one) => timingSafeEqual(macOf(one, text), given))
  const expiresMs = Number.parseInt(step, 36) * STEP_MS
  return isSigned && expiresMs > environment.clock().getTime() ? { key, expiresMs } : undefined
}
