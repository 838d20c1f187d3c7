import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { SIGNATURE } from '../statements/model/statement.ts'
import { attachmentOf, makeStatement, type Part, partOf } from './testing.ts'

/** Encodes a DER value (X.690): tag, length and content. */
function der(tag: number, ...holds: Buffer[]): Buffer {
  const content = Buffer.concat(holds)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
const seq = (...holds: Buffer[]) => der(0x30, ...holds)
const SHA256_WITH_RSA = seq(der(0x06, Buffer.from('2a864886f70d01010b', 'hex')), der(0x05))
const NAME = seq(der(0x31, seq(der(0x06, Buffer.from('550403', 'hex')), der(0x0c, Buffer.from('Test')))))
const VALID = seq(der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from('490101000000Z')))

export interface Signer {
  readonly key: KeyObject
  /** A real certificate (RFC 5280) in base64, as in `x5c`. */
  readonly certificate: string
}

/** Issues a certificate for a public key. `by` is the private key that signs it. */
function certify(publicKey: KeyObject, by: KeyObject): string {
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  const version = der(0xa0, der(0x02, Buffer.from([2])))
  const body = seq(version, der(0x02, Buffer.from([1])), SHA256_WITH_RSA, NAME, VALID, NAME, spki)
  const signature = der(0x03, Buffer.from([0]), sign('RSA-SHA256', body, by))
  return seq(body, SHA256_WITH_RSA, signature).toString('base64')
}

export function makeSigner(): Signer {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { key: privateKey, certificate: certify(publicKey, privateKey) }
}

/** Issues a certificate for an elliptic-curve key, which cannot verify RSA signatures. */
export const makeForeignCertificate = ({ key }: Signer): string =>
  certify(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey, key)

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Signs a payload as a JWS in compact form (RFC 7515). */
export function makeJws(payload: unknown, header: { alg: string; x5c?: unknown }, key: KeyObject): string {
  const signed = `${encode(header)}.${encode(payload)}`
  const hash = `RSA-SHA${header.alg.slice(2)}`
  return `${signed}.${sign(hash, Buffer.from(signed), key).toString('base64url')}`
}

/** Returns a statement that has a signature as its attachment, and the multipart part that contains the signature. */
export function signedBy(make: (statement: object) => string, statement = makeStatement()): [object, Part] {
  const jws = make(statement)
  const type = { 'Content-Type': 'application/octet-stream' }
  const attachment = attachmentOf(jws, { usageType: SIGNATURE, contentType: 'application/octet-stream' })
  return [{ ...statement, attachments: [attachment] }, partOf(jws, type)]
}
