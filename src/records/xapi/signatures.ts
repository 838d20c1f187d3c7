import { createPublicKey, verify, X509Certificate } from 'node:crypto'
import { parseJson } from '../../kernel/json.ts'
import { failByRule } from '../statements/faults/faults.ts'
import { isSame } from '../statements/model/compare.ts'
import { roundParsed } from '../statements/model/extensions.ts'
import type { Statement } from '../statements/model/statement.ts'

const ALGORITHMS: ReadonlyMap<unknown, string> = new Map([
  ['RS256', 'RSA-SHA256'],
  ['RS384', 'RSA-SHA384'],
  ['RS512', 'RSA-SHA512'],
])
const refuseAt = (problem: string, where = '') => failByRule('signature', `The signature ${problem}`, where)

/**
 * Checks the signature of a statement (xAPI-Data 2.6). It must be a JWS in compact form (RFC 7515) with one of three
 * algorithms, and its payload must be the statement as it was before the signature was attached. If the header has a
 * certificate, the signature must verify with the certificate's key. Readers decide for themselves whether to trust the
 * signer.
 */
export function checkSignature(statement: Statement, bytes: Buffer, where: string): void {
  const refuse = (problem: string) => refuseAt(problem, where)
  const [header = '', payload = '', signature = '', ...more] = bytes.toString('latin1').split('.', 4)
  const { alg, x5c } = readObject(header, 'header') as { alg?: unknown; x5c?: unknown }
  if (more.length > 0 || signature === '') throw refuse('is not a JWS in compact form')
  const algorithm = ALGORITHMS.get(alg)
  if (!algorithm) throw refuse('must use RS256, RS384 or RS512')
  const signed = readObject(payload, 'payload') as Statement
  if (!isSameAsSigned(statement, signed)) throw refuse('belongs to another statement')
  if (x5c === undefined) return
  const key = readKey(x5c)
  const data = Buffer.from(`${header}.${payload}`, 'latin1')
  if (!verify(algorithm, data, key, Buffer.from(signature, 'base64url'))) throw refuse('does not match its certificate')
}

function readObject(part: string, what: string): object {
  try {
    const value = roundParsed(parseJson(Buffer.from(part, 'base64url').toString()))
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // Invalid JSON is refused below, like JSON that is not an object.
  }
  throw refuseAt(`has a ${what} that is not a JSON object`)
}

/**
 * Whether the signed payload is the same statement. A payload that cannot be compared, because it is not a statement at
 * all, is not the same.
 */
function isSameAsSigned(statement: Statement, signed: Statement): boolean {
  try {
    return (
      isSame(signed, statement) && (signed.id === undefined || signed.id.toLowerCase() === statement.id?.toLowerCase())
    )
  } catch {
    return false
  }
}

function readKey(x5c: unknown) {
  const [first] = Array.isArray(x5c) ? x5c : []
  try {
    // For an object with a `length`, Buffer.from would allocate that many bytes.
    if (typeof first !== 'string') throw new TypeError()
    return createPublicKey(
      new X509Certificate(Buffer.from(first, 'base64')).publicKey.export({ type: 'spki', format: 'pem' }),
    )
  } catch {
    throw refuseAt('has a certificate in x5c that cannot be read')
  }
}
