import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Environment, service } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import type { GetStatements } from './schema.ts'

/** What the next page is asked with: the same question, and the number of the last statement that was shown. */
export interface Place {
  readonly asked: Omit<GetStatements, 'cursor'>
  readonly last: number
}

const VALID_MS = 24 * 60 * 60_000
const key = service((environment) => environment.keyFor('statements cursor'))

const sign = (secret: Buffer, text: string): string => createHmac('sha256', secret).update(text).digest('base64url')

/** Opaque to clients, and signed: nothing about it is kept here. */
export function writeCursor({ get }: Pick<Environment, 'get'>, at: Date, { asked, last }: Place): string {
  const text = Buffer.from(JSON.stringify([at.getTime() + VALID_MS, last, asked])).toString('base64url')
  return `${text}.${sign(get(key), text)}`
}

export function readCursor({ get }: Pick<Environment, 'get'>, at: Date, cursor: string): Place {
  const [text = '', signature = ''] = cursor.split('.')
  const expected = Buffer.from(sign(get(key), text))
  const given = Buffer.from(signature)
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw fail('validationFailed', 'cursor is not valid; send the `more` of a response unchanged')
  const [until, last, asked] = JSON.parse(Buffer.from(text, 'base64url').toString())
  if (until < at.getTime()) throw fail('validationFailed', 'cursor is older than a day; ask for the first page again')
  return { asked, last }
}
