import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { type Environment, service } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import type { GetStatements } from './schema.ts'

/**
 * The position at which the next page starts: the parameters of the first page, and the `seq` of the last statement
 * that the client was sent.
 */
export interface PagePosition {
  readonly parameters: Omit<GetStatements, 'cursor'>
  readonly last: number
}

const VALID_MS = 24 * 60 * 60_000
// Imported once: an HMAC from a raw key takes 14 times as long.
const keys = service(({ keysFor }) => keysFor('statements cursor').map((key) => createSecretKey(key)))

const sign = (secret: KeyObject, text: string): string => createHmac('sha256', secret).update(text).digest('base64url')

/**
 * Encodes a page position as a cursor. The cursor is signed, and opaque to clients, so the server need not store it.
 */
export function writeCursor(at: Date, { parameters, last }: PagePosition, { get }: Pick<Environment, 'get'>): string {
  const text = Buffer.from(JSON.stringify([at.getTime() + VALID_MS, last, parameters])).toString('base64url')
  return `${text}.${sign(get(keys)[0]!, text)}`
}

export function readCursor(at: Date, cursor: string, { get }: Pick<Environment, 'get'>): PagePosition {
  const [text = '', signature = ''] = cursor.split('.')
  const given = Buffer.from(signature)
  const isOwn = get(keys).some((key) => {
    const expected = Buffer.from(sign(key, text))
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
  if (!isOwn) throw fail('validationFailed', 'cursor is not valid; send the `more` of a response unchanged')
  const [until, last, parameters] = JSON.parse(Buffer.from(text, 'base64url').toString())
  if (until < at.getTime()) throw fail('validationFailed', 'cursor is older than a day; request the first page again')
  return { parameters, last }
}
