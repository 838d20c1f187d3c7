import { createHmac, timingSafeEqual } from 'node:crypto'
import { filesOrigin, packageOrigin } from '../../kernel/content-hosts.ts'
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
  `${readFilesOrigin(environment)}/f/${signKey(environment, 'content links', file.key)}/${encodeURIComponent(file.name)}`

/** Returns a token with which everybody can read what has this key, until it expires. */
export function signKey(environment: Environment, purpose: Purpose, key: string): string {
  const step = Math.floor(environment.clock().getTime() / STEP_MS) + 2
  const text = `${key}.${step.toString(36)}`
  return `${text}.${macOf(environment.keyFor(purpose), text).toString('base64url')}`
}

/** Returns CONTENT_URL, without which files and packages can be neither uploaded nor opened. */
export function readContentUrl({ contentUrl, name }: Environment): string {
  const setting = name === 'production' ? 'CONTENT_URL' : 'SANDBOX_CONTENT_URL'
  if (contentUrl === undefined)
    throw fail(
      'impossibleNow',
      `Files and packages cannot be used here: the operator has to set ${setting} to a second host name`,
    )
  return contentUrl
}

/** Returns the origin of uploaded files. */
export const readFilesOrigin = (environment: Environment): string => filesOrigin(readContentUrl(environment))

/** Returns the origin of a content package. */
export const readPackageOrigin = (environment: Environment, key: string): string =>
  packageOrigin(readContentUrl(environment), key)

/** Returns the key in a token, which is not checked here. */
export const keyIn = (token: string): string => token.split('.', 1)[0]!

/** Reads a token of `signKey`. Returns undefined if it was changed, has expired or is for something else. */
export function readToken(
  environment: Environment,
  purpose: Purpose,
  token: string,
): { key: string; expiresMs: number } | undefined {
  const [, text = '', key = '', step = '', mac = ''] =
    /^(([\w-]{1,64})\.([0-9a-z]{1,8}))\.([\w-]{22})$/.exec(token) ?? []
  const given = Buffer.from(mac, 'base64url')
  // The last letter has bits that decoding ignores.
  if (given.length !== MAC_BYTES || given.toString('base64url') !== mac) return undefined
  const isSigned = environment.keysFor(purpose).some((one) => timingSafeEqual(macOf(one, text), given))
  const expiresMs = Number.parseInt(step, 36) * STEP_MS
  return isSigned && expiresMs > environment.clock().getTime() ? { key, expiresMs } : undefined
}
